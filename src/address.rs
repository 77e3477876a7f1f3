//! Addresses on the command line. An error never repeats one, because clap and messages would print its password.

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use pipeline::model;
use url::Url;

use crate::exit::CommandFailure;

/// Reads an address that an option or argument holds; `name` is what the command line calls it.
pub(crate) fn web_address(name: &str, text: &str) -> Result<Url, CommandFailure> {
    model::web_address(text).map_err(|error| CommandFailure::usage(format!("{name} {error}")))
}

/// The same while clap parses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WebAddress;

impl TypedValueParser for WebAddress {
    type Value = Url;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Url, clap::Error> {
        model::web_address(&value.to_string_lossy()).map_err(|error| {
            let name = argument.map(ToString::to_string).unwrap_or_default();
            clap::Error::raw(ErrorKind::ValueValidation, format!("{name} {error}\n"))
                .with_cmd(command)
        })
    }
}
