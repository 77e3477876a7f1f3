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

pub use budget::Budget;
pub use carry::{Fate, Former, Fresh, Heirs, Match, matches};
#[cfg(test)]
pub(crate) use chain::Pace;
pub use chain::{
    Chain, Cost, Costs, Outcome, PageSet, Probe, ProbeAnswer, Reason, Reasons, Refusal, Wanted,
};
pub use checks::{Check, Checks, Warning, warnings};
pub use examples::Examples;
pub use manner::BY_RULES;
pub use meter::{Meter, Reading};
pub(crate) use outline::{Above, Neighbours, Outline, Rank, contexts_of_page};
pub use pending::{Answer, AskKey, Keep, Pending};
pub use precedence::{NotTaken, Origin, RefusedWords, ResolvedText, settle};
pub use remembered::Remembered;
pub use renumber::Renumbered;
pub use tally::{Steps, Tally, Usage};
pub use terms::{Matching, Missed, Term, Terms};
