//! What a commit says about serving, beside the files: locales, missing pages, redirects and addresses.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

use super::record::is_zero;
use super::{Encoding, StoreError};
use crate::model::{Locale, PageParameters, PagePath, Slugs};

/// All that public serving needs to know about a site beside its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingSettings {
    /// The language of the source pages.
    pub source_locale: Locale,
    /// Every configured target locale, switched on or off.
    pub locales: BTreeMap<Locale, ServingSwitch>,
    /// The record of switches that these follow, see [`super::Switches`]; 0 where there was none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub switches: u64,
    /// What stands for a locale in addresses, where that is not the tag itself.
    #[serde(default)]
    pub aliases: BTreeMap<Locale, String>,
    /// What a reader gets for a page that a locale lacks.
    pub missing: Missing,
    /// Redirects of the source site, by path; they hold in every locale.
    #[serde(default)]
    pub redirects: BTreeMap<PagePath, SiteRedirect>,
    /// Paths that pages have of their own in some locales.
    #[serde(default, skip_serializing_if = "Slugs::is_empty")]
    pub slugs: Slugs,
    /// Paths that pages had in a locale before, with the pages of the source that they were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub former: BTreeMap<Locale, BTreeMap<PagePath, PagePath>>,
    /// Parameters whose queries are pages of their own.
    #[serde(default, skip_serializing_if = "PageParameters::is_empty")]
    pub parameters: PageParameters,
    /// Pages of the source that no locale has a version of.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub singles: BTreeSet<PagePath>,
    /// Pages that single locales lack, whatever is translated: nobody is led to the source for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Versions that the author wrote, by their paths in the source, with locale and page.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<PagePath, (Locale, PagePath)>,
    /// Where localized pages are found by the public, such as `https://www.example.com/{lang}`.
    #[serde(default)]
    pub url: Option<String>,
    /// The public address of the source language, without a slash at its end.
    #[serde(default)]
    pub source_url: Option<String>,
    /// Whether readers of the source's home page may be sent to the locale that their browser prefers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accept_language: bool,
    /// The compressed variants that files have beside them where they are smaller.
    #[serde(default = "all_variants", skip_serializing_if = "is_all")]
    pub variants: BTreeSet<Encoding>,
}

/// What deployments have that say nothing of variants.
pub(super) fn all_variants() -> BTreeSet<Encoding> {
    Encoding::ALL.into()
}

fn is_all(variants: &BTreeSet<Encoding>) -> bool {
    Encoding::ALL
        .iter()
        .all(|encoding| variants.contains(encoding))
}

/// Whether a locale is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServingSwitch {
    /// Served.
    On,
    /// Not served; its addresses answer as for missing pages.
    Off,
}

impl From<bool> for ServingSwitch {
    fn from(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

/// What a reader gets for a page that a locale lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// 307 to the source page.
    Source307,
    /// The source page under the locale's path with a notice; the build stores it like any page.
    Notice,
    /// 404.
    NotFound,
    /// 410.
    Gone,
}

/// Where a path of the source site leads instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRedirect {
    /// The path led to, on the same site.
    pub to: PagePath,
    /// The status the source site answered: 301, 302, 303, 307 or 308.
    pub status: u16,
}

/// A URL pattern taken apart: where the language stands in public addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// `https://{before}{lang}{after}/`.
    Host {
        /// `https` or `http`.
        scheme: String,
        /// The host's text before the language.
        before: String,
        /// The host's text after the language, a port included.
        after: String,
    },
    /// `https://{host}{base}/{lang}/`.
    Path {
        /// `https` or `http`.
        scheme: String,
        /// The host, a port included.
        host: String,
        /// What stands before the language: empty, or `/repository`.
        base: String,
    },
}

const LANG: &str = "{lang}";

