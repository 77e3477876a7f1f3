//! One engine on one pair of languages: the call with its waits and new tries, and the switch that stops it for a run.
//!
//! What may pass by itself is tried again, and only with engines on other machines: on this one a failure has a reason
//! that stays. A service that says when to come back is obeyed; else pauses double. What is refused for its size, takes
//! too long or comes back as rubbish is halved until the text that is to blame stands alone. New tries that may cost
//! money again come out of the budget. An engine that fails several times in a row is given up for the run, so that a
//! dead one costs a bounded number of requests.
//!
//! One file: one call with its waits, tries and switch.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tokio::time::{sleep, timeout};

use super::super::answer::Expects;
use super::super::meter::MeterCounts;
use super::super::pending::{self, SavedAnswer};
use super::super::tally::EngineUsage;
use super::super::{AskKey, CharacterBudget, Examples, PendingAnswers, Terms};
use super::wanted::AskTexts;
use crate::engines::{
    Ask, AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, TokenUsage,
    posts,
};
use crate::model::{LanguagePair, Locale, Manner};
use crate::page::Segment;
use crate::text::PlainWords;

/// The longest pause between two tries, also where an engine asks for more.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How often a request is sent again because the engine has too much to do and says when it has less.
const WAITS: u32 = 3;
/// The same where it does not say: about a minute in all, for services that count by the minute.
const BLIND_WAITS: u32 = 5;
/// How often it is sent again because it got no answer.
const RETRIES: u32 = 2;
/// After how many failures in a row an engine is given up.
const GIVE_UP: u32 = 6;
/// Number of declined texts after which an engine that has answered nothing is given up.
const GIVE_UP_DECLINED: u32 = 12;

/// How long engines are waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnginePace {
    /// How long an engine may stay silent.
    pub(crate) deadline: Duration,
    /// The pause before the first new try; it doubles each time.
    pub(crate) pause: Duration,
}

impl Default for EnginePace {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            pause: Duration::from_secs(1),
        }
    }
}

/// How an engine does in a run, whatever it is asked for.
#[derive(Debug, Default)]
pub(super) struct EngineHealth {
    /// Why nothing more is asked of it.
    closed: OnceLock<EngineError>,
    /// Requests that failed for good since the last that went well.
    failures: AtomicU32,
    /// Number of declined texts.
    declined: AtomicU32,
    /// Whether any request went well.
    answered: AtomicBool,
}

/// An engine at work on one pair.
pub(super) struct EngineLine<'a> {
    pub(super) name: &'a str,
    pub(super) engine: &'a dyn Engine,
    pub(super) pair: LanguagePair<&'a Locale>,
    pub(super) texts: AskTexts<'a>,
    pub(super) fingerprint: String,
    pub(super) budget: &'a CharacterBudget,
    pub(super) terms: &'a Terms,
    pub(super) manner: Manner,
    pub(super) plain: &'a PlainWords,
    pub(super) examples: &'a Examples,
    pending: &'a PendingAnswers,
    pace: EnginePace,
    pub(super) counts: Arc<MeterCounts>,
    health: Arc<EngineHealth>,
    /// False to send each request once, whatever comes back.
    retries: bool,
    /// Requests since the last call of [`EngineLine::sent`], including retries.
    sent: Mutex<EngineUsage>,
}

impl<'a> EngineLine<'a> {
    pub(super) fn new(
        (name, engine): (&'a str, &'a dyn Engine),
        (pair, texts): (LanguagePair<&'a Locale>, AskTexts<'a>),
        (budget, terms, pending): (&'a CharacterBudget, &'a Terms, &'a PendingAnswers),
        (manner, plain, examples): (Manner, &'a PlainWords, &'a Examples),
        (pace, counts, health): (EnginePace, Arc<MeterCounts>, Arc<EngineHealth>),
    ) -> Self {
        Self {
            name,
            engine,
            pair,
            texts,
            fingerprint: engine.fingerprint(pair),
            budget,
            terms,
            manner,
            plain,
            examples,
            pending,
            pace,
            counts,
            health,
            retries: true,
            sent: Mutex::default(),
        }
    }

    /// The same engine, asked once for each request, whatever comes back.
    pub(super) fn without_retries(self) -> Self {
        Self {
            retries: false,
            ..self
        }
    }

    pub(super) fn caps(&self) -> &Caps {
        self.engine.caps()
    }

    /// True if translations of texts in title case get sentence case. Only English has title case.
    pub(super) fn turns_headings(&self) -> bool {
        self.pair.from.language() == "en" && !self.manner.keeps_headings
    }

    /// Text in sentence case, for engines that read it best; `None` if nothing changes.
    pub(super) fn lowered(&self, segment: &Segment) -> Option<Segment> {
        if !self.engine.reads_sentence_case() || !self.turns_headings() {
            return None;
        }
        let terms = self
            .terms
            .hits(segment.text.text())
            .into_iter()
            .map(|hit| hit.range);
        let text = self
            .plain
            .lowered(&segment.text, &terms.collect::<Vec<_>>())?;
        Some(Segment {
            text,
            ..segment.clone()
        })
    }

    /// What its answers may be.
    pub(super) fn expects(&self) -> Expects<'_> {
        let translates = self.engine.translates();
        // British and American English share most sentences.
        let other_words = translates && !self.pair.from.same_language(self.pair.to);
        Expects {
            addresses: translates,
            other_words,
            facts: Some(self.pair).filter(|_| translates),
            numbers: !self.manner.takes_other_numbers,
        }
    }

