//! How much may still be sent to engines, and how much was.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Characters that may still be sent, to all engines together.
#[derive(Debug, Default)]
pub struct CharacterBudget {
    /// `None` sets no bound.
    left: Option<Mutex<Left>>,
    /// A budget of which this is a part: what is taken here is taken there too.
    whole: Option<Arc<CharacterBudget>>,
    /// Sent to each engine and not yet asked for by [`CharacterBudget::unaccounted`].
    sent: Mutex<BTreeMap<String, u64>>,
}

#[derive(Debug, Default)]
struct Left {
    all: u64,
    /// What of it is set aside for texts that no engine was asked for yet.
    reserved: u64,
}

/// For what characters are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Take {
    /// Texts that are asked for the first time.
    Reserved,
    /// Asking again, out of what is not set aside.
    Free,
}

impl CharacterBudget {
    /// A budget of so many characters; `None` sets no bound.
    pub fn new(characters: Option<u64>) -> Self {
        Self::part(characters, None)
    }

    /// The same as a part of a larger budget that others use too.
    pub fn part(characters: Option<u64>, whole: Option<Arc<Self>>) -> Self {
        let all = characters.or_else(|| whole.as_ref()?.left());
        let left = all.map(|all| Mutex::new(Left { all, reserved: 0 }));
        Self {
            left,
            whole,
            sent: Mutex::default(),
        }
    }

    /// What is neither taken nor set aside; `None` without a bound.
    pub fn left(&self) -> Option<u64> {
        let own = self.locked().map(|left| left.all - left.reserved);
        own.into_iter()
            .chain(self.whole.as_ref().and_then(|whole| whole.left()))
            .min()
    }

    /// Sets characters aside for texts that no engine was asked for yet, so that asking again for others does not use
    /// them up; says whether there were enough, and sets none aside otherwise.
    pub fn reserve(&self, characters: u64) -> bool {
        if self
            .locked()
            .is_some_and(|left| left.all - left.reserved < characters)
        {
            return false;
        }
        if self
            .whole
            .as_ref()
            .is_some_and(|whole| !whole.reserve(characters))
        {
            return false;
        }
        if let Some(mut left) = self.locked() {
            left.reserved += characters;
        }
        true
    }

    /// Takes characters for texts that an engine is asked for the first time; says whether there were enough, and takes none
    /// otherwise.
    pub(super) fn take(&self, engine: &str, characters: u64) -> bool {
        self.take_all(engine, characters, Take::Reserved)
    }

    /// Takes characters for asking again, out of what is not set aside.
    pub(super) fn take_again(&self, engine: &str, characters: u64) -> bool {
        self.take_all(engine, characters, Take::Free)
    }

    /// Records characters that an engine has sent already, even beyond the budget.
    pub(super) fn charge(&self, engine: &str, characters: u64) {
        self.spend(characters, 0);
        self.record(engine, characters);
    }

    /// Takes these characters, or as many as are left. A part passes on as `given_up` what it has lost of the characters
    /// set aside for it.
    fn spend(&self, characters: u64, given_up: u64) {
        let mut lost = 0;
        if let Some(mut left) = self.locked() {
            left.all = left.all.saturating_sub(characters);
            let reserved = left.reserved.saturating_sub(given_up).min(left.all);
            lost = left.reserved - reserved;
            left.reserved = reserved;
        }
        if let Some(whole) = &self.whole {
            whole.spend(characters, lost);
        }
    }

