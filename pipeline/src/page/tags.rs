//! Tags, read by the states of the HTML Standard from the bytes between two tokens of lol_html.
//!
//! lol_html says where text is, comments and doctypes, and so decides what is a tag at all; what it would do to find
//! elements by selectors costs more than all else here, and memory for every element that a page leaves open.

use std::ops::Range;

use super::attributes;
use super::element::Name;
use super::limits::MOST_TOKENS;
use super::rules::Rules;
use super::scan::{Attribute, Tag, Token, TokenKind};

/// Reads the tags that stand between two tokens. The marks around CDATA stand there too and are passed over, and so are
/// characters of which something is cut off, which belong to the text before.
pub(super) fn read_tags(source: &[u8], gap: Range<usize>, rules: &Rules, tokens: &mut Vec<Token>) {
    let mut at = gap.start;
    while let Some(skip) = source[at..gap.end].iter().position(|&byte| byte == b'<') {
        if tokens.len() > MOST_TOKENS {
            return;
        }
        take(cut_character(source, at..at + skip), tokens);
        at += skip;
        let (lead, is_end) = if source.get(at + 1) == Some(&b'/') { (2, true) } else { (1, false) };
        if !source[at..gap.end].get(lead).is_some_and(u8::is_ascii_alphabetic) {
            // `</>` is nothing at all.
            at += lead;
            continue;
        }
        let mut reader = Reader { source, at: at + lead, end: gap.end };
        let name = reader.name();
        let mut found = Found { attributes: Vec::new(), roles: 0, rules };
        let Some(self_closing) = reader.attributes(&mut |name, value| {
            if !is_end {
                found.add(&source[name], value);
            }
        }) else {
            return;
        };
        let name = Name::of(&source[name]);
        let kind = match is_end {
            true => TokenKind::End(name),
            false => {
                let Found { attributes, roles, .. } = found;
                TokenKind::Start(Tag::new(name, attributes, roles, self_closing))
            }
        };
        tokens.push(Token { range: at..reader.at, kind });
        at = reader.at;
    }
    take(cut_character(source, at..gap.end), tokens);
}

/// Characters at the end of a gap of which something is cut off: text that lol_html reports only sometimes.
pub(super) fn cut_character(source: &[u8], gap: Range<usize>) -> Range<usize> {
    gap.end - source[gap.clone()].iter().rev().take_while(|byte| !byte.is_ascii()).count()..gap.end
}

/// Gives a cut character to the text before it, if that is what stands there.
fn take(cut: Range<usize>, tokens: &mut [Token]) {
    if let Some(Token { range, kind: TokenKind::Text(_) }) = tokens.last_mut()
        && range.end == cut.start
    {
        range.end = cut.end;
    }
}

/// The attributes of a tag that mean something to us; of two with one name, the first counts.
struct Found<'r> {
    attributes: Vec<Attribute>,
    roles: attributes::Roles,
    rules: &'r Rules,
}

impl Found<'_> {
    fn add(&mut self, name: &[u8], value: Option<Range<usize>>) {
        let asked = |asked: &&std::sync::Arc<str>| asked.as_bytes().eq_ignore_ascii_case(name);
        let (known, asked) = match attributes::known(name) {
            Some(known) => (known, None),
            None => match self.rules.attributes.iter().find(asked) {
                Some(asked) => (&attributes::ASKED, Some(asked.clone())),
                None => return,
            },
        };
        if self.attributes.iter().all(|earlier| earlier.known != known || earlier.asked != asked) {
            // Most tags have one.
            self.attributes.reserve_exact(1);
            self.attributes.push(Attribute { known, asked, value });
            self.roles |= known.roles;
        }
    }
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