    /// What an earlier run, which was cut off, was answered to this already.
    pub(super) fn known(&self, ask: &Ask, alone: bool) -> Option<EngineAnswer> {
        let is_asked = self.is_paid() && !self.pending.is_empty();
        is_asked
            .then(|| self.pending.answer(&self.key(ask, alone)))
            .flatten()
    }

    /// Keeps answers that no translation holds yet; ends when these, and all translations before, are durable. Nothing
    /// where nobody keeps them.
    pub(super) fn keep<'b>(
        &self,
        answers: impl Iterator<Item = (&'b Ask, &'b EngineAnswer)>,
        alone: bool,
    ) -> Option<BoxFuture<'static, ()>> {
        if !self.is_paid() {
            return None;
        }
        self.pending.keep(
            answers
                .map(|(ask, done)| (self.key(ask, alone), SavedAnswer::of(done)))
                .collect(),
        )
    }

    fn key(&self, ask: &Ask, alone: bool) -> AskKey {
        pending::key(&self.fingerprint, self.caps(), self.pair, ask, alone)
    }

    /// Whether asking twice may cost more than time.
    fn is_paid(&self) -> bool {
        self.caps().place != EnginePlace::InProcess
    }

    /// Whether the engine is switched off for this run.
    pub(super) fn is_closed(&self) -> bool {
        self.health.closed.get().is_some()
    }

    /// Takes the requests since the last call, including retries.
    pub(super) fn sent(&self) -> EngineUsage {
        std::mem::take(&mut *self.sent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn count_sent(&self, sent: EngineUsage) {
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(sent);
    }

    /// Asks; gives as many answers as asks, or an error when no part of the request went well. Retries after a refusal
    /// go without context: the words around a text may be what was refused.
    pub(super) async fn call(
        &self,
        asks: &[Ask],
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let bare: OnceLock<Vec<Ask>> = OnceLock::new();
        let mut answers = Vec::with_capacity(asks.len());
        let mut waiting = self.parts(asks);
        // A single text that was declined or cut off also counts as going well: the engine works.
        let mut went_well = false;
        let mut failure = None;
        while let Some(part) = waiting.pop() {
            match self.insist(part).await {
                Ok(done) => {
                    went_well = true;
                    answers.extend(done);
                }
                Err(error) if self.is_worth_halving(part, &error) => {
                    let (first, second) =
                        without_context(asks, &bare, answers.len(), part).split_at(part.len() / 2);
                    waiting.extend([second, first]);
                }
                Err(error) if self.may_pass_without_context(part, &error) => {
                    waiting.push(without_context(asks, &bare, answers.len(), part));
                }
                Err(error) => {
                    self.count(&error);
                    went_well |= part.len() == 1
                        && matches!(error, EngineError::Declined(_) | EngineError::Cut);
                    answers.extend(part.iter().map(|_| Err(unanswered(&error, part))));
                    failure = Some(error);
                }
            }
        }
        match failure {
            Some(error) if !went_well => Err(error),
            Some(_) | None => Ok(answers),
        }
    }

    /// The asks in requests of a size that the engine takes, the first one last.
    fn parts<'b>(&self, asks: &'b [Ask]) -> Vec<&'b [Ask]> {
        let most = self.engine.max_bytes();
        let mut parts = Vec::new();
        let mut start = 0;
        let mut size = 0_usize;
        for (at, ask) in asks.iter().enumerate() {
            let more = if most == usize::MAX {
                0
            } else {
                ask.text.to_markup().len()
            };
            if at > start && size + more > most {
                parts.push(&asks[start..at]);
                (start, size) = (at, 0);
            }
            size += more;
        }
        parts.push(&asks[start..]);
        parts.reverse();
        parts
    }

    /// Asks until there is an answer or no hope for one.
    async fn insist(
        &self,
        asks: &[Ask],
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let mut tries = 0;
        loop {
            if let Some(error) = self.health.closed.get() {
                return Err(error.clone());
            }
            let error = match self.call_once(asks).await {
                Ok(answers) => {
                    self.health.failures.store(0, Ordering::Relaxed);
                    self.health.answered.store(true, Ordering::Relaxed);
                    return Ok(answers);
                }
                Err(error) => error,
            };
            if is_final(&error) {
                let _ = self.health.closed.set(error.clone());
                return Err(error);
            }
            let Some(pause) = self.pause(&error, asks, tries) else {
                // A service that is still limited after all retries is limited for the other requests, too.
                if matches!(error, EngineError::Limited { .. }) {
                    let _ = self.health.closed.set(error.clone());
                }
                return Err(error);
            };
            tries += 1;
            sleep(pause).await;
        }
    }

    async fn call_once(
        &self,
        asks: &[Ask],
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let characters = characters(asks);
        self.count_sent(EngineUsage {
            calls: 1,
            characters,
            ..EngineUsage::default()
        });
        self.counts.asked(characters);
        let began = Instant::now();
        let (answers, sent) = posts::counted(self.send(asks)).await;
        let again = sent.posts.saturating_sub(1);
        let tokens = TokenUsage {
            characters: sent.tokens.requests * characters,
            ..sent.tokens
        };
        self.count_sent(EngineUsage {
            calls: again,
            characters: again * characters,
            translated: 0,
            tokens,
        });
        if again > 0 {
            (0..again).for_each(|_| self.counts.asked(characters));
            self.budget.charge(self.name, again * characters);
        }
        self.counts.answered(began.elapsed(), answers.is_err());
        answers
    }

    async fn send(&self, asks: &[Ask]) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let deadline = self.engine.patience().unwrap_or(self.pace.deadline);
        let request = EngineRequest {
            pair: self.pair,
            asks,
            deadline,
        };
        // Engines watch the deadline themselves; this is the net below them.
        let whole = deadline * u32::try_from(asks.len() + 1).unwrap_or(u32::MAX);
        let answers = timeout(whole, self.engine.translate(request))
            .await
            .map_err(|_| EngineError::Deadline(whole))??;
        if answers.len() == asks.len() {
            return Ok(answers);
        }
        Err(EngineError::Bad(format!(
            "{} answers to {} texts",
            answers.len(),
            asks.len()
        )))
    }

    /// How long to wait before the next try; nothing where there is none.
    fn pause(&self, error: &EngineError, asks: &[Ask], tries: u32) -> Option<Duration> {
        if !self.retries {
            return None;
        }
        let is_remote = self.caps().place == EnginePlace::Remote;
        let pause = self.pace.pause;
        let (again, pause) = match error {
            EngineError::Limited { after: Some(after) } => {
                return (tries < WAITS).then_some((*after).min(LONGEST_WAIT));
            }
            EngineError::Limited { after: None } => (tries < BLIND_WAITS, pause * 2),
            EngineError::Transport(_) => {
                (is_remote && tries < RETRIES && self.affords(asks), pause)
            }
            EngineError::Deadline(_) => (
                is_remote && tries == 0 && asks.len() == 1 && self.affords(asks),
                pause,
            ),
            EngineError::Bad(_) => (is_remote && tries == 0 && self.affords(asks), pause),
            EngineError::Rejected(_)
            | EngineError::Declined(_)
            | EngineError::Cut
            | EngineError::Auth(_)
            | EngineError::Quota(_)
            | EngineError::Unsupported { .. }
            | EngineError::Absent(_) => return None,
        };
        again.then(|| {
            (pause * 2_u32.saturating_pow(tries))
                .min(LONGEST_WAIT)
                .mul_f64(spread(asks, tries))
        })
    }

    /// Whether the same texts may be sent once more; the engine may have done, and charged for, the lost try.
    fn affords(&self, asks: &[Ask]) -> bool {
        self.budget.take_again(self.name, characters(asks))
    }

    /// Whether a part of the request may go well where the whole did not.
    fn is_worth_halving(&self, asks: &[Ask], error: &EngineError) -> bool {
        self.retries
            && asks.len() > 1
            && match error {
                EngineError::Rejected(_) => {
                    self.caps().place != EnginePlace::Remote || self.affords(asks)
                }
                EngineError::Declined(_)
                | EngineError::Cut
                | EngineError::Bad(_)
                | EngineError::Deadline(_) => {
                    self.caps().place == EnginePlace::Remote && self.affords(asks)
                }
                EngineError::Limited { .. }
                | EngineError::Transport(_)
                | EngineError::Auth(_)
                | EngineError::Quota(_)
                | EngineError::Unsupported { .. }
                | EngineError::Absent(_) => false,
            }
    }

    /// True if texts that are refused with their context may pass without it.
    fn may_pass_without_context(&self, asks: &[Ask], error: &EngineError) -> bool {
        matches!(error, EngineError::Rejected(_) | EngineError::Declined(_))
            && asks.iter().any(Ask::has_context)
            && self.affords(asks)
    }

    /// Gives the engine up after too many failures in a row; a text that a working engine does not take is none.
    fn count(&self, error: &EngineError) {
        let is_declined = matches!(error, EngineError::Declined(_));
        let is_about_text = (is_declined
            || matches!(error, EngineError::Rejected(_) | EngineError::Cut))
            && self.health.answered.load(Ordering::Relaxed);
        if self.caps().place != EnginePlace::Remote || is_about_text || self.is_closed() {
            return;
        }
        let reason = if is_declined {
            let declined = self.health.declined.fetch_add(1, Ordering::Relaxed) + 1;
            if declined < GIVE_UP_DECLINED {
                return;
            }
            format!(
                "it declined {declined} texts, answered to none and is given up for this run; the last time: {error}"
            )
        } else {
            let failures = self.health.failures.fetch_add(1, Ordering::Relaxed) + 1;
            if failures < GIVE_UP {
                return;
            }
            format!(
                "it failed {failures} times in a row and is given up for this run; the last time: {error}"
            )
        };
        let _ = self.health.closed.set(EngineError::Absent(reason));
    }
}

