//! Compares the texts of pages that were read with those of cached pages. There may be millions, so cached texts are streamed, and
//! memory holds only those that were asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{page_cache, unchanged};
use crate::config::SiteConfig;
use crate::exchange::Catalogue;
use crate::model::{Locale, PagePath, SegmentKey};
use crate::page::{CodedText, Segment, TextClass};
use crate::run::context::{self, Build};
use crate::run::corpus::contents::{CachedTexts, Corpus};
use crate::run::corpus::extract;
use crate::run::corpus::text_set::TextSet;
use crate::run::error::BuildError;
use crate::run::source::files::Intact;
use crate::run::source::sources::Sources;
use crate::run::words::known_warnings::{KnownWarnings, OtherPlaces, TextAt};
use crate::run::words::people::key_of;
use crate::run::words::word_files;
use crate::state::{
    CachedPage, CachedRemark, CachedRows, CachedText, MixedText, MixedTexts, State, TextPlace,
};
use crate::store::Published;

/// Cached pages that must be read anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForcedReads {
    /// Not a single page.
    None,
    /// Pages with mixed texts, because the first place of one is unknown or changed.
    Mixed,
    /// Every page.
    All,
}

/// Query about the texts of cached pages.
#[derive(Default)]
struct CachedTextQuery {
    texts: HashMap<SegmentKey, Want>,
    /// Which first two bytes the keys of these have: a look at them spares most looks at the map.
    begins: TextSet,
    /// Whether one text means different things.
    is_other: bool,
    /// True if a text that search indexes ask for stands only where some languages lack it.
    is_filtered: bool,
    /// Every key with what checks noticed, in debug builds.
    all: BTreeMap<SegmentKey, Vec<CachedRemark>>,
}

/// What is wanted to know of a text, and what is known by now.
#[derive(Default)]
struct Want {
    /// Index of a text that was read, with its fingerprint if that is the same in all places.
    read: Option<(usize, Option<u32>)>,
    /// True if a page has it that is no longer cached.
    was: bool,
    /// True if its codes differ between pages.
    is_mixed: bool,
    /// True if its first place was on a page that does not stand.
    lacks_first: bool,
    /// What checks noticed in it there.
    noticed: Vec<CachedRemark>,
    /// True if `noticed` also holds for the text as it was read.
    is_checked: bool,
    /// The first cached page that has it, and the place there.
    cached: Option<TextAt>,
    /// True if search indexes look it up.
    asked: bool,
}

impl CachedTextQuery {
    fn want(&mut self, key: SegmentKey) -> &mut Want {
        self.begins.insert(beginning(key));
        self.texts.entry(key).or_default()
    }

    /// Texts that were read and in which checks noticed nothing, of each locale.
    fn fine(&self, warnings: &KnownWarnings) -> BTreeMap<Locale, TextSet> {
        let mut fine = BTreeMap::new();
        for (place, known) in warnings.cached.iter().enumerate() {
            let mut texts = TextSet::default();
            for want in self.texts.values().filter(|want| want.is_checked) {
                let is_fine = want
                    .noticed
                    .iter()
                    .all(|noticed| usize::from(noticed.locale) != place);
                if let (true, Some((index, _))) = (is_fine, want.read) {
                    texts.insert(index);
                }
            }
            fine.insert(known.locale.clone(), texts);
        }
        fine
    }

    /// Records a text of a page that is no longer cached.
    fn miss(&mut self, text: CachedText, noticed: &[CachedRemark]) {
        let want = self.want(text.key);
        want.was = true;
        want.is_mixed |= text.print == CachedText::MIXED;
        want.notice(text, noticed);
    }

    /// Records a text of a cached page.
    fn meet(&mut self, at: TextPlace<'_>, text: CachedText, noticed: &[CachedRemark]) {
        if cfg!(debug_assertions) {
            self.all.insert(text.key, noticed.to_vec());
        }
        if !self.begins.contains(beginning(text.key)) {
            return;
        }
        let Some(want) = self.texts.get_mut(&text.key) else {
            return;
        };
        if want.cached.is_none() {
            want.cached = Some((at.page.clone(), at.place));
        }
        want.notice(text, noticed);
        self.is_filtered |= want.asked && want.read.is_none() && text.may_have_filter();
        match want.read {
            _ if text.print == CachedText::MIXED => want.is_mixed = true,
            Some((_, print)) => self.is_other |= print != Some(text.print),
            None => {}
        }
    }
}

