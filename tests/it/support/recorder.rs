//! A proxy that notes what it is asked for and answers nothing else than 502.

use std::process::Command;

use super::web::{Loopback, Reply};

/// The proxy; it ends with the process.
pub struct Recorder {
    server: Loopback,
}

impl Recorder {
    pub fn start() -> Self {
        let server = Loopback::start(|_| Reply::status(502));
        Self { server }
    }

    /// Makes it the proxy of a command, for everything.
    pub fn give_to(&self, command: &mut Command) {
        for name in ["http_proxy", "https_proxy", "all_proxy"] {
            command
                .env(name, &self.server.address)
                .env(name.to_uppercase(), &self.server.address);
        }
        command.env_remove("no_proxy").env_remove("NO_PROXY");
    }

    /// The heads of the requests that came so far.
    pub fn heads(&self) -> Vec<String> {
        let requests = self.server.requests();
        requests.into_iter().map(|request| request.head).collect()
    }
}
