//! Sitemaps, and pages that ask not to be found (R-C1, R-C4, R-C8).

use std::collections::BTreeSet;

use url::Url;

use super::answer::AuditAnswer;
use super::finding::AuditFindings;
use super::graph::{AlternateSource, Graph, HreflangEdge, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedSite, SitemapFile};

pub(super) fn check(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for lost in &site.lost_sitemaps {
        let place = LinePosition {
            name: lost.name.clone(),
            line: None,
        };
        let message = format!(
            "names the sitemap {}, which cannot be had: {}",
            lost.address, lost.reason
        );
        findings.add(AuditRule::SitemapUnreadable, &place, message);
    }
    site.sitemaps
        .iter()
        .for_each(|sitemap| check_sitemap(site, sitemap, findings));
    for (index, page) in site.audited() {
        check_agreement(graph, index, &page.name, findings);
        if page.is_noindex() && graph.takes_part(index) {
            let count = graph.named_by.get(index).map_or(0, BTreeSet::len);
            let message = match count {
                0 => String::from("asks not to be found (noindex) and names versions of itself"),
                count => format!(
                    "asks not to be found (noindex), and {count} other pages name it as a version"
                ),
            };
            let place = LinePosition {
                name: page.name.clone(),
                line: page.facts.noindex,
            };
            findings.add(AuditRule::NoindexContradiction, &place, message);
        }
    }
}

fn check_sitemap(site: &AuditedSite, sitemap: &SitemapFile, findings: &mut AuditFindings) {
    let place = |line: Option<usize>| LinePosition {
        name: sitemap.name.clone(),
        line,
    };
    if let Some(reason) = &sitemap.content.broken {
        findings.add(
            AuditRule::SitemapUnreadable,
            &place(None),
            format!("is damaged: {reason}"),
        );
    }
    let mut seen = BTreeSet::new();
    for entry in &sitemap.content.pages {
        let place = place(Some(entry.line));
        let versions = entry.alternates.iter().map(|(_, address)| address);
        for address in [&entry.address]
            .into_iter()
            .chain(versions)
            .filter(|address| seen.insert(*address))
        {
            check_listed(
                site,
                sitemap.url.join(address).ok(),
                address,
                &place,
                findings,
            );
        }
        let page = sitemap
            .url
            .join(&entry.address)
            .ok()
            .map(|url| site.answer(&url));
        if let Some(AuditAnswer::Page(index)) = page
            && site.pages.get(index).is_some_and(|page| page.is_noindex())
        {
            findings.add(
                AuditRule::SitemapNoindex,
                &place,
                format!("lists {}, which says noindex", entry.address),
            );
        }
    }
}

fn check_listed(
    site: &AuditedSite,
    url: Option<Url>,
    address: &str,
    place: &LinePosition,
    findings: &mut AuditFindings,
) {
    let message = match url.map(|url| site.answer(&url)) {
        Some(AuditAnswer::Missing) => format!("lists {address}, which is not there"),
        None => format!("lists {address:?}, which is no address"),
        Some(AuditAnswer::Redirect(to)) => {
            format!("lists {address}, which redirects to {}", site.show(&to))
        }
        Some(AuditAnswer::Page(_) | AuditAnswer::File | AuditAnswer::Unknown) => return,
    };
    findings.add(AuditRule::SitemapTargetMissing, place, message);
}

/// The versions that a page names itself and those that sitemaps name for it are the same.
fn check_agreement(graph: &Graph, index: usize, name: &str, findings: &mut AuditFindings) {
    let of = |way: AlternateSource| -> BTreeSet<(String, String)> {
        graph
            .of_page(index)
            .iter()
            .filter(|edge| edge.way == way)
            .map(HreflangEdge::key)
            .collect()
    };
    let own = of(AlternateSource::Page);
    let listed = of(AlternateSource::Sitemap);
    if own.is_empty() || listed.is_empty() || own == listed {
        return;
    }
    let tell = |(tag, address): &(String, String)| format!("{tag} at {address}");
    let only = |one: &BTreeSet<_>, other: &BTreeSet<_>| {
        one.difference(other)
            .map(tell)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let parts = [
        ("the page alone names", only(&own, &listed)),
        ("the sitemap alone names", only(&listed, &own)),
    ];
    let parts = parts
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(who, list)| format!("{who} {list}"));
    let line = graph
        .of_page(index)
        .iter()
        .find(|edge| edge.way == AlternateSource::Page)
        .and_then(|edge| edge.place.line);
    let place = LinePosition {
        name: name.to_owned(),
        line,
    };
    findings.add(
        AuditRule::SitemapHeadConflict,
        &place,
        parts.collect::<Vec<_>>().join("; "),
    );
}
