//! The screens: what each shows, from what the API's operations answer.
//!
//! One file: one function for each screen.

use std::collections::BTreeSet;
use std::time::SystemTime;

use pipeline::config::Config;
use pipeline::letters;
use pipeline::model::Locale;
use pipeline::page::CodedText;
use pipeline::webhooks::EventType;
use serde_json::{Value, json};

use super::outcome::{Screen, VisitOutcome};
use super::templates::moment;
use super::visit::{Visit, query};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// Pages of a list.
const AT_ONCE: u64 = 100;
/// Pages that one order names.
const MOST_PATHS: usize = 200;
/// Texts of a page in a language that are shown.
const MOST_TEXTS: usize = 500;

/// Signing in, or why that did not work.
pub(super) fn login(visit: &Visit<'_>, refused: bool) -> VisitOutcome {
    let code = visit.parameter("code");
    let next = if refused {
        visit.field("next")
    } else {
        visit.parameter("next")
    };
    let data = json!({ "code": code, "refused": refused, "next": next });
    VisitOutcome::Screen(Screen {
        template: "login.html",
        subject: String::new(),
        here: "",
        site: None,
        data,
    })
}

/// Why something did not work.
pub(super) fn trouble(visit: &Visit<'_>, error: &ApiError) -> Screen {
    let (code, text) = error.told();
    let mut steps = visit.path.rsplitn(2, '/');
    let back = steps
        .nth(1)
        .filter(|_| !visit.fields.is_empty())
        .unwrap_or("/");
    let data =
        json!({ "trouble": text, "code": code, "back": if back.is_empty() { "/" } else { back } });
    Screen {
        template: "trouble.html",
        subject: String::new(),
        here: "",
        site: None,
        data,
    }
}

/// The screen at an address.
pub(super) async fn show(visit: &Visit<'_>) -> Result<VisitOutcome, ApiError> {
    let steps: Vec<&str> = visit.path.split('/').skip(1).collect();
    let screen = match steps.as_slice() {
        ["sites", site, "runs", run, "progress"] => {
            return progress(visit, site, run).await.map(VisitOutcome::Data);
        }
        // Whoever may see no site begins with what there is to see.
        [""] if !visit.may("sites.list") => return Ok(VisitOutcome::Goes("/access".to_owned())),
        [""] => sites(visit).await,
        ["previews"] => previews(visit).await,
        ["digest"] => digest(visit).await,
        ["access"] => access(visit, None).await,
        ["sites", site] => overview(visit, site).await,
        ["sites", site, "runs"] => runs(visit, site).await,
        ["sites", site, "runs", run] => run_of(visit, site, run).await,
        ["sites", site, "pages"] => pages(visit, site).await,
        ["sites", site, "pages", "explain"] => explain(visit, site).await,
        ["sites", site, "cost"] => cost(visit, site).await,
        ["sites", site, "publish"] => publish(visit, site).await,
        ["sites", site, "publish", target] => target_of(visit, site, target).await,
        ["sites", site, "audit"] => audit(visit, site).await,
        ["sites", site, "reports"] => reports(visit, site).await,
        ["sites", site, "webhooks"] => webhooks(visit, site, (None, None)).await,
        ["sites", site, "webhooks", id] => webhook(visit, site, id).await,
        _ => Err(ApiError::NoSuchRoute),
    };
    screen.map(VisitOutcome::Screen)
}

fn screen(template: &'static str, here: &'static str, data: Value) -> Screen {
    Screen {
        template,
        subject: String::new(),
        here,
        site: None,
        data,
    }
}

fn of_site(template: &'static str, site: &str, tab: &'static str, data: Value) -> Screen {
    Screen {
        template,
        subject: String::new(),
        here: "sites",
        site: Some((site.to_owned(), tab)),
        data,
    }
}

async fn sites(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let mut list = visit.get("/api/sites?limit=200").await?;
    for site in list["items"].as_array_mut().into_iter().flatten() {
        add_shares(site);
    }
    Ok(screen(
        "sites.html",
        "sites",
        json!({ "sites": list["items"] }),
    ))
}

