//! Texts that engines get otherwise than pages have them: with whole words, cut where another text begins, and cut at sentences
//! where they are too long. They are put together again from what became of their parts. A text that every engine got wrong is cut
//! at each sentence ([`TextParts::of_sentences`]), so that one sentence keeps the source's words and not the whole (R-W6).
//!
//! The text stays one: its key, its place in the memory and its checks are those of the whole. A pair of codes is never
//! cut; where one holds too much by itself, its ends stay and what it holds is cut. What stands between two parts, white
//! space and such ends, is the source's and stays as it is.
//!
//! One file: cutting texts and joining their parts are inverse.

mod part;
mod spaces;

use std::ops::Range;

use self::part::part_of;
use self::spaces::with_spaces;
use super::super::RefusedSegment;
use super::super::fold::Folded;
use super::super::manner::BY_RULES;
use super::super::word_cuts::{borders, has_row_of_letters};
use super::outcome::SegmentOutcome;
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::{is_dense, sentences};

/// The longest text that engines get as one: characters, and as many inline codes.
pub(super) const LONGEST: usize = 20_000;

/// Which texts are in parts, and what they are put together from.
#[derive(Clone)]
pub(super) struct TextParts {
    long: Vec<Long>,
    /// For each part the long text that it belongs to, and its place among what that is made of.
    owners: Vec<(usize, usize)>,
    whole: usize,
    places: CutPlaces,
}

/// Places at which texts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutPlaces {
    /// Limits of the length of a text.
    Length,
    /// The end of each sentence.
    Sentences,
}

/// A text in parts.
#[derive(Clone)]
struct Long {
    index: usize,
    folded: Option<Folded>,
    /// True if its script has no spaces between sentences.
    is_dense: bool,
    members: Vec<LongMember>,
    open: usize,
    engine: Option<String>,
    refusal: Option<RefusedSegment>,
    /// True if a refused part has translated sentences.
    is_partly: bool,
    is_unavailable: bool,
}

/// What a long text is made of.
#[derive(Clone)]
enum LongMember {
    /// It stays as it is.
    Keep(CodedText),
    /// A part: the codes of the whole, by those of the part.
    Part(Vec<u32>),
}

impl TextParts {
    /// Cuts those of some texts that engines get in parts: gives the texts as they were, then the parts. Nothing where there is
    /// none.
    pub(super) fn of(segments: &[Segment]) -> Option<(Vec<Segment>, Self)> {
        Self::cut_at(segments, CutPlaces::Length)
    }

    /// Cuts refused texts after each sentence. `None` if no text has two sentences.
    pub(super) fn of_sentences(segments: &[Segment]) -> Option<(Vec<Segment>, Self)> {
        Self::cut_at(segments, CutPlaces::Sentences)
    }

