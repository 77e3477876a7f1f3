//! `latimer render`: the bare core on one HTML file or a folder, without configuration and state.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use pipeline::config::engine_from_option;
use pipeline::model::Locale;

use super::wiring;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// The arguments of `latimer render`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// identity, pseudo, fx, apertium, or command:PROGRAM ARGUMENT… (split on spaces, no shell).
    #[arg(long)]
    engine: String,
    /// Reviewed translations, which go before the engine.
    #[arg(long, value_name = "FILE.po")]
    pub(super) translations: Option<PathBuf>,
    /// The language of the source.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse)]
    pub(super) from: Locale,
    /// The language wanted.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse)]
    pub(super) to: Locale,
    /// Leaves lang, dir and the head's links and data as they are.
    #[arg(long)]
    pub(super) no_head: bool,
    /// Leaves links as they are.
    #[arg(long)]
    pub(super) no_links: bool,
    /// The folder of neural models, for the engine fx.
    #[arg(long, value_name = "FOLDER", env = "LATIMER_MODELS", default_value = "models")]
    models: PathBuf,
    /// An HTML file, a folder, or - for standard input.
    #[arg(value_name = "IN")]
    pub(super) input: Place,
    /// A file, a folder, or - for standard output.
    #[arg(value_name = "OUT")]
    pub(super) output: Place,
}

/// A file or folder, or a standard stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Standard input or output, written `-`.
    Stream,
    /// A file or folder.
    Path(PathBuf),
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "-" { Self::Stream } else { Self::Path(text.into()) })
    }
}

/// Localizes a file, a stream or a folder.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let engine = engine_from_option(&arguments.engine, &arguments.models).map_err(Failure::usage)?;
    wiring::render(&engine, arguments, options)
}
