//! Derived rows of the state: what the next build need not do again, and the texts for lists.

use std::sync::Arc;

use crate::model::SiteId;
use crate::state::{CacheChange, LastBuild, State, TextChange};

/// Derived rows of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) enum DerivedRows {
    /// The rows stay as they are.
    #[default]
    Unchanged,
    /// The rows of this run; a missing row makes the next build do everything.
    Replaced {
        /// Fingerprint of all inputs, with the report.
        last_build: Option<LastBuild>,
        /// Facts about pages.
        cache: Option<Box<CacheChange>>,
        /// Texts of the pages.
        texts: Option<Arc<TextChange>>,
    },
}

impl DerivedRows {
    /// Keeps the rows. Without those that could not be kept, the next build does everything, which is right at any time.
    pub(in crate::run) fn keep(self, state: &State, site: &SiteId) {
        let Self::Replaced {
            last_build,
            cache,
            texts,
        } = self
        else {
            return;
        };
        // Texts go first: the next build does not read the texts of cached pages.
        let texts = texts.map(|texts| state.keep_site_texts(site, &texts));
        let cache = cache.filter(|_| matches!(texts, Some(Ok(()))));
        let _ = state.keep_last_build(site, last_build.as_ref());
        let _ = state.keep_cached_pages(site, cache.as_deref());
    }
}
