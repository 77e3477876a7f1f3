//! What changes in a page: byte ranges, and what stands there instead.
//!
//! The new texts lie one after the other in one buffer, because a page may have a change every few bytes. A page whose
//! new texts would not fit into 4 GiB keeps its own where there is no more room.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::find::part::{BlockPart, PartKind};
use crate::html::span::{ByteSpan, short};
use crate::html::writing::only_xml;

/// Most bytes that the length of a text takes, seven bits in each.
const LENGTH: usize = 5;

/// Replacements by byte range; no two overlap, but one may lie inside another that was made from it.
#[derive(Debug, Default)]
pub(super) struct SourceEdits {
    /// By what they replace, where the text of each begins in `texts`.
    places: BTreeMap<ByteSpan, u32>,
    /// Each with its length before it.
    texts: Vec<u8>,
    /// Stretches that are left out with all that would change in them; none lies inside another.
    removed: BTreeMap<usize, usize>,
    /// How many bytes lines whose codes move may still copy.
    left: usize,
    /// The source is XML, which cannot hold every character.
    is_xml: bool,
}

impl SourceEdits {
    /// No edits of this source. Codes inside codes are copied once for each line that moves them, so what all lines
    /// copy has a bound.
    pub(super) fn of(source: &[u8]) -> Self {
        Self {
            left: source.len().saturating_mul(8) + (1 << 16),
            ..Self::default()
        }
    }

    /// The same for XML.
    pub(super) fn in_xml(self, is_xml: bool) -> Self {
        Self { is_xml, ..self }
    }

    pub(super) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.put(range, text.as_bytes());
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        match self.places.get(&ByteSpan::from(at..at)) {
            _ if text.is_empty() => {}
            None => self.put(at..at, text.as_bytes()),
            Some(&before) => self.put(at..at, &[self.text(before), text.as_bytes()].concat()),
        }
    }

    fn put(&mut self, range: Range<usize>, text: &[u8]) {
        let fit = if self.is_xml {
            only_xml(text)
        } else {
            Cow::Borrowed(text)
        };
        let text = &*fit;
        let start = self.texts.len();
        if start + LENGTH + text.len() < u32::MAX as usize {
            let mut length = text.len();
            while length >= 0x80 {
                self.texts.push(length as u8 | 0x80);
                length >>= 7;
            }
            self.texts.push(length as u8);
            self.texts.extend_from_slice(text);
            self.places.insert(range.into(), short(start));
        }
    }

    /// The text that begins there.
    fn text(&self, start: u32) -> &[u8] {
        let mut at = start as usize;
        let mut length = 0;
        let mut shift = 0;
        loop {
            let byte = self.texts[at];
            length |= usize::from(byte & 0x7f) << shift;
            (at, shift) = (at + 1, shift + 7);
            if byte < 0x80 {
                return &self.texts[at..at + length];
            }
        }
    }

    /// Leaves a stretch out; of two stretches, one inside the other, the outer one counts.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        if !self.is_removed(range.start, range.end) {
            let inside: Vec<usize> = self
                .removed
                .range(range.clone())
                .map(|(&start, _)| start)
                .collect();
            for start in inside {
                self.removed.remove(&start);
            }
            self.removed.insert(range.start, range.end);
        }
    }

    fn is_removed(&self, start: usize, end: usize) -> bool {
        let around = self
            .removed
            .range(..=start)
            .next_back()
            .filter(|&(_, &after)| end <= after);
        // What is inserted at an edge stands outside.
        around.is_some_and(|(&gap, &after)| start < end || (gap < start && start < after))
    }

    /// Whether the codes among these parts may be copied once more.
    pub(super) fn affords(&mut self, parts: &[BlockPart]) -> bool {
        let is_code = |part: &&BlockPart| !matches!(part.kind, PartKind::Text { .. });
        let bytes = parts
            .iter()
            .filter(is_code)
            .map(|part| part.span.len())
            .sum();
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Replaces a line; what was to change inside of it is in its text now.
    pub(super) fn enclose(&mut self, start: usize, end: usize, line: &[u8]) {
        self.leave(start + 1..end);
        self.put(start..end, line);
    }

    /// Takes back what was to change inside a stretch.
    pub(super) fn leave(&mut self, range: Range<usize>) {
        let inside = self
            .places
            .range(ByteSpan::from(range.start..0)..ByteSpan::from(range.end..0))
            .map(|(&place, _)| place);
        for place in inside
            .filter(|place| place.end() <= range.end)
            .collect::<Vec<_>>()
        {
            self.places.remove(&place);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.removed.is_empty()
    }

    /// Copies the whole source with its edits.
    pub(super) fn apply(&mut self, source: &[u8]) -> Vec<u8> {
        self.texts.shrink_to_fit();
        let mut out = Vec::with_capacity(source.len() + self.texts.len());
        self.write(source, 0..source.len(), self.places.iter(), &mut out);
        out
    }

    /// Copies a stretch of the source with the edits that lie inside it.
    pub(super) fn copy(&self, source: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
        let inside = self
            .places
            .range(ByteSpan::from(range.start..0)..ByteSpan::from(range.end..0));
        let is_inside = |place: &ByteSpan| {
            place.end() <= range.end && (place.end() > range.start || place.start() > range.start)
        };
        self.write(
            source,
            range.clone(),
            inside.filter(|(place, _)| is_inside(place)),
            out,
        );
    }

    fn write<'e>(
        &self,
        source: &[u8],
        range: Range<usize>,
        places: impl Iterator<Item = (&'e ByteSpan, &'e u32)>,
        out: &mut Vec<u8>,
    ) {
        let mut removed = self
            .removed
            .range(range.clone())
            .filter(|(_, end)| **end <= range.end)
            .peekable();
        let mut position = range.start;
        for (place, text) in places {
            let Range { start, end } = place.range();
            while let Some((&gap, &after)) =
                removed.next_if(|&(&gap, _)| gap < start || (gap == start && end > start))
            {
                out.extend_from_slice(&source[position.min(gap)..gap]);
                position = position.max(after);
            }
            if start >= position && !self.is_removed(start, end) {
                out.extend_from_slice(&source[position..start]);
                out.extend_from_slice(self.text(*text));
                position = end;
            }
        }
        for (&gap, &after) in removed {
            out.extend_from_slice(&source[position.min(gap)..gap]);
            position = position.max(after);
        }
        out.extend_from_slice(&source[position..range.end]);
    }
}
