//! One round of asking: texts become asks, equal asks are sent once, asks become batches, answers become texts.

use std::collections::HashMap;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use super::super::answer::{tidy, verdict};
use super::super::ladder::{Plan, plan};
use super::super::{Ask, AskError, Caps, Done, EngineError, Markup, Tally, Unit};
use super::Outcome;
use super::call::Line;
use crate::page::{CodedText, Segment};

/// A text that has no translation yet.
pub(super) struct Failed {
    pub(super) index: usize,
    /// What the engines so far said; `None` when none was asked.
    pub(super) reason: Option<String>,
    /// Whether the same engine may succeed when this text is asked alone.
    pub(super) again: bool,
}

/// How a text was asked.
enum Sheet {
    /// As it is, codes included: the ask at this index.
    Whole(usize),
    /// Taken apart: the asks of the plan in order.
    Apart(Plan, Vec<usize>),
}

struct Entry {
    index: usize,
    reason: Option<String>,
    sheet: Sheet,
    missing: usize,
}

type Answer = Result<Done, (String, bool)>;

/// One round over some texts.
pub(super) struct Round<'a> {
    line: &'a Line<'a>,
    size: usize,
    parallel: usize,
    entries: Vec<Entry>,
    asks: Vec<Ask>,
    /// For each ask, the entries that wait for it.
    waiting: Vec<Vec<usize>>,
    answers: Vec<Option<Answer>>,
    failed: Vec<Failed>,
    untouched: Vec<usize>,
}

impl<'a> Round<'a> {
    /// Prepares texts for batches as large and as many at a time as the engine takes.
    pub(super) fn together(line: &'a Line<'a>, open: Vec<Failed>) -> Self {
        let caps = line.caps();
        Self::new(line, open, caps.max_items.max(1), caps.parallel.max(1))
    }

    /// Prepares texts to be asked one after the other, so that none suffers from another.
    pub(super) fn alone(line: &'a Line<'a>, open: Vec<Failed>) -> Self {
        Self::new(line, open, 1, 1)
    }

    fn new(line: &'a Line<'a>, open: Vec<Failed>, size: usize, parallel: usize) -> Self {
        let mut round = Self {
            line,
            size,
            parallel,
            entries: Vec::new(),
            asks: Vec::new(),
            waiting: Vec::new(),
            answers: Vec::new(),
            failed: Vec::new(),
            untouched: Vec::new(),
        };
        let mut known = HashMap::new();
        for text in open {
            round.enter(text, &mut known);
        }
        round.answers = round.asks.iter().map(|_| None).collect();
        round
    }

    fn enter(&mut self, text: Failed, known: &mut HashMap<String, usize>) {
        let Some(segment) = self.line.segments.get(text.index) else { return };
        let caps = self.line.caps();
        let sheet = match caps.markup {
            Markup::Codes => whole(segment, caps).map(|ask| {
                self.asks.push(ask);
                Sheet::Whole(self.asks.len() - 1)
            }),
            Markup::None => plan(segment, self.line.source, caps).map(|plan| {
                let asks = plan.asks.iter().map(|ask| self.share(ask, segment, known)).collect();
                Sheet::Apart(plan, asks)
            }),
        };
        match sheet {
            Ok(Sheet::Apart(_, asks)) if asks.is_empty() => self.untouched.push(text.index),
            Ok(sheet) => self.wait(text, sheet),
            Err(reason) => self.fail(text.index, text.reason, &reason, false),
        }
    }

    /// The index of an ask; equal texts are asked once.
    fn share(&mut self, text: &str, segment: &Segment, known: &mut HashMap<String, usize>) -> usize {
        *known.entry(text.to_owned()).or_insert_with(|| {
            self.asks.push(Ask { text: CodedText::plain(text), origin: segment.origin.clone() });
            self.asks.len() - 1
        })
    }

    fn wait(&mut self, text: Failed, sheet: Sheet) {
        self.waiting.resize(self.asks.len(), Vec::new());
        let mut needed = match &sheet {
            Sheet::Whole(ask) => vec![*ask],
            Sheet::Apart(_, asks) => asks.clone(),
        };
        needed.sort_unstable();
        needed.dedup();
        let entry = self.entries.len();
        for ask in &needed {
            self.waiting[*ask].push(entry);
        }
        self.entries.push(Entry { index: text.index, reason: text.reason, sheet, missing: needed.len() });
    }

