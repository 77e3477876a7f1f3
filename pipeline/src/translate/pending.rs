//! Answers to parts of texts that have no translation yet.
//!
//! An engine without inline codes of its own gets a text in parts, and a part that it answers badly again, in another
//! way. Until the last answer is there, the text has no translation that could be remembered, and the answers so far are
//! paid for all the same. So they are kept one by one ([`PendingAnswers`]), and a run that comes after one that was killed asks
//! only for the others. They are worth nothing once the locale is done, whatever became of its texts.
//!
//! An answer is known by all that it depends on: the engine's fingerprint, the languages, what was asked, and whether it
//! was asked alone, because an engine with moods may answer differently then.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::engines::{Ask, Caps, EngineAnswer, Markup, WordLink};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// The name of what was asked: the hash of all that the answer depends on.
pub type AskKey = [u8; 16];

/// Bytes of the answer, and those of the text that they were made from.
type StoredLink = (Range<usize>, Vec<Range<usize>>);

/// An answer as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedAnswer {
    /// The words, in the notation of texts.
    text: String,
    /// Which words became which, where the engine told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    links: Option<Vec<StoredLink>>,
}

/// Makes durable what it is given and all that was reported as done before; ends when that has happened.
pub type Keep = dyn Fn(Vec<(AskKey, SavedAnswer)>) -> BoxFuture<'static, ()> + Send + Sync;

/// The answers that are known, and who keeps new ones.
#[derive(Clone, Default)]
pub struct PendingAnswers {
    known: Arc<HashMap<AskKey, SavedAnswer>>,
    keep: Option<Arc<Keep>>,
}

impl PendingAnswers {
    /// What an earlier run left.
    pub fn known(known: HashMap<AskKey, SavedAnswer>) -> Self {
        Self {
            known: Arc::new(known),
            keep: None,
        }
    }

    /// The same, with somebody who keeps new answers.
    pub fn kept_by(self, keep: Arc<Keep>) -> Self {
        Self {
            keep: Some(keep),
            ..self
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The known answer to what is asked.
    pub(super) fn answer(&self, key: &AskKey) -> Option<EngineAnswer> {
        self.known.get(key).and_then(SavedAnswer::read)
    }

    /// Keeps answers; nothing where nobody does that.
    pub(super) fn keep(
        &self,
        answers: Vec<(AskKey, SavedAnswer)>,
    ) -> Option<BoxFuture<'static, ()>> {
        self.keep.as_ref().map(|keep| keep(answers))
    }
}

impl fmt::Debug for PendingAnswers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pending")
            .field("known", &self.known.len())
            .finish_non_exhaustive()
    }
}

impl SavedAnswer {
    pub(super) fn of(done: &EngineAnswer) -> Self {
        let link = |link: &WordLink| (link.target.clone(), link.sources.clone());
        Self {
            text: done.text.to_markup(),
            links: done
                .links
                .as_ref()
                .map(|links| links.iter().map(link).collect()),
        }
    }

    fn read(&self) -> Option<EngineAnswer> {
        let link = |(target, sources): &StoredLink| WordLink {
            target: target.clone(),
            sources: sources.clone(),
        };
        let text = CodedText::from_markup(&self.text).ok()?;
        Some(EngineAnswer {
            text,
            links: self
                .links
                .as_ref()
                .map(|links| links.iter().map(link).collect()),
        })
    }
}

/// The name of what an engine is asked.
pub(super) fn key(
    fingerprint: &str,
    caps: &Caps,
    pair: LanguagePair<&Locale>,
    ask: &Ask,
    alone: bool,
) -> AskKey {
    let mut hash = blake3::Hasher::new();
    let mut part = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    part(fingerprint);
    part(pair.from.as_str());
    part(pair.to.as_str());
    part(if alone { "alone" } else { "together" });
    // Engines that get text only get it once for all places in which it stands.
    part(if caps.markup == Markup::Codes {
        &ask.origin
    } else {
        ""
    });
    part(&ask.text.to_markup());
    part(&format!(
        "{:?} {:?} {}",
        ask.marks, ask.terms, ask.marks_terms_only
    ));
    let mut key = AskKey::default();
    key.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    key
}
