//! `latimer build`, `latimer plan` and `latimer locale` with `--server`: the server that has the state does the work, as a
//! run.

use std::fmt::Write as _;

use pipeline::counted::counted;
use pipeline::model::{Locale, RunId, SiteId};
use pipeline::state::RunOutcome;
use serde_json::{Value, json};
use url::Url;

use super::cost::money;
use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::remote::{Remote, RemoteReply};
use crate::terminal;

/// How many failures are shown; `--json` lists all.
const SHOWN: usize = 10;

/// What a server is asked to build or to plan.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The site; all that the token may see without it.
    pub(super) site: Option<SiteId>,
    /// The locales for which engines may be asked; empty means all.
    pub(super) locales: Vec<Locale>,
    /// Whether engines are asked again for what they translated before.
    pub(super) force: bool,
    /// A run that found its source suspect, and whose source is meant to be so.
    pub(super) accept: Option<RunId>,
}

/// Builds on a server and says what became of each site.
pub(super) fn build(
    server: &Url,
    order: &Order,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    run(server, order, "crawl-translate", written, options)
}

/// Says what a server's engines would get for each site. Nothing is sent to them.
pub(super) fn plan(
    server: &Url,
    order: &Order,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    run(server, order, "plan", written_plan, options)
}

/// Orders a run of each site and says what became of it.
fn run(
    server: &Url,
    order: &Order,
    operation: &str,
    written: fn(&str, &Value) -> String,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let remote = Remote::at(server)?;
    until_left(async {
        let mut done = Vec::new();
        let sites = match order.accept {
            Some(run) => vec![site_of(&remote, order, run).await?],
            None => sites(&remote, order).await?,
        };
        for site in sites {
            let run = run_one(&remote, &site, order, operation, options).await?;
            done.push((site, run));
        }
        let mut worst = RunOutcome::Ok;
        for (_, run) in &done {
            worst = worst.max(outcome(run));
        }
        if options.json {
            let sites: Vec<_> = done
                .iter()
                .map(|(site, run)| json!({ "site": site, "run": run }))
                .collect();
            println!("{}", json!({ "sites": sites }));
        } else {
            done.iter()
                .for_each(|(site, run)| terminal::print(&written(site, run)));
        }
        Ok(worst.into())
    })
}

/// Turns a locale's switch on a server and waits until every page is in line with it.
pub(super) fn switch(
    server: &Url,
    site: &SiteId,
    locale: &Locale,
    on: bool,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let remote = Remote::at(server)?;
    until_left(async {
        let path = format!("/api/sites/{site}/locales/{locale}/serve");
        let answer = remote.post(&path, &json!({ "enabled": on })).await?;
        let run = match &answer.location {
            Some(run) => Some(remote.follow(run, &options.progress()).await?),
            None => None,
        };
        if options.json {
            println!("{}", json!({ "locale": answer.value, "run": run }));
        } else {
            println!("{site} {locale}: {}", if on { "on" } else { "off" });
            run.iter()
                .for_each(|run| terminal::print(&written(site.as_str(), run)));
        }
        Ok(run.as_ref().map(outcome).unwrap_or_default().into())
    })
}

/// Goes on until the end, or until somebody does not want to wait.
fn until_left(
    command: impl Future<Output = Result<ExitCode, CommandFailure>>,
) -> Result<ExitCode, CommandFailure> {
    work::until_done(async {
        tokio::select! {
            outcome = command => outcome,
            _ = tokio::signal::ctrl_c() => {
                let message = "no longer waiting; the run on the server continues".into();
                Err(CommandFailure { code: ExitCode::Interrupted, message })
            }
        }
    })
}

async fn sites(remote: &Remote, order: &Order) -> Result<Vec<String>, CommandFailure> {
    match &order.site {
        Some(site) => Ok(vec![site.to_string()]),
        None => all_sites(remote).await,
    }
}

/// The one site that the token may see.
pub(super) async fn only_site(remote: &Remote) -> Result<String, CommandFailure> {
    match <[String; 1]>::try_from(all_sites(remote).await?) {
        Ok([site]) => Ok(site),
        Err(sites) => Err(CommandFailure::usage(format!(
            "name one of the sites: {}",
            sites.join(", ")
        ))),
    }
}

/// The enabled sites that the token may see.
async fn all_sites(remote: &Remote) -> Result<Vec<String>, CommandFailure> {
    let found = remote.list("/api/sites").await?;
    let enabled = found.iter().filter(|site| site["enabled"] == true);
    let names: Vec<_> = enabled
        .filter_map(|site| site["siteId"].as_str())
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        Err(CommandFailure::usage(
            "the token has access to no enabled site",
        ))
    } else {
        Ok(names)
    }
}

/// The site that has a run.
async fn site_of(remote: &Remote, order: &Order, run: RunId) -> Result<String, CommandFailure> {
    let sites = sites(remote, order).await?;
    for site in &sites {
        match remote.get(&format!("/api/sites/{site}/runs/{run}")).await {
            Ok(_) => return Ok(site.clone()),
            // Another site may have it.
            Err(failure) if failure.code == ExitCode::Usage => {}
            Err(failure) => return Err(failure),
        }
    }
    Err(CommandFailure::usage(format!(
        "there is no run {run} of {}",
        sites.join(", ")
    )))
}

