//! Puts a translation into its place.
//!
//! When a translation keeps the order of its codes, only the words between them are edited; when it moves them, the line
//! is rewritten with the original bytes of its tags in the new order.

use std::borrow::Cow;
use std::ops::Range;

use super::edits::SourceEdits;
use crate::find::option::OptionValue;
use crate::find::part::{BlockPart, PartKind};
use crate::find::template::expressions;
use crate::find::unit::{TextUnit, UnitPlace};
use crate::html::bytes::has_byte;
use crate::html::element::ElementName;
use crate::html::space::{collapse, is_plain, is_space, is_tidy, trim, wide_space};
use crate::html::tokens::TextKind;
use crate::html::writing::{ValueWriting, without_controls, write_attribute};
use crate::live::LivePairs;
use crate::text::check::ANY_LENGTH;
use crate::text::code::CodeKind;
use crate::text::coded::{CodedText, Pieces, TextPiece, escape, needs_escape};

/// How a text is spelled where it stands; most are spelled as they read.
fn spell(text: &str, kind: TextKind) -> Cow<'_, str> {
    let is_special = |byte: u8| (byte == b'&') | (byte == b'<') | (byte == b'>');
    let begins = |byte: u8| (byte == b'{') | (byte == b'[') | (byte == b'\\') | (byte == b'$');
    if kind != TextKind::Cdata && !has_byte(text.as_bytes(), |byte| is_special(byte) | begins(byte))
    {
        return Cow::Borrowed(text);
    }
    let spelled = spell_plainly(text, kind);
    if matches!(kind, TextKind::Data | TextKind::Escapable) && has_byte(spelled.as_bytes(), begins)
    {
        without_expressions(spelled)
    } else {
        spelled
    }
}

/// Escapes template expressions in a text, and a trailing brace that would form one with what follows. An author may have escaped
/// one (`&#91;gallery ids="1"]`) so that readers see it (R-K5).
fn without_expressions(mut spelled: Cow<'_, str>) -> Cow<'_, str> {
    if spelled.contains('{') {
        let mut braces = spelled.replace("{{", "{&#123;").replace("{%", "{&#37;");
        if braces.ends_with('{') {
            braces.replace_range(braces.len() - 1.., "&#123;");
        }
        spelled = Cow::Owned(braces);
    }
    // Escaping one opening character can make another one start an expression, so all of them are escaped.
    if !expressions(&spelled).is_empty() {
        for (sign, reference) in [
            ('{', "&#123;"),
            ('[', "&#91;"),
            ('\\', "&#92;"),
            ('$', "&#36;"),
        ] {
            spelled = Cow::Owned(spelled.replace(sign, reference));
        }
    }
    spelled
}

/// The same where expressions of templates are words like others. What HTML cannot hold is not in a text any more.
fn spell_plainly(text: &str, kind: TextKind) -> Cow<'_, str> {
    match kind {
        TextKind::Data | TextKind::Escapable if needs_escape(text) => {
            let mut escaped = String::with_capacity(text.len() + 16);
            escape(text, &mut escaped);
            Cow::Owned(escaped)
        }
        TextKind::Data | TextKind::Escapable | TextKind::Raw => Cow::Borrowed(text),
        TextKind::Cdata => Cow::Owned(text.replace("]]>", "]]]]><![CDATA[>")),
    }
}

type TextEscaper = fn(&str, TextKind) -> Cow<'_, str>;

/// Where a framework compares nodes, expressions of templates are words of the text, and no codes.
fn spelling(unit: &TextUnit) -> TextEscaper {
    if unit.keeps_nodes {
        spell_plainly
    } else {
        spell
    }
}

/// Brings a translation to the form in which a parser would find it again.
pub(super) fn normalize(target: &CodedText, preserve: bool) -> Cow<'_, CodedText> {
    if is_normal(target, preserve) {
        return Cow::Borrowed(target);
    }
    let mut text = target.map(|text| match without_controls(text) {
        clean if preserve => clean.into_owned(),
        clean => collapse(clean),
    });
    text.trim(is_space);
    Cow::Owned(text)
}

/// Whether a text is already as a parser would find it.
fn is_normal(text: &CodedText, preserve: bool) -> bool {
    let is_clean = |piece: TextPiece<'_>| match piece {
        TextPiece::Text(text) => {
            let has_controls = matches!(without_controls(text), Cow::Owned(_));
            !has_controls && (preserve || wide_space(text.as_bytes()).is_none())
        }
        TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_) => true,
    };
    let starts =
        matches!(text.pieces().next(), Some(TextPiece::Text(text)) if text.starts_with(is_space));
    !starts
        && !text.tail().ends_with(is_space)
        && (is_tidy(text.text()) || text.pieces().all(is_clean))
}

