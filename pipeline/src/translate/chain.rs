//! Several engines as one: what an engine does not offer or gets wrong falls to the next.
//!
//! Invariants: every segment is reported exactly once; a refused text has a reason; no error stops the other texts;
//! the result does not depend on the order in which answers arrive. What this deliberately does not do: remember
//! (the caller's `done` makes each answer durable as it arrives) and decide whose words win ([`super::settle`]).
//!
//! One file: the public interface of the chain and its order of calls.

mod batches;
mod call;
mod failed;
mod failure;
mod outcome;
mod parts;
mod probe;
mod round;
mod shared;
mod wanted;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use self::call::EnginePace;
use self::call::{EngineHealth, EngineLine};
use self::failed::Failed;
pub use self::failure::{FailureReason, Reasons};
pub use self::outcome::{Cost, Costs, RefusedSegment, SegmentOutcome};
use self::parts::TextParts;
pub use self::probe::{Probe, ProbeAnswer};
use self::round::Round;
use self::wanted::AskTexts;
pub use self::wanted::{PageSet, WantedTexts};
use super::fallback::is_untouchable;
use super::manner::{BY_RULES, written_by_rules};
use super::{CharacterBudget, Examples, Meter, PendingAnswers, Tally, Terms};
use crate::engines::{Caps, Engine, Offer, Routes, with_pivot};
use crate::model::{LanguagePair, Locale, Manner};
use crate::page::Segment;
use crate::text::PlainWords;

/// Engines in the order in which they are tried.
pub struct Chain {
    engines: Vec<(String, Arc<dyn Engine>)>,
    budget: Arc<CharacterBudget>,
    terms: Terms,
    manner: Manner,
    plain: Arc<PlainWords>,
    examples: Arc<Examples>,
    pending: PendingAnswers,
    pace: EnginePace,
    meter: Meter,
    /// How each engine does, by its name, however often the chain is asked.
    health: BTreeMap<String, Arc<EngineHealth>>,
}

impl Chain {
    /// Takes engines with the names that reports and budgets know them by, in the order to try.
    pub fn new(engines: Vec<(String, Arc<dyn Engine>)>) -> Self {
        let health = engines
            .iter()
            .map(|(name, _)| (name.clone(), Arc::default()))
            .collect();
        Self {
            engines,
            budget: Arc::default(),
            terms: Terms::default(),
            manner: Manner::default(),
            plain: Arc::default(),
            examples: Arc::default(),
            pending: PendingAnswers::default(),
            pace: EnginePace::default(),
            meter: Meter::default(),
            health,
        }
    }

    /// Takes engines for a pair of languages, and adds a detour if it is the only route or the better one.
    pub fn of_pair(
        engines: Vec<(String, Arc<dyn Engine>)>,
        pair: LanguagePair<&Locale>,
        routes: &Routes,
    ) -> Self {
        Self::new(with_pivot(engines, pair, routes))
    }

    /// The same, sending no more than a budget has left, however often an engine has to be asked.
    pub fn within(self, budget: Arc<CharacterBudget>) -> Self {
        Self { budget, ..self }
    }

    /// The same, counting what engines are asked with others.
    pub fn metered(self, meter: &Meter) -> Self {
        Self {
            meter: meter.clone(),
            ..self
        }
    }

