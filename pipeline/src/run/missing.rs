//! Texts without a translation.

use super::error::RunError;
use super::extract::Corpus;
use super::settled_table::SettledTable;
use crate::model::Locale;
use crate::text::{addresses, excerpt, without};
use crate::translate::Origin;

/// Texts without a translation.
pub(super) fn missing(settled: &SettledTable) -> impl Iterator<Item = usize> {
    settled.origins().enumerate().filter(|(_, origin)| **origin == Origin::None).map(|(index, _)| index)
}

/// True for a text with more than addresses and numbers, which are not translated.
fn says_something(text: &str) -> bool {
    without(text, addresses(text)).chars().any(char::is_alphabetic)
}

/// Refuses a frozen build if a locale lacks translations.
pub(super) fn refuse_missing<'a>(
    corpus: &Corpus,
    locales: impl Iterator<Item = (&'a Locale, &'a SettledTable)>,
) -> Result<(), RunError> {
    let mut texts = Vec::new();
    for (locale, settled) in locales {
        for text in missing(settled).filter_map(|index| corpus.texts.get(index)) {
            if says_something(text.segment.text.text()) {
                texts.push((locale.clone(), excerpt(&text.segment.text.to_markup()).into_owned()));
            }
        }
    }
    if texts.is_empty() { Ok(()) } else { Err(RunError::Frozen { missing: texts }) }
}
