//! One round of asking: texts become asks, equal asks are sent once, asks become batches, answers become texts.
//!
//! One file: one round, from texts to answers.

mod judge;
mod probe;

use std::collections::BTreeSet;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};

use super::super::Tally;
use super::super::answer::{tidy, verdict};
use super::super::fallback::{Fallback, FallbackPlan, Glossed, plan};
use super::batches::batches;
use super::call::{EngineLine, characters};
use super::failed::{Failed, FallbackTranslation};
use super::failure::{FailureReason, Reasons, TextFailure};
use super::outcome::{Cost, SegmentOutcome};
use super::parts::TextParts;
use super::shared::SharedAsks;
use super::wanted::PageSet;
use super::whole::{Fixed, put_back, whole};
use crate::engines::{
    Ask, AskError, EngineAnswer, EngineError, EnginePlace, Markup, TranslationUnit,
};
use crate::page::CodedText;

/// How a text was asked.
enum AskSheet {
    /// As it is, codes included: the ask at this index, and the words for codes that stand for terms.
    Whole(usize, Fixed),
    /// Taken apart: the asks of the plan in order.
    Apart(FallbackPlan, Vec<usize>),
}

/// What is to be asked for a text.
enum Asking {
    Sheet(AskSheet),
    /// Nothing is left to ask for; this is the text then.
    Nothing(Result<CodedText, String>),
}

struct RoundEntry {
    index: usize,
    fallback: Fallback,
    reasons: Reasons,
    alone: bool,
    passing: bool,
    unanswered: bool,
    kept: Option<FallbackTranslation>,
    sheet: AskSheet,
    missing: usize,
    /// Whether its translation was reported.
    is_done: bool,
}

impl RoundEntry {
    /// What it is made of.
    fn asks(&self) -> &[usize] {
        match &self.sheet {
            AskSheet::Whole(ask, _) => std::slice::from_ref(ask),
            AskSheet::Apart(_, asks) => asks,
        }
    }
}

/// What a round waits for.
enum RoundEvent {
    /// The answers to a batch of asks.
    Answered(
        Vec<usize>,
        Result<Vec<Result<EngineAnswer, AskError>>, EngineError>,
    ),
    /// The answers before are durable.
    Kept,
}

/// One round over some texts.
pub(super) struct Round<'a> {
    line: &'a EngineLine<'a>,
    /// Whether the engine has answered to the texts before.
    again: bool,
    size: usize,
    parallel: usize,
    /// Whether each text is asked by itself, for the second time.
    alone: bool,
    entries: Vec<RoundEntry>,
    asks: Vec<Ask>,
    /// Pages of the first text for which each ask is made.
    pages: Vec<PageSet>,
    /// For each ask, the entries that wait for it.
    waiting: Vec<Vec<usize>>,
    answers: Vec<Option<Result<EngineAnswer, TextFailure>>>,
    failed: Vec<Failed>,
    untouched: Vec<usize>,
    /// Texts that cannot be asked again, with the translations they have.
    settled: Vec<(usize, FallbackTranslation)>,
}

impl<'a> Round<'a> {
    /// Prepares texts for batches as large and as many at a time as the engine takes.
    pub(super) fn together(line: &'a EngineLine<'a>, open: Vec<Failed>) -> Self {
        let caps = line.caps();
        Self::new(
            line,
            open,
            (caps.max_items.max(1), caps.parallel.max(1)),
            false,
        )
    }

    /// Prepares texts to be asked one after the other, so that none suffers from another.
    pub(super) fn alone(line: &'a EngineLine<'a>, open: Vec<Failed>) -> Self {
        Self::new(line, open, (1, 1), true)
    }

    fn new(
        line: &'a EngineLine<'a>,
        open: Vec<Failed>,
        (size, parallel): (usize, usize),
        alone: bool,
    ) -> Self {
        let mut round = Self {
            line,
            again: line.texts.parts.is_some_and(TextParts::ask_again)
                || open.iter().any(|text| text.again.is_some()),
            size,
            parallel,
            alone,
            entries: Vec::new(),
            asks: Vec::new(),
            pages: Vec::new(),
            waiting: Vec::new(),
            answers: Vec::new(),
            failed: Vec::new(),
            untouched: Vec::new(),
            settled: Vec::new(),
        };
        let mut known = SharedAsks::default();
        for text in open {
            round.enter(text, &mut known);
        }
        round.answers = round
            .asks
            .iter()
            .map(|ask| line.known(ask, alone).map(Ok))
            .collect();
        round
    }