/// Puts a translation into its place where that takes no look at the whole text: where a text without codes gets another,
/// and one that is never too long. Gives whether it did.
pub(super) fn fill_unread(
    (source, unit, parts): (&[u8], &TextUnit, &[BlockPart]),
    target: &CodedText,
    edits: &mut SourceEdits,
    live: &mut Option<LivePairs>,
) -> bool {
    let [
        BlockPart {
            span,
            kind: PartKind::Text { .. },
            ..
        },
    ] = parts
    else {
        return false;
    };
    let text = target.text();
    let is_right =
        !target.has_codes() && text.len() <= ANY_LENGTH && !target.is_blank() && !unit.in_option;
    if !is_right || !is_other(&source[span.range()], text) {
        return false;
    }
    fill_slot(
        source,
        parts,
        span.start(),
        (text, spelling(unit)),
        (edits, live),
    );
    true
}

/// Whether a text is another than the one that is written so, as far as their beginnings tell.
fn is_other(written: &[u8], text: &str) -> bool {
    let same = written
        .iter()
        .zip(text.as_bytes())
        .take_while(|(written, byte)| written == byte)
        .count();
    // Up to there it reads as it is written, and no space that may go stands at the end.
    written
        .get(..=same)
        .is_some_and(|start| is_plain(start) && !start.ends_with(b" "))
}

/// A text of a page and what is to stand in its place.
pub(super) struct TextReplacement<'a> {
    pub(super) source: &'a [u8],
    pub(super) unit: &'a TextUnit,
    /// The `<option>` that it stands in, where what that sends is its text.
    pub(super) option: Option<&'a OptionValue>,
    /// The unit's own, in order.
    pub(super) parts: &'a [BlockPart],
    pub(super) text: &'a CodedText,
    pub(super) target: &'a CodedText,
}

impl TextReplacement<'_> {
    /// Puts a translation into its place, unless that takes too much copying. It was checked: its codes are those of
    /// the unit.
    pub(super) fn fill(&self, edits: &mut SourceEdits, live: &mut Option<LivePairs>) -> bool {
        if let UnitPlace::Value(span, writing) | UnitPlace::Twin(span, writing) = self.unit.place {
            if let (Some(live), ValueWriting::Attribute(_)) = (live, writing)
                && let Some(source) = writing.read(&self.source[span.range()])
            {
                live.attribute(span.start(), source, self.target.text());
            }
            edits.replace(span.range(), &writing.write(self.target.text()));
            return true;
        }
        let moves = !self.text.has_same_codes(self.target);
        if moves && !edits.affords(self.parts) {
            return false;
        }
        if let Some(option) = self.option {
            let value = write_attribute(&option.value(self.source), Some(b'"'));
            edits.replace(option.at()..option.at(), &format!(" value=\"{value}\""));
        }
        self.empty_parentheses(edits);
        if moves {
            let line = rewrite(
                self.source,
                self.parts,
                self.target,
                (edits, self.spelling()),
            );
            if let (Some(first), Some(last)) = (self.parts.first(), self.parts.last()) {
                edits.enclose(first.span.start(), last.span.end(), &line);
            }
        } else {
            self.fill_slots(edits, live);
        }
        true
    }

    /// Empties the parentheses around the readings of ruby (`<rp>`), if the translation has no readings (R-W4).
    fn empty_parentheses(&self, edits: &mut SourceEdits) {
        let number = |name: &str| {
            ElementName::find(name.as_bytes())
                .and_then(|name| name.number())
                .unwrap_or(u8::MAX)
        };
        let rp = number("rp");
        let is_rp = |part: &&BlockPart| {
            part.element == rp && part.kind == PartKind::Code(CodeKind::Protected)
        };
        if !self.parts.iter().any(|part| is_rp(&part)) {
            return;
        }
        let rt = number("rt");
        let codes: Vec<&BlockPart> = self
            .parts
            .iter()
            .filter(|part| matches!(part.kind, PartKind::Code(_)))
            .collect();
        let is_rt = |id: u32| {
            codes
                .get((id as usize).wrapping_sub(1))
                .is_some_and(|part| part.element == rt)
        };
        let mut before = None;
        for piece in self.target.pieces() {
            if let (Some(TextPiece::Open(id)), TextPiece::Text(_)) = (before, piece)
                && is_rt(id)
            {
                return;
            }
            before = Some(piece);
        }
        for part in self.parts.iter().filter(is_rp) {
            let written = &self.source[part.span.range()];
            let start = written
                .iter()
                .position(|byte| *byte == b'>')
                .map(|at| part.span.start() + at + 1);
            let end = written
                .iter()
                .rposition(|byte| *byte == b'<')
                .map(|at| part.span.start() + at);
            if let (Some(start), Some(end)) = (start, end)
                && start < end
            {
                edits.replace(start..end, "");
            }
        }
    }

    fn spelling(&self) -> TextEscaper {
        spelling(self.unit)
    }

    /// Whether codes are to move where they cannot: the marks around CDATA are not codes and stay.
    pub(super) fn is_pinned(&self) -> bool {
        let is_cdata = |part: &BlockPart| {
            matches!(
                part.kind,
                PartKind::Text {
                    kind: TextKind::Cdata,
                    ..
                }
            )
        };
        self.parts.iter().any(is_cdata) && !self.text.has_same_codes(self.target)
    }

    /// The empty slot behind a code at the end.
    fn after_codes(&self) -> Option<&[BlockPart]> {
        self.parts
            .last()
            .is_none_or(|last| !is_text(last))
            .then_some(&[])
    }

    /// Edits the words between codes that stay where they are.
    fn fill_slots(&self, edits: &mut SourceEdits, live: &mut Option<LivePairs>) {
        let mut texts = self.target.pieces();
        let mut befores = self.text.pieces();
        let mut position = self.parts.first().map_or(0, |part| part.span.start());
        for slot in self
            .parts
            .split_inclusive(|part| !is_text(part))
            .chain(self.after_codes())
        {
            let (code, slot) = match slot.split_last() {
                Some((last, before)) if !is_text(last) => (Some(last), before),
                _ => (None, slot),
            };
            let before = text_before_code(&mut befores);
            let text = text_before_code(&mut texts);
            if before != text {
                fill_slot(
                    self.source,
                    slot,
                    position,
                    (text, self.spelling()),
                    (edits, live),
                );
            }
            position = code.map_or(position, |code| code.span.end());
        }
    }
}