    fn cut_at(segments: &[Segment], places: CutPlaces) -> Option<(Vec<Segment>, Self)> {
        let mut cuts = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            cuts.extend(Cuts::of(segment, places).map(|cuts| (index, segment, cuts)));
        }
        if cuts.is_empty() {
            return None;
        }
        let mut all = segments.to_vec();
        let mut parts = Self {
            long: Vec::new(),
            owners: Vec::new(),
            whole: segments.len(),
            places,
        };
        for (index, segment, cut) in cuts {
            parts.cut(index, segment, cut, &mut all);
        }
        Some((all, parts))
    }

    fn cut(&mut self, index: usize, segment: &Segment, cuts: Cuts, all: &mut Vec<Segment>) {
        let mut members = Vec::new();
        let text = cuts
            .folded
            .as_ref()
            .map_or(&segment.text, |folded| &folded.text);
        let pieces: Vec<TextPiece<'_>> = text.pieces().collect();
        for stretch in stretches(&pieces, &cuts) {
            for text in stretch.cut(self.places) {
                if !text.has_letter() {
                    members.push(LongMember::Keep(text));
                    continue;
                }
                let (before, after) = edges(&text);
                let (part, ids) = part_of(segment, &text);
                members.extend(before.map(LongMember::Keep));
                self.owners.push((self.long.len(), members.len()));
                all.push(part);
                members.push(LongMember::Part(ids));
                members.extend(after.map(LongMember::Keep));
            }
        }
        let open = members
            .iter()
            .filter(|member| matches!(member, LongMember::Part(_)))
            .count();
        let folded = cuts.folded;
        // No text may be added where scripts count the nodes.
        let is_dense = is_dense(segment.text.text()) && !segment.keeps_nodes;
        self.long.push(Long {
            index,
            folded,
            is_dense,
            members,
            open,
            engine: None,
            refusal: None,
            is_partly: false,
            is_unavailable: false,
        });
    }

    /// True for texts that are not sent as they are: cut into parts, or already asked for.
    pub(super) fn stands_for(&self, index: usize) -> bool {
        let is_cut = self
            .long
            .binary_search_by_key(&index, |long| long.index)
            .is_ok();
        is_cut || (self.ask_again() && !self.is_part(index))
    }

    /// True if the texts were already asked for as a whole.
    pub(super) fn ask_again(&self) -> bool {
        self.places == CutPlaces::Sentences
    }

    /// Whether something is a part of a longer text.
    pub(super) fn is_part(&self, index: usize) -> bool {
        index >= self.whole
    }

    /// The text that something is, or is a part of.
    pub(super) fn whole(&self, index: usize) -> usize {
        let part = index
            .checked_sub(self.whole)
            .and_then(|part| self.owners.get(part));
        part.and_then(|(owner, _)| self.long.get(*owner))
            .map_or(index, |long| long.index)
    }

    /// Takes what became of a text or part; gives what became of the text, once all of its parts are known.
    pub(super) fn take(
        &mut self,
        segments: &[Segment],
        index: usize,
        outcome: SegmentOutcome,
    ) -> Option<(usize, SegmentOutcome)> {
        let Some(part) = index.checked_sub(self.whole) else {
            return Some((index, outcome));
        };
        let &(owner, member) = self.owners.get(part)?;
        let source = || {
            segments
                .get(index)
                .map(|segment| segment.text.clone())
                .unwrap_or_default()
        };
        let long = self.long.get_mut(owner)?;
        let text = match outcome {
            SegmentOutcome::Translated { text, engine } => {
                // The engine that made the words, if rules made some of them.
                if long.engine.as_deref().is_none_or(|known| known == BY_RULES) {
                    long.engine = Some(engine);
                }
                text
            }
            SegmentOutcome::Untouched => source(),
            SegmentOutcome::Refused(mut refusal) => {
                let partly = refusal.partly.take();
                long.is_partly |= partly.is_some();
                long.refuse(refusal);
                partly.unwrap_or_else(source)
            }
            SegmentOutcome::Unavailable => {
                long.is_unavailable = true;
                source()
            }
        };
        if let Some(place) = long.members.get_mut(member)
            && let LongMember::Part(ids) = place
        {
            *place = LongMember::Keep(text.pieces().map(|piece| renumbered(piece, ids)).collect());
        }
        long.open -= 1;
        (long.open == 0).then(|| (long.index, long.outcome()))
    }
}

impl Long {
    /// One part that is refused for good refuses the whole for good.
    fn refuse(&mut self, refusal: RefusedSegment) {
        match &mut self.refusal {
            // What is kept is said for good, so it is what a part is refused for good for.
            Some(known) => {
                let answered = known.answered && refusal.answered;
                if refusal.lasting && !known.lasting {
                    *known = refusal;
                }
                known.answered = answered;
            }
            None => self.refusal = Some(refusal),
        }
    }