    fn enter(&mut self, text: Failed, known: &mut SharedAsks) {
        let Some(segment) = self.line.texts.segments.get(text.index) else {
            return;
        };
        let lowered = self.line.lowered(segment);
        let segment = lowered.as_ref().unwrap_or(segment);
        let caps = self.line.caps();
        let fallback = text.again.unwrap_or_else(|| Fallback::first(segment, caps));
        let terms = self.line.terms;
        let translates = self.line.engine.translates();
        // Services read the words around a value, and are checked.
        let values = match caps.place {
            EnginePlace::Remote => None,
            EnginePlace::InProcess | EnginePlace::LocalProcess => {
                Some((self.line.manner, self.line.pair))
            }
        };
        let glossed = Glossed {
            terms,
            forced: text.kept.is_some(),
            translates,
            values,
        };
        // An answer that depends on the texts of one page must not serve another page.
        let is_of_pages = self.line.engine.reads_together();
        let pages = if is_of_pages {
            self.line.texts.pages_of(text.index)
        } else {
            PageSet::default()
        };
        let sheet = match caps.markup {
            Markup::Codes if fallback != Fallback::Apart => {
                whole(segment, caps, glossed).map(|(ask, words)| {
                    if glossed.is_fixed(ask.text.text()) {
                        return Asking::Nothing(put_back(&ask.text, &words));
                    }
                    Asking::Sheet(AskSheet::Whole(
                        known.whole(&mut self.asks, pages, ask),
                        words,
                    ))
                })
            }
            Markup::Codes | Markup::Links | Markup::None => {
                plan(segment, fallback, self.line.pair.from, caps, glossed).map(|plan| {
                    let shared = plan
                        .asks
                        .iter()
                        .map(|asked| known.apart(&mut self.asks, pages, (asked, segment)));
                    let asks: Vec<usize> = shared.collect();
                    match asks.is_empty() {
                        true => Asking::Nothing(plan.assemble(&[], terms)),
                        false => Asking::Sheet(AskSheet::Apart(plan, asks)),
                    }
                })
            }
        };
        match (sheet, text.kept) {
            (Ok(Asking::Sheet(sheet)), kept) => self.wait(Failed { kept, ..text }, fallback, sheet),
            // Nothing but terms: they are the translation.
            (Ok(Asking::Nothing(Ok(words))), Some(mut kept)) => {
                let words = tidy(&segment.text, &words);
                if verdict(segment, &words, self.line.expects()).is_ok() {
                    kept.text = words;
                }
                self.settled.push((text.index, kept));
            }
            (Ok(Asking::Nothing(Err(_))) | Err(_), Some(kept)) => {
                self.settled.push((text.index, kept))
            }
            (Ok(Asking::Nothing(_)), None) => self.untouched.push(text.index),
            (Err(reason), None) => self.fail(
                Failed {
                    again: None,
                    kept: None,
                    ..text
                },
                FailureReason::Said(reason),
            ),
        }
    }

    fn wait(&mut self, text: Failed, fallback: Fallback, sheet: AskSheet) {
        // Context and examples may be why an answer was refused.
        if !self.alone {
            self.add_context(text.index);
        }
        self.waiting.resize(self.asks.len(), Vec::new());
        self.pages
            .resize(self.asks.len(), self.line.texts.pages_of(text.index));
        let mut entry = RoundEntry {
            index: text.index,
            fallback,
            reasons: text.reasons,
            alone: text.alone,
            passing: text.passing,
            unanswered: text.unanswered,
            kept: text.kept,
            sheet,
            missing: 0,
            is_done: false,
        };
        let mut needed = entry.asks().to_vec();
        needed.sort_unstable();
        needed.dedup();
        entry.missing = needed.len();
        for ask in needed {
            self.waiting[ask].push(self.entries.len());
        }
        self.entries.push(entry);
    }

    /// Adds context and examples to the new asks of a text, for engines that take them.
    fn add_context(&mut self, index: usize) {
        let line = self.line;
        let context = line
            .texts
            .context_of(index)
            .filter(|_| line.engine.takes_context());
        for ask in self.asks.iter_mut().skip(self.pages.len()) {
            ask.context.clone_from(&context);
            if !self.again {
                ask.examples = line
                    .examples
                    .similar_to(&ask.text, line.engine.max_examples());
            }
        }
    }

