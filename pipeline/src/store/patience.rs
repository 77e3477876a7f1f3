//! Patience with a bucket: what may work later is tried again, for a bounded time, without pressing it.
//!
//! A single fault is tried again soon. Several faults in a row without an answer in between mean that the store is
//! away; then one request a second asks for all that wait, whoever they are, and the others go on when it is answered.
//! Readers of pages do not wait: they have a short patience of their own and are told at once that the store is away.
//! All clones of an opened store share what is known of it.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// How long one waits for a store that does not answer, where nothing else is said.
pub const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// How long a reader of a page waits, who has a browser in front of them.
const OF_READERS: Duration = Duration::from_secs(1);
/// Faults in a row that make a store away: rare enough by chance, few enough not to press it.
const AWAY_AFTER: u32 = 5;
/// How it goes with a store that people use.
const PACE: RetryPace = RetryPace {
    first: Duration::from_millis(25),
    slowest: Duration::from_secs(1),
    notice: Duration::from_secs(10),
    longest: PATIENCE,
};
/// Tries after a fault that nobody can explain.
const UNCLEAR_TRIES: u32 = 8;

/// Whether trying again may help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StoreFault {
    /// The store did not answer, or asked for time; what it said.
    Passing(String),
    /// The store answers and cannot serve this request now, because of another.
    Busy(String),
    /// The answer makes no sense; it may the next time.
    Unclear(String),
    /// The name of its host is not known: wrong at first, passing once it was known.
    NoSuchHost(String),
    /// The store has answered, and would the same again.
    Final,
}

/// Why a request was given up.
#[derive(Debug)]
pub(super) enum GaveUp<E> {
    /// The store's answer.
    Answer(E),
    /// It did not answer for as long as one wanted to wait.
    Away {
        /// How long that was.
        waited: Duration,
        /// What it said last.
        cause: String,
    },
}

/// The times that patience is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPace {
    /// Before the second try; it doubles with each try.
    pub(super) first: Duration,
    /// The longest time between two tries of one request, and that between two tries of all while the store is away.
    pub(super) slowest: Duration,
    /// Between two sentences to somebody who waits.
    pub(super) notice: Duration,
    /// After which one gives up.
    pub(super) longest: Duration,
}

/// How patient one is, and what is known of the store; clones know the same.
#[derive(Clone)]
pub(super) struct Patience {
    pace: RetryPace,
    store: Arc<Store>,
}

struct Store {
    name: String,
    health: Mutex<StoreHealth>,
    /// Rings when the store answers again.
    back: Notify,
    /// Gets a sentence for people while they wait.
    tell: Mutex<fn(&str)>,
}

#[derive(Debug, Default)]
struct StoreHealth {
    has_answered: bool,
    /// Faults since the last answer.
    faults: u32,
    since: Option<Instant>,
    /// When the next request may go out while the store is away.
    next: Option<Instant>,
    asked: u32,
    told: Option<Instant>,
    cause: String,
}

impl Patience {
    pub(super) fn new(name: String) -> Self {
        Self::with_pace(name, PACE)
    }

    pub(super) fn with_pace(name: String, pace: RetryPace) -> Self {
        let store = Store {
            name,
            health: Mutex::default(),
            back: Notify::new(),
            tell: Mutex::new(|_| ()),
        };
        Self {
            pace,
            store: Arc::new(store),
        }
    }

    /// The same store for somebody who waits this long.
    pub(super) fn with_longest(&self, longest: Duration) -> Self {
        Self {
            pace: RetryPace {
                longest,
                ..self.pace
            },
            store: Arc::clone(&self.store),
        }
    }

    /// The same store for readers of pages.
    pub(super) fn of_readers(&self) -> Self {
        self.with_longest(OF_READERS.min(self.pace.longest))
    }

    /// Whoever waits is told so through `tell`.
    pub(super) fn telling(&self, tell: fn(&str)) {
        *self
            .store
            .tell
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = tell;
    }

    /// The store, as messages name it.
    pub(super) fn store(&self) -> &str {
        &self.store.name
    }