async fn overview(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let mut about = visit.get(&format!("/api/sites/{site}")).await?;
    add_shares(&mut about);
    let deployments = visit.get(&format!("/api/sites/{site}/deployments")).await?;
    Ok(of_site(
        "site.html",
        site,
        "site",
        json!({ "about": about, "deployments": deployments["items"] }),
    ))
}

async fn runs(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let list = visit
        .get(&format!("/api/sites/{site}/runs?limit=50"))
        .await?;
    Ok(of_site(
        "runs.html",
        site,
        "runs",
        json!({ "runs": list["items"] }),
    ))
}

async fn run_of(visit: &Visit<'_>, site: &str, run: &str) -> Result<Screen, ApiError> {
    let run = visit.get(&format!("/api/sites/{site}/runs/{run}")).await?;
    let suspect = run["sourceSuspect"].is_object() && run["sourceSuspect"]["acceptedBy"].is_null();
    let failure = |failure: &Value| {
        let path = failure["path"].as_str().unwrap_or_default();
        let page = is_of_page(&run, failure).then(|| explain_at(site, path));
        json!({ "path": path, "message": failure["message"], "explain": page })
    };
    let failures: Vec<Value> = run["failures"]
        .as_array()
        .into_iter()
        .flatten()
        .map(failure)
        .collect();
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
    Ok(of_site("run.html", site, "runs", data).about(&began))
}

/// The time at which a run was ordered, for people.
fn run_time(run: &Value) -> String {
    moment(run["queuedAt"].as_str().unwrap_or_default())
}

/// The pages of a run that failed, as many as one order may name.
pub(super) fn failed_paths(run: &Value) -> Vec<&str> {
    let failures = run["failures"].as_array().into_iter().flatten();
    let paths: BTreeSet<&str> = failures
        .filter(|failure| is_of_page(run, failure))
        .filter_map(|failure| failure["path"].as_str())
        .collect();
    paths.into_iter().take(MOST_PATHS).collect()
}

/// Whether a failure is about a page. What concerns the whole site has the path of the home page.
fn is_of_page(run: &Value, failure: &Value) -> bool {
    let is_crawled = || {
        let codes = ["max_pages", "truncated"];
        run["status"] == "completed"
            && failure["stage"] == "crawl"
            && run["sourceSuspect"]["code"] != failure["code"]
            && !codes.iter().any(|code| failure["code"] == *code)
    };
    match failure["path"].as_str() {
        Some("/") => failure["code"] == "translation_refused" || is_crawled(),
        Some(path) => path.starts_with('/'),
        None => false,
    }
}

/// What a run counted that a build would send, with its price where the engines have one.
fn estimate(run: &Value) -> Value {
    if !run["plan"].is_object() {
        return Value::Null;
    }
    let mut plan = run["plan"].clone();
    let mut total = None;
    for locale in plan["locales"].as_array_mut().into_iter().flatten() {
        let engines = locale["engines"].as_array().into_iter().flatten();
        let prices: Vec<f64> = engines
            .filter_map(|engine| engine["price"].as_f64())
            .collect();
        if !prices.is_empty() {
            let price = prices.iter().sum::<f64>();
            total = Some(total.unwrap_or_default() + price);
            locale["price"] = spelled(price).into();
        }
    }
    plan["price"] = total.map(spelled).into();
    plan["at"] = run["finishedAt"].clone();
    plan["left"] = plan["charactersLeft"].clone();
    plan
}

fn spelled(price: f64) -> String {
    format!("{price:.2}")
}

