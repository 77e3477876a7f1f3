//! Rows of the state: those of one site among all, and values as JSON.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::backend::WriteTable;
use super::fault::StateFault;
use crate::model::SiteId;

/// The text that sorts right after a site's own, so that a range holds that site's rows and no other's.
pub(super) fn after(site: &SiteId) -> String {
    format!("{site}\0")
}

pub(super) fn of_site<'a>(site: &'a SiteId, after: &'a str) -> Range<(&'a str, &'a str)> {
    (site.as_str(), "")..(after, "")
}

/// Makes these the rows of a site; those that stay as they are are not written, since of many few change.
pub(super) fn replace(
    table: &mut WriteTable<'_, (&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
    mut rows: BTreeMap<&str, Vec<u8>>,
) -> Result<(), StateFault> {
    table.retain_in(of_site(site, &after(site)), |(_, key), value| {
        let is_same = rows.get(key).is_some_and(|row| row == value);
        is_same && rows.remove(key).is_some()
    })?;
    for (key, row) in rows {
        table.insert((site.as_str(), key), row.as_slice())?;
    }
    Ok(())
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, StateFault> {
    serde_json::to_vec(value).map_err(|error| StateFault::row("a new row".to_owned(), error))
}

pub(super) fn parsed<'v, T: Deserialize<'v>>(
    value: &'v [u8],
    row: impl FnOnce() -> String,
) -> Result<T, StateFault> {
    serde_json::from_slice(value).map_err(|error| StateFault::row(row(), error))
}
