//! `latimer man`: the manual pages, one for each command.

use std::path::PathBuf;

use clap::Args;

use crate::exit::{CommandFailure, ExitCode};

/// The arguments of `latimer man`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder to write them to; made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages.
pub(crate) fn run(
    arguments: &Arguments,
    command_line: clap::Command,
) -> Result<ExitCode, CommandFailure> {
    let folder = &arguments.folder;
    let unwritable = |error| {
        CommandFailure::failed(format!(
            "cannot write manual pages to {}: {error}",
            folder.display()
        ))
    };
    if folder.is_file() {
        return Err(CommandFailure::usage(format!(
            "{} is a file; give a folder for the manual pages",
            folder.display()
        )));
    }
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(command_line.disable_help_subcommand(true), folder)
        .map_err(unwritable)?;
    Ok(ExitCode::Done)
}
