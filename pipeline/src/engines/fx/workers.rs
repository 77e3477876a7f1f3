//! Threads of our own for one network: the runtime's pool is for short waits, this keeps processors busy.
//!
//! The network may not move between threads, so one thread loads and owns it and the others borrow it. A panic costs
//! the batch that it happened in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use super::super::{Ask, AskError, Done, EngineError, ModelError, ModelFiles};
use super::network::Network;

/// What became of a batch.
pub(super) type Answers = Result<Vec<Result<Done, AskError>>, EngineError>;

/// A batch of sentences.
pub(super) struct Job {
    pub(super) asks: Vec<Ask>,
    pub(super) answer: oneshot::Sender<Answers>,
}

/// More threads than this only cost memory.
const MOST: usize = 16;

/// The threads of one network; dropping them waits for the work in hand. What waits in the queue is bounded by the
/// engine's `parallel`.
pub(super) struct Workers {
    jobs: Option<Sender<Job>>,
    owner: Option<JoinHandle<()>>,
}

/// How many threads there are: one for each processor.
pub(super) fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST)
}

impl Workers {
    /// Starts the threads, which load the model first.
    pub(super) fn start(model: ModelFiles) -> Self {
        let (jobs, queue) = channel();
        let owner = thread::Builder::new()
            .name(format!("fx {}", model.pair.hyphenated()))
            .spawn(move || own(&model, &queue.into()));
        Self { jobs: Some(jobs), owner: owner.ok() }
    }

    /// Gives a job to the next free thread; without any it is dropped, which its waiter sees.
    pub(super) fn run(&self, job: Job) {
        if let Some(jobs) = self.jobs.as_ref().filter(|_| self.owner.is_some()) {
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(owner) = self.owner.take() {
            let _ = owner.join();
        }
    }
}

/// Loads a network and translates a text with it; what it makes of it does not matter.
pub(super) fn prove(model: &ModelFiles) -> Result<(), ModelError> {
    let ask = Ask::plain("Hello, world.");
    let work = || Network::load(model).map(|network| drop(network.translate(&[ask])));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ModelError::Damaged))
}

/// Loads the network and works with as many threads as there are processors until nobody can ask any more.
fn own(model: &ModelFiles, queue: &Mutex<Receiver<Job>>) {
    let loaded = catch_unwind(AssertUnwindSafe(|| Network::load(model)));
    match loaded.unwrap_or(Err(ModelError::Damaged)) {
        Ok(network) => thread::scope(|scope| {
            for _ in 1..count() {
                scope.spawn(|| work(queue, &|asks| translate(&network, asks)));
            }
            work(queue, &|asks| translate(&network, asks));
        }),
        Err(error) => {
            let error = EngineError::Absent(format!("the model {} cannot be loaded: {error}", model.pair.hyphenated()));
            work(queue, &|_| Err(error.clone()));
        }
    }
}

fn translate(network: &Network, asks: &[Ask]) -> Answers {
    catch_unwind(AssertUnwindSafe(|| network.translate(asks)))
        .map_err(|_| EngineError::Bad("the neural engine stumbled over it".into()))
}

fn work(queue: &Mutex<Receiver<Job>>, translate: &dyn Fn(&[Ask]) -> Answers) {
    loop {
        // Held only while waiting: whoever waits takes the next job and lets go.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { asks, answer }) = job else { return };
        let _ = answer.send(translate(&asks)); // nobody may be waiting any more
    }
}
