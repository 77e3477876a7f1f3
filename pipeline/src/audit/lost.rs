//! Statements of the source to search engines that a version lacks: canonical address, versions, `noindex`. The rules compare pages
//! that name each other as versions, and pages at `/about` and `/es/about`.

use std::collections::BTreeMap;

use super::answer::AuditAnswer;
use super::finding::AuditFindings;
use super::graph::{Graph, HreflangEdge, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use crate::model::Locale;

pub(super) fn check(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for (index, page) in site.audited() {
        let Some((source_index, source)) = source_of(site, graph, index, page) else {
            continue;
        };
        let pair = VersionPair { site, page, source };
        let place = LinePosition {
            name: page.name.clone(),
            line: None,
        };
        if let Some(message) = pair.lost_canonical(index, source_index) {
            let line = page.facts.canonical.first().map(|said| said.line);
            findings.add(
                AuditRule::CanonicalLost,
                &LinePosition {
                    line,
                    ..place.clone()
                },
                message,
            );
        }
        if source.is_noindex() && !page.is_noindex() {
            let message = format!(
                "{} asks not to be found (noindex), and this version of it does not",
                source.name
            );
            findings.add(AuditRule::RobotsLost, &place, message);
        }
        for edge in lost_versions(graph.of_page(source_index), graph.of_page(index)) {
            let message = format!(
                "{} names a version in {} at {}, and this version of it does not",
                source.name, edge.tag, edge.written
            );
            findings.add(AuditRule::HreflangLost, &place, message);
        }
    }
}

/// The page in the source language of which a page is a version.
fn source_of<'s>(
    site: &'s AuditedSite,
    graph: &Graph,
    index: usize,
    page: &AuditedPage,
) -> Option<(usize, &'s AuditedPage)> {
    let language = site.source.as_ref()?;
    if page.locale.as_ref()?.same_language(language) {
        return None;
    }
    let named = graph.of_page(index).iter().filter_map(|edge| edge.target);
    let naming = graph.named_by.get(index).into_iter().flatten().copied();
    let is_source = |other: &usize| {
        *other != index
            && site
                .locale(*other)
                .is_some_and(|locale| locale.same_language(language))
    };
    let source = named
        .chain(naming)
        .find(is_source)
        .or_else(|| beside(site, page).filter(is_source))?;
    Some((source, site.pages.get(source)?))
}

/// The page whose path is that of a version without the language at its beginning.
fn beside(site: &AuditedSite, page: &AuditedPage) -> Option<usize> {
    let (first, rest) = page.url.path().strip_prefix('/')?.split_once('/')?;
    let is_language = Locale::parse(first).ok().as_ref() == page.locale.as_ref();
    let mut url = page.url.clone();
    url.set_path(&format!("/{rest}"));
    if is_language {
        site.resolve(&url)
    } else {
        None
    }
}

/// A version and the page that it is a version of.
struct VersionPair<'s> {
    site: &'s AuditedSite,
    page: &'s AuditedPage,
    source: &'s AuditedPage,
}

impl VersionPair<'_> {
    /// The source names another address than its own as the canonical one, and the version names itself.
    fn lost_canonical(&self, index: usize, source_index: usize) -> Option<String> {
        let of_source = self.source.canonicals();
        let own = self.page.canonicals();
        let ([of_source], [own]) = (of_source.as_slice(), own.as_slice()) else {
            return None;
        };
        let address = self.source.join(&of_source.text)?;
        let is_elsewhere = match self.site.answer(&address) {
            AuditAnswer::Page(target) => target != source_index,
            AuditAnswer::Redirect(_) | AuditAnswer::File | AuditAnswer::Missing => false,
            AuditAnswer::Unknown => address.origin() != self.source.url.origin(),
        };
        let names_itself = self.site.resolve(&self.page.join(&own.text)?) == Some(index);
        (is_elsewhere && names_itself).then(|| {
            let shown = self.site.show(&address);
            format!(
                "{} names {shown} as its canonical address, and this version of it names itself",
                self.source.name
            )
        })
    }
}

/// Versions elsewhere that the source names under tags that the version names nothing under; of a version that names any. Versions
/// on the site itself have to name each other, which is another rule.
fn lost_versions<'e>(
    source: &'e [HreflangEdge],
    version: &[HreflangEdge],
) -> Vec<&'e HreflangEdge> {
    if version.is_empty() {
        return Vec::new();
    }
    let mut lost: BTreeMap<String, &HreflangEdge> = BTreeMap::new();
    for edge in source
        .iter()
        .filter(|edge| edge.answer == AuditAnswer::Unknown)
    {
        if !version
            .iter()
            .any(|own| own.tag.eq_ignore_ascii_case(&edge.tag))
        {
            lost.insert(edge.tag.to_ascii_lowercase(), edge);
        }
    }
    lost.into_values().collect()
}
