//! Work on the state, away from the tasks that answer: its verbs wait for the disk.

use std::sync::Arc;

use pipeline::run::BuildError;
use pipeline::state::{State, StateError};

/// Does something with the state on the blocking pool.
///
/// # Errors
/// A [`BuildError`] when the state failed, or the work panicked.
pub(super) async fn on_state<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
) -> Result<T, BuildError> {
    let state = Arc::clone(state);
    let done = tokio::task::spawn_blocking(move || work(&state)).await;
    Ok(done.map_err(|error| BuildError::Broken(error.to_string()))??)
}
