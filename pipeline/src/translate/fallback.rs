//! How a text with inline codes reaches an engine that knows text only, and how the answer is put together.
//!
//! The fallbacks, first that validates wins: an engine that tells which words became which gets whole
//! sentences, and pairs are put around the words that theirs became ([`project`]); otherwise the runs between paired
//! codes are asked apart; the last fallback cuts at every code, so that each comes back exactly once and no space is
//! swallowed. Single codes and volatile words travel as marker words but on the last fallback. What has no letter of the
//! source's script is never sent: it is part of the frame.
//!
//! One file: fallbacks and how their answers are joined.

mod correct;
mod cut;
mod glossed;
mod project;
mod strategy;

use std::fmt::Write as _;
use std::ops::Range;

use self::cut::{CutWord, FallbackStretch, Placeholder, stretches};
pub(super) use self::glossed::Glossed;
use self::project::{PairSpan, TargetUnit, put_around};
pub(super) use self::strategy::Fallback;
use super::terms::{Hit, Terms};
use super::word_cuts::{LETTERS, has_row_of_letters};
use crate::engines::{Caps, EngineAnswer, Markup, TranslationUnit, overlap};
use crate::model::Locale;
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::{
    has_letter_of, marker_prefix, markers, numbering, sentences, variables, without,
};

/// A text taken apart for an engine that knows text only: the frame that stays, and what is asked.
#[derive(Debug)]
pub(super) struct FallbackPlan {
    parts: Vec<FallbackPart>,
    /// The texts to ask for, in order.
    pub(super) asks: Vec<FallbackAsk>,
    prefix: &'static str,
}

/// A text to ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FallbackAsk {
    pub(super) text: String,
    /// The bytes of which it must be known what they become.
    pub(super) marks: Vec<Range<usize>>,
    /// Whether only terms are marked, and which.
    pub(super) marks_terms_only: bool,
    pub(super) terms: Vec<(String, String)>,
}

#[derive(Debug)]
enum FallbackPart {
    /// Stays as it is.
    Keep(CodedText),
    /// Words that are asked for, and the pairs around some of them.
    Words(Vec<PairSpan>, Vec<WordsMember>),
}

/// A part of some words.
#[derive(Debug)]
enum WordsMember {
    /// Stays as it is.
    Keep(TargetUnit),
    /// Is replaced by the answer to the ask at this index, its markers by these placeholders, each with the pairs around it.
    /// The ranges of the ask say which pairs are around which of its words.
    /// Terms that stand in it are put right where the answer has something else.
    Ask {
        index: usize,
        placeholders: Vec<(Placeholder, Vec<usize>)>,
        regions: Vec<(Range<usize>, Vec<usize>)>,
        hits: Vec<Hit>,
    },
}

/// Takes a text apart.
///
/// # Errors
/// A sentence that says why the text cannot be asked without damage.
pub(super) fn plan(
    segment: &Segment,
    fallback: Fallback,
    source: &Locale,
    caps: &Caps,
    glossed: Glossed<'_>,
) -> Result<FallbackPlan, String> {
    if glossed.translates && has_row_of_letters(segment) {
        return Err(LETTERS.to_owned());
    }
    let prefix = marker_prefix(segment.text.text()).ok_or("it holds every marker word we know")?;
    let mut plan = FallbackPlan {
        parts: Vec::new(),
        asks: Vec::new(),
        prefix,
    };
    for stretch in stretches(segment, fallback, glossed)? {
        match stretch {
            FallbackStretch::Keep(text) => plan.parts.push(FallbackPart::Keep(text)),
            FallbackStretch::Words(words) => plan.ask_words(words, source, caps, glossed.terms)?,
        }
    }
    Ok(plan)
}

impl FallbackPlan {
    /// Puts the answers into the frame.
    ///
    /// # Errors
    /// A sentence that names the marker that an answer lost, doubled or invented, or the pair without a word.
    pub(super) fn assemble(
        &self,
        answers: &[&EngineAnswer],
        terms: &Terms,
    ) -> Result<CodedText, String> {
        let mut text = CodedText::default();
        for part in &self.parts {
            match part {
                FallbackPart::Keep(kept) => text.extend(kept.pieces()),
                FallbackPart::Words(spans, members) => {
                    let mut units = Vec::new();
                    for member in members {
                        self.units(member, answers, terms, &mut units)?;
                    }
                    text.extend(put_around(spans, &units)?.pieces());
                }
            }
        }
        Ok(text)
    }

