//! The threads of a build: one more than there are cores, for what computes (parsing, compressing) and for the state.
//!
//! Tokio's threads for blocking work are for waiting. There are hundreds of them, whoever is free takes the next piece, and
//! the system's allocator keeps a heap for each with what the largest piece of work on it ever took; what the database keeps
//! of its file is spread over all of them. A build of 1,000 pages, not optimized, took 245 MB on those and 158 MB on as many
//! of these as there are cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

/// A piece of work.
type ThreadTask = Box<dyn FnOnce() + Send>;

/// Why there is no result: the work panicked, which is a defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Panicked(String);

/// Where the threads get their work.
static POOL: LazyLock<Sender<ThreadTask>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for number in 0..count() {
        let receiver = Arc::clone(&receiver);
        // Where one cannot be had, the others do the work; where none can, whoever has some does it.
        let _ = thread::Builder::new()
            .name(format!("work {number}"))
            .spawn(move || serve(&receiver));
    }
    sender
});

/// How many threads there are: one for each core, and one more for when all of them have long work.
fn count() -> usize {
    thread::available_parallelism().map_or(2, usize::from) + 1
}

fn serve(receiver: &Mutex<Receiver<ThreadTask>>) {
    loop {
        let work = receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        match work {
            Ok(work) => work(),
            Err(_) => return,
        }
    }
}

/// Does a piece of work that computes, or is one action on the state. It must not wait for other pieces.
///
/// # Errors
/// [`Panicked`] with what the panic said.
pub async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    let (done, result) = oneshot::channel();
    let begun = RunningTask::now();
    let work: ThreadTask = Box::new(move || {
        // Nobody may be waiting any more. What it was about goes with a panic, so nobody sees it half done.
        if !done.is_closed() {
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
        }
        drop(begun);
    });
    if let Err(unsent) = POOL.send(work) {
        (unsent.0)();
    }
    match result.await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(panic)) => {
            let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
            Err(Panicked(
                said.or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default(),
            ))
        }
        Err(_) => Err(Panicked("the work was dropped".to_owned())),
    }
}

/// Waits until all work is done that was begun; what nobody waits for any more is not begun.
pub fn finish() {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    while *open > 0 {
        open = IDLE.wait(open).unwrap_or_else(PoisonError::into_inner);
    }
}

/// How many pieces of work are not done.
static OPEN: Mutex<usize> = Mutex::new(0);
/// Tells that none is left.
static IDLE: Condvar = Condvar::new();

/// Counts a piece of work as long as it is there.
struct RunningTask;

impl RunningTask {
    fn now() -> Self {
        *OPEN.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        *open -= 1;
        if *open == 0 {
            IDLE.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread;

    use futures::future::join_all;

    use super::{Panicked, count, on_thread};

    #[tokio::test]
    async fn work_is_done_by_few_threads_that_outlive_a_panic() {
        let panicked: Result<(), Panicked> = on_thread(|| panic!("page {}", 7)).await;
        assert_eq!(panicked.unwrap_err().to_string(), "page 7");
        let threads = join_all((0..500).map(|_| on_thread(|| thread::current().id()))).await;
        let threads: HashSet<_> = threads.into_iter().map(Result::unwrap).collect();
        assert!(threads.len() <= count(), "{}", threads.len());
    }
}
