//! Puts pairs around the words that theirs became: the first fallback.
//!
//! For each pair the run of target words is taken that holds most of the words that carry it and fewest of those that
//! do not. Then the tree is restored: what is inside widens what is outside, and where neighbours overlap the later one
//! is cut. A pair that gets no word cannot be put anywhere with confidence, so the text falls to the next fallback.

use std::ops::Range;

use crate::engines::{WordLink, overlap};
use crate::page::{CodedText, TextPiece};
use crate::text::is_dense;

/// A pair and the source text in it.
#[derive(Debug)]
pub(super) struct PairSpan {
    pub(super) id: u32,
    pub(super) range: Range<usize>,
    /// The signs with which that text begins and ends, such as quotes.
    pub(super) signs: (String, String),
    /// The pair around it; pairs stand in the order in which they open.
    pub(super) parent: Option<usize>,
}

/// A part of a target text that no pair cuts.
#[derive(Clone, Debug)]
pub(super) struct TargetUnit {
    text: CodedText,
    kind: UnitKind,
    /// The pairs that its source stands in.
    around: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitKind {
    Space,
    /// Punctuation and the like.
    Sign,
    Word,
}

impl TargetUnit {
    /// Text that is taken over from the source.
    pub(super) fn text(text: &str, around: Vec<usize>) -> Self {
        let kind = if text.trim().is_empty() {
            UnitKind::Space
        } else if text.contains(char::is_alphanumeric) {
            UnitKind::Word
        } else {
            UnitKind::Sign
        };
        Self {
            text: CodedText::plain(text),
            kind,
            around,
        }
    }

    /// Codes and words that came back as a marker.
    pub(super) fn placeholder(text: CodedText, around: Vec<usize>) -> Self {
        Self {
            text,
            kind: UnitKind::Word,
            around,
        }
    }

    /// Bytes of its text.
    pub(super) fn len(&self) -> usize {
        self.text.text().len()
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == UnitKind::Word
    }

    pub(super) fn is_space(&self) -> bool {
        self.kind == UnitKind::Space
    }
}

/// The units of a range of an answer: white space, words, and the signs at the ends of words.
pub(super) fn words(
    answer: &str,
    range: Range<usize>,
    links: &[WordLink],
    regions: &[(Range<usize>, Vec<usize>)],
    units: &mut Vec<TargetUnit>,
) {
    let text = &answer[range.clone()];
    let mut at = range.start;
    for (piece, kind) in pieces(text, is_dense(text)) {
        let place = at..at + piece.len();
        at = place.end;
        let around = if kind == UnitKind::Space {
            Vec::new()
        } else {
            carried(&place, links, regions)
        };
        units.push(TargetUnit {
            text: CodedText::plain(piece),
            kind,
            around,
        });
    }
}

/// The pairs in which at least half of what a range was made of stands.
fn carried(
    place: &Range<usize>,
    links: &[WordLink],
    regions: &[(Range<usize>, Vec<usize>)],
) -> Vec<usize> {
    let mut votes: Vec<(usize, usize)> = Vec::new();
    let mut total = 0;
    for link in links.iter().filter(|link| overlap(&link.target, place)) {
        total += 1;
        let within =
            |region: &Range<usize>| link.sources.iter().any(|source| overlap(source, region));
        let mut found: Vec<usize> = regions
            .iter()
            .filter(|(region, _)| within(region))
            .flat_map(|(_, around)| around.clone())
            .collect();
        found.sort_unstable();
        found.dedup();
        for span in found {
            match votes.iter_mut().find(|(known, _)| *known == span) {
                Some((_, count)) => *count += 1,
                None => votes.push((span, 1)),
            }
        }
    }
    votes
        .into_iter()
        .filter(|(_, count)| count * 2 >= total)
        .map(|(span, _)| span)
        .collect()
}

/// Cuts text at white space and between a word and the signs around it; between all characters where words have no
/// space between them.
fn pieces(text: &str, dense: bool) -> Vec<(&str, UnitKind)> {
    let mut found = Vec::new();
    // Dashes without spaces part words, too.
    for part in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '–' | '—' | '…'))
    {
        let word = part.trim_end();
        let core_start = word.find(char::is_alphanumeric).unwrap_or(word.len());
        let core_end = word
            .char_indices()
            .rfind(|(_, character)| character.is_alphanumeric());
        let core_end = core_end.map_or(core_start, |(at, character)| at + character.len_utf8());
        found.extend(characters(&word[..core_start]).map(|sign| (sign, UnitKind::Sign)));
        let core = &word[core_start..core_end];
        match dense {
            true => found.extend(characters(core).map(|character| {
                let is_word = character.contains(char::is_alphanumeric);
                (
                    character,
                    if is_word {
                        UnitKind::Word
                    } else {
                        UnitKind::Sign
                    },
                )
            })),
            false => found.push((core, UnitKind::Word)),
        }
        found.extend(characters(&word[core_end..]).map(|sign| (sign, UnitKind::Sign)));
        found.push((&part[word.len()..], UnitKind::Space));
    }
    found.retain(|(piece, _)| !piece.is_empty());
    found
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices()
        .map(|(at, character)| &text[at..at + character.len_utf8()])
}

