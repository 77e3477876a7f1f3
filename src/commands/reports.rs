//! `latimer reports`: texts that readers' browsers told of because no dictionary knows them.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use pipeline::counted::counted;
use pipeline::model::SiteId;
use pipeline::run;
use pipeline::state::{ReportRecord, ReportStanding};
use serde_json::{Value, json};

use super::place::{SiteLocation, failed};
use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer reports`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The site, where there are several.
    #[arg(long, global = true, value_name = "ID", value_parser = SiteId::parse)]
    site: Option<SiteId>,
    #[command(subcommand)]
    action: Action,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the texts, new ones first.
    List,
    /// Takes texts: they are translated from the next build on.
    Take(ReportTexts),
    /// Drops texts: they are neither translated nor reported again.
    Drop(ReportTexts),
}

/// Some of the texts.
#[derive(Debug, Args)]
struct ReportTexts {
    /// The texts, as `list` shows them.
    #[arg(
        value_name = "TEXT",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    texts: Vec<String>,
    /// All new texts of the list.
    #[arg(long)]
    all: bool,
}

/// Most texts of one request.
const AT_ONCE: usize = 2_000;

/// Lists, takes or drops.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    work::until_interrupted(async {
        let place = SiteLocation::of(arguments.site.as_ref(), options).await?;
        match &arguments.action {
            Action::List => list(&place.list().await?, options),
            Action::Take(texts) => settle(&place, texts, ReportStanding::Taken, options).await,
            Action::Drop(texts) => settle(&place, texts, ReportStanding::Dropped, options).await,
        }
    })
}

fn list(items: &[Value], options: &Options) -> Result<ExitCode, CommandFailure> {
    if options.json {
        println!("{}", json!({ "items": items }));
        return Ok(ExitCode::Done);
    }
    let mut text = String::new();
    for item in items {
        let word = |name: &str| item[name].as_str().unwrap_or_default();
        let readers =
            usize::try_from(item["readers"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
        let langs = item["targetLangs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let langs = langs.collect::<Vec<_>>().join(" ");
        // Strangers wrote it: nothing in it moves the cursor, because control characters are never kept.
        let _ = writeln!(text, "{:7} {}", word("status"), word("text"));
        let _ = writeln!(
            text,
            "        {} ({langs}), {}",
            word("path"),
            counted(readers, "reader")
        );
    }
    match items {
        [] => println!("no reports of readers"),
        _ => terminal::print(&text),
    }
    Ok(ExitCode::Done)
}

async fn settle(
    place: &SiteLocation,
    wanted: &ReportTexts,
    standing: ReportStanding,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let texts = match wanted.all {
        true => {
            let items = place.list().await?;
            let new = items.iter().filter(|item| item["status"] == "new");
            new.filter_map(|item| item["text"].as_str())
                .map(str::to_owned)
                .collect()
        }
        false => wanted.texts.clone(),
    };
    let (word, then) = match standing {
        ReportStanding::Taken => ("take", "taken: they are translated in the next build"),
        ReportStanding::New | ReportStanding::Dropped => ("drop", "dropped"),
    };
    let unknown = if texts.is_empty() {
        Vec::new()
    } else {
        place.settle(&texts, standing, word).await?
    };
    let settled = texts.len() - unknown.len();
    if options.json {
        println!("{}", json!({ "settled": settled, "unknown": unknown }));
    } else {
        println!("{} {then}", counted(settled, "text"));
    }
    match unknown.as_slice() {
        [] => Ok(ExitCode::Done),
        [first, ..] => Err(CommandFailure::usage(format!(
            "{} not in the list, such as {first:?}: copy them from `latimer reports list`",
            counted(unknown.len(), "text")
        ))),
    }
}

impl SiteLocation {
    /// The texts as the API lists them, without their times.
    async fn list(&self) -> Result<Vec<Value>, CommandFailure> {
        match self {
            Self::Here(state, site) => {
                let mut reports: Vec<_> =
                    state.reports(site).map_err(failed)?.into_iter().collect();
                reports.sort_by_key(|(_, report)| report.place());
                let item = |(text, report): (String, ReportRecord)| {
                    let status = report.standing;
                    let path = report.page;
                    let locales = report.locales;
                    json!({
                        "text": text, "status": status, "path": path, "targetLangs": locales, "readers": report.readers
                    })
                };
                Ok(reports.into_iter().map(item).collect())
            }
            Self::There(remote, site) => remote.list(&format!("/api/sites/{site}/reports")).await,
        }
    }

    /// Writes down what is said of some texts; gives those that are not in the list.
    async fn settle(
        &self,
        texts: &[String],
        standing: ReportStanding,
        word: &str,
    ) -> Result<Vec<String>, CommandFailure> {
        match self {
            Self::Here(state, site) => state
                .settle_reports(site, texts, standing, run::now())
                .map_err(failed),
            Self::There(remote, site) => {
                let mut unknown = Vec::new();
                for texts in texts.chunks(AT_ONCE) {
                    let answer = remote
                        .post(
                            &format!("/api/sites/{site}/reports/{word}"),
                            &json!({ "texts": texts }),
                        )
                        .await?;
                    let odd = answer.value["unknown"].as_array().into_iter().flatten();
                    unknown.extend(odd.filter_map(Value::as_str).map(str::to_owned));
                }
                Ok(unknown)
            }
        }
    }
}
