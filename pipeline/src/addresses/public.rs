//! Where readers find the pages of each locale, and how a page of one locale refers to a page of another. Pure.
//!
//! It needs to know no page, so the build makes it of the configuration and the API of a deployment's settings, and
//! both write the same addresses.

use std::collections::BTreeMap;

use url::Url;

use crate::config::{LanguagePlace, SiteConfig, SourceLocation, UrlPattern};
use crate::model::{Locale, PagePath, Slugs};

/// Stands for the host of a site whose public address is not known.
const NOWHERE: &str = "http://site.invalid";

/// The public addresses of one site's languages.
#[derive(Clone, Debug)]
pub struct PublicAddresses {
    pattern: Option<UrlPattern>,
    aliases: BTreeMap<Locale, String>,
    source_locale: Locale,
    source: PublicBase,
    slugs: Slugs,
}

/// An origin, where known, and what stands before a page's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicBase {
    pub(super) origin: Option<String>,
    pub(super) prefix: String,
}

/// Target of a link.
pub(super) struct LinkTarget {
    pub(super) base: PublicBase,
    /// The path below it, with query and fragment.
    pub(super) path: String,
}

impl PublicBase {
    pub(super) const NOWHERE: Self = Self {
        origin: None,
        prefix: String::new(),
    };

    pub(super) fn of_url(address: &str) -> Self {
        match Url::parse(address) {
            Ok(url) => Self {
                origin: Some(url.origin().ascii_serialization()),
                prefix: url.path().trim_end_matches('/').to_owned(),
            },
            Err(_) => Self::NOWHERE,
        }
    }

    pub(super) fn absolute(&self, rest: &str) -> Option<Url> {
        let origin = self.origin.as_deref().unwrap_or(NOWHERE);
        Url::parse(&format!("{origin}{}{rest}", self.prefix)).ok()
    }
}

impl PublicAddresses {
    /// Brings together where the languages stand in addresses; `source_url` is what stands before the path of a
    /// source page.
    pub fn new(
        pattern: Option<UrlPattern>,
        aliases: BTreeMap<Locale, String>,
        source_locale: Locale,
        source_url: Option<&str>,
    ) -> Self {
        let source = source_url.map_or(PublicBase::NOWHERE, PublicBase::of_url);
        Self {
            pattern,
            aliases,
            source_locale,
            source,
            slugs: Slugs::default(),
        }
    }

    /// What the configuration says of a site.
    pub fn of_site(site: &SiteConfig) -> Self {
        let source_url = site.source_url.as_deref();
        let source_url = match &site.source {
            // A crawled page's path is the whole path of its address.
            SourceLocation::Web(url) => {
                let public = source_url.and_then(|text| Url::parse(text).ok());
                Some(
                    public
                        .as_ref()
                        .unwrap_or(url)
                        .origin()
                        .ascii_serialization(),
                )
            }
            SourceLocation::Folder(_) => source_url.map(str::to_owned),
        };
        Self::new(
            site.url.clone(),
            site.aliases.clone(),
            site.source_locale.clone(),
            source_url.as_deref(),
        )
    }

    /// The same with pages that have paths of their own.
    pub fn with_slugs(self, slugs: Slugs) -> Self {
        Self { slugs, ..self }
    }

    /// The paths that pages have of their own.
    pub fn slugs(&self) -> &Slugs {
        &self.slugs
    }

    /// The language of the source pages.
    pub fn source_locale(&self) -> &Locale {
        &self.source_locale
    }

    /// What stands before the path of a source page, where the site has a public address.
    pub fn source_url(&self) -> Option<String> {
        self.source
            .origin
            .as_ref()
            .map(|origin| format!("{origin}{}", self.source.prefix))
    }

    /// The public address of a page, where the site has one.
    pub fn page(&self, locale: &Locale, page: &PagePath) -> Option<String> {
        let base = self.base(locale);
        let page = self.slugs.local(locale, page);
        base.origin
            .is_some()
            .then(|| base.absolute(page.as_str()).map(String::from))
            .flatten()
    }

