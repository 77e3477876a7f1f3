//! The last lines of a build: the meaning of its exit code, and the next commands.

use std::fmt::Write as _;

use pipeline::config::{Config, SourceLocation};
use pipeline::run::Report;

use crate::exit::ExitCode;
use crate::options::Options;

/// Returns the last lines of a build: the meaning of the exit code, then the next commands.
pub(super) fn write(
    reports: &[Report],
    code: ExitCode,
    config: &Config,
    options: &Options,
) -> String {
    let mut text = String::new();
    if let Some(meaning) = code.meaning() {
        let _ = writeln!(text, "exit code {}: {meaning}", code as u8);
    }
    let alone: Vec<&Report> = reports
        .iter()
        .filter(|report| report.is_source_alone)
        .collect();
    for report in &alone {
        let state = match config.site(&report.site).map(|site| &site.source) {
            Some(SourceLocation::Web(_)) => {
                "has no translated page yet, and its readers stay on the source's own site"
            }
            Some(SourceLocation::Folder(_)) | None => "is published in its source language alone",
        };
        let _ = writeln!(
            text,
            "{} {state}: no engine and no translator has words for its languages",
            report.site
        );
    }
    if reports.iter().any(|report| has_pages(report, config)) {
        let _ = writeln!(
            text,
            "next: `latimer serve{}` shows the pages",
            options.config_argument()
        );
    }
    if !alone.is_empty() {
        let _ = writeln!(
            text,
            "next: add a neural model (`latimer models add`), another engine (docs/engines.md) or translators \
             (docs/translators.md). `en-XA` in `locales` shows the texts that Latimer finds"
        );
    }
    for target in &config.publish {
        if reports
            .iter()
            .any(|report| report.site == target.site && report.created)
        {
            let config = options.config_argument();
            let _ = writeln!(
                text,
                "next: `latimer publish {}{config}` publishes {}",
                target.name, target.site
            );
        }
    }
    text
}

/// True if the server has a page of the site: one in the source language, or a translated one.
fn has_pages(report: &Report, config: &Config) -> bool {
    let is_folder = config
        .site(&report.site)
        .is_some_and(|site| matches!(site.source, SourceLocation::Folder(_)));
    report.deployment > 0 && (is_folder || report.locales.iter().any(|locale| locale.pages > 0))
}
