//! From the parts of a block to its units: pairs, splits, trimming, text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::element::{Flow, Name};
use super::render::without_controls;
use super::rules::LocaleFilter;
use super::scan::TextKind;
use super::segment::{Found, OptionValue, Place, Unit};
use super::space::{collapse, is_space, trim};
use super::stack::Nearest;
use super::text::{Code, CodeKind, CodedText, Piece};
use super::{Segment, TextClass};

/// A stretch of a block: text, or what becomes an inline code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    pub(super) kind: PartKind,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text {
        kind: TextKind,
        /// White space is kept as it is.
        preserve: bool,
    },
    /// A tag, an element or a comment. A start tag is `Paired` and an end tag `LoneEnd` until [`finish`] has
    /// looked for the other half.
    Code(CodeKind, Name),
    /// The end tag of a pair.
    End,
}

/// What a block knows beside its parts.
pub(super) struct Block<'a> {
    pub(super) source: &'a [u8],
    /// Where in the source texts with a letter or digit stand.
    pub(super) shown: &'a [u32],
    /// The element it stands in.
    pub(super) origin: Cow<'static, str>,
    pub(super) option: Option<Arc<OptionValue>>,
    pub(super) filter: Option<Arc<LocaleFilter>>,
    pub(super) keeps_nodes: bool,
}

/// Elements that are used one by one: side by side, with no word between them, each has a text of its own.
const SINGLE_USE: [&str; 4] = ["a", "button", "label", "summary"];

/// How far back the start of an inline element is looked for; deeper ones exist only to hurt.
const DEEP: usize = 512;

/// How deep such elements inside each other are taken apart; deeper ones exist only to hurt.
const SPLIT_DEPTH: usize = 8;

/// Turns the parts of a block into units.
pub(super) fn finish(block: &Block<'_>, parts: Vec<Part>, found: &mut Found) {
    for line in split_at_breaks(block.source, parts) {
        let line = Line::new(line);
        found.steps += line.parts.len() as u64;
        finish_line(block, line.without_letterless_pairs(block.source), found);
    }
}

/// Cuts at two or more `<br>` in a row (step 6).
fn split_at_breaks(source: &[u8], parts: Vec<Part>) -> Vec<Vec<Part>> {
    let is_break = |part: &Part| matches!(&part.kind, PartKind::Code(CodeKind::Void, name) if &**name == "br");
    if parts.iter().filter(|part| is_break(part)).count() < 2 {
        return vec![parts];
    }
    let mut lines = vec![Vec::new()];
    let mut run: Vec<Part> = Vec::new();
    let mut breaks = 0;
    for part in parts {
        if is_break(&part) || (breaks > 0 && is_blank(source, &part)) {
            breaks += usize::from(is_break(&part));
            run.push(part);
            continue;
        }
        match lines.last_mut() {
            Some(line) if breaks < 2 => line.append(&mut run),
            _ => lines.push(Vec::new()),
        }
        run.clear();
        breaks = 0;
        if let Some(line) = lines.last_mut() {
            line.push(part);
        }
    }
    lines
}

fn is_blank(source: &[u8], part: &Part) -> bool {
    let first = source[part.range.clone()].iter().find(|byte| !byte.is_ascii_whitespace());
    let may_show_nothing = |byte: &u8| *byte == b'&' || *byte == 0xc2 || byte.is_ascii_control();
    matches!(part.kind, PartKind::Text { .. })
        && first.is_none_or(|byte| may_show_nothing(byte) && text_of(source, part).chars().all(is_space))
}

/// The start tags of a line that wait for their end.
#[derive(Default)]
struct OpenParts {
    /// Index and name of each, and where the one of its name before it stands here, counted from 1.
    parts: Vec<(usize, Name, usize)>,
    nearest: Nearest,
}

impl OpenParts {
    fn push(&mut self, index: usize, name: &Name) {
        let same = self.nearest.enter(name, self.parts.len() + 1);
        self.parts.push((index, name.clone(), same));
    }

    /// Takes the innermost of that name away, and what it holds; gives its index.
    fn close(&mut self, name: &Name) -> Option<usize> {
        let at = self.nearest.of(name).checked_sub(1).filter(|at| at + DEEP >= self.parts.len())?;
        let mut start = None;
        while self.parts.len() > at {
            let (index, name, same) = self.parts.pop()?;
            self.nearest.leave(&name, same);
            start = Some(index);
        }
        start
    }
}

/// The parts of a line with their other halves.
struct Line {
    parts: Vec<Part>,
    mates: Mates,
}

/// For each part of a pair, the index of the other, counted from 1; 0 for all else.
struct Mates(Vec<u32>);

impl Mates {
    fn of(&self, index: usize) -> Option<usize> {
        self.0.get(index).and_then(|&mate| mate.checked_sub(1)).map(|mate| mate as usize)
    }

    fn set(&mut self, index: usize, mate: usize) {
        if let Some(place) = self.0.get_mut(index) {
            *place = u32::try_from(mate + 1).unwrap_or_default();
        }
    }
}

