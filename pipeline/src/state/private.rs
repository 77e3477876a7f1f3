//! Files of the state are their owner's alone: they hold addresses of people, tokens' subjects and pages of others.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// Rights of everybody else.
const OTHERS: u32 = 0o077;

/// Makes the folder of a state if it is not there. A hidden one is for its owner alone; another may hold published files
/// too, which web servers read.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    let is_hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    if let (Some(above), true) = (path.parent(), is_hidden) {
        fs::create_dir_all(above)?;
        return match DirBuilder::new().mode(FOLDER).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            made => made,
        };
    }
    fs::create_dir_all(path)
}

/// Takes the rights of others away from a file that was made by an earlier version or copied. Whoever does not own it cannot,
/// and works with it as it is.
pub(super) fn close_to_others(path: &Path) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    if found.permissions().mode() & OTHERS != 0 {
        let _ = fs::set_permissions(path, Permissions::from_mode(FILE));
    }
}