    /// The path of a page below the root of its host.
    pub fn path(&self, locale: &Locale, page: &PagePath) -> String {
        format!(
            "{}{}",
            self.base(locale).prefix,
            self.slugs.local(locale, page).as_str()
        )
    }

    /// Prefix of the paths of a locale's pages.
    pub fn prefix(&self, locale: &Locale) -> String {
        self.base(locale).prefix
    }

    /// The path that a page of a locale has if its address is that of a path of the source. `None` if no page of the locale can have
    /// that address.
    pub fn at_source_path(&self, locale: &Locale, path: &PagePath) -> Option<PagePath> {
        let base = self.base(locale);
        let is_elsewhere = base.origin.is_some()
            && self.source.origin.is_some()
            && base.origin != self.source.origin;
        if is_elsewhere || base.prefix.is_empty() {
            return None;
        }
        let whole = format!("{}{path}", self.source.prefix);
        let rest = whole.strip_prefix(&base.prefix)?;
        if rest.starts_with('/') {
            PagePath::parse(rest).ok()
        } else {
            None
        }
    }

    /// How a page of `from` refers to a page of `to`: from the root of its host, or in full on another host.
    pub fn reference(&self, from: &Locale, to: &Locale, page: &PagePath) -> String {
        self.written(from, &self.base(to), self.slugs.local(to, page).as_str())
    }

    /// How a page of `from` refers to one of our own files, such as `_latimer/switcher.css`, that lies with the
    /// files of `with`.
    pub fn own_file(&self, from: &Locale, with: &Locale, name: &str) -> String {
        self.written(from, &self.file_base(with), &format!("/{name}"))
    }

    /// The public address of one of our own files that lies with the files of `with`, where the site has one.
    pub fn own_file_in_full(&self, with: &Locale, name: &str) -> Option<String> {
        let base = self.file_base(with);
        base.origin
            .is_some()
            .then(|| base.absolute(&format!("/{name}")).map(String::from))
            .flatten()
    }

    /// Where the pages of a locale begin, from a folder of the files that all locales share, which ends in a slash; none
    /// where they lie outside of it.
    pub fn below_files(&self, locale: &Locale, folder: &str) -> Option<String> {
        let pages = format!("{}/", self.base(locale).prefix);
        pages
            .strip_prefix(&format!("{}{folder}", self.file_base(locale).prefix))
            .map(str::to_owned)
    }

    /// The locale's label in addresses: its alias, or the tag itself.
    pub(super) fn label<'l>(&'l self, locale: &'l Locale) -> &'l str {
        self.aliases
            .get(locale)
            .map_or(locale.as_str(), String::as_str)
    }

    pub(super) fn source(&self) -> &PublicBase {
        &self.source
    }

    pub(super) fn base(&self, locale: &Locale) -> PublicBase {
        if *locale == self.source_locale {
            return self.source.clone();
        }
        let label = self.label(locale);
        match &self.pattern {
            Some(pattern) => PublicBase {
                origin: Some(pattern.origin(label)),
                prefix: pattern.path_prefix(label),
            },
            None => PublicBase {
                origin: None,
                prefix: format!("/{label}"),
            },
        }
    }

    /// Where files lie: once beside the locales for a path pattern, on each host for a host pattern.
    pub(super) fn file_base(&self, locale: &Locale) -> PublicBase {
        if *locale == self.source_locale {
            return self.source.clone();
        }
        let base = self.base(locale);
        match &self.pattern {
            Some(pattern) if pattern.place() == LanguagePlace::Host => base,
            Some(_) => {
                let prefix = base
                    .prefix
                    .rsplit_once('/')
                    .map(|(before, _)| before.to_owned())
                    .unwrap_or_default();
                PublicBase { prefix, ..base }
            }
            None => PublicBase::NOWHERE,
        }
    }

    pub(super) fn written(&self, from: &Locale, target: &PublicBase, rest: &str) -> String {
        match &target.origin {
            Some(origin) if self.base(from).origin.as_ref() != Some(origin) => {
                format!("{origin}{}{rest}", target.prefix)
            }
            _ => format!("{}{rest}", target.prefix),
        }
    }
}
