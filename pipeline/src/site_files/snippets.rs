//! Switchers that a site's owner pastes into pages, for what is served at this moment.
//!
//! Pure: a deployment that was loaded goes in, HTML comes out. The links are those of the page's own switcher, because
//! the same functions write both. Whether the caller may ask, and which locale is meant, is not decided here.

use std::collections::BTreeSet;

use super::{TemplateError, Templates, switcher_links, switcher_style};
use crate::addresses::PublicAddresses;
use crate::config::{SwitcherTemplate, UrlPattern};
use crate::model::{Locale, PagePath};
use crate::store::{Published, ServingSettings, Tree};

/// Ids of the element that a page without a marked block keeps for its switcher, the likeliest first.
///
/// The first is ours to recommend; the others are what sites call the element when they have one already.
pub const FALLBACK_IDS: [&str; 4] = [
    "latimer-switcher",
    "language-switcher",
    "lang-switcher",
    "language-selector",
];

/// A switcher as a block of HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitcherSnippet {
    /// The template's name, which is also the value of the block's [`super::MARKER`].
    pub template: &'static str,
    /// The block; it brings the link to its style sheet with it.
    pub html: String,
}

/// Every kind of switcher for the `current` version of a page; `is_served` says which of the locales that are switched
/// on readers get now, and is not asked about the source language.
///
/// A locale that lacks the page is offered with its home page; one that lacks both, or is not served, is left out.
///
/// # Errors
/// A [`TemplateError`] when one of the site's own templates asks for something that there is not.
pub fn snippets(
    published: &Published,
    templates: &Templates,
    path: &PagePath,
    current: &Locale,
    is_served: impl Fn(&Locale) -> bool,
) -> Result<Vec<SwitcherSnippet>, TemplateError> {
    let settings = published.settings();
    let addresses = addresses(settings);
    let source = &settings.source_locale;
    let locales: BTreeSet<&Locale> = settings.locales.keys().chain([source]).collect();
    let is_offered =
        |locale: &&Locale| *locale == source || settings.is_on(locale) && is_served(locale);
    let served: Vec<&Locale> = locales.into_iter().filter(is_offered).collect();
    let has_page =
        |locale: &Locale, page: &PagePath| has_page(published, locale, page, locale == current);
    let links = switcher_links(&addresses, served.iter().copied(), has_page, current, path);
    let style = addresses.own_file(
        current,
        style_locale(published, &served, current),
        &switcher_style().0,
    );
    let snippet = |template: SwitcherTemplate| {
        let html = templates.snippet(template, current, &links, &style)?;
        Ok(SwitcherSnippet {
            template: template.name(),
            html,
        })
    };
    SwitcherTemplate::ALL.into_iter().map(snippet).collect()
}

/// The addresses that the deployment was built with. A pattern was checked then; one that is none after all is as
/// good as none.
fn addresses(settings: &ServingSettings) -> PublicAddresses {
    let pattern = settings
        .url
        .as_deref()
        .and_then(|url| UrlPattern::parse(url).ok());
    let source_url = settings.source_url.as_deref();
    PublicAddresses::new(
        pattern,
        settings.aliases.clone(),
        settings.source_locale.clone(),
        source_url,
    )
    .with_slugs(settings.slugs.clone())
}

/// Whether a locale has a page in its language. On the page itself a notice in its place counts too: it is there.
fn has_page(published: &Published, locale: &Locale, page: &PagePath, is_current: bool) -> bool {
    let tree = Tree::Locale(locale.clone());
    match published.manifest(&tree) {
        Some(manifest) => {
            is_page(published, &tree, page) && (is_current || !manifest.missing.contains(page))
        }
        // The source of a crawled site is elsewhere; what it has is what the locales have or lack.
        None => *locale == published.settings().source_locale && is_known(published, page),
    }
}

fn is_page(published: &Published, tree: &Tree, page: &PagePath) -> bool {
    published
        .page(tree, page)
        .is_some_and(|(_, entry)| entry.content_type.starts_with("text/html"))
}

fn is_known(published: &Published, page: &PagePath) -> bool {
    let lacks = |tree: &Tree| {
        published
            .manifest(tree)
            .is_some_and(|manifest| manifest.missing.contains(page))
    };
    let mut locales = published
        .trees()
        .filter(|tree| matches!(tree, Tree::Locale(_)));
    locales.any(|tree| is_page(published, tree, page) || lacks(tree))
}

/// The locale with whose files the style sheet lies for readers of `current`, whose pages may be on a foreign server.
fn style_locale<'a>(
    published: &Published,
    served: &[&'a Locale],
    current: &'a Locale,
) -> &'a Locale {
    let is_ours = |locale: &&Locale| {
        published
            .manifest(&Tree::Locale((*locale).clone()))
            .is_some()
    };
    let public = served.iter().copied().filter(|locale| !locale.is_pseudo());
    [current]
        .into_iter()
        .chain(public)
        .find(is_ours)
        .unwrap_or(current)
}

#[cfg(test)]
mod tests;