fn is_text(part: &BlockPart) -> bool {
    matches!(part.kind, PartKind::Text { .. })
}

/// The text up to the next code, which is passed over too.
fn text_before_code<'t>(pieces: &mut Pieces<'t>) -> &'t str {
    match pieces.next() {
        Some(TextPiece::Text(text)) => {
            pieces.next();
            text
        }
        Some(TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_)) | None => "",
    }
}

fn fill_slot(
    source: &[u8],
    slot: &[BlockPart],
    position: usize,
    (text, spell): (&str, TextEscaper),
    (edits, live): (&mut SourceEdits, &mut Option<LivePairs>),
) {
    let Some((first, others)) = slot.split_first() else {
        edits.insert(position, &spell(text, TextKind::Data));
        return;
    };
    let PartKind::Text { kind, preserve } = first.kind else {
        return;
    };
    let (range, text) = words_of(source, first.span.range(), preserve, text);
    if let Some(live) = live {
        live.node(source, first, &range, &without_controls(text));
    }
    edits.replace(range, &spell(text, kind));
    others
        .iter()
        .for_each(|part| edits.replace(part.span.range(), ""));
}

/// The words of a text and what replaces them; the white space around them stays as it is written (F-10).
fn words_of<'t>(
    source: &[u8],
    mut range: Range<usize>,
    preserve: bool,
    mut text: &'t str,
) -> (Range<usize>, &'t str) {
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
    (range, text)
}

/// Writes a line whose codes moved, with the original bytes of its tags.
fn rewrite(
    source: &[u8],
    parts: &[BlockPart],
    target: &CodedText,
    (edits, spell): (&SourceEdits, TextEscaper),
) -> Vec<u8> {
    let mut tags: Vec<(&BlockPart, Option<&BlockPart>)> = Vec::new();
    let mut open = Vec::new();
    for part in parts {
        match &part.kind {
            PartKind::Text { .. } => {}
            PartKind::Code(kind) => {
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
    for piece in target.pieces() {
        let part = match piece {
            TextPiece::Text(text) => {
                line.extend_from_slice(spell(text, TextKind::Data).as_bytes());
                continue;
            }
            TextPiece::Open(id) | TextPiece::Single(id) => tags.get(index(id)).map(|tag| tag.0),
            TextPiece::Close(id) => tags.get(index(id)).and_then(|tag| tag.1),
        };
        if let Some(part) = part {
            edits.copy(source, part.span.range(), &mut line);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_is_told_by_its_beginning_where_that_is_sure() {
        for (written, text, is_sure) in [
            ("Cat", "Katze", true),
            ("Cats", "Cat", true),
            ("a cat", "a dog", true),
            ("Cat", "Cat", false),
            ("Cat", "Cats", false),
            ("Cat food", "Cat", false),
            ("a &amp; b", "a & b", false),
            ("a\nb", "a b", false),
            ("a  b", "a b", false),
            ("\u{7f}a", "a", false),
            ("été", "summer", false),
        ] {
            assert_eq!(
                is_other(written.as_bytes(), text),
                is_sure,
                "{written:?} {text:?}"
            );
        }
    }
}
