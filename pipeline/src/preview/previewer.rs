//! What makes previews: its settings, its engines, and how it fetches pages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use crate::config::{Config, PreviewConfig};
use crate::engines::Engine;
use crate::net::{FetchOptions, Fetcher};
use crate::state::State;
use crate::translate::Meter;

/// The largest page that is previewed.
const MAX_PAGE_BYTES: usize = 5 << 20;
/// How long the first line of an answer may take, and one try as a whole: somebody waits for it, and others wait for the
/// place.
const FIRST_BYTE: Duration = Duration::from_secs(10);
const TOTAL: Duration = Duration::from_secs(20);

/// Makes previews.
pub struct Previewer {
    pub(super) settings: RwLock<Arc<PreviewConfig>>,
    /// How pages that belong to no site are fetched.
    pub fetch: FetchOptions,
    /// Fetches them; made once, because reading the trusted certificates takes long.
    pub(super) usual: OnceLock<Fetcher>,
    pub(super) state: Option<Arc<State>>,
    /// Engines that were started, by name.
    pub(super) engines: Mutex<BTreeMap<String, Arc<dyn Engine>>>,
    pub(super) meter: Meter,
}

impl Previewer {
    /// Makes previews as `[preview]` says; `state` has the memories of the sites.
    pub fn new(config: &Config, state: Option<Arc<State>>) -> Self {
        let fetch = FetchOptions {
            max_page_bytes: MAX_PAGE_BYTES,
            allow_private: config.preview.allow_private,
            retries: 1,
            first_byte_timeout: FIRST_BYTE,
            total_timeout: TOTAL,
            max_retry_after: FIRST_BYTE,
            ..FetchOptions::default()
        };
        let settings = RwLock::new(Arc::new(config.preview.clone()));
        let engines = Mutex::default();
        let meter = Meter::default();
        Self {
            settings,
            fetch,
            usual: OnceLock::new(),
            state,
            engines,
            meter,
        }
    }

    /// The same, counting what engines are asked with others.
    #[must_use]
    pub fn metered(self, meter: Meter) -> Self {
        Self { meter, ..self }
    }

    /// Makes previews by another configuration from now on; whether private networks are open stays.
    pub fn adopt(&self, config: &Config) {
        *self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(config.preview.clone());
        // An engine of the same name may be another one now.
        self.engines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    pub(super) fn settings(&self) -> Arc<PreviewConfig> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }
}
