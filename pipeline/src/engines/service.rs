//! Engines behind HTTP: what the configuration says of one, and what there is to know of each kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use url::Url;

use super::{ApiKey, Engine, EngineError};

/// A service that is asked over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its address; without one, the vendor's own.
    pub url: Option<Url>,
    /// What it knows us by.
    pub key: ApiKey,
    /// Whether it may lie in a private network.
    pub allow_private: bool,
    /// What else is set, by name: those of the options of its kind.
    pub options: BTreeMap<&'static str, String>,
}

/// A kind of service: all that the configuration has to know of it, and what starts it.
#[derive(Debug)]
pub struct ServiceKind {
    /// Its name, as `kind` says it.
    pub name: &'static str,
    /// An address, where a table must give one; the others have one of their own.
    pub address: Option<&'static str>,
    /// Whether it takes a key.
    pub takes_key: bool,
    /// What else a table may set.
    pub options: &'static [ServiceOption],
    /// Starts it; it is asked when the first text arrives.
    pub(super) start: fn(&Service) -> Result<Arc<dyn Engine>, EngineError>,
}

/// A setting of its own that a kind of service has.
#[derive(Debug)]
pub struct ServiceOption {
    /// The key in the table.
    pub name: &'static str,
    /// The words that it may be; any text where there are none.
    pub words: &'static [&'static str],
    /// What to add where it is missing; it may be missing where this is.
    pub needed: Option<&'static str>,
}

impl Service {
    /// What an option is set to.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }
}

impl ServiceOption {
    /// A text that may be missing.
    pub(super) const fn text(name: &'static str) -> Self {
        Self { name, words: &[], needed: None }
    }
}

/// Names are given once.
impl PartialEq for ServiceKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ServiceKind {}
