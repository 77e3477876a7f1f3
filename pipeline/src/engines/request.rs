//! What engines are asked, and what they answer.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// One text to translate, as an engine sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The text. Engines with [`super::Markup::Links`] and [`super::Markup::None`] get text without codes; protected
    /// content is one marker word.
    pub text: CodedText,
    /// What it stands in, such as `h1` or `img alt`.
    pub origin: Cow<'static, str>,
    /// The bytes of the text of which it must be known what they become, apart from each other and in order; only engines
    /// with [`super::Markup::Links`] are told any.
    pub marks: Vec<std::ops::Range<usize>>,
    /// Terms that stand in the text and what they become. Engines with [`super::Markup::Codes`] may be told; those with
    /// [`super::Markup::Links`] need no links where [`Ask::has_terms`] is content and nothing but terms is marked.
    pub terms: Vec<(String, String)>,
    /// Explanations of terms in the text. Like [`Ask::context`], they are part of no key.
    pub notes: Vec<(String, String)>,
    /// Whether only terms are marked.
    pub marks_terms_only: bool,
    /// Context of the text, for engines that [take](super::Engine::takes_context) it. It is part of no key: an ask with
    /// another context is the same ask.
    pub context: Option<Arc<Context>>,
    /// Reviewed translations of similar texts, for engines that [take](super::Engine::max_examples) them. Like
    /// [`Ask::context`], they are part of no key.
    pub examples: Vec<Arc<TranslationExample>>,
}

/// A text that people translated, as an example for a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationExample {
    /// The text, without codes.
    pub source: String,
    /// The reviewed translation, without codes.
    pub translation: String,
}

impl TranslationExample {
    /// Characters of both texts.
    pub fn characters(&self) -> usize {
        self.source.chars().count() + self.translation.chars().count()
    }
}

impl Ask {
    /// Asks for a text without codes, of which nothing else is known.
    pub fn plain(text: &str) -> Self {
        Self {
            text: CodedText::plain(text),
            origin: "p".into(),
            marks: Vec::new(),
            terms: Vec::new(),
            notes: Vec::new(),
            marks_terms_only: false,
            context: None,
            examples: Vec::new(),
        }
    }

    /// The same ask without context and examples.
    #[must_use]
    pub fn without_context(&self) -> Self {
        Self {
            context: None,
            examples: Vec::new(),
            ..self.clone()
        }
    }

    /// True if context or examples go with the text.
    pub fn has_context(&self) -> bool {
        self.context.is_some() || !self.examples.is_empty()
    }

    /// Characters of the text and its examples; codes are not counted.
    pub fn characters(&self) -> usize {
        let examples: usize = self
            .examples
            .iter()
            .map(|example| example.characters())
            .sum();
        self.text.text().chars().count() + examples
    }

    /// Whether an answer has all the terms, as far as can be seen without looking for words.
    pub fn has_terms(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase();
        self.terms
            .iter()
            .all(|(_, wanted)| answer.contains(&wanted.to_lowercase()))
    }
}

/// A request to an engine: never more than its [`super::Caps`] allow.
#[derive(Clone, Copy, Debug)]
pub struct EngineRequest<'a> {
    /// The language of the texts, and the one wanted.
    pub pair: LanguagePair<&'a Locale>,
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
pub(crate) fn overlap(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// An engine's answer to one [`Ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineAnswer {
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
    /// The model or its filter declines this text, and would decline it again.
    #[error("{0}")]
    Declined(String),
    /// The engine failed before it answered to this text.
    #[error("{0}")]
    Unanswered(String),
    /// The request failed that it was part of, when others were asked again without it.
    #[error(transparent)]
    Failed(super::EngineError),
}
