//! `latimer completions`: what a shell needs to complete commands and options.

use std::io::Write as _;

use clap::Args;
use clap_complete::Shell;

use crate::exit::{CommandFailure, ExitCode};

/// The arguments of `latimer completions`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell to write for.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Writes the script to standard output.
pub(crate) fn run(
    arguments: &Arguments,
    mut command_line: clap::Command,
) -> Result<ExitCode, CommandFailure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command_line, "latimer", &mut script);
    let written = std::io::stdout().write_all(&script);
    written.map_err(|error| {
        CommandFailure::failed(format!("cannot write to standard output: {error}"))
    })?;
    Ok(ExitCode::Done)
}
