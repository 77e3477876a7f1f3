//! What a site is to be, as callers say it.

use pipeline::config::SiteSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a site is to be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteSettings")]
pub(super) struct Settings {
    /// The address from which the source is crawled.
    #[schemars(
        length(max = 2048),
        pattern("^https?://[^\\s/?#@\\\\]+(/[^\\s?#\\\\]*)?$")
    )]
    source_url: String,
    /// The language of the source.
    #[schemars(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    source_locale: String,
    /// The languages wanted.
    #[schemars(
        length(min = 1, max = 200),
        inner(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))
    )]
    target_langs: Vec<String>,
    /// Where its languages are found, with `{lang}` in the host or at the end of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 512),
        pattern("^https?://[^\\s?#@\\\\]*\\{lang\\}[^\\s?#@\\\\]*$")
    )]
    url: Option<String>,
    /// Patterns of paths that belong to the site; all do where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), inner(length(min = 1, max = 512)))]
    include: Option<Vec<String>>,
    /// Patterns of paths that do not; the last pattern that fits decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), inner(length(min = 1, max = 512)))]
    exclude: Option<Vec<String>>,
    /// Names of engines of the configuration, in the order in which they are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 100)))]
    engines: Option<Vec<String>>,
    /// What a reader gets for a page that is missing in a language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<MissingWord>,
    /// Share of a page's words that must be translated for the page to exist in a language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    min_translated: Option<f64>,
    /// Most characters that engines may get for the site in a month; it may be lower than the configuration's, never higher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9007199254740991_u64))]
    max_chars_per_month: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MissingPage")]
enum MissingWord {
    Source307,
    Notice,
    NotFound,
    Gone,
}

/// Each word as the configuration file has it.
const MISSING: [(MissingWord, &str); 4] = [
    (MissingWord::Source307, "source307"),
    (MissingWord::Notice, "notice"),
    (MissingWord::NotFound, "not_found"),
    (MissingWord::Gone, "gone"),
];

impl From<Settings> for SiteSettings {
    fn from(settings: Settings) -> Self {
        let word = |word| {
            MISSING
                .iter()
                .find(|(known, _)| *known == word)
                .map(|(_, text)| (*text).to_owned())
        };
        Self {
            source_url: settings.source_url,
            source_locale: settings.source_locale,
            target_langs: settings.target_langs,
            url: settings.url,
            include: settings.include.unwrap_or_default(),
            exclude: settings.exclude.unwrap_or_default(),
            engines: settings.engines.unwrap_or_default(),
            missing: settings.missing.and_then(word),
            min_translated: settings.min_translated,
            max_chars_per_month: settings.max_chars_per_month,
            owner: None,
        }
    }
}

impl From<&SiteSettings> for Settings {
    fn from(settings: &SiteSettings) -> Self {
        let word = |text: &String| {
            MISSING
                .iter()
                .find(|(_, known)| known == text)
                .map(|(word, _)| *word)
        };
        let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
        Self {
            source_url: settings.source_url.clone(),
            source_locale: settings.source_locale.clone(),
            target_langs: settings.target_langs.clone(),
            url: settings.url.clone(),
            include: some(&settings.include),
            exclude: some(&settings.exclude),
            engines: some(&settings.engines),
            missing: settings.missing.as_ref().and_then(word),
            min_translated: settings.min_translated,
            max_chars_per_month: settings.max_chars_per_month,
        }
    }
}
