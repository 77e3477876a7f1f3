//! Letters that stand one by one are left out of what is found (R-W3).

use super::PageWalk;
use crate::find::keeps::{Keeps, KeptPlace};
use crate::find::unit::UnitPlace;

impl PageWalk<'_> {
    /// Leaves out what is a drawing of letters.
    pub(super) fn leave_letters(&mut self) {
        let drawn = self.letters.take();
        if drawn.is_empty() {
            return;
        }
        self.found.has_letters = true;
        let mut number = 0;
        let kept = &mut self.kept;
        let parts = &self.found.parts;
        self.found.units.retain(|unit| {
            let is_drawn = drawn.binary_search(&number).is_ok();
            number += 1;
            if let (true, Some(kept), UnitPlace::Line(_)) = (is_drawn, kept.as_mut(), unit.place) {
                mark(kept, unit.start(parts));
            }
            !is_drawn
        });
    }
}

/// Says of a text that was passed over that it is such a letter.
fn mark(kept: &mut [KeptPlace], start: usize) {
    let is_there =
        |place: &&mut KeptPlace| place.range.contains(&start) && place.keeps == Keeps::Letterless;
    if let Some(place) = kept.iter_mut().find(is_there) {
        place.keeps = Keeps::Letters;
    }
}
