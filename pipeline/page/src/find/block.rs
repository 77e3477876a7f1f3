//! From the parts of a block to its units: pairs, splits, trimming, text.

use std::ops::Range;

use super::cut_address::PairedParts;
use super::found::PageFindings;
use super::part::{BlockPart, PartKind, text_of};
use super::stack::Nearest;
use super::unit::{TextUnit, UnitContext};
use crate::html::element::{ElementFlow, ElementName};
use crate::html::space::{is_space, trim};
use crate::html::span::{ByteSpan, short};
use crate::text::code::CodeKind;

/// What a block knows beside its parts.
pub(crate) struct BlockContext<'a> {
    pub(crate) source: &'a [u8],
    /// Where in the source texts with a letter or digit stand.
    pub(crate) shown: &'a [u32],
    pub(crate) around: UnitContext,
}

/// Elements that are used one by one: side by side, with no word between them, each has a text of its own.
const SINGLE_USE: [&str; 4] = ["a", "button", "label", "summary"];

/// How far back the start of an inline element is looked for; deeper ones exist only to hurt.
const DEEP: usize = 512;

/// How deep such elements inside each other are taken apart; deeper ones exist only to hurt.
const SPLIT_DEPTH: usize = 8;

/// Turns the parts of a block into units.
pub(crate) fn finish(
    block: &BlockContext<'_>,
    parts: &mut [BlockPart],
    room: &mut LineBuffers,
    found: &mut PageFindings,
) {
    // Most blocks are one text, and most of those the white space between two tags.
    if let [part] = parts
        && part.is_text()
    {
        found.steps += 2;
        return finish_unit(block, parts, found);
    }
    if parts
        .iter()
        .filter(|part| is_break(block.source, part))
        .nth(1)
        .is_none()
    {
        return finish_line(block, parts, room, found);
    }
    for line in lines(block.source, parts) {
        finish_line(block, &mut parts[line], room, found);
    }
}

fn is_break(source: &[u8], part: &BlockPart) -> bool {
    part.kind == PartKind::Code(CodeKind::Void) && &*part.name(source) == "br"
}

/// Cuts at two or more `<br>` in a row (step 6).
fn lines(source: &[u8], parts: &[BlockPart]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut line = 0..0;
    let mut breaks = 0;
    for (index, part) in parts.iter().enumerate() {
        if is_break(source, part) || (breaks > 0 && is_blank(source, part)) {
            breaks += usize::from(is_break(source, part));
            continue;
        }
        if breaks < 2 {
            line.end = index + 1;
        } else {
            lines.push(line);
            line = index..index + 1;
        }
        breaks = 0;
    }
    lines.push(line);
    lines
}

fn is_blank(source: &[u8], part: &BlockPart) -> bool {
    let first = source[part.span.range()]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    let may_show_nothing = |byte: &u8| *byte == b'&' || *byte == 0xc2 || byte.is_ascii_control();
    part.is_text()
        && first.is_none_or(|byte| {
            may_show_nothing(byte) && text_of(source, part).chars().all(is_space)
        })
}

/// What lines are taken apart in: each has the room of the one before it.
#[derive(Default)]
pub(crate) struct LineBuffers {
    open: OpenParts,
    mates: Mates,
    /// For each part of a line how many of those before it show a letter.
    letters: Vec<u32>,
}

/// The start tags of a line that wait for their end.
#[derive(Default)]
struct OpenParts {
    /// The index of each, and where the one of its name before it stands here, counted from 1.
    parts: Vec<(u32, u32)>,
    nearest: Nearest,
}

impl OpenParts {
    fn push(&mut self, index: usize, name: &ElementName) {
        let same = self.nearest.enter(name, self.parts.len() + 1);
        self.parts.push((short(index), short(same)));
    }

    /// Takes the innermost of that name away, and what it holds; gives its index.
    fn close(&mut self, source: &[u8], parts: &[BlockPart], name: &ElementName) -> Option<usize> {
        let at = self
            .nearest
            .of(name)
            .checked_sub(1)
            .filter(|at| at + DEEP >= self.parts.len())?;
        self.close_to(source, parts, at)
    }

    /// Takes all from that depth on away; gives the index of the outermost.
    fn close_to(&mut self, source: &[u8], parts: &[BlockPart], at: usize) -> Option<usize> {
        let mut start = None;
        while self.parts.len() > at {
            let (index, same) = self.parts.pop()?;
            self.nearest
                .leave(&parts[index as usize].name(source), same as usize);
            start = Some(index as usize);
        }
        start
    }
}

/// The parts of a line with their other halves.
struct LineParts<'p> {
    parts: &'p mut [BlockPart],
    mates: &'p Mates,
}

/// For each part of a pair, the index of the other, counted from 1; 0 for all else.
#[derive(Default)]
struct Mates(Vec<u32>);

impl Mates {
    /// None yet among so many parts.
    fn clear(&mut self, parts: usize) {
        self.0.clear();
        self.0.resize(parts, 0);
    }

