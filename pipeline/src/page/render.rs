//! One ordered copy of the source, with something else at some places.
//!
//! Every change is an edit: a byte range and what stands there instead. Edits are made from translations, links
//! and the head; no edit, no change. When a translation keeps the order of its codes, only the words between them
//! are edited; when it moves them, the line is rewritten with the original bytes of its tags in the new order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;

use super::block::{Part, PartKind};
use super::links::{LinkPlace, Writing};
use super::scan::TextKind;
use super::segment::{OptionValue, Place, Unit};
use super::space::{collapse, is_space, trim, wide_space};
use super::text::{CodeKind, CodedText, Piece, escape};

/// Replacements by byte range; no two overlap, but one may lie inside another that was made from it.
#[derive(Debug, Default)]
pub(super) struct Edits {
    places: BTreeMap<(usize, usize), Vec<u8>>,
    /// Stretches that are left out with all that would change in them; none lies inside another.
    removed: BTreeMap<usize, usize>,
    /// How many bytes lines whose codes move may still copy.
    left: usize,
}

impl Edits {
    /// No edits of this source. Codes inside codes are copied once for each line that moves them, so what all lines
    /// copy has a bound.
    pub(super) fn of(source: &[u8]) -> Self {
        Self { left: source.len().saturating_mul(8) + (1 << 16), ..Self::default() }
    }

    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.places.insert((range.start, range.end), text.into_bytes());
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        if !text.is_empty() {
            self.places.entry((at, at)).or_default().extend_from_slice(text.as_bytes());
        }
    }

    /// Leaves a stretch out; of two stretches, one inside the other, the outer one counts.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        if !self.is_removed(range.start, range.end) {
            let inside: Vec<usize> = self.removed.range(range.clone()).map(|(&start, _)| start).collect();
            for start in inside {
                self.removed.remove(&start);
            }
            self.removed.insert(range.start, range.end);
        }
    }

    fn is_removed(&self, start: usize, end: usize) -> bool {
        let around = self.removed.range(..=start).next_back().filter(|&(_, &after)| end <= after);
        // What is inserted at an edge stands outside.
        around.is_some_and(|(&gap, &after)| start < end || (gap < start && start < after))
    }

    /// Whether the codes among these parts may be copied once more.
    fn affords(&mut self, parts: &[Part]) -> bool {
        let is_code = |part: &&Part| !matches!(part.kind, PartKind::Text { .. });
        let bytes = parts.iter().filter(is_code).map(|part| part.range.len()).sum();
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Replaces a line; what was to change inside of it is in its text now.
    fn enclose(&mut self, start: usize, end: usize, line: Vec<u8>) {
        let inside: Vec<(usize, usize)> = self
            .places
            .range((start + 1, 0)..(end, 0))
            .map(|(&place, _)| place)
            .filter(|place| place.1 <= end)
            .collect();
        for place in inside {
            self.places.remove(&place);
        }
        self.places.insert((start, end), line);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.removed.is_empty()
    }

    /// Copies the whole source with its edits.
    pub(super) fn apply(&self, source: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(source.len() + source.len() / 8);
        self.write(source, 0..source.len(), self.places.iter(), &mut out);
        out
    }

    /// Copies a stretch of the source with the edits that lie inside it.
    fn copy(&self, source: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
        let inside = self.places.range((range.start, 0)..(range.end, 0));
        let inside =
            inside.filter(|&(&(start, end), _)| end <= range.end && (end > range.start || start > range.start));
        self.write(source, range.clone(), inside, out);
    }

    fn write<'e>(
        &self,
        source: &[u8],
        range: Range<usize>,
        places: impl Iterator<Item = (&'e (usize, usize), &'e Vec<u8>)>,
        out: &mut Vec<u8>,
    ) {
        let mut removed = self.removed.range(range.clone()).filter(|(_, end)| **end <= range.end).peekable();
        let mut position = range.start;
        for (&(start, end), text) in places {
            while let Some((&gap, &after)) = removed.next_if(|&(&gap, _)| gap < start || (gap == start && end > start))
            {
                out.extend_from_slice(&source[position.min(gap)..gap]);
                position = position.max(after);
            }
            if start >= position && !self.is_removed(start, end) {
                out.extend_from_slice(&source[position..start]);
                out.extend_from_slice(text);
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

/// Writes an address at its place (R-E5); gives nothing when it cannot be written there.
pub(super) fn write_link(place: &LinkPlace, address: &str) -> Option<String> {
    Some(match place.writing {
        Writing::Fixed => return None,
        Writing::Whole(quote) => write_attribute(address, quote),
        Writing::Value(writing) => writing.write(address),
        Writing::Part(Some(quote)) => write_attribute(address, Some(quote)),
        Writing::Part(None) => write_attribute(&css_safe(address), Some(b'"')),
        Writing::Css => css_safe(address),
    })
}

fn css_safe(address: &str) -> String {
    let mut safe = String::with_capacity(address.len());
    for character in address.chars() {
        match character {
            '(' => safe.push_str("%28"),
            ')' => safe.push_str("%29"),
            '\'' => safe.push_str("%27"),
            '"' => safe.push_str("%22"),
            ' ' => safe.push_str("%20"),
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '\\' => safe.push_str("%5C"),
            other => safe.push(other),
        }
    }
    safe
}

/// Writes a value between the quotes that are there; without quotes it gets some where HTML needs them (F-33).
pub(super) fn write_attribute(value: &str, quote: Option<u8>) -> String {
    let needs_quotes = value.is_empty()
        || value
            .contains(|character: char| is_space(character) || matches!(character, '"' | '\'' | '=' | '<' | '>' | '`'))
        || value.ends_with('/');
    let mut written = String::with_capacity(value.len() + 8);
    let add = quote.is_none() && needs_quotes;
    if add {
        written.push('"');
    }
    for character in value.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '"' if quote != Some(b'\'') => written.push_str("&quot;"),
            '\'' if quote == Some(b'\'') => written.push_str("&#39;"),
            other => written.push(other),
        }
    }
    if add {
        written.push('"');
    }
    written
}

fn write_text(text: &str, kind: TextKind, out: &mut String) {
    let text = without_controls(text);
    match kind {
        TextKind::Data | TextKind::Escapable => escape(&text, out),
        TextKind::Cdata => out.push_str(&text.replace("]]>", "]]]]><![CDATA[>")),
        TextKind::Raw => out.push_str(&text),
    }
}

/// Text without the characters that HTML cannot hold.
pub(super) fn without_controls(text: &str) -> Cow<'_, str> {
    // The bytes that such characters begin with; 0xc2 begins others too.
    let suspicious = |byte: u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
    if text.bytes().any(suspicious) && text.contains(is_control) {
        Cow::Owned(text.replace(is_control, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Characters that HTML text cannot hold.
pub(super) fn is_control(character: char) -> bool {
    character.is_control() && !is_space(character)
}

/// Brings a translation to the form in which a parser would find it again.
pub(super) fn normalize<'t>(target: &'t CodedText, unit: &Unit) -> Cow<'t, CodedText> {
    let preserve = match &unit.place {
        Place::Line { parts, .. } => {
            parts.iter().any(|part| matches!(part.kind, PartKind::Text { preserve: true, .. }))
        }
        Place::Value { .. } => false,
    };
    if is_normal(target, preserve) {
        return Cow::Borrowed(target);
    }
    let mut pieces: Vec<Piece> = Vec::with_capacity(target.0.len());
    for piece in &target.0 {
        match (piece, pieces.last_mut()) {
            (Piece::Text(text), Some(Piece::Text(last))) => last.push_str(text),
            (Piece::Text(text), _) if text.is_empty() => {}
            (other, _) => pieces.push(other.clone()),
        }
    }
    for piece in &mut pieces {
        if let Piece::Text(text) = piece {
            if let Cow::Owned(clean) = without_controls(text) {
                *text = clean;
            }
            if !preserve {
                *text = collapse(Cow::Owned(std::mem::take(text)));
            }
        }
    }
    if let Some(Piece::Text(text)) = pieces.first_mut() {
        *text = text.trim_start_matches(is_space).to_owned();
    }
    if let Some(Piece::Text(text)) = pieces.last_mut() {
        *text = text.trim_end_matches(is_space).to_owned();
    }
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    Cow::Owned(CodedText(pieces))
}

/// Whether a text is already as a parser would find it.
fn is_normal(text: &CodedText, preserve: bool) -> bool {
    let is_text = |piece: &Piece| matches!(piece, Piece::Text(_));
    let is_clean = |piece: &Piece| match piece {
        Piece::Text(text) => {
            let has_controls = matches!(without_controls(text), Cow::Owned(_));
            !text.is_empty() && !has_controls && (preserve || wide_space(text).is_none())
        }
        Piece::Open(_) | Piece::Close(_) | Piece::Single(_) => true,
    };
    let starts = matches!(text.0.first(), Some(Piece::Text(text)) if text.starts_with(is_space));
    let ends = matches!(text.0.last(), Some(Piece::Text(text)) if text.ends_with(is_space));
    !starts && !ends && text.0.iter().all(is_clean) && !text.0.windows(2).any(|pair| pair.iter().all(is_text))
}

/// Puts a translation into its place, unless that takes too much copying. It was checked: its codes are those of the
/// unit.
pub(super) fn fill(source: &[u8], unit: &Unit, target: &CodedText, edits: &mut Edits) -> bool {
    match &unit.place {
        Place::Value { range, writing } => edits.replace(range.clone(), writing.write(&target.text())),
        Place::Line { parts, option } => {
            let moves = !has_same_codes(&unit.segment.text, target);
            if moves && !edits.affords(parts) {
                return false;
            }
            if let Some(OptionValue { at, value }) = option.as_deref() {
                let attribute = format!(" value=\"{}\"", write_attribute(value, Some(b'"')));
                edits.places.insert((*at, *at), attribute.into_bytes());
            }
            if moves {
                let line = rewrite(source, parts, target, edits);
                if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
                    edits.enclose(first.range.start, last.range.end, line);
                }
            } else {
                fill_slots(source, parts, unit, target, edits);
            }
        }
    }
    true
}

/// Whether a translation wants codes to move where they cannot: the marks around CDATA are not codes and stay.
pub(super) fn is_pinned(unit: &Unit, target: &CodedText) -> bool {
    let is_cdata = |part: &Part| matches!(part.kind, PartKind::Text { kind: TextKind::Cdata, .. });
    match &unit.place {
        Place::Line { parts, .. } => parts.iter().any(is_cdata) && !has_same_codes(&unit.segment.text, target),
        Place::Value { .. } => false,
    }
}

/// Whether two texts have the same codes in the same order.
fn has_same_codes(one: &CodedText, other: &CodedText) -> bool {
    let is_code = |piece: &&Piece| !matches!(piece, Piece::Text(_));
    one.0.iter().filter(is_code).eq(other.0.iter().filter(is_code))
}

/// Edits the words between codes that stay where they are.
fn fill_slots(source: &[u8], parts: &[Part], unit: &Unit, target: &CodedText, edits: &mut Edits) {
    let mut texts = target.0.iter().peekable();
    let mut befores = unit.segment.text.0.iter().peekable();
    let mut slot: Vec<&Part> = Vec::new();
    let start = parts.first().map_or(0, |part| part.range.start);
    let mut position = start;
    for part in parts.iter().map(Some).chain([None]) {
        if let Some(part) = part
            && matches!(part.kind, PartKind::Text { .. })
        {
            slot.push(part);
            continue;
        }
        let (before, text) = (text_before_code(&mut befores), text_before_code(&mut texts));
        if before != text {
            fill_slot(source, &slot, position, text, edits);
        }
        slot.clear();
        position = part.map_or(position, |part| part.range.end);
    }
}

/// The text up to the next code, which is passed over too.
fn text_before_code<'t>(pieces: &mut Peekable<impl Iterator<Item = &'t Piece>>) -> &'t str {
    let text = match pieces.next_if(|piece| matches!(piece, Piece::Text(_))) {
        Some(Piece::Text(text)) => text.as_str(),
        Some(Piece::Open(_) | Piece::Close(_) | Piece::Single(_)) | None => "",
    };
    pieces.next();
    text
}