    /// Whether some ask holds a marker, so that a safer fallback would ask something else.
    pub(super) fn has_markers(&self) -> bool {
        let holds = |member: &WordsMember| matches!(member, WordsMember::Ask { placeholders, .. } if !placeholders.is_empty());
        self.parts.iter().any(
            |part| matches!(part, FallbackPart::Words(_, members) if members.iter().any(holds)),
        )
    }

    /// Whether pairs are to be put around words of the answers.
    pub(super) fn projects(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, FallbackPart::Words(spans, _) if !spans.is_empty()))
    }

    /// The words of a member, each with the pairs that its source stands in.
    fn units(
        &self,
        member: &WordsMember,
        answers: &[&EngineAnswer],
        terms: &Terms,
        units: &mut Vec<TargetUnit>,
    ) -> Result<(), String> {
        let (index, placeholders, regions, hits) = match member {
            WordsMember::Keep(unit) => {
                units.push(unit.clone());
                return Ok(());
            }
            WordsMember::Ask {
                index,
                placeholders,
                regions,
                hits,
            } => (*index, placeholders, regions, hits),
        };
        let Some((done, asked)) = answers.get(index).zip(self.asks.get(index)) else {
            return Err("a part of it has no answer".into());
        };
        let done = correct::correct(terms, &asked.text, hits, done, self.prefix);
        let whole = done.text.text();
        let lead = whole.len() - whole.trim_start().len();
        let answer = whole.trim();
        if answer.is_empty() {
            return Err("a part of it came back empty".into());
        }
        let links = done.links.as_deref().unwrap_or_default();
        let words = |range: Range<usize>, units: &mut Vec<TargetUnit>| {
            project::words(
                whole,
                range.start + lead..range.end + lead,
                links,
                regions,
                units,
            );
        };
        let mut seen = vec![false; placeholders.len()];
        let mut at = 0;
        for (range, number) in markers(answer, self.prefix) {
            let index = number.wrapping_sub(1);
            let found = placeholders
                .get(index)
                .ok_or_else(|| format!("it invents the marker {}", &answer[range.clone()]));
            let (placeholder, around) = found?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("it doubles {}", name(placeholder)));
            }
            words(at..range.start, units);
            if placeholder.glued {
                units.truncate(
                    units.len()
                        - units
                            .iter()
                            .rev()
                            .take_while(|unit| unit.is_space())
                            .count(),
                );
            }
            units.push(TargetUnit::placeholder(
                placeholder.text.clone(),
                around.clone(),
            ));
            at = range.end;
        }
        words(at..answer.len(), units);
        match seen.iter().position(|seen| !seen) {
            Some(index) => Err(format!("it loses {}", name(&placeholders[index].0))),
            None => Ok(()),
        }
    }

    /// Asks for a stretch of words in one go, or sentence by sentence.
    fn ask_words(
        &mut self,
        words: Vec<CutWord>,
        source: &Locale,
        caps: &Caps,
        terms: &Terms,
    ) -> Result<(), String> {
        let marked = MarkedWords::new(words, self.prefix);
        let core = core_of(&marked.text);
        let number = numbering(&marked.text[core.clone()], source).unwrap_or_default();
        let core = core.start + number..core.end;
        let mut members = Vec::new();
        marked.keep(0..core.start, self.prefix, &mut members);
        let mut at = core.start;
        for sentence in split(&marked.text[core.clone()], caps) {
            let sentence = sentence.start + core.start..sentence.end + core.start;
            marked.keep(at..sentence.start, self.prefix, &mut members);
            at = sentence.end;
            self.ask(&marked, sentence, (source, caps, terms), &mut members)?;
        }
        marked.keep(at..marked.text.len(), self.prefix, &mut members);
        self.parts.push(FallbackPart::Words(marked.spans, members));
        Ok(())
    }

    fn ask(
        &mut self,
        marked: &MarkedWords,
        range: Range<usize>,
        (source, caps, terms): (&Locale, &Caps, &Terms),
        members: &mut Vec<WordsMember>,
    ) -> Result<(), String> {
        let text = &marked.text[range.clone()];
        let own = markers(text, self.prefix)
            .into_iter()
            .map(|(range, _)| range);
        if !has_letter_of(&without(text, own), source) {
            marked.keep(range, self.prefix, members);
            return Ok(());
        }
        let length = text.chars().count();
        if length > caps.max_chars {
            return Err(format!(
                "a sentence of {length} characters is longer than the engine takes"
            ));
        }
        let (renumbered, placeholders) = marked.renumber(range.clone(), self.prefix);
        let regions = marked.regions(range, self.prefix);
        let own: Vec<Range<usize>> = markers(&renumbered, self.prefix)
            .into_iter()
            .map(|(range, _)| range)
            .collect();
        let mut hits = terms.hits(&renumbered);
        hits.retain(|hit| !own.iter().any(|marker| overlap(marker, &hit.range)));
        let marks = if caps.markup == Markup::Links {
            marks(&renumbered, &regions, &hits)
        } else {
            Vec::new()
        };
        let marks_terms_only = regions.is_empty() && !marks.is_empty();
        let wanted = |hit: &Hit| {
            let words = &renumbered[hit.range.clone()];
            (words.to_owned(), terms.wanted(hit, &renumbered, words))
        };
        let told = if marks.is_empty() {
            Vec::new()
        } else {
            hits.iter().map(wanted).collect()
        };
        members.push(WordsMember::Ask {
            index: self.asks.len(),
            placeholders,
            regions,
            hits,
        });
        self.asks.push(FallbackAsk {
            text: renumbered,
            marks,
            marks_terms_only,
            terms: told,
        });
        Ok(())
    }
}

