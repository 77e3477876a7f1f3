//! Files of which each locale has its own: a path with the language in it.

use std::path::PathBuf;

use super::ConfigError;
use super::keys::LANG;
use super::reader::Field;
use crate::model::Locale;

/// One file per locale: a path with `{lang}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleFile {
    pattern: String,
    folder: PathBuf,
}

impl LocaleFile {
    pub(super) fn read(field: &Field<'_>) -> Result<Self, ConfigError> {
        let pattern = field.path_text()?;
        if !pattern.contains(LANG) {
            return Err(field.must_be(&format!("a path with {LANG} in it, one file per locale")));
        }
        Ok(Self { pattern: pattern.to_owned(), folder: field.folder().to_path_buf() })
    }

    /// The file of this locale.
    pub fn path(&self, locale: &Locale) -> PathBuf {
        self.folder.join(self.pattern.replace(LANG, locale.as_str()))
    }
}
