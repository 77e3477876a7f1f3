//! Counts how often an engine sends the texts of a request: a service that refuses a part of it gets them again.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};

tokio::task_local! {
    static POSTS: AtomicU64;
}

/// Awaits an engine; returns its answer and the number of reported sends.
pub(crate) async fn counted<F: Future>(answering: F) -> (F::Output, u64) {
    POSTS
        .scope(AtomicU64::new(0), async {
            let answer = answering.await;
            (answer, POSTS.with(|posts| posts.load(Ordering::Relaxed)))
        })
        .await
}

/// Reports one send of all texts of the request.
pub(super) fn note() {
    // No counter is installed when an engine is called directly.
    let _ = POSTS.try_with(|posts| posts.fetch_add(1, Ordering::Relaxed));
}
