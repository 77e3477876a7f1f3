//! The options that every command has, and the configuration they point at.

use std::path::{Path, PathBuf};

use api::ReloadError;
use clap::Args;
use pipeline::config::Config;
use url::Url;

use crate::address::WebAddress;
use crate::exit::CommandFailure;
use crate::log;
use crate::progress::CommandProgress;

/// The name of a configuration file in its folder.
const FILE_NAME: &str = "latimer.toml";

/// Options that every command has.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The configuration file, or the folder that holds latimer.toml.
    #[arg(short = 'c', long, global = true, value_name = "FILE", default_value = FILE_NAME)]
    config: PathBuf,
    /// Prints one JSON report on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Lets the server at this address do it, over its API, with the token in LATIMER_TOKEN: for `build`, `plan`,
    /// `locale`, `reports`, `webhooks`, `explain`, `export` and `digest show`, while a server has the state.
    #[arg(long, global = true, value_name = "URL", value_parser = WebAddress)]
    pub(crate) server: Option<Url>,
    /// Prints neither progress nor the next commands.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl Options {
    /// The configuration file that `-c` names, whether it exists or not.
    pub(crate) fn config_file(&self) -> PathBuf {
        if self.config.is_dir() {
            self.config.join(FILE_NAME)
        } else {
            self.config.clone()
        }
    }

    /// The option `-c` for commands that a message names; empty if the configuration is at its usual place.
    pub(crate) fn config_argument(&self) -> String {
        if self.config == Path::new(FILE_NAME) {
            return String::new();
        }
        let path = self.config.display().to_string();
        let is_plain = path
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte));
        if is_plain {
            format!(" -c {path}")
        } else {
            format!(" -c '{}'", path.replace('\'', "'\\''"))
        }
    }

    /// Reads the configuration, and begins the log as it says.
    pub(crate) fn config(&self) -> Result<Config, CommandFailure> {
        let config = Self::read_again(&self.config_file()).map_err(CommandFailure::usage)?;
        log::start(config.log);
        Ok(config)
    }

    /// Reads the configuration again, for a server that runs.
    pub(crate) fn read_again(file: &Path) -> Result<Config, ReloadError> {
        let text = std::fs::read_to_string(file);
        let text =
            text.map_err(|error| ReloadError::Unreadable(unreadable(file, &error).message))?;
        Ok(Config::parse(&text, file, &|name| {
            std::env::var(name).ok()
        })?)
    }

    /// Reads the configuration, if the command can do without one and none is where one is looked for.
    pub(crate) fn config_if_there(&self) -> Result<Option<Config>, CommandFailure> {
        let is_usual = self.config == Path::new(FILE_NAME);
        if is_usual && !self.config_file().exists() {
            Ok(None)
        } else {
            self.config().map(Some)
        }
    }

    /// Where the command says how far it is.
    pub(crate) fn progress(&self) -> CommandProgress {
        CommandProgress::new(self.quiet)
    }
}

fn unreadable(file: &Path, error: &std::io::Error) -> CommandFailure {
    let file = file.display();
    if error.kind() == std::io::ErrorKind::NotFound {
        return CommandFailure::usage(format!(
            "there is no {file}; name one with -c, or write one with `latimer init`"
        ));
    }
    if error.kind() == std::io::ErrorKind::InvalidData {
        return CommandFailure::usage(format!(
            "cannot read {file}: it is not text in UTF-8; save it as UTF-8"
        ));
    }
    CommandFailure::usage(format!("cannot read {file}: {error}"))
}