    fn outcome(&mut self) -> SegmentOutcome {
        match (self.refusal.take(), self.engine.take()) {
            (Some(refusal), engine) => {
                let is_partly = (engine.is_some() || self.is_partly)
                    && refusal.answered
                    && !self.is_unavailable;
                SegmentOutcome::Refused(RefusedSegment {
                    partly: if is_partly { Some(self.text()) } else { None },
                    ..refusal
                })
            }
            (None, _) if self.is_unavailable => SegmentOutcome::Unavailable,
            (None, Some(engine)) => SegmentOutcome::Translated {
                text: self.text(),
                engine,
            },
            (None, None) => SegmentOutcome::Untouched,
        }
    }

    /// The text joined from its parts; refused parts keep the source's words.
    fn text(&mut self) -> CodedText {
        let members = std::mem::take(&mut self.members);
        let kept = members.into_iter().filter_map(|member| match member {
            LongMember::Keep(text) => Some(text),
            LongMember::Part(_) => None,
        });
        let kept: Vec<CodedText> = kept.collect();
        let text = if self.is_dense {
            with_spaces(&kept)
        } else {
            kept.iter().flat_map(CodedText::pieces).collect()
        };
        self.folded
            .as_ref()
            .map_or(text.clone(), |folded| folded.unfold(&text))
    }
}

/// Cuts of a text, and its form with whole words.
struct Cuts {
    /// The text with whole words, if it has others.
    folded: Option<Folded>,
    /// The pieces before which another text begins.
    borders: Vec<usize>,
    /// Sentences to cut at, in bytes of the text without codes.
    sentences: Vec<Range<usize>>,
}

impl Cuts {
    /// `None` for a text that engines get as it is.
    fn of(segment: &Segment, places: CutPlaces) -> Option<Self> {
        if has_row_of_letters(segment) {
            return None;
        }
        let folded = Folded::of(segment);
        let text = folded.as_ref().map_or(&segment.text, |folded| &folded.text);
        let borders = if text.has_codes() {
            borders(segment, &text.pieces().collect::<Vec<_>>())
        } else {
            Vec::new()
        };
        let sentences = match places {
            CutPlaces::Length => Vec::new(),
            CutPlaces::Sentences => sentences(text.text()),
        };
        let is_cut = match places {
            CutPlaces::Length => folded.is_some() || !borders.is_empty() || is_long(text),
            CutPlaces::Sentences => !borders.is_empty() || sentences.len() > 1,
        };
        if is_cut {
            Some(Self {
                folded,
                borders,
                sentences,
            })
        } else {
            None
        }
    }

    /// True if another text or a sentence begins inside pieces with these bytes.
    fn part(&self, pieces: Range<usize>, bytes: Range<usize>) -> bool {
        let border = self
            .borders
            .partition_point(|border| *border <= pieces.start);
        let sentence = self
            .sentences
            .partition_point(|sentence| sentence.start <= bytes.start);
        self.borders
            .get(border)
            .is_some_and(|border| *border <= pieces.end)
            || self
                .sentences
                .get(sentence)
                .is_some_and(|sentence| sentence.start < bytes.end)
    }

    /// The kind of cut at a byte of the text, which is at least a code's.
    fn kind(&self, at: usize) -> CutQuality {
        let next = self
            .sentences
            .partition_point(|sentence| sentence.start < at);
        let has_next = next < self.sentences.len();
        match next
            .checked_sub(1)
            .map(|last| self.sentences[last].end <= at)
        {
            Some(true) if has_next => CutQuality::Sentence,
            Some(_) | None => CutQuality::Code,
        }
    }
}

fn is_long(text: &CodedText) -> bool {
    let length = |piece: TextPiece<'_>| {
        if let TextPiece::Text(text) = piece {
            text.len()
        } else {
            1
        }
    };
    let bytes: usize = text.pieces().map(length).sum();
    bytes > LONGEST && text.pieces().map(weight).sum::<usize>() > LONGEST
}

