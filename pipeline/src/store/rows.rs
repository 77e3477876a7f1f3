//! Rows of the state: those of one site among all, and values as JSON.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use crate::model::SiteId;

/// The text that sorts right after a site's own, so that a range holds that site's rows and no other's.
pub(super) fn after(site: &SiteId) -> String {
    format!("{site}\0")
}

pub(super) fn of_site<'a>(site: &'a SiteId, after: &'a str) -> Range<(&'a str, &'a str)> {
    (site.as_str(), "")..(after, "")
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| Fault::row("a new row".to_owned(), error))
}

pub(super) fn parsed<'v, T: Deserialize<'v>>(value: &'v [u8], row: impl FnOnce() -> String) -> Result<T, Fault> {
    serde_json::from_slice(value).map_err(|error| Fault::row(row(), error))
}
