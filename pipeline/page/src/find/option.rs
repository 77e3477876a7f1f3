//! What an `<option>` without a `value` sends: its text, which must stay what it is when the text changes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::html::space::{collapse, is_plain, is_space, trim};
use crate::html::span::{ByteSpan, short};

/// An `<option>` without `value`: what it sends is its text, so a new text needs the old one as value (R-A7).
#[derive(Clone, Debug)]
pub(crate) struct OptionValue {
    /// The byte from which on texts stand in it. What lies in a tree of such elements is found by this alone: where one
    /// ends in another, the outer one stands in the list once more.
    from: u32,
    /// The byte after the element's name, where the attribute goes.
    at: u32,
    text: OptionText,
}

/// What an `<option>` says.
#[derive(Clone, Debug)]
enum OptionText {
    /// The bytes of the page, as they are.
    Written(ByteSpan),
    /// With references and white space read as browsers do.
    Read(Arc<str>),
}

impl OptionValue {
    /// That of the `<option>` around a byte: of those of a page, the last that starts or goes on before it.
    pub(crate) fn around(options: &[Self], byte: usize) -> Option<&Self> {
        options.get(
            options
                .partition_point(|option| option.from as usize <= byte)
                .checked_sub(1)?,
        )
    }

    /// What says the same as the text of the tokens `texts`; `at` is where the attribute goes.
    pub(crate) fn read(source: &[u8], at: usize, texts: &[Range<usize>]) -> Self {
        if let [one] = texts {
            let span = trim(source, one.clone());
            if is_plain(&source[span.clone()]) {
                return Self {
                    from: short(at),
                    at: short(at),
                    text: OptionText::Written(span.into()),
                };
            }
        }
        let mut text = String::new();
        for range in texts {
            text.push_str(&htmlize::unescape(String::from_utf8_lossy(
                &source[range.clone()],
            )));
        }
        let text = collapse(Cow::Borrowed(text.trim_matches(is_space)));
        Self {
            from: short(at),
            at: short(at),
            text: OptionText::Read(text.into()),
        }
    }

    /// The same, for texts from a byte on.
    pub(crate) fn resumed(&self, byte: usize) -> Self {
        Self {
            from: short(byte),
            ..self.clone()
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at as usize
    }

    /// Its value; `source` is the page.
    pub(crate) fn value<'v>(&'v self, source: &'v [u8]) -> Cow<'v, str> {
        match &self.text {
            OptionText::Written(span) => String::from_utf8_lossy(&source[span.range()]),
            OptionText::Read(text) => Cow::Borrowed(text),
        }
    }
}
