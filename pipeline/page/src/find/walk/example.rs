//! Words that a sentence shows as an example of the page's own language: `the English word <em lang="en">Hello</em>` (R-N4).

use super::PageWalk;
use super::unknown::{Beside, CONTROLS};
use crate::find::inherit::InheritedState;
use crate::html::element::ElementFlow;
use crate::html::tokens::{StartTag, TokenKind};

/// The most words of an example.
const MOST_WORDS: usize = 3;

/// Most tokens of an example.
const FAR: usize = 64;

impl PageWalk<'_> {
    /// Recognizes an inline element that says the language again in which it stands, holds a few words and stands among others.
    /// Editors that say the language of every stretch leave no words outside of these.
    pub(super) fn is_example(
        &self,
        index: usize,
        tag: &StartTag<'_>,
        outer: &InheritedState,
    ) -> bool {
        if tag.name.flow() != ElementFlow::Inline
            || CONTROLS.contains(&&*tag.name)
            || !outer.takes_text()
        {
            return false;
        }
        let lang = tag
            .value(self.source, "lang")
            .or_else(|| tag.value(self.source, "xml:lang"))
            .unwrap_or_default();
        let around = self.locale.as_str();
        let language = around.split('-').next().unwrap_or_default();
        let lang = lang.trim();
        if !lang.eq_ignore_ascii_case(around) && !lang.eq_ignore_ascii_case(language) {
            return false;
        }
        let Some(end) = self.end_of_few_words(index) else {
            return false;
        };
        self.before() == Beside::Words || self.after(end + 1) == Beside::Words
    }

    /// The token that ends an element, if it holds a few words and no block.
    fn end_of_few_words(&self, index: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut words = 0;
        for (at, token) in (index..).zip(self.tokens.from(index)).take(FAR) {
            match &token.kind {
                TokenKind::Start(tag) if tag.name.flow() != ElementFlow::Inline => return None,
                TokenKind::Start(tag) => depth += usize::from(!tag.name.is_void()),
                TokenKind::End(_) => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return if words > 0 { Some(at) } else { None };
                    }
                }
                TokenKind::Text(_) => {
                    words += self.source[token.range.clone()]
                        .split(u8::is_ascii_whitespace)
                        .filter(|word| !word.is_empty())
                        .count();
                    if words > MOST_WORDS {
                        return None;
                    }
                }
                TokenKind::Comment | TokenKind::Doctype => return None,
            }
        }
        None
    }
}
