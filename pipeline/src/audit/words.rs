//! Whether pages are in the language that they claim, and whether their bytes are text.

use std::collections::{BTreeMap, BTreeSet};

use super::details::TextsKey;
use super::finding::AuditFindings;
use super::graph::{Graph, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use crate::model::Locale;
use crate::text::is_in_source;

/// How much of a text is quoted, in characters.
const QUOTED: usize = 60;

/// Checks the encoding of pages and compares their texts; returns the pages with the texts of another one.
pub(super) fn check(
    site: &AuditedSite,
    graph: &Graph,
    findings: &mut AuditFindings,
) -> BTreeSet<usize> {
    let mut same: BTreeMap<TextsKey, Vec<usize>> = BTreeMap::new();
    for (index, page) in site.audited() {
        if page.facts.broken_places > 0 {
            let count = page.facts.broken_places;
            let message = format!("{count} places make no sense in {}", page.facts.encoding);
            findings.add(
                AuditRule::EncodingBroken,
                &LinePosition {
                    name: page.name.clone(),
                    line: None,
                },
                message,
            );
        }
        if let Some(key) = page.texts {
            same.entry(key).or_default().push(index);
        }
    }
    let copies = copies(site, graph, same.into_values());
    for (index, page) in site.audited() {
        if let Some(original) = copies.get(&index) {
            let name = site
                .pages
                .get(*original)
                .map(|page| page.name.as_str())
                .unwrap_or_default();
            let own = page.locale.as_ref();
            let other = site.locale(*original);
            let shown =
                |locale: Option<&Locale>| locale.map(ToString::to_string).unwrap_or_default();
            let message = format!(
                "in {} it has the same texts as {name} in {}",
                shown(own),
                shown(other)
            );
            findings.add(
                AuditRule::DuplicateContent,
                &LinePosition {
                    name: page.name.clone(),
                    line: None,
                },
                message,
            );
        }
    }
    copies.into_keys().collect()
}

/// Pages whose texts are those of a page in another language that names them as a version, with that page: the one in
/// the source language, where there is one.
fn copies(
    site: &AuditedSite,
    graph: &Graph,
    same: impl Iterator<Item = Vec<usize>>,
) -> BTreeMap<usize, usize> {
    let mut copies = BTreeMap::new();
    let is_source = |index: &usize| {
        let locale = site.locale(*index);
        let source = site.source.as_ref();
        locale
            .zip(source)
            .is_some_and(|(locale, source)| locale.same_language(source))
    };
    for pages in same {
        let original = pages
            .iter()
            .copied()
            .find(is_source)
            .or(pages.first().copied());
        let Some(original) = original else { continue };
        for page in pages.into_iter().filter(|page| *page != original) {
            let languages = site.locale(page).zip(site.locale(original));
            let differ = languages.is_some_and(|(one, other)| !one.same_language(other));
            let are_versions = graph
                .of_page(original)
                .iter()
                .any(|edge| edge.target == Some(page));
            if differ && are_versions {
                copies.insert(page, original);
            }
        }
    }
    copies
}

/// Checks the texts of a page that are long enough.
pub(super) fn check_texts(
    site: &AuditedSite,
    page: &AuditedPage,
    texts: &[(String, usize)],
    findings: &mut AuditFindings,
) {
    let Some((own, source)) = page.locale.as_ref().zip(site.source.as_ref()) else {
        return;
    };
    if own.same_language(source) {
        return;
    }
    for (text, line) in texts
        .iter()
        .filter(|(text, _)| is_in_source(text, source, own))
    {
        let mut quoted: String = text.chars().take(QUOTED).collect();
        if quoted.len() < text.len() {
            quoted.push('…');
        }
        let message = format!("claims to be in {own}, and this is in {source}: {quoted}");
        findings.add(
            AuditRule::UntranslatedBlock,
            &LinePosition {
                name: page.name.clone(),
                line: Some(*line),
            },
            message,
        );
    }
}
