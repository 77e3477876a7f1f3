//! Elements of names that HTML does not know, such as custom elements: part of a sentence, or blocks (R-W1).

use super::{PageWalk, shows_something};
use crate::find::part::PartKind;
use crate::html::element::{ElementFlow, ElementName};
use crate::html::tokens::{TextKind, TokenKind};
use crate::text::code::CodeKind;

/// The number of tokens that are looked at on either side.
const FAR: usize = 64;

/// Elements that often stand side by side in menus and toolbars: standing between two of them makes no sentence.
pub(super) const CONTROLS: [&str; 4] = ["a", "button", "label", "summary"];

/// The nearest neighbour of an element on one side, past white space and inline tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Words that are in no inline element of their own.
    Words,
    /// An inline element such as `<b>`, and no words outside of it.
    Inline,
    /// A block, another unknown element or the end of the line.
    Other,
}

impl PageWalk<'_> {
    /// Recognizes an unknown element that is part of a sentence: text touches it, or it holds no block, and past white
    /// space and inline tags there are words on one side or inline elements on both.
    pub(super) fn is_in_sentence(&self, index: usize, name: &ElementName) -> bool {
        if index
            .checked_sub(1)
            .is_some_and(|before| self.is_words(before))
        {
            return true;
        }
        let Some(end) = self.end_of_line_element(index, name) else {
            return false;
        };
        if self.is_words(end + 1) {
            return true;
        }
        match (self.before(), self.after(end + 1)) {
            (Beside::Words, _) | (_, Beside::Words) | (Beside::Inline, Beside::Inline) => true,
            (Beside::Inline | Beside::Other, Beside::Inline | Beside::Other) => false,
        }
    }

    fn is_words(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| {
            token.kind == TokenKind::Text(TextKind::Data)
                && !self.source[token.range.clone()].trim_ascii().is_empty()
        })
    }

    /// The token that ends an unknown element, if it is near and the element holds no block.
    fn end_of_line_element(&self, index: usize, name: &ElementName) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in (index..).zip(self.tokens.from(index)).take(FAR) {
            match &token.kind {
                TokenKind::Start(tag) if tag.name == *name => depth += 1,
                TokenKind::Start(tag) if tag.name.flow() == ElementFlow::Block => return None,
                TokenKind::End(end) if end == name => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(at);
                    }
                }
                TokenKind::Start(_)
                | TokenKind::End(_)
                | TokenKind::Text(_)
                | TokenKind::Comment
                | TokenKind::Doctype => {}
            }
        }
        None
    }

    /// The neighbour before the current place in its line, by the parts that were found so far.
    pub(super) fn before(&self) -> Beside {
        let Some(frame) = self.frames.last() else {
            return Beside::Other;
        };
        let mut beside = Beside::Other;
        let mut depth = 0_usize;
        for part in frame.parts.iter().rev().take(FAR) {
            match part.kind {
                PartKind::Text { .. }
                    if depth == 0 && shows_something(&self.source[part.span.range()]) =>
                {
                    return Beside::Words;
                }
                PartKind::Code(CodeKind::LoneEnd) => {
                    let name = part.name(self.source);
                    if depth == 0
                        && name.flow() == ElementFlow::Inline
                        && !CONTROLS.contains(&&*name)
                    {
                        beside = Beside::Inline;
                    }
                    depth += 1;
                }
                PartKind::Code(CodeKind::Paired) => depth = depth.saturating_sub(1),
                PartKind::Code(CodeKind::Void)
                    if depth == 0 && &*part.name(self.source) == "br" =>
                {
                    return beside;
                }
                PartKind::Text { .. } | PartKind::Code(_) | PartKind::End => {}
            }
        }
        beside
    }

    /// The neighbour from a token on in the same line.
    pub(super) fn after(&self, index: usize) -> Beside {
        let mut beside = Beside::Other;
        let mut depth = 0_usize;
        let mut ended = 0;
        for token in self.tokens.from(index).take(FAR) {
            match &token.kind {
                TokenKind::Text(TextKind::Data)
                    if depth == 0 && shows_something(&self.source[token.range.clone()]) =>
                {
                    return Beside::Words;
                }
                TokenKind::Start(tag)
                    if tag.name.flow() != ElementFlow::Inline || &*tag.name == "br" =>
                {
                    return beside;
                }
                TokenKind::Start(tag) if !tag.name.is_void() => {
                    if depth == 0 && !CONTROLS.contains(&&*tag.name) {
                        beside = Beside::Inline;
                    }
                    depth += 1;
                }
                TokenKind::End(_) if depth > 0 => depth -= 1,
                TokenKind::End(name) => {
                    // The element around ends, which the stack knows.
                    let around = self.stack.inner(ended).filter(|open| open.name == *name);
                    if around.is_none_or(|open| open.flow != ElementFlow::Inline) {
                        return beside;
                    }
                    ended += 1;
                }
                TokenKind::Start(_) | TokenKind::Text(_) | TokenKind::Comment => {}
                TokenKind::Doctype => return beside,
            }
        }
        beside
    }
}
