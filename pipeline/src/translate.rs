//! Translation: reviewed texts first, then the memory, then an engine.
//!
//! Engines ([`crate::engines`]) are thin; what every one of them needs is layered around them once, in [`Chain`]. Whatever
//! an engine returns is text: it is checked by [`crate::page::check`] and never becomes markup. [`settle`] is the one table
//! that says whose words win.

mod answer;
mod budget;
mod carry;
mod chain;
mod checks;
mod examples;
mod fallback;
mod fold;
mod habits;
mod manner;
mod meter;
mod outline;
mod pending;
mod precedence;
mod remembered;
mod renumber;
mod talk;
mod tally;
mod terms;
mod untranslated;
mod word_cuts;

#[cfg(test)]
pub(crate) mod example;
#[cfg(test)]
mod people_tests;

pub use budget::CharacterBudget;
pub use carry::{FormerText, Fresh, Heirs, Match, TranslationFate, matches};
#[cfg(test)]
pub(crate) use chain::EnginePace;
pub use chain::{
    Chain, Cost, Costs, FailureReason, PageSet, Probe, ProbeAnswer, Reasons, RefusedSegment,
    SegmentOutcome, WantedTexts,
};
pub use checks::{Check, CheckWarning, Checks, warnings};
pub use examples::Examples;
pub use manner::BY_RULES;
pub use meter::{Meter, MeterReading};
pub(crate) use outline::{Above, Neighbours, Outline, OutlineRank, contexts_of_page};
pub use pending::{AskKey, Keep, PendingAnswers, SavedAnswer};
pub use precedence::{NotTaken, RefusedWords, ResolvedText, TranslationOrigin, settle};
pub use remembered::Remembered;
pub use renumber::Renumbered;
pub use tally::{EngineUsage, Steps, Tally};
pub use terms::{Matching, Missed, Term, Terms};
