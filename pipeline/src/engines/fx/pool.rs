//! Threads for the networks of all neural engines of this process, and at most two networks in memory.
//!
//! A network may not move between threads, so each of the two slots is a thread that loads a network, owns it, and lends it
//! to workers. If a third model has work, the least recently used of the models without work leaves; if both have work, the
//! one that was loaded first leaves after [`TURN`], so that many languages at once do not load a model for each request. A
//! translation through a third language needs two models by turns, hence two slots.
//!
//! Workers of both slots share as many permits as there are processors. A panic costs the batch that it happened in.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::super::{Ask, AskError, EngineAnswer, EngineError, ModelError, ModelFiles};
use super::network::Network;

/// Result of a batch.
pub(super) type BatchResult = Result<Vec<Result<EngineAnswer, AskError>>, EngineError>;

/// A batch of sentences.
pub(super) struct BatchJob {
    pub(super) asks: Vec<Ask>,
    pub(super) answer: oneshot::Sender<BatchResult>,
}

/// Networks in memory.
const SLOTS: usize = 2;
/// More threads than this only cost memory.
const MOST: usize = 16;
/// Time that a model with work stays loaded while another one waits.
const TURN: Duration = Duration::from_secs(2);

/// Number of threads: one for each processor.
pub(super) fn count() -> usize {
    thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST)
}

/// The pool of this process, while an engine uses it.
static POOL: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

/// The threads; when the last engine lets go of them, they finish their work and end.
pub(super) struct Pool {
    shared: Arc<PoolShared>,
    slots: Vec<JoinHandle<()>>,
}

struct PoolShared {
    state: Mutex<PoolState>,
    changed: Condvar,
    turn: Duration,
}

#[derive(Default)]
struct PoolState {
    /// Jobs by model, each with the number of its arrival.
    waiting: BTreeMap<String, WaitingJobs>,
    slots: [Option<LoadedModel>; SLOTS],
    arrivals: u64,
    working: usize,
    is_closed: bool,
    /// Networks in memory now, the most that were, and how often one was loaded.
    loads: Loads,
}

/// A model in a slot.
struct LoadedModel {
    key: String,
    since: Instant,
    used: Instant,
    /// True from the decision that it leaves until its last worker is done.
    is_leaving: bool,
}

/// Counts of networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Loads {
    pub(super) now: usize,
    pub(super) most: usize,
    pub(super) all: usize,
}

/// The jobs of one model.
struct WaitingJobs {
    model: Arc<ModelFiles>,
    jobs: VecDeque<(u64, BatchJob)>,
}

impl Pool {
    /// The pool that all engines of this process share.
    pub(super) fn shared() -> Arc<Self> {
        let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = known.upgrade() {
            return pool;
        }
        let pool = Arc::new(Self::start(TURN));
        *known = Arc::downgrade(&pool);
        pool
    }

    /// Counts of networks so far.
    #[cfg(test)]
    pub(super) fn loads(&self) -> Loads {
        self.shared.lock().loads
    }

    /// A pool of its own.
    pub(super) fn start(turn: Duration) -> Self {
        let shared = Arc::new(PoolShared {
            state: Mutex::default(),
            changed: Condvar::new(),
            turn,
        });
        let mut slots = Vec::new();
        for slot in 0..SLOTS {
            let shared = Arc::clone(&shared);
            let started = thread::Builder::new()
                .name(format!("fx {slot}"))
                .spawn(move || shared.occupy(slot));
            slots.extend(started.ok());
        }
        Self { shared, slots }
    }

    /// Puts a job in the queue of its model; without threads it is dropped, which its waiter sees. `key` tells models apart.
    pub(super) fn run(&self, key: &str, model: &Arc<ModelFiles>, job: BatchJob) {
        if self.slots.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        state.arrivals += 1;
        let arrival = state.arrivals;
        let waiting = state.waiting.entry(key.to_owned());
        let waiting = waiting.or_insert_with(|| WaitingJobs {
            model: Arc::clone(model),
            jobs: VecDeque::new(),
        });
        waiting.jobs.push_back((arrival, job));
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        for slot in self.slots.drain(..) {
            let _ = slot.join();
        }
    }
}