async fn run_one(
    remote: &Remote,
    site: &str,
    order: &Order,
    operation: &str,
    options: &Options,
) -> Result<Value, CommandFailure> {
    if let Some(run) = order.accept {
        let ordered = remote
            .post_path(&format!("/api/sites/{site}/runs/{run}/accept"))
            .await?;
        return follow(remote, ordered, options).await;
    }
    let known = remote.get(&format!("/api/sites/{site}")).await?;
    let all = known["locales"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let all: Vec<&Value> = all.iter().map(|locale| &locale["targetLang"]).collect();
    let wanted = if order.locales.is_empty() {
        json!(all)
    } else {
        json!(order.locales)
    };
    let body = json!({ "targetLangs": wanted, "force": order.force });
    let ordered = remote
        .post(&format!("/api/sites/{site}/{operation}"), &body)
        .await?;
    follow(remote, ordered, options).await
}

async fn follow(
    remote: &Remote,
    ordered: RemoteReply,
    options: &Options,
) -> Result<Value, CommandFailure> {
    let run = ordered.location.ok_or_else(|| {
        CommandFailure::failed("the server did not say where the run can be watched")
    })?;
    remote.follow(&run, &options.progress()).await
}

/// How a run ended, so that the exit code is that of the same run without a server. An older server says less.
fn outcome(run: &Value) -> RunOutcome {
    let from_before = if run["status"] == "completed" {
        RunOutcome::Ok
    } else {
        RunOutcome::Failed
    };
    serde_json::from_value(run["outcome"].clone()).unwrap_or(from_before)
}

/// A run for people.
fn written(site: &str, run: &Value) -> String {
    let mut text = String::new();
    let text_of = |name: &str| run[name].as_str().unwrap_or("-");
    let _ = writeln!(
        text,
        "{site}: run {} {}",
        text_of("runId"),
        text_of("status")
    );
    let pages = counted(number(&run["stages"]["render"]["done"]), "page");
    let characters = counted(number(&run["charactersSent"]), "character");
    let _ = writeln!(text, "  {pages} rendered, {characters} sent to engines");
    if let Some(deployment) = run["deploymentId"].as_str() {
        let _ = writeln!(text, "  deployment {deployment}");
    }
    write_trouble(&mut text, run);
    text
}

/// What a run that plans has counted, for people.
fn written_plan(site: &str, run: &Value) -> String {
    let plan = &run["plan"];
    if !plan.is_object() {
        return written(site, run);
    }
    let pages = number(&plan["pages"]);
    let segments = number(&plan["texts"]);
    let mut text = format!(
        "{site}: {}, {}\n",
        counted(pages, "page"),
        counted(segments, "distinct segment")
    );
    for locale in plan["locales"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
    {
        write_locale(&mut text, locale);
    }
    if let Some(left) = plan["charactersLeft"].as_u64() {
        let _ = writeln!(text, "  at most {} may be sent", counted(left, "character"));
    }
    write_trouble(&mut text, run);
    text
}

fn write_locale(text: &mut String, locale: &Value) {
    let counts = [
        ("people", "by people"),
        ("memory", "from memory"),
        ("new", "new"),
    ];
    let counts = counts.map(|(key, kind)| (locale[key].as_u64().unwrap_or_default(), kind));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    let _ = writeln!(
        text,
        "  {}: {}",
        locale["targetLang"].as_str().unwrap_or("-"),
        counts.join(", ")
    );
    for engine in locale["engines"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
    {
        let name = engine["engine"].as_str().unwrap_or("-");
        let segments = counted(number(&engine["texts"]), "segment");
        let requests = counted(number(&engine["requests"]), "request");
        let characters = counted(number(&engine["characters"]), "character");
        let tokens = estimated(&engine["tokens"]);
        let price = engine["price"]
            .as_f64()
            .map(|price| format!(", for {}", money(price)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "    {name} would get {characters} of {segments} in {requests}{tokens}{price}"
        );
    }
    if let Some(unavailable @ 1..) = locale["unavailable"].as_u64() {
        let _ = writeln!(
            text,
            "    {} that no engine takes",
            counted(unavailable, "new segment")
        );
    }
}

/// Estimated tokens in words; nothing for services that count none.
fn estimated(tokens: &Value) -> String {
    if !tokens.is_object() {
        return String::new();
    }
    let input = number(&tokens["input"]);
    let output = number(&tokens["output"]);
    let cached = match number(&tokens["cached"]) {
        0 => String::new(),
        cached => format!(" ({cached} of them cached)"),
    };
    format!(", about {input} tokens in{cached} and {output} out by the ratio of earlier builds")
}

fn write_trouble(text: &mut String, run: &Value) {
    let failures = run["failures"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for warning in run["warnings"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
    {
        let locale = warning["targetLang"]
            .as_str()
            .map(|locale| format!("{locale}: "))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "  notice: {locale}{}",
            warning["message"].as_str().unwrap_or_default()
        );
    }
    for failure in failures.iter().take(SHOWN) {
        let text_of = |name: &str| failure[name].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "  failed: {}: {} ({})",
            text_of("path"),
            text_of("message"),
            text_of("code")
        );
    }
    if failures.len() > SHOWN {
        let _ = writeln!(
            text,
            "  and {} more; --json lists all",
            failures.len() - SHOWN
        );
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
