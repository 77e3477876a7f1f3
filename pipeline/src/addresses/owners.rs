//! Which site has which public addresses, so that no site takes another's. Pure.
//!
//! An address belongs to a host and what stands before a path. The scheme does not count, and neither does its usual
//! port; a host without a port stands for all of them, because that is how requests are told apart. Of a host pattern
//! belong all languages that there are, not only those that the site has today: whoever got `de.example.com` beside
//! `{lang}.example.com` would be read as its German. Sites of the file come first and share their addresses as they
//! like; of the sites that callers added, each stands for itself.

use std::collections::BTreeSet;

use url::Url;

use crate::config::{Config, LANG, SiteConfig, SourceLocation, UrlPattern};
use crate::model::{Locale, PagePath, SiteId};

/// Addresses that one site has: all below a prefix, on one host or on one for each language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressClaim {
    /// The labels of the host.
    host: Vec<HostLabel>,
    /// The port, where it is named and is not the usual one.
    port: Option<String>,
    /// Empty, or `/` and segments without a slash at the end.
    prefix: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostLabel {
    Is(String),
    /// Any language; these are the site's own names for some.
    Language(BTreeSet<String>),
}

/// Who has which addresses.
#[derive(Clone, Debug, Default)]
pub struct Owners(Vec<(Owner, AddressClaim)>);

/// Who has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The API itself, on its hosts.
    Api,
    /// The admin screen, on its hosts.
    Admin,
    /// A site.
    Site(SiteId),
}

impl AddressClaim {
    /// What a pattern stands for; `labels` are those that the site has for its languages.
    pub fn of_pattern<'a>(pattern: &UrlPattern, labels: impl IntoIterator<Item = &'a str>) -> Self {
        let own: BTreeSet<String> = labels.into_iter().map(str::to_ascii_lowercase).collect();
        let label = |text: &str| {
            if text == LANG {
                HostLabel::Language(own.clone())
            } else {
                HostLabel::Is(text.to_owned())
            }
        };
        Self::new(&pattern.host(LANG), &pattern.path_prefix(""), label)
    }

    /// Everything in the folder of an address.
    pub fn of_url(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host = url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Self::new(&host, PagePath::of_url(url).directory(), |text| {
            HostLabel::Is(text.to_owned())
        })
    }

    /// Where the languages of a site are found, if it has addresses of its own.
    pub fn of_site(site: &SiteConfig) -> Option<Self> {
        let labels = site.locales.iter().map(|locale| site.label(locale));
        let tags = site.locales.iter().map(Locale::as_str);
        site.url
            .as_ref()
            .map(|pattern| Self::of_pattern(pattern, labels.chain(tags)))
    }

    fn new(host: &str, path: &str, label: impl Fn(&str) -> HostLabel) -> Self {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if is_port(port) => (
                name,
                Some(port).filter(|port| !matches!(*port, "80" | "443")),
            ),
            _ => (host, None),
        };
        let prefix =
            PagePath::parse(path).map_or_else(|_| String::new(), |path| path.as_str().to_owned());
        Self {
            host: name
                .strip_suffix('.')
                .unwrap_or(name)
                .to_ascii_lowercase()
                .split('.')
                .map(label)
                .collect(),
            port: port.map(str::to_owned),
            prefix: prefix.trim_end_matches('/').to_owned(),
        }
    }

    /// Whether some address belongs to both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let below = |one: &str, other: &str| {
            one.strip_prefix(other)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let ports = self.port.is_none() || other.port.is_none() || self.port == other.port;
        let paths = below(&self.prefix, &other.prefix) || below(&other.prefix, &self.prefix);
        let same_length = self.host.len() == other.host.len();
        // Hosts differ at their ends, and telling a language is what takes long.
        let mut labels = self.host.iter().rev().zip(other.host.iter().rev());
        ports && paths && same_length && labels.all(|(one, other)| one.meets(other))
    }
}

impl HostLabel {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Is(one), Self::Is(other)) => one == other,
            (Self::Language(own), Self::Is(text)) | (Self::Is(text), Self::Language(own)) => {
                // A language has this tag, but hosts that are called so are not meant to be in it.
                own.contains(text) || (text != "www" && Locale::names_language(text))
            }
            (Self::Language(_), Self::Language(_)) => true,
        }
    }
}

impl Owners {
    /// What the file gives its sites and the API: their public addresses, and those of their sources.
    pub fn of_file(config: &Config) -> Self {
        let mut owners = Self::default();
        for site in &config.sites {
            let source_url = site
                .source_url
                .as_deref()
                .and_then(|text| Url::parse(&format!("{text}/")).ok());
            let source = match (&site.source, source_url) {
                // Pages of the host outside of the source's folder may be another site's.
                (SourceLocation::Web(source), Some(url)) if url.origin() == source.origin() => {
                    Some(AddressClaim::of_url(source))
                }
                (SourceLocation::Web(_) | SourceLocation::Folder(_), url) => {
                    url.as_ref().map(AddressClaim::of_url)
                }
            };
            let claims = AddressClaim::of_site(site).into_iter().chain(source);
            owners
                .0
                .extend(claims.map(|claim| (Owner::Site(site.id.clone()), claim)));
        }
        let hosts = config
            .api
            .hosts
            .iter()
            .filter_map(|host| Url::parse(&format!("http://{host}/")).ok());
        owners
            .0
            .extend(hosts.map(|url| (Owner::Api, AddressClaim::of_url(&url))));
        owners
            .0
            .extend(admin(config).map(|claim| (Owner::Admin, claim)));
        owners
    }

