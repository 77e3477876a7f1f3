//! Pages of a source that are not in its language stay as they are, unless there are too many of them to be believed.

use std::collections::BTreeMap;

use super::named::named;
use crate::model::{Locale, PagePath};
use crate::page::Segment;
use crate::text::MOST_ELSEWHERE as MOST;

/// A page that is in another language, and its texts, until it is known how many of them there are.
pub(super) struct Other {
    pub(super) path: PagePath,
    pub(super) language: Locale,
    pub(super) segments: Vec<Segment>,
    pub(super) found: Vec<Segment>,
}

/// The notice about such pages, which nobody said should be kept.
pub(super) fn notice(others: &[Other]) -> String {
    let mut counts: BTreeMap<&Locale, usize> = BTreeMap::new();
    for other in others {
        *counts.entry(&other.language).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(language, count)| format!("{count} in {language}")).collect();
    format!(
        "pages in another language than the source, by their lang and their words, are published once, as they are ({}): {}; name \
         them in `keep` to say so",
        counts.join(", "),
        names(others)
    )
}

/// The notice about pages that are too many.
pub(super) fn notice_of_mistake(others: &[Other], source: &Locale) -> String {
    format!(
        "more than {MOST} % of the pages say that they are in another language and read like it; they are translated from {source} all \
         the same, because `source_locale` says so: {}; name them in `keep` to have them published as they are",
        names(others)
    )
}

fn names(others: &[Other]) -> String {
    let pages: Vec<String> = others.iter().map(|other| format!("{} ({})", other.path, other.language)).collect();
    named(&pages)
}
