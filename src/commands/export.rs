//! `latimer export`: a file for translators, with everything that is translated already kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pipeline::config::{Config, SiteConfig};
use pipeline::inspect::{self, Untranslated};
use pipeline::model::{Locale, SiteId};
use pipeline::run::{BuildStep, Stores};
use pipeline::state::State;
use url::Url;

use super::{ordered, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::remote::Remote;

/// The arguments of `latimer export`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The language of the file.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locale: Locale,
    /// The form of the file.
    #[arg(long, value_enum, default_value_t = ExportFormat::Po)]
    format: ExportFormat,
    /// Puts in what engines translated, marked as fuzzy, where nobody has translated anything.
    #[arg(long)]
    prefill: bool,
    /// The site, where the configuration has several, and the file, where it is not the site's own translation
    /// file. Translations that are in the file are kept. Use - for standard output.
    #[arg(value_name = "[SITE] FILE", num_args = 0..=2)]
    names: Vec<String>,
}

/// Forms of translation files.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportFormat {
    /// Gettext PO.
    Po,
}

/// Writes the file.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let ExportFormat::Po = arguments.format;
    let (id, file) = match arguments.names.as_slice() {
        [] => (None, None),
        [file] => (None, Some(file)),
        [site, file, ..] => (
            Some(SiteId::parse(site).map_err(CommandFailure::usage)?),
            Some(file),
        ),
    };
    if let Some(server) = &options.server {
        return work::until_interrupted(export_there(
            server,
            id.as_ref(),
            file.map(Path::new),
            arguments,
            options,
        ));
    }
    let config = options.config()?;
    let site = choose(&config, id.as_ref(), &arguments.locale)?;
    let file = match (file, &site.translations) {
        (Some(file), _) => PathBuf::from(file),
        (None, Some(file)) => file.path(&arguments.locale),
        (None, None) => {
            return Err(CommandFailure::usage(format!(
                "{} has no `translations`; set it, or name a file",
                site.id
            )));
        }
    };
    let untranslated = if arguments.prefill {
        Untranslated::Prefilled
    } else {
        Untranslated::Empty
    };
    work::until_interrupted(export(
        &config,
        site,
        (&arguments.locale, file),
        untranslated,
        options,
    ))
}

/// The site that is meant, where it has the locale.
pub(super) fn choose<'a>(
    config: &'a Config,
    id: Option<&SiteId>,
    locale: &Locale,
) -> Result<&'a SiteConfig, CommandFailure> {
    let site = work::site(config, id)?;
    if !site.locales.contains(locale) {
        return Err(CommandFailure::usage(format!(
            "{} has no locale {}; add it to `locales`",
            site.id, locale
        )));
    }
    Ok(site)
}

async fn export(
    config: &Config,
    site: &SiteConfig,
    (locale, file): (&Locale, PathBuf),
    untranslated: Untranslated,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let objects = work::objects(&config.store)?;
    let state = State::open(&config.store.state)
        .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let progress = options.progress();
    let report = |step: &BuildStep<'_>| progress.step(step);
    let build = work::build_options(config);
    let known = if is_output(&file) {
        site.translations.as_ref().map(|file| file.path(locale))
    } else {
        Some(file.clone())
    };
    let text = inspect::export_po(
        site,
        &stores,
        &build,
        (locale, known.as_deref()),
        untranslated,
        &report,
    )
    .await;
    progress.finish();
    let text = text.map_err(|error| work::failure(&site.id, &error))?;
    put(&file, &text, options)
}

/// True for the file that stands for standard output.
fn is_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Lets a server make the file, with what the site's own translation file has there.
async fn export_there(
    server: &Url,
    site: Option<&SiteId>,
    file: Option<&Path>,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let Some(file) = file else {
        return Err(CommandFailure::usage(
            "name the file to write: `latimer export --server URL --locale xx [SITE] FILE`",
        ));
    };
    if file.exists() && !is_output(file) {
        let message = "is there, and the server does not know what is translated in it; name a file that is new";
        return Err(CommandFailure::usage(format!(
            "{} {message}",
            file.display()
        )));
    }
    let remote = Remote::at(server)?;
    let site = match site {
        Some(site) => site.to_string(),
        None => ordered::only_site(&remote).await?,
    };
    let locale = &arguments.locale;
    let prefill = arguments.prefill;
    let path = format!("/api/sites/{site}/locales/{locale}/translations?prefill={prefill}");
    let answer = remote.get_slowly(&path).await?;
    let Some(text) = answer["content"].as_str() else {
        return Err(CommandFailure::failed(format!(
            "{server} answered without a file; is it as new as this program?"
        )));
    };
    put(file, text, options)
}

/// Writes the file and prints its name, or prints the text itself.
fn put(file: &Path, text: &str, options: &Options) -> Result<ExitCode, CommandFailure> {
    if is_output(file) && options.json {
        return Err(CommandFailure::usage(
            "standard output is for the PO file; leave out --json",
        ));
    }
    if is_output(file) {
        print!("{text}");
        return Ok(ExitCode::Done);
    }
    work::replace(file, text)?;
    if options.json {
        println!("{}", serde_json::json!({ "file": file }));
    } else {
        println!("{}", file.display());
    }
    Ok(ExitCode::Done)
}