    fn of(&self, index: usize) -> Option<usize> {
        self.0
            .get(index)
            .and_then(|&mate| mate.checked_sub(1))
            .map(|mate| mate as usize)
    }

    fn set(&mut self, index: usize, mate: usize) {
        if let Some(place) = self.0.get_mut(index) {
            *place = u32::try_from(mate + 1).unwrap_or_default();
        }
    }
}

impl<'p> LineParts<'p> {
    /// Finds the other halves; an element without a letter in it is one code: there is nothing in it to translate.
    fn new(source: &[u8], parts: &'p mut [BlockPart], room: &'p mut LineBuffers) -> Self {
        if parts.iter().all(BlockPart::is_text) {
            room.mates.clear(0);
            return Self {
                parts,
                mates: &room.mates,
            };
        }
        pair(source, parts, room);
        let mut count = with_whole_addresses(source, parts, &room.mates);
        if count < parts.len() {
            pair(source, &mut parts[..count], room);
        }
        let more = without_letterless_pairs(source, &mut parts[..count], room);
        if more < count {
            count = more;
            pair(source, &mut parts[..count], room);
        }
        Self {
            parts: &mut parts[..count],
            mates: &room.mates,
        }
    }

    /// The pairs that each have a text of their own, when the line is nothing but such pairs.
    fn single_uses(&self, source: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
        let mut pairs = Vec::new();
        let mut index = range.start;
        while index < range.end {
            let part = &self.parts[index];
            match (&part.kind, self.mates.of(index)) {
                (PartKind::Code(CodeKind::Paired), Some(mate))
                    if SINGLE_USE.contains(&&*part.name(source)) =>
                {
                    pairs.push(index..mate + 1);
                    index = mate + 1;
                }
                (PartKind::Text { .. }, _) if !has_letter(source, part) => index += 1,
                (PartKind::Code(CodeKind::Void), _) => index += 1,
                _ => return Vec::new(),
            }
        }
        pairs
    }