    /// Tries until there is an answer or no patience is left; `judge` says what a failure means.
    pub(super) async fn attempt<T, E, F>(
        &self,
        mut request: impl FnMut() -> F,
        judge: impl Fn(&E) -> StoreFault,
    ) -> Result<T, GaveUp<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        let end = Instant::now() + self.pace.longest;
        let mut tries = 0;
        loop {
            self.turn(end).await?;
            let error = match request().await {
                Ok(value) => {
                    self.answered();
                    return Ok(value);
                }
                Err(error) => error,
            };
            tries += 1;
            let is_away = match judge(&error) {
                StoreFault::Final => {
                    self.answered();
                    return Err(GaveUp::Answer(error));
                }
                StoreFault::NoSuchHost(_) if !self.health().has_answered => {
                    return Err(GaveUp::Answer(error));
                }
                StoreFault::Unclear(_) if tries >= UNCLEAR_TRIES => {
                    return Err(GaveUp::Answer(error));
                }
                StoreFault::Passing(cause) | StoreFault::NoSuchHost(cause) => self.failed(cause),
                StoreFault::Busy(_) | StoreFault::Unclear(_) => false,
            };
            let pause = self.pace.pause(tries);
            if Instant::now() + pause > end {
                return Err(self.gave_up(&judge(&error)));
            }
            if !is_away {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Waits while the store is away, until it is this request's turn to ask whether it is back.
    async fn turn<E>(&self, end: Instant) -> Result<(), GaveUp<E>> {
        loop {
            // Listens before it looks, so that no answer is missed.
            let back = self.store.back.notified();
            let wait = match self.health().turn(self.pace) {
                None => return Ok(()),
                Some(wait) => wait,
            };
            self.notice();
            if Instant::now() + wait > end {
                let cause = self.health().cause.clone();
                return Err(GaveUp::Away {
                    waited: self.away_for(),
                    cause,
                });
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = back => {}
            }
        }
    }

    fn gave_up<E>(&self, fault: &StoreFault) -> GaveUp<E> {
        let cause = match fault {
            StoreFault::Passing(cause)
            | StoreFault::Busy(cause)
            | StoreFault::Unclear(cause)
            | StoreFault::NoSuchHost(cause) => cause,
            StoreFault::Final => "",
        };
        GaveUp::Away {
            waited: self.away_for().max(self.pace.longest),
            cause: cause.to_owned(),
        }
    }

    /// The store gave an answer, whatever it was.
    fn answered(&self) {
        let before = std::mem::replace(
            &mut *self.health(),
            StoreHealth {
                has_answered: true,
                ..StoreHealth::default()
            },
        );
        if before.is_away() {
            self.store.back.notify_waiters();
        }
        if let (Some(since), Some(_)) = (before.since, before.told) {
            self.tell(&format!(
                "the store {} answers again after {}",
                self.store.name,
                spoken(since.elapsed())
            ));
        }
    }

    /// The store gave no answer; says whether it counts as away.
    fn failed(&self, cause: String) -> bool {
        let is_away = {
            let mut health = self.health();
            health.faults += 1;
            health.cause = cause;
            health.since.get_or_insert_with(Instant::now);
            health.is_away()
        };
        self.notice();
        is_away
    }

    /// Tells every ten seconds that one waits, and for what.
    fn notice(&self) {
        let line = {
            let mut health = self.health();
            let Some(since) = health.since else { return };
            let quiet = health.told.unwrap_or(since).elapsed();
            // Readers are told by what they get instead of the page.
            if quiet < self.pace.notice || self.pace.longest <= OF_READERS {
                return;
            }
            health.told = Some(Instant::now());
            let waited = spoken(since.elapsed());
            let longest = spoken(self.pace.longest);
            format!(
                "the store {} has not answered for {waited}: {}; waiting up to {longest}",
                self.store.name, health.cause
            )
        };
        self.tell(&line);
    }

    fn away_for(&self) -> Duration {
        self.health()
            .since
            .map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn tell(&self, line: &str) {
        let tell = *self
            .store
            .tell
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tell(line);
    }

    /// Never held across an await; a thread that panicked while holding it left whole values.
    fn health(&self) -> MutexGuard<'_, StoreHealth> {
        self.store
            .health
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreHealth {
    fn is_away(&self) -> bool {
        self.faults >= AWAY_AFTER
    }

    /// How long to wait before looking again; `None` where a request may go out now.
    fn turn(&mut self, pace: RetryPace) -> Option<Duration> {
        if !self.is_away() {
            return None;
        }
        let now = Instant::now();
        let next = *self.next.get_or_insert_with(|| now + pace.pause(1));
        if now < next {
            return Some(next - now);
        }
        self.asked += 1;
        // What looked like an absence may have been chance, so the first questions come sooner.
        self.next = Some(now + pace.doubled(self.asked + 1));
        None
    }
}

impl RetryPace {
    /// The time before the next try; not the same for all who failed at the same moment.
    fn pause(self, tries: u32) -> Duration {
        let half = self.doubled(tries) / 2;
        let chance = RandomState::new().hash_one(0_u8) % 1000;
        half + half * u32::try_from(chance).unwrap_or_default() / 1000
    }

    fn doubled(self, tries: u32) -> Duration {
        self.first
            .saturating_mul(1 << tries.saturating_sub(1).min(10))
            .min(self.slowest)
    }
}

/// A time as people write it: `40s`, `2m`, `1m 30s`.
pub(super) fn spoken(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, 0) => format!("{minutes}m"),
        (minutes, seconds) => format!("{minutes}m {seconds}s"),
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Patience")
            .field("store", &self.store.name)
            .field("longest", &self.pace.longest)
            .finish()
    }
}
