//! The commands, one file each.

mod audit;
mod build;
mod completions;
mod digest;
mod doctor;
mod eval;
mod explain;
mod export;
mod init;
mod locale;
mod man;
mod models;
mod ordered;
mod plan;
mod preview;
mod render;
mod serve;
mod state;
mod summary;
mod token;
mod watch;
mod work;

use clap::Subcommand;

use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a commented latimer.toml for a site.
    Init(init::Arguments),
    /// Takes the source, translates it, renders every page and publishes into the store.
    Build(build::Arguments),
    /// Says what a build would translate and what that costs; asks no engine.
    Plan(plan::Arguments),
    /// Writes a file for translators; what it holds already is kept.
    Export(export::Arguments),
    /// Serves the published pages over HTTP.
    Serve(serve::Arguments),
    /// Builds and serves, and builds what changes again while browsers reload.
    Watch(watch::Arguments),
    /// Says where the texts of a localized page come from, and why some are in the source language.
    Explain(explain::Arguments),
    /// Switches a language on or off and renders what is stored anew.
    Locale(locale::Arguments),
    /// Localizes one page of any address, without publishing it.
    Preview(preview::Arguments),
    /// Shows what digests would say.
    Digest(digest::Arguments),
    /// Makes tokens for the API.
    Token(token::Arguments),
    /// Localizes one HTML file or a folder, without configuration and state.
    Render(render::Arguments),
    /// Says what is wrong with a localized site, whoever made it.
    Audit(audit::Arguments),
    /// Lists, adds and removes neural models.
    Models(models::Arguments),
    /// Says how near engines come to the translations that people made.
    Eval(eval::Arguments),
    /// Looks at configuration, engines and stores, and says what to do.
    Doctor(doctor::Arguments),
    /// Makes a damaged state anew from the store.
    State(state::Arguments),
    /// Writes what a shell needs to complete commands and options.
    Completions(completions::Arguments),
    /// Writes the manual pages.
    Man(man::Arguments),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, options: &Options) -> Result<ExitCode, Failure> {
        if let Some(name) = self.local().filter(|_| options.server.is_some()) {
            return Err(Failure::usage(format!(
                "--server goes with `build`, `plan`, `locale` and `digest show`; {name}"
            )));
        }
        match self {
            Self::Init(arguments) => init::run(&arguments, options),
            Self::Build(arguments) => build::run(&arguments, options),
            Self::Plan(arguments) => plan::run(&arguments, options),
            Self::Export(arguments) => export::run(&arguments, options),
            Self::Serve(arguments) => serve::run(&arguments, options),
            Self::Watch(arguments) => watch::run(&arguments, options),
            Self::Explain(arguments) => explain::run(&arguments, options),
            Self::Locale(arguments) => locale::run(&arguments, options),
            Self::Preview(arguments) => preview::run(&arguments, options),
            Self::Digest(arguments) => digest::run(&arguments, options),
            Self::Token(arguments) => token::run(&arguments, options),
            Self::Render(arguments) => render::run(&arguments, options),
            Self::Audit(arguments) => audit::run(&arguments, options),
            Self::Models(arguments) => models::run(&arguments, options),
            Self::Eval(arguments) => eval::run(&arguments, options),
            Self::Doctor(arguments) => doctor::run(&arguments, options),
            Self::State(arguments) => state::run(&arguments, options),
            Self::Completions(arguments) => completions::run(&arguments),
            Self::Man(arguments) => man::run(&arguments),
        }
    }

    /// Why a server cannot do it, where that is so.
    fn local(&self) -> Option<&'static str> {
        match self {
            Self::Build(_) | Self::Plan(_) | Self::Locale(_) | Self::Digest(_) => None,
            Self::Export(_) => Some("`export` reads the state and writes a file here: stop the server first"),
            Self::Explain(_) => Some("`explain` reads the state: stop the server first"),
            Self::Doctor(_) => Some("`doctor` looks at what is here: stop the server first"),
            Self::State(_) => Some("`state` works on the file here: stop the server first"),
            Self::Serve(_) => Some("`serve` is a server itself"),
            Self::Watch(_) => Some("`watch` is a server itself"),
            Self::Init(_)
            | Self::Preview(_)
            | Self::Token(_)
            | Self::Render(_)
            | Self::Audit(_)
            | Self::Models(_)
            | Self::Eval(_)
            | Self::Completions(_)
            | Self::Man(_) => Some("this command needs no server"),
        }
    }
}
