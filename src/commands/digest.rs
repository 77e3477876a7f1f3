//! `latimer digest`: what the next digest of an account would say, from the state or from the server that has it.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use pipeline::counted::counted;
use pipeline::digest::{self, Digest, DigestBudget, DigestLine};
use pipeline::mail::Zone;
use pipeline::model::{Locale, SiteId};
use pipeline::run;
use pipeline::state::State;
use serde_json::Value;
use url::Url;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::remote::Remote;
use crate::terminal;

/// The arguments of `latimer digest`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the next digest of each account, or of one.
    Show {
        /// The account: the subject of the token that subscribed.
        #[arg(long, value_name = "SUBJECT")]
        account: Option<String>,
    },
}

/// Prints digests.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Show { account } = &arguments.action;
    let digests = match &options.server {
        Some(server) => of_server(server)?,
        None => of_state(options)?,
    };
    let digests: Vec<Digest> = match account {
        None => digests,
        Some(account) => {
            let own = digests
                .into_iter()
                .find(|digest| digest.account == *account);
            vec![own.ok_or_else(|| CommandFailure::failed(unsubscribed(account, options)))?]
        }
    };
    if options.json {
        println!("{}", serde_json::json!({ "digests": digests }));
    } else {
        if digests.is_empty() {
            terminal::print("no account has a digest; callers of the API subscribe to one\n");
        }
        digests
            .iter()
            .for_each(|digest| terminal::print(&written(digest)));
    }
    Ok(ExitCode::Done)
}

fn unsubscribed(account: &str, options: &Options) -> String {
    let others = if options.server.is_some() {
        "; a server shows the digest of the token's subject alone"
    } else {
        ""
    };
    format!("{account} has no active subscription{others}")
}

/// What the server says of the account of the token.
fn of_server(server: &Url) -> Result<Vec<Digest>, CommandFailure> {
    let remote = Remote::at(server)?;
    let mut answer = None;
    work::until_interrupted(async {
        answer = Some(remote.get("/api/digests/next").await?);
        Ok(ExitCode::Done)
    })?;
    let digest = answer
        .map(|answer| answer["digest"].clone())
        .filter(|digest| !digest.is_null());
    let odd = || {
        CommandFailure::failed(format!(
            "{server} answered with a digest of another form; is it as new as this program?"
        ))
    };
    digest
        .iter()
        .map(|digest| read(digest).ok_or_else(odd))
        .collect()
}

/// A digest in the API's words.
fn read(digest: &Value) -> Option<Digest> {
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let line = |line: &Value| {
        Some(DigestLine {
            site: SiteId::parse(line["siteId"].as_str()?).ok()?,
            locale: Locale::parse(line["targetLang"].as_str()?).ok()?,
            pages: line["pages"].as_u64()?,
            updated: line["updated"].as_u64()?,
            untranslated: line["wordsUntranslated"].as_u64()?,
            failures: line["failures"].as_u64()?,
            characters: line["charactersSent"].as_u64()?,
            headline: text(line, "headline"),
            notes: text(line, "notes"),
        })
    };
    let budget = |budget: &Value| {
        Some(DigestBudget {
            site: SiteId::parse(budget["siteId"].as_str()?).ok()?,
            spent: budget["charactersSent"].as_u64()?,
            left: budget["charactersLeft"].as_u64(),
        })
    };
    let since = humantime::parse_rfc3339(digest["since"].as_str()?).ok()?;
    Some(Digest {
        account: text(digest, "accountId")?,
        email: text(digest, "email")?,
        frequency: serde_json::from_value(digest["frequency"].clone()).ok()?,
        since: since.into(),
        lines: digest["lines"]
            .as_array()?
            .iter()
            .map(line)
            .collect::<Option<_>>()?,
        budgets: digest["budgets"]
            .as_array()?
            .iter()
            .map(budget)
            .collect::<Option<_>>()?,
    })
}

fn of_state(options: &Options) -> Result<Vec<Digest>, CommandFailure> {
    let config = options.config()?;
    let failed = |error: pipeline::state::StateError| CommandFailure::failed(work::chain(&error));
    let state = State::open(&config.store.state).map_err(failed)?;
    let added = state.sites().map_err(failed)?;
    // One that cannot be used any more is told about by `serve`.
    let added = added.iter().filter(|(id, _)| config.site(id).is_none());
    let added = added.filter_map(|(id, record)| config.added_site(id, &record.settings).ok());
    let sites: Vec<_> = config.sites.iter().cloned().chain(added).collect();
    digest::due(&sites, &state, run::now()).map_err(failed)
}

fn written(digest: &Digest) -> String {
    let mut text = String::new();
    let since = Zone::UTC.moment(digest.since);
    let _ = writeln!(
        text,
        "{} <{}>, since {since} UTC:",
        digest.account, digest.email
    );
    for line in &digest.lines {
        let _ = write!(
            text,
            "  {} {}: {}, {} new or changed",
            line.site,
            line.locale,
            counted(line.pages, "page"),
            line.updated
        );
        let _ = match &line.headline {
            Some(headline) => writeln!(text, "; {headline}"),
            None => writeln!(text),
        };
    }
    if digest.lines.is_empty() {
        text.push_str("  nothing happened\n");
    }
    text
}
