//! Indexes in memory: made at first use, renewed when something changed, dropped when others need their room.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::index::{LocaleSegments, SourceSegments};
use super::load::{load_locale, load_source};
use super::stamp::{LocaleStamp, SourceStamp};
use crate::config::SiteConfig;
use crate::model::{Locale, SegmentKey, SiteId};
use crate::page::{CodedText, TextClass};
use crate::run::corpus::stored_texts::{StoredTexts, read_stored};
use crate::run::{Build, BuildError, BuildOptions, Stores};
use crate::store::Published;

/// Bytes of memory that all indexes may take.
const MOST_BYTES: usize = 256 << 20;

/// The indexes of all sites.
#[derive(Debug, Default)]
pub struct SegmentIndexes {
    sites: Mutex<HashMap<SiteId, SiteEntry>>,
    /// Number of uses, to tell which site was used last.
    uses: AtomicU64,
}

/// The indexes of a site. The lock inside is held while one is made, so that two callers do not make the same one.
#[derive(Debug)]
struct SiteEntry {
    index: Arc<tokio::sync::Mutex<SiteIndex>>,
    /// Number of its last use.
    used: u64,
    bytes: usize,
}

#[derive(Debug, Default)]
struct SiteIndex {
    /// The settings that it was made with.
    settings: Option<Arc<SiteConfig>>,
    source: Option<(SourceStamp, Arc<SourceSegments>)>,
    locales: BTreeMap<Locale, (LocaleStamp, Arc<LocaleSegments>)>,
}

impl SiteIndex {
    fn memory(&self) -> usize {
        let source = self
            .source
            .as_ref()
            .map_or(0, |(_, source)| source.memory());
        let locales = self.locales.values().map(|(_, locale)| locale.memory());
        source + locales.sum::<usize>()
    }
}

impl SegmentIndexes {
    /// The segments of some locales, if their indexes are current; `None` if one has to be made.
    ///
    /// # Errors
    /// A [`BuildError`] if the state cannot be read.
    pub async fn current(
        &self,
        site: &Arc<SiteConfig>,
        stores: &Stores,
        published: &Published,
        locales: &[Locale],
    ) -> Result<Option<Vec<Arc<LocaleSegments>>>, BuildError> {
        let entry = self.entry(&site.id);
        // Somebody makes an index.
        let Ok(mut index) = entry.try_lock() else {
            return Ok(None);
        };
        current(&mut index, site, stores, published, locales).await
    }

    /// The segments of some locales; indexes that are not current are made.
    ///
    /// # Errors
    /// A [`BuildError`] if state, store or a file of words cannot be read.
    pub async fn make(
        &self,
        site: &Arc<SiteConfig>,
        stores: &Stores,
        options: &BuildOptions,
        published: &Published,
        locales: &[Locale],
    ) -> Result<Vec<Arc<LocaleSegments>>, BuildError> {
        let entry = self.entry(&site.id);
        let mut index = entry.lock().await;
        if let Some(found) = current(&mut index, site, stores, published, locales).await? {
            return Ok(found);
        }
        let build = &Build {
            site,
            stores,
            options,
            progress: &|_| (),
        };
        let found = renew(&mut index, build, site, published, locales).await?;
        let bytes = index.memory();
        drop(index);
        self.make_room(&site.id, bytes);
        Ok(found)
    }

    /// Bytes of memory that all indexes take.
    pub fn bytes(&self) -> usize {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.values().map(|entry| entry.bytes).sum()
    }

    fn entry(&self, site: &SiteId) -> Arc<tokio::sync::Mutex<SiteIndex>> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let used = self.uses.fetch_add(1, Ordering::Relaxed);
        let entry = sites.entry(site.clone()).or_insert_with(|| SiteEntry {
            index: Arc::default(),
            used,
            bytes: 0,
        });
        entry.used = used;
        Arc::clone(&entry.index)
    }

    /// Drops the least recently used indexes until all fit the limit. The index of `site` stays, even if it exceeds the limit alone.
    fn make_room(&self, site: &SiteId, bytes: usize) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = sites.get_mut(site) {
            entry.bytes = bytes;
        }
        while sites.values().map(|entry| entry.bytes).sum::<usize>() > MOST_BYTES {
            let others = sites.iter().filter(|(id, _)| *id != site);
            let Some((oldest, _)) = others.min_by_key(|(_, entry)| entry.used) else {
                return;
            };
            let oldest = oldest.clone();
            sites.remove(&oldest);
        }
    }
}