impl PoolState {
    /// The model that waits longest for a slot.
    fn next_model(&self) -> Option<(String, Arc<ModelFiles>)> {
        let without_slot = self.waiting.iter().filter(|(key, waiting)| {
            !waiting.jobs.is_empty()
                && !self
                    .slots
                    .iter()
                    .flatten()
                    .any(|loaded| loaded.key == **key)
        });
        let first = without_slot
            .min_by_key(|(_, waiting)| waiting.jobs.front().map(|(arrival, _)| *arrival));
        first.map(|(key, waiting)| (key.clone(), Arc::clone(&waiting.model)))
    }

    /// The next job of a model.
    fn next_job(&mut self, key: &str) -> Option<BatchJob> {
        let waiting = self.waiting.get_mut(key)?;
        let (_, job) = waiting.jobs.pop_front()?;
        if waiting.jobs.is_empty() {
            self.waiting.remove(key);
        }
        Some(job)
    }

    fn has_work(&self, key: &str) -> bool {
        self.waiting.contains_key(key)
    }

    /// The slot that is needed for a model without one; `None` if there is none, or a slot is free or becomes free.
    fn slot_to_free(&self, now: Instant, turn: Duration) -> Option<usize> {
        self.next_model()?;
        let mut idle: Option<(Instant, usize)> = None;
        let mut served: Option<(Instant, usize)> = None;
        for (slot, loaded) in self.slots.iter().enumerate() {
            let loaded = loaded.as_ref().filter(|loaded| !loaded.is_leaving)?;
            if !self.has_work(&loaded.key) {
                idle =
                    Some(idle.map_or((loaded.used, slot), |known| known.min((loaded.used, slot))));
            } else if now.duration_since(loaded.since) >= turn {
                served = Some(served.map_or((loaded.since, slot), |known| {
                    known.min((loaded.since, slot))
                }));
            }
        }
        idle.or(served).map(|(_, slot)| slot)
    }

    /// True if a slot's model has to leave memory.
    fn must_leave(&mut self, slot: usize, now: Instant, turn: Duration) -> bool {
        let is_needed = self.slot_to_free(now, turn) == Some(slot);
        let is_closed = self.is_closed;
        let Some(key) = self.slots[slot].as_ref().map(|loaded| loaded.key.clone()) else {
            return true;
        };
        let is_done = is_closed && !self.has_work(&key);
        let Some(loaded) = &mut self.slots[slot] else {
            return true;
        };
        loaded.is_leaving |= is_needed || is_done;
        loaded.is_leaving
    }
}

impl PoolShared {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, PoolState>) -> MutexGuard<'s, PoolState> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a slot: one model after the other.
    fn occupy(&self, slot: usize) {
        loop {
            let mut state = self.lock();
            let (key, model) = loop {
                match state.next_model() {
                    Some(next) => break next,
                    None if state.is_closed => return,
                    None => state = self.wait(state),
                }
            };
            let now = Instant::now();
            state.slots[slot] = Some(LoadedModel {
                key: key.clone(),
                since: now,
                used: now,
                is_leaving: false,
            });
            drop(state);
            self.serve(slot, &key, &model);
            self.lock().slots[slot] = None;
            self.changed.notify_all();
        }
    }

    /// Loads a model and works with it until its slot is needed.
    fn serve(&self, slot: usize, key: &str, model: &ModelFiles) {
        let loaded = catch_unwind(AssertUnwindSafe(|| Network::load(model)));
        let network = match loaded.unwrap_or(Err(ModelError::Damaged)) {
            Ok(network) => network,
            Err(error) => return self.refuse(key, model, &error),
        };
        self.count_load(slot);
        thread::scope(|scope| {
            for _ in 1..count() {
                scope.spawn(|| self.work(slot, key, &network));
            }
            self.work(slot, key, &network);
        });
        drop(network);
        self.lock().loads.now -= 1;
    }

    fn count_load(&self, slot: usize) {
        let mut state = self.lock();
        state.loads.all += 1;
        state.loads.now += 1;
        state.loads.most = state.loads.most.max(state.loads.now);
        if let Some(loaded) = &mut state.slots[slot] {
            loaded.since = Instant::now(); // loading is not part of its turn
        }
    }

    /// Answers to the jobs of a model that cannot be loaded.
    fn refuse(&self, key: &str, model: &ModelFiles, error: &ModelError) {
        let pair = model.pair.hyphenated();
        let error = EngineError::Absent(format!("the model {pair} cannot be loaded: {error}"));
        loop {
            let Some(job) = self.lock().next_job(key) else {
                return;
            };
            let _ = job.answer.send(Err(error.clone()));
        }
    }

    /// Translates jobs of a slot's model until it has to leave.
    fn work(&self, slot: usize, key: &str, network: &Network) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            if state.must_leave(slot, now, self.turn) {
                drop(state);
                self.changed.notify_all(); // the other workers of this slot leave, too
                return;
            }
            let job = if state.working < count() {
                state.next_job(key)
            } else {
                None
            };
            let Some(BatchJob { asks, answer }) = job else {
                state = self.wait(state);
                continue;
            };
            if let Some(loaded) = &mut state.slots[slot] {
                loaded.used = now;
            }
            state.working += 1;
            drop(state);
            // Nobody may be waiting any more.
            if !answer.is_closed() {
                let _ = answer.send(translate(network, &asks));
            }
            state = self.lock();
            state.working -= 1;
            self.changed.notify_all();
        }
    }
}

