//! Stage two: which texts the pages hold, each different one once.
//!
//! One file: one pass over all pages, and the corpus that it fills.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use url::Url;

use super::asked_texts::AskedTexts;
use super::contents::Corpus;
use super::elsewhere::{ElsewhereDecisions, Other, Others};
use super::facts::{CorpusFacts, FixedAddresses};
use super::hosts::{Hosts, PageHosts};
use super::page_notices::{
    broken_places, notice_of_broken, notice_of_left, notice_of_letters, notice_of_placement,
    notice_of_refusing, too_much,
};
use super::parts::PageParts;
use super::scripted::Scripted;
use super::singles;
use super::text_table::{KnownTexts, TextTable};
use crate::addresses::PublicAddresses;
use crate::config::{Live, SiteConfig, SourceLocation};
use crate::crawl::format_of;
use crate::model::{Locale, NameClue, PagePath, SegmentKey};
use crate::page::{Page, PageFormat, Rendering, Segment};
use crate::run::context::{self, Build, blocking};
use crate::run::error::BuildError;
use crate::run::pages::{precache, search};
use crate::run::source::claimed::ClaimReader;
use crate::run::source::reported::page_of_taken;
use crate::run::source::sources::{self, Sources};
use crate::run::source::{drawings, source_sitemaps};
use crate::site_files::{self, ServedPolicies};
use crate::state::{CachedPage, SourceKind, SourceRecord, Stage};
use crate::text::{language_in_folder, language_of_page, name_clues, with_heading_words};

/// Inputs of reading a page.
#[derive(Clone, Copy)]
struct ExtractInputs<'r> {
    reader: &'r ClaimReader<'r>,
    parts: &'r PageParts,
    sources: &'r Sources,
    served_policies: &'r ServedPolicies,
}

/// What one page holds.
struct Extracted {
    path: PagePath,
    segments: Vec<Segment>,
    /// What scripts put in beside them.
    found: Vec<Segment>,
    is_unreadable: bool,
    facts: CorpusFacts,
    names: Box<[NameClue]>,
    /// All that counts of it, where it was not read.
    cached: Option<CachedPage>,
}

impl Corpus {
    /// Decides about pages that are in another language: they have no versions, unless there are so many of them that it must be a
    /// mistake.
    fn settle(&mut self, known: &mut KnownTexts, source: &Locale, others: Others) {
        let ElsewhereDecisions {
            others,
            mistaken,
            notices,
        } = others.decide(source, self.pages.len() - self.singles.len());
        self.notices.extend(notices);
        self.singles.extend(
            others
                .into_iter()
                .map(|other| (other.path, Some(other.language))),
        );
        for Other {
            path,
            segments,
            found,
            ..
        } in mistaken
        {
            self.is_unsorted = true;
            let indices = self.take_page(known, source, &path, segments);
            let found = self.take(known, source, &path, found);
            self.found
                .extend((!found.is_empty()).then(|| (path.clone(), found)));
            self.pages.insert(path, indices);
        }
    }
}

/// Parses every page and document and collects its texts; those of pages first.
pub(crate) async fn read_all(build: &Build<'_>, sources: &Sources) -> Result<Corpus, BuildError> {
    read_beside(build, sources, BTreeMap::new()).await
}

