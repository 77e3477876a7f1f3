//! The HTTP server: public pages, read through the newest deployment of each site, and the API.
//!
//! A request goes through one line of steps: `target` checks host and path, `route` says what is asked for,
//! `resolve` finds the file, `file` answers with it. Below `/api`, where that is switched on, `gate` checks who asks and
//! `operations` does it. [`respond`] is all of that as a function of a request, so it is
//! tested without a socket; [`run`] puts it behind one.
//!
//! Every answer is made from one [`Snapshot`], loaded before the request was looked at, so a reader never gets parts
//! of two deployments in one answer. Pages are kept in memory by their content, up to a limit.
//!
//! [`run`] also notes each answer: `metrics` counts it, `access_log` writes it down.

mod access_log;
mod app;
mod auth;
mod body;
mod cache;
mod client;
mod conditions;
mod cors;
mod error;
mod events;
mod file;
mod form;
mod gate;
mod integrity;
mod limit;
mod locate;
mod metrics;
mod negotiate;
mod observe;
mod operations;
mod preview_page;
mod previews;
mod reload;
mod request_id;
mod resolve;
mod respond;
mod route;
mod runs;
mod served;
mod server;
mod settings;
mod sites;
mod snapshot;
mod streams;
mod target;
mod time;
mod turns;
mod unique;

pub use app::App;
pub use auth::{Grant, KeyError, MintError, PreviewKeys, Verifier};
pub use body::Body;
pub use gate::Api;
pub use locate::{Located, at_source};
pub use operations::scopes;
pub use respond::respond;
pub use server::{run, run_metrics};
pub use settings::{ReloadError, Reloaded, SwitchError};
pub use sites::unserved as unserved_sites;
pub use snapshot::Snapshot;

#[cfg(test)]
mod tests;
