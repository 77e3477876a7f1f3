//! `meta.languages.list`: languages to choose from, with their names. Sites may have others.

use std::sync::LazyLock;

use pipeline::model::Locale;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::http::error::ApiError;

/// Languages that are written on the web, and the variants of them that are translated apart.
const TAGS: &str = "af am ar ar-EG as az be bg bn br bs ca cs cy da de de-AT de-CH el en en-AU en-CA en-GB en-US eo es \
                    es-419 es-ES es-MX et eu fa fi fil fo fr fr-BE fr-CA fr-CH fy ga gd gl gu ha he hi hr hsb hu hy \
                    ia id ig is it ja jv ka kk km kn ko ku ky lb lo lt lv mi mk ml mn mr ms mt my nb ne nl nl-BE \
                    nn no oc or pa pl ps pt pt-BR pt-PT qu rm ro ru rw sa sc sd si sk sl so sq sr sr-Latn su sv sw ta \
                    te tg th ti tk tr tt ug uk ur uz vi wo xh yo yue zh-HK zh-Hans zh-Hant zh-TW zu";

/// Languages with their names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LanguageList")]
struct Answer {
    languages: Vec<Language>,
}

/// A language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Language {
    tag: String,
    english_name: String,
    native_name: String,
    #[schemars(extend("enum" = ["ltr", "rtl"]))]
    direction: &'static str,
}

/// Names never change while the process runs.
static ANSWER: LazyLock<Answer> = LazyLock::new(|| Answer {
    languages: TAGS.split(' ').filter_map(language).collect(),
});

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    Reply::ok(&*ANSWER)
}

fn language(tag: &str) -> Option<Language> {
    let locale = Locale::parse(tag).ok()?;
    Some(Language {
        english_name: locale.english_name(),
        native_name: locale.own_name(),
        direction: locale.direction().as_str(),
        tag: locale.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_written_as_its_tag_is_and_has_names() {
        let tags: Vec<_> = ANSWER
            .languages
            .iter()
            .map(|language| language.tag.as_str())
            .collect();
        assert_eq!(tags.join(" "), TAGS);
        assert!(tags.is_sorted() && tags.len() > 100, "{}", tags.len());
        let named = |language: &&Language| {
            language.english_name != language.tag && language.native_name != language.tag
        };
        let nameless: Vec<_> = ANSWER
            .languages
            .iter()
            .filter(|language| !named(language))
            .collect();
        assert!(nameless.is_empty(), "{nameless:?}");
    }
}
