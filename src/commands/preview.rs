//! `latimer preview`: one page in another language, not published; nothing is remembered.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pipeline::config::Config;
use pipeline::model::{Locale, without_user};
use pipeline::preview::{PagePreview, PreviewRequest, Previewer, UntranslatedText};
use pipeline::state::{State, StateError};

use super::{summary::shorten, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;

/// The arguments of `latimer preview`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page's address; a page of a configured site is read from that site's source.
    url: String,
    /// The language wanted.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locale: Locale,
    /// The page's language; without it, that of the configuration's first site.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    from: Option<Locale>,
    /// A file for the page, instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Prints or writes the page.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    work::until_interrupted(preview(&config, arguments, options))
}

async fn preview(
    config: &Config,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let first = config.sites.first().map(|site| site.source_locale.clone());
    let source = arguments.from.clone().or(first);
    let source =
        source.ok_or_else(|| CommandFailure::usage("name the page's language with --from"))?;
    let wanted = PreviewRequest {
        url: arguments.url.clone(),
        source,
        target: arguments.locale.clone(),
        payer: None,
    };
    let sites: Vec<_> = config.sites.iter().cloned().map(Arc::new).collect();
    let previewer = Previewer::new(config, memory(config)?.map(Arc::new));
    let made = previewer.localize(&sites, &wanted, &|_| ()).await;
    let PagePreview { html, untranslated } = made.map_err(|fault| {
        CommandFailure::failed(format!(
            "no preview of {}: {fault}",
            without_user(&arguments.url)
        ))
    })?;
    for UntranslatedText { source, reason } in &untranslated {
        options.progress().note(&format!(
            "it stays in the source language: {reason}: {}",
            shorten(source)
        ));
    }
    match &arguments.out {
        Some(file) => {
            std::fs::write(file, &html).map_err(|error| {
                CommandFailure::failed(format!("cannot write {}: {error}", file.display()))
            })?;
        }
        None if options.json => {}
        None => std::io::stdout().write_all(&html).map_err(|error| {
            CommandFailure::failed(format!("cannot write standard output: {error}"))
        })?,
    }
    if options.json {
        let report = serde_json::json!({
            "url": arguments.url, "locale": arguments.locale, "bytes": html.len(), "untranslated": untranslated,
        });
        println!("{report}");
    }
    Ok(if untranslated.is_empty() {
        ExitCode::Done
    } else {
        ExitCode::Partial
    })
}

/// The memory of earlier builds, if there is one and nobody has it open.
fn memory(config: &Config) -> Result<Option<State>, CommandFailure> {
    if !config.store.state.exists() {
        return Ok(None);
    }
    match State::open(&config.store.state) {
        Ok(state) => Ok(Some(state)),
        Err(error @ StateError::Held { .. }) => {
            tracing::warn!("without the memory of earlier builds: {error}");
            Ok(None)
        }
        Err(error) => Err(CommandFailure::failed(work::chain(&error))),
    }
}
