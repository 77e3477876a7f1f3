//! `locales.translations.export`: a file for translators, with everything that is translated already kept.

use std::sync::{Arc, LazyLock};

use pipeline::inspect::{self, Untranslated};
use pipeline::run::BuildError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Whether texts that nobody translated hold what engines made of them, marked as fuzzy.
    #[serde(default)]
    prefill: Option<Prefill>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Prefill {
    True,
    False,
}

/// A file for translators.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "TranslationFile")]
struct Answer {
    site_id: String,
    target_lang: String,
    #[schemars(extend("enum" = ["po"]))]
    format: &'static str,
    /// The file, as UTF-8.
    content: String,
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
    let locale = call.locale()?;
    let untranslated = match query.prefill {
        Some(Prefill::True) => Untranslated::Prefilled,
        Some(Prefill::False) | None => Untranslated::Empty,
    };
    let of = Arc::clone(site);
    let language = locale.clone();
    let content = call.reading(move |runtime, stores, options| {
        // The site's own file, where it has one: what people wrote stays in it.
        let file = of.translations.as_ref().map(|file| file.path(&language));
        let wanted = (&language, file.as_deref());
        runtime.block_on(inspect::export_po(
            &of,
            stores,
            options,
            wanted,
            untranslated,
            &|_| (),
        ))
    });
    let content = content.await?.map_err(|error| match error {
        BuildError::NothingStored => ApiError::NotPublished,
        error => error.into(),
    })?;
    Reply::ok(&Answer {
        site_id: site.id.to_string(),
        target_lang: locale.to_string(),
        format: "po",
        content,
    })
}
