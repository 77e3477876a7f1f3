//! The HTTP server: public pages, read through the newest deployment of each site, and the API.
//!
//! [`run()`] puts the two halves of [`respond()`] behind a socket, what is in memory and what takes time, and notes each answer;
//! [`respond()`] is the answer to a request, so it is tested without one. Its steps: `http/target` checks host and path; `public/resolve` finds the file and `public/file` answers
//! with it; below `/api`, where that is switched on, `control/gate` checks who asks and `control/operations` does it. [`App`]
//! is what all of them share.
//!
//! The rooms are layers. From the top: `run`, `respond`, `admin`, `control`, `doctor`, `app`, `jobs`, `public`, `settings`, `auth`, `http`; each
//! may use those after it, and none before it.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test tells one story"))]

mod admin;
mod app;
mod auth;
mod control;
pub mod doctor;
mod http;
mod jobs;
mod public;
mod respond;
mod run;
mod settings;

pub use app::{Api, App};
pub use auth::{
    Grant, KeyError, MintError, PreviewKeys, SignInError, Verifier, passing_key, write_code,
};
pub use control::operations::{scopes, shown_delivery, shown_webhook};
pub use http::body::Body;
pub use public::locate::{AddressError, Located, at_source};
pub use public::snapshot::Snapshot;
pub use respond::respond;
pub use run::{run, run_admin, run_metrics};
pub use settings::{ReloadError, Reloaded, SwitchError};

#[cfg(test)]
mod tests;
