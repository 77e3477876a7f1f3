//! Tags, read by the states of the HTML Standard (13.2.5.6 to 13.2.5.40): their names, and where the attributes stand that
//! mean something to us.

use std::ops::Range;

use super::element::ElementName;
use super::known::{self, known};
use super::rules::Rules;
use super::tokens::{PageTokens, TagAttribute};

/// A tag that was read.
pub(crate) struct Read {
    pub(crate) name: Range<usize>,
    /// The element, if HTML knows it.
    pub(crate) element: Option<ElementName>,
    pub(crate) is_end: bool,
    pub(crate) self_closing: bool,
    /// Byte after it.
    pub(crate) end: usize,
}

/// Reads the tag with which a stretch begins and adds it to the others; nothing where the stretch ends inside of it.
#[inline]
pub(crate) fn read_tag(
    source: &[u8],
    within: Range<usize>,
    rules: &Rules,
    tokens: &mut PageTokens,
) -> Option<Read> {
    let at = within.start;
    let is_end = source.get(at + 1) == Some(&b'/');
    let mut reader = TagReader {
        source,
        at: at + if is_end { 2 } else { 1 },
        end: within.end,
    };
    let name = reader.name();
    let mut tag = tokens.begin();
    let Some(self_closing) = reader.attributes(&mut |name, value| {
        if let Some(attribute) = meant(&source[name], value, rules).filter(|_| !is_end) {
            tag.attribute(attribute);
        }
    }) else {
        tag.forget();
        return None;
    };
    let range = at..reader.at;
    let written = &source[name.clone()];
    let element = if is_end {
        tag.end(range, written)
    } else {
        tag.start(range, written, self_closing)
    };
    Some(Read {
        name,
        element,
        is_end,
        self_closing,
        end: reader.at,
    })
}

/// The name of the tag that begins at a byte; none where a comment does.
pub(crate) fn name_at(source: &[u8], at: usize) -> Option<&[u8]> {
    let lead = if source.get(at + 1) == Some(&b'/') {
        2
    } else {
        1
    };
    let name = TagReader {
        source,
        at: at + lead,
        end: source.len(),
    }
    .name();
    source
        .get(name)
        .filter(|name| name.first().is_some_and(u8::is_ascii_alphabetic))
}

/// The values of a tag's attributes that hold programs, such as `onclick`.
pub(crate) fn handlers(source: &[u8], tag: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut reader = TagReader {
        source,
        at: tag.start + 1,
        end: tag.end,
    };
    reader.name();
    reader.attributes(&mut |name, value| {
        let is_handler = source[name]
            .get(..2)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"on"));
        found.extend(value.filter(|_| is_handler));
    });
    found
}

/// All attributes of a tag, as they are written.
pub(crate) fn attributes(source: &[u8], tag: Range<usize>) -> Vec<(&[u8], Option<&[u8]>)> {
    let mut found = Vec::new();
    let mut reader = TagReader {
        source,
        at: tag.start + 1,
        end: tag.end,
    };
    reader.name();
    reader.attributes(&mut |name, value| {
        found.push((&source[name], value.map(|value| &source[value])))
    });
    found
}

/// The start tag that ends at a byte.
pub(crate) fn start_tag_before(source: &[u8], end: usize) -> Option<Range<usize>> {
    let start = source
        .get(..end)?
        .iter()
        .rev()
        .take(LONGEST)
        .position(|byte| *byte == b'<')?;
    let start = end - 1 - start;
    name_at(source, start).filter(|_| source.get(start + 1) != Some(&b'/'))?;
    let mut reader = TagReader {
        source,
        at: start + 1,
        end: source.len(),
    };
    reader.name();
    // A quotation mark between attributes would end an attribute value that contains this whole tag.
    let mut is_in_value = source[..start].last() == Some(&b'=');
    reader.attributes(&mut |name, _| {
        is_in_value |= source[name].iter().any(|byte| matches!(byte, b'"' | b'\''))
    })?;
    if reader.at == end && !is_in_value {
        Some(start..end)
    } else {
        None
    }
}

/// Longest distance back to the start of a tag.
const LONGEST: usize = 4096;

/// An attribute, if it means something to us.
fn meant(name: &[u8], value: Option<Range<usize>>, rules: &Rules) -> Option<TagAttribute> {
    let (known, asked) = match known(name) {
        Some(known) => (known, None),
        None => {
            let asked = rules
                .attributes
                .iter()
                .find(|asked| asked.as_bytes().eq_ignore_ascii_case(name))?;
            (&known::ASKED, Some(asked.clone()))
        }
    };
    Some(TagAttribute {
        known,
        asked,
        value,
    })
}

/// Reads one tag.
struct TagReader<'a> {
    source: &'a [u8],
    at: usize,
    /// Where the gap ends; a tag that is not ended there is none.
    end: usize,
}

impl TagReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.source
            .get(self.at)
            .copied()
            .filter(|_| self.at < self.end)
    }

    /// Passes over bytes for as long as they are not these; gives their range.
    fn until(&mut self, stops: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let length = self.source[start..self.end]
            .iter()
            .position(|&byte| stops(byte));
        self.at = length.map_or(self.end, |length| start + length);
        start..self.at
    }

    fn name(&mut self) -> Range<usize> {
        self.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>'))
    }

    /// Reads up to and including `>`; says whether a `/` stands before it. Nothing where the bytes end inside the tag.
    fn attributes(
        &mut self,
        found: &mut impl FnMut(Range<usize>, Option<Range<usize>>),
    ) -> Option<bool> {
        loop {
            self.until(|byte| !is_space(byte));
            match self.peek()? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    self.at += 1;
                    if self.peek()? == b'>' {
                        self.at += 1;
                        return Some(true);
                    }
                }
                _ => {
                    let name = self.attribute_name();
                    let AttributeValue { range } = self.value()?;
                    found(name, range);
                }
            }
        }
    }

    /// A name may begin with `=`.
    fn attribute_name(&mut self) -> Range<usize> {
        let start = self.at;
        self.at += 1;
        self.until(|byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>'));
        start..self.at
    }

    /// The value of an attribute without its quotes; `None` if the bytes end inside of it.
    fn value(&mut self) -> Option<AttributeValue> {
        let after_name = self.at;
        self.until(|byte| !is_space(byte));
        if self.peek()? != b'=' {
            self.at = after_name;
            return Some(AttributeValue { range: None });
        }
        self.at += 1;
        self.until(|byte| !is_space(byte));
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.until(|byte| byte == quote);
                self.peek()?;
                self.at += 1;
                Some(AttributeValue { range: Some(value) })
            }
            b'>' => Some(AttributeValue { range: None }),
            _ => {
                let value = self.until(|byte| is_space(byte) || byte == b'>');
                Some(AttributeValue { range: Some(value) })
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0c | b'\r')
}

/// The value of an attribute without its quotes.
struct AttributeValue {
    /// `None` if the attribute has no value.
    range: Option<Range<usize>>,
}
