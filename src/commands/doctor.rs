//! `latimer doctor`: looks at everything that the configuration names, and says what is wrong and what to do.

use api::doctor::{Depth, Finding, Health, StateAt, StoreAt, doctor};
use clap::Args;
use pipeline::config::{Config, Objects};
use serde_json::json;

use super::work;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer doctor`: none of its own.
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

/// Looks at everything; fails when something does not work.
pub(crate) fn run(_arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let config = options.config()?;
    work::until_interrupted(async {
        let place = options.config_file().display().to_string();
        let mut findings = vec![Finding::new("configuration", Health::Good, place)];
        findings.extend(look(&config).await);
        Ok(report(&findings, options))
    })
}

async fn look(config: &Config) -> Vec<Finding> {
    let opened;
    let store = match &config.store.objects {
        // Do not open it: that would create the folder, for a user who may differ from the one that serves.
        Objects::Folder(folder) if !folder.exists() => StoreAt::New(folder),
        Objects::Folder(_) | Objects::Url(_) => {
            opened = work::open_objects(&config.store);
            match &opened {
                Ok(objects) => StoreAt::Open(objects),
                Err(error) => StoreAt::Closed(error),
            }
        }
    };
    doctor(config, store, StateAt::Disk, Depth::Whole).await
}

fn report(findings: &[Finding], options: &Options) -> ExitCode {
    let is_bad = findings.iter().any(|finding| finding.health == Health::Bad);
    if options.json {
        let one = |Finding {
                       what,
                       health,
                       found,
                   }: &Finding| json!({ "what": what, "health": health.as_str(), "found": found });
        println!(
            "{}",
            json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() })
        );
    } else {
        for Finding {
            what,
            health,
            found,
        } in findings
        {
            terminal::print(&format!("{:4}  {what}: {found}\n", health.as_str()));
        }
    }
    if is_bad {
        ExitCode::Failed
    } else {
        ExitCode::Done
    }
}
