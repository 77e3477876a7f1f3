//! Files of the source that are published as they are: fragments of pages, proofs of ownership, and pages without versions.
//!
//! A fragment of another language is compared with that of the source language among the audited files: it has to be a fragment, too.
//! With the source's own folder, bytes are compared.

use std::collections::{BTreeMap, BTreeSet};

use super::AuditError;
use super::finding::AuditFindings;
use super::folder::FileTree;
use super::graph::{Graph, LinePosition};
use super::rule::AuditRule;
use super::site::AuditedSite;
use crate::crawl::{by_ending, format_of_page, is_page, is_proof};
use crate::model::{Locale, PagePath};
use crate::page::{PageFacts, PageFormat, read_facts};

/// A file that is not as it is in the source.
#[derive(Debug)]
pub(super) struct ChangedFile {
    /// Its name among the audited files.
    name: String,
    /// Its name in the source, with the folder.
    source: String,
    /// The path of the file in the source.
    is_what: &'static str,
}

/// Finds fragments of other languages that became documents.
pub(super) fn check(site: &AuditedSite, _graph: &Graph, findings: &mut AuditFindings) {
    let by_name: BTreeMap<&str, &PageFacts> = site
        .pages
        .iter()
        .map(|page| (page.name.as_str(), &page.facts))
        .collect();
    for page in site
        .pages
        .iter()
        .filter(|page| !page.facts.form.is_fragment)
    {
        let Some((folder, rest)) = page.name.split_once('/') else {
            continue;
        };
        if Locale::parse(folder).is_err() {
            continue;
        }
        let mut names = names_in(site.source.as_ref(), rest)
            .into_iter()
            .filter(|name| *name != page.name);
        let fragment = names.find(|name| {
            by_name
                .get(name.as_str())
                .is_some_and(|facts| facts.form.is_fragment)
        });
        if let Some(fragment) = fragment {
            let place = LinePosition {
                name: page.name.clone(),
                line: None,
            };
            let message = format!(
                "is a document, and {fragment}, of which it is the version, is a fragment of other pages"
            );
            findings.add(AuditRule::FragmentChanged, &place, message);
        }
    }
}

/// Reports files that are not as they are in the source.
pub(super) fn report(changed: &[ChangedFile], findings: &mut AuditFindings) {
    for ChangedFile {
        name,
        source,
        is_what,
    } in changed
    {
        let place = LinePosition {
            name: name.clone(),
            line: None,
        };
        findings.add(
            AuditRule::FragmentChanged,
            &place,
            format!("differs from {source}, which is {is_what}"),
        );
    }
}

/// Compares the files of a source that are published as they are with those that are audited. A file that is not there is passed over:
/// it may have been left out on purpose.
pub(super) async fn compare(
    source: &impl FileTree,
    audited: &impl FileTree,
    language: Option<&Locale>,
    site: &AuditedSite,
) -> Result<Vec<ChangedFile>, AuditError> {
    let sources = source.names();
    let names = audited.names();
    let home = language_of_home(source, &sources).await?;
    let language = home.as_ref().or(language);
    let made = made_languages(site, language, &sources);
    let mut changed = Vec::new();
    for name in sources
        .iter()
        .filter(|name| by_ending(name).is_some_and(is_page))
    {
        let Some(published) = names_in(language, name)
            .into_iter()
            .find(|name| names.contains(name))
        else {
            continue;
        };
        let body = source.read(name).await?;
        let facts = read_facts(
            by_ending(name).map_or(PageFormat::Html, format_of_page),
            &body,
            None,
        );
        let is_proof = is_proof(PagePath::of_file(name).path(), &facts.form);
        let is_what = if is_proof {
            "a proof of ownership"
        } else if facts.form.is_fragment {
            "a fragment of other pages"
        } else if is_kept(&facts, language, &made) {
            "a page that is published as it is"
        } else {
            continue;
        };
        let now = audited.read(&published).await?;
        let is_same = match is_proof || facts.form.is_fragment {
            true => body == now,
            false => without_versions(&body) == without_versions(&now),
        };
        if !is_same {
            let source = source.place().join(name).display().to_string();
            changed.push(ChangedFile {
                name: published,
                source,
                is_what,
            });
        }
    }
    Ok(changed)
}

/// The language that the home page of a source says. `None` if there is no such page.
async fn language_of_home(
    source: &impl FileTree,
    names: &BTreeSet<String>,
) -> Result<Option<Locale>, AuditError> {
    const HOME: &str = "index.html";
    if !names.contains(HOME) {
        return Ok(None);
    }
    let facts = read_facts(PageFormat::Html, &source.read(HOME).await?, None);
    Ok(facts.lang.and_then(|lang| Locale::parse(&lang.text).ok()))
}

/// Names that a file of the source may have: its own, or one in the folder of its language.
fn names_in(language: Option<&Locale>, name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    names.extend(language.map(|language| format!("{language}/{name}")));
    names
}

/// The languages of pages that the source does not have.
fn made_languages(
    site: &AuditedSite,
    language: Option<&Locale>,
    sources: &BTreeSet<String>,
) -> BTreeSet<Locale> {
    let own = language.map(|language| format!("{language}/"));
    let is_of_source = |name: &str| {
        let inside = own.as_deref().and_then(|folder| name.strip_prefix(folder));
        sources.contains(name) || inside.is_some_and(|name| sources.contains(name))
    };
    let made = site.pages.iter().filter(|page| !is_of_source(&page.name));
    made.filter_map(|page| page.locale.clone()).collect()
}

/// True for a page in a language of which nothing was made: it has no versions of its own. Pages in another encoding than UTF-8 are passed
/// over, since they may be converted.
fn is_kept(facts: &PageFacts, language: Option<&Locale>, made: &BTreeSet<Locale>) -> bool {
    let own = facts
        .lang
        .as_ref()
        .and_then(|lang| Locale::parse(&lang.text).ok());
    let Some((own, language)) = own.zip(language) else {
        return false;
    };
    facts.encoding == "UTF-8"
        && !own.same_language(language)
        && !made.iter().any(|made| made.same_language(&own))
}

/// A page without white space and without what may change in a page that is kept: links to versions, and its encoding.
fn without_versions(html: &[u8]) -> Vec<u8> {
    let mut rest = html;
    let mut kept = Vec::with_capacity(html.len());
    while let Some(start) = rest.iter().position(|byte| *byte == b'<') {
        let end = rest[start..]
            .iter()
            .position(|byte| *byte == b'>')
            .map_or(rest.len(), |at| start + at + 1);
        let tag = rest[start..end].to_ascii_lowercase();
        kept.extend_from_slice(&rest[..start]);
        let has = |word: &[u8]| tag.windows(word.len()).any(|part| part == word);
        let may_change = match tag.starts_with(b"<link") {
            true => has(b"hreflang"),
            false => tag.starts_with(b"<meta") && (has(b"charset") || has(b"og:locale")),
        };
        if !may_change {
            kept.extend_from_slice(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    kept.extend_from_slice(rest);
    kept.retain(|byte| !byte.is_ascii_whitespace());
    kept
}