impl Want {
    /// Takes note of what checks noticed in a text. Where its codes differ between pages, that depends on the page.
    fn notice(&mut self, text: CachedText, noticed: &[CachedRemark]) {
        if self.noticed.is_empty() {
            self.noticed.extend(noticed);
        }
        if let Some((_, print)) = self.read
            && text.print != CachedText::MIXED
        {
            self.is_checked |= print == Some(text.print);
        }
    }

    /// True if a cached page has it.
    fn is_cached(&self) -> bool {
        self.cached.is_some()
    }

    /// True if a text that stands on other pages, too, needs the codes of its first place.
    fn needs_first_place(&self) -> bool {
        self.is_mixed && self.is_cached() && (self.was || self.read.is_some() || self.lacks_first)
    }
}

/// The first two bytes of a key.
fn beginning(key: SegmentKey) -> usize {
    let [first, second, ..] = *key.as_bytes();
    usize::from(u16::from_be_bytes([first, second]))
}

/// Extracts the texts of all pages that have to be read.
pub(in crate::run) async fn read_corpus(
    build: &Build<'_>,
    sources: &Sources,
    cached: CachedRows,
) -> Result<Corpus, BuildError> {
    let CachedRows {
        mut pages,
        mut gone,
        texts,
        names,
        locales,
        mixed,
        people: _,
        edited,
    } = cached;
    loop {
        let mut corpus = extract::read_beside(build, sources, pages).await?;
        corpus.cached_texts.gone = gone.clone();
        corpus.cached_texts.warnings = KnownWarnings::of(locales.clone());
        corpus.cached_texts.names.clone_from(&names);
        corpus.cached_texts.mixed.clone_from(&mixed);
        // Words for a name are the term of all texts with that name.
        if corpus.has_edited_name(&edited) {
            return extract::read_all(build, sources).await;
        }
        match pages_to_read(build, &mut corpus, texts).await? {
            ForcedReads::None => return Ok(corpus),
            ForcedReads::All => return extract::read_all(build, sources).await,
            ForcedReads::Mixed => {
                pages = std::mem::take(&mut corpus.cached);
                let mixed = pages.extract_if(.., |_, page| page.is_mixed());
                mixed.for_each(|(path, page)| gone.add(path.to_string(), Some(&page)));
            }
        }
    }
}

/// Extracts the texts of a page and of the pages that a build would have to read now, for some locales.
pub(crate) async fn read_corpus_around(
    build: &Build<'_>,
    path: &PagePath,
    locales: &[Locale],
    sources: &Sources,
    previous: Option<&Published>,
) -> Result<Corpus, BuildError> {
    let environment =
        unchanged::environment_key(build, unchanged::beside_key(build).await?, previous).await?;
    let Some(environment) = environment.filter(|_| context::may_be_unchanged(build)) else {
        return extract::read_all(build, sources).await;
    };
    let mut cached =
        page_cache::cached_rows(build, environment, sources, &Intact::default()).await?;
    // The state does not know which reviewed texts a switched-off locale lacks.
    for locale in locales {
        if !cached.locales.iter().any(|known| known.locale == *locale) {
            return extract::read_all(build, sources).await;
        }
    }
    if let Some(page) = cached.pages.remove(path) {
        cached.gone.add(path.to_string(), Some(&page));
    }
    read_corpus(build, sources, cached).await
}

