//! `sites.locales.serve`: the serving switch of a locale.
//!
//! The switch is durable before it is answered, in the store first, so that other builders and servers obey it, and
//! then in the state. Off takes effect with the answer; that other locales stop naming it
//! is the work of one run, which only renders. On takes effect with that run's deployment, pages and references at
//! once.

use std::sync::LazyLock;

use pipeline::config::SiteConfig;
use pipeline::model::Locale;
use pipeline::state::{RunKind, RunOrder, RunOrigin, RunRecord};
use pipeline::store::{self, ServingSwitch, StoreError, Switches};
use pipeline::webhooks::LocaleSwitched;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;

/// Whether a locale is to be served.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ServeRequest")]
struct Request {
    enabled: bool,
}

/// How a locale stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ServeAnswer")]
struct Answer {
    target_lang: String,
    /// What the switch says.
    serve_enabled: bool,
    serving_status: ServingStatus,
    /// The deployment that is the site now.
    #[serde(skip_serializing_if = "Option::is_none")]
    active_deployment_id: Option<String>,
}

/// Whether readers get a locale, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServingStatus {
    /// The site is not enabled in the configuration.
    Inactive,
    /// The locale is switched off.
    Disabled,
    /// Several sites share one host, and this one has no URL pattern that tells them apart; or the addresses of its
    /// pattern belong to another site.
    NeedsDomain,
    /// The locale is switched on and waits for a deployment.
    Ready,
    /// Readers get it.
    Serving,
    /// Readers get it, but something of the deployment is missing or damaged.
    Degraded,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn switch(call: &Call<'_>) -> Result<Reply, ApiError> {
    let site = call.site()?;
    let locale = call.locale()?;
    let Request { enabled } = FORM.read(&call.body)?;
    let published = call.app.snapshot().published(&site.id).cloned();
    // Without a deployment there is nothing to bring in line; the first one will be made as the switch says.
    let deployed = published
        .as_ref()
        .is_some_and(|published| published.settings().locales.contains_key(locale));
    let is_served = published
        .as_ref()
        .is_some_and(|published| published.settings().is_on(locale));
    let (before, turned) = turn_in_store(call, site, locale, enabled).await?;
    let id = site.id.clone();
    let tag = locale.clone();
    let now = call.now().to_keep();
    let subject = call.caller()?.subject.clone();
    let event = LocaleSwitched {
        serving_status: word(status(call, site, locale, enabled)),
        ..LocaleSwitched::new(locale, enabled, &subject)
    };
    let record = call.state(move |state| {
        let known = state.switches(&id)?.get(&tag).map(|record| record.enabled);
        let stands = before.map(|switch| switch == ServingSwitch::On).or(known);
        // Another builder turned it since, or a kill came between store and state: endpoints are told of that first.
        if let (Some(stands), Some(known)) = (stands, known)
            && stands != known
        {
            let missed = LocaleSwitched::new(&tag, stands, LocaleSwitched::ELSEWHERE);
            state.turn_switch(&id, &tag, stands, None, Some(missed), now)?;
        }
        let changes = deployed && stands.map_or(is_served, |stands| stands) != enabled;
        let run = changes.then(|| RunRecord::new(rendering(), 0, now).ordered_by(&subject));
        state.turn_switch(&id, &tag, enabled, run, Some(event), now)
    });
    let record = record.await?;
    call.app.switch(&site.id, locale, enabled).await?;
    call.app.served.show_switches(&site.id, &turned).await;
    call.api.jobs().wake(&site.id);
    let answer = Answer {
        target_lang: locale.to_string(),
        serve_enabled: enabled,
        serving_status: status(call, site, locale, enabled),
        active_deployment_id: call
            .app
            .snapshot()
            .published(&site.id)
            .map(|published| published.id().to_string()),
    };
    let location = record
        .run
        .map(|run| format!("/api/sites/{}/runs/{run}", site.id));
    Ok(Reply::ok(&answer)?.at(location))
}

/// Turns the switch where other builders and servers see it, before anything else knows of it; says how it stood there.
async fn turn_in_store(
    call: &Call<'_>,
    site: &SiteConfig,
    locale: &Locale,
    enabled: bool,
) -> Result<(Option<ServingSwitch>, Switches), ApiError> {
    let id = site.id.clone();
    let known = call.state(move |state| state.switches(&id)).await?;
    let known = known
        .into_iter()
        .map(|(locale, record)| (locale, ServingSwitch::from(record.enabled)))
        .collect();
    let objects = &call.api.jobs().stores().objects;
    let turn = async {
        let before = Switches::newest(objects, &site.id).await?;
        let turned = store::turn_switch(
            objects,
            &site.id,
            locale,
            ServingSwitch::from(enabled),
            &known,
        )
        .await?;
        Ok::<_, StoreError>((before.get(locale), turned))
    };
    Ok(turn.await?)
}

/// A status as the API writes it.
fn word(status: ServingStatus) -> String {
    serde_json::to_value(status)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A run that renders what is stored.
fn rendering() -> RunOrder {
    RunOrder::of(RunKind::Render, RunOrigin::Api)
}

/// How a locale stands whose switch says `enabled`.
pub(super) fn status(
    call: &Call<'_>,
    site: &SiteConfig,
    locale: &Locale,
    enabled: bool,
) -> ServingStatus {
    let snapshot = call.app.snapshot();
    let published = snapshot
        .published(&site.id)
        .filter(|published| published.settings().is_on(locale));
    match (site.enabled, enabled) {
        (false, _) => ServingStatus::Inactive,
        (true, false) => ServingStatus::Disabled,
        (true, true)
            if call
                .api
                .sites()
                .get(&site.id)
                .is_some_and(|known| known.displaced.is_some()) =>
        {
            ServingStatus::NeedsDomain
        }
        (true, true) if site.url.is_none() && !snapshot.needs_no_name(&site.id) => {
            ServingStatus::NeedsDomain
        }
        (true, true) => match published {
            Some(published) if call.app.integrity.is_degraded(published, locale) => {
                ServingStatus::Degraded
            }
            Some(_) => ServingStatus::Serving,
            None => ServingStatus::Ready,
        },
    }
}