/// How far a run is.
async fn progress(visit: &Visit<'_>, site: &str, run: &str) -> Result<Value, ApiError> {
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

async fn pages(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let offset: u64 = visit.parameter("offset").parse().unwrap_or_default();
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let list = visit
        .get(&format!(
            "/api/sites/{site}/pages?view=full&limit={AT_ONCE}&offset={offset}"
        ))
        .await?;
    let langs = about["locales"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|locale| locale["targetLang"].as_str());
    let langs: Vec<&str> = langs.collect();
    let address = |lang: &str, path: &str, known: &Value| {
        let is_there = known["state"] == "published" || known["state"] == "notice";
        is_there
            .then(|| visit.reader_address(site, lang, path))
            .flatten()
    };
    let row = |page: &Value| {
        let path = page["path"].as_str().unwrap_or_default();
        let cell = |lang: &&str| {
            let known = &page["locales"][*lang];
            json!({
                "lang": lang,
                "shares": shares(known),
                "state": known["state"],
                "path": known["path"].as_str().unwrap_or(path),
                "address": address(lang, path, known),
            })
        };
        let cells: Vec<_> = langs.iter().map(cell).collect();
        json!({ "path": path, "explain": explain_at(site, path), "failed": page["sourceStatus"] == "failed", "cells": cells })
    };
    let rows: Vec<Value> = list["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(row)
        .collect();
    let total = list["total"].as_u64().unwrap_or_default();
    let data = json!({
        "pages": rows,
        "total": total,
        "locales": langs,
        "before": offset > 0,
        "before_offset": offset.saturating_sub(AT_ONCE),
        "next": offset + AT_ONCE < total,
        "next_offset": offset + AT_ONCE,
    });
    Ok(of_site("pages.html", site, "pages", data))
}

/// Who translated how much, for people: the shares of people and of engines in percent, and how many texts to review.
/// `of` has `words` and `toReview`; null without words.
fn shares(of: &Value) -> Value {
    let words = |name: &str| of["words"][name].as_u64().unwrap_or_default();
    let people = words("people");
    let machine = words("machine");
    let all = people + machine + words("untranslated");
    if all == 0 {
        return Value::Null;
    }
    // Nothing is rounded up: 100 says that nothing is left.
    let tenths = |part: u64| u128::from(part) * 1000 / u128::from(all);
    let percent = |part: u64| match tenths(part) {
        tenths if tenths % 10 == 0 => (tenths / 10).to_string(),
        tenths => format!("{}.{}", tenths / 10, tenths % 10),
    };
    json!({
        "people": percent(people),
        "machine": percent(machine),
        "review": of["toReview"],
    })
}

/// Adds to each language of a site who translated how much.
fn add_shares(site: &mut Value) {
    for locale in site["locales"].as_array_mut().into_iter().flatten() {
        locale["shares"] = shares(locale);
    }
}

/// A text with codes, as people read it.
fn shown(markup: &str) -> String {
    CodedText::from_markup(markup).map_or_else(|_| markup.to_owned(), |text| text.to_numbered())
}

/// Where a page is explained.
fn explain_at(site: &str, path: &str) -> String {
    format!("/sites/{site}/pages/explain?{}", query(&[("page", path)]))
}

/// Where the texts of a page come from, those first that nobody has words for.
async fn explain(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let page = visit.parameter("page");
    let answer = visit
        .get(&format!(
            "/api/sites/{site}/explanation?{}",
            query(&[("page", page)])
        ))
        .await?;
    let is_all = visit.parameter("texts") == "all";
    let is_open = |text: &Value| {
        text["toReview"] == true || matches!(text["origin"].as_str(), Some("none" | "refused"))
    };
    let mut languages = answer["languages"].clone();
    for language in languages.as_array_mut().into_iter().flatten() {
        let words = language["words"].clone();
        let count = |name: &str| words[name].as_u64().unwrap_or_default();
        language["shares"] = shares(&json!({
            "words": {
                "people": count("person"),
                "machine": count("memory") + count("engine"),
                "untranslated": count("untranslated"),
            },
            "toReview": language["toReview"],
        }));
        let texts = language["texts"].as_array().cloned().unwrap_or_default();
        let shown = texts.into_iter().filter(|text| is_all || is_open(text));
        let (first, rest): (Vec<_>, Vec<_>) =
            shown.enumerate().partition(|(at, _)| *at < MOST_TEXTS);
        language["texts"] = first.into_iter().map(|(_, text)| as_read(text)).collect();
        language["more"] = rest.len().into();
    }
    // An address in a form of ours leads to the page that is meant, whatever was typed.
    let path = answer["path"].as_str().unwrap_or(page);
    let own = explain_at(site, path);
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    // Where the page is on the web, one can see how it would be.
    let source = about["source"]["url"]
        .as_str()
        .map(|url| format!("{}{path}", url.trim_end_matches('/')));
    for language in languages.as_array_mut().into_iter().flatten() {
        let from = about["sourceLocale"].as_str().unwrap_or_default();
        let to = language["targetLang"].as_str().unwrap_or_default();
        let to = to.to_owned();
        let preview = |url: &String| {
            query(&[
                ("sourceUrl", url),
                ("sourceLang", from),
                ("targetLang", to.as_str()),
            ])
        };
        language["preview"] = source
            .as_ref()
            .map(|url| format!("/previews?{}#make", preview(url)))
            .into();
        let address = (language["published"] == true && language["standing"] != "off")
            .then(|| visit.reader_address(site, &to, path));
        language["address"] = address.flatten().into();
    }
    let data = json!({
        "answer": answer,
        "languages": languages,
        "all": is_all,
        "own": own,
        "source_lang": about["sourceLocale"],
    });
    Ok(of_site("explain.html", site, "pages", data).about(path))
}

/// A text of an explanation, as people read it.
fn as_read(mut text: Value) -> Value {
    for name in ["source", "target"] {
        if let Some(markup) = text[name].as_str() {
            text[name] = shown(markup).into();
        }
        if let Some(markup) = text["outdated"][name].as_str() {
            text["outdated"][name] = shown(markup).into();
        }
    }
    text
}

async fn cost(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
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
            share["price"] = share["price"].as_f64().map(spelled).into();
            shares.push(share);
        }
    }
    Ok(of_site(
        "cost.html",
        site,
        "cost",
        json!({ "usage": usage, "estimate": planned, "left": left, "shares": shares }),
    ))
}

