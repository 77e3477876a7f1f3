//! What HTTP wants of every answer, whatever is served: connections, checked addresses, conditions, refusals, limits, and
//! what is counted and written down.
//!
//! Nothing here has heard of sites or of the state of the server, so every other room may use it.

pub(crate) mod access_log;
pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod conditions;
pub(crate) mod error;
pub(crate) mod events;
pub(crate) mod household;
pub(crate) mod limit;
pub(crate) mod metrics;
pub(crate) mod negotiate;
pub(crate) mod request_id;
pub(crate) mod server;
pub(crate) mod target;
pub(crate) mod time;
pub(crate) mod unique;
