//! Files of which each locale has its own: a path with the language in it, or a folder.

use std::fmt;
use std::path::{Path, PathBuf};

use super::ConfigError;
use super::keys::LANG;
use super::reader::ConfigField;
use crate::model::Locale;

/// One file per locale: a path with `{lang}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleFile {
    pattern: String,
    folder: PathBuf,
}

impl LocaleFile {
    pub(super) fn read(field: &ConfigField<'_>) -> Result<Self, ConfigError> {
        let pattern = field.path_text()?;
        if !pattern.contains(LANG) {
            return Err(field.must_be(&format!("a path with {LANG} in it, one file per locale")));
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            folder: field.folder().to_path_buf(),
        })
    }

    /// The file of this locale.
    pub fn path(&self, locale: &Locale) -> PathBuf {
        self.folder
            .join(self.pattern.replace(LANG, locale.as_str()))
    }
}

/// A folder of files for one language.
#[derive(Clone, PartialEq, Eq)]
pub struct LocaleFolder {
    path: PathBuf,
    named_at: String,
}

impl LocaleFolder {
    pub(super) fn read(field: &ConfigField<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            path: field.path()?,
            named_at: field.error(String::new()).place_in_file(),
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// File and line of the configuration that name it.
    pub fn named_at(&self) -> &str {
        &self.named_at
    }
}

/// Settings are compared by what they print, and a line that moves in the file changes nothing.
impl fmt::Debug for LocaleFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(formatter)
    }
}