    /// Asks everything; gives what failed.
    pub(super) async fn run(mut self, done: &mut (dyn FnMut(usize, Outcome) + Send), tally: &mut Tally) -> Vec<Failed> {
        for index in std::mem::take(&mut self.untouched) {
            tally.untouched += 1;
            done(index, Outcome::Untouched);
        }
        let mut batches = self.batches().into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < self.parallel {
                let Some(batch) = batches.next() else { break };
                let asks: Vec<Ask> = batch.iter().map(|&ask| self.asks[ask].clone()).collect();
                if !self.line.is_closed() {
                    tally.sent(self.line.name, asks.iter().map(|ask| ask.text.text().chars().count()).sum());
                }
                let line = self.line;
                running.push(async move { (batch, line.call(&asks).await) });
            }
            let Some((batch, result)) = running.next().await else { break };
            self.take(&batch, result, done, tally);
        }
        self.failed
    }

    /// Asks in batches; engines that take sentences get them sorted by length, which is what their speed hangs on.
    fn batches(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.asks.len()).collect();
        if self.line.caps().unit == Unit::Sentence {
            order.sort_by_key(|&ask| (self.asks[ask].text.text().len(), ask));
        }
        order.chunks(self.size).map(<[usize]>::to_vec).collect()
    }

    fn take(
        &mut self,
        batch: &[usize],
        result: Result<Vec<Result<Done, AskError>>, EngineError>,
        done: &mut (dyn FnMut(usize, Outcome) + Send),
        tally: &mut Tally,
    ) {
        let moody = !self.line.caps().deterministic;
        let answers: Vec<Answer> = match result {
            Ok(answers) => {
                answers.into_iter().map(|answer| answer.map_err(|error| (error.to_string(), moody))).collect()
            }
            Err(error) => {
                let again = !self.line.is_closed();
                batch.iter().map(|_| Err((error.to_string(), again))).collect()
            }
        };
        for (&ask, answer) in batch.iter().zip(answers) {
            self.answers[ask] = Some(answer);
            for entry in std::mem::take(&mut self.waiting[ask]) {
                self.entries[entry].missing -= 1;
                if self.entries[entry].missing == 0 {
                    self.finish(entry, done, tally);
                }
            }
        }
    }

    fn finish(&mut self, entry: usize, done: &mut (dyn FnMut(usize, Outcome) + Send), tally: &mut Tally) {
        let index = self.entries[entry].index;
        match self.judge(entry) {
            Ok(text) => {
                tally.translated(self.line.name);
                done(index, Outcome::Translated { text, engine: self.line.fingerprint.clone() });
            }
            Err((reason, again)) => {
                let before = self.entries[entry].reason.take();
                self.fail(index, before, &reason, again);
            }
        }
    }

    /// Puts the answers of one text together and checks the result.
    fn judge(&self, entry: usize) -> Result<CodedText, (String, bool)> {
        let entry = &self.entries[entry];
        let Some(segment) = self.line.segments.get(entry.index) else { return Err((String::new(), false)) };
        let moody = !self.line.caps().deterministic;
        let answer = match &entry.sheet {
            Sheet::Whole(ask) => self.answer(*ask)?.text.clone(),
            Sheet::Apart(plan, asks) => {
                let answers = asks.iter().map(|&ask| self.answer(ask)).collect::<Result<Vec<_>, _>>()?;
                plan.assemble(&answers).map_err(|reason| (reason, moody))?
            }
        };
        let text = tidy(&segment.text, answer);
        verdict(segment, &text).map_err(|reason| (reason, moody))?;
        Ok(text)
    }

    fn answer(&self, ask: usize) -> Result<&Done, (String, bool)> {
        match self.answers.get(ask) {
            Some(Some(Ok(done))) => Ok(done),
            Some(Some(Err(error))) => Err(error.clone()),
            Some(None) | None => Err(("the engine gave no answer".into(), true)),
        }
    }

    /// Notes a failure; a reason of the same engine replaces its earlier one, other engines' reasons stay.
    fn fail(&mut self, index: usize, before: Option<String>, reason: &str, again: bool) {
        let own = format!("{}: {reason}", self.line.name);
        let others = before.unwrap_or_default();
        let mut reasons: Vec<&str> = others
            .split(SEPARATOR)
            .filter(|other| !other.is_empty() && !other.starts_with(&format!("{}: ", self.line.name)))
            .collect();
        reasons.push(&own);
        self.failed.push(Failed { index, reason: Some(reasons.join(SEPARATOR)), again });
    }
}

/// Stands between the reasons of several engines.
const SEPARATOR: &str = "; then ";

/// The ask of a text that goes with its codes.
fn whole(segment: &Segment, caps: &Caps) -> Result<Ask, String> {
    let length = segment.text.text().chars().count();
    if length > caps.max_chars {
        return Err(format!("{length} characters are more than the engine takes"));
    }
    Ok(Ask { text: segment.text.clone(), origin: segment.origin.clone() })
}
