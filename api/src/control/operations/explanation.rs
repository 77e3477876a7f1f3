//! `sites.explanation.get`: where the texts of a page come from in its languages, and why some are in the source language.

use std::sync::{Arc, LazyLock};

use pipeline::inspect::{self, Explained, PageStanding, TextOrigin};
use pipeline::model::{Locale, PagePath, RenderCause, SiteId};
use pipeline::run::{BuildError, WordsBySource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;
use crate::public::locate::Located;

/// Which page, and what to look for in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Query {
    /// The page: its public address in any language, its address at its source, or its path.
    #[schemars(length(min = 1, max = 2048))]
    page: String,
    /// What to look for in the page's texts and their translations, in any case; all of them without it.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    text: Option<String>,
    /// The language, where the address does not say it; all languages of the site without it.
    #[serde(default)]
    #[schemars(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    target_lang: Option<String>,
}

/// Where the texts of a page come from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Explanation")]
struct Answer {
    site_id: String,
    /// The page's path in the source.
    path: String,
    /// Why there are no texts to tell of.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
    /// What else holds for the page in every language, as sentences.
    notes: Vec<String>,
    languages: Vec<InLanguage>,
    /// The texts that no language translates, and that browsers show.
    kept: Vec<Kept>,
}

/// Why a path has no texts to tell of.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NoExplanation")]
struct Why {
    #[schemars(extend("enum" = ["excluded", "file", "source_missing"]))]
    code: &'static str,
    message: String,
}

/// A page in a language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ExplainedLanguage")]
struct InLanguage {
    target_lang: String,
    standing: StandingWord,
    /// Whether the newest deployment has the page in this language.
    published: bool,
    /// Where that is an older version, because the new one could not be made: the number of the deployment in which it was
    /// up to date for the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_since: Option<u64>,
    /// Why the published version was rendered, where that is known; a build carries it over as long as nothing changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = RenderCause::ALL.map(RenderCause::code)))]
    rendered_because: Option<&'static str>,
    /// The share of the page's words that is translated.
    #[schemars(range(min = 0, max = 1))]
    translated: f64,
    /// The share that the site wants.
    #[schemars(range(min = 0, max = 1))]
    min_translated: f64,
    words: WordCounts,
    /// Different texts for which a person's words wait: they are refused, outdated or marked as fuzzy.
    to_review: usize,
    /// In the order in which they stand.
    texts: Vec<Text>,
    /// What would translate the texts that nobody has words for.
    hints: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ExplainedStanding")]
enum StandingWord {
    /// Enough of the page is translated.
    Translated,
    /// Less of it is translated than the site wants.
    TooLittle,
    /// The language is switched off.
    Off,
}

/// Words by where their translation comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ExplainedWords")]
struct WordCounts {
    person: usize,
    memory: usize,
    engine: usize,
    untranslated: usize,
    untouched: usize,
}

/// Where a text comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ExplainedText")]
struct Text {
    /// The source text, with inline codes.
    source: String,
    /// What stands there instead; absent where the source text does.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// The element or attribute it stands in.
    place: String,
    origin: OriginWord,
    /// The name of the file with a person's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The text that a person translated, where the words are carried from one of the same wording.
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_from: Option<String>,
    /// Words of a person that are not published: they are for a similar text, or marked as fuzzy.
    #[serde(skip_serializing_if = "Option::is_none")]
    outdated: Option<Outdated>,
    /// True if a person's words for the text wait: they are refused, outdated or marked as fuzzy.
    to_review: bool,
    /// The engine that made it, with its version and model.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<String>,
    /// What was refused on the way.
    refused: Vec<String>,
    /// Names of the site in this text that are not translated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ExplainedOrigin")]
enum OriginWord {
    /// A person wrote it.
    Person,
    /// An engine made it, in an earlier run.
    Memory,
    /// There is no word in it.
    Untouched,
    /// Its element is not there in this language.
    LeftOut,
    /// What a person or an engine gave was refused.
    Refused,
    /// Nobody has words for it.
    None,
}

/// A translation whose source text changed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OutdatedTranslation")]
struct Outdated {
    source: String,
    target: String,
}

/// A text of the page that no language translates.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "KeptText")]
struct Kept {
    text: String,
    element: String,
    /// What keeps it as it is.
    rule: String,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let query = QUERY.query(call.query.as_deref())?;
    let site = call.site()?;
    let (page, locales) = call.meant(&query)?;
    let of = Arc::clone(site);
    let explained = call.reading(move |runtime, stores, options| {
        runtime.block_on(inspect::explain(&of, stores, options, &page.page, &locales))
    });
    let explained = explained.await?.map_err(|error| match error {
        BuildError::NothingStored => ApiError::NotPublished,
        error => error.into(),
    })?;
    if let Some(why) = explained.why() {
        let why = Why {
            code: why.code,
            message: why.text,
        };
        return Reply::ok(&Answer::without_texts(&site.id, explained.path(), why));
    }
    let Explained::Page(mut explanation) = explained else {
        return Err(ApiError::PageNotFound);
    };
    explanation.select(query.text.as_deref());
    Reply::ok(&Answer::of(*explanation))
}

impl Call<'_> {
    /// The page that is asked for, and the languages.
    fn meant(&self, query: &Query) -> Result<(Located, Vec<Locale>), ApiError> {
        let site = self.site()?;
        let located = self.app.snapshot().meant(site, &query.page);
        // What cannot be an address of the site is none of its pages.
        let located = located.map_err(|_| ApiError::PageNotFound)?;
        let named = query
            .target_lang
            .as_deref()
            .map(|tag| Locale::parse(tag).map_err(|_| ApiError::LocaleNotFound));
        let locales = match named.transpose()?.or_else(|| located.locale.clone()) {
            Some(locale) if site.locales.contains(&locale) => vec![locale],
            Some(_) => return Err(ApiError::LocaleNotFound),
            None => site.locales.clone(),
        };
        Ok((located, locales))
    }
}

impl Answer {
    fn without_texts(site: &SiteId, path: &PagePath, why: Why) -> Self {
        let notes = Vec::new();
        let languages = Vec::new();
        let kept = Vec::new();
        Self {
            site_id: site.to_string(),
            path: path.to_string(),
            why: Some(why),
            notes,
            languages,
            kept,
        }
    }

