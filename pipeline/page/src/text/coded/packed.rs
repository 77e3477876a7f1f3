//! Texts and segments as bytes, for whoever has more of them than memory should hold.
//!
//! The form is for the run that wrote it and may change with any version: what is stored for good is in the notation.

use super::{CodedText, PlacedCode, SINGLE};
use crate::html::span::short;
use crate::text::code::{CodeKind, InlineCode};
use crate::text::segment::{Segment, TextClass};

impl CodedText {
    /// Writes the text behind what is in `bytes`.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        pack_bytes(self.text.as_bytes(), bytes);
        pack_number(self.codes.len(), bytes);
        for code in &self.codes {
            bytes.extend(code.at.to_le_bytes());
            bytes.extend(code.code.to_le_bytes());
        }
    }

    /// Reads a text that [`pack`](Self::pack) wrote, and gives what follows it; nothing where it is none.
    pub fn unpack(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (text, rest) = bytes_of(bytes)?;
        let text = str::from_utf8(text).ok()?.to_owned();
        let (count, mut rest) = number_of(rest)?;
        let mut codes = Vec::with_capacity(count.min(rest.len() / size_of::<PlacedCode>()));
        for _ in 0..count {
            let (at, behind) = number_of(rest)?;
            let (code, behind) = number_of(behind)?;
            let code = PlacedCode {
                at: short(at),
                code: short(code),
            };
            let is_code = code.code >> 30 <= SINGLE;
            let is_behind = codes
                .last()
                .is_none_or(|last: &PlacedCode| last.at <= code.at);
            if !is_code || !is_behind || !text.is_char_boundary(at) {
                return None;
            }
            codes.push(code);
            rest = behind;
        }
        Some((Self { text, codes }, rest))
    }
}

impl Segment {
    /// Writes the segment behind what is in `bytes`, without the locales that it is there for.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        let Self {
            text,
            codes,
            class,
            origin,
            filter: _,
            keeps_nodes,
        } = self;
        text.pack(bytes);
        let class = match class {
            TextClass::Prose => 0,
            TextClass::Label => 1,
        };
        bytes.extend([class, u8::from(*keeps_nodes)]);
        pack_bytes(origin.as_bytes(), bytes);
        pack_number(codes.len(), bytes);
        for code in codes {
            bytes.push(
                KINDS
                    .iter()
                    .position(|kind| *kind == code.kind)
                    .and_then(|at| at.try_into().ok())
                    .unwrap_or(u8::MAX),
            );
            pack_bytes(code.element().as_bytes(), bytes);
        }
    }

    /// Reads a segment that [`pack`](Self::pack) wrote; nothing where it is none.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let (text, rest) = CodedText::unpack(bytes)?;
        let (&[class, keeps_nodes], rest) = rest.split_first_chunk()?;
        let class = match class {
            0 => TextClass::Prose,
            1 => TextClass::Label,
            _ => return None,
        };
        let (origin, rest) = bytes_of(rest)?;
        let origin = str::from_utf8(origin).ok()?.to_owned().into();
        let (count, mut rest) = number_of(rest)?;
        let mut codes = Vec::with_capacity(count.min(rest.len()));
        for _ in 0..count {
            let (kind, behind) = rest.split_first()?;
            let (element, behind) = bytes_of(behind)?;
            codes.push(InlineCode::new(
                *KINDS.get(usize::from(*kind))?,
                str::from_utf8(element).ok()?,
            ));
            rest = behind;
        }
        Some(Self {
            text,
            codes,
            class,
            origin,
            filter: None,
            keeps_nodes: keeps_nodes == 1,
        })
    }
}

/// Each kind of code by its number.
const KINDS: [CodeKind; 5] = [
    CodeKind::Paired,
    CodeKind::Void,
    CodeKind::Protected,
    CodeKind::LoneStart,
    CodeKind::LoneEnd,
];

fn pack_number(number: usize, bytes: &mut Vec<u8>) {
    bytes.extend(short(number).to_le_bytes());
}

fn pack_bytes(these: &[u8], bytes: &mut Vec<u8>) {
    pack_number(these.len(), bytes);
    bytes.extend(these);
}

fn number_of(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number) as usize, rest))
}

fn bytes_of(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number_of(bytes)?;
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Locale, LocaleFilter, Page};

    proptest! {
        #[test]
        fn what_is_packed_comes_back(parts in proptest::collection::vec("(<b>|</b>|<br>|<my-tag>|<code>x</code>|[a-zß水&; ]{0,6}|<img alt=\"a b\">)", 0..12)) {
            let page = Page::parse(format!("<p>{}</p><ul><li>a <a href=b>c</a></ul>", parts.concat()).as_bytes(), None, &Locale::parse("en").unwrap());
            for segment in page.segments() {
                let mut bytes = Vec::new();
                segment.pack(&mut bytes);
                let back = Segment::unpack(&bytes);
                prop_assert_eq!(back.as_ref(), Some(&segment));
                // Nothing that is cut off or changed makes it panic.
                for at in 0..bytes.len() {
                    prop_assert_eq!(Segment::unpack(&bytes[..at]), None);
                    let mut other = bytes.clone();
                    other[at] ^= 0x81;
                    let _ = Segment::unpack(&other).map(|segment| segment.text.to_markup());
                }
            }
        }
    }

    #[test]
    fn packed_filters_come_back() {
        let page = "<div its-locale-filter-list=\"*-CA, fr\"><p>One<p its-locale-filter-list=\"\">Two\
            <p its-locale-filter-list=de its-locale-filter-type=exclude>Three</div><p>Four";
        let page = Page::parse(page.as_bytes(), None, &Locale::parse("en").unwrap());
        let mut filtered = 0;
        for segment in page.segments() {
            let packed = segment.filter.as_ref().map(|filter| filter.pack());
            filtered += usize::from(packed.is_some());
            assert_eq!(
                packed.and_then(|packed| LocaleFilter::unpack(&packed)),
                segment.filter
            );
        }
        assert_eq!(filtered, 3);
        assert_eq!(LocaleFilter::unpack("de"), None);
    }
}
