//! A page for what is not found, for a host that answers anything with the home page where there is none.

use super::facts::{HostFacts, HostFile};
use crate::model::Host;
use crate::site_files::{ERROR_PAGE, TemplateError, Templates};

/// The page, in the source language where that is published; nothing where the site has one, or the host needs none.
///
/// # Errors
/// Our own template cannot be rendered.
pub(super) fn page(host: Host, facts: &HostFacts<'_>) -> Result<Option<HostFile>, TemplateError> {
    // Cloudflare takes a site without this file for an application that finds its pages by a script.
    if host != Host::CloudflarePages || facts.root.files.contains_key(ERROR_PAGE) {
        return Ok(None);
    }
    let spots = &facts.root.spots;
    let with_home = spots.iter().find(|spot| facts.has_home(spot));
    let Some(spot) = with_home.or(spots.first()) else {
        return Ok(None);
    };
    let home = with_home.map(|spot| (format!("{}/", spot.prefix), spot.place.host.to_owned()));
    let text = Templates::embedded()?.not_found(spot.locale, home.as_ref(), ("", ""))?;
    Ok(Some(HostFile {
        name: ERROR_PAGE.to_owned(),
        is_beside: false,
        text,
    }))
}