async fn publish(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let list = visit
        .get(&format!("/api/sites/{site}/publish?limit=200"))
        .await?;
    Ok(of_site(
        "publish.html",
        site,
        "publish",
        json!({ "targets": list["items"] }),
    ))
}

/// What would change at a host, and which deployments may be brought there.
async fn target_of(visit: &Visit<'_>, site: &str, target: &str) -> Result<Screen, ApiError> {
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
    Ok(of_site("target.html", site, "publish", data).about(target))
}

/// Texts that readers' browsers told of, the new ones first.
async fn reports(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
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
    let data = json!({
        "reports": reports,
        "before": offset > 0,
        "before_offset": offset.saturating_sub(AT_ONCE),
        "next": offset + AT_ONCE < total,
        "next_offset": offset + AT_ONCE,
    });
    Ok(of_site("reports.html", site, "reports", data))
}

/// What the last audit found, by rule, and the findings of one rule.
async fn audit(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
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
    let data = json!({
        "audit": audit,
        "findings": audit["findings"]["items"],
        "rule": rule,
        "new": is_new,
        "before": offset > 0,
        "before_offset": offset.saturating_sub(AT_ONCE),
        "next": offset + AT_ONCE < total,
        "next_offset": offset + AT_ONCE,
    });
    Ok(of_site("audit.html", site, "audit", data).about(rule))
}

/// The endpoints of a site, and a new one's secret.
pub(super) async fn webhooks(
    visit: &Visit<'_>,
    site: &str,
    (secret, done): (Option<&Value>, Option<&str>),
) -> Result<Screen, ApiError> {
    let list = visit.get(&format!("/api/sites/{site}/webhooks")).await?;
    let events = EventType::ALL.map(EventType::as_str);
    let data =
        json!({ "webhooks": list["items"], "events": events, "secret": secret, "done": done });
    Ok(of_site("webhooks.html", site, "webhooks", data))
}

async fn webhook(visit: &Visit<'_>, site: &str, id: &str) -> Result<Screen, ApiError> {
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
    Ok(of_site("webhook.html", site, "webhooks", data).about(&url))
}

