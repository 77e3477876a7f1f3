//! The judgement of a text: its answers put together, checked, or asked for in another way.

use super::super::super::answer::{tidy, verdict};
use super::super::super::fallback::{Fallback, Glossed};
use super::super::super::habits::with_habits;
use super::super::super::talk::without_talk;
use super::super::super::tally::CodeStep;
use super::super::failure::{FailureReason, TextFailure};
use super::super::whole::put_back;
use super::{AskSheet, Round, RoundEntry};
use crate::engines::EngineAnswer;
use crate::page::{CodedText, TextPiece};

impl Round<'_> {
    /// Puts the answers of one text together and checks the result.
    pub(super) fn judge(&self, entry: usize) -> Result<CodedText, TextFailure> {
        let entry = &self.entries[entry];
        let segment = self
            .line
            .texts
            .segments
            .get(entry.index)
            .ok_or_else(|| TextFailure::answer("it is gone".into()))?;
        let answer = self.assembled(entry)?;
        let translates = self.line.engine.translates();
        let answer = if translates {
            without_talk(&segment.text, answer, self.line.pair)
        } else {
            answer
        };
        let text = tidy(&segment.text, &answer);
        verdict(segment, &text, self.line.expects()).map_err(TextFailure::Answer)?;
        if !translates {
            return Ok(text);
        }
        let text = with_habits(&segment.text, text, self.line.pair, self.line.manner);
        let source = segment.text.text();
        // Terms keep the capitals of the glossary.
        let has_term = self
            .line
            .terms
            .hits(source)
            .iter()
            .any(|hit| !text.text().contains(&source[hit.range.clone()]));
        if !self.line.turns_headings() || has_term {
            return Ok(text);
        }
        Ok(self
            .line
            .plain
            .in_sentence_case(source, text, self.line.pair.to))
    }

    /// The answers of one text put together.
    pub(super) fn assembled(&self, entry: &RoundEntry) -> Result<CodedText, TextFailure> {
        match &entry.sheet {
            AskSheet::Whole(ask, words) => {
                put_back(&self.answer(*ask)?.text, words).map_err(TextFailure::answer)
            }
            AskSheet::Apart(plan, asks) => {
                let answers = asks
                    .iter()
                    .map(|&ask| self.answer(ask))
                    .collect::<Result<Vec<_>, _>>()?;
                plan.assemble(&answers, self.line.terms)
                    .map_err(TextFailure::answer)
            }
        }
    }

    fn answer(&self, ask: usize) -> Result<&EngineAnswer, TextFailure> {
        match self.answers.get(ask) {
            Some(Some(answer)) => answer.as_ref().map_err(Clone::clone),
            Some(None) | None => Err(TextFailure::Request(FailureReason::Said(
                "the engine gave no answer".into(),
            ))),
        }
    }

    /// True if a translation lacks a term that asking with the terms in place would give it.
    pub(super) fn may_force(&self, index: usize, text: &CodedText) -> bool {
        let terms = self.line.terms;
        let Some(segment) = self
            .line
            .texts
            .segments
            .get(index)
            .filter(|_| !terms.is_empty())
        else {
            return false;
        };
        let forced = Glossed {
            terms,
            forced: true,
            translates: true,
            values: None,
        };
        let mut pieces = segment.text.pieces();
        self.line.engine.translates()
            && pieces.any(
                |piece| matches!(piece, TextPiece::Text(text) if !forced.fixed(text).is_empty()),
            )
            && !terms.missed_in(segment, text).is_empty()
    }

    /// How the inline codes of a text were kept.
    pub(super) fn step(&self, entry: &RoundEntry) -> Option<CodeStep> {
        let segment = self.line.texts.segments.get(entry.index)?;
        let step = match &entry.sheet {
            AskSheet::Whole(..) => CodeStep::Kept,
            AskSheet::Apart(plan, _) if plan.projects() => CodeStep::Projected,
            AskSheet::Apart(..) if entry.fallback == Fallback::Apart => CodeStep::Apart,
            AskSheet::Apart(..) => CodeStep::Cut,
        };
        Some(step).filter(|_| !segment.codes.is_empty())
    }

    /// How asking once more may help: a pair without a word by cutting there, a lost marker by doing without, another
    /// mood, or another batch.
    pub(super) fn again(&self, entry: &RoundEntry, failure: &TextFailure) -> Option<Fallback> {
        let (projected, marked) = match &entry.sheet {
            AskSheet::Apart(plan, _) => (plan.projects(), plan.has_markers()),
            // Texts whose nodes must stay, or whose codes were lost twice, are finally asked for in parts (R-L15).
            AskSheet::Whole(..) => {
                let segment = self.line.texts.segments.get(entry.index);
                let keeps = segment.is_some_and(|segment| segment.keeps_nodes)
                    && matches!(failure, TextFailure::Answer(_));
                let has_codes = segment.is_some_and(|segment| segment.text.has_codes());
                (
                    false,
                    keeps || (has_codes && entry.alone && failure.loses_codes()),
                )
            }
        };
        match failure {
            TextFailure::Declined(_) => None,
            // A text on which the engine breaks may pass in another form.
            TextFailure::Answer(_) | TextFailure::Unanswered(_) if projected => {
                Some(Fallback::Markers)
            }
            TextFailure::Answer(_) | TextFailure::Unanswered(_) if marked => Some(Fallback::Apart),
            TextFailure::Answer(_) | TextFailure::Unanswered(_) => {
                Some(entry.fallback).filter(|_| !self.line.caps().deterministic)
            }
            TextFailure::Request(_) => Some(entry.fallback).filter(|_| !self.line.is_closed()),
        }
    }
}
