//! Translation: reviewed texts first, then the memory, then an engine.
//!
//! [`Engine`] is the one trait of Latimer: a set that others extend. Adapters stay thin (encode, call, decode, map
//! errors); what every engine needs is layered around them once, in [`Chain`]. Whatever an engine returns is text:
//! it is checked by [`crate::page::check`] and never becomes markup. [`settle`] is the one table that says whose
//! words win.

mod answer;
mod budget;
mod carry;
mod chain;
mod checks;
mod engines;
mod excerpt;
mod fallback;
mod key;
mod meter;
pub(crate) mod model_files;
mod numbers;
mod pending;
mod placeholders;
mod precedence;
mod renumber;
mod score;
mod script;
mod sentences;
mod service;
mod spec;
mod tally;
mod terms;

#[cfg(test)]
pub(crate) mod example;

pub use budget::Budget;
pub use carry::{Fate, Former, Fresh, Match, matches};
pub use chain::{Chain, Cost, Outcome};
pub use checks::{Check, Warning, warnings};
pub(crate) use excerpt::excerpt;
pub use key::{ApiKey, Secret};
pub use meter::{Meter, Reading};
pub use model_files::{ModelFiles, Proof};
pub use pending::{Answer, AskKey, Keep, Pending};
pub use precedence::{Origin, Settled, settle};
pub use renumber::Renumbered;
pub use score::{Score, chrf};
pub(crate) use script::is_dense;
pub use service::{Service, ServiceKind, ServiceOption};
pub use spec::{EngineSpec, prove, services, start};
pub use tally::{Steps, Tally, Usage};
pub use terms::{Matching, Missed, Term, Terms};

use std::borrow::Cow;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::model::Locale;
use crate::page::CodedText;

/// How an engine keeps inline codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// It takes and returns the notation of [`CodedText::to_markup`] and keeps the codes itself.
    Codes,
    /// It knows text only, and tells by [`WordLink`]s what the marked parts of it became.
    Links,
    /// It knows text only: text runs are translated apart.
    None,
}

/// How much text an engine translates well at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One sentence at a time.
    Sentence,
    /// A whole block.
    Block,
}

/// Where the text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It stays in this process.
    InProcess,
    /// A program on this machine.
    LocalProcess,
    /// A service on another machine.
    Remote,
}

/// What an engine can do and what it wants to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    /// How inline codes are kept.
    pub markup: Markup,
    /// How much text is translated well at once.
    pub unit: Unit,
    /// Most texts in one request.
    pub max_items: usize,
    /// Longest text, in characters.
    pub max_chars: usize,
    /// Requests that may run at the same time.
    pub parallel: usize,
    /// Where the text goes.
    pub place: Place,
    /// Whether the same question always gets the same answer.
    pub deterministic: bool,
    /// Whether somebody pays per character.
    pub billed: bool,
}

/// One text to translate, as an engine sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The text. Engines with [`Markup::Links`] and [`Markup::None`] get text without codes; protected content is one
    /// marker word.
    pub text: CodedText,
    /// What it stands in, such as `h1` or `img alt`.
    pub origin: Cow<'static, str>,
    /// The bytes of the text of which it must be known what they become, apart from each other and in order; only engines
    /// with [`Markup::Links`] are told any.
    pub marks: Vec<std::ops::Range<usize>>,
    /// Terms that stand in the text and what they become. Engines with [`Markup::Codes`] may be told; those with
    /// [`Markup::Links`] need no links where [`Ask::has_terms`] is content and nothing but terms is marked.
    pub terms: Vec<(String, String)>,
    /// Whether only terms are marked.
    pub marks_terms_only: bool,
}

impl Ask {
    /// Asks for a text without codes, of which nothing else is known.
    pub fn plain(text: &str) -> Self {
        let (marks, terms) = (Vec::new(), Vec::new());
        Self { text: CodedText::plain(text), origin: "p".into(), marks, terms, marks_terms_only: false }
    }

    /// Whether an answer has all the terms, as far as can be seen without looking for words.
    pub fn has_terms(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase();
        self.terms.iter().all(|(_, wanted)| answer.contains(&wanted.to_lowercase()))
    }
}

/// A request to an engine: never more than its [`Caps`] allow.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The language of the texts.
    pub source: &'a Locale,
    /// The language wanted.
    pub target: &'a Locale,
    /// The texts.
    pub asks: &'a [Ask],
    /// How long the engine may stay silent while an answer is outstanding; engines may be stricter.
    pub deadline: Duration,
}

/// Says which source words a range of target text was made from, so that markup can be put around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordLink {
    /// Bytes of the target text.
    pub target: std::ops::Range<usize>,
    /// Bytes of the source text, possibly several runs.
    pub sources: Vec<std::ops::Range<usize>>,
}

