//! Files that are not read, because the disk says that nothing about them changed since they were: those of a site's folder, and
//! fetched bytes that lie in a store on a disk. As git's index does it; `trust_stat = false` and `--rebuild` read everything.
//! Damage that changes neither length nor time is noticed only when the page is read again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::sources::{self, Sources};
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl::Crawled;
use crate::model::{PagePath, SeenFile};
use crate::run::context::{self, Build};
use crate::run::error::BuildError;
use crate::run::memo::key::KeyInputs;
use crate::run::options::BuildOptions;
use crate::state::{FileReader, IntactSources, SourceRecord};
use crate::store::{self, ByName, StoredSource};

/// Files of a folder whose bytes are known.
pub(super) type SeenFiles = BTreeMap<PagePath, SeenFile>;

/// The lengths of fetched bytes that are stored and need not be written again.
pub(super) type Sizes = ByName<usize>;

/// Which fetched bytes are there and right, by their names: all of a source but these.
#[derive(Default)]
pub(in crate::run) struct Intact<'r>(HashSet<&'r str>);

impl Intact<'_> {
    pub(in crate::run) fn contains(&self, name: &str) -> bool {
        self.0.is_empty() || !self.0.contains(name)
    }
}

/// The files of the site's folder that need not be read unless the disk says otherwise, if their bytes are in the store.
pub(super) async fn seen_files(build: &Build<'_>) -> Result<SeenFiles, BuildError> {
    if !matches!(build.site.source, SourceLocation::Folder(_)) || !trusts_stat(build) {
        return Ok(SeenFiles::new());
    }
    let id = build.site.id.clone();
    let reader = file_reader(build.site, &build.options.inputs);
    build
        .stores
        .with_state(move |state| state.seen_files(&id, &reader))
        .await
}

/// Keeps what the crawl of a folder told of its files, and says what is known of all that it did not read.
pub(super) async fn keep_seen_files(
    build: &Build<'_>,
    known: usize,
    crawled: &mut Crawled,
    sources: &mut Sources,
) -> Result<(), BuildError> {
    let seen = |(path, stat)| {
        let record = sources.records.get(&path)?;
        let SourceRecord {
            hash,
            kind,
            noindex,
            fragment,
            frames,
            addresses,
            ..
        } = &**record;
        // A row has no room for frames, so these few pages are read each time.
        if !frames.is_empty() {
            return None;
        }
        let kind = *kind;
        let noindex = *noindex;
        let fragment = *fragment;
        let addresses = *addresses;
        Some((
            path,
            SeenFile {
                stat,
                hash: Arc::clone(hash),
                kind,
                noindex,
                fragment,
                addresses,
            },
        ))
    };
    let read: SeenFiles = std::mem::take(&mut crawled.stats)
        .into_iter()
        .filter_map(seen)
        .collect();
    let mut stay = SeenFiles::new();
    for unread in std::mem::take(&mut crawled.unread) {
        sources.records.insert(
            unread.path.clone(),
            record(unread.content_type, &unread.file).into(),
        );
        stay.insert(unread.path, unread.file);
    }
    // Whoever trusts what the disk says again begins anew.
    let read = if build.site.crawl.trust_stat {
        read
    } else {
        SeenFiles::new()
    };
    if read.is_empty() && stay.len() == known && trusts_stat(build)
        || !matches!(build.site.source, SourceLocation::Folder(_))
    {
        return Ok(());
    }
    let id = build.site.id.clone();
    let reader = file_reader(build.site, &build.options.inputs);
    build
        .stores
        .with_state(move |state| state.keep_seen_files(&id, &reader, &read, &stay))
        .await
}

/// Those fetched bytes that are there and right. What this run fetched is not among them: whatever is made of it is made anew.
pub(in crate::run) async fn intact_files<'r>(
    build: &Build<'_>,
    sources: &'r Sources,
) -> Result<Intact<'r>, BuildError> {
    // A bucket vouches for its bytes itself; those on a disk are looked at as whoever reads them would.
    if !build.stores.objects.is_folder() {
        return Ok(Intact::default());
    }
    let settled = settled_before(build.options);
    let id = build.site.id.clone();
    let known = build
        .stores
        .with_state(move |state| state.intact_sources(&id))
        .await?;
    // Those that are noted, and whether the source has them.
    let mut noted = if trusts_stat(build) {
        as_noted(&known, &sources.stored)
    } else {
        ByName::default()
    };
    let mut intact = Intact::default();
    let mut right = IntactSources::new();
    for record in sources.records.values() {
        let name = &*record.name;
        if let Some(is_named) = noted.get_mut(name) {
            *is_named = true;
            continue;
        }
        let place = sources
            .stored
            .binary_search_by(|stored| (*stored.name).cmp(name));
        let stored = place.ok().and_then(|place| sources.stored.get(place));
        match stored {
            Some(stored) if sources::read_source(build, record).await?.is_some() => {
                right.extend(noting(stored).filter(|_| stored.written < settled));
            }
            _ => drop(intact.0.insert(name)),
        }
    }
    let gone: BTreeSet<String> = known
        .into_keys()
        .filter(|name| noted.get(name) != Some(&true) && !right.contains_key(name))
        .collect();
    change_intact(build, right, gone).await?;
    Ok(intact)
}

