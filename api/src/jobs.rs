//! Work in the background, and whose turn it is: runs of sites, previews, reports of
//! readers, messages to endpoints, and the places of those who follow them.

pub(crate) mod edits;
pub(crate) mod mail;
mod on_state;
pub(crate) mod preview_page;
pub(crate) mod previews;
pub(crate) mod reports;
pub(crate) mod runs;
pub(crate) mod schedule;
pub(crate) mod streams;
pub(crate) mod turns;
pub(crate) mod webhooks;
