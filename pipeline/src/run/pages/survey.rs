//! The survey of a site: which page exists in which locale, and under which name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kept_versions::KeptVersions;
use super::listing::SitemapEntries;
use super::locale_files::own_files_of;
use super::other_files::OtherFiles;
use super::paths::PagePaths;
use super::references::{SiteContext, SiteOutline};
use super::{documents, live, rtl, search};
use crate::addresses::{Addresses, CrawledSite};
use crate::config::{Missing, SiteConfig};
use crate::model::{Locale, PagePath, assign_names};
use crate::run::context::{self, Build};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::search_tags::SearchTags;
use crate::run::source::query_files;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::run::words::word_counts::WordsBySource;
use crate::site_files;
use crate::state::{PageWords, PagesWords};
use crate::store::Published;

/// What a locale has of the site's pages.
#[derive(Default)]
pub(in crate::run) struct LocaleFigures {
    /// Words of all pages.
    pub(in crate::run) words: WordsBySource,
    /// Pages that exist in it.
    pub(in crate::run) pages: usize,
    /// Pages among them that have words in its language.
    pub(in crate::run) with_words: usize,
    /// Pages of the source that do not exist in it.
    pub(in crate::run) missing: usize,
    /// How much of each page of the source is translated.
    pub(in crate::run) by_page: PagesWords,
}

/// Works out which page exists in which locale and under which name.
#[expect(
    clippy::too_many_lines,
    reason = "builds the tables of references in order"
)]
pub(in crate::run) fn survey<'c>(
    build: &Build<'_>,
    outline: SiteOutline,
    sources: &Sources,
    corpus: &'c Corpus,
    (texts, kept, previous): (Vec<LocaleTexts>, KeptVersions, Option<&Published>),
) -> (SiteContext<'c>, BTreeMap<Locale, LocaleFigures>) {
    let SiteOutline {
        templates,
        paths: PagePaths { slugs, former },
        carry,
        locale_files,
    } = outline;
    let mut translated = BTreeMap::new();
    let mut figures = BTreeMap::new();
    for texts in &texts {
        let (pages, of_locale) = translated_pages(build.site, corpus, texts, (&kept, previous));
        translated.insert(texts.locale.clone(), pages);
        figures.insert(texts.locale.clone(), of_locale);
    }
    let readable = |path: &&PagePath| !corpus.unreadable.contains(*path);
    // A source elsewhere has its own pages, whatever became of our copies.
    let is_there = |path: &&PagePath| {
        !context::publishes_source(build.site)
            || readable(path)
            || kept.has(&build.site.source_locale, path)
    };
    let pages: BTreeSet<PagePath> = corpus.pages.keys().filter(is_there).cloned().collect();
    let mut published = translated.clone();
    let mut untranslated: BTreeMap<Locale, BTreeSet<PagePath>> = BTreeMap::new();
    for texts in &texts {
        let reachable = published.entry(texts.locale.clone()).or_default();
        if build.site.missing == Missing::Notice {
            let pages = corpus
                .pages_to_translate(&texts.locale)
                .map(|(path, _)| path);
            let copies: BTreeSet<PagePath> = pages
                .filter(|path| readable(path) && !reachable.contains(*path))
                .cloned()
                .collect();
            reachable.extend(copies.iter().cloned());
            untranslated.insert(texts.locale.clone(), copies);
        }
        let pages = corpus
            .pages_to_translate(&texts.locale)
            .map(|(path, _)| path);
        reachable.extend(pages.filter(|path| kept.has(&texts.locale, path)).cloned());
        reachable.extend(documents::translated_documents(
            build.site, corpus, texts, &kept,
        ));
        reachable.extend(search::index_files(
            build.site,
            sources,
            corpus,
            &texts.locale,
        ));
    }
    translated.insert(build.site.source_locale.clone(), pages.clone());
    let own_names = texts
        .iter()
        .map(|texts| &texts.locale)
        .filter(|locale| slugs.of(locale).next().is_some());
    let own_files = texts.iter().map(|texts| &texts.locale);
    let known = CrawledSite {
        rtl_sheets: rtl::sheets_of_site(build.site, sources),
        own_files: own_files
            .map(|locale| own_files_of(&locale_files, locale, (&published, &slugs)))
            .collect(),
        files: sources.files().map(|(path, _)| path.clone()).collect(),
        redirects: sources
            .redirects
            .iter()
            .map(|(from, redirect)| (from.clone(), redirect.to.clone()))
            .collect(),
        published,
        untranslated,
        pages,
        written: corpus.written.by_path().clone(),
        query_files: query_files::published_paths(sources),
        slugs: slugs.clone(),
    };
    let addresses = Addresses::new(build.site, known);
    let site = SiteContext {
        corpus,
        live: live::live_site(build, corpus, &texts, &addresses),
        carry: carry.among(&addresses),
        names: names(
            corpus,
            context::publishes_source(build.site),
            PagePath::clone,
        ),
        own_names: own_names
            .map(|locale| {
                (
                    locale.clone(),
                    names(corpus, context::publishes_source(build.site), |path| {
                        slugs.file(locale, path).into_owned()
                    }),
                )
            })
            .collect(),
        former,
        listing: SitemapEntries::default(),
        x_default: build.site.x_default.clone(),
        addresses,
        templates,
        texts,
        kept,
        tags: SearchTags::new(translated.keys()),
        translated,
        style: site_files::switcher_style().0,
        locale_files,
        other_files: OtherFiles::default(),
    };
    (site, figures)
}