async fn change_intact(
    build: &Build<'_>,
    right: IntactSources,
    gone: BTreeSet<String>,
) -> Result<(), BuildError> {
    if right.is_empty() && gone.is_empty() {
        return Ok(());
    }
    let id = build.site.id.clone();
    build
        .stores
        .with_state(move |state| state.change_intact_sources(&id, &right, &gone))
        .await
}

/// What the disk says of fetched bytes that this run wrote; nothing where they are so few that the next build may read them.
pub(super) async fn written_sources(
    build: &Build<'_>,
    names: &HashSet<Arc<str>>,
) -> Result<Arc<[StoredSource]>, BuildError> {
    let is_wanted = build.stores.objects.is_folder()
        && build.site.crawl.trust_stat
        && context::may_be_kept(build);
    if names.len() < build.options.limits.noted_at_once || !is_wanted {
        return Ok(Arc::default());
    }
    let stored = store::sources(&build.stores.objects, &build.site.id)
        .await?
        .into_iter();
    // The records of pages have these names, too.
    let named = |source: StoredSource| {
        Some(StoredSource {
            name: Arc::clone(names.get(&source.name)?),
            ..source
        })
    };
    Ok(stored.filter_map(named).collect())
}

/// Spares the next build reading what this one wrote. What is changed after the crawl has another time on the disk than it had then.
pub(in crate::run) async fn keep_written(
    build: &Build<'_>,
    sources: &Sources,
) -> Result<(), BuildError> {
    if sources.written.is_empty() {
        return Ok(());
    }
    let id = build.site.id.clone();
    let settled = settled_before(build.options);
    let known = build
        .stores
        .with_state(move |state| state.intact_sources(&id))
        .await?;
    let named: HashSet<&str> = sources
        .records
        .values()
        .map(|record| &*record.name)
        .collect();
    let written = sources
        .written
        .iter()
        .filter(|source| source.written < settled && named.contains(&*source.name));
    let gone = known
        .into_keys()
        .filter(|name| !named.contains(&**name))
        .collect();
    change_intact(build, written.filter_map(noting).collect(), gone).await
}

/// What changed later may change once more at what the disk calls the same time.
pub(super) fn settled_before(options: &BuildOptions) -> SystemTime {
    SystemTime::now()
        .checked_sub(options.settling)
        .unwrap_or(UNIX_EPOCH)
}

fn trusts_stat(build: &Build<'_>) -> bool {
    build.site.crawl.trust_stat && !build.options.rebuild
}

/// Fingerprint of everything beside the bytes of a file by which it is decided what it is.
#[doc(hidden)]
pub fn file_reader(site: &SiteConfig, inputs: &KeyInputs) -> FileReader {
    let mut key = inputs.key();
    key.add_program();
    key.add_debug(&site.crawl.max_page_bytes);
    // A file that may be secret is one of the site's only if `include` names it.
    key.add_debug(&site.paths.written().0);
    key.bytes()
}

/// Whether the bytes of a file are in the store, whose lengths are these.
pub(super) fn is_stored(file: &SeenFile, stored: &Sizes) -> bool {
    stored
        .get(&file.hash)
        .is_some_and(|&size| u64::try_from(size) == Ok(file.stat.size()))
}

/// The record of a file of a folder, of which no server said anything.
fn record(content_type: &str, file: &SeenFile) -> SourceRecord {
    SourceRecord {
        hash: Arc::clone(&file.hash),
        content_type: content_type.into(),
        charset: None,
        kind: file.kind,
        noindex: file.noindex,
        fragment: file.fragment,
        frames: Box::default(),
        addresses: file.addresses,
        robots: None,
        links: None,
        etag: None,
        last_modified: None,
        name: Arc::clone(&file.hash),
        policies: Box::default(),
        drawing: None,
        taken: BTreeSet::new(),
    }
}

/// Fetched bytes of which the same is noted as a listing tells; both are in the order of names.
fn as_noted(known: &IntactSources, stored: &[StoredSource]) -> ByName<bool> {
    let mut known = known.iter().peekable();
    let is_noted = |source: &&StoredSource| {
        while known
            .next_if(|(name, _)| name.as_str() < &*source.name)
            .is_some()
        {}
        let noted = known.peek().filter(|(name, _)| **name == *source.name);
        noted.is_some_and(|(_, noted)| {
            nanoseconds(source.written).map(|written| (written, source.size)) == Some(**noted)
        })
    };
    stored
        .iter()
        .filter(is_noted)
        .map(|source| (&source.name, false))
        .collect()
}

/// What is noted of fetched bytes that are right.
fn noting(source: &StoredSource) -> Option<(String, (u64, u64))> {
    Some((
        source.name.to_string(),
        (nanoseconds(source.written)?, source.size),
    ))
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
}
