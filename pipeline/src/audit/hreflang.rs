//! What pages say of their versions in other languages (R-C1..R-C4, R-C7).

use std::collections::{BTreeMap, BTreeSet};

use super::answer::AuditAnswer;
use super::finding::AuditFindings;
use super::graph::{AlternateSource, Graph, HreflangEdge, LinePosition};
use super::rule::AuditRule;
use super::site::AuditedSite;
use super::tags::search_problem;

pub(super) fn check(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for (index, _) in site.audited() {
        let own: Vec<&HreflangEdge> = graph
            .of_page(index)
            .iter()
            .filter(|edge| edge.way == AlternateSource::Page)
            .collect();
        check_spelling(&own, findings);
        for edge in own.iter().filter(|edge| edge.is_outside_head) {
            let message = format!(
                "the link to the version in {} stands behind the head",
                edge.tag
            );
            findings.add(AuditRule::HreflangOutsideHead, &edge.place, message);
        }
        check_targets(site, &own, findings);
        if !is_duplicate(site, index) {
            check_self(site, graph, index, findings);
            check_reciprocity(site, graph, index, findings);
        }
    }
    graph
        .entries
        .iter()
        .for_each(|entry| check_spelling(&entry.iter().collect::<Vec<_>>(), findings));
    check_default(site, graph, findings);
}

/// Whether a page says that another one stands for it.
pub(super) fn is_duplicate(site: &AuditedSite, index: usize) -> bool {
    let canonical = site
        .pages
        .get(index)
        .and_then(|page| page.join(&page.canonicals().first()?.text));
    canonical
        .and_then(|url| site.resolve(&url))
        .is_some_and(|target| target != index)
}

fn check_spelling(edges: &[&HreflangEdge], findings: &mut AuditFindings) {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for edge in edges {
        if let Some(problem) = search_problem(&edge.tag) {
            findings.add(AuditRule::HreflangInvalid, &edge.place, problem);
        }
        let lower = edge.written.to_ascii_lowercase();
        if !lower.starts_with("https://") && !lower.starts_with("http://") {
            let message = format!(
                "the version in {} is at {:?}, which is no whole address",
                edge.tag, edge.written
            );
            findings.add(AuditRule::HreflangRelative, &edge.place, message);
        }
        let (tag, address) = edge.key();
        match seen.get(&tag) {
            Some(other) if *other != address => {
                let message = format!(
                    "the version in {} is said to be at {other} and at {address}",
                    edge.tag
                );
                findings.add(AuditRule::HreflangConflict, &edge.place, message);
            }
            Some(_) => {}
            None => {
                seen.insert(tag, address);
            }
        }
    }
}

fn check_targets(site: &AuditedSite, edges: &[&HreflangEdge], findings: &mut AuditFindings) {
    let mut seen = BTreeSet::new();
    for edge in edges.iter().filter(|edge| !edge.is_default()) {
        let Some(url) = edge.url.as_ref().filter(|url| seen.insert(url.to_string())) else {
            continue;
        };
        match &edge.answer {
            AuditAnswer::Missing => {
                let message = format!(
                    "the version in {} is not there: {}",
                    edge.tag,
                    site.show(url)
                );
                findings.add(AuditRule::HreflangTargetMissing, &edge.place, message);
            }
            AuditAnswer::Redirect(to) => {
                let url = site.show(url);
                let to = site.show(to);
                let message = format!("the version in {} redirects: {url} leads to {to}", edge.tag);
                findings.add(AuditRule::HreflangTargetRedirects, &edge.place, message);
            }
            AuditAnswer::Page(_) | AuditAnswer::File | AuditAnswer::Unknown => {}
        }
    }
}

fn check_self(site: &AuditedSite, graph: &Graph, index: usize, findings: &mut AuditFindings) {
    let edges = graph.of_page(index);
    let Some(first) = edges.first() else { return };
    let own = edges
        .iter()
        .any(|edge| !edge.is_default() && edge.target == Some(index));
    if !own && let Some(page) = site.pages.get(index) {
        let message = format!(
            "names {} versions, but not itself ({})",
            edges.len(),
            site.show(&page.url)
        );
        let line = first
            .place
            .line
            .filter(|_| first.way == AlternateSource::Page);
        findings.add(
            AuditRule::HreflangSelf,
            &LinePosition {
                name: page.name.clone(),
                line,
            },
            message,
        );
    }
}

