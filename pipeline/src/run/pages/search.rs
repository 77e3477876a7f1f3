//! Search indexes in every language: which of them a source has, and what a build makes of them.
//!
//! A build writes them after it rendered all pages, from the published text. The state caches that text as one row per published
//! version, so unchanged pages are not parsed again.
//!
//! One file: the indexes of a site, from rows to files.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::live;
use super::references::SiteContext;
use crate::config::SiteConfig;
use crate::counted::counted;
use crate::model::{Locale, PagePath, object_name};
use crate::page::{CodedText, Segment, TextClass, read_content};
use crate::run::context::{self, Build, blocking};
use crate::run::corpus::asked_texts::AskedTexts;
use crate::run::corpus::contents::Corpus;
use crate::run::error::BuildError;
use crate::run::memo::carry;
use crate::run::report::build_report::SearchIndex;
use crate::run::source::sources::{self, Sources};
use crate::run::words::texts::LocaleTexts;
use crate::search::{
    self, IndexFile, IndexLanguage, IndexLoading, Localized, Needs, RecognizedFile,
    RecognizedIndex, SourceFiles,
};
use crate::state::{SearchChange, SearchMade, SearchRows, SourceKind, SpillFile};
use crate::store::{Draft, Object, Tree};

/// Search text that a build has collected, by language.
pub(super) struct SaidPages {
    /// Published pages of each language.
    pages: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Rows of the versions that this build rendered.
    rows: SearchRows,
}

/// Use of cached rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowReuse {
    /// Rows whose fingerprint matches the published version.
    Known,
    /// No row, after one turned out to be unreadable.
    None,
}

/// Inputs of the indexes of a language.
struct Ingredients {
    /// Pages with the fingerprints of their rows.
    pages: BTreeMap<PagePath, [u8; 32]>,
    /// Translations of the texts that the indexes look up.
    words: HashMap<String, String>,
    /// Fingerprint of the pages and of the index's own files.
    print: [u8; 32],
}

impl SaidPages {
    /// An empty collection that spills rows to `spill`.
    pub(in crate::run) fn on(spill: SpillFile) -> Self {
        Self {
            pages: BTreeMap::new(),
            rows: SearchRows::on(spill),
        }
    }

    /// Records that a page is published in a language.
    pub(in crate::run) fn note(&mut self, locale: &Locale, path: &PagePath) {
        self.pages
            .entry(locale.clone())
            .or_default()
            .insert(path.clone());
    }

    /// Adds the row of a new version.
    pub(in crate::run) fn add(
        &mut self,
        locale: &Locale,
        path: &PagePath,
        print: &[u8; 32],
        row: &[u8],
    ) {
        self.rows.add(locale, path, print, row);
    }

    /// Published pages of a language.
    pub(in crate::run) fn pages(&self, locale: &Locale) -> impl Iterator<Item = &PagePath> {
        self.pages.get(locale).into_iter().flatten()
    }
}

/// Text that the site's indexes need of a page; `None` if the site has no index.
pub(in crate::run) fn needs(corpus: &Corpus) -> Option<Needs> {
    corpus.indexes.iter().map(RecognizedIndex::needs).max()
}

/// The paths of a source's files.
fn files(sources: &Sources) -> SourceFiles<'_> {
    sources.files().map(|(path, _)| path.as_str()).collect()
}

/// Finds the indexes of a source, and says what stays as it is.
pub(in crate::run) async fn find_indexes(
    build: &Build<'_>,
    sources: &Sources,
    corpus: &mut Corpus,
) -> Result<(), BuildError> {
    let files = files(sources);
    let mut unknown = Vec::new();
    for (path, record) in sources
        .of_kind(SourceKind::File)
        .filter(|(path, _)| search::may_be_index(path.as_str()))
    {
        let Some(body) = sources::read_source(build, record).await? else {
            continue;
        };
        let pages = &corpus.pages;
        let has_page = |path: &str| spellings(path).any(|path| pages.contains_key(&path));
        match search::look(path.as_str(), &body, &files, &has_page) {
            Some(RecognizedFile::Index(index))
                if !context::has_hosts(build.site)
                    && !live::leads_to(build.site, &index, corpus) =>
            {
                let generator = index.generator();
                let also = match index.asked() {
                    IndexLoading::Imported => {
                        ", or the live script and a policy that allows import maps"
                    }
                    IndexLoading::Fetched => ", or the live script",
                    IndexLoading::Beside | IndexLoading::AtRoot => "",
                };
                unknown.push(format!(
                    "{path} (an index by {generator}, which needs a host for each language{also})"
                ));
            }
            Some(RecognizedFile::Index(index)) => corpus.indexes.push(index),
            Some(RecognizedFile::Pagefind(index)) if build.site.search.pagefind.is_empty() => {
                unknown.push(format!(
                    "{path} (an index of Pagefind with {}; `pagefind` in [site.search] names the program that makes it in \
                     each language)",
                    counted(index.pages(), "page")
                ));
            }
            Some(RecognizedFile::Pagefind(index)) if corpus.pagefind.is_none() => {
                corpus.pagefind = Some(index)
            }
            Some(RecognizedFile::Pagefind(_)) => {
                unknown.push(format!("{path} (a second index of Pagefind)"))
            }
            Some(RecognizedFile::Unknown(what)) => unknown.push(format!("{path} ({what})")),
            None => {}
        }
    }
    // Where one index by Docusaurus stays, so do all: one address leads to them.
    if !context::has_hosts(build.site)
        && unknown.iter().any(|file| file.starts_with("/search-index"))
    {
        let stay = corpus
            .indexes
            .extract_if(.., |index| index.asked() == IndexLoading::Fetched);
        unknown.extend(stay.map(|index| format!("{} (beside one that stays)", index.path())));
    }
    corpus.notices.extend(notice_of_unknown(&unknown));
    for locale in &build.site.locales {
        let lacks =
            |index: &RecognizedIndex| Some((index.path().to_owned(), index.lacks(locale, &files)?));
        corpus.notices.extend(
            corpus.indexes.iter().filter_map(lacks).map(|(path, why)| {
                format!("{path}: search finds little in {locale}, because {why}")
            }),
        );
    }
    Ok(())
}