async fn previews(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let mut list = visit.get("/api/previews?limit=50").await?;
    for preview in list["items"].as_array_mut().into_iter().flatten() {
        // Previews are other people's HTML, so they are shown where pages are, and never here.
        let origin = visit.pages_origin();
        preview["address"] = json!(format!(
            "{origin}{}",
            preview["previewUrl"].as_str().unwrap_or_default()
        ));
    }
    let language = Some(visit.parameter("sourceLang"))
        .filter(|tag| !tag.is_empty())
        .unwrap_or("en");
    let wanted = json!({ "url": visit.parameter("sourceUrl"), "from": language, "to": visit.parameter("targetLang") });
    Ok(screen(
        "previews.html",
        "previews",
        json!({ "previews": list["items"], "wanted": wanted }),
    ))
}

async fn digest(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let answer = visit.get_if_allowed("/api/digests/subscription").await?;
    let subscription = answer.get("subscription").cloned();
    let frequency = subscription
        .as_ref()
        .and_then(|known| known["frequency"].as_str())
        .unwrap_or("weekly")
        .to_owned();
    let settings = visit.get_if_allowed("/api/digests/settings").await?;
    let mails = visit.get_if_allowed("/api/digests/mails?limit=20").await?;
    let own = settings["locale"]
        .as_str()
        .and_then(|tag| Locale::parse(tag).ok());
    let names = ["English", "Español", "العربية", "日本語"];
    let languages = letters::LANGUAGES
        .iter()
        .zip(names)
        .map(|(tag, name)| json!({ "tag": tag, "name": name }));
    let data = json!({
        "subscription": subscription,
        "frequency": frequency,
        "settings": settings,
        "mails": mails["items"],
        "languages": languages.collect::<Vec<_>>(),
        // Until somebody says otherwise, mails are in the language of this screen.
        "locale": own.map_or(visit.language, |own| letters::nearest(Some(&own))),
    });
    Ok(screen("digest.html", "digest", data))
}

/// What somebody may do, and the sessions; with what `doctor` found, where it was asked.
pub(super) async fn access(visit: &Visit<'_>, findings: Option<Value>) -> Result<Screen, ApiError> {
    let me = visit.get("/api/me").await?;
    let engines = visit.get_if_allowed("/api/engines?limit=200").await?;
    let now = SystemTime::now();
    let caller = visit.caller.as_ref().ok_or(ApiError::MissingToken)?;
    let own = visit
        .secret
        .as_deref()
        .and_then(|secret| visit.api.sessions.find(secret, now))
        .map(|session| session.id);
    let listed = visit
        .api
        .sessions
        .list(visit.only_own(caller), now)
        .into_iter();
    let sessions: Vec<Value> = listed
        .map(|session| {
            json!({
                "id": session.id,
                "subject": session.caller.subject,
                "began": Time::of(session.began),
                "used": Time::of(session.used),
                "own": own.as_deref() == Some(session.id.as_str()),
            })
        })
        .collect();
    let sees_all = caller.sees_everything() && caller.has("admin:read");
    let data = json!({
        "me": me,
        "engines": engines["items"],
        "sessions": sessions,
        "sees_all": sees_all,
        "features": sees_all.then(|| features(&visit.api.settings().config)),
        "done": findings.as_ref().map(|_| "looked"),
        "findings": findings,
    });
    Ok(screen("access.html", "access", data))
}

/// What a server may do besides showing pages, and whether this one does it.
fn features(config: &Config) -> Value {
    let api = &config.api;
    let features = [
        ("api", api.jwt.is_some()),
        ("crawls", api.crawl_trigger_enabled),
        ("previews", api.preview_tokens.is_some()),
        ("mail", config.mail.is_some()),
        ("metrics", api.metrics_listen.is_some()),
        ("log", api.access_log),
    ];
    features
        .map(|(name, is_on)| json!({ "name": name, "on": is_on }))
        .into_iter()
        .collect()
}