/// Characters; a code counts as one.
fn weight(piece: TextPiece<'_>) -> usize {
    if let TextPiece::Text(text) = piece {
        text.chars().count()
    } else {
        1
    }
}

fn renumbered<'t>(piece: TextPiece<'t>, ids: &[u32]) -> TextPiece<'t> {
    let own = |id: u32| {
        ids.get((id as usize).wrapping_sub(1))
            .copied()
            .unwrap_or(id)
    };
    match piece {
        TextPiece::Text(text) => TextPiece::Text(text),
        TextPiece::Open(id) => TextPiece::Open(own(id)),
        TextPiece::Close(id) => TextPiece::Close(own(id)),
        TextPiece::Single(id) => TextPiece::Single(own(id)),
    }
}

/// A stretch between ends of pairs that hold too much, as what cannot be cut further: pairs, codes and sentences.
struct LongStretch<'a> {
    /// An end of a pair; it stays.
    end: Option<TextPiece<'a>>,
    grains: Vec<Grain<'a>>,
}

/// What is never cut, and what may happen behind it.
struct Grain<'a> {
    text: Result<&'a str, &'a [TextPiece<'a>]>,
    weight: usize,
    after: CutQuality,
}

/// How well a text may be cut somewhere, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CutQuality {
    Code,
    Word,
    Sentence,
}

/// Finds the stretches; their pieces in order are those of the text.
fn stretches<'t>(pieces: &'t [TextPiece<'t>], cuts: &Cuts) -> Vec<LongStretch<'t>> {
    let ends = ends(pieces, cuts);
    let mut found = vec![LongStretch {
        end: None,
        grains: Vec::new(),
    }];
    let mut at = 0;
    let mut bytes = 0;
    while let Some(&piece) = pieces.get(at) {
        if cuts.borders.binary_search(&at).is_ok() {
            found.push(LongStretch {
                end: None,
                grains: Vec::new(),
            });
        }
        let (next, mut grains) = match piece {
            TextPiece::Text(text) => (at + 1, grains(text)),
            TextPiece::Open(_) if ends[at] > at => {
                let pair = &pieces[at..=ends[at]];
                let weight = pair.iter().copied().map(weight).sum();
                (
                    ends[at] + 1,
                    vec![Grain {
                        text: Err(pair),
                        weight,
                        after: CutQuality::Code,
                    }],
                )
            }
            TextPiece::Single(_) => (
                at + 1,
                vec![Grain {
                    text: Err(&pieces[at..=at]),
                    weight: 1,
                    after: CutQuality::Code,
                }],
            ),
            TextPiece::Open(_) | TextPiece::Close(_) => {
                found.push(LongStretch {
                    end: Some(piece),
                    grains: Vec::new(),
                });
                (at + 1, Vec::new())
            }
        };
        for grain in &mut grains {
            bytes += grain.bytes();
            if !cuts.sentences.is_empty() {
                grain.after = cuts.kind(bytes);
            }
        }
        if let Some(stretch) = found.last_mut() {
            stretch.grains.extend(grains);
        }
        at = next;
    }
    found
}

/// For each start of a pair that goes as one the index of its end; 0 for all else.
fn ends(pieces: &[TextPiece<'_>], cuts: &Cuts) -> Vec<usize> {
    let mut ends = vec![0; pieces.len()];
    let mut open = Vec::new();
    let mut total = 0;
    let mut bytes = 0;
    for (at, piece) in pieces.iter().enumerate() {
        total += weight(*piece);
        match piece {
            TextPiece::Open(_) => open.push((at, total, bytes)),
            TextPiece::Close(_) => {
                let start = open.pop().filter(|(_, before, _)| total - before < LONGEST);
                if let Some((start, _, first)) = start
                    && !cuts.part(start..at, first..bytes)
                {
                    ends[start] = at;
                }
            }
            TextPiece::Text(text) => bytes += text.len(),
            TextPiece::Single(_) => {}
        }
    }
    ends
}

/// The sentences of a text, each with the white space after it; a long one in words.
fn grains(text: &str) -> Vec<Grain<'_>> {
    const MANY: usize = 1_000;
    let ranges = sentences(text);
    let mut grains = Vec::with_capacity(ranges.len());
    let mut start = 0;
    for (index, _) in ranges.iter().enumerate() {
        let (end, after) = match ranges.get(index + 1) {
            Some(next) => (next.start, CutQuality::Sentence),
            None => (text.len(), CutQuality::Code),
        };
        let sentence = start..end;
        start = end;
        let mut begin = sentence.start;
        let mut length = 0;
        let mut in_space = false;
        for (at, character) in text[sentence.clone()].char_indices() {
            let at = sentence.start + at;
            if in_space && !character.is_whitespace() && length >= MANY {
                grains.push(Grain {
                    text: Ok(&text[begin..at]),
                    weight: length,
                    after: CutQuality::Word,
                });
                (begin, length) = (at, 0);
            }
            in_space = character.is_whitespace();
            length += 1;
        }
        grains.push(Grain {
            text: Ok(&text[begin..sentence.end]),
            weight: length,
            after,
        });
    }
    if ranges.is_empty() {
        grains.push(Grain {
            text: Ok(text),
            weight: text.chars().count(),
            after: CutQuality::Code,
        });
    }
    grains
}

impl Grain<'_> {
    /// Length in bytes without codes.
    fn bytes(&self) -> usize {
        let length = |piece: &TextPiece<'_>| {
            if let TextPiece::Text(text) = piece {
                text.len()
            } else {
                0
            }
        };
        match self.text {
            Ok(text) => text.len(),
            Err(pieces) => pieces.iter().map(length).sum(),
        }
    }
}

