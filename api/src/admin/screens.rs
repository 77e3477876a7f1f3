//! Screens: the data of each, as the API's operations answer, and its template.

pub(super) mod account;
pub(super) mod published;
pub(super) mod runs;
mod sites;
pub(super) mod text_changes;
pub(super) mod texts;

use serde_json::json;

use super::outcome::{Screen, VisitOutcome};
use super::visit::Visit;
use crate::http::error::ApiError;

/// The form for signing in, or the reason why it was refused.
pub(super) fn login(visit: &Visit<'_>, refused: bool) -> VisitOutcome {
    let code = visit.parameter("code");
    let next = if refused {
        visit.field("next")
    } else {
        visit.parameter("next")
    };
    let data = json!({ "code": code, "refused": refused, "next": next });
    VisitOutcome::Screen(Screen::new("login.html", "", data))
}

/// The reason why something did not work.
pub(super) fn trouble(visit: &Visit<'_>, error: &ApiError) -> Screen {
    let (code, text) = error.told();
    let mut steps = visit.path.rsplitn(2, '/');
    let back = steps
        .nth(1)
        .filter(|_| !visit.fields.is_empty())
        .unwrap_or("/");
    let data =
        json!({ "trouble": text, "code": code, "back": if back.is_empty() { "/" } else { back } });
    Screen::new("trouble.html", "", data)
}

/// The screen at an address.
pub(super) async fn show(visit: &Visit<'_>) -> Result<VisitOutcome, ApiError> {
    let steps: Vec<&str> = visit.path.split('/').skip(1).collect();
    let screen = match steps.as_slice() {
        ["sites", site, "runs", run, "progress"] => {
            return runs::progress(visit, site, run)
                .await
                .map(VisitOutcome::Data);
        }
        // The start page of a session that may see no site.
        [""] if visit.allowed(None).get("sites_list").is_none() => {
            return Ok(VisitOutcome::Goes("/access".to_owned()));
        }
        [""] => sites::list(visit).await,
        ["previews"] => account::previews(visit).await,
        ["digest"] => account::digest(visit).await,
        ["access"] => account::access(visit, None).await,
        ["sites", site] => sites::overview(visit, site).await,
        ["sites", site, "runs"] => runs::list(visit, site).await,
        ["sites", site, "runs", run] => runs::one(visit, site, run).await,
        ["sites", site, "pages"] => sites::pages(visit, site).await,
        ["sites", site, "pages", "explain"] => sites::explain(visit, site).await,
        ["sites", site, "texts"] => texts::list(visit, site).await,
        ["sites", site, "texts", "change"] => text_changes::show(visit, site).await,
        ["sites", site, "texts", id] => texts::one(visit, site, id, None).await,
        ["sites", site, "cost"] => runs::cost(visit, site).await,
        ["sites", site, "publish"] => published::publish(visit, site).await,
        ["sites", site, "publish", target] => published::target_of(visit, site, target).await,
        ["sites", site, "audit"] => published::audit(visit, site).await,
        ["sites", site, "reports"] => published::reports(visit, site).await,
        ["sites", site, "webhooks"] => published::webhooks(visit, site, None).await,
        ["sites", site, "webhooks", id] => published::webhook(visit, site, id).await,
        _ => Err(ApiError::NoSuchRoute),
    };
    screen.map(VisitOutcome::Screen)
}