fn check_reciprocity(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    findings: &mut AuditFindings,
) {
    let mut seen = BTreeSet::new();
    for edge in graph
        .of_page(index)
        .iter()
        .filter(|edge| !edge.is_default())
    {
        let AuditAnswer::Page(target) = edge.answer else {
            continue;
        };
        let named_back = graph
            .of_page(target)
            .iter()
            .any(|back| back.target == Some(index));
        if target == index || named_back || !seen.insert(target) {
            continue;
        }
        let Some(page) = site.pages.get(target) else {
            continue;
        };
        let names_nothing = if graph.of_page(target).is_empty() {
            ", it names no versions at all"
        } else {
            ""
        };
        let message = format!(
            "names {} as {}, which does not name this page{names_nothing}",
            page.name, edge.tag
        );
        findings.add(AuditRule::HreflangReciprocity, &edge.place, message);
    }
}

fn check_default(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for (index, _) in site.audited() {
        let mut seen = BTreeSet::new();
        for edge in graph.of_page(index).iter().filter(|edge| edge.is_default()) {
            let Some(url) = edge.url.as_ref().filter(|url| seen.insert(url.to_string())) else {
                continue;
            };
            let what = match &edge.answer {
                AuditAnswer::Missing => String::from("is not there"),
                AuditAnswer::Redirect(to) => format!("redirects to {}", site.show(to)),
                AuditAnswer::Page(_) | AuditAnswer::File | AuditAnswer::Unknown => continue,
            };
            findings.add(
                AuditRule::XDefault,
                &edge.place,
                format!("x-default {what}: {}", site.show(url)),
            );
        }
    }
    for group in groups(site, graph) {
        check_group(site, graph, &group, findings);
    }
}

/// Pages that name each other.
fn groups(site: &AuditedSite, graph: &Graph) -> Vec<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut groups = Vec::new();
    let is_taken = |index: usize| !graph.of_page(index).is_empty() && !is_duplicate(site, index);
    for (start, _) in site.audited().filter(|(index, _)| is_taken(*index)) {
        let mut waiting = vec![start];
        let mut group = BTreeSet::new();
        while let Some(index) = waiting.pop() {
            if !is_taken(index) || !seen.insert(index) {
                continue;
            }
            group.insert(index);
            let named = graph
                .of_page(index)
                .iter()
                .filter(|edge| !edge.is_default())
                .filter_map(|edge| edge.target);
            waiting.extend(named);
            waiting.extend(
                graph
                    .named_by
                    .get(index)
                    .into_iter()
                    .flatten()
                    .copied()
                    .filter(|other| {
                        graph
                            .of_page(*other)
                            .iter()
                            .any(|edge| !edge.is_default() && edge.target == Some(index))
                    }),
            );
        }
        groups.push(group.into_iter().collect());
    }
    groups
}

/// All pages of a group name the same x-default, or none does (R-C4).
fn check_group(site: &AuditedSite, graph: &Graph, group: &[usize], findings: &mut AuditFindings) {
    let default = |index: usize| graph.of_page(index).iter().find(|edge| edge.is_default());
    let mut votes: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for &index in group {
        *votes
            .entry(default(index).map(|edge| edge.key().1))
            .or_default() += 1;
    }
    // With as many votes for naming none, those that name one are right.
    let most = votes
        .iter()
        .max_by_key(|(address, count)| (**count, address.is_some(), std::cmp::Reverse(*address)));
    let Some((usual, _)) = most.filter(|_| votes.len() > 1) else {
        return;
    };
    for &index in group {
        let Some(page) = site.pages.get(index) else {
            continue;
        };
        let edge = default(index);
        let own = edge.map(|edge| edge.key().1);
        if own == *usual {
            continue;
        }
        let none = || String::from("none");
        let own = own.unwrap_or_else(none);
        let usual = usual.clone().unwrap_or_else(none);
        let message = format!("x-default is {own}, and on other versions it is {usual}");
        let line = edge
            .or(graph.of_page(index).first())
            .filter(|edge| edge.way == AlternateSource::Page);
        let place = LinePosition {
            name: page.name.clone(),
            line: line.and_then(|edge| edge.place.line),
        };
        findings.add(AuditRule::XDefault, &place, message);
    }
}
