//! `latimer doctor`: looks at everything that the configuration names, and says what is wrong and what to do.

use api::doctor::{Depth, Finding, Health, StateAt, doctor};
use clap::Args;
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
        let objects = work::open_objects(&config.store);
        findings.extend(doctor(&config, objects.as_ref(), StateAt::Disk, Depth::Whole).await);
        Ok(report(&findings, options))
    })
}

fn report(findings: &[Finding], options: &Options) -> ExitCode {
    let is_bad = findings.iter().any(|finding| finding.health == Health::Bad);
    if options.json {
        let one = |Finding { what, health, found }: &Finding| json!({ "what": what, "health": health.as_str(), "found": found });
        println!("{}", json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() }));
    } else {
        for Finding { what, health, found } in findings {
            terminal::print(&format!("{:4}  {what}: {found}\n", health.as_str()));
        }
    }
    if is_bad { ExitCode::Failed } else { ExitCode::Done }
}
