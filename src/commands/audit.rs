//! `latimer audit`: what is wrong with a localized site, whoever made it; without configuration and state.

use std::path::PathBuf;

use clap::Args;
use pipeline::audit::{
    Audit, AuditError, AuditOptions, AuditRule, AuditTarget, ReportFormat, RuleFinding, Severity,
    audit,
};
use pipeline::model::{Locale, WebAddressError};
use url::Url;

use super::work;
use crate::address::WebAddress;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer audit`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A folder, as a web server would publish it, or the address of a site's first page.
    #[arg(value_name = "DIR|URL")]
    target: String,
    /// text, json or sarif.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// The language from which the others are translated, where it is not that of x-default or of the first page.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    source_locale: Option<Locale>,
    /// The address at which the folder is published, where its pages do not say it.
    #[arg(long, value_name = "URL", value_parser = WebAddress)]
    base: Option<Url>,
    /// The folder from which the site was made: files that have to be as they are there are compared.
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// Switches a rule off; may be given several times.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    allow: Vec<AuditRule>,
    /// The most addresses that are asked for on the web.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    max_pages: usize,
}

/// The target of an audit.
fn target(text: &str) -> Result<AuditTarget, CommandFailure> {
    match pipeline::model::web_address(text) {
        Ok(url) => Ok(AuditTarget::Web(url)),
        Err(WebAddressError::Form) => Ok(AuditTarget::Folder(PathBuf::from(text))),
        Err(error @ WebAddressError::User) => {
            Err(CommandFailure::usage(format!("DIR|URL {error}")))
        }
    }
}

fn rule(text: &str) -> Result<AuditRule, String> {
    AuditRule::named(text)
        .ok_or_else(|| format!("there is no rule `{text}`; docs/audit.md lists them"))
}

/// Audits a site and prints what was found.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let target = &target(&arguments.target)?;
    match target {
        AuditTarget::Folder(folder) if !folder.is_dir() => {
            return Err(CommandFailure::usage(format!(
                "there is no folder {}; give the folder of a published site, or its address",
                folder.display()
            )));
        }
        AuditTarget::Web(_) if arguments.base.is_some() => {
            return Err(CommandFailure::usage(
                "--base goes with a folder; a site on the web has its address",
            ));
        }
        AuditTarget::Web(_) if arguments.source.is_some() => {
            return Err(CommandFailure::usage(
                "--source goes with a folder; files of a site on the web are not compared",
            ));
        }
        AuditTarget::Folder(_) | AuditTarget::Web(_) => {}
    }
    if let Some(source) = arguments.source.as_ref().filter(|source| !source.is_dir()) {
        return Err(CommandFailure::usage(format!(
            "there is no folder {}; give --source the folder that the site was made from",
            source.display()
        )));
    }
    let audit_options = AuditOptions {
        source: arguments.source_locale.clone(),
        base: arguments.base.clone(),
        original: arguments.source.clone(),
        allowed: arguments.allow.clone(),
        max_pages: arguments.max_pages,
    };
    let format = match (options.json, arguments.format) {
        (true, ReportFormat::Text) => ReportFormat::Json,
        (_, format) => format,
    };
    work::until_interrupted(async {
        let progress = options.progress();
        let report = |done: usize, total: usize| progress.report("read", done, Some(total));
        let found = audit(target, &audit_options, &report)
            .await
            .map_err(|error| failure(&error))?;
        Ok(print(&found, format))
    })
}

fn print(audit: &Audit, format: ReportFormat) -> ExitCode {
    let text = audit.write(format);
    match format {
        ReportFormat::Text => terminal::print(&text),
        ReportFormat::Json | ReportFormat::Sarif => print!("{text}"),
    }
    if audit.truncated {
        eprintln!("latimer: there are more pages than --max-pages; the rest was not checked");
    }
    let is_note = |finding: &RuleFinding| finding.rule.description().severity == Severity::Note;
    if audit.findings.iter().all(is_note) {
        ExitCode::Done
    } else {
        ExitCode::Failed
    }
}

fn failure(error: &AuditError) -> CommandFailure {
    match error {
        AuditError::NoPage(_) | AuditError::NoAddress(_) => CommandFailure::usage(error),
        _ => CommandFailure::failed(work::chain(error)),
    }
}
