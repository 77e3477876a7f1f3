//! Screens of what leaves the server: targets, audits, reports of readers, webhooks.

use pipeline::webhooks::EventType;
use serde_json::{Value, json};

use super::super::figures::{AT_ONCE, add_paging};
use super::super::outcome::{FormResult, Screen};
use super::super::visit::{Visit, query};
use super::sites::explain_at;
use crate::http::error::ApiError;

/// The secret of an endpoint, which is shown once.
pub(in crate::admin) struct NewSecret<'s> {
    pub(in crate::admin) secret: &'s Value,
    /// The form that made it.
    pub(in crate::admin) done: FormResult,
}

pub(super) async fn publish(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let list = visit
        .get(&format!("/api/sites/{site}/publish?limit=200"))
        .await?;
    Ok(Screen::of_site(
        "publish.html",
        site,
        "publish",
        json!({ "targets": list["items"] }),
    ))
}

/// Difference of a deployment to a host, and the deployments that it can get.
pub(super) async fn target_of(
    visit: &Visit<'_>,
    site: &str,
    target: &str,
) -> Result<Screen, ApiError> {
    let asked = visit.parameter("deploymentId");
    let meant = query(&[("deploymentId", asked)]);
    let difference = visit
        .get(&format!("/api/sites/{site}/publish/{target}?{meant}"))
        .await?;
    let deployments = visit
        .get(&format!("/api/sites/{site}/deployments?limit=50"))
        .await?;
    let plan = &difference["plan"];
    let data = json!({
        "own": format!("/sites/{site}/publish/{target}"),
        "target": difference["target"],
        "refused": difference["refused"],
        "plan": plan,
        "more": plan["sent"].as_u64().unwrap_or_default() + plan["removed"].as_u64().unwrap_or_default() > 100,
        "asked": asked,
        "deployments": deployments["items"],
    });
    Ok(Screen::of_site("target.html", site, "publish", data).about(target))
}

/// Texts that readers' browsers told of, the new ones first.
pub(super) async fn reports(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let offset: u64 = visit.parameter("offset").parse().unwrap_or_default();
    let list = visit
        .get(&format!(
            "/api/sites/{site}/reports?limit={AT_ONCE}&offset={offset}"
        ))
        .await?;
    let mut reports = list["items"].clone();
    for report in reports.as_array_mut().into_iter().flatten() {
        let path = report["path"].as_str().unwrap_or_default();
        report["explain"] = explain_at(site, path).into();
    }
    let total = list["total"].as_u64().unwrap_or_default();
    let mut data = json!({
        "reports": reports,
    });
    add_paging(&mut data, offset, total);
    Ok(Screen::of_site("reports.html", site, "reports", data))
}

/// Findings of the last audit by rule, and those of one rule.
pub(super) async fn audit(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let rule = visit.parameter("rule");
    let offset = visit.parameter("offset").parse::<u64>().unwrap_or_default();
    let is_new = visit.parameter("new") == "true";
    let limit = AT_ONCE.to_string();
    let from = offset.to_string();
    let only = if is_new { "true" } else { "" };
    let asked = query(&[
        ("limit", &limit),
        ("offset", &from),
        ("rule", rule),
        ("new", only),
    ]);
    let audit = match visit.get(&format!("/api/sites/{site}/audit?{asked}")).await {
        Err(ApiError::AuditNotFound) => Value::Null,
        got => got?,
    };
    let total = audit["findings"]["total"].as_u64().unwrap_or_default();
    let mut data = json!({
        "audit": audit,
        "findings": audit["findings"]["items"],
        "rule": rule,
        "new": is_new,
    });
    add_paging(&mut data, offset, total);
    Ok(Screen::of_site("audit.html", site, "audit", data).about(rule))
}

/// The endpoints of a site, and a new one's secret.
pub(in crate::admin) async fn webhooks(
    visit: &Visit<'_>,
    site: &str,
    new: Option<NewSecret<'_>>,
) -> Result<Screen, ApiError> {
    let list = visit.get(&format!("/api/sites/{site}/webhooks")).await?;
    let events = EventType::ALL.map(EventType::as_str);
    let mut data = json!({ "webhooks": list["items"], "events": events });
    if let Some(NewSecret { secret, done }) = new {
        data["secret"] = secret.clone();
        data["done"] = done.as_str().into();
    }
    Ok(Screen::of_site("webhooks.html", site, "webhooks", data))
}

pub(super) async fn webhook(visit: &Visit<'_>, site: &str, id: &str) -> Result<Screen, ApiError> {
    let webhook = visit
        .get(&format!("/api/sites/{site}/webhooks/{id}"))
        .await?;
    let deliveries = visit
        .get(&format!(
            "/api/sites/{site}/webhooks/{id}/deliveries?limit=50"
        ))
        .await?;
    let data = json!({
        "stopped": matches!(webhook["status"].as_str(), Some("gone" | "failing")),
        "on": webhook["status"] == "active",
        "own": format!("/sites/{site}/webhooks/{id}"),
        "webhook": webhook,
        "deliveries": deliveries["items"],
    });
    let url = data["webhook"]["url"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    Ok(Screen::of_site("webhook.html", site, "webhooks", data).about(&url))
}
