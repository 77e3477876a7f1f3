//! Tags, read by the states of the HTML Standard from the bytes between two tokens of lol_html.
//!
//! lol_html says where text is, comments and doctypes, and so decides what is a tag at all; what it would do to find
//! elements by selectors costs more than all else here, and memory for every element that a page leaves open.

use std::ops::Range;

use super::known::{self, known};
use super::limits::MOST_TOKENS;
use super::rules::Rules;
use super::tokens::{Attribute, Tokens};

/// Reads the tags that stand between two tokens. The marks around CDATA stand there too and are passed over, and so are
/// characters of which something is cut off, which belong to the text before.
pub(crate) fn read_tags(source: &[u8], gap: Range<usize>, rules: &Rules, tokens: &mut Tokens) {
    let mut at = gap.start;
    while let Some(skip) = source[at..gap.end].iter().position(|&byte| byte == b'<') {
        if tokens.len() > MOST_TOKENS {
            return;
        }
        tokens.lengthen(cut_character(source, at..at + skip));
        at += skip;
        let (lead, is_end) = if source.get(at + 1) == Some(&b'/') { (2, true) } else { (1, false) };
        if !source[at..gap.end].get(lead).is_some_and(u8::is_ascii_alphabetic) {
            // `</>` is nothing at all.
            at += lead;
            continue;
        }
        let mut reader = Reader { source, at: at + lead, end: gap.end };
        let name = reader.name();
        let mut tag = tokens.begin();
        let Some(self_closing) = reader.attributes(&mut |name, value| {
            if let Some(attribute) = meant(&source[name], value, rules).filter(|_| !is_end) {
                tag.attribute(attribute);
            }
        }) else {
            tag.forget();
            return;
        };
        match is_end {
            true => tag.end(at..reader.at, &source[name]),
            false => tag.start(at..reader.at, &source[name], self_closing),
        }
        at = reader.at;
    }
    tokens.lengthen(cut_character(source, at..gap.end));
}

/// The name of the tag that begins at a byte; none where a comment does.
pub(crate) fn name_at(source: &[u8], at: usize) -> Option<&[u8]> {
    let lead = if source.get(at + 1) == Some(&b'/') { 2 } else { 1 };
    let name = Reader { source, at: at + lead, end: source.len() }.name();
    source.get(name).filter(|name| name.first().is_some_and(u8::is_ascii_alphabetic))
}

/// The values of a tag's attributes that hold programs, such as `onclick`.
pub(crate) fn handlers(source: &[u8], tag: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut reader = Reader { source, at: tag.start + 1, end: tag.end };
    reader.name();
    reader.attributes(&mut |name, value| {
        let is_handler = source[name].get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"on"));
        found.extend(value.filter(|_| is_handler));
    });
    found
}

/// Characters at the end of a gap of which something is cut off: text that lol_html reports only sometimes.
pub(crate) fn cut_character(source: &[u8], gap: Range<usize>) -> Range<usize> {
    gap.end - source[gap.clone()].iter().rev().take_while(|byte| !byte.is_ascii()).count()..gap.end
}

/// An attribute, if it means something to us.
fn meant(name: &[u8], value: Option<Range<usize>>, rules: &Rules) -> Option<Attribute> {
    let (known, asked) = match known(name) {
        Some(known) => (known, None),
        None => {
            let asked = rules.attributes.iter().find(|asked| asked.as_bytes().eq_ignore_ascii_case(name))?;
            (&known::ASKED, Some(asked.clone()))
        }
    };
    Some(Attribute { known, asked, value })
}

/// Reads one tag.
struct Reader<'a> {
    source: &'a [u8],
    at: usize,
    /// Where the gap ends; a tag that is not ended there is none.
    end: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied().filter(|_| self.at < self.end)
    }

    /// Passes over bytes for as long as they are not these; gives their range.
    fn until(&mut self, stops: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let length = self.source[start..self.end].iter().position(|&byte| stops(byte));
        self.at = length.map_or(self.end, |length| start + length);
        start..self.at
    }

    fn name(&mut self) -> Range<usize> {
        self.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>'))
    }

    /// Reads up to and including `>`; says whether a `/` stands before it. Nothing where the bytes end inside the tag.
    fn attributes(&mut self, found: &mut impl FnMut(Range<usize>, Option<Range<usize>>)) -> Option<bool> {
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
                    let value = self.value()?;
                    found(name, value);
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

    /// The value of an attribute without its quotes, if it has one; nothing where the bytes end inside of it.
    fn value(&mut self) -> Option<Option<Range<usize>>> {
        let after_name = self.at;
        self.until(|byte| !is_space(byte));
        if self.peek()? != b'=' {
            self.at = after_name;
            return Some(None);
        }
        self.at += 1;
        self.until(|byte| !is_space(byte));
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.until(|byte| byte == quote);
                self.peek()?;
                self.at += 1;
                Some(Some(value))
            }
            b'>' => Some(None),
            _ => Some(Some(self.until(|byte| is_space(byte) || byte == b'>'))),
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0c | b'\r')
}
