//! Which versions each page names, whichever of the three equal ways it uses: head, HTTP header, sitemap (R-C1).

use std::collections::BTreeSet;

use url::Url;

use super::answer::AuditAnswer;
use super::site::AuditedSite;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinePosition {
    pub(super) name: String,
    pub(super) line: Option<usize>,
}

/// Which way a version is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlternateSource {
    Page,
    Sitemap,
}

/// A version that is named.
#[derive(Clone, Debug)]
pub(super) struct HreflangEdge {
    /// The language tag, as written.
    pub(super) tag: String,
    /// The address, as written.
    pub(super) written: String,
    pub(super) url: Option<Url>,
    pub(super) answer: AuditAnswer,
    /// The page to which it leads in the end.
    pub(super) target: Option<usize>,
    pub(super) place: LinePosition,
    pub(super) way: AlternateSource,
    pub(super) is_outside_head: bool,
}

impl HreflangEdge {
    pub(super) fn is_default(&self) -> bool {
        self.tag.eq_ignore_ascii_case("x-default")
    }

    /// Tag and address, as they are compared.
    pub(super) fn key(&self) -> (String, String) {
        let address = self
            .url
            .as_ref()
            .map_or_else(|| self.written.clone(), Url::to_string);
        (self.tag.to_ascii_lowercase(), address)
    }
}

/// The versions that are named.
#[derive(Debug)]
pub(super) struct Graph {
    /// By page: in its head and headers, and in sitemaps.
    pub(super) edges: Vec<Vec<HreflangEdge>>,
    /// By entry of a sitemap, also of addresses that are no page.
    pub(super) entries: Vec<Vec<HreflangEdge>>,
    /// The pages that name each page, itself not among them.
    pub(super) named_by: Vec<BTreeSet<usize>>,
}

impl Graph {
    pub(super) fn of(site: &AuditedSite) -> Self {
        let mut graph = Self {
            edges: site
                .pages
                .iter()
                .map(|page| page_edges(site, page))
                .collect(),
            entries: Vec::new(),
            named_by: vec![BTreeSet::new(); site.pages.len()],
        };
        for sitemap in &site.sitemaps {
            for entry in sitemap
                .content
                .pages
                .iter()
                .filter(|entry| !entry.alternates.is_empty())
            {
                let place = LinePosition {
                    name: sitemap.name.clone(),
                    line: Some(entry.line),
                };
                let edges: Vec<HreflangEdge> = entry
                    .alternates
                    .iter()
                    .map(|(tag, address)| {
                        edge(
                            site,
                            tag,
                            address,
                            sitemap.url.join(address).ok(),
                            place.clone(),
                            AlternateSource::Sitemap,
                        )
                    })
                    .collect();
                let page = sitemap
                    .url
                    .join(&entry.address)
                    .ok()
                    .map(|url| site.answer(&url));
                if let Some(AuditAnswer::Page(index)) = page {
                    graph.edges[index].extend(edges.iter().cloned());
                }
                graph.entries.push(edges);
            }
        }
        for (index, edges) in graph.edges.iter().enumerate() {
            for target in edges
                .iter()
                .filter_map(|edge| edge.target)
                .filter(|target| *target != index)
            {
                graph.named_by[target].insert(index);
            }
        }
        graph
    }

    /// The versions that a page names, in whichever way.
    pub(super) fn of_page(&self, index: usize) -> &[HreflangEdge] {
        self.edges.get(index).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a page takes part: it names versions or is named as one.
    pub(super) fn takes_part(&self, index: usize) -> bool {
        !self.of_page(index).is_empty()
            || self
                .named_by
                .get(index)
                .is_some_and(|pages| !pages.is_empty())
    }
}

fn page_edges(site: &AuditedSite, page: &super::site::AuditedPage) -> Vec<HreflangEdge> {
    let head = page.facts.alternates.iter().map(|alternate| {
        let place = LinePosition {
            name: page.name.clone(),
            line: Some(alternate.line),
        };
        let mut edge = edge(
            site,
            &alternate.tag,
            &alternate.address,
            page.join(&alternate.address),
            place,
            AlternateSource::Page,
        );
        edge.is_outside_head = alternate.is_outside_head;
        edge
    });
    let header = page.header.alternates.iter().map(|(tag, address)| {
        let place = LinePosition {
            name: page.name.clone(),
            line: None,
        };
        edge(
            site,
            tag,
            address,
            page.url.join(address).ok(),
            place,
            AlternateSource::Page,
        )
    });
    head.chain(header).collect()
}

fn edge(
    site: &AuditedSite,
    tag: &str,
    written: &str,
    url: Option<Url>,
    place: LinePosition,
    way: AlternateSource,
) -> HreflangEdge {
    let answer = url
        .as_ref()
        .map_or(AuditAnswer::Missing, |url| site.answer(url));
    let target = url.as_ref().and_then(|url| site.resolve(url));
    HreflangEdge {
        tag: tag.to_owned(),
        written: written.to_owned(),
        url,
        answer,
        target,
        place,
        way,
        is_outside_head: false,
    }
}