/// Puts the pairs around units.
///
/// # Errors
/// A sentence that names a pair that no word carries.
pub(super) fn put_around(spans: &[PairSpan], units: &[TargetUnit]) -> Result<CodedText, String> {
    let mut runs = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        let run = run(index, units).ok_or_else(|| lost(span))?;
        runs.push(with_signs(run, span, units));
    }
    // What is inside stands after what is around it, so widening goes backwards and cutting forwards.
    for index in (0..spans.len()).rev() {
        if let Some(parent) = spans[index].parent {
            runs[parent] =
                runs[parent].start.min(runs[index].start)..runs[parent].end.max(runs[index].end);
        }
    }
    part_neighbours(spans, units, &mut runs)?;
    let mut text = CodedText::default();
    for (at, unit) in units.iter().enumerate() {
        text.extend(
            (0..spans.len())
                .filter(|&span| runs[span].start == at)
                .map(|span| TextPiece::Open(spans[span].id)),
        );
        text.extend(unit.text.pieces());
        let closing = (0..spans.len())
            .rev()
            .filter(|&span| runs[span].end == at + 1);
        text.extend(closing.map(|span| TextPiece::Close(spans[span].id)));
    }
    Ok(text)
}

fn lost(span: &PairSpan) -> String {
    format!("no word of it stands for inline code {}", span.id)
}

/// The best run of units for a pair: by the sum of what each word is worth to it (Kadane's algorithm).
pub(super) fn run(span: usize, units: &[TargetUnit]) -> Option<Range<usize>> {
    let mut best = None;
    let mut best_worth = 0;
    let mut start = 0;
    let mut worth = 0;
    for (at, unit) in units.iter().enumerate() {
        let is_carried = unit.around.contains(&span);
        if worth <= 0 {
            (start, worth) = (at, 0);
        }
        worth += match (unit.kind, is_carried) {
            (UnitKind::Word, true) => 20,
            (UnitKind::Word, false) => -12,
            (UnitKind::Sign, true) => 3,
            (UnitKind::Sign, false) => -2,
            (UnitKind::Space, _) => 0,
        };
        if is_carried && worth > best_worth {
            (best, best_worth) = (Some(start..at + 1), worth);
        }
    }
    // A run begins with a unit that carries the pair, too.
    let best = best?;
    let start = units[best.clone()]
        .iter()
        .position(|unit| unit.around.contains(&span))?;
    let run = best.start + start..best.end;
    units[run.clone()]
        .iter()
        .any(|unit| unit.kind == UnitKind::Word)
        .then_some(run)
}

/// A run with as many signs at its ends as the source has inside of the pair: engines seldom tell what became of those.
fn with_signs(mut run: Range<usize>, span: &PairSpan, units: &[TargetUnit]) -> Range<usize> {
    let is_sign = |unit: &&TargetUnit| {
        unit.kind == UnitKind::Sign && !is_like(unit, '¿') && !is_like(unit, '¡')
    };
    let (before, after) = &span.signs;
    let has = units[run.clone()].iter().take_while(is_sign).count();
    run.start += has.saturating_sub(before.chars().count());
    for sign in before.chars().rev().skip(has) {
        match run
            .start
            .checked_sub(1)
            .filter(|&at| is_like(&units[at], sign))
        {
            Some(at) => run.start = at,
            None => break,
        }
    }
    let has = units[run.clone()].iter().rev().take_while(is_sign).count();
    run.end -= has.saturating_sub(after.chars().count());
    for sign in after.chars().skip(has) {
        match units.get(run.end).filter(|unit| is_like(unit, sign)) {
            Some(_) => run.end += 1,
            None => break,
        }
    }
    run
}

/// Whether a unit is this sign, or a quote as this one is.
fn is_like(unit: &TargetUnit, sign: char) -> bool {
    let is_quote = |sign: char| "\"'“”„‟‘’‚«»‹›「」『』".contains(sign);
    let text = unit.text.text();
    unit.kind == UnitKind::Sign
        && (text.chars().eq([sign]) || (is_quote(sign) && text.chars().all(is_quote)))
}

/// Parts neighbours that overlap, and keeps each pair within the one around it.
fn part_neighbours(
    spans: &[PairSpan],
    units: &[TargetUnit],
    runs: &mut [Range<usize>],
) -> Result<(), String> {
    let parents = std::iter::once(None).chain((0..spans.len()).map(Some));
    for parent in parents {
        let mut children: Vec<usize> = (0..spans.len())
            .filter(|&index| spans[index].parent == parent)
            .collect();
        children.sort_by_key(|&child| (runs[child].start, runs[child].end));
        let mut from = parent.map_or(0, |parent| runs[parent].start);
        let to = parent.map_or(units.len(), |parent| runs[parent].end);
        for child in children {
            let run = runs[child].start.max(from)..runs[child].end.min(to);
            let spaces = units
                .get(run.clone())
                .unwrap_or_default()
                .iter()
                .take_while(|unit| unit.is_space())
                .count();
            let run = run.start + spaces..run.end;
            if run.is_empty()
                || units[run.clone()]
                    .iter()
                    .all(|unit| unit.kind != UnitKind::Word)
            {
                return Err(lost(&spans[child]));
            }
            from = run.end;
            runs[child] = run;
        }
    }
    Ok(())
}
