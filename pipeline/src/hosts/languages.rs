//! Sending readers of the home page to their language, at servers that can look at a header but not weigh it.
//!
//! `latimer serve` weighs all languages that a browser names; a pattern sees the first, which is the dearest in what
//! browsers send.

use std::collections::BTreeSet;

use super::facts::HostFacts;
use super::layout::HostSpot;
use crate::model::Locale;

/// What crawlers, and programs that look at pages for others, have in their names.
pub const CRAWLERS: [&str; 9] = [
    "bot",
    "crawl",
    "spider",
    "slurp",
    "archiver",
    "facebookexternalhit",
    "mediapartners",
    "preview",
    "validator",
];

/// Who is sent where, in patterns that all regular expressions know.
pub(super) struct LanguageRule {
    /// What matches a crawler's name, in any case.
    pub(super) crawlers: String,
    /// What matches `Accept-Language` in any case, and the address that it leads to; the first counts.
    pub(super) languages: Vec<(String, String)>,
}

impl LanguageRule {
    /// The rule for the home page of a language; `None` where its readers stay.
    pub(super) fn of(facts: &HostFacts<'_>, spot: &HostSpot<'_>) -> Option<Self> {
        let homes = facts.home_languages();
        if spot.place.locale.is_some() || homes.is_empty() {
            return None;
        }
        let source: &Locale = spot.locale;
        let others = || homes.iter().filter(|(locale, _)| *locale != source);
        let mut languages: Vec<(String, String)> = others()
            .map(|(locale, home)| (first(locale.as_str()), home.clone()))
            .collect();
        let mut taken: BTreeSet<&str> = BTreeSet::from([source.language()]);
        for (locale, home) in others() {
            if taken.insert(locale.language()) {
                languages.push((
                    format!("{}(?:-[0-9A-Za-z-]+)?{END}", first_part(locale.language())),
                    home.clone(),
                ));
            }
        }
        Some(Self {
            crawlers: CRAWLERS.join("|"),
            languages,
        })
    }
}

const END: &str = "(?:[,; ]|$)";

fn first(tag: &str) -> String {
    format!("{}{END}", first_part(tag))
}

fn first_part(tag: &str) -> String {
    format!("^ *{tag}")
}