/// What the report says of the indexes.
pub(in crate::run) fn indexes(corpus: &Corpus) -> Vec<SearchIndex> {
    let said = |index: &RecognizedIndex| SearchIndex {
        path: index.path().to_owned(),
        generator: index.generator().into(),
        entries: index.entries(),
    };
    let by_pagefind = corpus.pagefind.iter().map(|index| SearchIndex {
        path: index.entry_path(),
        generator: "Pagefind".into(),
        entries: index.pages(),
    });
    corpus.indexes.iter().map(said).chain(by_pagefind).collect()
}

/// The files that belong to indexes in a language, by their paths in the source. Where each language has a host of its
/// own, the source's other files are there already.
pub(super) fn index_files(
    site: &SiteConfig,
    sources: &Sources,
    corpus: &Corpus,
    locale: &Locale,
) -> Vec<PagePath> {
    let files = files(sources);
    let all = corpus
        .indexes
        .iter()
        .flat_map(|index| index.files(locale, &files));
    let wanted = all.filter(|file| matches!(file, IndexFile::Made(_)) || !context::has_hosts(site));
    wanted
        .filter_map(|file| PagePath::parse(file.path()).ok())
        .collect()
}

/// Fingerprint of a page's search row: the published bytes, the program and the text that indexes need.
pub(super) fn fingerprint_of_said(
    site: &SiteContext<'_>,
    draft: &Draft,
    (locale, path): (&Locale, &PagePath),
) -> Option<[u8; 32]> {
    let entry = draft.entry(&Tree::Locale(locale.clone()), &site.name(locale, path))?;
    let mut print = blake3::Hasher::new();
    print.update(&site.carry.environment.program);
    print.update(entry.hash.spelled().as_bytes());
    print.update(&[u8::from(needs(site.corpus) == Some(Needs::Words))]);
    Some(*print.finalize().as_bytes())
}

/// Publishes the indexes of each language; carries those over whose inputs are unchanged.
#[expect(
    clippy::too_many_lines,
    reason = "handles the indexes of one language in order"
)]
pub(super) async fn put_indexes(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    mut said: SaidPages,
    draft: &Draft,
) -> Result<Option<SearchChange>, BuildError> {
    if site.corpus.indexes.is_empty() {
        return Ok(None);
    }
    let files = files(sources);
    let mut gone = Vec::new();
    let mut made = Vec::new();
    for texts in &site.texts {
        let locale = &texts.locale;
        let ingredients = find_ingredients(build, (site, texts), sources, &said, draft).await?;
        let names: Vec<PagePath> = index_files(build.site, sources, site.corpus, locale);
        if let Some(kept) = keep_made(build, (site, locale), (&names, &ingredients), draft).await? {
            made.extend((kept.of == ingredients.print).then(|| (locale.clone(), kept)));
            continue;
        }
        gone.extend(
            read_open_pages(
                build,
                (site, locale),
                (&ingredients, RowReuse::Known),
                &mut said,
                draft,
            )
            .await?,
        );
        let mut indexes = match fill_indexes(build, (site, locale), (&ingredients, &said), &files)?
        {
            Some(indexes) => indexes,
            None => {
                read_open_pages(
                    build,
                    (site, locale),
                    (&ingredients, RowReuse::None),
                    &mut said,
                    draft,
                )
                .await?;
                let indexes = fill_indexes(build, (site, locale), (&ingredients, &said), &files)?;
                indexes.ok_or_else(|| {
                    BuildError::Broken(format!("what pages in {locale} say cannot be read"))
                })?
            }
        };
        let tree = Tree::Locale(locale.clone());
        let mut is_whole = true;
        for path in names.clone() {
            let Some(record) = sources.records.get(&path) else {
                continue;
            };
            let body = match indexes.remove(path.as_str()) {
                Some(text) => Some(text.into()),
                None => sources::read_source(build, record).await?,
            };
            let name = object_name(&path, false);
            let Some(body) = body else {
                // Readers keep the file that they have, and the next build makes the indexes anew.
                is_whole = false;
                draft.keep(&tree, &name).await?;
                continue;
            };
            let object = Object::new(name, path, &record.content_type, body);
            draft.put(&tree, object).await?;
        }
        if !is_whole {
            continue;
        }
        let to = print_of_files(&names, |name| {
            draft
                .entry(&tree, name)
                .map(|entry| carry::fingerprint_of(build.options, &entry))
        });
        made.push((
            locale.clone(),
            SearchMade {
                of: ingredients.print,
                to,
            },
        ));
    }
    said.rows.check()?;
    let locales = site
        .texts
        .iter()
        .map(|texts| texts.locale.clone())
        .collect();
    Ok(Some(SearchChange {
        rows: said.rows,
        gone,
        made,
        locales,
    }))
}

