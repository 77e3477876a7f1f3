//! What the inline codes of a segment stand for.

use std::fmt;
use std::sync::Arc;

use crate::html::element::ElementName;

/// What an inline code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// An element with text inside, such as a link.
    Paired,
    /// An element or comment without text, such as `<br>` or `<img>`.
    Void,
    /// An element whose content is not translated here, such as `<code>` or `translate="no"`.
    Protected,
    /// A start tag whose end lies elsewhere.
    LoneStart,
    /// An end tag whose start lies elsewhere.
    LoneEnd,
}

/// An inline code of a segment.
#[derive(Clone, PartialEq, Eq)]
pub struct InlineCode {
    /// What it stands for.
    pub kind: CodeKind,
    /// The number of the element, if it is one of HTML.
    known: u8,
    /// The name of any other. No [`ElementName`], which would make a code half as large again.
    other: Option<Arc<String>>,
}

const _: () = assert!(
    size_of::<InlineCode>() == 16,
    "a page may have a code every few bytes"
);

impl InlineCode {
    /// A code for an element, whose name is in lower case, or for a comment, which is `!--`.
    pub fn new(kind: CodeKind, element: &str) -> Self {
        match element {
            "!--" => Self::of(kind, ElementName::COMMENT),
            name => Self::of(kind, ElementName::of(name.as_bytes())),
        }
    }

    pub(crate) fn of(kind: CodeKind, name: ElementName) -> Self {
        Self {
            kind,
            known: name.number().unwrap_or(u8::MAX),
            other: name.other(),
        }
    }

    /// The element's name in lower case, or `!--` for a comment.
    pub fn element(&self) -> &str {
        self.other
            .as_ref()
            .map_or_else(|| ElementName::written(self.known), |name| name.as_str())
    }
}

impl fmt::Debug for InlineCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Code")
            .field("kind", &self.kind)
            .field("element", &self.element())
            .finish()
    }
}
