//! Keeps phone numbers, times, names and other runs of the source in their order (R-R1).

use std::borrow::Cow;
use std::ops::Range;

use super::{Turn, keeps_space};
use crate::edits::SourceEdits;
use crate::fill::normalize;
use crate::find::found::NumberPlace;
use crate::find::part::{BlockPart, PartKind};
use crate::find::unit::{TextUnit, UnitPlace};
use crate::html::element::{ElementFlow, ElementName};
use crate::html::hydration::Rendering;
use crate::html::space::trim;
use crate::html::span::ByteSpan;
use crate::html::tags;
use crate::html::writing::ValueWriting;
use crate::page::Page;
use crate::text::arrow::turned_arrows;
use crate::text::bidi::{self, Disordered, disordered, is_disordered_between};
use crate::text::code::CodeKind;
use crate::text::coded::{CodedText, TextPiece};
use crate::{Direction, Locale};

impl Page {
    /// Adds isolates and marks to a text, so that runs of the source keep their order. An element that holds nothing but such a run gets
    /// `dir` instead. `None` if the text needs no change.
    pub(crate) fn ordered(
        &self,
        unit: &TextUnit,
        target: Option<&CodedText>,
        edits: &mut SourceEdits,
    ) -> Option<CodedText> {
        let segment = unit.segment(&self.source, &self.parts);
        let is_shown = match unit.place {
            UnitPlace::Line(_) | UnitPlace::Twin(..) => true,
            // The name of a file is no text on a page.
            UnitPlace::Value(_, ValueWriting::Attribute(_)) => {
                !segment.origin.ends_with(" download")
            }
            UnitPlace::Value(..) => false,
        };
        if !is_shown {
            return None;
        }
        let direction = self.locale.direction();
        let parts = unit.parts(&self.parts);
        let target = target.map_or(Cow::Borrowed(&segment.text), |target| {
            normalize(target, keeps_space(parts))
        });
        let mut line = ShownLine::of(&self.source, parts, &target);
        if let ([part], [text]) = (parts, &mut *line.texts)
            && let Some(tag) = tag_around(&self.source, part)
        {
            if has_direction(&self.source, &tag) {
                return None;
            }
            text.holder = Some(tag.span.start() + 1 + tag.name(&self.source).len());
        }
        let (held, free): (Vec<Disordered>, Vec<Disordered>) =
            disordered(&line.shown, segment.text.text(), direction)
                .into_iter()
                .partition(|run| line.holder(&run.range).is_some());
        for run in &held {
            if let Some(holder) = line.holder(&run.range) {
                edits.insert(holder, attribute(direction));
            }
        }
        if free.is_empty() {
            None
        } else {
            Some(line.with(&free, direction))
        }
    }

    /// Keeps the order of texts that are not translated: numbers, and names that stay.
    pub(crate) fn order_numbers(
        &self,
        turn: &Turn,
        places: &[NumberPlace],
        edits: &mut SourceEdits,
    ) {
        let lines = self
            .units
            .iter()
            .flat_map(|unit| unit.parts(&self.parts))
            .filter(|part| part.is_text());
        let mut lines: Vec<ByteSpan> = lines.map(|part| part.span).collect();
        lines.sort_unstable();
        for place in places {
            // Texts inside a line are ordered with the line.
            let before = lines.partition_point(|line| line.start() < place.text.end());
            let is_in_line = before.checked_sub(1).and_then(|last| lines.get(last));
            if is_in_line.is_none_or(|line| line.end() <= place.text.start()) {
                self.order_number(&turn.target, place, edits);
            }
        }
    }

    fn order_number(&self, target: &Locale, place: &NumberPlace, edits: &mut SourceEdits) {
        let direction = self.locale.direction();
        let range = trim(&self.source, place.text.range());
        let written = String::from_utf8_lossy(&self.source[range.clone()]);
        let text = htmlize::unescape(&*written);
        if let Some(turned) = turned_arrows(&text) {
            // A framework compares this text with its own when it hydrates, so only attributes may change.
            if self.rendering == Rendering::Static {
                edits.replace(range, &turned);
            }
            return;
        }
        if let Some(holder) = place.holder {
            if is_disordered_between(letter(target), &text, direction) {
                edits.insert(holder as usize, attribute(direction));
            }
            return;
        }
        if self.rendering != Rendering::Static {
            return;
        }
        for run in disordered(&text, &text, direction) {
            let run = match run.range {
                whole if whole == (0..text.len()) => range.clone(),
                part if text == written => range.start + part.start..range.start + part.end,
                _ => continue,
            };
            edits.insert(run.start, bidi::isolate(direction).encode_utf8(&mut [0; 4]));
            edits.insert(run.end, bidi::END_OF_ISOLATE.encode_utf8(&mut [0; 4]));
        }
    }
}

/// The attribute that gives an element this direction.
fn attribute(direction: Direction) -> &'static str {
    match direction {
        Direction::Ltr => " dir=\"ltr\"",
        Direction::Rtl => " dir=\"rtl\"",
    }
}

/// A letter of a language. The algorithm treats digits behind Arabic letters in another way than behind Hebrew ones (rule W2).
fn letter(language: &Locale) -> char {
    match (language.direction(), language.language()) {
        (Direction::Ltr, _) => 'a',
        (Direction::Rtl, "he" | "yi" | "lad") => '\u{5d0}',
        (Direction::Rtl, _) => '\u{627}',
    }
}

