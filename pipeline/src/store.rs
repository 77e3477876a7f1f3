//! The state: small facts that are dear to make again, in one redb file that one process owns.
//!
//! One verb is one transaction. Commits are two-phase, because the pages that are remembered are other people's text,
//! and leave the file quick to open after a crash. Values are JSON with defaults for new fields, decoded here, so that
//! an old value never takes the process down. Every verb blocks and the writing ones wait for the disk: callers put
//! them on the blocking pool.
//!
//! Nothing here is a page; those lie in the object store. This is the only room that names `redb`.

mod accepted;
mod damage;
mod error;
mod holder;
mod memory;
mod outcome;
mod pages;
mod pending;
mod previews;
mod private;
mod queue;
mod records;
mod reopen;
mod runs;
mod sites;
mod small;
mod spent;
mod switches;

pub use crate::model::{SourceKind, SourceRecord};
pub use accepted::{AcceptedSource, CrawlSettings};
pub use damage::Health;
pub use error::{StoreError, Trouble};
pub use memory::{KnownFile, LinesMark, MemoryLedger, Taken, Unwritten};
pub use outcome::{RunOutcome, RunWarning};
pub use pages::{PageWords, PagesWords};
pub use previews::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus};
pub use queue::Queue;
pub use records::{Frequency, SentSummary, Subscription, SummaryRecord};
pub use runs::{
    Cancelled, Count, Idempotency, LocaleLeft, LocaleRun, Ordered, Planned, PlannedEngine, PlannedLocale, RunFailure,
    RunKind, RunOrder, RunOrigin, RunRecord, RunStatus, Stage,
};
pub use sites::SiteRecord;
pub use spent::{MonthSpent, Spent, sortable};
pub use switches::SwitchRecord;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::{Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::{Locale, PagePath, SiteId};
use error::{doing, failed};
use reopen::Reopening;
use small::SmallDisk;

/// The form of the whole file, under `form`. A file with a newer one is refused.
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// (site, path) → [`SourceRecord`] as JSON: what was fetched and when it changes.
const SOURCES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("sources");
/// (site, locale) → [`SummaryRecord`] as JSON: what callers of the API said about a locale.
const SUMMARIES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("summaries");
/// account → [`Subscription`] as JSON: who wants digests.
const DIGESTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("digests");

/// What is written to see whether there is room.
const PROBE: TableDefinition<'_, (), &[u8]> = TableDefinition::new("probe");

const FORM: u64 = 1;
/// As much as a batch of translations.
const PROBE_BYTES: usize = 256 << 10;
const CACHE_BYTES: usize = 64 << 20;

/// The opened state. Dropping it lets the next process have it.
#[derive(Debug)]
pub struct State {
    database: Reopening,
    path: PathBuf,
    errors: Errors,
    _held: Option<holder::Note>,
    purses: spent::Purses,
}

/// Verbs that failed since the state was opened.
#[derive(Debug, Default)]
struct Errors {
    reading: AtomicU64,
    writing: AtomicU64,
}

impl State {
    /// Opens the state, made if it is not there; fails at once if another process has it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            private::make_folder(folder).map_err(|source| StoreError::Folder { path: folder.to_path_buf(), source })?;
        }
        damage::refuse_what_is_no_file(path)?;
        private::close_to_others(path);
        let create = || builder().create(path);
        match damage::caught(create).map_err(|reason| StoreError::Damaged { path: path.to_path_buf(), reason })? {
            Ok(database) => {
                let file = path.to_path_buf();
                // Whoever opens it again expects the file; a new one in its place would be an empty state.
                let database = Reopening::new(database, move || builder().open(&file));
                Self { _held: Some(holder::Note::write(path)), ..Self::of(database, path.to_path_buf()) }.ready()
            }
            Err(DatabaseError::DatabaseAlreadyOpen) => {
                Err(StoreError::Held { path: path.to_path_buf(), holder: holder::read(path) })
            }
            Err(source) => Err(failed("open", path)(source)),
        }
    }

    /// A state that lives as long as this value, for tests and for work that leaves nothing behind.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::in_memory_of(Arc::new(AtomicU64::new(u64::MAX)))
    }

    /// The same with this much room in bytes, which may change while it is open.
    pub fn in_memory_of(room: Arc<AtomicU64>) -> Result<Self, StoreError> {
        let (path, disk) = (PathBuf::from("memory"), SmallDisk::new(room));
        let open = move || builder().create_with_backend(disk.clone());
        let database = open().map_err(failed("open", &path))?;
        Self::of(Reopening::new(database, open), path).ready()
    }

    fn of(database: Reopening, path: PathBuf) -> Self {
        let (errors, purses) = (Errors::default(), spent::Purses::default());
        Self { database, path, errors, _held: None, purses }
    }

    /// Why nothing could be kept the last time, if the disk was the reason.
    pub fn trouble(&self) -> Option<Trouble> {
        self.database.trouble()
    }

    /// How often reading and writing failed since the state was opened.
    pub fn errors(&self) -> (u64, u64) {
        (self.errors.reading.load(Ordering::Relaxed), self.errors.writing.load(Ordering::Relaxed))
    }

    /// Looks whether there is room again: writes something, and takes it back.
    pub fn probe(&self) -> Result<(), StoreError> {
        self.write("write to", |transaction| {
            transaction.open_table(PROBE)?.insert((), [0; PROBE_BYTES].as_slice())?;
            Ok(())
        })?;
        self.write("write to", |transaction| Ok(transaction.delete_table(PROBE).map(drop)?))
    }

    /// Makes these the site's sources; what was recorded before and is not among them is forgotten.
    pub fn record_sources(&self, site: &SiteId, sources: &BTreeMap<PagePath, SourceRecord>) -> Result<(), StoreError> {
        self.write("record sources in", |transaction| put_sources(transaction, site, sources))
    }

    /// The site's sources as they were last recorded.
    pub fn sources(&self, site: &SiteId) -> Result<BTreeMap<PagePath, SourceRecord>, StoreError> {
        self.read("read sources from", |database| {
            let table = database.begin_read()?.open_table(SOURCES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("source {site} {}", key.value().1);
                let path = PagePath::parse(key.value().1).map_err(|error| doing::Fault::row(row(), error))?;
                found.insert(path, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }

    /// Replaces what is given of a locale's summary and keeps the rest; gives what is kept then.
    pub fn put_summary(
        &self,
        site: &SiteId,
        locale: &Locale,
        frequency: Option<Frequency>,
        summary: Option<SentSummary>,
        now: u64,
    ) -> Result<SummaryRecord, StoreError> {
        self.write("keep a summary in", |transaction| {
            let mut table = transaction.open_table(SUMMARIES)?;
            let key = (site.as_str(), locale.as_str());
            let row = || format!("summary {site} {locale}");
            let old = table.get(key)?.map(|value| parsed::<SummaryRecord>(value.value(), row)).transpose()?;
            let record = SummaryRecord::after(old, frequency, summary, now);
            table.insert(key, json(&record)?.as_slice())?;
            Ok(record)
        })
    }

    /// The summaries of a site, sorted by locale.
    pub fn summaries(&self, site: &SiteId) -> Result<Vec<(Locale, SummaryRecord)>, StoreError> {
        self.read("read summaries from", |database| {
            let table = database.begin_read()?.open_table(SUMMARIES)?;
            let mut found = Vec::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("summary {site} {}", key.value().1);
                let locale = Locale::parse(key.value().1).map_err(|error| doing::Fault::row(row(), error))?;
                found.push((locale, parsed(value.value(), row)?));
            }
            Ok(found)
        })
    }

    /// Makes or replaces an account's subscription; gives what is kept then.
    pub fn subscribe(
        &self,
        account: &str,
        email: &str,
        frequency: Frequency,
        sites: &[String],
        now: u64,
    ) -> Result<Subscription, StoreError> {
        self.write("keep a subscription in", |transaction| {
            let mut table = transaction.open_table(DIGESTS)?;
            let row = || "a subscription".to_owned();
            let old = table.get(account)?.map(|value| parsed::<Subscription>(value.value(), row)).transpose()?;
            let created = old.map_or(now, |old| old.created);
            let (email, sites) = (email.to_owned(), sites.to_vec());
            let record = Subscription { email, frequency, sites, created, updated: now };
            table.insert(account, json(&record)?.as_slice())?;
            Ok(record)
        })
    }

    /// The subscription of an account, if it has one.
    pub fn subscription(&self, account: &str) -> Result<Option<Subscription>, StoreError> {
        self.read("read a subscription from", |database| {
            let found = database.begin_read()?.open_table(DIGESTS)?.get(account)?;
            found.map(|value| parsed(value.value(), || "a subscription".to_owned())).transpose()
        })
    }

    /// Removes the subscription of an account; says whether there was one.
    pub fn unsubscribe(&self, account: &str) -> Result<bool, StoreError> {
        self.write("remove a subscription from", |transaction| {
            Ok(transaction.open_table(DIGESTS)?.remove(account)?.is_some())
        })
    }

    /// Every subscription, by account.
    pub fn subscriptions(&self) -> Result<BTreeMap<String, Subscription>, StoreError> {
        self.read("read subscriptions from", |database| {
            let table = database.begin_read()?.open_table(DIGESTS)?;
            let mut found = BTreeMap::new();
            for row in table.iter()? {
                let (account, value) = row?;
                found.insert(account.value().to_owned(), parsed(value.value(), || "a subscription".to_owned())?);
            }
            Ok(found)
        })
    }

    /// Reads the whole file and says whether it is sound.
    pub fn check(&mut self) -> Result<bool, StoreError> {
        let Self { database, path, .. } = self;
        let Some(database) = database.alone() else { return Err(failed("check", path)(redb::Error::DatabaseClosed)) };
        damage::caught(|| database.check_integrity())
            .map_err(|reason| StoreError::Damaged { path: path.clone(), reason })?
            .map_err(failed("check", path))
    }

    /// Makes every table, so that no reader finds one missing, and refuses a file of a newer version.
    fn ready(self) -> Result<Self, StoreError> {
        let form = self.write("prepare", |transaction| {
            transaction.open_table(memory::MEMORY)?;
            transaction.open_table(memory::UNWRITTEN)?;
            transaction.open_table(memory::LEDGERS)?;
            transaction.open_table(spent::SPENT)?;
            transaction.open_table(SOURCES)?;
            transaction.open_table(accepted::ACCEPTED)?;
            transaction.open_table(runs::RUNS)?;
            transaction.open_table(runs::LOCALE_RUNS)?;
            transaction.open_table(runs::IDEMPOTENCY)?;
            transaction.open_table(previews::PREVIEWS)?;
            transaction.open_table(switches::SWITCHES)?;
            transaction.open_table(pages::PAGES)?;
            transaction.open_table(pending::PENDING)?;
            transaction.open_table(sites::SITES)?;
            transaction.open_table(SUMMARIES)?;
            transaction.open_table(DIGESTS)?;
            let mut meta = transaction.open_table(META)?;
            let form = meta.get("form")?.map(|form| form.value());
            if form.is_none() {
                meta.insert("form", FORM)?;
            }
            Ok(form.unwrap_or(FORM))
        })?;
        if form > FORM {
            return Err(StoreError::Newer { path: self.path, form, known: FORM });
        }
        Ok(self)
    }

    fn read<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Database) -> Result<T, doing::Fault>,
    ) -> Result<T, StoreError> {
        let work = |database: &Database| {
            damage::caught(|| work(database)).unwrap_or_else(|panic| Err(doing::Fault::Panic(panic)))
        };
        let done = self.database.read(work).map_err(|fault| fault.while_doing(what, &self.path));
        self.errors.reading.fetch_add(u64::from(done.is_err()), Ordering::Relaxed);
        done
    }

    fn write<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&WriteTransaction) -> Result<T, doing::Fault>,
    ) -> Result<T, StoreError> {
        let transact = |database: &Database| {
            let mut transaction = database.begin_write()?;
            transaction.set_two_phase_commit(true);
            transaction.set_quick_repair(true);
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        let transact = |database: &Database| {
            damage::caught(|| transact(database)).unwrap_or_else(|panic| Err(doing::Fault::Panic(panic)))
        };
        let done = self.database.write(transact).map_err(|fault| fault.while_doing(what, &self.path));
        self.errors.writing.fetch_add(u64::from(done.is_err()), Ordering::Relaxed);
        done
    }
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// Makes these the site's sources; what was recorded before and is not among them is forgotten.
fn put_sources(
    transaction: &WriteTransaction,
    site: &SiteId,
    sources: &BTreeMap<PagePath, SourceRecord>,
) -> Result<(), doing::Fault> {
    let mut table = transaction.open_table(SOURCES)?;
    table.retain_in(of_site(site, &after(site)), |(_, path), _| {
        PagePath::parse(path).is_ok_and(|path| sources.contains_key(&path))
    })?;
    for (path, record) in sources {
        table.insert((site.as_str(), path.as_str()), json(record)?.as_slice())?;
    }
    Ok(())
}

/// The text that sorts right after a site's own, so that a range holds that site's rows and no other's.
fn after(site: &SiteId) -> String {
    format!("{site}\0")
}

fn of_site<'a>(site: &'a SiteId, after: &'a str) -> std::ops::Range<(&'a str, &'a str)> {
    (site.as_str(), "")..(after, "")
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, doing::Fault> {
    serde_json::to_vec(value).map_err(|error| doing::Fault::row("a new row".to_owned(), error))
}

fn parsed<T: DeserializeOwned>(value: &[u8], row: impl FnOnce() -> String) -> Result<T, doing::Fault> {
    serde_json::from_slice(value).map_err(|error| doing::Fault::row(row(), error))
}

#[cfg(test)]
mod tests;
