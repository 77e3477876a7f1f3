//! Counts how often an engine sends the texts of a request: a service that does not take a part of it gets them again.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};

tokio::task_local! {
    static POSTS: AtomicU64;
}

/// Waits for an engine; gives what it answers, and how often it said that it sent all texts.
pub(crate) async fn counted<F: Future>(answering: F) -> (F::Output, u64) {
    POSTS
        .scope(AtomicU64::new(0), async {
            let answer = answering.await;
            (answer, POSTS.with(|posts| posts.load(Ordering::Relaxed)))
        })
        .await
}

/// Says that all texts of the request are sent.
pub(super) fn note() {
    // Nobody counts where an engine is asked for nothing but itself.
    let _ = POSTS.try_with(|posts| posts.fetch_add(1, Ordering::Relaxed));
}