    /// Asks everything; gives what failed.
    pub(super) async fn run(
        mut self,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
        tally: &mut Tally,
    ) -> Vec<Failed> {
        for index in std::mem::take(&mut self.untouched) {
            done(index, SegmentOutcome::Untouched);
        }
        for (index, kept) in std::mem::take(&mut self.settled) {
            self.translated(index, kept, done, tally);
        }
        for ask in 0..self.asks.len() {
            if self.answers.get(ask).is_some_and(Option::is_some) {
                self.answered(ask, done, tally);
            }
        }
        let mut batches = self.batches().into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            // The place of a batch becomes free when its answers are durable: no more is ever paid for in vain.
            while running.len() < self.parallel {
                let Some(batch) = batches.next() else { break };
                running.push(self.send(batch));
            }
            match running.next().await {
                Some(RoundEvent::Answered(batch, result)) => {
                    let open = self.take(&batch, result, done, tally);
                    running.extend(self.keep(&open));
                }
                Some(RoundEvent::Kept) => {}
                None => break,
            }
        }
        tally.sent(self.line.name, self.line.sent());
        self.failed
    }

    fn send(&self, batch: Vec<usize>) -> BoxFuture<'a, RoundEvent> {
        let asks: Vec<Ask> = batch.iter().map(|&ask| self.asks[ask].clone()).collect();
        let line = self.line;
        let characters = characters(&asks);
        let is_affordable = || {
            if self.again {
                line.budget.take_again(line.name, characters)
            } else {
                line.budget.take(line.name, characters)
            }
        };
        let is_paid = line.is_closed() || is_affordable();
        let answered = async move {
            let spent = || EngineError::Quota("what this run may send is used up".into());
            RoundEvent::Answered(
                batch,
                if is_paid {
                    line.call(&asks).await
                } else {
                    Err(spent())
                },
            )
        };
        answered.boxed()
    }

    /// Makes durable what was answered, these asks by themselves because no translation holds their answers.
    fn keep(&self, open: &[usize]) -> Option<BoxFuture<'a, RoundEvent>> {
        let answer = |&ask: &usize| match self.answers.get(ask) {
            Some(Some(Ok(done))) => Some((self.asks.get(ask)?, done)),
            Some(Some(Err(_)) | None) | None => None,
        };
        let kept = self.line.keep(open.iter().filter_map(answer), self.alone)?;
        Some(kept.map(|()| RoundEvent::Kept).boxed())
    }

    /// What asking would cost, and the texts that this engine does not take.
    pub(super) fn cost(self) -> (Cost, BTreeSet<usize>, Vec<Failed>) {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let is_open = |ask: &usize| self.answers.get(*ask).is_none_or(Option::is_none);
        let whole = |entry: &RoundEntry| {
            self.line
                .texts
                .parts
                .map_or(entry.index, |parts| parts.whole(entry.index))
        };
        let open: Vec<&Ask> = self
            .asks
            .iter()
            .enumerate()
            .filter_map(|(index, ask)| is_open(&index).then_some(ask))
            .collect();
        let asked = self
            .entries
            .iter()
            .filter(|entry| entry.asks().iter().any(is_open));
        let asked: BTreeSet<usize> = asked.map(whole).collect();
        let cost = Cost {
            engine: self.line.name.to_owned(),
            texts: asked.len(),
            requests: count(self.batches().len()),
            characters: open.iter().map(|ask| count(ask.characters())).sum(),
        };
        (cost, asked, self.failed)
    }

    /// Indices of the texts of which this engine would be asked nothing, and the texts that it does not take.
    pub(super) fn untouched(self) -> (Vec<usize>, Vec<Failed>) {
        (self.untouched, self.failed)
    }

    /// Asks without an answer, in batches. Engines with sentence units get them by length, which determines their
    /// speed.
    fn batches(&self) -> Vec<Vec<usize>> {
        let open = (0..self.asks.len()).filter(|&ask| self.answers[ask].is_none());
        let length: &dyn Fn(usize) -> usize = &|ask| self.asks[ask].text.text().len();
        let length = if self.line.caps().unit == TranslationUnit::Sentence {
            Some(length)
        } else {
            None
        };
        let pages = if self.line.engine.reads_together() {
            Some(self.pages.as_slice())
        } else {
            None
        };
        batches(open.collect(), self.size, pages, length)
    }

    /// Takes the answers to a batch; gives the asks that belong to texts without a translation.
    fn take(
        &mut self,
        batch: &[usize],
        result: Result<Vec<Result<EngineAnswer, AskError>>, EngineError>,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
        tally: &mut Tally,
    ) -> Vec<usize> {
        let refused = |error: AskError| match error {
            AskError::Declined(reason) => TextFailure::Declined(reason),
            AskError::Unanswered(reason) => TextFailure::Unanswered(FailureReason::Said(reason)),
            AskError::Failed(error) => TextFailure::Unanswered(FailureReason::Failed(error)),
            AskError::Answer(_) | AskError::Refused(_) => TextFailure::answer(error.to_string()),
        };
        let answers: Vec<Result<EngineAnswer, TextFailure>> = match result {
            Ok(answers) => answers
                .into_iter()
                .map(|answer| answer.map_err(refused))
                .collect(),
            Err(error) => batch
                .iter()
                .map(|_| Err(TextFailure::Request(FailureReason::Failed(error.clone()))))
                .collect(),
        };
        let mut waited = Vec::with_capacity(batch.len());
        for (&ask, answer) in batch.iter().zip(answers) {
            self.answers[ask] = Some(answer);
            waited.push((ask, self.answered(ask, done, tally)));
        }
        // A part is no translation that could be remembered.
        let is_part = |entry: &RoundEntry| {
            self.line
                .texts
                .parts
                .is_some_and(|parts| parts.is_part(entry.index))
        };
        let is_open = |entry: &usize| {
            self.entries
                .get(*entry)
                .is_some_and(|entry| !entry.is_done || is_part(entry))
        };
        waited
            .into_iter()
            .filter(|(_, entries)| entries.iter().any(is_open))
            .map(|(ask, _)| ask)
            .collect()
    }

    /// Tells the texts that wait for an ask that its answer is there; gives them.
    fn answered(
        &mut self,
        ask: usize,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
        tally: &mut Tally,
    ) -> Vec<usize> {
        let entries = self
            .waiting
            .get_mut(ask)
            .map(std::mem::take)
            .unwrap_or_default();
        for &entry in &entries {
            self.entries[entry].missing -= 1;
            if self.entries[entry].missing == 0 {
                self.finish(entry, done, tally);
            }
        }
        entries
    }

    fn finish(
        &mut self,
        entry: usize,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
        tally: &mut Tally,
    ) {
        let index = self.entries[entry].index;
        let judged = self.judge(entry);
        if let Err(TextFailure::Answer(_)) = &judged {
            self.line.counts.refused();
        }
        let kept = self.entries[entry].kept.take();
        match (judged, kept) {
            (Ok(text), kept) => {
                let translation = FallbackTranslation {
                    text,
                    step: self.step(&self.entries[entry]),
                };
                if kept.is_none() && self.may_force(index, &translation.text) {
                    let RoundEntry {
                        fallback,
                        alone,
                        passing,
                        unanswered,
                        ..
                    } = self.entries[entry];
                    let reasons = std::mem::take(&mut self.entries[entry].reasons);
                    let again = Some(fallback);
                    self.failed.push(Failed {
                        index,
                        reasons,
                        again,
                        alone,
                        passing,
                        unanswered,
                        kept: Some(translation),
                    });
                } else {
                    self.entries[entry].is_done = true;
                    self.translated(index, translation, done, tally);
                }
            }
            (Err(_), Some(kept)) => {
                self.entries[entry].is_done = true;
                self.translated(index, kept, done, tally);
            }
            (Err(failure), None) => {
                let again = self.again(&self.entries[entry], &failure);
                let entry = &mut self.entries[entry];
                // On the same fallback it can only be asked again alone.
                let alone = again == Some(entry.fallback);
                let again = again.filter(|_| !(alone && entry.alone));
                let reasons = std::mem::take(&mut entry.reasons);
                let unanswered = entry.unanswered
                    || matches!(
                        failure,
                        TextFailure::Unanswered(_) | TextFailure::Request(_)
                    );
                let is_moody = !self.line.caps().deterministic && !failure.comes_again();
                let passing = entry.passing || unanswered || is_moody;
                let failed = Failed {
                    index,
                    reasons,
                    again,
                    alone,
                    passing,
                    unanswered,
                    kept: None,
                };
                self.fail(failed, failure.into_reason());
            }
        }
    }

    fn translated(
        &self,
        index: usize,
        FallbackTranslation { text, step }: FallbackTranslation,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
        tally: &mut Tally,
    ) {
        tally.steps.count(step);
        done(
            index,
            SegmentOutcome::Translated {
                text,
                engine: self.line.fingerprint.clone(),
            },
        );
    }

    /// Notes a failure; a reason of the same engine replaces its earlier one, other engines' reasons stay.
    fn fail(&mut self, mut failed: Failed, reason: FailureReason) {
        failed.reasons.note(self.line.name, reason);
        self.failed.push(failed);
    }
}
