//! Threads for the networks of all neural engines of this process, and at most two networks in memory.
//!
//! A network may not move between threads, so each of the two seats is a thread that loads a network, owns it, and lends it
//! to workers. If a third model has work, the least recently used of the models without work leaves; if both have work, the
//! one that was loaded first leaves after [`TURN`], so that many languages at once do not load a model for each request. A
//! translation through a third language needs two models by turns, hence two seats.
//!
//! Workers of both seats share as many permits as there are processors. A panic costs the batch that it happened in.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::super::{Ask, AskError, Done, EngineError, ModelError, ModelFiles};
use super::network::Network;

/// Result of a batch.
pub(super) type Answers = Result<Vec<Result<Done, AskError>>, EngineError>;

/// A batch of sentences.
pub(super) struct Job {
    pub(super) asks: Vec<Ask>,
    pub(super) answer: oneshot::Sender<Answers>,
}

/// Networks in memory.
const SEATS: usize = 2;
/// More threads than this only cost memory.
const MOST: usize = 16;
/// Time that a model with work stays loaded while another one waits.
const TURN: Duration = Duration::from_secs(2);

/// Number of threads: one for each processor.
pub(super) fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST)
}

/// The pool of this process, while an engine uses it.
static POOL: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

/// The threads; when the last engine lets go of them, they finish their work and end.
pub(super) struct Pool {
    shared: Arc<Shared>,
    seats: Vec<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    turn: Duration,
}

#[derive(Default)]
struct State {
    /// Jobs by model, each with the number of its arrival.
    waiting: BTreeMap<String, Waiting>,
    seats: [Option<Seated>; SEATS],
    arrivals: u64,
    working: usize,
    is_closed: bool,
    /// Networks in memory now, the most that were, and how often one was loaded.
    loads: Loads,
}

/// A model in a seat.
struct Seated {
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
struct Waiting {
    model: Arc<ModelFiles>,
    jobs: VecDeque<(u64, Job)>,
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
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), turn });
        let mut seats = Vec::new();
        for seat in 0..SEATS {
            let shared = Arc::clone(&shared);
            let started = thread::Builder::new().name(format!("fx {seat}")).spawn(move || shared.occupy(seat));
            seats.extend(started.ok());
        }
        Self { shared, seats }
    }

    /// Puts a job in the queue of its model; without threads it is dropped, which its waiter sees. `key` tells models apart.
    pub(super) fn run(&self, key: &str, model: &Arc<ModelFiles>, job: Job) {
        if self.seats.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        state.arrivals += 1;
        let arrival = state.arrivals;
        let waiting = state.waiting.entry(key.to_owned());
        let waiting = waiting.or_insert_with(|| Waiting { model: Arc::clone(model), jobs: VecDeque::new() });
        waiting.jobs.push_back((arrival, job));
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        for seat in self.seats.drain(..) {
            let _ = seat.join();
        }
    }
}

impl State {
    /// The model that waits longest for a seat.
    fn next_model(&self) -> Option<(String, Arc<ModelFiles>)> {
        let without_seat = self.waiting.iter().filter(|(key, waiting)| {
            !waiting.jobs.is_empty() && !self.seats.iter().flatten().any(|seated| seated.key == **key)
        });
        let first = without_seat.min_by_key(|(_, waiting)| waiting.jobs.front().map(|(arrival, _)| *arrival));
        first.map(|(key, waiting)| (key.clone(), Arc::clone(&waiting.model)))
    }