/// Extracts the texts of all pages that are not cached.
#[expect(
    clippy::too_many_lines,
    reason = "one pass over all pages that fills one corpus"
)]
pub(in crate::run) async fn read_beside(
    build: &Build<'_>,
    sources: &Sources,
    mut cached: BTreeMap<PagePath, CachedPage>,
) -> Result<Corpus, BuildError> {
    let total = sources.of_kind(SourceKind::Page).count();
    let reader = ClaimReader::of(build.site);
    let parts = PageParts::candidates(sources, |page, written| reader.page(page, written));
    let served_policies = served_policies(build, sources).await?;
    let reading = ExtractInputs {
        reader: &reader,
        parts: &parts,
        sources,
        served_policies: &served_policies,
    };
    let texts = sources
        .of_kind(SourceKind::Page)
        .chain(sources.of_kind(SourceKind::Document));
    let pages = stream::iter(texts)
        .map(|(path, record)| read_page(build, path, record, cached.remove(path), reading))
        .buffered(build.options.jobs.get());
    let mut pages = std::pin::pin!(pages);
    let texts = TextTable::beside(&build.stores.state, build.options.limits);
    let mut corpus = Corpus {
        texts,
        served_policies: served_policies.clone(),
        parts: parts.clone(),
        ..Corpus::default()
    };
    let mut known = KnownTexts::default();
    let mut broken_pages = Vec::new();
    let mut left_pages = Vec::new();
    let mut leading_out = Vec::new();
    let mut claims = BTreeMap::new();
    let mut lettered = Vec::new();
    let mut lack_switcher = 0;
    let mut has_switcher = false;
    let mut refusing = Vec::new();
    let mut others = Others::default();
    let mut all_hosts = Hosts::default();
    while let Some(extracted) = pages.try_next().await? {
        let Extracted {
            path,
            segments,
            found,
            is_unreadable,
            facts,
            names,
            cached,
        } = extracted;
        corpus.names.add(&path, names);
        corpus.parts.open(&facts);
        corpus
            .forwarding
            .extend(facts.forwards.then(|| path.clone()));
        if !facts.claims.is_empty() {
            claims.insert(path.clone(), facts.claims.clone());
        }
        corpus
            .unreadable
            .extend(is_unreadable.then(|| path.clone()));
        corpus.scripted.extend(
            facts
                .scripted
                .clone()
                .map(|scripted| (path.clone(), scripted)),
        );
        broken_pages.extend(facts.broken.clone());
        left_pages.extend(facts.left.clone());
        leading_out.extend(
            facts
                .leads_out
                .as_ref()
                .map(|target| format!("{path} ({target})")),
        );
        all_hosts.add(&facts.hosts);
        refusing.extend(facts.refuses.then(|| path.to_string()));
        if facts.letters {
            lettered.push(path.to_string());
        }
        if !is_unreadable && gets_switcher(build.site, &path, sources, &parts) {
            lack_switcher += usize::from(facts.lacks_switcher);
            has_switcher |= !facts.lacks_switcher;
        }
        if build.site.keep.names(&path) {
            corpus.singles.insert(path.clone(), facts.claimed.clone());
        }
        let language = facts.language.clone();
        let undecided = facts.undecided.clone();
        if let Some(locale) = reader.folder_of(&path).filter(|_| undecided.is_none()) {
            others.count(locale, language.as_ref());
        }
        match cached {
            Some(cached) => drop(corpus.cached.insert(path.clone(), cached)),
            None => corpus
                .facts
                .extend(facts.unless_default().map(|facts| (path.clone(), facts))),
        }
        let is_undecided = undecided.is_some();
        let (segments, found) = match language.or(undecided) {
            Some(language) => {
                let is_in_folder = reader
                    .folder_of(&path)
                    .is_some_and(|locale| locale.same_language(&language));
                others.add(
                    Other {
                        path: path.clone(),
                        language,
                        is_in_folder,
                        segments,
                        found,
                    },
                    is_undecided,
                );
                (Vec::new(), Vec::new())
            }
            None => (segments, found),
        };
        let indices = corpus.take_page(&mut known, &build.site.source_locale, &path, segments);
        let found = corpus.take(&mut known, &build.site.source_locale, &path, found);
        corpus
            .found
            .extend((!found.is_empty()).then(|| (path.clone(), found)));
        match sources.records.get(&path).map(|record| record.kind) {
            Some(SourceKind::Document) => corpus.documents.insert(path, indices),
            Some(SourceKind::Page | SourceKind::File) | None => corpus.pages.insert(path, indices),
        };
        context::step(build, Stage::Extract, corpus.pages.len(), Some(total));
    }
    corpus.settle(&mut known, &build.site.source_locale, others);
    corpus.notices.extend(notice_of_broken(&broken_pages));
    corpus.notices.extend(all_hosts.notice(build.site));
    if let SourceLocation::Folder(_) = &build.site.source {
        corpus.sitemaps = source_sitemaps::sitemaps_of_folder(build, sources).await?;
    }
    corpus.relate(&claims, build.site, sources)?;
    corpus.notices.extend(notice_of_left(&left_pages));
    corpus
        .notices
        .extend(singles::notice_of_excluded(&leading_out));
    search::find_indexes(build, sources, &mut corpus).await?;
    corpus.asked_texts = AskedTexts::of(&corpus.indexes, &corpus.texts, &build.site.source_locale);
    corpus.notices.extend(notice_of_refusing(&refusing));
    corpus.notices.extend(notice_of_letters(&lettered));
    if lack_switcher > 0 && !has_switcher {
        corpus
            .notices
            .extend(build.site.rules.switcher_element().map(notice_of_placement));
    }
    corpus.decide_names(build.site);
    precache::find_precaches(build, sources, &mut corpus).await?;
    Ok(corpus)
}

