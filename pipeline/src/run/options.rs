//! What a build is told: what to do, where to keep what it makes, and who hears how far it is.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::key::KeyInputs;
use crate::config::KEPT_DEPLOYMENTS;
use crate::model::{Locale, RunId, Selection};
use crate::state::{Stage, State};
use crate::store::{Objects, Warm};
use crate::translate::{Check, Meter};

/// As long as the clocks of file systems are coarse at most.
pub const SETTLING: Duration = Duration::from_secs(2);

/// What a build is asked to do.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Locales for which engines may be asked; empty means all. The others are made of what people and the memory
    /// have, so that every reference between locales stays right.
    pub locales: Vec<Locale>,
    /// Neither fetches nor translates: renders what is there.
    pub offline: bool,
    /// Fails rather than translate anything.
    pub frozen: bool,
    /// Translates anew what the memory holds from engines.
    pub force: bool,
    /// Does everything, also where nothing changed since the last build.
    pub rebuild: bool,
    /// Keeps published search indexes even if they are outdated; a later build must update them.
    pub defers_search: bool,
    /// Most characters that may be sent to engines; more is refused before anything is sent.
    pub max_characters: Option<u64>,
    /// Publishes also where no text at all is translated: a switch was turned, and pages must not name it wrongly.
    pub must_publish: bool,
    /// The pages that may change; the others stay as they are, absent ones too.
    pub pages: Selection,
    /// Pages worked on at the same time.
    pub jobs: NonZeroUsize,
    /// Deployments that are kept.
    pub keep_deployments: usize,
    /// Whether the source is held against the last accepted one.
    pub trust: Trust,
    /// As long as this after a change a file is read again whatever the disk says of it, because its clock is coarse.
    pub settling: Duration,
    /// Size limits.
    pub limits: BuildLimits,
    /// Inputs of the keys by which a build passes over things.
    pub inputs: KeyInputs,
    /// What this process knows of the store from builds before. Where it keeps that, what nobody names is not swept: [`super::sweep`]
    /// does, when nothing else is to be done.
    pub warm: Warm,
    /// Counts what engines are asked.
    pub meter: Meter,
}

impl Default for BuildOptions {
    /// A build of all pages and locales that skips what did not change.
    fn default() -> Self {
        Self {
            locales: Vec::new(),
            offline: false,
            frozen: false,
            force: false,
            rebuild: false,
            defers_search: false,
            max_characters: None,
            must_publish: false,
            pages: Selection::default(),
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            keep_deployments: KEPT_DEPLOYMENTS,
            trust: Trust::Judged,
            settling: SETTLING,
            limits: BuildLimits::default(),
            inputs: KeyInputs::default(),
            warm: Warm::default(),
            meter: Meter::default(),
        }
    }
}

impl BuildOptions {
    /// True if engines may be asked for a locale.
    pub(super) fn is_for(&self, locale: &Locale) -> bool {
        self.locales.is_empty() || self.locales.contains(locale)
    }
}

/// Texts that a report names for each check and locale.
pub const MOST_WARNED: usize = 100;
/// Texts without a term of the glossary that a report names for each locale: somebody decided about terms.
pub const MOST_TERMS: usize = 1_000;

/// Size limits of a build. Tests lower them to reach both sides with small sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// Texts of which memory holds the rows of fixed size; the rows of more texts go to a temporary file.
    pub texts_in_memory: usize,
    /// Texts that a report names for each check and locale; of those that lack a term, [`terms`](Self::terms).
    pub warnings: usize,
    /// Texts without a term of the glossary that a report names for each locale.
    pub terms: usize,
    /// Fetched files in one crawl from which on the build notes what the disk says of them; the next build reads fewer ones again.
    pub noted_at_once: usize,
    /// Upper bound of the words that all pages of a language share for the live script, in bytes; above it, they share none.
    pub shared_words: u64,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            texts_in_memory: 650_000,
            warnings: MOST_WARNED,
            terms: MOST_TERMS,
            noted_at_once: 100,
            shared_words: 256 << 10,
        }
    }
}

impl BuildLimits {
    /// Texts that a report names for a check in a locale.
    pub(super) fn warned(&self, check: Check) -> usize {
        if check == Check::Term {
            self.terms
        } else {
            self.warnings
        }
    }

    /// Texts that the state keeps for a check in a locale. Pages change on which they stand; while enough are left, no other page
    /// has to be read for its warnings.
    pub(super) fn kept_warnings(&self, check: Check) -> usize {
        2 * self.warned(check)
    }
}

/// How far what the source says is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Too large a loss, or a flood of pages, is held back.
    #[default]
    Judged,
    /// The same, but what a run saw is accepted.
    Accepted {
        /// The run that found its source suspect.
        run: RunId,
        /// The run that accepts it: this one.
        by: RunId,
    },
    /// Whatever it says, because somebody looks at the result.
    Always,
}

/// Where a build keeps what it makes.
#[derive(Clone, Debug)]
pub struct Stores {
    /// Pages.
    pub objects: Objects,
    /// Facts.
    pub state: Arc<State>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The part of the work.
    pub stage: Stage,
    /// The locale, where a stage goes through one after the other.
    pub locale: Option<&'a Locale>,
    /// How many things of this stage and locale are done.
    pub done: usize,
    /// How many there are, where that is known; it may still grow.
    pub total: Option<usize>,
}

/// Receives how far a build is.
pub type Progress<'a> = dyn Fn(&Step<'_>) + Send + Sync + 'a;