/// The segments of these locales with newly approved edits; `None` if any other input changed.
async fn current(
    index: &mut SiteIndex,
    site: &Arc<SiteConfig>,
    stores: &Stores,
    published: &Published,
    locales: &[Locale],
) -> Result<Option<Vec<Arc<LocaleSegments>>>, BuildError> {
    let has_settings = index
        .settings
        .as_ref()
        .is_some_and(|settings| Arc::ptr_eq(settings, site));
    let stamp = SourceStamp::read(site, stores, published).await?;
    let Some((source, _)) = index.source.as_ref().filter(|_| has_settings) else {
        return Ok(None);
    };
    if stamp.as_ref() != Some(source) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for locale in locales {
        let stamp = LocaleStamp::read(site, stores, locale).await?;
        let Some((known, segments)) = index.locales.get(locale) else {
            return Ok(None);
        };
        if *known == stamp {
            found.push(Arc::clone(segments));
            continue;
        }
        if !known.is_before(&stamp) {
            return Ok(None);
        }
        let Some(edited) = with_edits(segments, site, stores, known.people).await? else {
            return Ok(None);
        };
        let edited = Arc::new(edited.at(stamp.revision(source)));
        index
            .locales
            .insert(locale.clone(), (stamp, Arc::clone(&edited)));
        found.push(edited);
    }
    Ok(Some(found))
}

/// The same segments with edits after a revision; `None` if one of them asks for more than its own text.
async fn with_edits(
    segments: &Arc<LocaleSegments>,
    site: &SiteConfig,
    stores: &Stores,
    revision: u64,
) -> Result<Option<LocaleSegments>, BuildError> {
    let id = site.id.clone();
    let locale = segments.locale().clone();
    let edits = stores
        .with_state(move |state| state.edits_after(&id, &locale, revision))
        .await?;
    let mut edited: Option<LocaleSegments> = None;
    for (_, edit) in &edits {
        let row = &edit.row;
        let words = CodedText::from_markup(&row.text);
        let (Some(key), Ok(words)) = (SegmentKey::parse(&edit.segment), words) else {
            return Ok(None);
        };
        // Words that were written for another entry of the file may not be those that stand.
        if row.base != segments.base(key) {
            return Ok(None);
        }
        // A label without words takes those of prose.
        let classes = [TextClass::Prose, TextClass::Label].map(TextClass::as_str);
        let others = classes.into_iter().filter(|class| *class != row.class);
        let others = others.map(|class| SegmentKey::new(&site.source_locale, class, &row.source));
        let others: Vec<SegmentKey> = others.collect();
        let before = edited.as_ref().unwrap_or(segments);
        edited = before.with_edit(key, &others, row.state, &words);
        if edited.is_none() {
            return Ok(None);
        }
    }
    Ok(edited)
}

/// Makes what is not current, and keeps the rest.
async fn renew(
    index: &mut SiteIndex,
    build: &Build<'_>,
    site: &Arc<SiteConfig>,
    published: &Published,
    locales: &[Locale],
) -> Result<Vec<Arc<LocaleSegments>>, BuildError> {
    let stored: StoredTexts = read_stored(build, published).await?;
    let stamp = SourceStamp::of(published, stored.revision);
    let is_same = index
        .settings
        .as_ref()
        .is_some_and(|known| Arc::ptr_eq(known, site));
    let known = index
        .source
        .take()
        .filter(|(known, _)| is_same && *known == stamp);
    let source = match known {
        Some((_, source)) => source,
        None => {
            index.locales.clear();
            index.settings = Some(Arc::clone(site));
            Arc::new(load_source(&stored)?)
        }
    };
    index.source = Some((stamp.clone(), Arc::clone(&source)));
    let of_source = stamp;
    let mut found = Vec::new();
    for locale in locales {
        // Read before the words, so that a change in between is noticed.
        let stamp = LocaleStamp::read(build.site, build.stores, locale).await?;
        if let Some((known, segments)) = index.locales.get(locale)
            && *known == stamp
        {
            found.push(Arc::clone(segments));
            continue;
        }
        let (segments, people) = load_locale(build, &stored, &source, locale).await?;
        // Loading takes rows of other builders into the memory, which changes the stamp.
        let taken = LocaleStamp::read(build.site, build.stores, locale).await?;
        let stamp = if taken.has_files_of(&stamp) {
            taken
        } else {
            stamp
        };
        let stamp = LocaleStamp { people, ..stamp };
        let segments = Arc::new(segments.at(stamp.revision(&of_source)));
        index
            .locales
            .insert(locale.clone(), (stamp, Arc::clone(&segments)));
        found.push(segments);
    }
    Ok(found)
}
