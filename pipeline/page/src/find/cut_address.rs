//! Mail addresses that tags cut, as documentation generators and shops write them against collectors of addresses:
//! `amk<span>@</span>amk.ca`. Each is one code; in pieces it would be words (R-W2).

use std::iter;

use super::part::{Part, PartKind};
use crate::html::bytes::find_byte;
use crate::html::span::Span;
use crate::text::code::CodeKind;

/// Limit in bytes for an address (RFC 5321, section 4.5.3.1.3).
const LONGEST: usize = 254;

/// The parts of a line, and for each part of a pair the index of the other.
pub(super) struct Cut<'p, M> {
    pub(super) source: &'p [u8],
    pub(super) parts: &'p [Part],
    pub(super) mate: M,
}

/// A byte of a text: the number of its part and its place in the source.
#[derive(Clone, Copy)]
struct Place {
    part: usize,
    at: usize,
}

/// An address: the parts that it touches, and its bytes with the tags in it.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) span: Span,
}

impl<M: Fn(usize) -> Option<usize>> Cut<'_, M> {
    /// The first address that tags cut, from a part on.
    pub(super) fn next(&self, from: usize) -> Option<Address> {
        (from..self.parts.len()).find_map(|part| {
            let span = self.text(part)?;
            let text = &self.source[span.range()];
            let mut signs = 0;
            while let Some(sign) = find_byte(&text[signs..], b'@') {
                let place = Place { part, at: span.start() + signs + sign };
                if let Some(address) = self.around(place, from) {
                    return Some(address);
                }
                signs += sign + 1;
            }
            None
        })
    }

    fn text(&self, part: usize) -> Option<Span> {
        let part = self.parts.get(part)?;
        part.is_text().then_some(part.span)
    }

    /// The address around an `@`, if it is one and tags cut it.
    fn around(&self, sign: Place, from: usize) -> Option<Address> {
        let byte = |place: &Place| self.source[place.at];
        let of_name = iter::successors(self.before(sign, from), |&place| self.before(place, from));
        let name: Vec<Place> = of_name.take_while(|place| is_of_name(byte(place))).take(LONGEST).collect();
        // A sign at the edge may be a mark of the sentence, in a tag of its own.
        let start = *name.iter().rfind(|place| byte(place).is_ascii_alphanumeric())?;
        let of_host = iter::successors(self.after(sign), |&place| self.after(place));
        let mut host: Vec<Place> = of_host.take_while(|place| is_of_host(byte(place))).take(LONGEST).collect();
        while host.pop_if(|place| !byte(place).is_ascii_alphanumeric()).is_some() {}
        let end = *host.last()?;
        let host: Vec<u8> = host.iter().map(byte).collect();
        let is_cut = start.part < end.part && is_host(&host);
        is_cut.then(|| Address { first: start.part, last: end.part, span: (start.at..end.at + 1).into() })
    }

    /// The byte before a place: of the same word, though tags may stand in between.
    fn before(&self, place: Place, from: usize) -> Option<Place> {
        if place.at > self.text(place.part)?.start() {
            return Some(Place { at: place.at - 1, ..place });
        }
        let text = (from..place.part).rev().find(|&part| !self.is_passed(part))?;
        self.text(text).map(|span| Place { part: text, at: span.end() - 1 })
    }

    fn after(&self, place: Place) -> Option<Place> {
        if place.at + 1 < self.text(place.part)?.end() {
            return Some(Place { at: place.at + 1, ..place });
        }
        let text = (place.part + 1..self.parts.len()).find(|&part| !self.is_passed(part))?;
        self.text(text).map(|span| Place { part: text, at: span.start() })
    }

    /// Recognizes what does not end a word: a place for a line break, a comment, a tag around one sign of an address.
    fn is_passed(&self, part: usize) -> bool {
        let is_sign = |text: usize| {
            let text = self.text(text).map(|text| &self.source[text.range()]);
            text.is_some_and(|text| text.iter().all(|byte| matches!(byte, b'@' | b'.' | b'_' | b'-' | b'+')))
        };
        let holds_sign = |start: usize, end: Option<usize>| end == Some(start + 2) && is_sign(start + 1);
        match self.parts[part].kind {
            PartKind::Code(CodeKind::Paired) => holds_sign(part, (self.mate)(part)),
            PartKind::End => (self.mate)(part).is_some_and(|start| holds_sign(start, Some(part))),
            PartKind::Code(CodeKind::Void) => matches!(&*self.parts[part].name(self.source), "wbr" | "!--"),
            PartKind::Text { .. } => self.parts[part].span.len() == 0,
            PartKind::Code(_) => false,
        }
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
    let (mut others, mut count) = (true, 0);
    for label in labels {
        (others, count) = (others && !label.is_empty(), count + 1);
    }
    top.len() > 1 && top.iter().all(u8::is_ascii_alphabetic) && others && count > 0
}
