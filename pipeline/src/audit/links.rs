//! Where the links of pages lead.

use std::collections::BTreeSet;

use url::Url;

use super::answer::AuditAnswer;
use super::details::CheckedLink;
use super::finding::AuditFindings;
use super::graph::{Graph, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use crate::model::Locale;
use crate::page::LinkFact;

/// `rel` words of links that lead to no page or file of the site, or that other rules look at.
const OTHER_RELS: [&str; 10] = [
    "canonical",
    "dns-prefetch",
    "edituri",
    "pingback",
    "preconnect",
    "prefetch",
    "prerender",
    "shortlink",
    "webmention",
    "wlwmanifest",
];

/// Checks the links of a page.
pub(super) fn check(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    links: &[CheckedLink],
    findings: &mut AuditFindings,
) {
    let Some(page) = site.pages.get(index) else {
        return;
    };
    let mut seen = BTreeSet::new();
    for link in links {
        let Some(url) = page.join(&link.address) else {
            continue;
        };
        let place = LinePosition {
            name: page.name.clone(),
            line: Some(link.line),
        };
        if let Some(tag) = link.hreflang.as_ref().filter(|_| link.element == "a") {
            if let Some(message) = switcher_problem(site, &url, tag) {
                findings.add(AuditRule::SwitcherLink, &place, message);
            }
            continue;
        }
        if let Some(language) = own_language_link(site, graph, index, link, &url) {
            let message = format!(
                "the entry for {language} of the language menu leads to the page that it stands on"
            );
            findings.add(AuditRule::SwitcherSelf, &place, message);
            continue;
        }
        if !seen.insert(url.clone()) {
            continue;
        }
        if site.answer(&url) == AuditAnswer::Missing {
            let message = format!(
                "leads to {}, where there is nothing (<{}>)",
                site.show(&url),
                link.element
            );
            findings.add(AuditRule::LinkBroken, &place, message);
        } else if let Some(message) = left_language(site, graph, index, page, link, &url) {
            findings.add(AuditRule::LinkLeavesLanguage, &place, message);
        }
    }
}

/// True for a link to a page or file.
pub(super) fn is_checked(link: &LinkFact) -> bool {
    let is_placeholder = ["{{", "${", "<%", "[["]
        .iter()
        .any(|mark| link.address.contains(mark));
    if link.address.is_empty() || link.address.starts_with('#') || is_placeholder {
        return false;
    }
    match (link.element.as_str(), link.attribute.as_str()) {
        (_, "ping" | "cite" | "action" | "formaction" | "manifest") => false,
        // Statements for programs name things, not always pages; a base address is not asked for.
        ("script" | "meta", "url" | "file" | "id") | ("base", _) | ("object" | "embed", _) => false,
        ("link", _) => {
            link.hreflang.is_none()
                && !link
                    .rel
                    .iter()
                    .any(|word| OTHER_RELS.contains(&word.as_str()))
        }
        _ => true,
    }
}

/// The language of an entry of a language menu that leads to its own page, which is in another language. Where pages name this page as
/// a version in that language, the entry is right.
fn own_language_link<'l>(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    link: &'l CheckedLink,
    url: &Url,
) -> Option<&'l Locale> {
    let language = link.language.as_ref()?;
    let own = site.locale(index)?;
    if language.same_language(own) || site.resolve(url) != Some(index) {
        return None;
    }
    let is_in_it = |tag: &str| Locale::parse(tag).is_ok_and(|tag| tag.same_language(language));
    let namers = graph
        .named_by
        .get(index)
        .into_iter()
        .flatten()
        .chain([&index]);
    let mut edges = namers.flat_map(|namer| graph.of_page(*namer));
    (!edges.any(|edge| edge.target == Some(index) && is_in_it(&edge.tag))).then_some(language)
}

fn switcher_problem(site: &AuditedSite, url: &Url, tag: &str) -> Option<String> {
    let shown = site.show(url);
    if site.answer(url) == AuditAnswer::Missing {
        return Some(format!(
            "the link to the page in {tag} leads to {shown}, where there is nothing"
        ));
    }
    let target = site.locale(site.resolve(url)?)?;
    let wanted = Locale::parse(tag).ok()?;
    let is_wrong = !wanted.same_language(target);
    is_wrong.then(|| format!("the link promises a page in {tag}, and {shown} is in {target}"))
}

/// Whether a link leads into another language although the page is there in this one.
fn left_language(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    page: &AuditedPage,
    link: &CheckedLink,
    url: &Url,
) -> Option<String> {
    let own = page.locale.as_ref()?;
    if link.element != "a"
        || link.lang.is_some()
        || site
            .source
            .as_ref()
            .is_none_or(|source| source.same_language(own))
    {
        return None;
    }
    let target = site.resolve(url).filter(|target| *target != index)?;
    let other = site
        .locale(target)
        .filter(|other| !other.same_language(own))?;
    let is_version = |edge: &super::graph::HreflangEdge| edge.target == Some(target);
    if graph.of_page(index).iter().any(is_version) || names_language(&link.text, other) {
        return None;
    }
    let own_version = graph.of_page(target).iter().find(|edge| {
        let version = edge.target.and_then(|version| site.locale(version));
        !edge.is_default() && version.is_some_and(|version| version.same_language(own))
    })?;
    let shown = site.show(url);
    let better = site.show(own_version.url.as_ref()?);
    Some(format!(
        "is in {own} and leads to {shown} in {other}; in {own} the page is {better}"
    ))
}

/// Whether the words of a link are the name of a language, as those of a switcher are.
fn names_language(words: &str, locale: &Locale) -> bool {
    let words = words.to_lowercase();
    let bare = |name: String| {
        name.split(['(', ','])
            .next()
            .unwrap_or_default()
            .trim()
            .to_lowercase()
    };
    let language = Locale::parse(locale.language()).unwrap_or_else(|_| locale.clone());
    let names = [locale, &language]
        .into_iter()
        .flat_map(|one| [one.own_name(), one.english_name(), one.to_string()]);
    names
        .map(bare)
        .any(|name| !name.is_empty() && words.starts_with(&name))
}
