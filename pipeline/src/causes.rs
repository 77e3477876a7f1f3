//! Errors with what caused them, as people read them.

use std::error::Error;

/// An error with its causes, in one line.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for more in of(error).skip(1).map(ToString::to_string) {
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
    }
    text
}

/// An error and what caused it, one after the other.
pub(crate) fn of<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Whether the system says that a disk is full, or that we may not have more of it.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}
