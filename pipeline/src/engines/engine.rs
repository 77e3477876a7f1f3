//! What an engine is: what it can do, and what it is asked.

use std::time::Duration;

use async_trait::async_trait;

use super::error::EngineError;
use super::request::{AskError, EngineAnswer, EngineRequest};
use super::request_form::RequestForm;
use crate::model::{LanguagePair, Locale};

/// Words of a text that an engine does not know, in order; or the reason why it cannot tell.
pub type UnknownWords = Result<Vec<String>, AskError>;

/// How an engine keeps inline codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// It takes and returns the notation of [`crate::page::CodedText::to_markup`] and keeps the codes itself.
    Codes,
    /// It knows text only, and tells by [`super::WordLink`]s what the marked parts of it became.
    Links,
    /// It knows text only: text runs are translated apart.
    None,
}

/// How much text an engine translates well at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslationUnit {
    /// One sentence at a time.
    Sentence,
    /// A whole block.
    Block,
}

/// Where the text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePlace {
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
    pub unit: TranslationUnit,
    /// Most texts in one request.
    pub max_items: usize,
    /// Longest text, in characters.
    pub max_chars: usize,
    /// Requests that may run at the same time.
    pub parallel: usize,
    /// Where the text goes.
    pub place: EnginePlace,
    /// Whether the same question always gets the same answer.
    pub deterministic: bool,
    /// Whether somebody pays per character.
    pub billed: bool,
}

#[cfg(test)]
impl Caps {
    /// Capabilities of a test engine that returns word links.
    pub(crate) const LINKS: Self = Self {
        markup: Markup::Links,
        unit: TranslationUnit::Block,
        max_items: 8,
        max_chars: 100,
        parallel: 1,
        place: EnginePlace::InProcess,
        deterministic: true,
        billed: false,
    };
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
    fn fingerprint(&self, pair: LanguagePair<&Locale>) -> String;

    /// `kind` in a configuration, the key of its benchmark figures; empty for engines without figures.
    fn kind(&self) -> &'static str {
        ""
    }

    /// Whether it translates this pair. Cheap, and asked before every other call. Yes, unless an engine says
    /// otherwise: most services tell only when they are asked to translate.
    fn offers(&self, _pair: LanguagePair<&Locale>) -> Offer {
        Offer::Yes
    }

    /// Names what is missing here without which it translates no pair at all, such as models or its program.
    fn lack(&self) -> Option<String> {
        None
    }

    /// Most bytes of the texts of one request, in the notation; larger requests are split before they are sent.
    fn max_bytes(&self) -> usize {
        usize::MAX
    }

    /// True if the answer to a text depends on the other texts of its request, as that of a language model does. The
    /// chain then sends no texts of different pages in one request.
    fn reads_together(&self) -> bool {
        false
    }

    /// True if headings are best sent in sentence case. Rule-based engines take capitals for names (R-H2).
    fn reads_sentence_case(&self) -> bool {
        false
    }

    /// True if it reads [`Ask::context`](super::Ask::context). Such an engine must also read texts together, so that
    /// words of one page are never context for another.
    fn takes_context(&self) -> bool {
        false
    }

    /// Maximum number of [examples](super::Ask::examples) that it takes with a text.
    fn max_examples(&self) -> usize {
        0
    }

    /// For each text, the words that the engine does not know and leaves untranslated, in order; empty for engines that
    /// cannot tell.
    ///
    /// # Errors
    /// An [`EngineError`] when the request failed as a whole.
    async fn unknown_words(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<UnknownWords>, EngineError> {
        Ok(vec![Ok(Vec::new()); request.asks.len()])
    }

    /// Whether it is there to translate. One that is for trying the pipeline may copy sentences and change addresses.
    fn translates(&self) -> bool {
        true
    }

    /// Timeout of a request, for an engine that sets it itself; `None` leaves it to the caller.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Request form that the service accepted last, for engines that adapt it.
    fn form(&self) -> Option<RequestForm> {
        None
    }

    /// Takes the notices about settings that the service refused; each is returned once.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Translates; the answers are in the order of the questions and as many.
    ///
    /// # Errors
    /// An [`EngineError`] when the request failed as a whole; single texts fail inside the answer.
    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError>;
}