    /// The next job of a model.
    fn next_job(&mut self, key: &str) -> Option<Job> {
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

    /// The seat that is needed for a model without one; `None` if there is none, or a seat is free or becomes free.
    fn seat_to_free(&self, now: Instant, turn: Duration) -> Option<usize> {
        self.next_model()?;
        let mut idle: Option<(Instant, usize)> = None;
        let mut served: Option<(Instant, usize)> = None;
        for (seat, seated) in self.seats.iter().enumerate() {
            let seated = seated.as_ref().filter(|seated| !seated.is_leaving)?;
            if !self.has_work(&seated.key) {
                idle = Some(idle.map_or((seated.used, seat), |known| known.min((seated.used, seat))));
            } else if now.duration_since(seated.since) >= turn {
                served = Some(served.map_or((seated.since, seat), |known| known.min((seated.since, seat))));
            }
        }
        idle.or(served).map(|(_, seat)| seat)
    }

    /// True if a seat's model has to leave memory.
    fn must_leave(&mut self, seat: usize, now: Instant, turn: Duration) -> bool {
        let is_needed = self.seat_to_free(now, turn) == Some(seat);
        let is_closed = self.is_closed;
        let Some(key) = self.seats[seat].as_ref().map(|seated| seated.key.clone()) else { return true };
        let is_done = is_closed && !self.has_work(&key);
        let Some(seated) = &mut self.seats[seat] else { return true };
        seated.is_leaving |= is_needed || is_done;
        seated.is_leaving
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a seat: one model after the other.
    fn occupy(&self, seat: usize) {
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
            state.seats[seat] = Some(Seated { key: key.clone(), since: now, used: now, is_leaving: false });
            drop(state);
            self.serve(seat, &key, &model);
            self.lock().seats[seat] = None;
            self.changed.notify_all();
        }
    }

    /// Loads a model and works with it until its seat is needed.
    fn serve(&self, seat: usize, key: &str, model: &ModelFiles) {
        let loaded = catch_unwind(AssertUnwindSafe(|| Network::load(model)));
        let network = match loaded.unwrap_or(Err(ModelError::Damaged)) {
            Ok(network) => network,
            Err(error) => return self.refuse(key, model, &error),
        };
        self.count_load(seat);
        thread::scope(|scope| {
            for _ in 1..count() {
                scope.spawn(|| self.work(seat, key, &network));
            }
            self.work(seat, key, &network);
        });
        drop(network);
        self.lock().loads.now -= 1;
    }

    fn count_load(&self, seat: usize) {
        let mut state = self.lock();
        state.loads.all += 1;
        state.loads.now += 1;
        state.loads.most = state.loads.most.max(state.loads.now);
        if let Some(seated) = &mut state.seats[seat] {
            seated.since = Instant::now(); // loading is not part of its turn
        }
    }

    /// Answers to the jobs of a model that cannot be loaded.
    fn refuse(&self, key: &str, model: &ModelFiles, error: &ModelError) {
        let pair = model.pair.hyphenated();
        let error = EngineError::Absent(format!("the model {pair} cannot be loaded: {error}"));
        loop {
            let Some(job) = self.lock().next_job(key) else { return };
            let _ = job.answer.send(Err(error.clone()));
        }
    }

    /// Translates jobs of a seat's model until it has to leave.
    fn work(&self, seat: usize, key: &str, network: &Network) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            if state.must_leave(seat, now, self.turn) {
                drop(state);
                self.changed.notify_all(); // the other workers of this seat leave, too
                return;
            }
            let job = if state.working < count() { state.next_job(key) } else { None };
            let Some(Job { asks, answer }) = job else {
                state = self.wait(state);
                continue;
            };
            if let Some(seated) = &mut state.seats[seat] {
                seated.used = now;
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

fn translate(network: &Network, asks: &[Ask]) -> Answers {
    catch_unwind(AssertUnwindSafe(|| network.translate(asks)))
        .map_err(|_| EngineError::Bad("the neural engine stumbled over it".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LanguagePair, Locale};

    fn waiting(jobs: &[u64]) -> Waiting {
        let locale = Locale::parse("en").unwrap();
        let path = std::path::PathBuf::new();
        let model = ModelFiles {
            code: String::new(),
            pair: LanguagePair { from: locale.clone(), to: locale },
            file: path.clone(),
            source_vocabulary: path.clone(),
            target_vocabulary: path,
            shortlist: None,
        };
        let jobs = jobs.iter().map(|arrival| (*arrival, Job { asks: Vec::new(), answer: oneshot::channel().0 }));
        Waiting { model: Arc::new(model), jobs: jobs.collect() }
    }

    #[test]
    fn the_least_recently_used_model_leaves_for_one_that_waits() {
        let start = Instant::now();
        let at = |second: u64| start + Duration::from_secs(second);
        let seated = |key: &str, since: u64, used: u64| {
            Some(Seated { key: key.into(), since: at(since), used: at(used), is_leaving: false })
        };
        let two = || [seated("a", 0, 9), seated("b", 5, 8)];
        for (seats, jobs, expected) in [
            (two(), &[][..], None),
            (two(), &[("a", 1)], None),
            (two(), &[("c", 1)], Some(1)),
            (two(), &[("b", 1), ("c", 2)], Some(0)),
            (two(), &[("a", 1), ("b", 2), ("c", 3)], Some(0)),
            ([seated("a", 9, 9), seated("b", 9, 9)], &[("a", 1), ("b", 2), ("c", 3)], None),
            ([seated("a", 0, 0), None], &[("c", 1)], None),
        ] {
            let waits = jobs.iter().map(|(key, arrival)| ((*key).to_owned(), waiting(&[*arrival])));
            let state = State { seats, waiting: waits.collect(), ..State::default() };
            assert_eq!(state.seat_to_free(at(10), TURN), expected, "{jobs:?}");
        }
    }

    #[test]
    fn the_model_that_waits_longest_is_next() {
        let waits = [("a", 3), ("b", 2), ("c", 1)].map(|(key, arrival)| (key.to_owned(), waiting(&[arrival])));
        let now = Instant::now();
        let mut state = State { waiting: waits.into(), ..State::default() };
        assert_eq!(state.next_model().unwrap().0, "c");
        state.seats[0] = Some(Seated { key: "c".into(), since: now, used: now, is_leaving: false });
        assert_eq!(state.next_model().unwrap().0, "b");
        assert!(state.next_job("b").is_some() && state.next_job("b").is_none());
        assert_eq!(state.next_model().unwrap().0, "a");
    }
}
