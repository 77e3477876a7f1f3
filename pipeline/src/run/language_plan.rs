//! Translations of a language that are found before any engine is asked, and the engines for the rest.

use std::collections::BTreeSet;

use super::report::Changed;
use super::text_set::TextSet;
use super::translation_table::TranslationTable;
use crate::model::{Locale, SegmentKey};
use crate::translate::Chain;

/// All languages of a build, with notices.
pub(super) struct Plans {
    pub(super) plans: Vec<Plan>,
    pub(super) notices: Vec<String>,
    /// Engines that could not be started.
    pub(super) absent_engines: BTreeSet<String>,
}

/// The words of people and of the memory for a language.
pub(super) struct Plan {
    pub(super) locale: Locale,
    pub(super) settled: TranslationTable,
    /// People's words for texts that changed.
    pub(super) changed: Vec<Changed>,
    /// The texts that people translated and that are gone.
    pub(super) vanished: BTreeSet<SegmentKey>,
    /// Texts that could take the place of one.
    pub(super) heirs: TextSet,
    /// Texts whose remembered translations lack terms that the glossary did not have then: they are asked for again, and
    /// stay where that fails.
    pub(super) stale: TextSet,
    pub(super) chain: Chain,
    /// The fingerprints of the chain.
    pub(super) route: String,
    /// True if the memory file may be written; a file with broken lines is left for its owner to mend.
    pub(super) exports: bool,
    /// True if engines may be asked.
    pub(super) asks: bool,
    /// True if an engine of the locale could not be started.
    pub(super) could_not_start: bool,
}
