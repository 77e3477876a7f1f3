//! `latimer doctor`: looks at everything that the configuration names, and says what is wrong and what to do.

use api::doctor::{DoctorDepth, DoctorFinding, DoctorHealth, StateAt, StoreAt, doctor};
use clap::Args;
use pipeline::config::{Config, StoreLocation};
use serde_json::json;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer doctor`: none of its own.
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

/// Looks at everything; fails when something does not work.
pub(crate) fn run(_arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    work::until_interrupted(async {
        let place = options.config_file().display().to_string();
        let mut findings = vec![DoctorFinding::new(
            "configuration",
            DoctorHealth::Good,
            place,
        )];
        findings.extend(look(&config).await);
        Ok(report(&findings, options))
    })
}

async fn look(config: &Config) -> Vec<DoctorFinding> {
    let opened;
    let store = match &config.store.objects {
        // Do not open it: that would create the folder, for a user who may differ from the one that serves.
        StoreLocation::Folder(folder) if !folder.exists() => StoreAt::New(folder),
        StoreLocation::Folder(_) | StoreLocation::Url(_) => {
            opened = work::open_objects(&config.store);
            match &opened {
                Ok(objects) => StoreAt::Open(objects),
                Err(error) => StoreAt::Closed(error),
            }
        }
    };
    doctor(config, store, StateAt::Disk, DoctorDepth::Whole).await
}

fn report(findings: &[DoctorFinding], options: &Options) -> ExitCode {
    let is_bad = findings
        .iter()
        .any(|finding| finding.health == DoctorHealth::Bad);
    if options.json {
        let one = |DoctorFinding {
                       what,
                       health,
                       found,
                   }: &DoctorFinding| json!({ "what": what, "health": health.as_str(), "found": found });
        println!(
            "{}",
            json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() })
        );
    } else {
        for DoctorFinding {
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
