//! The commands, one file each.

mod build;
mod digest;
mod export;
mod init;
mod locale;
mod render;
mod serve;
mod summary;
mod token;
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
    /// Writes a file for translators; what it holds already is kept.
    Export(export::Arguments),
    /// Serves the published pages over HTTP.
    Serve(serve::Arguments),
    /// Switches a language on or off and renders what is stored anew.
    Locale(locale::Arguments),
    /// Shows what digests would say.
    Digest(digest::Arguments),
    /// Makes tokens for the API.
    Token(token::Arguments),
    /// Localizes one HTML file or a folder, without configuration and state.
    Render(render::Arguments),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, options: &Options) -> Result<ExitCode, Failure> {
        match self {
            Self::Init(arguments) => init::run(&arguments, options),
            Self::Build(arguments) => build::run(&arguments, options),
            Self::Export(arguments) => export::run(&arguments, options),
            Self::Serve(arguments) => serve::run(&arguments, options),
            Self::Locale(arguments) => locale::run(&arguments, options),
            Self::Digest(arguments) => digest::run(&arguments, options),
            Self::Token(arguments) => token::run(&arguments, options),
            Self::Render(arguments) => render::run(&arguments, options),
        }
    }
}