    /// The same with terms that translations must have: where one is missing, its words are replaced, or the text is asked
    /// once more with the term in place. A text that still misses one keeps its translation.
    pub fn with_terms(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// The same with a site's settings for values and numbers.
    pub fn with_manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// The same with words of headings that are not names.
    pub(crate) fn with_plain_words(self, plain: Arc<PlainWords>) -> Self {
        Self { plain, ..self }
    }

    /// The same with reviewed translations, for engines that take examples.
    pub fn with_examples(self, examples: Examples) -> Self {
        Self {
            examples: Arc::new(examples),
            ..self
        }
    }

    /// The same with answers to parts of texts that were paid for before, and with who keeps new ones.
    pub fn with_pending(self, pending: PendingAnswers) -> Self {
        Self { pending, ..self }
    }

    /// The answers to parts of texts that were paid for before.
    pub fn pending(&self) -> &PendingAnswers {
        &self.pending
    }

    /// The terms that translations must have.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The same in more or less of a hurry, so that tests need not wait.
    #[cfg(test)]
    pub(crate) fn at_pace(self, pace: EnginePace) -> Self {
        Self { pace, ..self }
    }

    /// For every engine that does not offer the pair, what would make it do so.
    pub fn hints(&self, pair: LanguagePair<&Locale>) -> Vec<String> {
        let hint = |(name, engine): &(String, Arc<dyn Engine>)| match engine.offers(pair) {
            Offer::Yes => None,
            Offer::No(hint) => Some(format!("{name}: {hint}")),
        };
        self.engines.iter().filter_map(hint).collect()
    }

    /// Whether any engine offers the pair.
    pub fn offers(&self, pair: LanguagePair<&Locale>) -> bool {
        !self.route(pair).is_empty()
    }

    /// Names and capabilities of the engines that offer the pair, in the order in which they are tried.
    pub fn route(&self, pair: LanguagePair<&Locale>) -> Vec<(&str, &Caps)> {
        self.offering(pair)
            .map(|(name, engine)| (name.as_str(), engine.caps()))
            .collect()
    }

    /// Fingerprints of the engines of the route, in their order.
    pub fn signatures(&self, pair: LanguagePair<&Locale>) -> Vec<String> {
        self.offering(pair)
            .map(|(_, engine)| engine.fingerprint(pair))
            .collect()
    }

    /// Route fingerprint in one line; a stored refusal is valid for this route only.
    pub fn fingerprints(&self, pair: LanguagePair<&Locale>) -> String {
        self.signatures(pair).join(" + ")
    }

    /// Takes the engines' notices for the owner; each is returned once.
    pub fn take_notices(&self) -> Vec<String> {
        let of_engine = |(name, engine): &(String, Arc<dyn Engine>)| {
            engine
                .take_notices()
                .into_iter()
                .map(|notice| format!("engine {name}: {notice}"))
                .collect::<Vec<_>>()
        };
        self.engines.iter().flat_map(of_engine).collect()
    }

    /// True if an engine that offers the pair requires texts of different pages in separate requests.
    pub fn keeps_pages_apart(&self, pair: LanguagePair<&Locale>) -> bool {
        self.offering(pair)
            .any(|(_, engine)| engine.reads_together())
    }

    /// True if an engine that offers the pair takes context.
    pub fn takes_context(&self, pair: LanguagePair<&Locale>) -> bool {
        self.offering(pair)
            .any(|(_, engine)| engine.takes_context())
    }

    /// True if an engine that offers the pair takes examples.
    pub fn takes_examples(&self, pair: LanguagePair<&Locale>) -> bool {
        self.offering(pair)
            .any(|(_, engine)| engine.max_examples() > 0)
    }

    fn offering(
        &self,
        pair: LanguagePair<&Locale>,
    ) -> impl Iterator<Item = &(String, Arc<dyn Engine>)> {
        self.engines
            .iter()
            .filter(move |(_, engine)| engine.offers(pair) == Offer::Yes)
    }

    fn line<'a>(
        &'a self,
        engine: (&'a str, &'a dyn Engine),
        pair: LanguagePair<&'a Locale>,
        texts: AskTexts<'a>,
    ) -> EngineLine<'a> {
        let counts = self.meter.counts(engine.0);
        let health = self.health.get(engine.0).cloned().unwrap_or_default();
        let pace = (self.pace, counts, health);
        let site = (self.manner, &*self.plain, &*self.examples);
        EngineLine::new(
            engine,
            (pair, texts),
            (&self.budget, &self.terms, &self.pending),
            site,
            pace,
        )
    }

    /// Estimates the requests to each engine, if all answers are right. Sends nothing.
    pub fn costs<'w>(
        &self,
        pair: LanguagePair<&Locale>,
        wanted: impl Into<WantedTexts<'w>>,
    ) -> Costs {
        let WantedTexts {
            segments,
            pages,
            contexts,
        } = wanted.into();
        let cut = TextParts::of(segments);
        let (segments, parts) = cut.as_ref().map_or((segments, None), |(all, parts)| {
            (all.as_slice(), Some(parts))
        });
        let texts = AskTexts {
            segments,
            parts,
            pages,
            contexts,
        };
        let whole = |text: &Failed| parts.map_or(text.index, |parts| parts.whole(text.index));
        let (mut open, _) = ask_for(segments, parts);
        open.retain(|text| self.written(segments, text.index, pair).is_none());
        let mut costs = Costs::default();
        let mut wanted = BTreeSet::new();
        for (name, engine) in self.offering(pair) {
            if open.is_empty() {
                break;
            }
            let line = self.line((name, engine.as_ref()), pair, texts);
            let (cost, asked, left) = Round::together(&line, open).cost();
            costs
                .engines
                .extend(Some(cost).filter(|cost| cost.requests > 0));
            wanted.extend(asked);
            open = left;
        }
        let left: BTreeSet<usize> = open.iter().map(whole).collect();
        costs.unavailable = left.len();
        wanted.extend(left);
        costs.wanted = wanted.len();
        costs
    }

    /// Indices of the texts that stay as they are without a request to any engine, such as template variables and values.
    pub fn untouched(&self, pair: LanguagePair<&Locale>, segments: &[Segment]) -> Vec<usize> {
        let cut = TextParts::of(segments);
        let (segments, parts) = cut.as_ref().map_or((segments, None), |(all, parts)| {
            (all.as_slice(), Some(parts))
        });
        let texts = AskTexts {
            segments,
            parts,
            pages: &[],
            contexts: &[],
        };
        let (mut open, mut untouched) = ask_for(segments, parts);
        open.retain(|text| {
            let written = self.written(segments, text.index, pair);
            untouched.extend((written == Some(SegmentOutcome::Untouched)).then_some(text.index));
            written.is_none()
        });
        for (name, engine) in self.offering(pair) {
            let line = self.line((name, engine.as_ref()), pair, texts);
            let (left_alone, failed) = Round::together(&line, open).untouched();
            untouched.extend(left_alone);
            open = failed;
        }
        let Some(mut parts) = parts.cloned() else {
            return untouched;
        };
        // A text in parts stays if each of its parts does.
        untouched
            .into_iter()
            .filter_map(|index| parts.take(segments, index, SegmentOutcome::Untouched))
            .map(|(index, _)| index)
            .collect()
    }

    /// Translates; `done` gets the index of a segment and what became of it as soon as that is known. What is too long
    /// for engines goes to them in parts. What every engine got wrong is asked again sentence by sentence (R-W6).
    pub async fn translate<'w>(
        &self,
        pair: LanguagePair<&Locale>,
        wanted: impl Into<WantedTexts<'w>>,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
    ) -> Tally {
        let WantedTexts {
            segments,
            pages,
            contexts,
        } = wanted.into();
        let names = self.names(pair);
        let mut counted = Tally::default();
        let mut count = |index: usize, outcome: SegmentOutcome| {
            counted.count(&outcome, &names);
            done(index, outcome);
        };
        let mut tally = match TextParts::of(segments) {
            Some((all, parts)) => {
                let mut taken = parts.clone();
                let mut take = |index: usize, outcome: SegmentOutcome| {
                    if let Some((index, outcome)) = taken.take(&all, index, outcome) {
                        count(index, outcome);
                    }
                };
                let texts = AskTexts {
                    segments: &all,
                    parts: Some(&parts),
                    pages,
                    contexts,
                };
                self.ask_twice(pair, texts, &mut take).await
            }
            None => {
                self.ask_twice(
                    pair,
                    AskTexts {
                        segments,
                        parts: None,
                        pages,
                        contexts,
                    },
                    &mut count,
                )
                .await
            }
        };
        tally.add(counted);
        tally
    }

    /// Asks for texts and parts, then for the sentences of refused ones. A text stays refused, with translations of
    /// some sentences, unless all of them succeed.
    async fn ask_twice(
        &self,
        pair: LanguagePair<&Locale>,
        texts: AskTexts<'_>,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
    ) -> Tally {
        let mut refused = Vec::new();
        let mut tally = self
            .ask(pair, texts, &mut |index, outcome| match outcome {
                SegmentOutcome::Refused(refusal)
                    if refusal.answered && !refusal.reasons.is_declined() =>
                {
                    refused.push((index, refusal));
                }
                other => done(index, other),
            })
            .await;
        // Answers arrive in any order.
        refused.sort_by_key(|(index, _)| *index);
        let mut segments = Vec::with_capacity(refused.len());
        let mut pages = Vec::with_capacity(refused.len());
        for (index, _) in &refused {
            segments.extend(texts.segments.get(*index).cloned());
            pages.push(texts.pages_of(*index));
        }
        let mut mended = BTreeMap::new();
        if let Some((all, parts)) = TextParts::of_sentences(&segments) {
            let mut taken = parts.clone();
            // Repeated requests carry no context.
            let texts = AskTexts {
                segments: &all,
                parts: Some(&parts),
                pages: &pages,
                contexts: &[],
            };
            let again = self
                .ask(pair, texts, &mut |index, outcome| {
                    mended.extend(taken.take(&all, index, outcome))
                })
                .await;
            tally.add(again);
        }
        for (at, (index, refusal)) in refused.into_iter().enumerate() {
            done(
                index,
                match mended.remove(&at) {
                    Some(SegmentOutcome::Refused(RefusedSegment { partly, .. })) => {
                        SegmentOutcome::Refused(RefusedSegment {
                            partly: partly.or(refusal.partly),
                            ..refusal
                        })
                    }
                    Some(translated @ SegmentOutcome::Translated { .. }) => translated,
                    Some(SegmentOutcome::Untouched | SegmentOutcome::Unavailable) | None => {
                        SegmentOutcome::Refused(refusal)
                    }
                },
            );
        }
        tally
    }

    /// Engine names by fingerprint, for engines that offer the pair.
    fn names(&self, pair: LanguagePair<&Locale>) -> BTreeMap<String, &str> {
        self.offering(pair)
            .map(|(name, engine)| (engine.fingerprint(pair), name.as_str()))
            .collect()
    }

    /// Outcome for a text that consists of values; `None` if an engine has to translate it.
    fn written(
        &self,
        segments: &[Segment],
        index: usize,
        pair: LanguagePair<&Locale>,
    ) -> Option<SegmentOutcome> {
        let mut engines = self.offering(pair).peekable();
        engines.peek()?;
        if !engines.all(|(_, engine)| engine.translates()) {
            return None;
        }
        let segment = segments.get(index)?;
        let text = written_by_rules(segment, pair, self.manner)?;
        Some(match text == segment.text {
            true => SegmentOutcome::Untouched,
            false => SegmentOutcome::Translated {
                text,
                engine: BY_RULES.to_owned(),
            },
        })
    }

    async fn ask(
        &self,
        pair: LanguagePair<&Locale>,
        texts: AskTexts<'_>,
        done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
    ) -> Tally {
        let AskTexts {
            segments, parts, ..
        } = texts;
        let mut tally = Tally::default();
        let (mut open, untouched) = ask_for(segments, parts);
        for index in untouched {
            done(index, SegmentOutcome::Untouched);
        }
        open.retain(|text| match self.written(segments, text.index, pair) {
            Some(outcome) => {
                done(text.index, outcome);
                false
            }
            None => true,
        });
        for (name, engine) in self.offering(pair) {
            if open.is_empty() {
                break;
            }
            let line = self.line((name, engine.as_ref()), pair, texts);
            open = run(&line, open, done, &mut tally).await;
        }
        report(open, segments, done);
        tally
    }
}

