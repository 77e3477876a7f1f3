//! `sites.put` and `sites.delete`: sites that callers add beside those of the configuration file.
//!
//! A site is durable before it is answered, is served and can be run at once, and comes back after a restart. A caller
//! names what the configuration defines; see `pipeline::config::SiteSettings`. Deleting forgets the settings and stops
//! serving; what was translated and published stays in the stores, for the day when a site of that name is put again.

use std::sync::{Arc, LazyLock};

use hyper::StatusCode;
use pipeline::config::{SettingError, SettingFault, SiteSettings};
use pipeline::model::SiteId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Reply, Schemas, sites};
use crate::error::ApiError;
use crate::form::{Form, one};
use crate::sites::PutError;

/// What a site is to be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteSettings")]
pub(super) struct Settings {
    /// The address from which the source is crawled.
    #[schemars(length(max = 2048), pattern("^https?://[^\\s/?#@\\\\]+(/[^\\s?#\\\\]*)?$"))]
    source_url: String,
    /// The language of the source.
    #[schemars(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    source_locale: String,
    /// The languages wanted.
    #[schemars(length(min = 1, max = 200), inner(pattern("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$")))]
    target_langs: Vec<String>,
    /// Where its languages are found, with `{lang}` in the host or at the end of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 512), pattern("^https?://[^\\s?#@\\\\]*\\{lang\\}[^\\s?#@\\\\]*$"))]
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

static FORM: LazyLock<Form<Settings>> = LazyLock::new(Form::new);

pub(super) fn schemas_of_put() -> Schemas {
    Schemas { query: None, body: Some(FORM.schema().clone()), answer: sites::schema() }
}

pub(super) fn schemas_of_delete() -> Schemas {
    Schemas::default()
}

pub(super) async fn put(call: &Call<'_>) -> Result<Reply, ApiError> {
    let id = call.named.site_id.clone().ok_or(ApiError::SiteNotFound)?;
    let settings = FORM.read(&call.body).map_err(|error| {
        let error = error.recoded("sourceUrl", "invalid_value", "invalid_url");
        let error = error.recoded("url", "invalid_value", "invalid_url");
        let error = error.recoded("sourceLocale", "invalid_value", "invalid_language");
        let error = error.recoded("targetLangs", "required", "target_langs_required");
        let error = error.recoded("targetLangs", "too_few", "target_langs_required");
        error.recoded("targetLangs", "invalid_value", "invalid_language")
    })?;
    if is_of_file(call, &id) {
        return Err(ApiError::ManagedByConfig);
    }
    let settings = SiteSettings { owner: Some(call.caller()?.subject.clone()), ..SiteSettings::from(settings) };
    let config = Arc::clone(&call.api.settings().config);
    config.check_allowed(&settings).map_err(refused)?;
    let site = config.added_site(&id, &settings).map_err(refused)?;
    config.check_public_host(&site).map_err(refused)?;
    let (known, now) = (Arc::clone(call.api.sites()), call.now().to_keep());
    let is_new = call.blocking(move |state| known.put(state, site, settings, now)).await?;
    let is_new = is_new.map_err(|error| match error {
        PutError::Taken => ApiError::UrlTaken,
        PutError::Store(error) => error.into(),
    })?;
    call.api.jobs().hire();
    show(call, &id).await?;
    let known = call.api.sites().get(&id).ok_or(ApiError::SiteNotFound)?;
    let reply = sites::describe(call, known).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Reply { status, ..reply }.at(is_new.then(|| format!("/api/sites/{id}"))))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Reply, ApiError> {
    let id = call.site()?.id.clone();
    if is_of_file(call, &id) {
        return Err(ApiError::ManagedByConfig);
    }
    let (known, site, now) = (Arc::clone(call.api.sites()), id.clone(), call.now().to_keep());
    call.state(move |state| known.remove(state, &site, now)).await?;
    call.app.follow_sites().await;
    call.api.jobs().dismiss(&id);
    Ok(Reply::nothing())
}

/// Serves what is there of a site from before, without the languages that were switched off.
async fn show(call: &Call<'_>, site: &SiteId) -> Result<(), ApiError> {
    call.app.follow_sites().await;
    let id = site.clone();
    let switches = call.state(move |state| state.switches(&id)).await?;
    for (locale, _) in switches.iter().filter(|(_, record)| !record.enabled) {
        call.app.switch(site, locale, false).await?;
    }
    // The site is there, and its pages are found by a later look at the store.
    if let Err(error) = call.app.load().await {
        tracing::warn!("the pages of {site} cannot be read yet: {error}");
    }
    Ok(())
}

fn is_of_file(call: &Call<'_>, site: &SiteId) -> bool {
    call.api.sites().get(site).is_some_and(|known| known.settings.is_none())
}

/// What the configuration does not take, as the interface says it.
fn refused(error: SettingError) -> ApiError {
    let code = match error.fault {
        SettingFault::Engine => return ApiError::EngineNotFound,
        SettingFault::Address => "invalid_url",
        SettingFault::Language => "invalid_language",
        SettingFault::Host => "host_not_allowed",
        SettingFault::Suffix => "public_suffix",
        SettingFault::Value => "invalid_value",
    };
    one(&error.field, code, &error.message)
}

impl From<Settings> for SiteSettings {
    fn from(settings: Settings) -> Self {
        let word = |word| MISSING.iter().find(|(known, _)| *known == word).map(|(_, text)| (*text).to_owned());
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
        let word = |text: &String| MISSING.iter().find(|(_, known)| known == text).map(|(word, _)| *word);
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