/// Compares the texts of cached pages with those that were read; returns the pages that must be read as well. `known` is
/// the number of distinct texts in all stored rows, including those of gone pages.
#[expect(
    clippy::too_many_lines,
    reason = "checks each reason to read pages in order"
)]
async fn pages_to_read(
    build: &Build<'_>,
    corpus: &mut Corpus,
    known: u64,
) -> Result<ForcedReads, BuildError> {
    if corpus.cached.is_empty() {
        // No page is cached, so no stored fact applies.
        corpus.cached_texts = CachedTexts::default();
        return Ok(ForcedReads::None);
    }
    // Texts with changed names are checked again.
    if corpus.names.print() != corpus.cached_texts.names {
        return Ok(ForcedReads::All);
    }
    let has_new_versions = corpus
        .written
        .by_path()
        .values()
        .any(|(_, page)| corpus.cached.contains_key(page));
    if corpus.is_unsorted || has_new_versions {
        return Ok(ForcedReads::All);
    }
    if !corpus.shares_nothing_unread(build.options.limits.shared_words) {
        return Ok(ForcedReads::All);
    }
    let mut wanted = CachedTextQuery::default();
    for (index, key) in corpus.texts.keys().enumerate() {
        wanted.want(key).read = Some((index, corpus.texts.print(index)));
    }
    let locales = corpus
        .cached_texts
        .warnings
        .cached
        .iter()
        .map(|known| &known.locale);
    let catalogues = word_files::catalogues(build, locales).await?;
    for catalogue in catalogues.values() {
        unread_texts(build.site, catalogue, corpus)
            .into_iter()
            .chain(waiting_texts(build.site, catalogue))
            .for_each(|key| {
                wanted.want(key);
            });
    }
    corpus
        .asked_texts
        .keys()
        .for_each(|key| wanted.want(key).asked = true);
    // A page that is never cached may have lost the first place of a text.
    for (key, text) in &corpus.cached_texts.mixed {
        if !corpus.cached.contains_key(&text.path) {
            wanted.want(*key).lacks_first = true;
        }
    }
    let id = build.site.id.clone();
    let gone = std::mem::take(&mut corpus.cached_texts.gone);
    let texts = move |state: &State| {
        let wanted = RefCell::new(wanted);
        let was = |text: CachedText, noticed: &[_]| wanted.borrow_mut().miss(text, noticed);
        let meet = |at: TextPlace<'_>, text: CachedText, noticed: &[_]| {
            wanted.borrow_mut().meet(at, text, noticed)
        };
        let pages = state.cached_texts(&id, &gone.paths, was, meet)?;
        Ok((gone, pages, wanted.into_inner()))
    };
    let (gone, pages, wanted) = build.stores.with_state(texts).await?;
    // Read every page if a cached page has no readable row of texts.
    if pages != Some(corpus.cached.len()) || wanted.is_other || wanted.is_filtered {
        return Ok(ForcedReads::All);
    }
    if !corpus.take_first_places(&wanted) && corpus.cached.values().any(CachedPage::is_mixed) {
        return Ok(ForcedReads::Mixed);
    }
    let is_cached = |key: SegmentKey| wanted.texts.get(&key).is_some_and(Want::is_cached);
    let vanished = catalogues.iter().map(|(locale, catalogue)| {
        (
            locale.clone(),
            vanished_texts(build.site, catalogue, corpus, &is_cached)
                .into_iter()
                .collect(),
        )
    });
    let vanished: BTreeMap<Locale, BTreeSet<SegmentKey>> = vanished.collect();
    if !corpus.cached_texts.warnings.have_vanished(&vanished) {
        return Ok(ForcedReads::All);
    }
    let mut waiting = BTreeMap::new();
    for (locale, catalogue) in &catalogues {
        let mut unread = 0;
        for key in waiting_texts(build.site, catalogue) {
            if let Some(want) = wanted.texts.get(&key)
                && want.is_cached()
                && want.read.is_none()
            {
                unread += 1;
            }
        }
        waiting.insert(locale.clone(), unread);
    }
    let lost: Vec<&Want> = wanted
        .texts
        .values()
        .filter(|want| want.was && !want.is_cached())
        .collect();
    let different = usize::try_from(known)
        .unwrap_or(usize::MAX)
        .saturating_sub(lost.len());
    debug_assert_eq!(different, wanted.all.len(), "texts of cached pages");
    let mut warnings = std::mem::take(&mut corpus.cached_texts.warnings);
    let are_known = lost
        .iter()
        .flat_map(|want| &want.noticed)
        .all(|noticed| warnings.lose(*noticed));
    let is_gone = |path: &PagePath| gone.paths.contains(path.as_str());
    let other_places = |text: [u8; 16]| {
        let Some(want) = wanted.texts.get(&SegmentKey::from_bytes(text)) else {
            return OtherPlaces::default();
        };
        let page = want.read.and_then(|(index, _)| corpus.texts.path(index));
        OtherPlaces {
            cached: want.cached.clone(),
            // Documents sort after all pages.
            read: page
                .filter(|page| !corpus.documents.contains_key(*page))
                .cloned(),
        }
    };
    if !are_known || !warnings.leave(is_gone, other_places, build.options.limits) {
        return Ok(ForcedReads::All);
    }
    debug_assert!(
        warnings.are_of(wanted.all.values().flatten()),
        "warnings of cached pages"
    );
    corpus.asked_texts.keep_cached(is_cached);
    let read = wanted
        .texts
        .values()
        .filter(|want| want.is_cached())
        .filter_map(|want| Some(want.read?.0))
        .collect();
    let names = std::mem::take(&mut corpus.cached_texts.names);
    let fine = wanted.fine(&warnings);
    let mixed = std::mem::take(&mut corpus.cached_texts.mixed);
    let vanished = Some(vanished);
    corpus.cached_texts = CachedTexts {
        different,
        read,
        gone,
        warnings,
        names,
        fine,
        mixed,
        vanished,
        waiting,
    };
    Ok(ForcedReads::None)
}

