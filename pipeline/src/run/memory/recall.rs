//! What the memory has for the texts of a site, those included that differ from what it has in numbers alone.

use std::collections::{BTreeSet, HashMap};

use crate::model::{Locale, SegmentKey};
use crate::page::CodedText;
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::error::BuildError;
use crate::run::memory::store_files;
use crate::run::words::word_files;
use crate::state::State;
use crate::translate::{Remembered, Renumbered};

/// How many texts are looked up in the memory at a time.
pub(crate) const LOOKED_UP_TOGETHER: usize = 1 << 13;

/// Rows of the state for some texts.
pub(crate) async fn recall(
    build: &Build<'_>,
    locale: &Locale,
    keys: Vec<SegmentKey>,
) -> Result<HashMap<SegmentKey, Remembered>, BuildError> {
    let id = build.site.id.clone();
    let tag = locale.clone();
    build
        .stores
        .with_state(move |state| state.recall(&id, &tag, &keys))
        .await
}

/// Rows for some texts with those that the next build will take in: rows of other builders, and of the memory file beside the
/// site.
pub(crate) async fn recall_with_files(
    build: &Build<'_>,
    locale: &Locale,
    keys: Vec<SegmentKey>,
) -> Result<HashMap<SegmentKey, Remembered>, BuildError> {
    let lines = word_files::memory_lines(build, locale)?;
    store_files::take_memory(build, locale).await?;
    let mut memory = recall(build, locale, keys).await?;
    memory.extend(lines.entries());
    Ok(memory)
}

/// Keeps what the memory has for texts of which nothing but numbers changed.
pub(in crate::run) async fn renumber(
    build: &Build<'_>,
    corpus: &Corpus,
    locale: &Locale,
) -> Result<(), BuildError> {
    let mut texts: Vec<(SegmentKey, CodedText)> = Vec::new();
    for start in (0..corpus.texts.len()).step_by(LOOKED_UP_TOGETHER) {
        let indices = start..corpus.texts.len().min(start + LOOKED_UP_TOGETHER);
        // Most texts have no numbers, and need not be looked up for this.
        let numbered = indices
            .filter_map(|index| corpus.texts.get(index))
            .map(|text| (text.key, text.segment.text));
        let numbered: Vec<_> = numbered
            .filter(|(_, text)| Renumbered::concerns(text))
            .collect();
        let keys: Vec<SegmentKey> = numbered.iter().map(|(key, _)| *key).collect();
        let id = build.site.id.clone();
        let tag = locale.clone();
        let lacking: BTreeSet<SegmentKey> = build
            .stores
            .with_state(move |state| state.lacking(&id, &tag, &keys))
            .await?;
        texts.extend(
            numbered
                .into_iter()
                .filter(|(key, _)| lacking.contains(key)),
        );
    }
    corpus.texts.check()?;
    if texts.is_empty() {
        return Ok(());
    }
    let id = build.site.id.clone();
    let tag = locale.clone();
    let keep = move |state: &State| {
        let wanted = texts
            .iter()
            .filter_map(|(_, text)| Renumbered::likeness(&text.to_markup()))
            .collect();
        let all = Renumbered::new(state.recall_alike(&id, &tag, &wanted)?);
        let found: Vec<_> = texts
            .iter()
            .filter_map(|(key, text)| Some((*key, all.find(text)?)))
            .collect();
        state.remember(&id, &tag, &found)
    };
    build.stores.with_state(keep).await
}
