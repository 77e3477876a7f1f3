//! Canonical addresses beside versions in other languages (R-C5).

use super::answer::AuditAnswer;
use super::finding::AuditFindings;
use super::graph::{Graph, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use crate::page::StatedText;

pub(super) fn check(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for (index, page) in site.audited() {
        match page.canonicals().as_slice() {
            [] => {}
            [canonical] => {
                if let Some(message) = conflict(site, graph, index, page, canonical) {
                    findings.add(
                        AuditRule::CanonicalConflict,
                        &place(page, canonical),
                        message,
                    );
                }
            }
            [.., last] => {
                let all: Vec<String> = page
                    .canonicals()
                    .into_iter()
                    .map(|said| said.text)
                    .collect();
                let message = format!(
                    "has {} canonical addresses: {}",
                    all.len(),
                    all.join(" and ")
                );
                findings.add(AuditRule::CanonicalMultiple, &place(page, last), message);
            }
        }
    }
}

fn place(page: &AuditedPage, canonical: &StatedText) -> LinePosition {
    LinePosition {
        name: page.name.clone(),
        line: Some(canonical.line),
    }
}

fn conflict(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    page: &AuditedPage,
    canonical: &StatedText,
) -> Option<String> {
    let url = page.join(&canonical.text)?;
    let target = site.resolve(&url);
    if let Some(other) = target.filter(|target| *target != index) {
        let own = page.locale.as_ref()?;
        let others = site.locale(other)?;
        if !own.same_language(others) {
            return Some(format!(
                "is in {own}, and its canonical address {} is a page in {others}: search engines then drop this one",
                site.show(&url)
            ));
        }
        let is_named = graph
            .named_by
            .get(index)
            .is_some_and(|pages| !pages.is_empty());
        return is_named.then(|| {
            format!(
                "is named as a version, but its canonical address is another page: {}",
                site.show(&url)
            )
        });
    }
    if target.is_none() && site.answer(&url) == AuditAnswer::Missing {
        return Some(format!(
            "its canonical address is not there: {}",
            site.show(&url)
        ));
    }
    let namers = graph
        .named_by
        .get(index)
        .into_iter()
        .flatten()
        .chain([&index]);
    let mut edges = namers.flat_map(|namer| graph.of_page(*namer));
    let other = edges
        .find(|edge| edge.answer == AuditAnswer::Page(index) && edge.url.as_ref() != Some(&url))?;
    let named = site.show(other.url.as_ref()?);
    Some(format!(
        "its canonical address is {}, and as a version it is named {named}",
        site.show(&url)
    ))
}
