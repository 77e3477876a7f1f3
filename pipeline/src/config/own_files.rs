//! The files and folders that the configuration names. None of them belongs to a site's source, wherever it lies: keys and
//! tokens would be published, and a build would read its own output.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::keys::LANG;
use super::reader::{ConfigReader, WrittenText};
use super::real_path::real_path;
use super::{StoreConfig, StoreLocation};
use crate::model::Locale;

/// Keys whose value is a file or folder.
const PATHS: [&str; 14] = [
    "secret_file",
    "public_key_file",
    "jwks_file",
    "preview_tokens_file",
    "preview_status_token_file",
    "password_file",
    "headers_file",
    "key_file",
    "glossary",
    "figures",
    "templates",
    "files",
    // Pages may lie in a folder of the name that models have by default, so models count only where they are written.
    "models",
    "to",
];

/// Keys whose value is a path with the language in it.
const LOCALE_PATHS: [&str; 3] = ["translations", "memory", "slugs"];

/// Keys whose value is a program, or a program and its arguments. Each of these words may be a file.
const COMMANDS: [&str; 6] = [
    "program",
    "args",
    "browser",
    "pagefind",
    "command",
    "after_run",
];

/// Tables whose keys are those of a library: what ends like these is a file.
const OPTIONS: &str = "options";
const OPTION_PATHS: [&str; 2] = ["_path", "_credentials"];

/// Variables that name a file or folder.
const VARIABLES: [&str; 4] = [
    "LATIMER_MODELS",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_APPLICATION_CREDENTIALS",
];

/// The files and folders that a configuration names, as it writes them.
#[derive(Clone, Default)]
pub struct OwnFiles(Arc<Vec<OwnFile>>);

struct OwnFile {
    /// The key or variable that names it.
    key: String,
    path: PathBuf,
    kind: OwnFileKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnFileKind {
    /// A file, or a folder with all that is in it.
    Any,
    /// A file; a folder of this path is something else.
    File,
    /// A path with the language in it.
    PerLocale,
}

/// The same files and folders, where they are on the disk at this moment.
#[derive(Debug, Default)]
pub struct OwnPaths {
    /// The keys by real paths.
    exact: BTreeMap<PathBuf, String>,
    /// Patterns with the language in them, and their keys.
    patterns: Vec<(PathBuf, String)>,
}

impl OwnFiles {
    /// Collects what a document and the environment name.
    pub(super) fn of(
        reader: &ConfigReader<'_>,
        texts: &[WrittenText<'_>],
        file: &Path,
        store: &StoreConfig,
    ) -> Self {
        let mut found = vec![
            OwnFile {
                key: "the configuration".to_owned(),
                path: file.to_path_buf(),
                kind: OwnFileKind::Any,
            },
            OwnFile {
                key: "state".to_owned(),
                path: store.state.clone(),
                kind: OwnFileKind::Any,
            },
            OwnFile {
                key: "state".to_owned(),
                path: beside_state(&store.state),
                kind: OwnFileKind::Any,
            },
            // The state's usual folder.
            OwnFile {
                key: "the folder of the state".to_owned(),
                path: reader.resolve(".latimer"),
                kind: OwnFileKind::Any,
            },
            OwnFile {
                key: "publish".to_owned(),
                path: store.own_folder(),
                kind: OwnFileKind::Any,
            },
        ];
        if let StoreLocation::Folder(folder) = &store.objects {
            found.push(OwnFile {
                key: "objects".to_owned(),
                path: folder.clone(),
                kind: OwnFileKind::Any,
            });
        }
        for text in texts {
            if let Some(kind) = kind_of(text) {
                found.push(OwnFile {
                    key: text.key.to_owned(),
                    path: reader.resolve(text.text),
                    kind,
                });
            }
        }
        for variable in VARIABLES {
            if let Some(path) = reader.environment(variable) {
                found.push(OwnFile {
                    key: variable.to_owned(),
                    path: reader.resolve(&path),
                    kind: OwnFileKind::Any,
                });
            }
        }
        Self(Arc::new(found))
    }

    /// Looks up where the files are now. `locales` are those whose files may lie behind a link.
    pub fn resolve(&self, locales: &[Locale]) -> OwnPaths {
        let mut paths = OwnPaths::default();
        for OwnFile { key, path, kind } in self.0.iter() {
            match kind {
                OwnFileKind::Any => paths.add(key, path),
                OwnFileKind::File if path.is_file() => paths.add(key, path),
                OwnFileKind::File => {}
                OwnFileKind::PerLocale => {
                    for locale in locales {
                        let path = path.to_string_lossy().replace(LANG, locale.as_str());
                        paths.add(key, Path::new(&path));
                    }
                    paths.patterns.push((real_base(path), key.clone()));
                }
            }
        }
        paths
    }
}

impl OwnPaths {
    fn add(&mut self, key: &str, path: &Path) {
        self.exact
            .entry(real_path(path))
            .or_insert_with(|| key.to_owned());
    }

    /// The key that names a file or folder. `written` is where it was found, in a folder without links around it; `real` is
    /// where it leads if it is a link.
    pub fn key_of(&self, written: &Path, real: &Path) -> Option<&str> {
        if let Some(key) = self.exact.get(real).or_else(|| self.exact.get(written)) {
            return Some(key);
        }
        let pattern = self
            .patterns
            .iter()
            .find(|(pattern, _)| fits(pattern, written) || fits(pattern, real));
        pattern.map(|(_, key)| key.as_str())
    }
}

/// Settings are compared by what they print, and where other sites keep their files changes nothing about one.
impl fmt::Debug for OwnFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OwnFiles")
    }
}

/// The file in which a process that has the state open says so.
fn beside_state(state: &Path) -> PathBuf {
    let mut name = state.as_os_str().to_owned();
    name.push(".holder");
    PathBuf::from(name)
}

/// The kind of file that a text of the document names; `None` if it names none.
fn kind_of(text: &WrittenText<'_>) -> Option<OwnFileKind> {
    match text.key {
        _ if text.text.is_empty() || text.text.contains("://") => None,
        key if PATHS.contains(&key) => Some(OwnFileKind::Any),
        key if LOCALE_PATHS.contains(&key) => Some(OwnFileKind::PerLocale),
        key if COMMANDS.contains(&key) => Some(OwnFileKind::File),
        key if text.table == OPTIONS && OPTION_PATHS.iter().any(|end| key.ends_with(end)) => {
            Some(OwnFileKind::File)
        }
        _ => None,
    }
}

/// A pattern whose folders before the language are real paths.
fn real_base(pattern: &Path) -> PathBuf {
    let mut base = PathBuf::new();
    let mut parts = pattern.components();
    let mut rest = PathBuf::new();
    for part in parts.by_ref() {
        if part.as_os_str().to_string_lossy().contains(LANG) {
            rest.push(part);
            break;
        }
        base.push(part);
    }
    rest.extend(parts);
    real_path(&base).join(rest)
}

/// Matches a path against a pattern, with any language in place of `{lang}`.
fn fits(pattern: &Path, path: &Path) -> bool {
    let mut parts = path.components();
    for wanted in pattern.components() {
        let Some(part) = parts.next() else {
            return false;
        };
        let wanted = wanted.as_os_str().to_string_lossy();
        let part = part.as_os_str().to_string_lossy();
        let fits = match wanted.split_once(LANG) {
            None => wanted == part,
            Some((before, after)) => {
                let language = part
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(after));
                language.is_some_and(|language| Locale::parse(language).is_ok())
            }
        };
        if !fits {
            return false;
        }
    }
    parts.next().is_none()
}
