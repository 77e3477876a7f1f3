//! `latimer build`: source in, published pages out.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use clap::Args;
use pipeline::config::{Config, SiteConfig};
use pipeline::model::{Locale, RunId, SiteId};
use pipeline::run::BuildOptions;

use super::{next, ordered, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer build`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    wanted: SelectionArguments,
    /// Neither fetches the source nor calls an engine: uses what the last build left.
    #[arg(long)]
    offline: bool,
    /// Fails rather than translate anything (exit code 3).
    #[arg(long)]
    frozen: bool,
    /// Asks the engines again for what they translated before; people's translations stay.
    #[arg(long)]
    force: bool,
    /// Does everything again, also where nothing changed since the last build; the result is the same.
    #[arg(long)]
    rebuild: bool,
    /// Sends no more characters than this to engines: what would cost more is refused before anything is sent (exit
    /// code 4).
    #[arg(long, value_name = "N", value_parser = characters)]
    max_chars: Option<u64>,
    /// Takes the source as that run saw it, which ended with exit code 7; a source that changed since is judged anew.
    #[arg(long, value_name = "RUN", value_parser = run_id, conflicts_with = "offline")]
    accept_source: Option<RunId>,
    /// How many pages are worked on at the same time.
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
}

/// The sites and locales that are meant.
#[derive(Debug, Args)]
pub(super) struct SelectionArguments {
    /// The site; all enabled sites without it.
    #[arg(value_parser = SiteId::parse)]
    site: Option<SiteId>,
    /// Asks engines only for this locale; the others have the words that are there. May be given several times.
    #[arg(long = "locale", value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locales: Vec<Locale>,
}

/// What of the configuration is built. The rest stays published as it is, and pages go on naming it.
#[derive(Debug)]
pub(crate) struct BuildSelection {
    /// The sites, in the order of the configuration.
    pub(super) sites: Vec<SiteId>,
    /// The locales; empty means all of each site.
    pub(super) locales: Vec<Locale>,
}

/// Builds the sites and locales that were asked for.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    if let Some(server) = &options.server {
        return ordered::build(server, &ordered(arguments)?, options);
    }
    let config = options.config()?;
    let selection = arguments.wanted.select(&config)?;
    let defaults = work::build_options(&config);
    let build = BuildOptions {
        locales: selection.locales.clone(),
        offline: arguments.offline,
        frozen: arguments.frozen,
        force: arguments.force,
        rebuild: arguments.rebuild,
        max_characters: arguments.max_chars,
        jobs: arguments.jobs.unwrap_or(defaults.jobs),
        ..defaults
    };
    let accept = arguments.accept_source;
    let outcome = work::until_interrupted(async {
        let reports = work::build(&config, &selection.sites, &build, accept, options).await?;
        let code = work::code(&reports);
        if !options.json && !options.quiet {
            terminal::print(&next::write(&reports, code, &config, options));
        }
        Ok(code)
    });
    let Err(mut failure) = outcome else {
        return outcome;
    };
    if let Some(meaning) = failure.code.meaning().filter(|_| !options.json) {
        let _ = write!(
            failure.message,
            "\nexit code {}: {meaning}",
            failure.code as u8
        );
    }
    Err(failure)
}

/// What a server can be asked for; how it works is its own configuration's affair.
fn ordered(arguments: &Arguments) -> Result<ordered::Order, CommandFailure> {
    let local = [
        ("--offline", arguments.offline),
        ("--frozen", arguments.frozen),
        ("--rebuild", arguments.rebuild),
        ("--max-chars", arguments.max_chars.is_some()),
        ("--jobs", arguments.jobs.is_some()),
    ];
    let accepts = arguments.accept_source.is_some();
    if accepts && (arguments.force || !arguments.wanted.locales.is_empty()) {
        return Err(CommandFailure::usage(
            "--accept-source with --server goes with neither --force nor --locale",
        ));
    }
    match local.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CommandFailure::usage(format!(
            "{option} does not go with --server"
        ))),
        None => {
            let order = arguments.wanted.order(arguments.force);
            Ok(ordered::Order {
                accept: arguments.accept_source,
                ..order
            })
        }
    }
}

fn characters(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "write a number of characters in digits, such as 10000".to_owned())
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "write a number of pages, 1 or more".to_owned())
}

fn run_id(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| "write the id of a run, as the build printed it".to_owned())
}

impl SelectionArguments {
    /// The same as an order for a server, which knows what sites and locales there are.
    pub(super) fn order(&self, force: bool) -> ordered::Order {
        ordered::Order {
            site: self.site.clone(),
            locales: self.locales.clone(),
            force,
            accept: None,
        }
    }

    /// Finds the sites that are meant and makes sure that the locales exist.
    pub(super) fn select(&self, config: &Config) -> Result<BuildSelection, CommandFailure> {
        let Self { site, locales } = self;
        let sites: Vec<&SiteConfig> = match site {
            Some(id) => config.site(id).into_iter().collect(),
            None => config.sites.iter().filter(|site| site.enabled).collect(),
        };
        if sites.is_empty() {
            let known: Vec<_> = config.sites.iter().map(|site| site.id.as_str()).collect();
            return Err(CommandFailure::usage(match site {
                Some(id) => format!(
                    "there is no site {id}; the configuration has {}",
                    known.join(", ")
                ),
                None => "no site is enabled; name one, or set enabled = true".to_owned(),
            }));
        }
        match locales
            .iter()
            .find(|locale| !sites.iter().any(|site| site.locales.contains(locale)))
        {
            Some(locale) => Err(CommandFailure::usage(format!(
                "no site here has the locale {locale}; add it to `locales`"
            ))),
            None => Ok(BuildSelection {
                sites: sites.into_iter().map(|site| site.id.clone()).collect(),
                locales: locales.to_vec(),
            }),
        }
    }
}
