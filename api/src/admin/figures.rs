//! Figures for people: shares of a language, prices, parts of a list.

use serde_json::{Value, json};

use super::visit::query;
use crate::control::operations::percent;

/// Rows of a list on one screen.
pub(super) const AT_ONCE: u64 = 100;

/// Words of a language by who translated them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LanguageWords {
    pub(super) people: u64,
    pub(super) machine: u64,
    pub(super) untranslated: u64,
}

impl LanguageWords {
    /// The words of a language or page as the API names them.
    pub(super) fn of(language: &Value) -> Self {
        let words = &language["words"];
        Self {
            people: words["people"].as_u64().unwrap_or_default(),
            machine: words["machine"].as_u64().unwrap_or_default(),
            untranslated: words["untranslated"].as_u64().unwrap_or_default(),
        }
    }

    /// The words of an explained page, which the API tells apart by source.
    pub(super) fn of_explained(language: &Value) -> Self {
        let words = &language["words"];
        let memory = words["memory"].as_u64().unwrap_or_default();
        let engine = words["engine"].as_u64().unwrap_or_default();
        Self {
            people: words["person"].as_u64().unwrap_or_default(),
            machine: memory + engine,
            untranslated: words["untranslated"].as_u64().unwrap_or_default(),
        }
    }
}

/// Shares of people and engines in percent, and the number of texts to review. Null without words.
pub(super) fn shares(words: LanguageWords, to_review: &Value) -> Value {
    let all = words.people + words.machine + words.untranslated;
    if all == 0 {
        return Value::Null;
    }
    json!({
        "people": percent(words.people, all).to_string(),
        "machine": percent(words.machine, all).to_string(),
        "review": to_review,
    })
}

/// Adds its shares to each language of a site, with the address of the texts to review.
pub(super) fn add_shares(site: &mut Value) {
    let id = site["siteId"].as_str().unwrap_or_default().to_owned();
    for locale in site["locales"].as_array_mut().into_iter().flatten() {
        let mut found = shares(LanguageWords::of(locale), &locale["toReview"]);
        if !found.is_null() {
            let lang = locale["targetLang"].as_str().unwrap_or_default();
            found["texts"] = texts_at(&id, &[("lang", lang), ("state", "review")]).into();
        }
        locale["shares"] = found;
    }
}

/// Number of edits in all languages that readers do not get yet.
pub(super) fn unpublished_edits(about: &Value) -> u64 {
    let locales = about["locales"].as_array().into_iter().flatten();
    let edits = locales.filter_map(|locale| locale["editsToPublish"].as_u64());
    edits.sum()
}

/// Address of a list of texts.
pub(super) fn texts_at(site: &str, asked: &[(&str, &str)]) -> String {
    format!("/sites/{site}/texts?{}", query(asked))
}

/// A price with two digits after the point.
pub(super) fn price(price: f64) -> String {
    format!("{price:.2}")
}

/// Adds the neighbours of a part of a list to the data of a screen.
pub(super) fn add_paging(data: &mut Value, offset: u64, total: u64) {
    data["before"] = (offset > 0).into();
    data["before_offset"] = offset.saturating_sub(AT_ONCE).into();
    data["next"] = (offset + AT_ONCE < total).into();
    data["next_offset"] = (offset + AT_ONCE).into();
}
