//! Advice for sources of `init` that are no folder.

use std::path::Path;

use pipeline::model::{begins_with_host, likely_scheme};

/// Endings of file names of archives.
const ARCHIVES: [&str; 6] = [".zip", ".tar", ".tgz", ".gz", ".xz", ".7z"];

/// Advice for a source that is no folder; `None` if it is one.
pub(super) fn of(source: &str) -> Option<String> {
    let path = Path::new(source);
    if path.is_dir() {
        return None;
    }
    if path.is_file() {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        if ARCHIVES.iter().any(|ending| name.ends_with(ending)) {
            return Some(format!(
                "{source} is an archive; unpack it, and give the folder with the pages"
            ));
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        return Some(format!(
            "{source} is a file; give its folder: latimer init {}",
            folder.display()
        ));
    }
    if !matches!(path.try_exists(), Ok(false)) {
        return None;
    }
    let has_drive = matches!(source.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if has_drive || source.contains('\\') {
        return Some(format!(
            "there is no folder {source}; Windows paths are not supported: in WSL, C:\\site is /mnt/c/site"
        ));
    }
    if begins_with_host(source) {
        return Some(format!(
            "there is no folder {source}; a site on the network is latimer init {}://{source}",
            likely_scheme(source)
        ));
    }
    Some(format!(
        "there is no folder {source}; give a folder with HTML files, or the address of a site (https://…)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_are_no_folder_say_what_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap();
        for name in ["page.html", "site.zip", "site.tar.gz"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(of(place), None);
        for (source, said) in [
            (
                format!("{place}/page.html"),
                format!("is a file; give its folder: latimer init {place}"),
            ),
            (
                format!("{place}/site.zip"),
                "is an archive; unpack it".to_owned(),
            ),
            (
                format!("{place}/site.tar.gz"),
                "is an archive; unpack it".to_owned(),
            ),
            (
                format!("{place}/none"),
                "give a folder with HTML files, or the address of a site".to_owned(),
            ),
            (
                "www.example.com".to_owned(),
                "latimer init https://www.example.com".to_owned(),
            ),
            (
                "example.com/docs".to_owned(),
                "latimer init https://example.com/docs".to_owned(),
            ),
            (
                "localhost:8000".to_owned(),
                "latimer init http://localhost:8000".to_owned(),
            ),
            (r"C:\site".to_owned(), "in WSL".to_owned()),
            (
                r"..\site".to_owned(),
                "Windows paths are not supported".to_owned(),
            ),
        ] {
            let advice = of(&source).unwrap();
            assert!(advice.contains(&said), "{source}: {advice}");
        }
    }
}
