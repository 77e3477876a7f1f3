//! What forms do: each is one of the API's operations.

use std::time::SystemTime;

use hyper::Method;
use serde_json::{Value, json};

use super::outcome::{FormResult, VisitOutcome};
use super::screens::published::{NewSecret, webhooks};
use super::screens::{self, account, runs, text_changes, texts};
use super::visit::{Visit, query};
use crate::auth::{Caller, codes_of, take_code};
use crate::control::door::{Deed, OperationResult};
use crate::http::error::ApiError;

/// Signs somebody in, by a one-time code or by a token.
pub(super) fn sign_in(visit: &Visit<'_>) -> VisitOutcome {
    let now = SystemTime::now();
    let config = &visit.api.settings().config;
    let code = visit.field("code");
    let token = visit.field("token").trim();
    let granted = if code.is_empty() {
        visit.api.settings().verifier.sign_in(token).ok()
    } else {
        let grant = take_code(&codes_of(&config.store.state), code, now);
        grant.map(|grant| (Caller::granted(&grant), None))
    };
    // Whoever has what opens the screen is let in, whatever others at the same address tried.
    let Some((caller, ends)) = granted else {
        if let Err(error) = visit.api.may_sign_in(visit.client) {
            return VisitOutcome::Refused(error);
        }
        visit.api.failed_to_sign_in(visit.client);
        return screens::login(visit, true);
    };
    tracing::info!("{:?} signed in at the admin screen", caller.subject);
    if let Some(old) = &visit.secret {
        visit.api.sign_out(old);
    }
    let secret = visit.api.sessions.open(caller, ends, now);
    let next = visit.field("next");
    let is_here = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(|sign: char| sign == '\\' || sign.is_control());
    VisitOutcome::Signs {
        to: if is_here { next } else { "/" }.to_owned(),
        secret: Some(secret),
    }
}

