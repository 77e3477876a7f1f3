//! What a site gets beside its pages: style sheet, sitemaps, robots.txt, the page for what is not found, and what a site
//! elsewhere needs to name its versions.

use bytes::Bytes;

use super::own_object::{own_file, own_script};
use super::put_robots;
use super::references::{SiteContext, listed};
use crate::config::{Placement, SiteConfig, SourceLocation, Switcher, SwitcherTemplate};
use crate::crawl::Robots;
use crate::model::{Locale, PagePath};
use crate::run::context::{self, Build};
use crate::run::error::BuildError;
use crate::run::report::build_report::Noticed;
use crate::run::source::source_sitemaps;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::site_files::{self, SOURCE_ALTERNATES, SOURCE_SITEMAP};
use crate::store::{Draft, Object, Tree};

const SITEMAP: &str = "/sitemap.xml";
const ROBOTS: &str = "/robots.txt";

/// Whether a file of the source gives way to one of ours.
pub(in crate::run) fn replaces(site: &SiteConfig, path: &PagePath) -> bool {
    // A source that links to a switcher's style sheet has been crawled with it.
    path.as_str().starts_with("/_latimer/")
        || context::publishes_source(site)
            && site.url.is_some()
            && matches!(path.as_str(), SITEMAP | ROBOTS)
}

/// Puts everything that is no page and no file of the source.
pub(super) async fn put_own_files(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    draft: &Draft,
) -> Result<Vec<Noticed>, BuildError> {
    let (name, text) = site_files::switcher_style();
    // Also for a site without a switcher of ours: its owner may have pasted one.
    let style = own_file(&name, "text/css; charset=utf-8", Bytes::from(text));
    draft.put(&Tree::Shared, style).await?;
    let telling = build.site.scripts.report && site.live.files().next().is_some();
    for script in site
        .live
        .files()
        .chain(telling.then(site_files::report_script))
    {
        draft.share(&Tree::Shared, own_script(script)).await?;
    }
    let mut noticed: Vec<Noticed> = put_error_pages(build.site, site, draft)
        .await?
        .into_iter()
        .collect();
    if build.site.url.is_none() {
        return Ok(noticed);
    }
    let own = source_sitemaps::source_robots(build, sources).await?;
    let robots = own
        .as_ref()
        .map(|own| put_robots::robots_by_locale(build.site, site, own))
        .unwrap_or_default();
    if !keep_lists(site, draft).await? {
        for locale in listed(build.site, site) {
            let address = |name: &str| {
                site.addresses
                    .public()
                    .page(locale, &PagePath::of_file(name))
            };
            let rules = robots.get(locale).map(|text| Robots::parse(text, ""));
            let pages = site.sitemap_pages(locale, sources, rules.as_ref());
            for (name, xml) in site_files::sitemaps("sitemap", pages, address) {
                let file = own_file(&name, "application/xml", xml.into());
                put_list(site, draft, Some(locale), file).await?;
            }
        }
        if !context::publishes_source(build.site) {
            put_source_references(build.site, site, sources, own.as_ref(), draft).await?;
        }
    }
    noticed.extend(put_robots::put_robots(build, site, own.as_ref(), &robots, draft).await?);
    Ok(noticed)
}

/// Puts a list of all pages into the tree of a locale, or into that which all share.
async fn put_list(
    site: &SiteContext<'_>,
    draft: &Draft,
    locale: Option<&Locale>,
    file: Object,
) -> Result<(), BuildError> {
    let name = file.name.to_string();
    draft.put(&tree_of(locale), file).await?;
    site.carry.noted_lists().push((locale.cloned(), name));
    Ok(())
}

/// Carries the lists of all pages over where these are as they were; says whether they are.
async fn keep_lists(site: &SiteContext<'_>, draft: &Draft) -> Result<bool, BuildError> {
    let Some(last) = &site.carry.unchanged.last else {
        return Ok(false);
    };
    if last
        .lists
        .iter()
        .any(|(locale, name)| draft.kept(&tree_of(locale.as_ref()), name).is_none())
    {
        return Ok(false);
    }
    for (locale, name) in &last.lists {
        draft.keep(&tree_of(locale.as_ref()), name).await?;
    }
    site.carry.noted_lists().extend_from_slice(&last.lists);
    Ok(true)
}

