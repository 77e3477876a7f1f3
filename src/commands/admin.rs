//! `latimer admin login`: an address that signs in at the admin screen, once.

use std::time::{Duration, SystemTime};

use api::{Grant, write_code};
use clap::{Args, Subcommand};
use pipeline::config::AdminConfig;
use pipeline::model::SiteId;

use super::token::{check_scopes, check_subject};
use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;

/// The arguments of `latimer admin`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints an address that signs in once, within ten minutes.
    Login(Login),
}

#[derive(Debug, Args)]
struct Login {
    /// Who signs in; what is done is logged under this name.
    #[arg(long, value_name = "NAME", default_value = "owner")]
    sub: String,
    /// What may be done: scopes, separated by spaces; all where nothing is said.
    #[arg(long)]
    scope: Option<String>,
    /// A site that may be seen; may stand more than once. All where nothing is said.
    #[arg(long = "site", value_name = "ID", value_parser = SiteId::parse)]
    sites: Vec<SiteId>,
}

/// Prints an address.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Login(login) = &arguments.action;
    let config = options.config()?;
    check_subject(&login.sub)?;
    let scope = login
        .scope
        .clone()
        .unwrap_or_else(|| api::scopes().join(" "));
    check_scopes(&scope)?;
    let sites = match login.sites.as_slice() {
        [] => vec!["*".to_owned()],
        some => some.iter().map(ToString::to_string).collect(),
    };
    let grant = Grant {
        subject: login.sub.clone(),
        scope,
        sites,
        ttl: Duration::ZERO,
    };
    let code = write_code(&config.store.state, &grant, SystemTime::now());
    let code = code.map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let admin = config.admin.clone().unwrap_or_else(AdminConfig::usual);
    let address = format!("{}login?code={code}", admin.url);
    match options.json {
        true => println!("{}", serde_json::json!({ "url": address })),
        false => println!("{address}"),
    }
    Ok(ExitCode::Done)
}