/// Asks of the part that begins at `start`, without context; `bare` caches all of them.
fn without_context<'b>(
    asks: &[Ask],
    bare: &'b OnceLock<Vec<Ask>>,
    start: usize,
    part: &[Ask],
) -> &'b [Ask] {
    let bare = bare.get_or_init(|| asks.iter().map(Ask::without_context).collect());
    &bare[start..start + part.len()]
}

/// What an error of a request says of each of its texts while others go well.
fn unanswered(error: &EngineError, part: &[Ask]) -> AskError {
    match error {
        EngineError::Declined(_) if matches!(part, [ask] if !ask.has_context()) => {
            AskError::Declined(error.to_string())
        }
        // The text to blame is unknown, or its context may be to blame: the budget did not allow to ask again.
        EngineError::Declined(_) => AskError::Failed(error.clone()),
        EngineError::Rejected(_) | EngineError::Cut | EngineError::Unsupported { .. } => {
            AskError::Refused(error.to_string())
        }
        EngineError::Auth(_)
        | EngineError::Quota(_)
        | EngineError::Limited { .. }
        | EngineError::Transport(_)
        | EngineError::Bad(_)
        | EngineError::Absent(_)
        | EngineError::Deadline(_) => AskError::Failed(error.clone()),
    }
}

/// Characters of texts and their examples; codes are not counted.
pub(super) fn characters(asks: &[Ask]) -> u64 {
    let characters: usize = asks.iter().map(Ask::characters).sum();
    u64::try_from(characters).unwrap_or(u64::MAX)
}

/// From three quarters to one, different for each request and try, so that requests that failed together do not come
/// back together; and the same in every run.
fn spread(asks: &[Ask], tries: u32) -> f64 {
    let mut hash = blake3::Hasher::new();
    hash.update(&tries.to_le_bytes());
    for ask in asks {
        hash.update(ask.text.to_markup().as_bytes());
    }
    0.75 + f64::from(hash.finalize().as_bytes()[0]) / 1020.0
}

/// Whether asking again in this run is pointless.
fn is_final(error: &EngineError) -> bool {
    match error {
        EngineError::Auth(_)
        | EngineError::Quota(_)
        | EngineError::Unsupported { .. }
        | EngineError::Absent(_) => true,
        EngineError::Limited { .. }
        | EngineError::Rejected(_)
        | EngineError::Declined(_)
        | EngineError::Cut
        | EngineError::Transport(_)
        | EngineError::Bad(_)
        | EngineError::Deadline(_) => false,
    }
}