/// Error pages for addresses that are not found, in each published language; none if the source has one.
async fn put_error_pages(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    draft: &Draft,
) -> Result<Option<Noticed>, BuildError> {
    if site.corpus.pages.keys().any(site_files::is_error_page) {
        return Ok(None);
    }
    let home = PagePath::of_file("index.html");
    let mut titles = Vec::new();
    if context::publishes_source(config) {
        titles.push((
            &config.source_locale,
            title_of_error_page(config, site, None),
        ));
    }
    titles.extend(site.texts.iter().map(|texts| {
        (
            &texts.locale,
            title_of_error_page(config, site, Some(texts)),
        )
    }));
    let locales = titles
        .iter()
        .map(|(locale, _)| *locale)
        .filter(|locale| !locale.is_pseudo());
    let foreign: Vec<String> = locales
        .filter(|locale| !site_files::has_words(locale))
        .map(ToString::to_string)
        .collect();
    for (locale, title) in titles {
        let href = site.addresses.public().reference(locale, locale, &home);
        let has_home = if *locale == config.source_locale {
            site.corpus.pages.contains_key(&home)
        } else {
            site.addresses.is_published(locale, &home)
        };
        let link = has_home.then_some((href, title));
        let switcher = switcher_of_error(config, site, locale, &home)?;
        let style = match switcher.is_empty() {
            true => String::new(),
            false => site
                .addresses
                .public()
                .own_file(locale, locale, &site.style),
        };
        let html = site
            .templates
            .not_found(locale, link.as_ref(), (&switcher, &style))?;
        let name = site_files::ERROR_PAGE;
        let page = own_file(name, "text/html; charset=utf-8", html.into());
        draft
            .put(
                &Tree::Locale(locale.clone()),
                Object {
                    noindex: true,
                    ..page
                },
            )
            .await?;
    }
    Ok((!foreign.is_empty()).then(|| {
        Noticed::Notice(format!(
            "the page for what is not found is in English in {}: translate it in a template of your own, not-found.html, or \
             give the source a 404.html",
            foreign.join(", ")
        ))
    }))
}

/// The switcher of the page for what is not found, if the site has one that readers see: it leads to the home pages.
fn switcher_of_error(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    locale: &Locale,
    home: &PagePath,
) -> Result<String, BuildError> {
    let Switcher {
        template,
        placement,
    } = config.switcher;
    if placement == Placement::Nowhere || template == SwitcherTemplate::Headless {
        return Ok(String::new());
    }
    Ok(site
        .templates
        .switcher(template, locale, &site.switcher_links(locale, home), false)?)
}

/// The title of the home page in a locale, or in the source language without `texts`.
fn title_of_error_page(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    texts: Option<&LocaleTexts>,
) -> String {
    let title = site.corpus.title.and_then(|index| {
        let text = site.corpus.texts.get(usize::try_from(index).ok()?)?;
        let translated = texts.and_then(|texts| texts.text(index));
        Some(translated.unwrap_or(text.segment.text).into_text())
    });
    title.unwrap_or_else(|| config.id.to_string())
}

/// A sitemap of the source pages and the same as JSON: the source is elsewhere, so its own pages name no versions
/// until somebody lets them.
async fn put_source_references(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    sources: &Sources,
    robots: Option<&Bytes>,
    draft: &Draft,
) -> Result<(), BuildError> {
    let robots = robots.map(|own| Robots::parse(own, ""));
    let pages = site.sitemap_pages(&config.source_locale, sources, robots.as_ref());
    let address = |name: &str| shared_address(config, site, name);
    for (name, xml) in site_files::sitemaps(SOURCE_SITEMAP, pages, address) {
        put_list(
            site,
            draft,
            None,
            own_file(&name, "application/xml", xml.into()),
        )
        .await?;
    }
    let json = site_files::alternates_json(site.alternates_by_path(sources));
    put_list(
        site,
        draft,
        None,
        own_file(SOURCE_ALTERNATES, "application/json", json.into()),
    )
    .await
}

/// The public address of a file that is the same for all locales, on the host of the first of them.
fn shared_address(config: &SiteConfig, site: &SiteContext<'_>, name: &str) -> Option<String> {
    let locale = listed(config, site).next()?;
    site.addresses.public().own_file_in_full(locale, name)
}

/// What an owner has to know about how versions of pages find each other.
pub(super) fn notice_of_references(config: &SiteConfig, site: &SiteContext<'_>) -> Option<String> {
    if config.url.is_none() {
        let why = "the public address is not known, so pages have no canonical and alternate links and there is \
                   no sitemap: set `url` to have them";
        return Some(why.to_owned());
    }
    let SourceLocation::Web(source) = &config.source else {
        return None;
    };
    let sitemap = shared_address(config, site, &format!("{SOURCE_SITEMAP}.xml"))?;
    let alternates = shared_address(config, site, SOURCE_ALTERNATES)?;
    let host = source.host_str().unwrap_or_default();
    Some(format!(
        "search engines believe alternate links only when the pages of {host} name them too: put the line \
         `Sitemap: {sitemap}` into its robots.txt, or the links of {alternates} into the heads of its pages"
    ))
}

fn tree_of(locale: Option<&Locale>) -> Tree {
    locale.map_or(Tree::Shared, |locale| Tree::Locale(locale.clone()))
}
