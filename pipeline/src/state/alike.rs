//! Translations by what their texts have in common with those that differ in numbers alone, so that one is found without reading
//! the whole memory.
//!
//! The rows are derived from the memory's and written with them. The ledger of a locale says whether they are complete; a version
//! of Latimer that does not write them does not keep that word either, and then they are made anew.

use super::backend::{WriteTable, WriteTransaction};
use super::fault::StateFault;
use super::tables::ALIKE;
use crate::model::{Locale, SiteId};
use crate::translate::Renumbered;

/// Which translation has which texts in common, while rows are written.
pub(super) struct Alike<'t>(
    WriteTable<'t, (&'static str, &'static str, u64, &'static [u8; 16]), ()>,
);

impl<'t> Alike<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, StateFault> {
        Ok(Self(transaction.open_table(ALIKE)?))
    }

    /// Takes note of the text of a translation, where it holds a number.
    pub(super) fn note(
        &mut self,
        site: &SiteId,
        locale: &Locale,
        key: &[u8; 16],
        source: &str,
    ) -> Result<(), StateFault> {
        if let Some(likeness) = Renumbered::likeness(source) {
            self.0
                .insert((site.as_str(), locale.as_str(), likeness, key), ())?;
        }
        Ok(())
    }
}
