//! Files of people's words as they could be read for the last time.
//!
//! A file that somebody broke, such as by a merge with conflicts, then stops neither its own language nor others.

use super::tables::{WORD_FILE_PRINTS, WORD_FILES};
use super::{State, StateError};
use crate::model::{Locale, SiteId};

impl State {
    /// Bytes of a locale's file of translations as they could be read for the last time; `None` if nothing was kept.
    pub fn word_file(&self, site: &SiteId, locale: &Locale) -> Result<Option<Vec<u8>>, StateError> {
        self.read("read translations from", |transaction| {
            let table = transaction.open_table(WORD_FILES)?;
            let row = table.get((site.as_str(), locale.as_str()))?;
            Ok(row.map(|row| row.value().to_vec()))
        })
    }

    /// Fingerprint of these bytes.
    pub fn word_file_print(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<Option<[u8; 32]>, StateError> {
        self.read("read translations from", |transaction| {
            let table = transaction.open_table(WORD_FILE_PRINTS)?;
            let row = table.get((site.as_str(), locale.as_str()))?;
            Ok(row.map(|row| *row.value()))
        })
    }

    /// Keeps the bytes of a file that can be read.
    pub fn keep_word_file(
        &self,
        site: &SiteId,
        locale: &Locale,
        bytes: &[u8],
    ) -> Result<(), StateError> {
        let key = (site.as_str(), locale.as_str());
        self.write("keep translations in", |transaction| {
            transaction.open_table(WORD_FILES)?.insert(key, bytes)?;
            let print = blake3::hash(bytes);
            transaction
                .open_table(WORD_FILE_PRINTS)?
                .insert(key, print.as_bytes())?;
            Ok(())
        })
    }
}
