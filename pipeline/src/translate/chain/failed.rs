//! Texts of a round without a translation yet, and the state of each.

use super::super::fallback::Fallback;
use super::super::tally::CodeStep;
use super::failure::Reasons;
use crate::page::CodedText;

/// A text that has no translation yet.
pub(super) struct Failed {
    pub(super) index: usize,
    /// Failure reasons of the engines so far.
    pub(super) reasons: Reasons,
    /// Fallback for a retry with the same engine; `None` if a retry is pointless.
    pub(super) again: Option<Fallback>,
    /// True if the text is, or was, to be asked for alone.
    pub(super) alone: bool,
    /// True if a failure may be transient: the engine was unreachable, or its answers vary.
    pub(super) passing: bool,
    /// True if some request got no answer at all.
    pub(super) unanswered: bool,
    /// A translation that lacks terms; the text is asked again with all of them in place.
    pub(super) kept: Option<FallbackTranslation>,
}

/// A translation to fall back to.
pub(super) struct FallbackTranslation {
    pub(super) text: CodedText,
    pub(super) step: Option<CodeStep>,
}

impl Failed {
    /// A text that no engine was asked for yet.
    pub(super) fn new(index: usize) -> Self {
        let reasons = Reasons::default();
        Self {
            index,
            reasons,
            again: None,
            alone: false,
            passing: false,
            unanswered: false,
            kept: None,
        }
    }
}