impl Line {
    fn new(mut parts: Vec<Part>) -> Self {
        let mut mates = Mates(vec![0; parts.len()]);
        let mut open = OpenParts::default();
        for (index, part) in parts.iter_mut().enumerate() {
            match &part.kind {
                PartKind::Code(CodeKind::Paired, name) => open.push(index, name),
                PartKind::Code(CodeKind::LoneEnd, name) => {
                    if let Some(start) = open.close(name) {
                        part.kind = PartKind::End;
                        mates.set(start, index);
                        mates.set(index, start);
                    }
                }
                PartKind::Code(..) | PartKind::Text { .. } | PartKind::End => {}
            }
        }
        for (index, part) in parts.iter_mut().enumerate() {
            if let PartKind::Code(kind @ CodeKind::Paired, _) = &mut part.kind
                && mates.of(index).is_none()
            {
                *kind = CodeKind::LoneStart;
            }
        }
        Self { parts, mates }
    }

    /// An element without a letter in it is one code: there is nothing in it to translate.
    fn without_letterless_pairs(self, source: &[u8]) -> Self {
        if self.parts.len() < 2 {
            return self;
        }
        let mut until = vec![0_u32; self.parts.len() + 1];
        for (index, part) in self.parts.iter().enumerate() {
            until[index + 1] = until[index] + u32::from(has_letter(source, part));
        }
        let is_letterless = |index: usize| match (self.mates.of(index), &self.parts[index].kind) {
            (Some(mate), PartKind::Code(CodeKind::Paired, name)) if until[index] == until[mate] => {
                Some((mate, name.clone()))
            }
            _ => None,
        };
        if (0..self.parts.len()).all(|index| is_letterless(index).is_none()) {
            return self;
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut index = 0;
        while index < self.parts.len() {
            let part = &self.parts[index];
            if let Some((mate, name)) = is_letterless(index) {
                let range = part.range.start..self.parts[mate].range.end;
                parts.push(Part { range, kind: PartKind::Code(CodeKind::Protected, name) });
                index = mate + 1;
                continue;
            }
            // Halves are looked for again below, among what is left.
            let kind = match (&part.kind, self.mates.of(index).map(|mate| &self.parts[mate].kind)) {
                (PartKind::End, Some(PartKind::Code(_, name))) => PartKind::Code(CodeKind::LoneEnd, name.clone()),
                (PartKind::Code(CodeKind::LoneStart, name), _) => PartKind::Code(CodeKind::Paired, name.clone()),
                (other, _) => other.clone(),
            };
            parts.push(Part { range: part.range.clone(), kind });
            index += 1;
        }
        Self::new(parts)
    }

    /// The pairs that each have a text of their own, when the line is nothing but such pairs.
    fn single_uses(&self, source: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
        let mut pairs = Vec::new();
        let mut index = range.start;
        while index < range.end {
            let part = &self.parts[index];
            match (&part.kind, self.mates.of(index)) {
                (PartKind::Code(CodeKind::Paired, name), Some(mate)) if SINGLE_USE.contains(&&**name) => {
                    pairs.push(index..mate + 1);
                    index = mate + 1;
                }
                (PartKind::Text { .. }, _) if !has_letter(source, part) => index += 1,
                (PartKind::Code(CodeKind::Void, _), _) => index += 1,
                _ => return Vec::new(),
            }
        }
        pairs
    }

    /// Leaves out white space, codes and pairs at the edges (step 3).
    fn trimmed(&self, block: &Block<'_>, mut range: Range<usize>) -> Range<usize> {
        let outside = |index: usize| match &self.parts[index].kind {
            PartKind::Text { .. } => is_blank(block.source, &self.parts[index]),
            PartKind::Code(CodeKind::Void | CodeKind::LoneStart | CodeKind::LoneEnd, _) => true,
            PartKind::Code(CodeKind::Protected, name) => {
                name.flow() == Flow::Nested || !block.shows_something(&self.parts[index].range)
            }
            PartKind::Code(CodeKind::Paired, _) | PartKind::End => false,
        };
        loop {
            while range.start < range.end && outside(range.start) {
                range.start += 1;
            }
            while range.start < range.end && outside(range.end - 1) {
                range.end -= 1;
            }
            match range.end.checked_sub(1) {
                Some(last) if range.start < last && self.mates.of(range.start) == Some(last) => {
                    range = range.start + 1..last;
                }
                Some(_) | None => return range,
            }
        }
    }
}

impl Block<'_> {
    /// Whether markup shows a letter or digit.
    fn shows_something(&self, markup: &Range<usize>) -> bool {
        let next = self.shown.partition_point(|&at| (at as usize) < markup.start);
        self.shown.get(next).is_some_and(|&at| (at as usize) < markup.end)
    }
}

fn finish_line(block: &Block<'_>, line: Line, found: &mut Found) {
    let Some(range) = finish_range(block, &line, 0..line.parts.len(), SPLIT_DEPTH, found) else { return };
    // The parts of a long line are not copied.
    let Line { mut parts, mates } = line;
    parts.truncate(range.end);
    parts.drain(..range.start);
    parts.shrink_to_fit();
    finish_unit(block, parts, (&mates, range.start), found);
}