fn translate(network: &Network, asks: &[Ask]) -> BatchResult {
    catch_unwind(AssertUnwindSafe(|| network.translate(asks)))
        .map_err(|_| EngineError::Bad("the neural engine stumbled over it".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LanguagePair, Locale};

    fn waiting(jobs: &[u64]) -> WaitingJobs {
        let locale = Locale::parse("en").unwrap();
        let path = std::path::PathBuf::new();
        let model = ModelFiles {
            code: String::new(),
            pair: LanguagePair {
                from: locale.clone(),
                to: locale,
            },
            file: path.clone(),
            source_vocabulary: path.clone(),
            target_vocabulary: path,
            shortlist: None,
        };
        let jobs = jobs.iter().map(|arrival| {
            (
                *arrival,
                BatchJob {
                    asks: Vec::new(),
                    answer: oneshot::channel().0,
                },
            )
        });
        WaitingJobs {
            model: Arc::new(model),
            jobs: jobs.collect(),
        }
    }

    /// A loaded model: its key, and the seconds since a start at which it was loaded and used.
    fn loaded(start: Instant, (key, since, used): (&str, u64, u64)) -> LoadedModel {
        let since = start + Duration::from_secs(since);
        let used = start + Duration::from_secs(used);
        LoadedModel {
            key: key.into(),
            since,
            used,
            is_leaving: false,
        }
    }

    #[test]
    fn the_least_recently_used_model_leaves_for_one_that_waits() {
        let start = Instant::now();
        for (slots, jobs, expected) in [
            (&[("a", 0, 9), ("b", 5, 8)][..], &[][..], None),
            (&[("a", 0, 9), ("b", 5, 8)], &[("a", 1)], None),
            (&[("a", 0, 9), ("b", 5, 8)], &[("c", 1)], Some(1)),
            (&[("a", 0, 9), ("b", 5, 8)], &[("b", 1), ("c", 2)], Some(0)),
            (
                &[("a", 0, 9), ("b", 5, 8)],
                &[("a", 1), ("b", 2), ("c", 3)],
                Some(0),
            ),
            (
                &[("a", 9, 9), ("b", 9, 9)],
                &[("a", 1), ("b", 2), ("c", 3)],
                None,
            ),
            (&[("a", 0, 0)], &[("c", 1)], None),
        ] {
            let slots =
                [0, 1].map(|slot| slots.get(slot).map(|loaded| self::loaded(start, *loaded)));
            let waits = jobs
                .iter()
                .map(|(key, arrival)| ((*key).to_owned(), waiting(&[*arrival])));
            let state = PoolState {
                slots,
                waiting: waits.collect(),
                ..PoolState::default()
            };
            let now = start + Duration::from_secs(10);
            assert_eq!(state.slot_to_free(now, TURN), expected, "{jobs:?}");
        }
    }

    #[test]
    fn the_model_that_waits_longest_is_next() {
        let waits = [("a", 3), ("b", 2), ("c", 1)]
            .map(|(key, arrival)| (key.to_owned(), waiting(&[arrival])));
        let now = Instant::now();
        let mut state = PoolState {
            waiting: waits.into(),
            ..PoolState::default()
        };
        assert_eq!(state.next_model().unwrap().0, "c");
        state.slots[0] = Some(LoadedModel {
            key: "c".into(),
            since: now,
            used: now,
            is_leaving: false,
        });
        assert_eq!(state.next_model().unwrap().0, "b");
        assert!(state.next_job("b").is_some() && state.next_job("b").is_none());
        assert_eq!(state.next_model().unwrap().0, "a");
    }
}
