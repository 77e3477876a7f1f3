//! Texts of a round that have no translation yet, and what is known of each.

use super::super::fallback::Fallback;
use super::super::tally::Step;
use super::failure::Reasons;
use crate::page::CodedText;

/// A text that has no translation yet.
pub(super) struct Failed {
    pub(super) index: usize,
    /// Reasons of the engines so far.
    pub(super) reasons: Reasons,
    /// The way in which the same engine may succeed when it is asked again; `None` when that is pointless.
    pub(super) again: Option<Fallback>,
    /// True if it is, or was, to be asked alone.
    pub(super) alone: bool,
    /// True if an engine failed in a way that may pass: it could not be reached, or answers differently each time.
    pub(super) passing: bool,
    /// True if some request got no answer at all.
    pub(super) unanswered: bool,
    /// A translation that lacks terms; the text is asked again with all of them in place.
    pub(super) kept: Option<Kept>,
}

/// A translation to fall back to.
pub(super) struct Kept {
    pub(super) text: CodedText,
    pub(super) step: Option<Step>,
}

impl Failed {
    /// A text that no engine was asked for yet.
    pub(super) fn new(index: usize) -> Self {
        let reasons = Reasons::default();
        Self { index, reasons, again: None, alone: false, passing: false, unanswered: false, kept: None }
    }
}
