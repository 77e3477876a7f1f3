//! The commands, one file each.

mod admin;
mod audit;
mod build;
mod completions;
mod cost;
mod digest;
mod doctor;
mod engine;
mod eval;
mod explain;
mod export;
mod init;
mod locale;
mod mail;
mod man;
mod memory;
mod models;
mod next;
mod ordered;
mod place;
mod plan;
mod preview;
mod publish;
mod render;
mod reports;
mod serve;
mod state;
mod summary;
mod terms;
mod token;
mod watch;
mod webhooks;
mod work;

use clap::Subcommand;

use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;

/// The subcommand.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a commented latimer.toml for a site.
    Init(init::Arguments),
    /// Reads the source, translates, renders and publishes every page.
    Build(build::Arguments),
    /// Shows what a build would translate and what it would cost; calls no engine.
    Plan(plan::Arguments),
    /// Writes a file for translators, and keeps what it already has.
    Export(export::Arguments),
    /// Serves the published pages over HTTP.
    Serve(serve::Arguments),
    /// Builds, serves, and rebuilds what changes; open pages reload.
    Watch(watch::Arguments),
    /// Publishes a deployment to another web server, a bucket or a service for static sites.
    Publish(publish::Arguments),
    /// Shows where the texts of a page come from, and why some are in the source language.
    Explain(explain::Arguments),
    /// Switches a language on or off, and renders the stored source again.
    Locale(locale::Arguments),
    /// Lists, takes and drops texts that readers' browsers reported.
    Reports(reports::Arguments),
    /// Lists, adds, removes and tests webhook endpoints.
    Webhooks(webhooks::Arguments),
    /// Localizes one page of any address, without publishing it.
    Preview(preview::Arguments),
    /// Shows the next digests.
    Digest(digest::Arguments),
    /// Sends a test mail.
    Mail(mail::Arguments),
    /// Signs in at the admin screen.
    Admin(admin::Arguments),
    /// Mints tokens for the API.
    Token(token::Arguments),
    /// Localizes one HTML file or a folder, without configuration and state.
    Render(render::Arguments),
    /// Lists what is wrong with a localized site, whoever made it.
    Audit(audit::Arguments),
    /// Lists, adds and removes neural models.
    Models(models::Arguments),
    /// Forgets machine translations.
    Memory(memory::Arguments),
    /// Suggests terms for the glossary.
    Terms(terms::Arguments),
    /// Compares engines with the translations that people made.
    Eval(eval::Arguments),
    /// Tests an engine with one sentence.
    Engine(engine::Arguments),
    /// Checks configuration, engines and stores, and suggests what to do.
    Doctor(doctor::Arguments),
    /// Rebuilds a damaged state from the store.
    State(state::Arguments),
    /// Writes shell completions.
    Completions(completions::Arguments),
    /// Writes the manual pages.
    Man(man::Arguments),
}

impl Command {
    /// Does it; `command_line` is what the program takes, which some commands describe.
    pub(crate) fn run(
        self,
        options: &Options,
        command_line: clap::Command,
    ) -> Result<ExitCode, CommandFailure> {
        if let Some(name) = self.local().filter(|_| options.server.is_some()) {
            return Err(CommandFailure::usage(format!(
                "--server goes with `build`, `plan`, `locale`, `reports`, `webhooks`, `explain`, `export` and `digest show`; \
                 {name}"
            )));
        }
        match self {
            Self::Init(arguments) => init::run(&arguments, options),
            Self::Build(arguments) => build::run(&arguments, options),
            Self::Plan(arguments) => plan::run(&arguments, options),
            Self::Export(arguments) => export::run(&arguments, options),
            Self::Serve(arguments) => serve::run(&arguments, options),
            Self::Watch(arguments) => watch::run(&arguments, options),
            Self::Publish(arguments) => publish::run(&arguments, options),
            Self::Explain(arguments) => explain::run(&arguments, options),
            Self::Locale(arguments) => locale::run(&arguments, options),
            Self::Reports(arguments) => reports::run(&arguments, options),
            Self::Webhooks(arguments) => webhooks::run(&arguments, options),
            Self::Preview(arguments) => preview::run(&arguments, options),
            Self::Digest(arguments) => digest::run(&arguments, options),
            Self::Mail(arguments) => mail::run(&arguments, options),
            Self::Admin(arguments) => admin::run(&arguments, options),
            Self::Token(arguments) => token::run(&arguments, options),
            Self::Render(arguments) => render::run(&arguments, options),
            Self::Audit(arguments) => audit::run(&arguments, options),
            Self::Models(arguments) => models::run(&arguments, options),
            Self::Memory(arguments) => memory::run(&arguments, options),
            Self::Terms(arguments) => terms::run(&arguments, options),
            Self::Eval(arguments) => eval::run(&arguments, options),
            Self::Engine(arguments) => engine::run(&arguments, options),
            Self::Doctor(arguments) => doctor::run(&arguments, options),
            Self::State(arguments) => state::run(&arguments, options),
            Self::Completions(arguments) => completions::run(&arguments, command_line),
            Self::Man(arguments) => man::run(&arguments, command_line),
        }
    }

    /// Why a server cannot do it, where that is so.
    fn local(&self) -> Option<&'static str> {
        match self {
            Self::Build(_)
            | Self::Plan(_)
            | Self::Locale(_)
            | Self::Reports(_)
            | Self::Webhooks(_)
            | Self::Digest(_)
            | Self::Explain(_)
            | Self::Export(_) => None,
            Self::Doctor(_) => Some(
                "`doctor` checks this machine; run it without --server, also while a server runs",
            ),
            Self::Memory(_) => Some("`memory` works on the state here: stop the server first"),
            Self::State(_) => Some("`state` works on the file here: stop the server first"),
            Self::Serve(_) => Some("`serve` is a server itself"),
            Self::Watch(_) => Some("`watch` is a server itself"),
            Self::Publish(_) => Some(
                "a server is asked by POST /api/sites/{siteId}/publish/{name}, or publishes after each run",
            ),
            Self::Mail(_) => Some("`mail test` sends from this machine, as its latimer.toml says"),
            Self::Admin(_) => {
                Some("`admin login` writes beside the state: run it on the machine of the server")
            }
            Self::Engine(_) => Some(
                "`engine test` asks from this machine; run it without --server, also while a server runs",
            ),
            Self::Init(_)
            | Self::Preview(_)
            | Self::Token(_)
            | Self::Render(_)
            | Self::Audit(_)
            | Self::Models(_)
            | Self::Terms(_)
            | Self::Eval(_)
            | Self::Completions(_)
            | Self::Man(_) => Some("this command needs no server"),
        }
    }
}