/// Splits a range at elements that have a text of their own; where there is nothing to split, gives what is a unit.
fn finish_range(
    block: &Block<'_>,
    line: &Line,
    range: Range<usize>,
    depth: usize,
    found: &mut Found,
) -> Option<Range<usize>> {
    found.steps += range.len() as u64;
    let range = line.trimmed(block, range);
    let uses = line.single_uses(block.source, range.clone());
    if uses.len() < 2 || depth == 0 {
        return Some(range);
    }
    for pair in uses {
        if let Some(range) = finish_range(block, line, pair, depth - 1, found) {
            finish_unit(block, line.parts[range.clone()].to_vec(), (&line.mates, range.start), found);
        }
    }
    None
}

/// Makes a unit of parts; the mates are those of their line, in which they stand from `start` on.
fn finish_unit(block: &Block<'_>, mut parts: Vec<Part>, (mates, start): (&Mates, usize), found: &mut Found) {
    trim_edges(block.source, &mut parts);
    let (text, codes) = coded_text(block.source, (mates, start), &parts);
    if text.has_letter() {
        let segment = Segment {
            text,
            codes,
            class: TextClass::Prose,
            origin: block.origin.clone(),
            filter: block.filter.clone(),
            keeps_nodes: block.keeps_nodes,
        };
        found.units.push(Unit { segment, place: Place::Line { parts, option: block.option.clone() } });
    }
}

/// White space at the edges stays outside the unit.
fn trim_edges(source: &[u8], parts: &mut [Part]) {
    if let Some(Part { range, kind: PartKind::Text { .. } }) = parts.first_mut() {
        range.start = trim(source, range.clone()).start;
    }
    if let Some(Part { range, kind: PartKind::Text { .. } }) = parts.last_mut() {
        range.end = trim(source, range.clone()).end;
    }
}

fn coded_text(source: &[u8], (mates, start): (&Mates, usize), parts: &[Part]) -> (CodedText, Vec<Code>) {
    let mut pieces: Vec<Piece> = Vec::with_capacity(parts.len());
    let mut codes = Vec::with_capacity(parts.iter().filter(|part| matches!(part.kind, PartKind::Code(..))).count());
    let mut ids = vec![0_u32; parts.len()];
    for (index, part) in parts.iter().enumerate() {
        match &part.kind {
            PartKind::Text { .. } => match (text_of(source, part), pieces.last_mut()) {
                (text, _) if text.is_empty() => {}
                (text, Some(Piece::Text(last))) => join(last, &text, part),
                (text, _) => pieces.push(Piece::Text(text)),
            },
            PartKind::Code(kind, name) => {
                codes.push(Code { kind: *kind, element: name.to_cow() });
                let id = u32::try_from(codes.len()).unwrap_or(u32::MAX);
                ids[index] = id;
                pieces.push(if *kind == CodeKind::Paired { Piece::Open(id) } else { Piece::Single(id) });
            }
            PartKind::End => {
                let mate = mates.of(start + index).and_then(|mate| mate.checked_sub(start));
                pieces.push(Piece::Close(mate.and_then(|mate| ids.get(mate)).copied().unwrap_or(0)));
            }
        }
    }
    trim_text(pieces.first_mut(), |text| text.trim_start_matches(is_space));
    trim_text(pieces.last_mut(), |text| text.trim_end_matches(is_space));
    (CodedText(pieces), codes)
}

fn trim_text(piece: Option<&mut Piece>, trim: impl Fn(&str) -> &str) {
    if let Some(Piece::Text(text)) = piece {
        *text = trim(text).to_owned();
    }
}

/// Adds the text of a part to that of the part before it; white space where they meet is one space.
pub(super) fn join(last: &mut String, text: &str, part: &Part) {
    let meets = !matches!(part.kind, PartKind::Text { preserve: true, .. }) && last.ends_with(is_space);
    last.push_str(if meets { text.trim_start_matches(is_space) } else { text });
}

/// The text of a part as people read it.
pub(super) fn text_of(source: &[u8], part: &Part) -> String {
    let PartKind::Text { kind, preserve } = &part.kind else { return String::new() };
    let raw = String::from_utf8_lossy(&source[part.range.clone()]);
    let decoded = match kind {
        TextKind::Data | TextKind::Escapable => htmlize::unescape(raw),
        TextKind::Raw | TextKind::Cdata => raw,
    };
    match without_controls(&decoded) {
        text if *preserve => text.into_owned(),
        text => collapse(text),
    }
}

/// Whether a part shows a letter.
fn has_letter(source: &[u8], part: &Part) -> bool {
    if !matches!(part.kind, PartKind::Text { .. }) {
        return false;
    }
    let raw = &source[part.range.clone()];
    match raw.is_ascii() && !raw.contains(&b'&') {
        true => raw.iter().any(u8::is_ascii_alphabetic),
        false => super::text::has_letter(&text_of(source, part)),
    }
}