/// Collects the inputs of a language's indexes.
async fn find_ingredients(
    build: &Build<'_>,
    (site, texts): (&SiteContext<'_>, &LocaleTexts),
    sources: &Sources,
    said: &SaidPages,
    draft: &Draft,
) -> Result<Ingredients, BuildError> {
    let locale = &texts.locale;
    let mut key = build.options.inputs.key();
    let mut pages = BTreeMap::new();
    for path in said.pages(locale) {
        let Some(print) = fingerprint_of_said(site, draft, (locale, path)) else {
            continue;
        };
        key.add_debug(&(path.as_str(), print));
        pages.insert(path.clone(), print);
    }
    let files = files(sources);
    for file in site
        .corpus
        .indexes
        .iter()
        .flat_map(|index| index.files(locale, &files))
    {
        let record = PagePath::parse(file.path())
            .ok()
            .and_then(|path| sources.records.get(&path));
        key.add_debug(&(
            file.path(),
            record.map(|record| (&record.hash, &record.content_type)),
        ));
    }
    let words = asked_words(build, site, texts).await?;
    key.add_debug(&words.iter().collect::<BTreeMap<_, _>>());
    Ok(Ingredients {
        pages,
        words,
        print: key.bytes(),
    })
}

/// Translations of the texts that the indexes look up, by source text.
pub(super) async fn asked_words(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    texts: &LocaleTexts,
) -> Result<HashMap<String, String>, BuildError> {
    let AskedTexts {
        texts: asked,
        read,
        cached,
    } = &site.corpus.asked_texts;
    let mut words: HashMap<String, String> = HashMap::new();
    for (source, translation) in texts.elsewhere.iter() {
        words.insert(source.clone(), translation.clone());
    }
    let mut open: Vec<(&str, Segment)> = Vec::new();
    for (key, text) in asked {
        match read.get(key) {
            Some(&index) => {
                // A translation from the pages wins over one for texts that no page has.
                words.remove(text);
                words.extend(
                    texts
                        .text(index)
                        .map(|words| (text.clone(), words.into_text())),
                );
            }
            // Texts of a page whose source cannot be read are unknown, so the memory is asked for this one.
            None if cached.contains(key) || !site.corpus.unreadable.is_empty() => {
                open.push((text, plain(text)));
            }
            None => {}
        }
    }
    let segments: Vec<Segment> = open.iter().map(|(_, segment)| segment.clone()).collect();
    let settled = carry::resolve_again(build, site, &texts.locale, &segments).await?;
    for ((text, _), settled) in open.into_iter().zip(settled) {
        words.remove(text);
        words.extend(
            settled
                .text
                .map(|words| (text.to_owned(), words.into_text())),
        );
    }
    Ok(words)
}

/// Carries the published indexes of a language over if their inputs are unchanged or the update is deferred.
///
/// The fingerprint of the inputs leaves out what is the same whenever a page stands: the program, settings and addresses.
/// It has the translations that the index looks up, because an unreadable source takes its texts from the site.
async fn keep_made(
    build: &Build<'_>,
    (site, locale): (&SiteContext<'_>, &Locale),
    (paths, ingredients): (&[PagePath], &Ingredients),
    draft: &Draft,
) -> Result<Option<SearchMade>, BuildError> {
    let id = build.site.id.clone();
    let tag = locale.clone();
    let Some(made) = build
        .stores
        .with_state(move |state| state.search_made(&id, &tag))
        .await?
    else {
        return Ok(None);
    };
    let tree = Tree::Locale(locale.clone());
    let published = print_of_files(paths, |name| {
        draft
            .kept(&tree, name)
            .map(|entry| carry::fingerprint_of(build.options, entry))
    });
    let is_same = made.of == ingredients.print || build.options.defers_search;
    if site.corpus.cached.is_empty() || !is_same || made.to != published {
        return Ok(None);
    }
    for path in paths {
        draft.keep(&tree, &object_name(path, false)).await?;
    }
    Ok(Some(made))
}

/// Reads published pages without a current row; returns the stale rows.
async fn read_open_pages(
    build: &Build<'_>,
    (site, locale): (&SiteContext<'_>, &Locale),
    (Ingredients { pages, .. }, rows): (&Ingredients, RowReuse),
    said: &mut SaidPages,
    draft: &Draft,
) -> Result<Vec<(Locale, PagePath)>, BuildError> {
    let Some(needs) = needs(site.corpus) else {
        return Ok(Vec::new());
    };
    let id = build.site.id.clone();
    let tag = locale.clone();
    let known = build
        .stores
        .with_state(move |state| state.search_prints(&id, &tag))
        .await?;
    for (path, print) in pages {
        let counts = rows == RowReuse::Known && !build.options.rebuild;
        if said.rows.has(locale, path) || (counts && known.get(path) == Some(print)) {
            continue;
        }
        let name = site.name(locale, path);
        let body = draft.read(&Tree::Locale(locale.clone()), &name).await?;
        let row = blocking(move || search::to_row(&read_content(&body), needs)).await?;
        said.add(locale, path, print, &row);
    }
    let stale = known.into_keys().filter(|path| !pages.contains_key(path));
    Ok(stale.map(|path| (locale.clone(), path)).collect())
}

/// Generates the index files of a language, by path; `None` if a row is unreadable.
fn fill_indexes(
    build: &Build<'_>,
    (site, locale): (&SiteContext<'_>, &Locale),
    (ingredients, said): (&Ingredients, &SaidPages),
    files: &SourceFiles<'_>,
) -> Result<Option<BTreeMap<String, String>>, BuildError> {
    let slugs = site.addresses.public().slugs();
    let state = &build.stores.state;
    let id = &build.site.id;
    let trouble = Cell::new(None);
    let is_lost = Cell::new(false);
    let page = |written: &str| {
        let path = site.addresses.meant(PagePath::parse(written).ok()?);
        ingredients.pages.get(&path)?;
        let content = match said.rows.has(locale, &path) {
            true => said.rows.get(locale, &path, search::of_row),
            false => state
                .search_row(id, locale, &path, search::of_row)
                .unwrap_or_else(|error| {
                    trouble.set(Some(error.into()));
                    None
                }),
        };
        is_lost.set(is_lost.get() || content.is_none());
        let path = slugs.local(locale, &path).as_str().to_owned();
        Some(Localized {
            path: path.into(),
            content: Cow::Owned(content?),
        })
    };
    let words = |text: &str| ingredients.words.get(text).cloned();
    let language = IndexLanguage {
        locale,
        page: &page,
        words: &words,
    };
    let mut made = BTreeMap::new();
    for index in &site.corpus.indexes {
        for file in index.files(locale, files) {
            if let IndexFile::Made(path) = file {
                let text = index.make(&path, &language, files);
                made.insert(path, text);
            }
        }
    }
    match trouble.take() {
        Some(error) => Err(error),
        None => Ok((!is_lost.get()).then_some(made)),
    }
}

fn plain(text: &str) -> Segment {
    Segment {
        text: CodedText::plain(text),
        codes: Vec::new(),
        class: TextClass::Prose,
        origin: "p".into(),
        filter: None,
        keeps_nodes: false,
    }
}

/// Fingerprint of index files, from the fingerprint of each.
fn print_of_files(paths: &[PagePath], known: impl Fn(&str) -> Option<[u8; 32]>) -> [u8; 32] {
    let mut prints = blake3::Hasher::new();
    for path in paths {
        // A missing file counts as zeros.
        prints.update(&known(&object_name(path, false)).unwrap_or_default());
    }
    *prints.finalize().as_bytes()
}

/// The paths that a page may have which an index writes so.
fn spellings(path: &str) -> impl Iterator<Item = PagePath> {
    let bare = path.strip_suffix("index.html").unwrap_or(path);
    let spellings = [
        path.to_owned(),
        bare.to_owned(),
        format!("{bare}/"),
        format!("{bare}.html"),
    ];
    spellings
        .into_iter()
        .filter_map(|path| PagePath::parse(&path).ok())
}

fn notice_of_unknown(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "search finds words of the source language alone where it goes by these files, which stay as they are: {}",
            files.join(", ")
        )
    })
}
