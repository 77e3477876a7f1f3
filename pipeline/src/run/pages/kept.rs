//! Pages and documents that readers go on getting in their last version, because making the new one failed.
//!
//! Trouble never unpublishes. Trouble is an engine that failed, could not start, was stopped by a budget or is not asked
//! in this run, and a source whose bytes are missing. A page that would vanish from a locale for it keeps its last
//! version there: made from the source of that version and the words there are for it, with today's references. Where
//! that source or its words are gone too, the published bytes stay, and only what they say of other pages is written
//! anew ([`super::republish`]).
//!
//! What was answered, excluded, switched off or taken away by the source itself is no trouble, and nothing is kept.

use std::collections::{BTreeMap, HashMap};

use futures::{StreamExt, TryStreamExt, stream};

use super::kept_versions::{KeptRender, KeptVersion, KeptVersions};
use crate::config::SiteConfig;
use crate::model::{Locale, PagePath, SegmentKey};
use crate::page::Segment;
use crate::run::context::{self, Build};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::extract;
use crate::run::corpus::indices::Indices;
use crate::run::deploy::sweeping;
use crate::run::error::BuildError;
use crate::run::memory::recall;
use crate::run::options::Stores;
use crate::run::report::build_report::{FetchFailure, PageTrouble, Report};
use crate::run::source::sources::Sources;
use crate::run::words::people::People;
use crate::run::words::resolve::resolve_without_engine;
use crate::run::words::texts::LocaleTexts;
use crate::run::words::word_counts::WordsBySource;
use crate::run::words::word_files;
use crate::store::{ManifestEntry, Published, SourceIndex, StoreError, Tree};
use crate::translate::{Chain, ResolvedText, Terms, TranslationOrigin};

/// The stable code of a source whose bytes are missing.
pub(super) const MISSING: &str = "source_missing";

/// What was published last.
struct LastPublished<'p> {
    published: &'p Published,
    index: SourceIndex,
}

/// A version that may stay.
struct KeptCandidate {
    path: PagePath,
    version: KeptVersion,
    name: String,
    entry: ManifestEntry,
}

impl LastPublished<'_> {
    /// The last version of a page in a locale, if there is one that readers got.
    fn candidate(
        &self,
        locale: &Locale,
        path: &PagePath,
        trouble: PageTrouble,
    ) -> Option<KeptCandidate> {
        let tree = Tree::Locale(locale.clone());
        let (name, entry) = self.published.page(&tree, path)?;
        let is_notice = self
            .published
            .manifest(&tree)
            .is_some_and(|manifest| manifest.missing.contains(path));
        // Without its words, a new notice does as well; without its source, the old one has to.
        if is_notice && trouble == PageTrouble::Engine {
            return None;
        }
        let older = self.index.kept.get(locale).and_then(|kept| kept.get(path));
        let up_to_date = self
            .index
            .up_to_date
            .get(locale)
            .and_then(|pages| pages.get(path))
            .copied();
        let version = KeptVersion {
            up_to_date: up_to_date.unwrap_or_else(|| self.published.deployment()),
            trouble,
            is_notice,
            record: older.or_else(|| self.index.records.get(path)).cloned(),
            made: KeptRender::AsPublished,
        };
        Some(KeptCandidate {
            path: path.clone(),
            version,
            name: name.to_owned(),
            entry: entry.clone(),
        })
    }
}

/// Decides which versions stay.
pub(super) async fn find_kept(
    build: &Build<'_>,
    sources: &Sources,
    corpus: &Corpus,
    all: &[LocaleTexts],
    previous: Option<&Published>,
) -> Result<KeptVersions, BuildError> {
    let mut kept = KeptVersions::default();
    if let Some(published) = previous {
        let none = Terms::default();
        let mut troubled = Vec::new();
        for texts in all {
            troubled.push((
                &texts.locale,
                (texts.has_engine, &*texts.terms),
                troubled_pages(build.site, corpus, texts),
            ));
        }
        if context::publishes_source(build.site) {
            let pages = corpus
                .unreadable
                .iter()
                .filter(|path| corpus.pages.contains_key(*path));
            let pages = pages.map(|path| (path, PageTrouble::Source)).collect();
            troubled.push((&build.site.source_locale, (false, &none), pages));
        }
        troubled.retain(|(_, _, pages)| !pages.is_empty());
        if !troubled.is_empty() {
            // Without it, the published bytes are there.
            let index = sweeping::made_of(&build.stores.objects, published)
                .await?
                .unwrap_or_default();
            let last = LastPublished { published, index };
            for (locale, engines, pages) in troubled {
                let versions =
                    last_versions(build, &last, sources, (locale, engines), pages).await?;
                kept.versions.insert(locale.clone(), versions);
            }
        }
    }
    Ok(kept)
}

/// The pages and documents that a locale would lose to trouble.
fn troubled_pages<'c>(
    site: &SiteConfig,
    corpus: &'c Corpus,
    texts: &LocaleTexts,
) -> Vec<(&'c PagePath, PageTrouble)> {
    let trouble = |(path, indices): (&'c PagePath, &'c Indices)| {
        if corpus.needs_no_words(&texts.locale, path) {
            return None;
        }
        if corpus.unreadable.contains(path) {
            return Some((path, PageTrouble::Source));
        }
        if corpus.cached.contains_key(path) {
            return None;
        }
        let indices = indices.to_vec();
        let is_enough = texts.words(corpus, &indices).share() >= site.min_translated;
        (!is_enough && texts.lacks_answer(&indices)).then_some((path, PageTrouble::Engine))
    };
    corpus
        .pages
        .iter()
        .chain(&corpus.documents)
        .filter_map(trouble)
        .collect()
}

