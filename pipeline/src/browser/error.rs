//! Why a page could not be drawn.

use std::time::Duration;

use thiserror::Error;

/// Why a browser gives no page.
#[derive(Debug, Error)]
pub enum BrowserError {
    /// The program is not there or cannot be run.
    #[error(
        "cannot start the browser `{program}`: {source}; install Chromium, or name the program with `browser` in [site.scripts]"
    )]
    Start {
        /// The program.
        program: String,
        /// What the system or the program said.
        source: std::io::Error,
    },
    /// Its own sandbox cannot start.
    #[error(
        "the browser `{program}` does not start, because its sandbox cannot: {said}; run Latimer as a user other than root, \
         where user namespaces are allowed"
    )]
    Sandbox {
        /// The program.
        program: String,
        /// What it said.
        said: String,
    },
    /// It ended.
    #[error("the browser has ended{}", .0.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Ended(Option<String>),
    /// It refused a command.
    #[error("the browser refused {method}: {reason}")]
    Refused {
        /// The command, by its name in the protocol.
        method: &'static str,
        /// What the browser said.
        reason: String,
    },
    /// It gave something else than it was asked for.
    #[error("the browser's answer to {0} makes no sense")]
    Answer(&'static str),
    /// The page took the browser down.
    #[error("the page crashed in the browser")]
    Crashed,
    /// The page is no page, but leads to another one.
    #[error("the page leads to {0}")]
    Moved(String),
    /// The page took too long.
    #[error("the page was not drawn within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The page is too large after its scripts have run.
    #[error("the page is larger than {0} bytes when it is drawn")]
    TooLarge(usize),
}

impl BrowserError {
    /// Whether other pages will fail in the same way.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Start { .. } | Self::Sandbox { .. } | Self::Ended(_)
        )
    }
}
