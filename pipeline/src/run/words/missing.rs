//! Texts without a translation.

use super::translation_table::TranslationTable;
use crate::model::{LanguagePair, Locale};
use crate::page::Segment;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::error::BuildError;
use crate::run::memory::recall::LOOKED_UP_TOGETHER;
use crate::text::{addresses, excerpt, without};
use crate::translate::{Chain, ResolvedText, TranslationOrigin};

/// Texts without a translation.
pub(in crate::run) fn missing(settled: &TranslationTable) -> impl Iterator<Item = usize> {
    settled
        .origins()
        .enumerate()
        .filter(|(_, origin)| **origin == TranslationOrigin::None)
        .map(|(index, _)| index)
}

/// Marks texts without a translation that no engine is ever asked for, such as template variables. Those in `asked` are left to
/// the engines of this run, which find out the same.
///
/// Without it, a page of such texts alone counts as untranslated in each build that does not ask engines for its language.
pub(super) fn leave_untouched(
    corpus: &Corpus,
    chain: &Chain,
    pair: LanguagePair<&Locale>,
    settled: &mut TranslationTable,
    asked: &TextSet,
) {
    let unasked: TextSet = missing(settled)
        .filter(|index| !asked.contains(*index))
        .collect();
    for slice in unasked.slices(LOOKED_UP_TOGETHER) {
        let texts = slice
            .into_iter()
            .filter_map(|index| Some((index, corpus.texts.get(index)?.segment)));
        let (indices, segments): (Vec<usize>, Vec<Segment>) = texts.unzip();
        for index in chain
            .untouched(pair, &segments)
            .into_iter()
            .filter_map(|at| indices.get(at))
        {
            if let Some(place) = settled.get(*index) {
                settled.set(
                    *index,
                    ResolvedText {
                        origin: TranslationOrigin::Untouched,
                        ..place
                    },
                );
            }
        }
    }
}

/// True for a text with more than addresses and numbers, which are not translated.
fn says_something(text: &str) -> bool {
    without(text, addresses(text))
        .chars()
        .any(char::is_alphabetic)
}

/// Refuses a frozen build if a locale lacks translations.
pub(super) fn refuse_missing<'a>(
    corpus: &Corpus,
    locales: impl Iterator<Item = (&'a Locale, &'a TranslationTable)>,
) -> Result<(), BuildError> {
    let mut texts = Vec::new();
    for (locale, settled) in locales {
        for text in missing(settled).filter_map(|index| corpus.texts.get(index)) {
            if says_something(text.segment.text.text()) {
                texts.push((
                    locale.clone(),
                    excerpt(&text.segment.text.to_markup()).into_owned(),
                ));
            }
        }
    }
    if texts.is_empty() {
        Ok(())
    } else {
        Err(BuildError::Frozen { missing: texts })
    }
}