/// A text as it is shown in one line.
struct ShownLine<'t> {
    /// Its characters, with a placeholder for each element that has a direction of its own.
    shown: String,
    target: &'t CodedText,
    /// Its texts, in order.
    texts: Vec<ShownText>,
}

struct ShownText {
    /// Its bytes in `shown`; `None` inside an element with a direction of its own.
    range: Option<Range<usize>>,
    /// The byte of the source at which the element takes `dir` that holds this text alone.
    holder: Option<usize>,
}

impl<'t> ShownLine<'t> {
    fn of(source: &[u8], parts: &[BlockPart], target: &'t CodedText) -> Self {
        let tags: Vec<&BlockPart> = parts
            .iter()
            .filter(|part| matches!(part.kind, PartKind::Code(_)))
            .collect();
        let tag = |id: u32| tags.get(usize::try_from(id).ok()?.checked_sub(1)?).copied();
        let mut line = Self {
            shown: String::new(),
            target,
            texts: Vec::new(),
        };
        let mut apart = 0_usize;
        let mut before = None;
        let mut pieces = target.pieces().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                TextPiece::Text(_) if apart > 0 => line.texts.push(ShownText {
                    range: None,
                    holder: None,
                }),
                TextPiece::Text(text) => {
                    let start = line.shown.len();
                    line.shown.push_str(text);
                    let held_by = match (before, pieces.peek()) {
                        (Some(TextPiece::Open(open)), Some(TextPiece::Close(close)))
                            if open == *close =>
                        {
                            tag(open)
                        }
                        _ => None,
                    };
                    let holder = held_by.map(|tag| tag.span.start() + 1 + tag.name(source).len());
                    line.texts.push(ShownText {
                        range: Some(start..line.shown.len()),
                        holder,
                    });
                }
                TextPiece::Open(id)
                    if apart > 0 || tag(id).is_some_and(|tag| has_direction(source, tag)) =>
                {
                    if apart == 0 {
                        line.shown.push(bidi::OBJECT);
                    }
                    apart += 1;
                }
                TextPiece::Open(_) => {}
                TextPiece::Close(_) => apart = apart.saturating_sub(1),
                TextPiece::Single(id) if apart == 0 => line
                    .shown
                    .extend(tag(id).and_then(|tag| sign_of(source, tag))),
                TextPiece::Single(_) => {}
            }
            before = Some(piece);
        }
        line
    }

    /// The byte at which the element takes `dir` that holds a run and nothing else.
    fn holder(&self, run: &Range<usize>) -> Option<usize> {
        let is_held = |text: &&ShownText| {
            text.range.clone().is_some_and(|range| {
                let shown = &self.shown[range.clone()];
                let start = range.start + (shown.len() - shown.trim_start().len());
                *run == (start..start + shown.trim().len())
            })
        };
        self.texts.iter().find(is_held)?.holder
    }

    /// The text with isolates or marks for these runs.
    fn with(&self, runs: &[Disordered], direction: Direction) -> CodedText {
        let mut texts = self.texts.iter();
        self.target.map(|text| {
            let Some(Range { start, end }) = texts.next().and_then(|shown| shown.range.clone())
            else {
                return text.to_owned();
            };
            let mut ordered = String::with_capacity(text.len() + 8);
            let mut at = start;
            for Disordered {
                range: run,
                only_end,
            } in runs
            {
                if !only_end && (start..end).contains(&run.start) {
                    ordered.push_str(&self.shown[at..run.start]);
                    ordered.push(bidi::isolate(direction));
                    at = run.start;
                }
                if start < run.end && run.end <= end {
                    ordered.push_str(&self.shown[at..run.end]);
                    ordered.push(if *only_end {
                        bidi::mark(direction)
                    } else {
                        bidi::END_OF_ISOLATE
                    });
                    at = run.end;
                }
            }
            ordered.push_str(&self.shown[at..end]);
            ordered
        })
    }
}

/// The start tag of the inline element that holds a text alone.
fn tag_around(source: &[u8], text: &BlockPart) -> Option<BlockPart> {
    let before = source.get(..text.span.start())?.trim_ascii_end();
    let range = tags::start_tag_before(source, before.len())?;
    let name = ElementName::of(tags::name_at(source, range.start)?);
    let after = source.get(text.span.end()..)?.trim_ascii_start();
    let is_closed = after.starts_with(b"</")
        && tags::name_at(after, 0).map(ElementName::of) == Some(name.clone());
    let is_inline = is_closed && name.flow() == ElementFlow::Inline;
    if is_inline {
        Some(BlockPart::code(range, CodeKind::Paired, &name))
    } else {
        None
    }
}

/// True if an element says its direction: browsers order it apart.
fn has_direction(source: &[u8], tag: &BlockPart) -> bool {
    let is_apart = matches!(&*tag.name(source), "bdi" | "bdo");
    is_apart
        || tags::attributes(source, tag.span.range())
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(b"dir"))
}

/// The placeholder of a code that stands alone; `None` if the code does not affect the order.
fn sign_of(source: &[u8], code: &BlockPart) -> Option<char> {
    match code.kind {
        PartKind::Code(CodeKind::LoneStart | CodeKind::LoneEnd) => None,
        _ => match &*code.name(source) {
            "!--" | "wbr" => None,
            "br" => Some('\u{2029}'),
            _ => Some(bidi::OBJECT),
        },
    }
}
