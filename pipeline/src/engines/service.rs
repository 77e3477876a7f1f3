//! Engines behind HTTP: what the configuration says of one, and what there is to know of each kind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::{ApiKey, Engine, EngineError, Secret};

/// A service that is asked over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpService {
    /// Its address; without one, the vendor's own.
    pub url: Option<Url>,
    /// What it knows us by.
    pub key: ApiKey,
    /// Whether it may lie in a private network.
    pub allow_private: bool,
    /// What else is set, by name: those of the options of its kind.
    pub options: BTreeMap<&'static str, String>,
    /// Settings of its requests, for kinds that take them.
    pub settings: Box<RequestSettings>,
}

/// Request settings of a service; unset ones default to the engine's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSettings {
    /// Timeout of a request.
    pub timeout: Option<Duration>,
    /// Requests at the same time.
    pub parallel: Option<usize>,
    /// Texts in one request.
    pub batch: Option<usize>,
    /// Maximum number of reviewed translations that go with a text as examples.
    pub examples: usize,
    /// Members that are added to each request body; `false` omits one of Latimer's.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Query string of the address.
    pub query: Option<String>,
    /// The owner's instructions for a language model.
    pub instructions: Option<String>,
    /// The header that has the key.
    pub auth: KeyHeader,
    /// A file with further headers, a line each.
    pub headers_file: Option<PathBuf>,
    /// True to send texts without context.
    pub without_context: bool,
}

/// The header in which a service wants its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`.
    #[default]
    Bearer,
    /// `api-key: …`, as Azure OpenAI has it.
    ApiKey,
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
    /// True if a table may contain [`RequestSettings`].
    pub takes_settings: bool,
    /// True if its engine takes context, unless a table turns it off.
    pub takes_context: bool,
    /// What else a table may set.
    pub options: &'static [ServiceOption],
    /// Starts it; it is asked when the first text arrives.
    pub(super) start: fn(&HttpService) -> Result<Arc<dyn Engine>, EngineError>,
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

impl HttpService {
    /// The lines of its file of headers.
    pub(super) fn headers(&self) -> Result<Vec<(String, Secret)>, EngineError> {
        let Some(file) = &self.settings.headers_file else {
            return Ok(Vec::new());
        };
        let absent = |why: String| {
            EngineError::Absent(format!(
                "the headers of {} cannot be used: {why}",
                file.display()
            ))
        };
        let text = std::fs::read_to_string(file).map_err(|error| absent(error.to_string()))?;
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let header = |(index, line): (usize, &str)| match line.split_once(':') {
            Some((name, value)) => {
                Ok((name.trim().to_ascii_lowercase(), Secret::new(value.trim())))
            }
            None => Err(absent(format!("line {} has no colon", index + 1))),
        };
        lines.map(header).collect()
    }

    /// What an option is set to.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }
}

impl ServiceOption {
    /// A text that may be missing.
    pub(super) const fn text(name: &'static str) -> Self {
        Self {
            name,
            words: &[],
            needed: None,
        }
    }
}

/// Names are given once.
impl PartialEq for ServiceKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ServiceKind {}
