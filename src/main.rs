//! The command line: arguments become a command, its outcome becomes text and an exit code. No logic lives here.
//!
//! Standard output carries only what was asked for (a page, or with `--json` one report); everything said on the way
//! goes to standard error.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test tells one story"))]

mod address;
mod commands;
mod exit;
mod help;
mod log;
mod options;
mod port;
mod progress;
mod remote;
mod terminal;
mod watcher;

use clap::{CommandFactory, FromArgMatches, Parser};
use pipeline::config::LogConfig;

use commands::Command;
use options::Options;

/// The system's allocator keeps a heap for each thread, and with it tens of megabytes that nobody uses.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Publishes a website in many languages as plain files.
#[derive(Debug, Parser)]
#[command(name = "latimer", version, propagate_version = true)]
struct CommandLine {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

fn main() -> std::process::ExitCode {
    log::take_panics();
    let mut arguments = help::grouped(CommandLine::command()).get_matches();
    let parsed = CommandLine::from_arg_matches_mut(&mut arguments);
    let CommandLine { options, command } =
        parsed.unwrap_or_else(|error| error.format(&mut CommandLine::command()).exit());
    let code = match command.run(&options, CommandLine::command()) {
        Ok(code) => code,
        Err(failure) => {
            if options.json {
                println!("{}", serde_json::json!({ "error": failure.message }));
            }
            // Whatever failed before the configuration was read is said in sentences.
            log::start(LogConfig::default());
            tracing::error!("{}", failure.message);
            failure.code
        }
    };
    code.into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::CommandLine;

    #[test]
    fn the_arguments_fit_together() {
        CommandLine::command().debug_assert();
    }
}