/// Whether two ranges of a text have a byte in common.
fn overlap(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// An engine's answer to one [`Ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The translation, in the same notation as the question.
    pub text: CodedText,
    /// What the words were made from, where that was asked and the engine knows it.
    pub links: Option<Vec<WordLink>>,
}

/// Why one text got no translation although others of the same request may have one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The answer is no text of our notation.
    #[error("{0}")]
    Answer(#[from] crate::page::TextError),
    /// The engine refused or lost this text.
    #[error("{0}")]
    Refused(String),
    /// The engine failed before it answered to this text.
    #[error("{0}")]
    Unanswered(String),
}

/// Why a whole request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The key is missing or wrong.
    #[error("the engine refuses our credentials: {0}")]
    Auth(String),
    /// What was paid for is used up.
    #[error("the engine's quota is used up: {0}")]
    Quota(String),
    /// Too many requests, or too busy.
    #[error("rate-limited{}", seconds(*after))]
    Limited {
        /// How long to wait, where it says so.
        after: Option<Duration>,
    },
    /// It does not take this request; a smaller one may pass.
    #[error("the engine does not take the request: {0}")]
    Rejected(String),
    /// The answer stopped before its end; that to a smaller request may not.
    #[error("the engine's answer is cut off, for it grew too long")]
    Cut,
    /// The pair of languages is not offered.
    #[error("the engine has no {source_locale} to {target_locale}; {hint}")]
    Unsupported {
        /// The language of the texts.
        source_locale: Locale,
        /// The language wanted.
        target_locale: Locale,
        /// What would make the pair available.
        hint: String,
    },
    /// The engine could not be reached or ended.
    #[error("{said}: {0}", said = Self::UNREACHED)]
    Transport(String),
    /// The answer makes no sense.
    #[error("the engine's answer makes no sense: {0}")]
    Bad(String),
    /// It is not installed, not built in, or was given up.
    #[error("{said}: {0}", said = Self::ABSENT)]
    Absent(String),
    /// No answer in time.
    #[error("no answer within {} s", .0.as_secs())]
    Deadline(Duration),
}

impl EngineError {
    /// What an engine that is not there is said to be, before the reason.
    pub const ABSENT: &str = "the engine is not available";
    /// What an engine that does not answer is said to be, before the reason.
    pub const UNREACHED: &str = "the engine cannot be reached";
}

fn seconds(after: Option<Duration>) -> String {
    after.map(|after| format!("; retry after {} s", after.as_secs())).unwrap_or_default()
}

/// Whether an engine can translate a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It can.
    Yes,
    /// It cannot; the text says what to do, naming the command that would give the pair.
    No(String),
}

/// A translation engine. Its answers must not depend on what else was asked, when, or in which batch (law 6).
#[async_trait]
pub trait Engine: Send + Sync {
    /// What it can do and what it wants to be asked.
    fn caps(&self) -> &Caps;

    /// Engine, version, model and options as one line; kept with each translation of this pair.
    fn fingerprint(&self, source: &Locale, target: &Locale) -> String;

    /// Whether it translates this pair. Cheap, and asked before every other call.
    fn offers(&self, source: &Locale, target: &Locale) -> Offer;

    /// Most bytes of the texts of one request, in the notation; larger requests are split before they are sent.
    fn max_bytes(&self) -> usize {
        usize::MAX
    }

    /// Whether it is there to translate. One that is for trying the pipeline may copy sentences and change addresses.
    fn translates(&self) -> bool {
        true
    }

    /// Translates; the answers are in the order of the questions and as many.
    ///
    /// # Errors
    /// An [`EngineError`] when the request failed as a whole; single texts fail inside the answer.
    async fn translate(&self, request: Request<'_>) -> Result<Vec<Result<Done, AskError>>, EngineError>;
}

/// A segment whose translation was refused or failed, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The source text.
    pub source: String,
    /// Why there is no translation.
    pub reason: String,
    /// Whether the same engines would give the same answers again, so that asking them again is in vain.
    pub lasting: bool,
    /// Whether each engine answered, so that it was not for want of an engine.
    pub answered: bool,
}

/// A translation that was made before and need not be paid for again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The translation, in the notation of [`CodedText::to_markup`].
    pub text: String,
    /// The fingerprint of the engine that made it.
    pub engine: String,
    /// The text it was made from, in the same notation.
    pub source: String,
    /// Why the engines' answers were refused, instead of a translation: they are not asked again in vain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Signs for what the glossary said of the terms in the text when it was made; see [`Terms::signature`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}
