//! `latimer mail`: whether mail can be sent.

use std::time::SystemTime;

use clap::{Args, Subcommand};
use pipeline::mail::{Letter, MailError, Mailbox};
use serde_json::json;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer mail`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Sends one mail to an address and says what the server answered.
    Test {
        /// Where it goes.
        address: Mailbox,
    },
}

/// Sends a mail.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Test { address } = &arguments.action;
    let config = options.config()?;
    let mail = config.mail.as_ref().ok_or_else(|| {
        let file = options.config_file();
        CommandFailure::usage(format!(
            "{} has no [mail], which says who takes mail: see docs/configuration.md",
            file.display()
        ))
    })?;
    let failed = |error: MailError| {
        CommandFailure::failed(format!("{}: {}", mail.relay, work::chain(&error)))
    };
    let mailer = mail.mailer().map_err(failed)?;
    let letter = Letter {
        to: address.clone(),
        subject: "Latimer can send mail".to_owned(),
        text: format!(
            "This mail was sent by `latimer mail test` over {}.\n\nNothing is to be done.\n",
            mail.relay
        ),
        html: None,
        leave: None,
        id: format!("test.{}.{}", unique(), std::process::id()),
    };
    work::until_interrupted(async {
        let answer = mailer.send(&letter).await.map_err(failed)?;
        match options.json {
            true => {
                println!(
                    "{}",
                    json!({ "server": mail.relay.to_string(), "to": address.to_string(), "answer": answer })
                )
            }
            false => terminal::print(&format!(
                "{} took a mail to {address}: {answer}\n",
                mail.relay
            )),
        }
        Ok(ExitCode::Done)
    })
}

/// No two tests have the same.
fn unique() -> u128 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos())
}