    /// Leaves out white space, codes and pairs at the edges (step 3).
    fn trimmed(&self, block: &BlockContext<'_>, mut range: Range<usize>) -> Range<usize> {
        let outside = |index: usize| match self.parts[index].kind {
            PartKind::Text { .. } => is_blank(block.source, &self.parts[index]),
            PartKind::Code(CodeKind::Void | CodeKind::LoneStart | CodeKind::LoneEnd) => true,
            PartKind::Code(CodeKind::Protected) => {
                let part = &self.parts[index];
                part.name(block.source).flow() == ElementFlow::Nested
                    || !block.shows_something(part.span)
            }
            PartKind::Code(CodeKind::Paired) | PartKind::End => false,
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

/// Finds the other halves of the tags among parts.
fn pair(source: &[u8], parts: &mut [BlockPart], LineBuffers { open, mates, .. }: &mut LineBuffers) {
    mates.clear(parts.len());
    for index in 0..parts.len() {
        match parts[index].kind {
            PartKind::Code(CodeKind::Paired) => open.push(index, &parts[index].name(source)),
            PartKind::Code(CodeKind::LoneEnd) => {
                if let Some(start) = open.close(source, parts, &parts[index].name(source)) {
                    parts[index].kind = PartKind::End;
                    mates.set(start, index);
                    mates.set(index, start);
                }
            }
            PartKind::Code(_) | PartKind::Text { .. } | PartKind::End => {}
        }
    }
    for (index, part) in parts.iter_mut().enumerate() {
        if part.kind == PartKind::Code(CodeKind::Paired) && mates.of(index).is_none() {
            part.kind = PartKind::Code(CodeKind::LoneStart);
        }
    }
    open.close_to(source, parts, 0);
}

/// Makes mail addresses that tags cut one code each; gives how many parts are left, which are the first ones.
fn with_whole_addresses(source: &[u8], parts: &mut [BlockPart], mates: &Mates) -> usize {
    let next = |parts: &[BlockPart], from| {
        PairedParts {
            source,
            parts,
            mate: |index| mates.of(index),
        }
        .next(from)
    };
    let Some(mut address) = next(parts, 0) else {
        return parts.len();
    };
    let mut whole = Vec::with_capacity(parts.len());
    let mut from = 0;
    loop {
        whole.extend(parts[from..address.first].iter().map(waiting));
        let first = parts[address.first];
        let last = parts[address.last];
        let before = ByteSpan::from(first.span.start()..address.span.start());
        whole.extend((before.len() > 0).then_some(BlockPart {
            span: before,
            ..first
        }));
        let tag = parts[address.first..=address.last]
            .iter()
            .find(|part| !part.is_text());
        let element = tag.map_or(u8::MAX, |tag| tag.element);
        whole.push(BlockPart {
            span: address.span,
            kind: PartKind::Code(CodeKind::Protected),
            element,
        });
        from = address.last + 1;
        let after = ByteSpan::from(address.span.end()..last.span.end());
        whole.extend((after.len() > 0).then_some(BlockPart {
            span: after,
            ..last
        }));
        match next(parts, from) {
            Some(more) => address = more,
            None => break,
        }
    }
    whole.extend(parts[from..].iter().map(waiting));
    parts[..whole.len()].copy_from_slice(&whole);
    whole.len()
}

/// A part whose other half is looked for again.
fn waiting(part: &BlockPart) -> BlockPart {
    let kind = match part.kind {
        PartKind::End => PartKind::Code(CodeKind::LoneEnd),
        PartKind::Code(CodeKind::LoneStart) => PartKind::Code(CodeKind::Paired),
        other => other,
    };
    BlockPart { kind, ..*part }
}

/// Makes elements without a letter in them one code each; gives how many parts are left, which are the first ones.
fn without_letterless_pairs(
    source: &[u8],
    parts: &mut [BlockPart],
    LineBuffers { mates, letters, .. }: &mut LineBuffers,
) -> usize {
    let is_start = |part: &BlockPart| part.kind == PartKind::Code(CodeKind::Paired);
    if !parts.iter().any(is_start) {
        return parts.len();
    }
    let before = parts.iter().scan(0, |before, part| {
        let letters = *before;
        *before += u32::from(has_letter(source, part));
        Some(letters)
    });
    letters.clear();
    letters.extend(before);
    let letterless = |parts: &[BlockPart], index: usize| {
        mates
            .of(index)
            .filter(|&mate| is_start(&parts[index]) && letters[index] == letters[mate])
    };
    if (0..parts.len()).all(|index| letterless(parts, index).is_none()) {
        return parts.len();
    }
    // What is kept moves to the front.
    let mut index = 0;
    let mut kept = 0;
    while index < parts.len() {
        let part = parts[index];
        if let Some(mate) = letterless(parts, index) {
            let span = ByteSpan::from(part.span.start()..parts[mate].span.end());
            parts[kept] = BlockPart {
                span,
                kind: PartKind::Code(CodeKind::Protected),
                ..part
            };
            index = mate + 1;
        } else {
            parts[kept] = waiting(&part);
            index += 1;
        }
        kept += 1;
    }
    kept
}

impl BlockContext<'_> {
    /// Whether markup shows a letter or digit.
    fn shows_something(&self, markup: ByteSpan) -> bool {
        let next = self
            .shown
            .partition_point(|&at| (at as usize) < markup.start());
        self.shown
            .get(next)
            .is_some_and(|&at| (at as usize) < markup.end())
    }
}

fn finish_line(
    block: &BlockContext<'_>,
    parts: &mut [BlockPart],
    room: &mut LineBuffers,
    found: &mut PageFindings,
) {
    found.steps += parts.len() as u64;
    let line = LineParts::new(block.source, parts, room);
    if let Some(range) = finish_range(block, &line, 0..line.parts.len(), SPLIT_DEPTH, found) {
        finish_unit(block, &line.parts[range], found);
    }
}

/// Splits a range at elements that have a text of their own; where there is nothing to split, gives what is a unit.
fn finish_range(
    block: &BlockContext<'_>,
    line: &LineParts<'_>,
    range: Range<usize>,
    depth: usize,
    found: &mut PageFindings,
) -> Option<Range<usize>> {
    found.steps += range.len() as u64;
    let range = line.trimmed(block, range);
    let uses = line.single_uses(block.source, range.clone());
    if uses.len() < 2 || depth == 0 {
        return Some(range);
    }
    for pair in uses {
        if let Some(range) = finish_range(block, line, pair, depth - 1, found) {
            finish_unit(block, &line.parts[range], found);
        }
    }
    None
}

/// Makes a unit of parts, where they hold a letter.
fn finish_unit(block: &BlockContext<'_>, parts: &[BlockPart], found: &mut PageFindings) {
    if parts.iter().any(|part| has_letter(block.source, part)) {
        let start = found.parts.len();
        found.parts.extend_from_slice(parts);
        trim_edges(block.source, &mut found.parts[start..]);
        found
            .units
            .push(TextUnit::line(start..found.parts.len(), &block.around));
    }
}

/// White space at the edges stays outside the unit.
fn trim_edges(source: &[u8], parts: &mut [BlockPart]) {
    if let Some(BlockPart {
        span,
        kind: PartKind::Text { .. },
        ..
    }) = parts.first_mut()
    {
        *span = (trim(source, span.range()).start..span.end()).into();
    }
    if let Some(BlockPart {
        span,
        kind: PartKind::Text { .. },
        ..
    }) = parts.last_mut()
    {
        *span = (span.start()..trim(source, span.range()).end).into();
    }
}

/// Whether a part shows a letter.
fn has_letter(source: &[u8], part: &BlockPart) -> bool {
    if !part.is_text() {
        return false;
    }
    // What stands before the first reference and the first other character is read as it is written.
    let raw = &source[part.span.range()];
    match raw
        .iter()
        .find(|byte| byte.is_ascii_alphabetic() || **byte == b'&' || !byte.is_ascii())
    {
        Some(first) => {
            first.is_ascii_alphabetic() || crate::text::coded::has_letter(&text_of(source, part))
        }
        None => false,
    }
}
