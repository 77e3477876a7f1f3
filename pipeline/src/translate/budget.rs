//! How much may still be sent to engines.

use std::sync::atomic::{AtomicU64, Ordering};

/// Characters that may still be sent, to all engines together.
#[derive(Debug, Default)]
pub struct Budget {
    /// `None` sets no bound.
    left: Option<AtomicU64>,
}

impl Budget {
    /// A budget of so many characters; `None` sets no bound.
    pub fn new(characters: Option<u64>) -> Self {
        Self { left: characters.map(AtomicU64::new) }
    }

    /// Takes characters from what is left; says whether there were enough, and takes none otherwise.
    pub(super) fn take(&self, characters: u64) -> bool {
        let Some(left) = &self.left else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(characters)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_overdrawn() {
        let budget = Budget::new(Some(10));
        assert_eq!([6, 6, 4, 1, 0].map(|characters| budget.take(characters)), [true, false, true, false, true]);
        assert!(Budget::default().take(u64::MAX));
    }
}