impl Addressing {
    /// Takes a pattern apart; the language stands in the host or ends the path.
    pub fn parse(pattern: &str) -> Result<Self, StoreError> {
        let error = || StoreError::Pattern(pattern.to_owned());
        let (scheme, rest) = pattern.split_once("://").ok_or_else(error)?;
        let rest = rest.trim_end_matches('/');
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if rest.matches(LANG).count() != 1 || !matches!(scheme, "http" | "https") {
            return Err(error());
        }
        Url::parse(&pattern.replace(LANG, "xx")).map_err(|_| error())?;
        let scheme = scheme.to_owned();
        match (
            host.split_once(LANG),
            path.strip_suffix(LANG)
                .and_then(|base| base.strip_suffix('/')),
        ) {
            (Some((before, after)), _) if path.is_empty() => Ok(Self::Host {
                scheme,
                before: before.to_lowercase(),
                after: after.to_lowercase(),
            }),
            (None, Some(base)) => Ok(Self::Path {
                scheme,
                host: host.to_lowercase(),
                base: base.to_owned(),
            }),
            _ => Err(error()),
        }
    }
}

impl ServingSettings {
    /// What stands for a locale in addresses.
    pub fn label<'a>(&'a self, locale: &'a Locale) -> &'a str {
        self.aliases
            .get(locale)
            .map_or(locale.as_str(), String::as_str)
    }

    /// The public address of a path of a locale; `None` if the site has none.
    pub fn address(&self, locale: &Locale, local: &PagePath) -> Option<String> {
        let pattern = self.url.as_deref()?.trim_end_matches('/');
        Some(format!(
            "{}{local}",
            pattern.replace(LANG, self.label(locale))
        ))
    }

    /// Whether readers get this locale's pages; the source locale is always on.
    pub fn is_on(&self, locale: &Locale) -> bool {
        *locale == self.source_locale || self.locales.get(locale) == Some(&ServingSwitch::On)
    }

    /// The source page that a path of a locale stands for, now or before.
    pub fn source_page(&self, locale: &Locale, local: &PagePath) -> Option<PagePath> {
        let former = || self.former.get(locale)?.get(local).cloned();
        self.slugs.source(locale, local).or_else(former)
    }

    /// The URL pattern, taken apart.
    pub fn addressing(&self) -> Result<Option<Addressing>, StoreError> {
        self.url.as_deref().map(Addressing::parse).transpose()
    }

    /// Refuses settings under which two locales would answer at one address, or whose pattern is none.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.addressing()?;
        let mut labels: BTreeMap<String, &Locale> = BTreeMap::new();
        for locale in self.locales.keys() {
            let label = self.label(locale).to_lowercase();
            if let Some(first) = labels.insert(label.clone(), locale) {
                return Err(StoreError::SharedLabel {
                    first: first.clone(),
                    second: locale.clone(),
                    label,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_taken_apart() {
        let path = |scheme: &str, host: &str, base: &str| {
            Some(Addressing::Path {
                scheme: scheme.into(),
                host: host.into(),
                base: base.into(),
            })
        };
        let host = |before: &str, after: &str| {
            Some(Addressing::Host {
                scheme: "https".into(),
                before: before.into(),
                after: after.into(),
            })
        };
        for (pattern, expected) in [
            (
                "https://www.example.com/{lang}",
                path("https", "www.example.com", ""),
            ),
            (
                "https://www.example.com/{lang}/",
                path("https", "www.example.com", ""),
            ),
            (
                "http://x.test:8080/repo/{lang}",
                path("http", "x.test:8080", "/repo"),
            ),
            ("https://{lang}.Example.com", host("", ".example.com")),
            (
                "https://docs-{lang}.example.com/",
                host("docs-", ".example.com"),
            ),
            ("https://{lang}.example.com/{lang}", None),
            ("https://www.example.com/{lang}/docs", None),
            ("https://www.example.com", None),
            ("ftp://example.com/{lang}", None),
            ("{lang}", None),
        ] {
            assert_eq!(Addressing::parse(pattern).ok(), expected, "{pattern}");
        }
    }
}
