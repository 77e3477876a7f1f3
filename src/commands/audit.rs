//! `latimer audit`: what is wrong with a localized site, whoever made it; without configuration and state.

use std::path::PathBuf;

use clap::Args;
use pipeline::audit::{
    Audit, AuditError, AuditOptions, Finding, Format, Rule, Severity, Target, audit,
};
use pipeline::model::{Locale, WebAddressError};
use url::Url;

use super::work;
use crate::address::WebAddress;
use crate::exit::{ExitCode, Failure};
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
    format: Format,
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
    allow: Vec<Rule>,
    /// The most addresses that are asked for on the web.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    max_pages: usize,
}

/// The target of an audit.
fn target(text: &str) -> Result<Target, Failure> {
    match pipeline::model::web_address(text) {
        Ok(url) => Ok(Target::Web(url)),
        Err(WebAddressError::Form) => Ok(Target::Folder(PathBuf::from(text))),
        Err(error @ WebAddressError::User) => Err(Failure::usage(format!("DIR|URL {error}"))),
    }
}

fn rule(text: &str) -> Result<Rule, String> {
    Rule::named(text).ok_or_else(|| format!("there is no rule `{text}`; docs/audit.md lists them"))
}

/// Audits a site and prints what was found.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let target = &target(&arguments.target)?;
    match target {
        Target::Folder(folder) if !folder.is_dir() => {
            return Err(Failure::usage(format!(
                "there is no folder {}; give the folder of a published site, or its address",
                folder.display()
            )));
        }
        Target::Web(_) if arguments.base.is_some() => {
            return Err(Failure::usage(
                "--base goes with a folder; a site on the web has its address",
            ));
        }
        Target::Web(_) if arguments.source.is_some() => {
            return Err(Failure::usage(
                "--source goes with a folder; files of a site on the web are not compared",
            ));
        }
        Target::Folder(_) | Target::Web(_) => {}
    }
    if let Some(source) = arguments.source.as_ref().filter(|source| !source.is_dir()) {
        return Err(Failure::usage(format!(
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
        (true, Format::Text) => Format::Json,
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

fn print(audit: &Audit, format: Format) -> ExitCode {
    let text = audit.write(format);
    match format {
        Format::Text => terminal::print(&text),
        Format::Json | Format::Sarif => print!("{text}"),
    }
    if audit.truncated {
        eprintln!("latimer: there are more pages than --max-pages; the rest was not checked");
    }
    let is_note = |finding: &Finding| finding.rule.description().severity == Severity::Note;
    if audit.findings.iter().all(is_note) {
        ExitCode::Done
    } else {
        ExitCode::Failed
    }
}

fn failure(error: &AuditError) -> Failure {
    match error {
        AuditError::NoPage(_) | AuditError::NoAddress(_) => Failure::usage(error),
        _ => Failure::failed(work::chain(error)),
    }
}
