//! Options, stores and progress reports of a build.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::config::KEPT_DEPLOYMENTS;
use crate::model::{Locale, PageSelection, RunId};
use crate::run::error::BuildError;
use crate::run::memo::key::KeyInputs;
use crate::state::{Stage, State, StateError};
use crate::store::{Objects, Warm};
use crate::threads::on_thread;
use crate::translate::{Check, Meter};

/// Coarsest resolution of a file system's clock.
pub const SETTLING: Duration = Duration::from_secs(2);

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Locales that may use engines; empty means all. The others use only reviewed translations and the memory, so links
    /// between locales stay right.
    pub locales: Vec<Locale>,
    /// Neither fetches nor translates: renders what is there.
    pub offline: bool,
    /// Fails if a text needs an engine.
    pub frozen: bool,
    /// Sends texts to engines again, even if the memory has their translation.
    pub force: bool,
    /// Ignores all fingerprints of the last build.
    pub rebuild: bool,
    /// Keeps published search indexes even if they are outdated; a later build must update them.
    pub defers_search: bool,
    /// Maximum number of characters for engines. A build that needs more fails before it sends anything.
    pub max_characters: Option<u64>,
    /// Continues if a file of translations cannot be read: its locale keeps its last words, and no engine is asked for it.
    /// Otherwise, the build fails.
    pub keeps_words: bool,
    /// Publishes even if no text is translated: a language was switched, and pages must not link to it wrongly.
    pub must_publish: bool,
    /// Pages that may change. Other pages keep their published version or stay absent.
    pub pages: PageSelection,
    /// Pages worked on at the same time.
    pub jobs: NonZeroUsize,
    /// Deployments that are kept.
    pub keep_deployments: usize,
    /// Comparison of the source with the last accepted one.
    pub trust: Trust,
    /// Age below which a file is read again even if its metadata is unchanged, because file system clocks are coarse.
    pub settling: Duration,
    /// Size limits.
    pub limits: BuildLimits,
    /// Inputs of the keys that let a build skip work.
    pub inputs: KeyInputs,
    /// Knowledge of the store from earlier builds of this process. If it is enabled, builds do not sweep; the caller runs
    /// [`super::sweep`] when idle.
    pub warm: Warm,
    /// Counter of engine requests.
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
            keeps_words: false,
            must_publish: false,
            pages: PageSelection::default(),
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
/// Texts without a term of the glossary that a report names for each locale. The limit is higher because the owner chose the
/// terms.
pub const MOST_TERMS: usize = 1_000;

/// Size limits of a build. Tests lower them to reach both sides with small sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// Number of texts up to which all fixed-size rows are in memory. A longer list keeps an eighth of that there, and the rest
    /// in a temporary file.
    pub texts_in_memory: usize,
    /// Texts that a report names for each check and locale; of those that lack a term, [`terms`](Self::terms).
    pub warnings: usize,
    /// Texts without a term of the glossary that a report names for each locale.
    pub terms: usize,
    /// Number of files fetched in one crawl from which on the build records their metadata. Below it, the next build reads them
    /// again.
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

    /// Texts that the state keeps for a check in a locale. It is twice the reported number: when pages change, enough warnings
    /// remain, and no other page must be read.
    pub(super) fn kept_warnings(&self, check: Check) -> usize {
        2 * self.warned(check)
    }
}

/// Trust in the crawled source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// The guard holds back large losses and floods of new pages.
    #[default]
    Judged,
    /// As `Judged`, but accepts the findings of one run.
    Accepted {
        /// The run that found its source suspect.
        run: RunId,
        /// The run that accepts it: this one.
        by: RunId,
    },
    /// Accepts any source, because a person checks the result.
    Always,
}

/// Stores of a build.
#[derive(Clone, Debug)]
pub struct Stores {
    /// Pages.
    pub objects: Objects,
    /// Facts.
    pub state: Arc<State>,
}

impl Stores {
    /// Runs a call of the state on the threads that may wait for the disk.
    pub(crate) async fn with_state<T: Send + 'static>(
        &self,
        call: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, BuildError> {
        let state = Arc::clone(&self.state);
        let done = on_thread(move || call(&state)).await;
        Ok(done.map_err(|error| BuildError::Broken(error.to_string()))??)
    }
}

/// Progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildStep<'a> {
    /// The part of the work.
    pub stage: Stage,
    /// The locale, if the stage handles locales one by one.
    pub locale: Option<&'a Locale>,
    /// How many things of this stage and locale are done.
    pub done: usize,
    /// Total number, if known; it can grow.
    pub total: Option<usize>,
}

/// Receives the progress of a build.
pub type BuildProgress<'a> = dyn Fn(&BuildStep<'_>) + Send + Sync + 'a;