/// The pages of which enough is translated, and those that stay although it is not.
pub(in crate::run) fn translated_pages(
    config: &SiteConfig,
    corpus: &Corpus,
    texts: &LocaleTexts,
    (kept, previous): (&KeptVersions, Option<&Published>),
) -> (BTreeSet<PagePath>, LocaleFigures) {
    let mut pages = Vec::new();
    let mut by_page = Vec::new();
    let mut figures = LocaleFigures::default();
    for (path, indices) in corpus.pages_of(&texts.locale) {
        if corpus.written.get(&texts.locale, path).is_some() {
            let words = WordsBySource {
                person: corpus.words_of(texts, path).total(),
                ..WordsBySource::default()
            };
            figures.words.add(words);
            by_page.push((path.clone(), words.into()));
            pages.push(path.clone());
            figures.with_words += 1;
            continue;
        }
        if let Some(cached) = corpus.cached_words(&texts.locale, path) {
            // Nothing of it is untranslated.
            let words = WordsBySource::from(cached);
            figures.words.add(words);
            by_page.push((
                path.clone(),
                PageWords {
                    to_review: cached.to_review.into(),
                    print: Some(cached.print),
                    ..words.into()
                },
            ));
            pages.push(path.clone());
            figures.with_words += usize::from(words.translated() > 0);
            continue;
        }
        let words = live::lasting_words(config, corpus, texts, path, &corpus.shown(path));
        // What scripts put in decides only where there is nothing else: finding more must not take a page away.
        let indices = indices.to_vec();
        let own = if indices.is_empty() {
            words
        } else {
            live::lasting_words(config, corpus, texts, path, &indices)
        };
        // What is published stays; what does not last decides for new pages alone.
        let stood = || previous.is_some_and(|site| site.has_words(&texts.locale, path));
        let stays = || live::unlasting(config, corpus, &texts.locale, path).is_some() && stood();
        figures.words.add(words);
        let page_words = PageWords {
            to_review: texts.to_review_on(&indices),
            print: Some(texts.print(&indices)),
            ..words.into()
        };
        by_page.push((path.clone(), page_words));
        let is_enough = !corpus.unreadable.contains(path) && own.share() >= config.min_translated;
        if is_enough || kept.has_words(&texts.locale, path) || stays() {
            pages.push(path.clone());
            figures.with_words +=
                usize::from(words.translated() > 0 || kept.has_words(&texts.locale, path));
        }
    }
    figures.pages = pages.len();
    figures.missing = corpus.pages_of(&texts.locale).count() - pages.len();
    // Trees that are made at once have no gaps.
    figures.by_page = by_page.into_iter().collect();
    (pages.into_iter().collect(), figures)
}

/// The names of pages and documents by the paths of their files in a locale. The files of a folder keep their names, whatever these
/// are (R-S21).
fn names(
    corpus: &Corpus,
    is_folder: bool,
    file: impl Fn(&PagePath) -> PagePath,
) -> BTreeMap<PagePath, Arc<str>> {
    let mut all: Vec<(&PagePath, PagePath, bool)> = Vec::new();
    for path in corpus.pages.keys() {
        let own = file(path);
        let keeps_name = is_folder && own == *path;
        all.push((path, own, !keeps_name));
    }
    all.extend(
        corpus
            .documents
            .keys()
            .map(|path| (path, path.clone(), false)),
    );
    let assigned = assign_names(all.iter().map(|(_, file, html)| (file, *html)));
    let mut names = BTreeMap::new();
    for (path, file, _) in &all {
        if let Some(name) = assigned.get(file) {
            names.insert((*path).clone(), name.as_str().into());
        }
    }
    names
}