/// The texts that people translated and that are on no page that was read.
fn unread_texts(site: &SiteConfig, catalogue: &Catalogue, corpus: &Corpus) -> Vec<SegmentKey> {
    let asked = RefCell::new(Vec::new());
    vanished_texts(site, catalogue, corpus, &|key| {
        asked.borrow_mut().push(key);
        false
    });
    asked.into_inner()
}

/// Texts with words that wait for a person.
fn waiting_texts(site: &SiteConfig, catalogue: &Catalogue) -> impl Iterator<Item = SegmentKey> {
    catalogue
        .waiting_texts()
        .map(|(class, markup)| SegmentKey::new(&site.source_locale, class.as_str(), markup))
}

/// The texts that people translated and that are on no page; `is_cached` returns `true` for texts of cached pages.
fn vanished_texts(
    site: &SiteConfig,
    catalogue: &Catalogue,
    corpus: &Corpus,
    is_cached: &dyn Fn(SegmentKey) -> bool,
) -> Vec<SegmentKey> {
    let is_cached = |class: TextClass, markup: &str| {
        is_cached(SegmentKey::new(&site.source_locale, class.as_str(), markup))
    };
    let texts = corpus.texts.iter().map(|text| text.segment);
    catalogue
        .vanished_beside(texts, &is_cached)
        .iter()
        .map(|gone| key_of(site, gone))
        .collect()
}

impl Corpus {
    /// True if people changed the words of a name of the site.
    fn has_edited_name(&self, edited: &BTreeSet<String>) -> bool {
        let names = self.names.decided.iter();
        !edited.is_empty()
            && names
                .map(|name| CodedText::plain(&name.text).to_markup())
                .any(|name| edited.contains(&name))
    }

    /// Gives texts that were read the codes of their first places, if these differ between pages and the first one was not read.
    /// `false` if a first place is unknown, changed or no longer the first.
    fn take_first_places(&mut self, wanted: &CachedTextQuery) -> bool {
        let mut taken = Vec::new();
        for (key, want) in wanted
            .texts
            .iter()
            .filter(|(_, want)| want.needs_first_place())
        {
            let Some(MixedText { path, segment }) = self.cached_texts.mixed.get(key) else {
                return false;
            };
            let is_unread = self.cached.contains_key(path);
            let Some((index, _)) = want.read else {
                if is_unread {
                    continue;
                }
                return false;
            };
            let Some((first, own)) = self.texts.path(index).zip(self.texts.first_place(index))
            else {
                return false;
            };
            let Some((now, then)) = Segment::unpack(&own).zip(Segment::unpack(segment)) else {
                return false;
            };
            let is_before = self.documents.contains_key(first) || path < first;
            if first == path && now.codes == then.codes && now.keeps_nodes == then.keeps_nodes {
                taken.push((index, own));
            } else if is_unread && is_before && now.keeps_nodes == then.keeps_nodes {
                taken.push((index, segment.clone()));
            } else {
                return false;
            }
        }
        for (index, segment) in taken {
            self.texts.set_first_place(index, &segment);
        }
        true
    }

    /// First places of the texts whose codes differ between pages, for the next build. A place is empty if more than codes differ.
    pub(super) fn first_places(&self) -> MixedTexts {
        let mut mixed = self.cached_texts.mixed.clone();
        mixed.retain(|_, text| self.cached.contains_key(&text.path));
        for index in (0..self.texts.len()).filter(|index| self.texts.is_mixed(*index)) {
            let Some((key, path)) = self.texts.key(index).zip(self.texts.path(index)) else {
                continue;
            };
            let segment = self.texts.first_place(index).unwrap_or_default();
            mixed.entry(key).or_insert_with(|| MixedText {
                path: path.clone(),
                segment,
            });
        }
        mixed
    }

    /// Number of distinct texts, including those of cached pages.
    pub(in crate::run) fn different_texts(&self) -> usize {
        self.cached_texts.different + self.texts.len() - self.cached_texts.read.len()
    }
}
