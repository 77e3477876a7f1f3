//! `source` of a site: where its pages come from.

use std::path::PathBuf;

use url::Url;

use super::super::reader::{ConfigField, ConfigTable};
use super::super::real_path::{is_hidden_below, real_path};
use super::super::{ConfigError, StoreConfig, StoreLocation, UrlPattern};
use crate::model::base_address;

/// Location of source pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceLocation {
    /// A folder of files as a static site generator leaves them.
    Folder(PathBuf),
    /// A site that is crawled from this address.
    Web(Url),
}

/// Reads `source`: a folder or an address.
pub(super) fn source(field: &ConfigField<'_>) -> Result<SourceLocation, ConfigError> {
    if field.text()?.contains("://") {
        address(field).map(SourceLocation::Web)
    } else {
        field.path().map(SourceLocation::Folder)
    }
}

/// Refuses a store and a state that a build would take for pages, and a source in the store, which builds tidy up. Hidden
/// folders of a source are no part of the site, so the store may lie in one.
pub(super) fn apart(
    table: &ConfigTable<'_>,
    source: &SourceLocation,
    store: &StoreConfig,
) -> Result<(), ConfigError> {
    let SourceLocation::Folder(folder) = source else {
        return Ok(());
    };
    let source = real_path(folder);
    let written = table.required("source", "a folder or an address")?;
    if let StoreLocation::Folder(objects) = &store.objects {
        let place = real_path(objects);
        if source.starts_with(&place) {
            return Err(written.error(format!(
                "this source folder is or lies in the store ({}), where builds remove what they do not know; move it, or set \
                 `objects` in [store] to another folder",
                objects.display()
            )));
        }
        if place.starts_with(&source) && !is_hidden_below(&source, &place) {
            return Err(written.error(format!(
                "the store ({}) lies in this source folder, so a build would take its own output for pages; move the pages to \
                 a folder of their own, or set objects = \".latimer/dist\" in [store]: hidden folders are no part of a site",
                objects.display()
            )));
        }
    }
    let state = real_path(&store.state);
    if state.starts_with(&source) && !is_hidden_below(&source, &state) {
        return Err(written.error(format!(
            "the state ({}) lies in this source folder; move the pages to a folder of their own, or leave `state` out of [store]",
            store.state.display()
        )));
    }
    Ok(())
}

fn address(field: &ConfigField<'_>) -> Result<Url, ConfigError> {
    base_address(field.text()?)
        .map_err(|_| field.must_be("an http:// or https:// address without query or fragment"))
}

/// Public address of the source: the configured one, else the crawled host, else the pattern without its language. Page paths
/// count from the host.
pub(super) fn source_url(
    table: &ConfigTable<'_>,
    source: &SourceLocation,
    url: Option<&UrlPattern>,
) -> Result<Option<String>, ConfigError> {
    Ok(match (table.get("source_url"), source) {
        (Some(field), _) => Some(address(&field)?.as_str().trim_end_matches('/').to_owned()),
        (None, SourceLocation::Web(url)) => Some(url.origin().ascii_serialization()),
        (None, SourceLocation::Folder(_)) => url.map(UrlPattern::source),
    })
}
