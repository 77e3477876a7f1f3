//! The last lines of a build: the meaning of its exit code, and the next commands.

use std::fmt::Write as _;

use pipeline::config::Config;
use pipeline::run::Report;

use crate::exit::ExitCode;
use crate::options::Options;

/// Writes them for the sites that were built.
pub(super) fn write(reports: &[Report], code: ExitCode, config: &Config, options: &Options) -> String {
    let mut text = String::new();
    if let Some(meaning) = code.meaning() {
        let _ = writeln!(text, "exit code {}: {meaning}", code as u8);
    }
    let alone: Vec<&Report> = reports.iter().filter(|report| report.is_source_alone).collect();
    for report in &alone {
        let _ = writeln!(
            text,
            "{} is published in its source language alone, because no engine and no translator has words yet",
            report.site
        );
    }
    if reports.iter().any(|report| report.deployment > 0) {
        let _ = writeln!(text, "next: `latimer serve{}` shows the pages", options.config_argument());
    }
    if !alone.is_empty() {
        let _ = writeln!(
            text,
            "next: get translations: a neural model (`latimer models add`), another engine or translators (docs/engines.md, \
             docs/translators.md); `en-XA` in `locales` shows which texts Latimer finds"
        );
    }
    for target in &config.publish {
        if reports.iter().any(|report| report.site == target.site && report.created) {
            let config = options.config_argument();
            let _ = writeln!(text, "next: `latimer publish {}{config}` brings them to {}", target.name, target.host);
        }
    }
    text
}
