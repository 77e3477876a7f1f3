//! Resolution of a text before any engine is asked: people first, then the memory.

use super::people::People;
use crate::model::Locale;
use crate::page::Segment;
use crate::translate::{Remembered, ResolvedText, Terms, settle};

/// Settles a text with the words that a locale has before any engine is asked; `route` is the fingerprint of the
/// engines that would be asked. A text that consists of names stays as it is.
pub(crate) fn resolve_without_engine(
    segment: &Segment,
    locale: &Locale,
    people: &People,
    remembered: Option<&Remembered>,
    (route, terms): (&str, &Terms),
) -> ResolvedText {
    if is_filtered(segment, locale) {
        return ResolvedText::untouched();
    }
    if people.catalogue().is_rejected(segment) {
        return ResolvedText::rejected();
    }
    if terms.is_kept_whole(segment) && people.words(segment).is_none() {
        return ResolvedText::untouched();
    }
    // A refusal says nothing about other engines than those that were asked.
    let remembered = remembered.filter(|memory| memory.refused.is_none() || memory.engine == route);
    settle(
        segment,
        |segment| people.words(segment),
        |_| remembered.cloned(),
        |_| None,
    )
}

/// True if a text is left out in a locale.
pub(super) fn is_filtered(segment: &Segment, locale: &Locale) -> bool {
    segment
        .filter
        .as_ref()
        .is_some_and(|filter| !filter.admits(locale))
}
