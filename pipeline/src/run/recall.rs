//! What the memory has for the texts of a site, those included that differ from what it has in numbers alone.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::context::{Build, blocking};
use super::error::RunError;
use super::extract::Corpus;
use crate::model::{Locale, SegmentKey};
use crate::page::CodedText;
use crate::store::StoreError;
use crate::translate::{Remembered, Renumbered};

impl Build<'_> {
    /// What the memory has for some texts.
    pub(super) async fn recalled(
        &self,
        corpus: &Corpus,
        locale: &Locale,
        indices: Range<usize>,
    ) -> Result<HashMap<SegmentKey, Remembered>, RunError> {
        let keys: Vec<SegmentKey> = indices.filter_map(|index| corpus.texts.key(index)).collect();
        let (state, id, tag) = (self.stores.state.clone(), self.site.id.clone(), locale.clone());
        Ok(blocking(move || state.recall(&id, &tag, &keys)).await??)
    }

    /// Keeps what the memory has for texts of which nothing but numbers changed.
    pub(super) async fn renumber(&self, corpus: &Corpus, locale: &Locale) -> Result<(), RunError> {
        let (state, id, tag) = (self.stores.state.clone(), self.site.id.clone(), locale.clone());
        let keys: Vec<SegmentKey> = corpus.texts.keys().collect();
        let new = blocking(move || state.lacking(&id, &tag, &keys)).await??;
        let text = |index: usize| corpus.texts.get(index).map(|text| (text.key, text.segment.text));
        let texts = new.into_iter().filter_map(text).filter(|(_, text)| Renumbered::concerns(text));
        let texts: Vec<(SegmentKey, CodedText)> = texts.collect();
        if texts.is_empty() {
            return Ok(());
        }
        let (state, id, tag) = (self.stores.state.clone(), self.site.id.clone(), locale.clone());
        blocking(move || -> Result<_, StoreError> {
            let ledger = state.memory_ledger(&id, &tag)?;
            // All rows are read for this, so it is not done twice for the same texts and rows.
            if ledger.without_numbers == Some((hash_of(texts.iter().map(|(key, _)| key)), ledger.changes)) {
                return Ok(());
            }
            let wanted: HashSet<u64> = texts.iter().map(|(_, text)| Renumbered::likeness(&text.to_markup())).collect();
            let all = state.recall_those(&id, &tag, |source| wanted.contains(&Renumbered::likeness(source)))?;
            let all = Renumbered::new(all);
            let found: Vec<_> = texts.iter().filter_map(|(key, text)| Some((*key, all.find(text)?))).collect();
            state.remember(&id, &tag, &found)?;
            let found_keys: BTreeSet<&SegmentKey> = found.iter().map(|(key, _)| key).collect();
            let without = hash_of(texts.iter().map(|(key, _)| key).filter(|key| !found_keys.contains(key)));
            state.change_memory_ledger(&id, &tag, |ledger| ledger.without_numbers = Some((without, ledger.changes)))?;
            Ok(())
        })
        .await?
        .map_err(RunError::from)
    }
}

/// Signs for a list of texts.
fn hash_of<'a>(keys: impl Iterator<Item = &'a SegmentKey>) -> String {
    let mut hasher = blake3::Hasher::new();
    for key in keys {
        hasher.update(key.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
