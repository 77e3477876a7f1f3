//! Screens of runs and what they cost.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::figures::price;
use super::super::outcome::Screen;
use super::super::templates::moment;
use super::super::visit::Visit;
use super::sites::explain_at;
use crate::http::error::ApiError;

/// Most pages that one order names.
const MOST_PATHS: usize = 200;

pub(super) async fn list(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let list = visit
        .get(&format!("/api/sites/{site}/runs?limit=50"))
        .await?;
    Ok(Screen::of_site(
        "runs.html",
        site,
        "runs",
        json!({ "runs": list["items"] }),
    ))
}

pub(super) async fn one(visit: &Visit<'_>, site: &str, run: &str) -> Result<Screen, ApiError> {
    let run = visit.get(&format!("/api/sites/{site}/runs/{run}")).await?;
    let suspect = run["sourceSuspect"].is_object() && run["sourceSuspect"]["acceptedBy"].is_null();
    let mut failures = Vec::new();
    for failure in run["failures"].as_array().into_iter().flatten() {
        let path = failure["path"].as_str().unwrap_or_default();
        let explain = match failure["ofSite"].as_bool() {
            Some(true) => Value::Null,
            Some(false) | None => explain_at(site, path).into(),
        };
        failures.push(json!({ "path": path, "message": failure["message"], "explain": explain }));
    }
    let data = json!({
        "stages": stages(&run),
        "over": is_over(&run),
        "suspect": suspect,
        "failures": failures,
        "again": is_over(&run) && run["kind"] == "build" && !failed_paths(&run).is_empty(),
        "estimate": estimate(&run),
        "run": run,
    });
    let began = run_time(&data["run"]);
    Ok(Screen::of_site("run.html", site, "runs", data).about(&began))
}

/// The time at which a run was ordered, for people.
fn run_time(run: &Value) -> String {
    moment(run["queuedAt"].as_str().unwrap_or_default())
}

/// The pages of a run that failed, as many as one order may name.
pub(in crate::admin) fn failed_paths(run: &Value) -> Vec<&str> {
    let mut paths = BTreeSet::new();
    for failure in run["failures"].as_array().into_iter().flatten() {
        if failure["ofSite"] != true
            && let Some(path) = failure["path"].as_str()
        {
            paths.insert(path);
        }
    }
    paths.into_iter().take(MOST_PATHS).collect()
}

/// Estimate of a build, with the price of each language and of all; null for other runs.
fn estimate(run: &Value) -> Value {
    if !run["plan"].is_object() {
        return Value::Null;
    }
    let mut plan = run["plan"].clone();
    let mut total = None;
    for locale in plan["locales"].as_array_mut().into_iter().flatten() {
        let mut own = None;
        for engine in locale["engines"].as_array().into_iter().flatten() {
            if let Some(price) = engine["price"].as_f64() {
                own = Some(own.unwrap_or_default() + price);
            }
        }
        if let Some(own) = own {
            total = Some(total.unwrap_or_default() + own);
            locale["price"] = price(own).into();
        }
    }
    plan["price"] = total.map(price).into();
    plan["at"] = run["finishedAt"].clone();
    plan["left"] = plan["charactersLeft"].clone();
    plan
}

/// Progress of a run, for the script of its page.
pub(super) async fn progress(visit: &Visit<'_>, site: &str, run: &str) -> Result<Value, ApiError> {
    let run = visit.get(&format!("/api/sites/{site}/runs/{run}")).await?;
    Ok(
        json!({ "over": is_over(&run), "stages": stages(&run), "characters": run["charactersSent"] }),
    )
}

fn is_over(run: &Value) -> bool {
    !run["finishedAt"].is_null()
}

/// The stages in their order, those that have not begun too.
fn stages(run: &Value) -> Vec<Value> {
    let stage = |name: &str| {
        let figure = |what: &str| run["stages"][name][what].as_u64().unwrap_or_default();
        json!({ "name": name, "done": figure("done"), "total": figure("total"), "failed": figure("failed") })
    };
    ["crawl", "extract", "translate", "render", "publish"]
        .map(stage)
        .into()
}

pub(super) async fn cost(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let usage = visit.get(&format!("/api/sites/{site}/usage")).await?;
    let runs = visit
        .get(&format!("/api/sites/{site}/runs?limit=200"))
        .await?;
    let mut runs = runs["items"].as_array().into_iter().flatten();
    let planned = runs.find(|run| run["plan"].is_object()).map(estimate);
    let left = usage["current"]["charactersLeft"].is_u64();
    let mut shares = Vec::new();
    for month in usage["months"].as_array().into_iter().flatten() {
        for share in month["shares"].as_array().into_iter().flatten() {
            let mut share = share.clone();
            share["month"] = month["month"].clone();
            share["price"] = share["price"].as_f64().map(price).into();
            shares.push(share);
        }
    }
    Ok(Screen::of_site(
        "cost.html",
        site,
        "cost",
        json!({ "usage": usage, "estimate": planned, "left": left, "shares": shares }),
    ))
}
