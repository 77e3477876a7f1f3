//! `latimer digest`: what the next digest of an account would say.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use pipeline::digest::{self, Digest};
use pipeline::store::State;

use super::work;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// The arguments of `latimer digest`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints what the next digest of each account, or of one, would say.
    Show {
        /// The account: the subject of the token that subscribed.
        #[arg(long, value_name = "SUBJECT")]
        account: Option<String>,
    },
}

/// Prints digests.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let Action::Show { account } = &arguments.action;
    let config = options.config()?;
    let failed = |error: pipeline::store::StoreError| Failure::failed(work::chain(&error));
    let state = State::open(&config.store.state).map_err(failed)?;
    let added = state.sites().map_err(failed)?;
    // One that cannot be used any more is told about by `serve`.
    let added = added.iter().filter(|(id, _)| config.site(id).is_none());
    let added = added.filter_map(|(id, record)| config.added_site(id, &record.settings).ok());
    let sites: Vec<_> = config.sites.iter().cloned().chain(added).collect();
    let mut digests = digest::due(&sites, &state, work::now()).map_err(failed)?;
    if let Some(account) = account {
        digests.retain(|digest| digest.account == *account);
        if digests.is_empty() {
            return Err(Failure::failed(format!("{account} has no subscription, or one that is off")));
        }
    }
    if options.json {
        println!("{}", serde_json::json!({ "digests": digests }));
    } else {
        digests.iter().for_each(|digest| print!("{}", written(digest)));
    }
    Ok(ExitCode::Done)
}

fn written(digest: &Digest) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} <{}>, {}:", digest.account, digest.email, digest.period());
    for line in &digest.lines {
        let _ = write!(text, "  {} {}: {} pages, {} new or changed", line.site, line.locale, line.pages, line.updated);
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
