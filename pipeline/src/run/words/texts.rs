//! The words of one locale for the texts of a site, as translating left them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::remarks::Remarks;
use super::translation_table::TranslationTable;
use super::word_counts::{WordsBySource, number};
use crate::model::{Locale, SegmentKey};
use crate::page::CodedText;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::pages::spoken::SpokenText;
use crate::translate::{Terms, TranslationOrigin};

/// The words of one locale, by index of the text; cheap to clone.
#[derive(Clone)]
pub(crate) struct LocaleTexts {
    pub(crate) locale: Locale,
    pub(crate) settled: Arc<TranslationTable>,
    /// Texts without words for which no engine answered: it failed, could not start, was stopped by a budget, or was not
    /// asked in this run. A locale for which no engine is configured has none.
    pub(crate) unanswered: TextSet,
    /// Texts about which there is something to say, or to ask engines in the next build.
    pub(in crate::run) notable: Arc<TextSet>,
    /// Texts for which a person's words wait: they are refused, outdated or fuzzy.
    pub(in crate::run) to_review: Arc<TextSet>,
    /// What was noticed in them, where somebody looked.
    pub(in crate::run) remarks: Option<Arc<Remarks>>,
    /// The terms that they were translated with.
    pub(in crate::run) terms: Arc<Terms>,
    /// The texts that people translated and that are gone.
    pub(in crate::run) vanished: Arc<BTreeSet<SegmentKey>>,
    /// Whether an engine offers the locale, or might if it could be started.
    pub(crate) has_engine: bool,
    /// People's words for texts that stand on no page: scripts may put them in.
    pub(in crate::run) elsewhere: Arc<Vec<(String, String)>>,
}

impl LocaleTexts {
    /// What is known of a locale's words when nobody is asked.
    pub(crate) fn known(locale: Locale, settled: TranslationTable) -> Self {
        let settled = settled.into();
        let unanswered = TextSet::default();
        let elsewhere = Arc::default();
        let notable = Arc::default();
        let to_review = Arc::default();
        let remarks = None;
        let terms = Arc::default();
        let vanished = Arc::default();
        Self {
            locale,
            settled,
            unanswered,
            notable,
            to_review,
            remarks,
            terms,
            vanished,
            has_engine: false,
            elsewhere,
        }
    }

    /// The words for a text; nothing where the source text stands in.
    pub(crate) fn text(&self, index: u32) -> Option<CodedText> {
        self.settled.text(usize::try_from(index).ok()?)
    }

    /// Number of different texts among these that wait for a person.
    pub(in crate::run) fn to_review_on(&self, indices: &[u32]) -> u64 {
        let mut waiting = BTreeSet::new();
        for &index in indices {
            if usize::try_from(index).is_ok_and(|index| self.to_review.contains(index)) {
                waiting.insert(index);
            }
        }
        number(waiting.len())
    }

    /// The text of a place that has this text.
    pub(in crate::run) fn spoken(&self, index: u32) -> SpokenText<'static> {
        match self.text(index) {
            Some(text) => SpokenText::Words(Cow::Owned(text)),
            None => {
                let origin = usize::try_from(index)
                    .ok()
                    .and_then(|index| self.settled.origin(index));
                SpokenText::without_words(origin.unwrap_or(&TranslationOrigin::None))
            }
        }
    }

    /// Fingerprint of the words of a page, in their order.
    pub(in crate::run) fn print(&self, page: &[u32]) -> u32 {
        let mut hasher = blake3::Hasher::new();
        for text in page.iter().filter_map(|&index| self.text(index)) {
            hasher.update(text.to_markup().as_bytes()).update(&[0]);
        }
        hasher
            .finalize()
            .as_bytes()
            .first_chunk()
            .map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Words of a page by origin.
    pub(crate) fn words(&self, corpus: &Corpus, page: &[u32]) -> WordsBySource {
        let indices = page.iter().filter_map(|&index| usize::try_from(index).ok());
        WordsBySource::of(
            indices.filter_map(|index| {
                Some((corpus.texts.words(index)?, self.settled.origin(index)?))
            }),
        )
    }

    /// Whether no engine answered to one of a page's texts.
    pub(in crate::run) fn lacks_answer(&self, page: &[u32]) -> bool {
        page.iter()
            .any(|&index| usize::try_from(index).is_ok_and(|index| self.unanswered.contains(index)))
    }
}
