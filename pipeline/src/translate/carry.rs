//! What becomes of people's words when the source changes: a text that the site no longer has is matched with a new one.
//!
//! Words are **carried** to a new text only where the wording is provably the same: it differs in nothing but white
//! space, shapes of quotes and dashes, a final full stop, or numbers of which it is certain where they belong.
//! Similarity never publishes anything ("do" and "do not" are similar): words for a similar text are **outdated**, an
//! offer to the translator.
//!
//! Pure: the same texts give the same matches, whatever their order. One text is matched with one other, the best pair
//! first; of equally good pairs, the one with more pages in common.

mod alike;
mod ending;
mod pairs;
mod similar;

use std::collections::HashSet;

use self::pairs::UnpairedTexts;
pub use self::pairs::{FormerText, Fresh, Match, TranslationFate};
pub(super) use self::similar::Similar;
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// Former texts, to find out of many others which of them could have the words for one of these.
#[derive(Default)]
pub struct Heirs {
    wordings: HashSet<String>,
    similar: Similar,
}

impl Heirs {
    /// Those of some texts.
    pub fn of(formers: &[FormerText]) -> Self {
        let wordings = formers
            .iter()
            .map(|former| alike::wording(&former.source))
            .collect();
        Self {
            wordings,
            similar: Similar::to(formers.iter().map(|former| &former.source)),
        }
    }

    /// Whether a text could be one, of whatever kind it is: [`matches()`] pairs no other.
    pub fn may_include(&self, text: &CodedText) -> bool {
        self.wordings.contains(&alike::wording(text)) || self.similar.has(text)
    }
}

/// Matches former texts with new ones; the result is in the order of the new texts.
pub fn matches(formers: &[FormerText], fresh: &[Fresh], pair: LanguagePair<&Locale>) -> Vec<Match> {
    let mut open = UnpairedTexts::new(formers, fresh);
    let mut found = alike::carried(&mut open, pair);
    found.extend(similar::outdated(&mut open));
    found.sort_by_key(|found| found.fresh);
    found
}

#[cfg(test)]
mod tests;
