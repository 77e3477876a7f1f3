//! Paths as the disk knows them, so that two spellings of one place compare equal.

use std::path::{Component, Path, PathBuf};

use crate::model::is_hidden;

/// A path from the root of the disk, without `.`, `..` and links. Parts that do not exist yet are taken as written.
pub fn real_path(path: &Path) -> PathBuf {
    // The folder of a file that is named without one has an empty path.
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // `real` has no links left, so its parent is the folder that the system would go to.
            Component::ParentDir => drop(real.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                real.push(part);
                if let Ok(target) = real.canonicalize() {
                    real = target;
                }
            }
        }
    }
    real
}

/// Recognizes paths that a crawl of the folder passes over, because a part of them below the folder is hidden.
pub(super) fn is_hidden_below(folder: &Path, path: &Path) -> bool {
    path.strip_prefix(folder)
        .is_ok_and(|below| below.iter().any(is_hidden))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_spelling_of_a_place_is_one_path() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("site/pages")).unwrap();
        symlink("site/pages", root.join("link")).unwrap();
        symlink(root.join("not-there"), root.join("dangling")).unwrap();
        for (written, expected) in [
            ("site/pages", "site/pages"),
            ("./site/./pages/", "site/pages"),
            ("site/../site/pages", "site/pages"),
            ("link", "site/pages"),
            // A link is followed before `..` is, as the system does it.
            ("link/../new", "site/new"),
            ("link/new/deeper", "site/pages/new/deeper"),
            ("gone/../site", "site"),
            ("gone/deeper", "gone/deeper"),
            ("dangling", "dangling"),
        ] {
            assert_eq!(
                real_path(&root.join(written)),
                root.join(expected),
                "{written}"
            );
        }
        assert_eq!(real_path(Path::new("/../..")), Path::new("/"));
        assert!(real_path(Path::new("")).is_absolute());
    }
}
