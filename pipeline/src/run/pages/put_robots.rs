//! The robots.txt of each host that is ours to write, and what an owner has to know about it.

use std::collections::BTreeMap;

use bytes::Bytes;
use url::Url;

use super::own_object::own_file;
use super::references::{self, SiteContext};
use super::republish::{self, Stays};
use super::robots_txt::{LIMIT, RobotsPlace, SourceLines, added, localized};
use crate::addresses::PublicAddresses;
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl::Robots;
use crate::model::{Locale, PagePath};
use crate::run::context::{self, Build};
use crate::run::error::BuildError;
use crate::run::report::build_report::Noticed;
use crate::run::report::named::named;
use crate::site_files;
use crate::store::{Draft, Tree};

const NAME: &str = "robots.txt";

/// The robots.txt of each locale's host.
pub(super) type RobotsFiles = BTreeMap<Locale, Bytes>;

/// The robots.txt of the host of each locale, without our sitemaps. On a site of the web, that of the source's own host is
/// not ours: then this is what it should say.
pub(super) fn robots_by_locale(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    own: &Bytes,
) -> RobotsFiles {
    let locales = site.public_locales().cloned();
    if context::has_hosts(config) {
        return locales
            .map(|locale| (locale.clone(), robots_of_host(site, own, &locale)))
            .collect();
    }
    let public = site.addresses.public();
    let places: Vec<RobotsPlace> = site
        .public_locales()
        .filter_map(|locale| place_of_robots(site, locale))
        .collect();
    let text = Bytes::from(localized(
        own,
        &public.prefix(public.source_locale()),
        &places,
        SourceLines::Stay,
    ));
    locales
        .chain([public.source_locale().clone()])
        .map(|locale| (locale, text.clone()))
        .collect()
}

fn robots_of_host(site: &SiteContext<'_>, own: &Bytes, locale: &Locale) -> Bytes {
    let public = site.addresses.public();
    let base = public.prefix(public.source_locale());
    let Some(place) = place_of_robots(site, locale) else {
        return own.clone();
    };
    let from = host_of(public, public.source_locale());
    let to = host_of(public, locale);
    let hosts = from.as_deref().zip(to.as_deref());
    localized(own, &base, &[place], SourceLines::Move { hosts }).into()
}

/// The place of a locale's pages; `None` for the source's.
fn place_of_robots(site: &SiteContext<'_>, locale: &Locale) -> Option<RobotsPlace> {
    let public = site.addresses.public();
    let source = public.source_locale();
    let moved = public
        .slugs()
        .of(locale)
        .map(|(page, _)| (public.path(source, page), public.path(locale, page)));
    (locale != source).then(|| RobotsPlace {
        prefix: public.prefix(locale),
        moved: moved.collect(),
    })
}

/// Writes robots.txt where that is ours: with the source's rules for each language, and with our sitemaps.
pub(in crate::run) async fn put_robots(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    own: Option<&Bytes>,
    files: &RobotsFiles,
    draft: &Draft,
) -> Result<Vec<Noticed>, BuildError> {
    let Some(own) = own else {
        let path = PagePath::of_file(NAME);
        let stays = republish::keep_file(build.stores, draft, NAME, &path, (None, None)).await?;
        return Ok(vec![Noticed::Lacking(path, matches!(stays, Stays::Kept))]);
    };
    let sitemap = |locale: &Locale| {
        site.addresses
            .public()
            .page(locale, &PagePath::of_file("sitemap.xml"))
    };
    let mut largest = 0;
    let mut put = Vec::new();
    if context::has_hosts(build.site) {
        for locale in references::listed(build.site, site) {
            let sitemap: Vec<String> = sitemap(locale).into_iter().collect();
            let text = site_files::robots(text_of(files, locale), &sitemap);
            let is_source = *locale == build.site.source_locale;
            put.push((
                if is_source {
                    Tree::Shared
                } else {
                    Tree::Locale(locale.clone())
                },
                text,
            ));
        }
    } else if context::publishes_source(build.site) {
        let sitemaps: Vec<String> = references::listed(build.site, site)
            .filter_map(sitemap)
            .collect();
        let text = site_files::robots(text_of(files, &build.site.source_locale), &sitemaps);
        put.push((Tree::Shared, text));
    }
    for (tree, text) in put {
        largest = largest.max(text.len());
        draft
            .put(
                &tree,
                own_file(NAME, "text/plain; charset=utf-8", text.into()),
            )
            .await?;
    }
    let mut notices = notices_of_robots(build.site, site, own, files);
    if largest > LIMIT {
        notices.push(format!(
            "robots.txt has {largest} bytes with the lines for all languages, and crawlers need not read more than {LIMIT} \
             (RFC 9309): write fewer and shorter rules, such as one for a folder"
        ));
    }
    Ok(notices.into_iter().map(Noticed::Notice).collect())
}

fn notices_of_robots(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    own: &[u8],
    files: &RobotsFiles,
) -> Vec<String> {
    let mut notices = Vec::new();
    let public = site.addresses.public();
    let forbidding = |text: &[u8], locale: &Locale| {
        let home = format!("{}/", public.prefix(locale));
        Robots::parse(text, "")
            .forbids_folder(&home)
            .map(str::to_owned)
    };
    let mut forbidden: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if let Some(pattern) = forbidding(own, public.source_locale()) {
        forbidden.insert(pattern, vec!["all languages".to_owned()]);
    } else {
        for (locale, text) in files {
            if let Some(pattern) = forbidding(text, locale) {
                forbidden
                    .entry(pattern)
                    .or_default()
                    .push(locale.to_string());
            }
        }
    }
    for (pattern, locales) in forbidden {
        notices.push(format!(
            "robots.txt keeps crawlers from every page in {} (`Disallow: {pattern}`), so no sitemap lists them; take the rule \
             out if search engines shall find them",
            locales.join(", ")
        ));
    }
    let SourceLocation::Web(source) = &config.source else {
        return notices;
    };
    if !context::has_hosts(config) {
        let wanted = text_of(files, public.source_locale());
        let lines = added(wanted, own);
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
            notices.push(format!(
                "robots.txt of {} keeps crawlers from pages, but not from their versions; add the lines for them: {}",
                source.host_str().unwrap_or_default(),
                named(&lines)
            ));
        }
    }
    notices
}

/// The robots.txt of a locale; empty if there is none.
fn text_of<'f>(files: &'f RobotsFiles, locale: &Locale) -> &'f [u8] {
    files.get(locale).map(|text| &**text).unwrap_or_default()
}

/// The host of a locale's pages.
fn host_of(public: &PublicAddresses, locale: &Locale) -> Option<String> {
    let home = public.page(locale, &PagePath::of_file("index.html"))?;
    Some(Url::parse(&home).ok()?.host_str()?.to_owned())
}
