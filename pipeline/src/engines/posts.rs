//! Counts how often an engine sends the texts of a request, and the tokens that the service counts for it: a service
//! that refuses a part of a request gets its texts again.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use super::TokenUsage;

/// Sends of one request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestUsage {
    /// Reported sends of all texts.
    pub(crate) posts: u64,
    /// Tokens of these sends as the service counted them. The caller adds their characters.
    pub(crate) tokens: TokenUsage,
}

tokio::task_local! {
    static SENT: Mutex<RequestUsage>;
}

/// Awaits an engine; returns its answer and the sends that it reported.
pub(crate) async fn counted<F: Future>(answering: F) -> (F::Output, RequestUsage) {
    SENT.scope(Mutex::default(), async {
        let answer = answering.await;
        (
            answer,
            SENT.with(|sent| *sent.lock().unwrap_or_else(PoisonError::into_inner)),
        )
    })
    .await
}

/// Reports one send of all texts of the request.
pub(super) fn note() {
    change(|sent| sent.posts += 1);
}

/// Reports the tokens that the service counted for one send.
pub(super) fn note_tokens(tokens: TokenUsage) {
    change(|sent| sent.tokens.add(tokens));
}

fn change(change: impl FnOnce(&mut RequestUsage)) {
    // No counter is installed when an engine is called directly.
    let _ = SENT.try_with(|sent| change(&mut sent.lock().unwrap_or_else(PoisonError::into_inner)));
}
