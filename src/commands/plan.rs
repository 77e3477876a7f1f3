//! `latimer plan`: what a build would translate, and what that costs.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::Args;
use pipeline::config::{Config, SiteConfig};
use pipeline::counted::counted;
use pipeline::engines::{EstimateBasis, TokenEstimate};
use pipeline::run::{
    self, BuildOptions, BuildStep, FormerEngine, LocalePlan, PlanReport, PricedCost, Stores,
};
use pipeline::state::State;

use super::build::{BuildSelection, SelectionArguments};
use super::cost::money;
use super::{ordered, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer plan`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    wanted: SelectionArguments,
    /// Takes the source as the last build or plan left it, instead of fetching it.
    #[arg(long)]
    offline: bool,
    /// Counts what engines translated before as if it were new, as `build --force` does.
    #[arg(long)]
    force: bool,
}

/// Says what a build would send; no engine is asked and nothing is published.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    if let Some(server) = &options.server {
        if arguments.offline {
            return Err(CommandFailure::usage("--offline does not go with --server"));
        }
        return ordered::plan(server, &arguments.wanted.order(arguments.force), options);
    }
    let config = options.config()?;
    let selection = arguments.wanted.select(&config)?;
    let build = BuildOptions {
        locales: selection.locales.clone(),
        offline: arguments.offline,
        force: arguments.force,
        ..work::build_options(&config)
    };
    work::until_interrupted(plan(&config, &selection, &build, options))
}

async fn plan(
    config: &Config,
    selection: &BuildSelection,
    build: &BuildOptions,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let objects = work::objects(&config.store)?;
    let state = State::open(&config.store.state)
        .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let progress = options.progress();
    let mut reports = Vec::new();
    for site in config
        .sites
        .iter()
        .filter(|site| selection.sites.contains(&site.id))
    {
        let outcome = run::plan(site, &stores, build, &|step: &BuildStep<'_>| {
            progress.step(step)
        })
        .await;
        progress.finish();
        let report = outcome.map_err(|error| work::failure(&site.id, &error))?;
        if !options.json {
            terminal::print(&write(&report, site));
        }
        reports.push(report);
    }
    if options.json {
        println!("{}", serde_json::json!({ "sites": reports }));
    }
    Ok(ExitCode::Done)
}

fn write(report: &PlanReport, site: &SiteConfig) -> String {
    let mut text = String::new();
    let pages = counted(report.pages, "page");
    let segments = counted(report.segments, "distinct segment");
    let _ = writeln!(
        text,
        "{}: {pages}, {segments} in {}",
        report.site, site.source_locale
    );
    report
        .locales
        .iter()
        .for_each(|locale| write_locale(&mut text, locale));
    if let Some(limit) = &report.limit {
        let _ = writeln!(
            text,
            "  at most {} may be sent{}",
            counted(limit.left, "character"),
            limit.because
        );
    }
    for failure in &report.failures {
        let _ = writeln!(text, "  failed: {}: {}", failure.path, failure.reason);
    }
    for notice in &report.notices {
        let _ = writeln!(text, "  notice: {notice}");
    }
    text
}

/// Estimated tokens in words.
fn estimated(tokens: &TokenEstimate) -> String {
    let TokenEstimate {
        input,
        output,
        cached,
        basis,
    } = tokens;
    let basis = match basis {
        EstimateBasis::EarlierBuilds => "by the ratio of earlier builds",
        EstimateBasis::OtherLanguages => "by the ratio of earlier builds of other languages",
    };
    let cached = if *cached > 0 {
        format!(" ({cached} of them cached)")
    } else {
        String::new()
    };
    format!(", about {input} tokens in{cached} and {output} out {basis}")
}

fn write_locale(text: &mut String, plan: &LocalePlan) {
    let counts = [
        (plan.person, "by people"),
        (plan.memory, "from memory"),
        (plan.excluded, "not for this language"),
        (plan.untouched, "that need no engine"),
        (plan.refused, "refused before"),
        (plan.new, "new"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    let _ = writeln!(text, "  {}: {}", plan.locale, counts.join(", "));
    let changed = [
        (plan.carried, "carried"),
        (plan.outdated, "outdated"),
        (plan.vanished, "vanished"),
    ];
    if changed.iter().any(|(count, _)| *count > 0) {
        let changed = changed.map(|(count, state)| format!("{state} {count}"));
        let _ = writeln!(
            text,
            "    reviewed segments that changed: {}",
            changed.join(", ")
        );
    }
    for PricedCost {
        cost,
        tokens,
        tokens_unknown,
        price,
    } in &plan.engines
    {
        let characters = counted(cost.characters, "character");
        let segments = counted(cost.texts, "segment");
        let engine = &cost.engine;
        let requests = counted(cost.requests, "request");
        let tokens = tokens.as_ref().map(estimated).unwrap_or_default();
        let unknown = if *tokens_unknown {
            "; tokens unknown, because no earlier build counted any"
        } else {
            ""
        };
        let price = price
            .map(|price| format!(", for {}", money(price)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "    {engine} would get {characters} of {segments} in {requests}{tokens}{price}{unknown}"
        );
    }
    for FormerEngine {
        fingerprint,
        texts,
        characters,
        price,
    } in &plan.former_engines
    {
        let segments = counted(*texts, "segment");
        let characters = counted(*characters, "character");
        let price = price
            .map(|price| format!(", for {}", money(price)))
            .unwrap_or_default();
        let engine = fingerprint.split_whitespace().next().unwrap_or_default();
        let _ = writeln!(
            text,
            "    {segments} from memory were made by {fingerprint:?}, which is not asked today; to have them asked for again, with \
             {characters}{price}: latimer memory forget --engine {engine} --locale {}",
            plan.locale
        );
    }
    if plan.unavailable > 0 {
        let _ = writeln!(
            text,
            "    {} that no engine takes",
            counted(plan.unavailable, "new segment")
        );
    }
}
