//! What engines answer, made durable as it comes: translations in the memory, and answers to parts of texts that have none
//! yet, so that a run that is killed has paid in vain for nothing but what was in flight.
//!
//! A database that fails ends the writing; [`Keeper::finish`] says so.

use std::sync::{Arc, mpsc as channel};

use futures::FutureExt as _;
use tokio::sync::oneshot;

use super::new_rows::NewRows;
use crate::model::{Locale, SegmentKey, SiteId};
use crate::page::CodedText;
use crate::run::clock::month;
use crate::run::error::BuildError;
use crate::state::{Spent, State, StateError};
use crate::translate::{
    AskKey, CharacterBudget, Keep, RefusedSegment, Remembered, SavedAnswer, SegmentOutcome,
};

/// Translations that become durable together at most. What came while the last ones were written is written next, so only engines
/// that are faster than the disk come near to so many; each transaction writes upper pages of a large memory's tree anew.
const BATCH: usize = 4096;

/// Writes what engines answer to the database, on a thread of its own while they go on.
pub(in crate::run) struct Keeper {
    sender: channel::Sender<MemoryWrite>,
    thread: tokio::task::JoinHandle<Result<(), StateError>>,
}

/// A text with its key.
type KeyedText<'t> = (SegmentKey, &'t CodedText);

/// What is to be written.
enum MemoryWrite {
    /// A translation, or that there is none to be had.
    Words(SegmentKey, Remembered),
    /// Answers to parts of texts that have no translation yet, and who waits until everything so far is durable.
    Answers(Vec<(AskKey, SavedAnswer)>, oneshot::Sender<()>),
    /// The locale is done. Whether an earlier run has left answers to parts of its texts.
    Done(bool),
}

impl Keeper {
    /// `new_rows` gets what was kept, to be written to the object store.
    pub(in crate::run) fn start(
        state: Arc<State>,
        (site, locale, payer): (SiteId, Locale, Option<String>),
        budget: Arc<CharacterBudget>,
        new_rows: Arc<NewRows>,
    ) -> Self {
        let (sender, receiver) = channel::channel::<MemoryWrite>();
        let thread = tokio::task::spawn_blocking(move || {
            let mut left = false;
            let spend = |engines| Spent {
                site: Some(&site),
                locale: Some(&locale),
                subject: payer.as_deref(),
                month: month(),
                engines,
            };
            while let Ok(first) = receiver.recv() {
                let mut words = Vec::new();
                let mut answers = Vec::new();
                let mut waiting = Vec::new();
                let mut end = None;
                for note in std::iter::once(first).chain(receiver.try_iter().take(BATCH)) {
                    match note {
                        MemoryWrite::Words(key, remembered) => words.push((key, remembered)),
                        MemoryWrite::Answers(parts, done) => {
                            answers.extend(parts);
                            waiting.push(done);
                        }
                        MemoryWrite::Done(was_left) => end = Some(was_left),
                    }
                }
                // What was sent is written down also where nothing worth keeping came back.
                let sent = budget.unaccounted();
                if !words.is_empty() {
                    // Those that lie together are put together.
                    words.sort_by_key(|(key, _)| *key);
                    new_rows.put(state.remember_paid(&site, &locale, words, &spend(sent))?);
                } else if !sent.is_empty() {
                    state.spend(&spend(sent))?;
                }
                if !answers.is_empty() {
                    left = true;
                    state.keep_answers(&site, &locale, &answers)?;
                }
                for done in waiting {
                    // Nobody waits any more when the run was stopped.
                    let _ = done.send(());
                }
                if let Some(was_left) = end {
                    return if left || was_left {
                        state.forget_answers(&site, &locale)
                    } else {
                        Ok(())
                    };
                }
            }
            let more = budget.unaccounted();
            if more.is_empty() {
                Ok(())
            } else {
                state.spend(&spend(more))
            }
        });
        Self { sender, thread }
    }

    /// Keeps answers to parts of texts; each is durable when what this gives has ended.
    pub(in crate::run) fn keeps(&self) -> Arc<Keep> {
        let sender = self.sender.clone();
        Arc::new(move |answers| {
            let (done, kept) = oneshot::channel();
            // The receiver ends early only with an error, which `finish` gives.
            let _ = sender.send(MemoryWrite::Answers(answers, done));
            kept.map(|_| ()).boxed()
        })
    }

    /// Keeps a translation, or that there is none to be had from these engines.
    pub(in crate::run) fn keep(
        &self,
        text: KeyedText<'_>,
        outcome: &SegmentOutcome,
        route: &str,
        terms: Option<String>,
    ) {
        match outcome {
            SegmentOutcome::Translated {
                text: words,
                engine,
            } => self.keep_translation(text, words, engine, terms),
            SegmentOutcome::Refused(RefusedSegment {
                partly,
                reasons,
                lasting: true,
                ..
            }) => {
                let source = text.1.to_markup();
                let refused = Some(reasons.to_string());
                let words = partly
                    .as_ref()
                    .map(CodedText::to_markup)
                    .unwrap_or_default();
                self.send(
                    text,
                    Remembered {
                        text: words,
                        engine: route.into(),
                        source,
                        refused,
                        terms,
                    },
                );
            }
            SegmentOutcome::Refused(_)
            | SegmentOutcome::Untouched
            | SegmentOutcome::Unavailable => {}
        }
    }

    pub(in crate::run) fn keep_translation(
        &self,
        text: KeyedText<'_>,
        words: &CodedText,
        engine: &str,
        terms: Option<String>,
    ) {
        let words = words.to_markup();
        let engine = engine.to_owned();
        let source = text.1.to_markup();
        self.send(
            text,
            Remembered {
                text: words,
                engine,
                source,
                refused: None,
                terms,
            },
        );
    }

    fn send(&self, (key, _): KeyedText<'_>, remembered: Remembered) {
        // The receiver ends early only with an error, which `finish` gives.
        let _ = self.sender.send(MemoryWrite::Words(key, remembered));
    }

    /// Waits until what was kept so far is durable. Engines may be faster than a disk, and what waits for it is in memory.
    ///
    /// Nothing becomes durable any more where this gives `false`; [`finish`](Self::finish) says why.
    pub(in crate::run) async fn catch_up(&self) -> bool {
        let (done, kept) = oneshot::channel();
        self.sender
            .send(MemoryWrite::Answers(Vec::new(), done))
            .is_ok()
            && kept.await.is_ok()
    }

    /// Waits until all is written; answers to parts of texts have served their purpose then.
    pub(in crate::run) async fn finish(self, has_left: bool) -> Result<(), BuildError> {
        let _ = self.sender.send(MemoryWrite::Done(has_left));
        self.thread
            .await
            .map_err(|error| BuildError::Broken(error.to_string()))??;
        Ok(())
    }
}
