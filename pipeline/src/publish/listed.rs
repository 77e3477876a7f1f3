//! What lies in a folder of a store on a disk, listed without the store's own detours: that one looks up each file from the root
//! again, several times, which is most of what a build of a large site costs that changes nothing.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use object_store::path::Path as Key;

/// An object as a listing tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Where it lies.
    pub(super) key: Key,
    /// Its length.
    pub(super) size: u64,
    /// When it was written, by the store's clock.
    pub(super) written: SystemTime,
}

/// The objects below a folder of a disk, in no order; nothing where something lies there that only the store itself can judge: links, and
/// names that are no keys.
pub(super) fn list(root: &Path, folder: &Key) -> io::Result<Option<Vec<Listed>>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_string()]);
    while let Some(name) = folders.pop() {
        let entries = match fs::read_dir(root.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let (kind, file) = (entry.file_type()?, entry.file_name());
            let Some(file) = file.to_str().filter(|_| !kind.is_symlink()) else { return Ok(None) };
            let key = if name.is_empty() { file.to_owned() } else { format!("{name}/{file}") };
            if kind.is_dir() {
                folders.push(key);
                continue;
            }
            // As the store does it, without looking each up from the root again.
            if is_leftover(Path::new(file)) {
                continue;
            }
            let stat = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                stat => stat?,
            };
            let Ok(key) = Key::parse(&key) else { return Ok(None) };
            found.push(Listed { key, size: stat.len(), written: stat.modified()? });
        }
    }
    Ok(Some(found))
}

/// Whether `object_store` would hide this file from a listing: it is one that it was still writing.
pub(super) fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && name[..name.len() - digits].ends_with(b"#")
}
