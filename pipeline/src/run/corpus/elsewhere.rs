//! Pages of a source that are not in its language stay as they are, unless there are too many of them to be believed.

use std::collections::BTreeMap;

use crate::model::{Locale, PagePath};
use crate::page::Segment;
use crate::run::report::named::named;
use crate::text::{MOST_ELSEWHERE as MOST, is_mistake};

/// A page that is in another language, and its texts, until it is known how many of them there are.
pub(in crate::run) struct Other {
    pub(in crate::run) path: PagePath,
    pub(in crate::run) language: Locale,
    /// True if it lies in the folder of that language.
    pub(super) is_in_folder: bool,
    pub(in crate::run) segments: Vec<Segment>,
    pub(in crate::run) found: Vec<Segment>,
}

/// Pages of a source in other languages than its own.
#[derive(Default)]
pub(in crate::run) struct Others {
    sure: Vec<Other>,
    /// Pages in the folder of a language whose words do not tell their own.
    undecided: Vec<Other>,
    /// How many pages in the folder of a locale are in its language, less those that are not.
    surplus: BTreeMap<Locale, i64>,
}

/// Decisions about pages in other languages.
#[derive(Default)]
pub(in crate::run) struct ElsewhereDecisions {
    pub(in crate::run) others: Vec<Other>,
    /// Pages that are in the source's language after all.
    pub(super) mistaken: Vec<Other>,
    pub(in crate::run) notices: Vec<String>,
}

impl Others {
    pub(in crate::run) fn add(&mut self, other: Other, is_undecided: bool) {
        if is_undecided {
            self.undecided.push(other)
        } else {
            self.sure.push(other)
        }
    }

    /// Counts a page in the folder of a locale; `language` is its own, if that is not the source's.
    pub(in crate::run) fn count(&mut self, locale: &Locale, language: Option<&Locale>) {
        let is_own = language.is_some_and(|language| language.same_language(locale));
        *self.surplus.entry(locale.clone()).or_default() += if is_own { 1 } else { -1 };
    }

    /// Decides by folder about pages whose words do not tell, and whether the others are too many of `pages` to be believed. Pages in
    /// the folder of their language always are.
    pub(in crate::run) fn decide(self, source: &Locale, pages: usize) -> ElsewhereDecisions {
        let Self {
            sure,
            undecided,
            surplus,
        } = self;
        let mut decided = ElsewhereDecisions::default();
        for other in undecided {
            let is_translated = surplus
                .get(&other.language)
                .is_some_and(|surplus| *surplus > 0);
            if is_translated {
                decided.others.push(other)
            } else {
                decided.mistaken.push(other)
            }
        }
        let (in_folders, outside): (Vec<Other>, Vec<Other>) =
            sure.into_iter().partition(|other| other.is_in_folder);
        decided.others.extend(in_folders);
        if outside.is_empty() {
            return decided;
        }
        if is_mistake(outside.len(), pages) {
            decided.notices.push(notice_of_mistake(&outside, source));
            decided.mistaken.extend(outside);
        } else {
            decided.others.extend(outside);
        }
        decided
    }
}

/// The notice about pages that stay as they are although nobody said so, with their languages.
pub(in crate::run) fn notice(others: &BTreeMap<&PagePath, &Locale>) -> Option<String> {
    if others.is_empty() {
        return None;
    }
    let mut counts: BTreeMap<&Locale, usize> = BTreeMap::new();
    for language in others.values() {
        *counts.entry(language).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(language, count)| format!("{count} in {language}"))
        .collect();
    let pages: Vec<String> = others
        .iter()
        .map(|(path, language)| format!("{path} ({language})"))
        .collect();
    Some(format!(
        "pages in another language than the source, by their lang and their words, are published once, as they are ({}): {}; name \
         them in `keep` to say so",
        counts.join(", "),
        named(&pages)
    ))
}

/// The notice about pages that are too many.
fn notice_of_mistake(others: &[Other], source: &Locale) -> String {
    let pages: Vec<String> = others
        .iter()
        .map(|other| format!("{} ({})", other.path, other.language))
        .collect();
    format!(
        "more than {MOST} % of the pages say that they are in another language and read like it; they are translated from {source} all \
         the same, because `source_locale` says so: {}; name them in `keep` to have them published as they are",
        named(&pages)
    )
}
