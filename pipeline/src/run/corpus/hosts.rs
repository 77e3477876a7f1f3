//! Which hosts the pages of a folder name: links to the host that they call their own lead out of every language when `url`
//! is at another one.

use std::collections::BTreeMap;

use url::Url;

use crate::config::{SiteConfig, SourceLocation};
use crate::counted::counted;
use crate::page::Page;

/// The hosts that one page names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct PageHosts {
    /// That of its canonical address.
    pub(in crate::run) own: Option<String>,
    /// Those of its links in full.
    pub(in crate::run) links: Vec<String>,
}

/// The hosts that all pages name.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    own: BTreeMap<String, usize>,
    links: BTreeMap<String, usize>,
}

impl PageHosts {
    pub(in crate::run) fn of(page: &Page) -> Self {
        Self {
            own: page.canonical().and_then(host),
            links: page.leads_to().filter_map(host).collect(),
        }
    }
}

impl Hosts {
    pub(in crate::run) fn add(&mut self, page: &PageHosts) {
        page.own
            .iter()
            .for_each(|host| *self.own.entry(host.clone()).or_default() += 1);
        page.links
            .iter()
            .for_each(|host| *self.links.entry(host.clone()).or_default() += 1);
    }

    /// What is to be said where pages call another host their own than the site's settings do.
    pub(in crate::run) fn notice(&self, site: &SiteConfig) -> Option<String> {
        let SourceLocation::Folder(_) = &site.source else {
            return None;
        };
        let configured = site.source_url.as_deref().and_then(host);
        let most = self
            .own
            .iter()
            .filter(|(host, _)| Some(*host) != configured.as_ref());
        let (host, pages) = most.max_by_key(|(_, pages)| **pages)?;
        let links = counted(self.links.get(host).copied().unwrap_or_default(), "link");
        let named = match pages {
            1 => "1 page names".to_owned(),
            _ => format!("{pages} pages name"),
        };
        let what = match &configured {
            Some(configured) => format!(
                "but `url` is at {configured}: correct `url`, set `source_url` if the source is found at {host}, or build the \
                 source for its new address"
            ),
            None => format!(
                "and `url` is not set: set it to \"https://{host}/{{lang}}\", so that they stay in the language"
            ),
        };
        Some(format!(
            "{named} {host} as their public address (canonical), and {links} to it lead out of every language, {what}"
        ))
    }
}

/// The host of an address in full.
fn host(address: &str) -> Option<String> {
    let full = if address.starts_with("//") {
        format!("https:{address}")
    } else {
        address.to_owned()
    };
    let url = Url::parse(&full)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.host_str()
        .map(|host| host.trim_end_matches('.').to_owned())
}
