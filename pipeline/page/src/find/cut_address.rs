//! Mail addresses that tags cut, as documentation generators and shops write them against collectors of addresses:
//! `amk<span>&#64;</span>amk.ca`. Each is one code; in pieces it would be words (R-W2).

use std::iter;

use super::part::{BlockPart, PartKind};
use crate::html::bytes::as_text;
use crate::html::span::ByteSpan;
use crate::text::code::CodeKind;

/// Limit in bytes for an address (RFC 5321, section 4.5.3.1.3).
const LONGEST: usize = 254;

/// Limit in bytes for a reference such as `&#64;` or `&commat;`.
const LONGEST_REFERENCE: usize = 8;

/// The parts of a line, and for each part of a pair the index of the other.
pub(super) struct PairedParts<'p, M> {
    pub(super) source: &'p [u8],
    pub(super) parts: &'p [BlockPart],
    pub(super) mate: M,
}

/// A character of a text, as it is written: a byte or a reference.
#[derive(Clone, Copy)]
struct CharacterPlace {
    /// The number of its part.
    part: usize,
    at: usize,
    end: usize,
}

/// An address: the parts that it touches, and its bytes with the tags in it.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) span: ByteSpan,
}

impl<M: Fn(usize) -> Option<usize>> PairedParts<'_, M> {
    /// The first address that tags cut, from a part on.
    pub(super) fn next(&self, from: usize) -> Option<Address> {
        (from..self.parts.len()).find_map(|part| {
            let mut at = self.text(part)?.start();
            while let Some(sign) = self.sign(part, at) {
                if let Some(address) = self.around(sign, from) {
                    return Some(address);
                }
                at = sign.end;
            }
            None
        })
    }

    fn text(&self, part: usize) -> Option<ByteSpan> {
        let part = self.parts.get(part)?;
        part.is_text().then_some(part.span)
    }

    /// The first `@` of a part, from a byte on.
    fn sign(&self, part: usize, mut at: usize) -> Option<CharacterPlace> {
        let end = self.text(part)?.end();
        loop {
            let next = self.source[at..end]
                .iter()
                .position(|byte| matches!(byte, b'@' | b'&'))?;
            let place = self.starting(part, at + next)?;
            if self.byte(&place) == b'@' {
                return Some(place);
            }
            at = place.end;
        }
    }

    /// The ASCII character at a place; zero for all others.
    fn byte(&self, place: &CharacterPlace) -> u8 {
        match &self.source[place.at..place.end] {
            [byte] => *byte,
            reference => match htmlize::unescape(as_text(reference)).as_bytes() {
                [byte] => *byte,
                _ => 0,
            },
        }
    }

    /// The character of a part that begins at a byte.
    fn starting(&self, part: usize, at: usize) -> Option<CharacterPlace> {
        let text = self.source.get(at..self.text(part)?.end())?;
        let reference = text
            .iter()
            .take(LONGEST_REFERENCE)
            .position(|byte| *byte == b';');
        let length = reference
            .filter(|end| is_reference(&text[..=*end]))
            .map_or(1, |end| end + 1);
        (!text.is_empty()).then_some(CharacterPlace {
            part,
            at,
            end: at + length,
        })
    }

    /// The character of a part that ends before a byte.
    fn ending(&self, part: usize, end: usize) -> Option<CharacterPlace> {
        let text = self.source.get(self.text(part)?.start()..end)?;
        let reference = text
            .iter()
            .rev()
            .take(LONGEST_REFERENCE)
            .position(|byte| *byte == b'&');
        let length = reference
            .map(|start| start + 1)
            .filter(|length| is_reference(&text[text.len() - length..]));
        let length = length.unwrap_or(1);
        (!text.is_empty()).then_some(CharacterPlace {
            part,
            at: end - length,
            end,
        })
    }

    /// The address around an `@`, if it is one and tags cut it.
    fn around(&self, sign: CharacterPlace, from: usize) -> Option<Address> {
        let of_name = iter::successors(self.before(sign, from), |&place| self.before(place, from));
        let name: Vec<CharacterPlace> = of_name
            .take_while(|place| is_of_name(self.byte(place)))
            .take(LONGEST)
            .collect();
        // A sign at the edge may be a mark of the sentence, in a tag of its own.
        let start = *name
            .iter()
            .rfind(|place| self.byte(place).is_ascii_alphanumeric())?;
        let of_host = iter::successors(self.after(sign), |&place| self.after(place));
        let mut host: Vec<CharacterPlace> = of_host
            .take_while(|place| is_of_host(self.byte(place)))
            .take(LONGEST)
            .collect();
        while host
            .pop_if(|place| !self.byte(place).is_ascii_alphanumeric())
            .is_some()
        {}
        let end = *host.last()?;
        let host: Vec<u8> = host.iter().map(|place| self.byte(place)).collect();
        let is_cut = start.part < end.part && is_host(&host);
        is_cut.then(|| Address {
            first: start.part,
            last: end.part,
            span: (start.at..end.end).into(),
        })
    }

    /// The character before a place: of the same word, though tags may stand in between.
    fn before(&self, place: CharacterPlace, from: usize) -> Option<CharacterPlace> {
        if place.at > self.text(place.part)?.start() {
            return self.ending(place.part, place.at);
        }
        let text = (from..place.part)
            .rev()
            .find(|&part| !self.is_passed(part))?;
        self.ending(text, self.text(text)?.end())
    }

    fn after(&self, place: CharacterPlace) -> Option<CharacterPlace> {
        if place.end < self.text(place.part)?.end() {
            return self.starting(place.part, place.end);
        }
        let text = (place.part + 1..self.parts.len()).find(|&part| !self.is_passed(part))?;
        self.starting(text, self.text(text)?.start())
    }

    /// Recognizes what does not end a word: a place for a line break, a comment, a tag around one sign of an address.
    fn is_passed(&self, part: usize) -> bool {
        let is_sign = |text: usize| {
            let text = self
                .text(text)
                .filter(|text| text.len() <= LONGEST_REFERENCE);
            let text = text.map(|text| htmlize::unescape(as_text(&self.source[text.range()])));
            text.is_some_and(|text| text.chars().all(|letter| "@._-+".contains(letter)))
        };
        let holds_sign =
            |start: usize, end: Option<usize>| end == Some(start + 2) && is_sign(start + 1);
        match self.parts[part].kind {
            PartKind::Code(CodeKind::Paired) => holds_sign(part, (self.mate)(part)),
            PartKind::End => (self.mate)(part).is_some_and(|start| holds_sign(start, Some(part))),
            PartKind::Code(CodeKind::Void) => {
                matches!(&*self.parts[part].name(self.source), "wbr" | "!--")
            }
            PartKind::Text { .. } => self.parts[part].span.len() == 0,
            PartKind::Code(_) => false,
        }
    }
}

/// Recognizes `&name;` and `&#number;`.
fn is_reference(text: &[u8]) -> bool {
    match text {
        [b'&', inner @ .., b';'] => inner
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#'),
        _ => false,
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
}

fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-".contains(&byte)
}

/// Two labels or more, the last of them letters.
fn is_host(host: &[u8]) -> bool {
    let mut labels = host.rsplit(|byte| *byte == b'.');
    let top = labels.next().unwrap_or_default();
    let mut others = true;
    let mut count = 0;
    for label in labels {
        (others, count) = (others && !label.is_empty(), count + 1);
    }
    top.len() > 1 && top.iter().all(u8::is_ascii_alphabetic) && others && count > 0
}
