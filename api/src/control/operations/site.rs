//! `sites.put` and `sites.delete`: sites that callers add beside those of the configuration file.
//!
//! A site is durable before it is answered, is served and can be run at once, and comes back after a restart. A caller
//! names what the configuration defines; see `pipeline::config::SiteSettings`. Deleting forgets the settings and stops
//! serving; what was translated and published stays in the stores, for the day when a site of that name is put again.

use std::sync::{Arc, LazyLock};

use hyper::StatusCode;
use pipeline::config::{SettingError, SettingFault, SiteSettings};
use pipeline::model::SiteId;
use pipeline::state::State;
use tokio::sync::Semaphore;

use super::settings::Settings;
use super::{Call, Reply, Schemas, sites};
use crate::control::form::{RequestSchema, one};
use crate::http::error::ApiError;
use crate::public::sites::PutError;

/// Sets of patterns compiled at a time. Compiling takes processor time, and callers choose the patterns.
static COMPILING: Semaphore = Semaphore::const_new(2);

static FORM: LazyLock<RequestSchema<Settings>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas_of_put() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: sites::schema(),
    }
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
    let settings = SiteSettings {
        owner: Some(call.caller()?.subject.clone()),
        ..SiteSettings::from(settings)
    };
    let config = Arc::clone(&call.api.settings().config);
    let of = id.clone();
    let compiling = COMPILING.acquire().await;
    let compile = move |_: &State| {
        // Held to the end of the work, also if the caller has gone.
        let _compiling = compiling;
        config.check_allowed(&settings)?;
        let site = config.added_site(&of, &settings)?;
        config.check_public_host(&site)?;
        Ok((site, settings))
    };
    let (site, settings) = call.blocking(compile).await?.map_err(refused)?;
    let known = Arc::clone(call.api.sites());
    let now = call.now().to_keep();
    let is_new = call
        .blocking(move |state| known.put(state, site, settings, now))
        .await?;
    let is_new = is_new.map_err(|error| match error {
        PutError::Taken => ApiError::UrlTaken,
        PutError::State(error) => error.into(),
    })?;
    call.api.jobs().hire();
    show(call, &id).await?;
    let known = call.api.sites().get(&id).ok_or(ApiError::SiteNotFound)?;
    let reply = sites::describe(call, known).await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok(Reply { status, ..reply }.at(is_new.then(|| format!("/api/sites/{id}"))))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Reply, ApiError> {
    let id = call.site()?.id.clone();
    if is_of_file(call, &id) {
        return Err(ApiError::ManagedByConfig);
    }
    let known = Arc::clone(call.api.sites());
    let site = id.clone();
    let now = call.now().to_keep();
    call.state(move |state| known.remove(state, &site, now))
        .await?;
    call.app.served.follow_sites().await;
    call.api.jobs().dismiss(&id);
    Ok(Reply::nothing())
}

/// Serves what is there of a site from before, without the languages that were switched off.
async fn show(call: &Call<'_>, site: &SiteId) -> Result<(), ApiError> {
    call.app.served.follow_sites().await;
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
    call.api
        .sites()
        .get(site)
        .is_some_and(|known| known.settings.is_none())
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
