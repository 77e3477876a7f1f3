//! Translations of a language that are found before any engine is asked, and the engines for the rest.

use std::collections::BTreeSet;

use super::translation_table::TranslationTable;
use crate::model::{Locale, SegmentKey};
use crate::run::corpus::text_set::TextSet;
use crate::run::report::build_report::ChangedTranslation;
use crate::translate::Chain;

/// All languages of a build, with notices.
pub(in crate::run) struct Plans {
    pub(in crate::run) plans: Vec<LanguageWords>,
    pub(in crate::run) notices: Vec<String>,
    /// Engines that could not be started.
    pub(in crate::run) absent_engines: BTreeSet<String>,
}

/// The words of people and of the memory for a language.
pub(in crate::run) struct LanguageWords {
    pub(in crate::run) locale: Locale,
    pub(in crate::run) settled: TranslationTable,
    /// People's words for texts that changed.
    pub(in crate::run) changed: Vec<ChangedTranslation>,
    /// The texts that people translated and that are gone.
    pub(in crate::run) vanished: BTreeSet<SegmentKey>,
    /// Texts that could take the place of one.
    pub(super) heirs: TextSet,
    /// Texts for which a person's words wait.
    pub(super) to_review: TextSet,
    /// Texts whose remembered translations lack terms that the glossary did not have then: they are asked for again, and
    /// stay where that fails.
    pub(in crate::run) stale: TextSet,
    pub(in crate::run) chain: Chain,
    /// The fingerprints of the chain.
    pub(in crate::run) route: String,
    /// True if the memory file may be written; a file with broken lines is left for its owner to mend.
    pub(super) exports: bool,
    /// True if engines may be asked.
    pub(in crate::run) asks: bool,
    /// True if an engine of the locale could not be started.
    pub(super) could_not_start: bool,
}