/// Those of them of which the last version can be made or is there.
async fn last_versions(
    build: &Build<'_>,
    last: &LastPublished<'_>,
    sources: &Sources,
    (locale, (has_engine, terms)): (&Locale, (bool, &Terms)),
    pages: Vec<(&PagePath, PageTrouble)>,
) -> Result<BTreeMap<PagePath, KeptVersion>, BuildError> {
    let candidates: Vec<KeptCandidate> = pages
        .into_iter()
        .filter_map(|(path, trouble)| last.candidate(locale, path, trouble))
        .collect();
    let mut words = match *locale == build.site.source_locale {
        true => HashMap::new(),
        false => words_of_older(build, &candidates, sources, (locale, terms)).await?,
    };
    let mut versions = BTreeMap::new();
    for KeptCandidate {
        path,
        mut version,
        name,
        entry,
    } in candidates
    {
        let words = words.remove(&path);
        // Where no engine has the language any more, one has failed only if the words from before are an engine's.
        let is_machines =
            |settled: &ResolvedText| matches!(settled.origin, TranslationOrigin::Memory(_));
        let by_engine = words
            .as_ref()
            .is_some_and(|words| words.iter().any(is_machines));
        if version.trouble == PageTrouble::Engine && !has_engine && !by_engine {
            continue;
        }
        if let Some(settled) = words {
            version.made = KeptRender::Anew(settled);
        } else if !is_readable(build.stores, last, locale, &name, &entry).await? {
            continue;
        }
        versions.insert(path, version);
    }
    Ok(versions)
}

/// The words of pages whose older source is there, by path, where they are enough.
async fn words_of_older(
    build: &Build<'_>,
    candidates: &[KeptCandidate],
    sources: &Sources,
    (locale, terms): (&Locale, &Terms),
) -> Result<HashMap<PagePath, Vec<ResolvedText>>, BuildError> {
    let older = candidates
        .iter()
        .filter_map(|KeptCandidate { path, version, .. }| {
            let record = version.record.as_ref().filter(|_| !version.is_notice)?;
            // Pages with an unchanged source are known already.
            let is_today = sources
                .records
                .get(path)
                .is_some_and(|today| today.hash == record.hash);
            (!is_today).then_some((path, record))
        });
    let pages: Vec<(PagePath, Vec<Segment>)> = stream::iter(older)
        .map(|(path, record)| async move {
            let page = extract::parse(build, path, record).await?;
            Ok::<_, BuildError>(page.map(|page| (path.clone(), page.segments().collect())))
        })
        .buffered(build.options.jobs.get())
        .try_filter_map(|page| async move { Ok(page) })
        .try_collect()
        .await?;
    let mut words = HashMap::new();
    if pages.is_empty() {
        return Ok(words);
    }
    let segments = pages.iter().flat_map(|(_, segments)| segments);
    let keys: Vec<SegmentKey> = segments
        .map(|segment| segment.key(&build.site.source_locale))
        .collect();
    let memory = recall::recall(build, locale, keys).await?;
    // What was carried to texts of today is not for these.
    let people = People::of(word_files::catalogue(build, locale).await?);
    for (path, segments) in pages {
        let remembered = |segment: &Segment| memory.get(&segment.key(&build.site.source_locale));
        let settle = |segment| {
            resolve_without_engine(segment, locale, &people, remembered(segment), ("", terms))
        };
        let mut settled: Vec<ResolvedText> = segments.iter().map(settle).collect();
        touch(
            build.site,
            &Chain::new(Vec::new()),
            locale,
            &segments,
            &mut settled,
        );
        let numbers = segments.iter().map(|segment| segment.text.words());
        if WordsBySource::of(numbers.zip(settled.iter().map(|settled| &settled.origin))).share()
            >= build.site.min_translated
        {
            words.insert(path, settled);
        }
    }
    Ok(words)
}

/// Marks the texts without a translation that the engines of a chain would not be asked for.
pub(crate) fn touch(
    site: &SiteConfig,
    chain: &Chain,
    locale: &Locale,
    segments: &[Segment],
    settled: &mut [ResolvedText],
) {
    let is_open = |(index, settled): (usize, &ResolvedText)| {
        (settled.origin == TranslationOrigin::None).then_some(index)
    };
    let open: Vec<usize> = settled.iter().enumerate().filter_map(is_open).collect();
    let asked: Vec<Segment> = open
        .iter()
        .filter_map(|&index| segments.get(index))
        .cloned()
        .collect();
    for at in chain.untouched(site.pair_to(locale), &asked) {
        if let Some(place) = open.get(at).and_then(|&index| settled.get_mut(index)) {
            place.origin = TranslationOrigin::Untouched;
        }
    }
}

/// Whether the published bytes of a version are there.
async fn is_readable(
    stores: &Stores,
    last: &LastPublished<'_>,
    locale: &Locale,
    name: &str,
    entry: &ManifestEntry,
) -> Result<bool, BuildError> {
    let tree = Tree::Locale(locale.clone());
    match last
        .published
        .read(&stores.objects, &tree, name, entry, None)
        .await
    {
        Ok(_) => Ok(true),
        Err(StoreError::Damaged { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Report {
    /// Takes note of a source whose bytes are missing; one that could not be fetched either is listed already.
    pub(in crate::run) fn lacks_source(&mut self, path: &PagePath, kept: bool) {
        if let Some(failure) = self
            .failures
            .iter_mut()
            .find(|failure| failure.path == *path)
        {
            failure.kept = kept;
            return;
        }
        let reason = "the bytes of its source are missing from the store; the next build that fetches the source puts \
                      them back";
        self.failures.push(FetchFailure {
            path: path.clone(),
            code: MISSING.into(),
            reason: reason.into(),
            kept,
        });
    }
}
