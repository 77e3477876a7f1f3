//! `latimer serve`: published pages over HTTP, until a signal says stop.

use std::net::SocketAddr;

use clap::Args;

use super::wiring;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// The arguments of `latimer serve`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The address to listen on, instead of the configured one.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Builds all enabled sites before serving.
    #[arg(long, conflicts_with = "pages_only")]
    pub(super) build: bool,
    /// Serves pages from the object store alone; runs beside a build and on any number of machines.
    #[arg(long)]
    pub(super) pages_only: bool,
}

/// Serves until a signal says stop.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let mut config = options.config()?;
    if let Some(listen) = arguments.listen {
        config.api.listen = listen;
    }
    wiring::serve(&config, arguments, options)
}
