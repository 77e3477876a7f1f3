//! How much may still be sent to engines, and how much was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Characters that may still be sent, to all engines together.
#[derive(Debug, Default)]
pub struct Budget {
    /// `None` sets no bound.
    left: Option<Mutex<Left>>,
    /// Sent and not yet asked for by [`Budget::unaccounted`].
    sent: AtomicU64,
}

#[derive(Debug, Default)]
struct Left {
    all: u64,
    /// What of it is set aside for texts that no engine was asked for yet.
    reserved: u64,
}

impl Budget {
    /// A budget of so many characters; `None` sets no bound.
    pub fn new(characters: Option<u64>) -> Self {
        let left = characters.map(|all| Mutex::new(Left { all, reserved: 0 }));
        Self { left, sent: AtomicU64::new(0) }
    }

    /// Sets characters aside for texts that no engine was asked for yet, so that asking again for others does not use
    /// them up.
    pub fn reserve(&self, characters: u64) {
        if let Some(left) = &self.left {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.reserved = left.reserved.saturating_add(characters).min(left.all);
        }
    }

    /// Takes characters for texts that are asked for the first time; says whether there were enough, and takes none
    /// otherwise.
    pub(super) fn take(&self, characters: u64) -> bool {
        self.take_from(characters, |left| {
            left.reserved = left.reserved.saturating_sub(characters);
            left.all
        })
    }

    /// Takes characters for asking again, out of what is not set aside.
    pub(super) fn take_again(&self, characters: u64) -> bool {
        self.take_from(characters, |left| left.all - left.reserved)
    }

    fn take_from(&self, characters: u64, available: impl FnOnce(&mut Left) -> u64) -> bool {
        let fits = self.left.as_ref().is_none_or(|left| {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = characters <= available(&mut left);
            left.all -= if fits { characters } else { 0 };
            left.reserved = left.reserved.min(left.all);
            fits
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
        let shared = Budget::new(Some(10));
        shared.reserve(8);
        assert_eq!(
            [shared.take_again(3), shared.take_again(2), shared.take(5), shared.take_again(1)],
            [false, true, true, false]
        );
        assert!(shared.take(3) && !shared.take(1));
        let unbounded = Budget::default();
        assert!(unbounded.take(7) && unbounded.take(8));
        assert_eq!(unbounded.unaccounted(), 15);
    }
}
