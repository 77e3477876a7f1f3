//! Texts to translate, and the pages on which they stand.

use std::sync::Arc;

use super::parts::TextParts;
use crate::engines::Context;
use crate::page::Segment;

/// Hash of the set of pages on which a text stands: texts of the same pages have the same hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageSet(u64);

impl PageSet {
    /// Adds a page to the set, by its number.
    #[must_use]
    pub fn with(self, page: usize) -> Self {
        let number = u64::try_from(page).unwrap_or(u64::MAX).wrapping_add(1);
        // The SplitMix64 finalizer spreads the numbers, and a sum does not depend on their order.
        let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(self.0.wrapping_add(mixed ^ (mixed >> 31)))
    }
}

/// Texts to translate.
#[derive(Clone, Copy)]
pub struct WantedTexts<'a> {
    pub(super) segments: &'a [Segment],
    /// One set for each text; empty if all are of one page.
    pub(super) pages: &'a [PageSet],
    /// Context of each text; empty if it is unknown.
    pub(super) contexts: &'a [Option<Arc<Context>>],
}

impl<'a> WantedTexts<'a> {
    /// Texts of several pages, each with the pages on which it stands.
    pub fn of_pages(segments: &'a [Segment], pages: &'a [PageSet]) -> Self {
        Self {
            segments,
            pages,
            contexts: &[],
        }
    }

    /// The same texts, each with its context.
    #[must_use]
    pub fn with_contexts(self, contexts: &'a [Option<Arc<Context>>]) -> Self {
        Self { contexts, ..self }
    }
}

impl<'a> From<&'a [Segment]> for WantedTexts<'a> {
    fn from(segments: &'a [Segment]) -> Self {
        Self {
            segments,
            pages: &[],
            contexts: &[],
        }
    }
}

impl<'a> From<&'a Vec<Segment>> for WantedTexts<'a> {
    fn from(segments: &'a Vec<Segment>) -> Self {
        Self::from(segments.as_slice())
    }
}

impl<'a, const COUNT: usize> From<&'a [Segment; COUNT]> for WantedTexts<'a> {
    fn from(segments: &'a [Segment; COUNT]) -> Self {
        Self::from(segments.as_slice())
    }
}

/// Texts and parts of texts as engines are asked for them.
#[derive(Clone, Copy)]
pub(super) struct AskTexts<'a> {
    pub(super) segments: &'a [Segment],
    pub(super) parts: Option<&'a TextParts>,
    /// Pages of whole texts.
    pub(super) pages: &'a [PageSet],
    /// Context of whole texts.
    pub(super) contexts: &'a [Option<Arc<Context>>],
}

impl AskTexts<'_> {
    /// The pages on which a text, or the text of a part, stands.
    pub(super) fn pages_of(&self, index: usize) -> PageSet {
        let whole = self.parts.map_or(index, |parts| parts.whole(index));
        self.pages.get(whole).copied().unwrap_or_default()
    }

    /// Context of a text. A part gets the title and the heading of its text.
    pub(super) fn context_of(&self, index: usize) -> Option<Arc<Context>> {
        let whole = self.parts.map_or(index, |parts| parts.whole(index));
        let context = self.contexts.get(whole)?.as_ref()?;
        if whole == index {
            Some(Arc::clone(context))
        } else {
            Some(Arc::new(context.above()))
        }
    }
}