/// The bytes of an ask of which it must be known what they become: what stands in pairs, and terms, apart from each
/// other and in order.
fn marks(text: &str, regions: &[(Range<usize>, Vec<usize>)], hits: &[Hit]) -> Vec<Range<usize>> {
    let all: Vec<&Range<usize>> = regions
        .iter()
        .map(|(range, _)| range)
        .chain(hits.iter().map(|hit| &hit.range))
        .collect();
    let mut edges: Vec<usize> = all
        .iter()
        .flat_map(|range| [range.start, range.end])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let parts = edges.windows(2).map(|edges| edges[0]..edges[1]);
    let is_asked = |part: &Range<usize>| {
        all.iter().any(|range| overlap(range, part))
            && text[part.clone()].contains(char::is_alphanumeric)
    };
    parts.filter(is_asked).collect()
}

/// Words as one text, in which placeholders are marker words.
struct MarkedWords {
    text: String,
    placeholders: Vec<Placeholder>,
    spans: Vec<PairSpan>,
}

impl MarkedWords {
    fn new(words: Vec<CutWord>, prefix: &str) -> Self {
        let mut marked = Self {
            text: String::new(),
            placeholders: Vec::new(),
            spans: Vec::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        for word in words {
            match word {
                CutWord::Text(plain) => marked.text.push_str(&plain),
                CutWord::Placeholder(placeholder) => {
                    marked
                        .text
                        .push_str(if placeholder.glued { " " } else { "" });
                    marked.placeholders.push(placeholder);
                    let _ = write!(marked.text, "{prefix}{}", marked.placeholders.len());
                }
                CutWord::Open(id) => {
                    let start = marked.text.len();
                    let signs = Default::default();
                    marked.spans.push(PairSpan {
                        id,
                        range: start..start,
                        signs,
                        parent: open.last().copied(),
                    });
                    open.push(marked.spans.len() - 1);
                }
                CutWord::Close(_) => {
                    let Some(span) = open.pop().and_then(|index| marked.spans.get_mut(index))
                    else {
                        continue;
                    };
                    span.range.end = marked.text.len();
                    let text = marked.text[span.range.clone()].trim();
                    let core = text.trim_start_matches(is_sign);
                    let after = core.len() - core.trim_end_matches(is_sign).len();
                    span.signs = (
                        text[..text.len() - core.len()].to_owned(),
                        text[text.len() - after.min(text.len())..].to_owned(),
                    );
                }
            }
        }
        marked
    }

    /// The pairs around a range, outermost first.
    fn around(&self, range: &Range<usize>) -> Vec<usize> {
        let holds =
            |span: &PairSpan| span.range.start <= range.start && range.end <= span.range.end;
        (0..self.spans.len())
            .filter(|&index| holds(&self.spans[index]))
            .collect()
    }

    /// Numbers the markers of one ask from 1, so that equal asks are equal wherever they stand.
    fn renumber(
        &self,
        range: Range<usize>,
        prefix: &str,
    ) -> (String, Vec<(Placeholder, Vec<usize>)>) {
        let text = &self.text[range.clone()];
        let mut renumbered = String::new();
        let mut held = Vec::new();
        let mut at = 0;
        for (marker, number) in markers(text, prefix) {
            renumbered.push_str(&text[at..marker.start]);
            let around = self.around(&(range.start + marker.start..range.start + marker.end));
            held.extend(
                self.placeholders
                    .get(number.wrapping_sub(1))
                    .cloned()
                    .map(|placeholder| (placeholder, around)),
            );
            let _ = write!(renumbered, "{prefix}{}", held.len());
            at = marker.end;
        }
        renumbered.push_str(&text[at..]);
        (renumbered, held)
    }

    /// The parts of an ask that stand in pairs, cut wherever a pair begins or ends, in bytes of the ask.
    fn regions(&self, range: Range<usize>, prefix: &str) -> Vec<(Range<usize>, Vec<usize>)> {
        let mut edges: Vec<usize> = self
            .spans
            .iter()
            .flat_map(|span| [span.range.start, span.range.end])
            .collect();
        edges.extend([range.start, range.end]);
        edges.retain(|edge| range.start <= *edge && *edge <= range.end);
        edges.sort_unstable();
        edges.dedup();
        // A marker is never cut, so what stands before a place has the same length in the ask as alone.
        let place = |edge: usize| self.renumber(range.start..edge, prefix).0.len();
        let regions = edges.windows(2).filter_map(|edges| {
            let part = edges[0]..edges[1];
            let around = self.around(&part);
            let holds_words = self.text[part.clone()].contains(char::is_alphanumeric);
            (holds_words && !around.is_empty())
                .then(|| (place(part.start)..place(part.end), around))
        });
        regions.collect()
    }

    /// Keeps marked text as it is, the markers turned back.
    fn keep(&self, range: Range<usize>, prefix: &str, members: &mut Vec<WordsMember>) {
        let mut at = range.start;
        for (marker, number) in markers(&self.text[range.clone()], prefix) {
            let marker = range.start + marker.start..range.start + marker.end;
            self.keep_text(at..marker.start, members);
            let placeholder = self.placeholders.get(number.wrapping_sub(1));
            if placeholder.is_some_and(|placeholder| placeholder.glued) {
                members
                    .pop_if(|member| matches!(member, WordsMember::Keep(unit) if unit.is_space()));
            }
            members.extend(placeholder.map(|placeholder| {
                WordsMember::Keep(TargetUnit::placeholder(
                    placeholder.text.clone(),
                    self.around(&marker),
                ))
            }));
            at = marker.end;
        }
        self.keep_text(at..range.end, members);
    }

    /// Keeps text, cut wherever a pair begins or ends.
    fn keep_text(&self, range: Range<usize>, members: &mut Vec<WordsMember>) {
        let mut edges: Vec<usize> = self
            .spans
            .iter()
            .flat_map(|span| [span.range.start, span.range.end])
            .collect();
        edges.retain(|edge| range.start < *edge && *edge < range.end);
        edges.extend([range.start, range.end]);
        edges.sort_unstable();
        for part in edges
            .windows(2)
            .map(|edges| edges[0]..edges[1])
            .filter(|part| !part.is_empty())
        {
            members.push(WordsMember::Keep(TargetUnit::text(
                &self.text[part.clone()],
                self.around(&part),
            )));
        }
    }
}

fn is_sign(character: char) -> bool {
    !character.is_alphanumeric() && !character.is_whitespace()
}

/// Names a placeholder in a report.
fn name(placeholder: &Placeholder) -> String {
    match placeholder.text.pieces().next() {
        Some(TextPiece::Text(text)) => format!("{text:?}"),
        Some(TextPiece::Single(id) | TextPiece::Open(id) | TextPiece::Close(id)) => {
            format!("inline code {id}")
        }
        None => "nothing".into(),
    }
}

/// What of a stretch is asked: without the white space around it, without the closing punctuation in front that
/// belongs to what stands before (F-21, F-29), and without what opens at its end.
fn core_of(text: &str) -> Range<usize> {
    let lead = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | ':' | ')' | ']' | '}' | '!' | '?' | '…' | '–' | '—'
            )
    };
    let tail =
        |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '“' | '„' | '«' | '¿' | '¡');
    let start = text.len() - text.trim_start_matches(lead).len();
    let end = text.trim_end_matches(tail).len();
    start..end.max(start)
}

/// The sentences; the whole text where the engine takes blocks and the text is not too long.
fn split(core: &str, caps: &Caps) -> Vec<Range<usize>> {
    let is_one = caps.unit == TranslationUnit::Block && core.chars().count() <= caps.max_chars;
    if is_one {
        std::iter::once(0..core.len()).collect()
    } else {
        sentences(core)
    }
}

/// Whether a text is nothing but template variables, white space and punctuation for every engine.
pub(super) fn is_untouchable(text: &CodedText) -> bool {
    let plain = text.text();
    !without(plain, variables(plain)).contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests;