/// What a page holds; one that stands is not read.
#[expect(
    clippy::too_many_lines,
    reason = "the facts of one page, taken in one reading"
)]
async fn read_page(
    build: &Build<'_>,
    path: &PagePath,
    record: &SourceRecord,
    cached: Option<CachedPage>,
    ExtractInputs {
        reader,
        parts,
        sources,
        served_policies,
    }: ExtractInputs<'_>,
) -> Result<Extracted, BuildError> {
    let path = path.clone();
    if let Some(cached) = cached {
        let facts = CorpusFacts::of_cached(&cached);
        let cached = Some(cached);
        let segments = Vec::new();
        let found = Vec::new();
        let names = Box::default();
        return Ok(Extracted {
            path,
            segments,
            found,
            is_unreadable: false,
            facts,
            names,
            cached,
        });
    }
    let Some(page) = parse(build, &path, record).await? else {
        let segments = Vec::new();
        let found = Vec::new();
        let facts = CorpusFacts::default();
        let names = Box::default();
        return Ok(Extracted {
            path,
            segments,
            found,
            is_unreadable: true,
            facts,
            names,
            cached: None,
        });
    };
    let mut scripted = Scripted::of(&page);
    if !record.policies.is_empty() {
        let sent = record
            .policies
            .iter()
            .flat_map(|value| site_files::policies(value))
            .map(str::to_owned);
        scripted.get_or_insert_default().policies.extend(sent);
    }
    let is_drawn = scripted
        .as_ref()
        .is_some_and(|page| page.rendering != Rendering::Static);
    let is_live = build.site.scripts.live == Live::All || is_drawn;
    let is_kept = build.site.keep.names(&path);
    let segments: Vec<Segment> = if is_kept {
        Vec::new()
    } else {
        page.segments().collect()
    };
    let source = &build.site.source_locale;
    let folder = reader.folder_of(&path).filter(|_| !is_kept);
    let language = match folder {
        Some(locale) => language_in_folder(&page, &segments, source, locale),
        None => language_of_page(&page, &segments, source),
    };
    let undecided = folder.filter(|_| language.is_none()).cloned();
    let language = language.filter(|language| !language.same_language(source));
    let has_one_version = is_kept || language.is_some() || undecided.is_some();
    let names = match record.kind {
        SourceKind::Page if !has_one_version && folder.is_none() => {
            let names = name_clues(page.names(), &segments);
            if source.language() == "en" {
                with_heading_words(names, &segments)
            } else {
                names
            }
        }
        SourceKind::Page | SourceKind::Document | SourceKind::File => Box::default(),
    };
    let facts = CorpusFacts {
        claimed: page
            .claimed_language()
            .filter(|_| is_kept)
            .and_then(|tag| Locale::parse(&tag).ok()),
        language,
        undecided,
        refuses: page.refuses_translation(),
        letters: page.has_letters_apart(),
        lacks_switcher: build.site.rules.switcher_element().is_some()
            && !page.has_place_for_switcher(),
        hosts: PageHosts::of(&page),
        claims: reader.read(&path, &page, record.links.as_deref(), has_one_version),
        opens: reader.opened(&path, &page, parts),
        leads_out: reader.excluded(&path, &page, &sources.records),
        scripted,
        left: too_much(&path, &page),
        broken: broken_places(&path, &page),
        forwards: page.refresh().is_some_and(|to| leads_away(&path, to)),
        fixed: FixedAddresses::of(
            &page,
            &policies_beside(build.site, &path, record, served_policies),
        ),
    };
    let found = if is_live && !is_kept {
        found_texts(build, record, &segments).await?
    } else {
        Vec::new()
    };
    Ok(Extracted {
        path,
        segments,
        found,
        is_unreadable: false,
        facts,
        names,
        cached: None,
    })
}

/// True for pages that get a language switcher if they have a place for one: neither kept as they are nor parts of others.
fn gets_switcher(site: &SiteConfig, path: &PagePath, sources: &Sources, parts: &PageParts) -> bool {
    let is_page = sources
        .records
        .get(path)
        .is_some_and(|record| record.kind == SourceKind::Page);
    is_page
        && !site.keep.names(path)
        && !parts.fragments.contains(path)
        && !parts.framed.contains(path)
}

