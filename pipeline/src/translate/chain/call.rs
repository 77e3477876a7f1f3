//! One engine on one pair of languages: the call with its waits, and the switch that stops it for the run.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::super::{Ask, AskError, Budget, Caps, Done, Engine, EngineError, Request};
use crate::model::Locale;
use crate::page::Segment;

/// How long an engine may stay silent.
const DEADLINE: Duration = Duration::from_secs(60);
/// The longest wait that an engine may ask of us, and how often.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const WAITS: u32 = 3;

/// An engine at work on one pair.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) engine: &'a dyn Engine,
    pub(super) source: &'a Locale,
    pub(super) target: &'a Locale,
    pub(super) segments: &'a [Segment],
    pub(super) fingerprint: String,
    pub(super) budget: &'a Budget,
    /// Why nothing more is asked of this engine.
    closed: OnceLock<EngineError>,
}

impl<'a> Line<'a> {
    pub(super) fn new(
        name: &'a str,
        engine: &'a dyn Engine,
        (source, target): (&'a Locale, &'a Locale),
        segments: &'a [Segment],
        budget: &'a Budget,
    ) -> Self {
        let fingerprint = engine.fingerprint(source, target);
        Self { name, engine, source, target, segments, fingerprint, budget, closed: OnceLock::new() }
    }

    pub(super) fn caps(&self) -> &Caps {
        self.engine.caps()
    }

    /// Whether the engine is switched off for this run.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.get().is_some()
    }

    /// Asks; gives as many answers as asks or an error.
    pub(super) async fn call(&self, asks: &[Ask]) -> Result<Vec<Result<Done, AskError>>, EngineError> {
        let mut waits = 0;
        loop {
            if let Some(error) = self.closed.get() {
                return Err(error.clone());
            }
            match self.call_once(asks).await {
                Err(EngineError::Limited { after }) if waits < WAITS => {
                    waits += 1;
                    sleep(after.min(LONGEST_WAIT)).await;
                }
                Err(error) if is_final(&error) => {
                    let _ = self.closed.set(error.clone());
                    return Err(error);
                }
                other => return other,
            }
        }
    }

    async fn call_once(&self, asks: &[Ask]) -> Result<Vec<Result<Done, AskError>>, EngineError> {
        let request = Request { source: self.source, target: self.target, asks, deadline: DEADLINE };
        // Engines watch the deadline themselves; this is the net below them.
        let whole = DEADLINE * u32::try_from(asks.len() + 1).unwrap_or(u32::MAX);
        let answers =
            timeout(whole, self.engine.translate(request)).await.map_err(|_| EngineError::Deadline(whole))??;
        if answers.len() == asks.len() {
            return Ok(answers);
        }
        Err(EngineError::Bad(format!("{} answers to {} texts", answers.len(), asks.len())))
    }
}

/// Whether asking again in this run is pointless.
fn is_final(error: &EngineError) -> bool {
    match error {
        EngineError::Auth(_) | EngineError::Quota(_) | EngineError::Unsupported { .. } | EngineError::Absent(_) => true,
        EngineError::Limited { .. } | EngineError::Transport(_) | EngineError::Bad(_) | EngineError::Deadline(_) => {
            false
        }
    }
}
