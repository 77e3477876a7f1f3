//! `latimer publish`: brings a deployment to a host that Latimer does not run. The state is not opened, so it goes beside a
//! server and on a machine that has the store alone.

use clap::Args;
use pipeline::config::{Config, PublishConfig};
use pipeline::counted::counted;
use pipeline::model::without_user;
use pipeline::run;
use pipeline::targets::{self, PublishOptions, PublishReport, TargetError};
use serde_json::json;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// How many changes are listed without `--dry-run`'s whole list.
const LISTED: usize = 200;

/// The arguments of `latimer publish`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// NAME of a table [publish.NAME]; may be left out if there is only one.
    name: Option<String>,
    /// Publishes to a folder or a bucket (s3://, gs://, az://) that no table names.
    #[arg(long, value_name = "FOLDER|URL", conflicts_with = "name")]
    to: Option<String>,
    /// The kind of host that reads what --to names, such as nginx or netlify.
    #[arg(long, value_name = "HOST", requires = "to", default_value = "plain")]
    target: String,
    /// The site that is brought there, where there are several.
    #[arg(long, value_name = "ID", requires = "to")]
    site: Option<String>,
    /// Shows what would change and what the host would be told; changes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Publishes this deployment, by its id or number, and not the newest.
    #[arg(long, value_name = "ID")]
    deployment: Option<String>,
    /// Lists what lies at the target, and puts right what others changed there.
    #[arg(long)]
    verify: bool,
    /// Also deletes what Latimer did not put there.
    #[arg(long, requires = "verify")]
    delete: bool,
}

/// Publishes, or shows what that would do.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    let target = match &arguments.to {
        Some(to) => &once(&config, to, arguments)?,
        None => target(&config, arguments.name.as_deref())?,
    };
    work::until_interrupted(async {
        let objects = work::objects(&config.store)?;
        let publish = PublishOptions {
            deployment: arguments.deployment.clone(),
            dry_run: arguments.dry_run,
            verify: arguments.verify,
            delete: arguments.delete,
            who: format!("`latimer publish`, process {}", std::process::id()),
            now: run::now(),
            patience: config.store.patience,
        };
        let progress = options.progress();
        let report = targets::publish(target, &objects, &publish, &|done, total| {
            progress.report("send", done, Some(total))
        })
        .await;
        progress.finish();
        let report = report.map_err(|error| failure(target, &error))?;
        if options.json {
            println!("{}", json!({ "publish": report }));
        } else {
            terminal::print(&text(&report));
        }
        Ok(ExitCode::Done)
    })
}

/// The target that the command line names itself.
fn once(config: &Config, to: &str, arguments: &Arguments) -> Result<PublishConfig, CommandFailure> {
    let whole = std::path::absolute(to).ok().filter(|_| !to.contains("://"));
    let whole = whole.map_or_else(|| to.to_owned(), |folder| folder.display().to_string());
    let environment = |name: &str| std::env::var(name).ok();
    let target = config.target_once(
        &whole,
        &arguments.target,
        arguments.site.as_deref(),
        &environment,
    );
    target.map_err(|error| {
        CommandFailure::usage(format!(
            "--to {} --target {}: {}",
            without_user(to),
            arguments.target,
            error.message()
        ))
    })
}

fn target<'c>(config: &'c Config, name: Option<&str>) -> Result<&'c PublishConfig, CommandFailure> {
    let names: Vec<String> = config
        .publish
        .iter()
        .map(|target| target.name.to_string())
        .collect();
    match (name, config.publish.as_slice()) {
        (_, []) => Err(CommandFailure::usage(
            "latimer.toml has no table [publish.NAME]; write one with `latimer init --host NAME`, such as --host netlify",
        )),
        (None, [only]) => Ok(only),
        (None, _) => Err(CommandFailure::usage(format!(
            "say which target: {}",
            names.join(", ")
        ))),
        (Some(name), all) => all
            .iter()
            .find(|target| target.name.to_string() == name)
            .ok_or_else(|| {
                CommandFailure::usage(format!(
                    "there is no [publish.{name}]; the targets are {}",
                    names.join(", ")
                ))
            }),
    }
}

fn failure(target: &PublishConfig, error: &TargetError) -> CommandFailure {
    let code = match error {
        TargetError::Cannot(_) | TargetError::ManyTrees { .. } | TargetError::Claimed { .. } => {
            ExitCode::Cannot
        }
        TargetError::NoDeployment { .. } => ExitCode::Usage,
        _ => ExitCode::Failed,
    };
    CommandFailure {
        code,
        message: format!("{}: {}", target.name, work::chain(error)),
    }
}

fn text(report: &PublishReport) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    if report.dry_run {
        for change in report.changes.iter().take(LISTED) {
            line(&format!(
                "{} {} {}",
                change.change.sign(),
                change.name,
                change.bytes
            ));
        }
        if report.changes.len() > LISTED {
            line(&format!(
                "… and {}; --json lists them all",
                counted(report.changes.len() - LISTED, "more change")
            ));
        }
        for file in &report.host_files {
            let place = if file.is_beside {
                "beside the tree"
            } else {
                "in the tree"
            };
            line(&format!(
                "{} ({place}), {} lines:",
                file.name,
                file.text.lines().count()
            ));
            file.text
                .lines()
                .take(LISTED)
                .for_each(|told| line(&format!("    {told}")));
        }
        for differs in &report.differs {
            line(&format!(
                "{} differs from `latimer serve`: {differs}",
                report.host
            ));
        }
    }
    for name in &report.foreign {
        line(&format!("not from Latimer: {name}"));
    }
    let verb = if report.dry_run { "would send" } else { "sent" };
    line(&format!(
        "{}: deployment {} of {}: {verb} {} ({} bytes), removed {}, {} unchanged, {} kept for open pages",
        report.target,
        report.deployment,
        report.site,
        counted(report.sent, "file"),
        report.bytes,
        report.removed,
        report.unchanged,
        report.leaving,
    ));
    for file in &report.reload {
        line(&format!(
            "{file} changed: {}",
            if report.host == "cloudfront" {
                "bring it to CloudFront"
            } else {
                "let the server read its configuration again"
            }
        ));
    }
    text
}