    fn of(explanation: inspect::Explanation) -> Self {
        let kept = explanation.kept.into_iter();
        Self {
            site_id: explanation.site.to_string(),
            path: explanation.page.to_string(),
            why: None,
            notes: explanation.notes,
            languages: explanation
                .locales
                .into_iter()
                .map(InLanguage::of)
                .collect(),
            kept: kept
                .map(|kept| Kept {
                    text: kept.text,
                    element: kept.element,
                    rule: kept.rule,
                })
                .collect(),
        }
    }
}

impl InLanguage {
    fn of(locale: inspect::PageInLocale) -> Self {
        let WordsBySource {
            person,
            memory,
            engine,
            untranslated,
            untouched,
        } = locale.words;
        // What an engine says of itself may name files of this machine.
        let hint = match locale.is_offered {
            true => "the next build asks an engine for it",
            false => {
                "no engine of this site takes the language; `latimer doctor` on the server says why"
            }
        };
        Self {
            target_lang: locale.locale.to_string(),
            standing: match locale.standing {
                PageStanding::Translated => StandingWord::Translated,
                PageStanding::TooLittle => StandingWord::TooLittle,
                PageStanding::Off => StandingWord::Off,
            },
            published: locale.published,
            kept_since: locale.kept_since,
            rendered_because: locale.rendered_because.map(RenderCause::code),
            translated: locale.share,
            min_translated: locale.min_translated,
            words: WordCounts {
                person,
                memory,
                engine,
                untranslated,
                untouched,
            },
            to_review: locale.to_review(),
            texts: locale.texts.into_iter().map(Text::of).collect(),
            hints: if locale.hints.is_empty() {
                Vec::new()
            } else {
                vec![hint]
            },
        }
    }
}

impl Text {
    fn of(text: inspect::TextSource) -> Self {
        Self {
            source: text.source,
            target: text.target,
            place: text.place,
            origin: match text.origin {
                TextOrigin::Person => OriginWord::Person,
                TextOrigin::Memory => OriginWord::Memory,
                TextOrigin::Untouched => OriginWord::Untouched,
                TextOrigin::LeftOut => OriginWord::LeftOut,
                TextOrigin::Refused => OriginWord::Refused,
                TextOrigin::None => OriginWord::None,
            },
            // Where on the server it lies is nobody's business.
            file: text
                .file
                .and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned())),
            line: text.line,
            carried_from: text.carried_from,
            to_review: text.to_review,
            outdated: text.outdated.map(|text| Outdated {
                source: text.source,
                target: text.target,
            }),
            engine: text.engine,
            refused: text.refused,
            names: text.names,
        }
    }
}