/// Does what a form says.
pub(super) async fn act(visit: &Visit<'_>) -> Result<VisitOutcome, ApiError> {
    let steps: Vec<&str> = visit.path.split('/').skip(1).collect();
    match steps.as_slice() {
        ["logout"] => {
            if let Some(secret) = &visit.secret {
                visit.api.sign_out(secret);
            }
            Ok(VisitOutcome::Signs {
                to: "/login".to_owned(),
                secret: None,
            })
        }
        ["sessions", id, "end"] => {
            let caller = visit.caller.as_ref().ok_or(ApiError::MissingToken)?;
            visit.api.sessions.end(id, visit.only_own(caller));
            Ok(VisitOutcome::after("/access", FormResult::SessionEnded))
        }
        ["access", "doctor"] => {
            let done = visit.post("/api/doctor", None).await?;
            Ok(VisitOutcome::Screen(
                account::access(visit, Some(done.value["findings"].clone())).await?,
            ))
        }
        ["digest"] => {
            let body =
                json!({ "email": visit.field("email"), "frequency": visit.field("frequency") });
            // A field that is left empty is one that is not there.
            let said = ["timezone", "locale"]
                .into_iter()
                .map(|name| (name.to_owned(), visit.field(name).trim()));
            let said = said
                .filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| (name, text.into()));
            visit
                .send(
                    Method::PUT,
                    "/api/digests/settings",
                    Some(Value::Object(said.collect())),
                )
                .await?;
            visit
                .send(Method::PUT, "/api/digests/subscription", Some(body))
                .await?;
            Ok(VisitOutcome::after("/digest", FormResult::Saved))
        }
        ["previews"] => {
            let body = json!({
                "sourceUrl": visit.field("sourceUrl"),
                "sourceLang": visit.field("sourceLang"),
                "targetLang": visit.field("targetLang"),
            });
            visit.post("/api/previews", Some(body)).await?;
            Ok(VisitOutcome::after("/previews", FormResult::PreviewOrdered))
        }
        ["previews", id, "delete"] => {
            visit
                .send(Method::DELETE, &format!("/api/previews/{id}"), None)
                .await?;
            Ok(VisitOutcome::after("/previews", FormResult::Removed))
        }
        ["sites", site, rest @ ..] => at_site(visit, site, rest).await,
        _ => Err(ApiError::NoSuchRoute),
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each form of a site")]
async fn at_site(visit: &Visit<'_>, site: &str, steps: &[&str]) -> Result<VisitOutcome, ApiError> {
    let api = format!("/api/sites/{site}");
    let here = format!("/sites/{site}");
    let (to, done) = match steps {
        ["build"] => {
            let run = order(visit, &api, "crawl-translate", None).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["plan"] => {
            let run = order(visit, &api, "plan", None).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["audit"] => {
            let run = visit.post(&format!("{api}/audit"), None).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["publish", target] => {
            let meant = query(&[("deploymentId", visit.field("deploymentId"))]);
            let path = format!("{api}/publish/{target}");
            let deed = Deed {
                method: Method::POST,
                path: &path,
                query: Some(&meant),
                body: None,
                seen: None,
            };
            let run = visit.perform(deed).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["locales", locale, "serve"] => {
            let on = visit.field("enabled") == "true";
            let body = json!({ "enabled": on });
            visit
                .post(&format!("{api}/locales/{locale}/serve"), Some(body))
                .await?;
            let done = FormResult::switched(on).as_str();
            return Ok(VisitOutcome::Goes(format!(
                "{here}?done={done}&of={locale}"
            )));
        }
        ["deployments", id, "activate"] => {
            visit
                .post(&format!("{api}/deployments/{id}/activate"), None)
                .await?;
            (here, FormResult::Activated)
        }
        ["render"] => {
            let run = visit.post(&format!("{api}/render"), None).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["runs", run, "cancel"] => {
            visit
                .post(&format!("{api}/runs/{run}/cancel"), None)
                .await?;
            (format!("{here}/runs/{run}"), FormResult::Cancelled)
        }
        ["runs", run, "failed"] => {
            let known = visit.get(&format!("{api}/runs/{run}")).await?;
            let paths = runs::failed_paths(&known);
            let run = order(visit, &api, "crawl-translate", Some(&paths)).await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["runs", run, "accept"] => {
            let run = visit
                .post(&format!("{api}/runs/{run}/accept"), None)
                .await?;
            (begun(&here, &run), FormResult::Ordered)
        }
        ["reports", word @ ("take" | "drop")] => {
            let mut texts = Vec::new();
            for (name, value) in &visit.fields {
                if name == "text" {
                    texts.push(value);
                }
            }
            let to = format!("{here}/reports");
            if texts.is_empty() {
                return Ok(VisitOutcome::after(&to, FormResult::NoneChosen));
            }
            let body = json!({ "texts": texts });
            visit
                .post(&format!("{api}/reports/{word}"), Some(body))
                .await?;
            match *word {
                "take" => (to, FormResult::Taken),
                _ => (to, FormResult::Dropped),
            }
        }
        ["texts", "change"] => return text_changes::change(visit, site).await,
        ["texts", "undo"] => return text_changes::undo(visit, site).await,
        ["texts", id] => return texts::save(visit, site, id).await,
        ["webhooks"] => {
            let events = visit
                .fields
                .iter()
                .filter(|(name, _)| name == "event")
                .map(|(_, value)| value);
            let body = json!({
                "url": visit.field("url"),
                "description": visit.field("description"),
                "events": events.collect::<Vec<_>>(),
            });
            let added = visit.post(&format!("{api}/webhooks"), Some(body)).await?;
            let new = NewSecret {
                secret: &added.value["secret"],
                done: FormResult::Added,
            };
            return Ok(VisitOutcome::Screen(
                webhooks(visit, site, Some(new)).await?,
            ));
        }
        ["webhooks", id, "secret"] => {
            let rotated = visit
                .post(&format!("{api}/webhooks/{id}/secret"), None)
                .await?;
            let new = NewSecret {
                secret: &rotated.value["secret"],
                done: FormResult::Replaced,
            };
            return Ok(VisitOutcome::Screen(
                webhooks(visit, site, Some(new)).await?,
            ));
        }
        ["webhooks", id, word @ ("on" | "off")] => {
            let path = format!("{api}/webhooks/{id}");
            let known = visit.get(&path).await?;
            let body = json!({
                "url": known["url"],
                "description": known["description"],
                "events": known["events"],
                "enabled": *word == "on",
            });
            visit.send(Method::PUT, &path, Some(body)).await?;
            let done = FormResult::switched(*word == "on");
            (format!("{here}/webhooks/{id}"), done)
        }
        ["webhooks", id, "test"] => {
            visit
                .post(&format!("{api}/webhooks/{id}/test"), None)
                .await?;
            (format!("{here}/webhooks/{id}"), FormResult::Sent)
        }
        ["webhooks", id, "redeliver"] => {
            visit
                .post(&format!("{api}/webhooks/{id}/redeliver"), Some(json!({})))
                .await?;
            (format!("{here}/webhooks/{id}"), FormResult::Sent)
        }
        ["webhooks", id, "deliveries", delivery, "redeliver"] => {
            visit
                .post(
                    &format!("{api}/webhooks/{id}/deliveries/{delivery}/redeliver"),
                    None,
                )
                .await?;
            (format!("{here}/webhooks/{id}"), FormResult::Sent)
        }
        ["webhooks", id, "delete"] => {
            visit
                .send(Method::DELETE, &format!("{api}/webhooks/{id}"), None)
                .await?;
            (format!("{here}/webhooks"), FormResult::Removed)
        }
        _ => return Err(ApiError::NoSuchRoute),
    };
    Ok(VisitOutcome::after(&to, done))
}

/// Orders a run for all languages of a site, for these pages or for all.
async fn order(
    visit: &Visit<'_>,
    api: &str,
    what: &str,
    paths: Option<&[&str]>,
) -> Result<OperationResult, ApiError> {
    let about = visit.get(api).await?;
    let langs = about["locales"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|locale| &locale["targetLang"]);
    let mut body = json!({ "targetLangs": langs.collect::<Vec<_>>() });
    if let Some(paths) = paths {
        body["sourcePaths"] = json!(paths);
    }
    visit.post(&format!("{api}/{what}"), Some(body)).await
}

/// The page of a run that was begun.
fn begun(here: &str, done: &OperationResult) -> String {
    let run = done
        .location
        .as_deref()
        .and_then(|location| location.rsplit('/').next());
    run.map_or_else(
        || format!("{here}/runs"),
        |run| format!("{here}/runs/{run}"),
    )
}