    fn record(&self, engine: &str, characters: u64) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        match sent.get_mut(engine) {
            Some(known) => *known += characters,
            None => drop(sent.insert(engine.to_owned(), characters)),
        }
    }

    fn take_all(&self, engine: &str, characters: u64, from: Take) -> bool {
        let Some(reserved) = self.take_own(characters, from) else {
            return false;
        };
        if let Some(whole) = &self.whole {
            // Of the whole, only this part's own share is set aside for it.
            let free = characters - reserved;
            if free > 0 && whole.take_own(free, Take::Free).is_none() {
                self.give_back(characters, reserved);
                return false;
            }
            if whole.take_own(reserved, Take::Reserved).is_none() {
                whole.give_back(free, 0);
                self.give_back(characters, reserved);
                return false;
            }
        }
        self.record(engine, characters);
        true
    }

    /// Takes characters; gives how many of them were set aside, or nothing where there were too few.
    fn take_own(&self, characters: u64, from: Take) -> Option<u64> {
        let Some(mut left) = self.locked() else {
            return Some(0);
        };
        let reserved = if from == Take::Reserved {
            characters.min(left.reserved)
        } else {
            0
        };
        let available = if from == Take::Reserved {
            left.all
        } else {
            left.all - left.reserved
        };
        if characters > available {
            return None;
        }
        left.reserved -= reserved;
        left.all -= characters;
        left.reserved = left.reserved.min(left.all);
        Some(reserved)
    }

    fn give_back(&self, characters: u64, reserved: u64) {
        if let Some(mut left) = self.locked() {
            left.all += characters;
            left.reserved += reserved;
        }
    }

    fn locked(&self) -> Option<MutexGuard<'_, Left>> {
        self.left
            .as_ref()
            .map(|left| left.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What was taken for each engine since this was last asked, in characters; for keeping accounts.
    pub fn unaccounted(&self) -> BTreeMap<String, u64> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(&mut *sent);
        taken.retain(|_, characters| *characters > 0);
        taken
    }
}

impl Drop for CharacterBudget {
    /// What was set aside and not used is for others.
    fn drop(&mut self) {
        let reserved = self.locked().map_or(0, |left| left.reserved);
        if let Some(mut whole) = self.whole.as_ref().and_then(|whole| whole.locked()) {
            whole.reserved = whole.reserved.saturating_sub(reserved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charged_characters_are_accounted_beyond_the_budget_r_l14() {
        let whole = Arc::new(CharacterBudget::new(Some(10)));
        let part = CharacterBudget::part(None, Some(whole.clone()));
        assert!(part.reserve(6) && part.take("a", 6));
        part.charge("a", 7);
        assert_eq!((part.left(), whole.left()), (Some(0), Some(0)));
        assert_eq!(part.unaccounted(), BTreeMap::from([("a".to_owned(), 13)]));
        assert!(!part.take("a", 1));
        let whole = Arc::new(CharacterBudget::new(Some(10)));
        let [one, two] = [(); 2].map(|()| CharacterBudget::part(None, Some(whole.clone())));
        assert!(one.reserve(6) && one.take("a", 6) && two.reserve(4));
        one.charge("a", 7);
        assert!(!two.take("b", 4), "the whole has nothing left");
    }

    #[test]
    fn what_is_left_is_never_overdrawn_and_what_was_taken_is_accounted_once() {
        let budget = CharacterBudget::new(Some(10));
        assert_eq!(
            [6, 6, 4, 1, 0].map(|characters| budget.take("a", characters)),
            [true, false, true, false, true]
        );
        assert_eq!(
            [budget.unaccounted(), budget.unaccounted()],
            [BTreeMap::from([("a".to_owned(), 10)]), BTreeMap::new()]
        );
        let shared = CharacterBudget::new(Some(10));
        shared.reserve(8);
        assert_eq!(
            [(3, true), (2, true), (5, false), (1, true)].map(|(characters, again)| match again {
                true => shared.take_again("a", characters),
                false => shared.take("a", characters),
            }),
            [false, true, true, false]
        );
        assert!(shared.take("a", 3) && !shared.take("a", 1));
        let unbounded = CharacterBudget::default();
        assert!(unbounded.take("a", 7) && unbounded.take("b", 8) && unbounded.take("a", 0));
        assert_eq!(
            unbounded.unaccounted(),
            BTreeMap::from([("a".to_owned(), 7), ("b".to_owned(), 8)])
        );
    }

    #[test]
    fn parts_of_a_budget_take_no_more_than_the_whole_and_give_back_what_they_set_aside() {
        let whole = Arc::new(CharacterBudget::new(Some(10)));
        let part = |most| CharacterBudget::part(most, Some(Arc::clone(&whole)));
        let one = part(None);
        let other = part(Some(8));
        assert!(one.reserve(6) && !other.reserve(5) && other.reserve(4));
        assert!(one.take("a", 6) && !one.take_again("a", 1) && other.take("b", 3));
        assert_eq!(whole.left(), Some(0));
        drop(other);
        assert_eq!(
            (whole.left(), one.take_again("a", 1), one.take("a", 1)),
            (Some(1), true, false)
        );
    }
}