/// What engines are to be asked for, and the texts that need no words of theirs.
fn ask_for(segments: &[Segment], parts: Option<&TextParts>) -> (Vec<Failed>, Vec<usize>) {
    let whole =
        (0..segments.len()).filter(|&index| !parts.is_some_and(|parts| parts.stands_for(index)));
    let is_untouched = |index: &usize| {
        segments
            .get(*index)
            .is_some_and(|segment| is_untouchable(&segment.text))
    };
    let (untouched, open): (Vec<usize>, Vec<usize>) = whole.partition(is_untouched);
    (open.into_iter().map(Failed::new).collect(), untouched)
}

/// Asks one engine for all, then again for those that failed and may succeed on a safer fallback, or alone.
async fn run(
    line: &EngineLine<'_>,
    open: Vec<Failed>,
    done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
    tally: &mut Tally,
) -> Vec<Failed> {
    let fresh = open
        .into_iter()
        .map(|text| Failed {
            again: None,
            alone: false,
            ..text
        })
        .collect();
    let mut failed = Round::together(line, fresh).run(done, tally).await;
    // Each fallback is safer than the one before, and nothing is asked alone twice: this ends.
    loop {
        let (again, given_up): (Vec<_>, Vec<_>) =
            failed.into_iter().partition(|text| text.again.is_some());
        failed = given_up;
        if again.is_empty() {
            break;
        }
        let (alone, together): (Vec<_>, Vec<_>) = again.into_iter().partition(|text| text.alone);
        failed.extend(Round::together(line, together).run(done, tally).await);
        failed.extend(Round::alone(line, alone).run(done, tally).await);
    }
    failed.sort_by_key(|text| text.index);
    failed
}

fn report(
    open: Vec<Failed>,
    segments: &[Segment],
    done: &mut (dyn FnMut(usize, SegmentOutcome) + Send),
) {
    for Failed {
        index,
        reasons,
        passing,
        unanswered,
        ..
    } in open
    {
        let source = segments
            .get(index)
            .map(|segment| segment.text.to_markup())
            .unwrap_or_default();
        if reasons.is_empty() {
            done(index, SegmentOutcome::Unavailable);
        } else {
            done(
                index,
                SegmentOutcome::Refused(RefusedSegment {
                    source,
                    partly: None,
                    reasons,
                    lasting: !passing,
                    answered: !unanswered,
                }),
            );
        }
    }
}

#[cfg(test)]
mod tests;