impl LongStretch<'_> {
    /// The text of each part, none longer than engines take where that is possible.
    fn cut(&self, places: CutPlaces) -> Vec<CodedText> {
        let mut parts: Vec<CodedText> = self
            .end
            .map(|end| std::iter::once(end).collect())
            .into_iter()
            .collect();
        let mut rest = 0..self.grains.len();
        while !rest.is_empty() {
            let part = rest.start..self.end_of_part(rest.clone(), places);
            rest.start = part.end;
            let mut text = CodedText::default();
            for grain in &self.grains[part] {
                match grain.text {
                    Ok(words) => text.push_text(words),
                    Err(codes) => text.extend(codes.iter().copied()),
                }
            }
            parts.push(text);
        }
        parts
    }

    /// End of the first part of some grains: the last sentence that still fits, or the first where texts are cut at each;
    /// else at a word, else at a code.
    fn end_of_part(&self, range: Range<usize>, places: CutPlaces) -> usize {
        let mut length = 0;
        let mut best = None;
        for (at, grain) in self.grains[range.clone()].iter().enumerate() {
            length += grain.weight;
            if length > LONGEST {
                let end = best.map_or(at.max(1), |(end, _)| end);
                return range.start + end;
            }
            if best.is_none_or(|(_, cut)| grain.after >= cut) {
                best = Some((at + 1, grain.after));
            }
            if places == CutPlaces::Sentences && grain.after == CutQuality::Sentence {
                return range.start + at + 1;
            }
        }
        range.end
    }
}

/// The white space at the ends of a part.
fn edges(text: &CodedText) -> (Option<CodedText>, Option<CodedText>) {
    let space = |text: &str| Some(CodedText::plain(text)).filter(|_| !text.is_empty());
    let before = match text.pieces().next() {
        Some(TextPiece::Text(first)) => space(&first[..first.len() - first.trim_start().len()]),
        Some(TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_)) | None => None,
    };
    let after = match text.pieces().next_back() {
        Some(TextPiece::Text(last)) => space(&last[last.trim_end().len()..]),
        Some(TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_)) | None => None,
    };
    (before, after)
}

#[cfg(test)]
mod tests;
