//! The bytes of files that take the place of others in a language: pages may load them with `integrity`.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::addresses::OtherFile;
use crate::model::{Locale, PagePath};

/// The bytes of files that take the place of others.
#[derive(Debug, Default)]
pub(super) struct OtherFiles {
    pub(super) of_languages: BTreeMap<(Locale, PagePath), Bytes>,
    pub(super) of_source: BTreeMap<PagePath, Bytes>,
}

impl OtherFiles {
    pub(in crate::run) fn get(&self, locale: &Locale, file: &OtherFile) -> Option<&[u8]> {
        let found = match file {
            OtherFile::OfLanguage(path) => self.of_languages.get(&(locale.clone(), path.clone())),
            OtherFile::OfSource(path) => self.of_source.get(path),
        };
        found.map(|bytes| &**bytes)
    }
}