    /// Who else has an address of the admin screen, which shows it to nobody.
    pub fn beside_admin(&self, config: &Config) -> Option<&Owner> {
        let is_taken = |other: &AddressClaim| admin(config).any(|claim| claim.overlaps(other));
        self.0
            .iter()
            .find(|(owner, other)| *owner != Owner::Admin && is_taken(other))
            .map(|(owner, _)| owner)
    }

    /// Gives addresses to a site, which nobody else may have.
    pub fn add(&mut self, site: &SiteId, claim: AddressClaim) {
        self.0.push((Owner::Site(site.clone()), claim));
    }

    /// Who else has some of a site's addresses.
    pub fn other(&self, site: &SiteId, claim: &AddressClaim) -> Option<&Owner> {
        let is_other = |owner: &Owner| *owner != Owner::Site(site.clone());
        self.0
            .iter()
            .find(|(owner, other)| is_other(owner) && other.overlaps(claim))
            .map(|(owner, _)| owner)
    }
}

/// What the admin screen has where it shares a listener.
fn admin(config: &Config) -> impl Iterator<Item = AddressClaim> {
    let hosts = config.admin.iter().flat_map(|admin| &admin.hosts);
    hosts
        .filter_map(|host| Url::parse(&format!("http://{host}/")).ok())
        .map(|url| AddressClaim::of_url(&url))
}

impl std::fmt::Display for Owner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Api => formatter.write_str("the API"),
            Self::Admin => formatter.write_str("the admin screen"),
            Self::Site(site) => write!(formatter, "{site}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern's addresses, for a site with `es` and with the alias `brasil`; without `{lang}`, those of an address.
    fn claim(text: &str) -> AddressClaim {
        match UrlPattern::parse(text) {
            Ok(pattern) => AddressClaim::of_pattern(&pattern, ["es", "brasil"]),
            Err(_) => AddressClaim::of_url(&Url::parse(text).unwrap()),
        }
    }

    #[test]
    fn addresses_belong_to_host_and_prefix() {
        let host = "https://{lang}.shop.example";
        let path = "https://shop.example/{lang}";
        for (one, other, expected) in [
            (host, host, true),
            (host, "http://{lang}.shop.example", true),
            (host, "https://{lang}.SHOP.example.", true),
            (host, "https://{lang}.shop.example:443", true),
            (host, "http://{lang}.shop.example:443", true),
            (host, "https://{lang}.shop.example:8443", true),
            (
                "https://{lang}.shop.example:8444",
                "https://{lang}.shop.example:8443",
                false,
            ),
            (
                "https://{lang}.bücher.example",
                "https://{lang}.xn--bcher-kva.example",
                true,
            ),
            (
                "https://{lang}.bücher.example",
                "https://{lang}.BÜCHER。example",
                true,
            ),
            (host, "https://{lang}.other.example", false),
            (host, "https://{lang}.a.shop.example", false),
            // Languages that the site does not have, its aliases, and other words.
            (host, "https://de.shop.example/{lang}", true),
            (host, "https://pt-BR.shop.example/{lang}", true),
            (host, "https://zh-hant.shop.example/{lang}", true),
            (host, "https://brasil.shop.example/docs/{lang}", true),
            (host, "https://www.shop.example/{lang}", false),
            (host, "https://admin.shop.example/{lang}", false),
            (host, "https://shop.example/{lang}", false),
            (host, "https://de.{lang}.example", false),
            (
                "https://{lang}.de.example",
                "https://fr.{lang}.example",
                true,
            ),
            (
                "https://x.{lang}.example",
                "https://y.{lang}.example",
                false,
            ),
            (path, path, true),
            (path, "http://shop.example:80/{lang}", true),
            (path, "https://shop.example/docs/{lang}", true),
            (
                "https://shop.example/docs/{lang}",
                "https://shop.example/blog/{lang}",
                false,
            ),
            (
                "https://shop.example/docs/{lang}",
                "https://shop.example/docs-2/{lang}",
                false,
            ),
            (
                "https://shop.example/docs/{lang}",
                "https://shop.example/d%6Fcs/v2/{lang}",
                true,
            ),
            (
                "https://www.shop.example/docs/",
                "https://www.shop.example/{lang}",
                true,
            ),
            (
                "https://www.shop.example/docs/",
                "https://www.shop.example/blog/{lang}",
                false,
            ),
            ("http://127.0.0.1/{lang}", "http://0x7f.1/{lang}", true),
            (
                "http://[::1]:8080/{lang}",
                "http://[::1]:8081/{lang}",
                false,
            ),
        ] {
            let [left, right] = [one, other].map(claim);
            assert_eq!(
                (left.overlaps(&right), right.overlaps(&left)),
                (expected, expected),
                "{one} {other}"
            );
        }
    }
}
