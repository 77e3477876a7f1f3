//! `latimer token mint`: a bearer token for the API, signed with the configured secret.

use std::time::{Duration, SystemTime};

use api::{Grant, MintError, Verifier};
use clap::{Args, Subcommand};
use pipeline::config::Config;
use pipeline::model::SiteId;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;

/// The longest time for which a token is made without being asked twice.
const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// The arguments of `latimer token`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints a new token, and nothing else.
    Mint(Mint),
}

#[derive(Debug, Args)]
struct Mint {
    /// Who is to use it; subscriptions and limits count for each name.
    #[arg(long, value_name = "NAME")]
    sub: String,
    /// What it is for: scopes, separated by spaces.
    #[arg(long)]
    scope: String,
    /// A site that it may be used for, or '*' for all; may stand more than once.
    #[arg(long = "site", value_name = "ID")]
    sites: Vec<String>,
    /// How long it is valid, such as 15min, 1h or 30days.
    #[arg(long, default_value = "1h", value_parser = humantime::parse_duration)]
    ttl: Duration,
    /// Makes a token that is valid for more than a year.
    #[arg(long)]
    force: bool,
}

/// Prints a token.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Mint(mint) = &arguments.action;
    let config = options.config()?;
    let Some(jwt) = &config.api.jwt else {
        return Err(CommandFailure::usage(
            "the configuration has no `jwt` in [api]; add jwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }",
        ));
    };
    mint.check()?;
    for site in mint.unknown(&config) {
        tracing::warn!(
            "the configuration has no site {site}; the token works once that site is added over the API"
        );
    }
    let grant = Grant {
        subject: mint.sub.clone(),
        scope: mint.scope.clone(),
        sites: mint.sites.clone(),
        ttl: mint.ttl,
    };
    let token = Verifier::mint(jwt, &grant, SystemTime::now()).map_err(|error| match error {
        MintError::Key(_) | MintError::PublicKey(_) => CommandFailure::usage(error),
        MintError::Signing(_) => CommandFailure::failed(work::chain(&error)),
    })?;
    if options.json {
        println!("{}", serde_json::json!({ "token": token }));
    } else {
        println!("{token}");
    }
    Ok(ExitCode::Done)
}

/// Refuses a name that nobody can have.
pub(super) fn check_subject(name: &str) -> Result<(), CommandFailure> {
    match name.is_empty() || name.len() > 255 || name.chars().any(char::is_control) {
        true => Err(CommandFailure::usage(
            "--sub must be a name of 1 to 255 bytes without control characters",
        )),
        false => Ok(()),
    }
}

/// Refuses scopes that no operation asks for.
pub(super) fn check_scopes(scopes: &str) -> Result<(), CommandFailure> {
    let known = api::scopes();
    match scopes
        .split_whitespace()
        .find(|scope| !known.contains(scope))
    {
        Some(odd) => Err(CommandFailure::usage(format!(
            "there is no scope {odd}; the scopes are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

impl Mint {
    /// Finds what would make a token that is refused or good for nothing.
    fn check(&self) -> Result<(), CommandFailure> {
        check_subject(&self.sub)?;
        if self.ttl < Duration::from_secs(1) {
            return Err(CommandFailure::usage("--ttl must be a second or more"));
        }
        if self.ttl > YEAR && !self.force {
            return Err(CommandFailure::usage(
                "--ttl is more than a year, and a token cannot be taken back; choose a shorter time, or add --force",
            ));
        }
        check_scopes(&self.scope)?;
        let wrong = self
            .sites
            .iter()
            .filter(|site| *site != "*")
            .find_map(|site| SiteId::parse(site).err());
        wrong.map_or(Ok(()), |error| {
            Err(CommandFailure::usage(format!("--site: {error}")))
        })
    }

    /// The sites that the file does not have. Callers of the API add others; the state knows them, but a running server
    /// has it, and a token may be there before its site.
    fn unknown<'a>(&'a self, config: &'a Config) -> impl Iterator<Item = &'a String> {
        let is_known = |site: &str| {
            site == "*" || SiteId::parse(site).is_ok_and(|id| config.site(&id).is_some())
        };
        self.sites.iter().filter(move |site| !is_known(site))
    }
}
