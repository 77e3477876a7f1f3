//! What engines were asked, how long they took and whether they are there: figures for whoever watches a process.
//!
//! They count what happens, also in runs that break off; accounts are kept elsewhere. Engines stand under their names in
//! the configuration, so there are few of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The figures of all engines; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<BTreeMap<String, Gauge>>>);

/// The figures of an engine since the process began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterReading {
    /// Whether it could be started the last time; absent where nobody tried.
    pub is_up: Option<bool>,
    /// Requests sent, new tries too.
    pub requests: u64,
    /// Requests that failed as a whole.
    pub failures: u64,
    /// Characters sent, codes not counted.
    pub characters: u64,
    /// Texts whose answers were refused.
    pub refusals: u64,
    /// The time that requests took.
    pub time: Duration,
}

#[derive(Debug, Default)]
struct Gauge {
    is_up: Option<bool>,
    counts: Arc<MeterCounts>,
}

/// What is counted while an engine works.
#[derive(Debug, Default)]
pub(super) struct MeterCounts {
    requests: AtomicU64,
    failures: AtomicU64,
    characters: AtomicU64,
    refusals: AtomicU64,
    micros: AtomicU64,
}

impl Meter {
    /// Keeps whether an engine could be started.
    pub fn started(&self, engine: &str, is_up: bool) {
        self.gauges().entry(engine.to_owned()).or_default().is_up = Some(is_up);
    }

    /// The figures now, by the engines' names.
    pub fn read(&self) -> BTreeMap<String, MeterReading> {
        self.gauges()
            .iter()
            .map(|(name, gauge)| (name.clone(), gauge.read()))
            .collect()
    }

    /// Where the work of an engine is counted.
    pub(super) fn counts(&self, engine: &str) -> Arc<MeterCounts> {
        Arc::clone(&self.gauges().entry(engine.to_owned()).or_default().counts)
    }

    fn gauges(&self) -> MutexGuard<'_, BTreeMap<String, Gauge>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gauge {
    fn read(&self) -> MeterReading {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        MeterReading {
            is_up: self.is_up,
            requests: get(&self.counts.requests),
            failures: get(&self.counts.failures),
            characters: get(&self.counts.characters),
            refusals: get(&self.counts.refusals),
            time: Duration::from_micros(get(&self.counts.micros)),
        }
    }
}

impl MeterCounts {
    /// Counts a request that goes out.
    pub(super) fn asked(&self, characters: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.characters.fetch_add(characters, Ordering::Relaxed);
    }

    /// Counts the end of a request.
    pub(super) fn answered(&self, time: Duration, failed: bool) {
        self.failures
            .fetch_add(u64::from(failed), Ordering::Relaxed);
        self.micros.fetch_add(
            u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
    }

    /// Counts a text whose answer is of no use.
    pub(super) fn refused(&self) {
        self.refusals.fetch_add(1, Ordering::Relaxed);
    }
}
