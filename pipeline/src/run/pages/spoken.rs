//! Texts of a page in a locale, by the places of its segments.

use std::borrow::Cow;

use crate::page::CodedText;
use crate::translate::TranslationOrigin;

/// The text of one place of a page in a locale.
#[derive(Clone, Debug)]
pub(in crate::run) enum SpokenText<'t> {
    /// A translation.
    Words(Cow<'t, CodedText>),
    /// The source text, right in every language.
    Source,
    /// The source text, because it is untranslated.
    Untranslated,
}

impl SpokenText<'_> {
    /// The text of a place without a translation.
    pub(in crate::run) fn without_words(origin: &TranslationOrigin) -> Self {
        match origin {
            TranslationOrigin::Refused | TranslationOrigin::None => Self::Untranslated,
            TranslationOrigin::Person
            | TranslationOrigin::Memory(_)
            | TranslationOrigin::Engine(_)
            | TranslationOrigin::Untouched => Self::Source,
        }
    }
}

/// The words of a page in a locale, by the places of its segments.
#[derive(Default)]
pub(in crate::run) struct SpokenPage<'t>(Vec<SpokenText<'t>>);

impl<'t> SpokenPage<'t> {
    pub(in crate::run) fn new(texts: Vec<SpokenText<'t>>) -> Self {
        Self(texts)
    }

    /// The translation of one segment; `None` if the source text is used.
    pub(in crate::run) fn text(&self, place: usize) -> Option<&CodedText> {
        match self.0.get(place)? {
            SpokenText::Words(text) => Some(text),
            SpokenText::Source | SpokenText::Untranslated => None,
        }
    }

    /// True for a segment that nobody translated.
    pub(in crate::run) fn is_untranslated(&self, place: usize) -> bool {
        matches!(self.0.get(place), Some(SpokenText::Untranslated))
    }

    /// All texts of the page, in order.
    pub(in crate::run) fn texts(&self) -> &[SpokenText<'t>] {
        &self.0
    }
}
