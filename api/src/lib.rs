//! The HTTP server: public pages, read through the newest deployment of each site, and the API.
//!
//! [`respond()`] is the answer to one request, and needs no socket. Its steps: `http/target` checks host and path; `public/resolve`
//! finds the file and `public/file` answers with it; below `/api`, if the configuration has one, `control/gate` checks the caller and
//! `control/operations` does the work. [`run()`] puts it behind a socket, and logs and counts each answer. [`App`] is the shared state.
//!
//! Invariants: one answer never mixes two deployments. The modules are layers: `run`, `respond`, `admin`, `control`, `doctor`, `app`,
//! `jobs`, `public`, `settings`, `auth`, `http`; each may use those after it, and none before it.
//!
//! ```
//! // Each scope that a token may need, once.
//! let scopes = api::scopes();
//! assert!(scopes.contains(&"sites:read") && scopes.is_sorted());
//! ```

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
