//! What a language switcher offers on one version of a page. Pure.
//!
//! The build and the API ask the same function, so a snippet leads where the page's own switcher does.

use serde::Serialize;

use super::references::is_error_page;
use crate::addresses::PublicAddresses;
use crate::model::{Locale, PagePath};

const STYLE: &str = include_str!("../../../templates/switcher/switcher.css");

/// One entry of a language switcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitcherLink {
    pub(super) lang: String,
    pub(super) dir: &'static str,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) current: bool,
    pub(super) fallback: bool,
}

impl SwitcherLink {
    /// A link to `locale`, by the name that it has here; `fallback` says that it leads to the home page because the page itself is missing there.
    pub fn new(locale: &Locale, name: String, href: String, current: bool, fallback: bool) -> Self {
        let dir = locale.direction().as_str();
        Self {
            lang: locale.to_string(),
            dir,
            name,
            href,
            current,
            fallback,
        }
    }
}

/// The entries on the `current` version of a page, the source language's first: a link to the page in each of
/// `locales` that has it, to the home page in others. On a page for what is not found, all lead to home pages: the address that a
/// reader asked for is in no language (R-S13).
///
/// A pseudo-locale is offered only on its own pages.
pub fn switcher_links<'a>(
    addresses: &PublicAddresses,
    locales: impl IntoIterator<Item = &'a Locale>,
    has_page: impl Fn(&Locale, &PagePath) -> bool,
    current: &Locale,
    path: &PagePath,
) -> Vec<SwitcherLink> {
    let home = PagePath::of_file("index.html");
    let mut locales: Vec<_> = locales
        .into_iter()
        .filter(|locale| !locale.is_pseudo() || *locale == current)
        .collect();
    locales.sort_by_key(|locale| (*locale != addresses.source_locale(), *locale));
    let link = |locale: &&'a Locale| {
        let targets = if is_error_page(path) {
            [&home, path]
        } else {
            [path, &home]
        };
        let target = targets.into_iter().find(|page| has_page(locale, page))?;
        let href = addresses.reference(current, locale, target);
        Some((*locale, href, target != path))
    };
    let offered: Vec<_> = locales.iter().filter_map(link).collect();
    let name = |locale: &Locale| locale.name_among(offered.iter().map(|(other, ..)| *other));
    let entry = |(locale, href, fallback): &(&Locale, String, bool)| {
        SwitcherLink::new(
            locale,
            name(locale),
            href.clone(),
            *locale == current,
            *fallback,
        )
    };
    offered.iter().map(entry).collect()
}

/// Name and text of the switchers' style sheet; the name changes with the text, so that it may be kept for ever.
pub fn switcher_style() -> (String, &'static str) {
    let hash = blake3::hash(STYLE.as_bytes()).to_hex();
    (format!("_latimer/switcher.{}.css", &hash[..10]), STYLE)
}