/// The policies that come with a page or one of its versions, beside those in its head.
fn policies_beside<'p>(
    site: &SiteConfig,
    path: &PagePath,
    record: &'p SourceRecord,
    served: &'p ServedPolicies,
) -> Vec<&'p str> {
    let public = PublicAddresses::of_site(site);
    let mut policies: Vec<&str> = record.policies.iter().map(String::as_str).collect();
    for locale in &site.locales {
        policies.extend(served.of(&public.path(locale, path)));
    }
    policies
}

/// What the source's own files say of headers.
async fn served_policies(
    build: &Build<'_>,
    sources: &Sources,
) -> Result<ServedPolicies, BuildError> {
    let headers = match PagePath::parse("/_headers")
        .ok()
        .and_then(|path| sources.records.get(&path))
    {
        Some(record) => sources::read_source(build, record)
            .await?
            .unwrap_or_default(),
        None => Bytes::new(),
    };
    let htaccess = match &build.site.source {
        SourceLocation::Folder(folder) => {
            let file = folder.join(".htaccess");
            blocking(move || std::fs::read(file).unwrap_or_default()).await?
        }
        SourceLocation::Web(_) => Vec::new(),
    };
    Ok(ServedPolicies::read(
        &String::from_utf8_lossy(&headers),
        &String::from_utf8_lossy(&htaccess),
    ))
}

/// The texts that a browser showed on a page beside those of its HTML, or readers told of.
async fn found_texts(
    build: &Build<'_>,
    record: &SourceRecord,
    own: &[Segment],
) -> Result<Vec<Segment>, BuildError> {
    let wanted = build.site.scripts.discovery.is_some();
    let drawn = match record.drawing.as_ref().filter(|_| wanted) {
        Some(drawing) => drawings::read_drawing(build, drawing).await?,
        None => None,
    };
    let mut known: HashSet<SegmentKey> = own
        .iter()
        .map(|segment| segment.key(&build.site.source_locale))
        .collect();
    let mut found = Vec::new();
    for page in [drawn, page_of_taken(record).map(Bytes::from)]
        .into_iter()
        .flatten()
    {
        let mut texts = texts_of_drawing(build.site, page).await?;
        texts.retain(|segment| !known.contains(&segment.key(&build.site.source_locale)));
        known.extend(
            texts
                .iter()
                .map(|segment| segment.key(&build.site.source_locale)),
        );
        found.append(&mut texts);
    }
    Ok(found)
}

/// All texts of a drawing. The live script knows them node by node.
pub(in crate::run) async fn texts_of_drawing(
    site: &SiteConfig,
    bytes: Bytes,
) -> Result<Vec<Segment>, BuildError> {
    let locale = site.source_locale.clone();
    let rules = site.rules.clone();
    let read = move || {
        let page = Page::parse_as(PageFormat::Html, &bytes, Some("utf-8"), &locale, &rules);
        page.segments()
            .map(|segment| Segment {
                keeps_nodes: true,
                ..segment
            })
            .collect()
    };
    blocking(read).await
}

/// Parses a stored page or document; nothing when its bytes are missing from the store.
pub(crate) async fn parse(
    build: &Build<'_>,
    path: &PagePath,
    record: &SourceRecord,
) -> Result<Option<Arc<Page>>, BuildError> {
    parse_in(build, &build.site.source_locale, path, record).await
}

/// The same for one whose language is `locale`.
pub(in crate::run) async fn parse_in(
    build: &Build<'_>,
    locale: &Locale,
    path: &PagePath,
    record: &SourceRecord,
) -> Result<Option<Arc<Page>>, BuildError> {
    let Some(bytes) = sources::read_source(build, record).await? else {
        return Ok(None);
    };
    let record = record.clone();
    let path = path.clone();
    let locale = locale.clone();
    let rules = build.site.rules.clone();
    let parse = move || {
        let format = format_of(record.kind, &record.content_type, path.path(), &bytes);
        Page::parse_as(format, &bytes, record.charset.as_deref(), &locale, &rules)
    };
    blocking(move || Some(Arc::new(parse()))).await
}

/// Whether an address on a page is another page's.
fn leads_away(page: &PagePath, address: &str) -> bool {
    let here = Url::parse("http://site.invalid").and_then(|site| site.join(page.as_str()));
    here.and_then(|here| Ok(here.join(address)? != here))
        .unwrap_or(false)
}