fn fill_slot(source: &[u8], slot: &[&Part], position: usize, text: &str, edits: &mut Edits) {
    let Some((first, others)) = slot.split_first() else {
        let mut written = String::new();
        write_text(text, TextKind::Data, &mut written);
        edits.insert(position, &written);
        return;
    };
    replace_words(source, first, text, edits);
    others.iter().for_each(|part| edits.replace(part.range.clone(), String::new()));
}

/// Replaces the words of a text part; the white space around them stays as it is written (F-10).
fn replace_words(source: &[u8], part: &Part, text: &str, edits: &mut Edits) {
    let PartKind::Text { kind, preserve } = part.kind else { return };
    let mut range = part.range.clone();
    let mut text = text;
    if !preserve {
        let words = trim(source, range.clone());
        if words.start > range.start && text.starts_with(' ') {
            range.start = words.start;
            text = &text[1..];
        }
        if words.end < range.end && text.ends_with(' ') {
            range.end = words.end.max(range.start);
            text = &text[..text.len() - 1];
        }
    }
    let mut written = String::with_capacity(text.len());
    write_text(text, kind, &mut written);
    edits.replace(range, written);
}

/// Writes a line whose codes moved, with the original bytes of its tags.
fn rewrite(source: &[u8], parts: &[Part], target: &CodedText, edits: &Edits) -> Vec<u8> {
    let mut tags: Vec<(&Part, Option<&Part>)> = Vec::new();
    let mut open = Vec::new();
    for part in parts {
        match &part.kind {
            PartKind::Text { .. } => {}
            PartKind::Code(kind, _) => {
                if *kind == CodeKind::Paired {
                    open.push(tags.len());
                }
                tags.push((part, None));
            }
            PartKind::End => {
                if let Some(tag) = open.pop().and_then(|index| tags.get_mut(index)) {
                    tag.1 = Some(part);
                }
            }
        }
    }
    let mut line = Vec::new();
    let index = |id: u32| usize::try_from(id).unwrap_or(usize::MAX).wrapping_sub(1);
    for piece in &target.0 {
        let part = match piece {
            Piece::Text(text) => {
                let mut written = String::with_capacity(text.len());
                write_text(text, TextKind::Data, &mut written);
                line.extend_from_slice(written.as_bytes());
                continue;
            }
            Piece::Open(id) | Piece::Single(id) => tags.get(index(*id)).map(|tag| tag.0),
            Piece::Close(id) => tags.get(index(*id)).and_then(|tag| tag.1),
        };
        if let Some(part) = part {
            edits.copy(source, part.range.clone(), &mut line);
        }
    }
    line
}
