//! How much may still be sent to engines, and how much was.

use std::sync::atomic::{AtomicU64, Ordering};

/// Characters that may still be sent, to all engines together.
#[derive(Debug, Default)]
pub struct Budget {
    /// `None` sets no bound.
    left: Option<AtomicU64>,
    /// Sent and not yet asked for by [`Budget::unaccounted`].
    sent: AtomicU64,
}

impl Budget {
    /// A budget of so many characters; `None` sets no bound.
    pub fn new(characters: Option<u64>) -> Self {
        Self { left: characters.map(AtomicU64::new), sent: AtomicU64::new(0) }
    }

    /// Takes characters from what is left; says whether there were enough, and takes none otherwise.
    pub(super) fn take(&self, characters: u64) -> bool {
        let fits = self.left.as_ref().is_none_or(|left| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(characters)).is_ok()
        });
        if fits {
            self.sent.fetch_add(characters, Ordering::Relaxed);
        }
        fits
    }

    /// What was taken since this was last asked, in characters; for keeping accounts.
    pub fn unaccounted(&self) -> u64 {
        self.sent.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_overdrawn_and_what_was_taken_is_accounted_once() {
        let budget = Budget::new(Some(10));
        assert_eq!([6, 6, 4, 1, 0].map(|characters| budget.take(characters)), [true, false, true, false, true]);
        assert_eq!([budget.unaccounted(), budget.unaccounted()], [10, 0]);
        let unbounded = Budget::default();
        assert!(unbounded.take(7) && unbounded.take(8));
        assert_eq!(unbounded.unaccounted(), 15);
    }
}
