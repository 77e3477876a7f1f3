//! Segments: the pieces of text that are translated.

use std::borrow::Cow;
use std::sync::Arc;

use super::code::InlineCode;
use super::coded::CodedText;
use super::key::SegmentKey;
use crate::Locale;
use crate::html::rules::LocaleFilter;

/// What kind of text a segment is; equal texts of different classes are translated apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextClass {
    /// Running text: blocks, titles and descriptions.
    Prose,
    /// The label of a thing: `alt`, `title`, `placeholder`, `aria-label`, button values.
    Label,
}

impl TextClass {
    /// The name under which keys and files know the class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Label => "label",
        }
    }
}

/// A piece of text that is translated as one, with its inline codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The text, entities decoded and white space collapsed, without outer markup.
    pub text: CodedText,
    /// What the codes of the text stand for; code `n` is at index `n - 1`.
    pub codes: Vec<InlineCode>,
    /// What kind of text this is.
    pub class: TextClass,
    /// The element or attribute it stands in, such as `h1` or `img alt`: context for people and engines.
    pub origin: Cow<'static, str>,
    /// The locales that it is there for, where not all.
    pub filter: Option<Arc<LocaleFilter>>,
    /// Whether its codes stay where they are and text stays wherever there is some: a script compares the page's
    /// nodes with its own, one by one (R-I1, R-I2).
    pub keeps_nodes: bool,
}

impl Segment {
    /// The inline code with this id.
    pub fn code(&self, id: u32) -> Option<&InlineCode> {
        self.codes.get(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    /// The key under which a translation of this segment is kept.
    pub fn key(&self, source: &Locale) -> SegmentKey {
        let bytes = self.text.text().len() + self.codes.len() * 18;
        SegmentKey::with(source, self.class.as_str(), bytes, |markup| {
            self.text.write_markup(markup)
        })
    }
}
