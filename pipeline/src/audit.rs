//! The audit: what is wrong with a localized site, whoever made it.
//!
//! [`audit`] reads every page of a folder or of a site on the web once (`folder`, `web`) and keeps its facts, and
//! [`audit_deployment`] those of what a build made (`deployment`); the rules then go over all facts and are pure. What a page says in its head, in HTTP headers and in sitemaps counts
//! alike. The same site gives the same findings in the same order. Locales that are only for trying (`en-XA`, `ar-XB`)
//! are left out, and what was not looked at is never a finding. Nothing is written.

mod addresses;
mod answer;
mod bounds;
mod canonical;
mod deployment;
mod details;
mod error;
mod finding;
mod folder;
mod fragments;
mod graph;
mod hreflang;
mod indexing;
mod language;
mod links;
mod lost;
mod report;
mod rule;
mod site;
mod style_facts;
mod styles;
mod tags;
mod web;
mod words;

use futures::future::LocalBoxFuture;
use std::collections::BTreeMap;
use std::path::PathBuf;

use url::Url;

use crate::model::Locale;
use crate::store::{Objects, Published};
use finding::AuditFindings;
use fragments::ChangedFile;
use graph::Graph;
use site::AuditedSite;

pub use error::AuditError;
pub use finding::RuleFinding;
pub use report::{FormatError, ReportFormat};
pub use rule::{AuditRule, Description, RULES, Severity};
pub(crate) use style_facts::{MANY, StyleFacts};

/// What is audited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    /// A folder, as a static host would publish it.
    Folder(PathBuf),
    /// A site on the web, from this page on.
    Web(Url),
}

/// How it is audited.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The language from which the others are translated; without it, it is derived.
    pub source: Option<Locale>,
    /// The address at which a folder is published; without it, it is derived.
    pub base: Option<Url>,
    /// The folder of the source of a folder, whose files that are published as they are are compared.
    pub original: Option<PathBuf>,
    /// Rules that are switched off.
    pub allowed: Vec<AuditRule>,
    /// The most addresses that are asked for on the web.
    pub max_pages: usize,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// In the order of pages and lines.
    pub findings: Vec<RuleFinding>,
    /// How many pages were read.
    pub pages: usize,
    /// How many sitemaps were read.
    pub sitemaps: usize,
    /// The language from which the others are translated, where it could be told.
    pub source: Option<Locale>,
    /// Whether there are more pages than were asked for.
    pub truncated: bool,
}

/// Audits a site; `progress` gets pages read and how many are known.
///
/// # Errors
/// An [`AuditError`] when there is nothing to audit.
pub fn audit<'a>(
    target: &'a AuditTarget,
    options: &'a AuditOptions,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<Audit, AuditError>> {
    Box::pin(async move {
        let mut changed = Vec::new();
        let (site, truncated) = match target {
            AuditTarget::Folder(folder) => {
                let files = folder::FolderTree::of(folder)?;
                let site = folder::read(&files, options.base.as_ref(), progress).await?;
                if let Some(original) = &options.original {
                    let language = options
                        .source
                        .clone()
                        .or_else(|| source_of(&site, &Graph::of(&site)));
                    changed = fragments::compare(
                        &folder::FolderTree::of(original)?,
                        &files,
                        language.as_ref(),
                        &site,
                    )
                    .await?;
                }
                (site, false)
            }
            AuditTarget::Web(start) => web::read(start, options.max_pages, progress).await?,
        };
        Ok(judged(site, truncated, options, &changed))
    })
}

/// Audits a deployment as a static host would publish it; `progress` gets pages read and their number.
///
/// # Errors
/// An [`AuditError`] when there is no page in it, or the store failed.
pub fn audit_deployment<'a>(
    published: &'a Published,
    objects: &'a Objects,
    options: &'a AuditOptions,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<Audit, AuditError>> {
    Box::pin(async move {
        let files = deployment::DeploymentTree::of(published, objects);
        let site = folder::read(&files, options.base.as_ref(), progress).await?;
        Ok(judged(site, false, options, &[]))
    })
}

/// What the rules find in a site.
fn judged(
    mut site: AuditedSite,
    truncated: bool,
    options: &AuditOptions,
    changed: &[ChangedFile],
) -> Audit {
    let graph = Graph::of(&site);
    site.source = options.source.clone().or_else(|| source_of(&site, &graph));
    let mut findings = AuditFindings::default();
    let checks = [
        hreflang::check,
        canonical::check,
        lost::check,
        language::check,
        styles::check,
        indexing::check,
        fragments::check,
    ];
    for check in checks {
        check(&site, &graph, &mut findings);
    }
    let copies = words::check(&site, &graph, &mut findings);
    for (index, page) in site.audited() {
        let details = page.details.open();
        links::check(&site, &graph, index, &details.links, &mut findings);
        if !copies.contains(&index) {
            words::check_texts(&site, page, &details.texts, &mut findings);
        }
    }
    fragments::report(changed, &mut findings);
    Audit {
        findings: findings.finish(&options.allowed),
        pages: site.pages.len(),
        sitemaps: site.sitemaps.len(),
        source: site.source,
        truncated,
    }
}

/// The language from which the others are translated: that of all x-defaults, or else of the page at the root, or else
/// the most frequent one, of several the first by its tag.
fn source_of(site: &AuditedSite, graph: &Graph) -> Option<Locale> {
    let defaults = graph
        .edges
        .iter()
        .flatten()
        .filter(|edge| edge.is_default());
    let defaults: Vec<&Locale> = defaults
        .filter_map(|edge| site.locale(edge.target?))
        .collect();
    if let Some((first, others)) = defaults.split_first()
        && others.iter().all(|other| other == first)
    {
        return Some((*first).clone());
    }
    let mut roots = site
        .audited()
        .filter(|(_, page)| page.url.path() == "/")
        .collect::<Vec<_>>();
    roots.sort_by(|(_, one), (_, other)| one.url.cmp(&other.url));
    let languages: Vec<&Locale> = roots
        .iter()
        .filter_map(|(_, page)| page.locale.as_ref())
        .collect();
    // With a host for each language, every one of them has a root.
    if let [only] = languages.as_slice() {
        return Some((*only).clone());
    }
    let mut counts: BTreeMap<&Locale, usize> = BTreeMap::new();
    site.audited()
        .filter_map(|(_, page)| page.locale.as_ref())
        .for_each(|locale| *counts.entry(locale).or_default() += 1);
    counts
        .into_iter()
        .rev()
        .max_by_key(|(_, count)| *count)
        .map(|(locale, _)| locale.clone())
}
