//! Blocks whose `dir` follows the language (R-R2).

use super::found::DirectionPlace;
use super::inherit::InheritedState;
use crate::Locale;
use crate::html::element::{ElementFlow, ElementName};
use crate::html::span::ByteSpan;
use crate::html::tokens::StartTag;

/// The open blocks that say the direction of the source's script, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Directions {
    open: Vec<OpenDirection>,
    /// Bytes of text up to here, and of blocks of code.
    text: usize,
    code: usize,
}

#[derive(Debug)]
struct OpenDirection {
    depth: usize,
    start: usize,
    value: ByteSpan,
    quote: Option<u8>,
    text_before: usize,
    code_before: usize,
    holds_page: bool,
}

/// Most bytes of code for each byte of text. A block with more is a block of code, with a label such as "Copy".
const MOSTLY_CODE: usize = 8;

impl Directions {
    /// Notes an element that opens at that depth. Only blocks follow the language: on a word or a field, `dir` belongs to its content.
    pub(crate) fn enter(
        &mut self,
        source: &[u8],
        tag: &StartTag<'_>,
        start: usize,
        depth: usize,
        locale: &Locale,
    ) {
        let is_block = tag.name.flow() == ElementFlow::Block && !tag.name.is_code();
        let Some(dir) = tag
            .attribute("dir")
            .filter(|_| is_block && !matches!(&*tag.name, "html" | "body"))
        else {
            return;
        };
        let says = dir
            .value(source)
            .trim()
            .eq_ignore_ascii_case(locale.direction().as_str());
        let Some(value) = dir.value.clone().filter(|_| says) else {
            return;
        };
        self.open.push(OpenDirection {
            depth,
            start,
            value: value.into(),
            quote: dir.quote(source),
            text_before: self.text,
            code_before: self.code,
            holds_page: holds_page(&tag.name),
        });
    }

    /// Counts the bytes of a text.
    pub(crate) fn count(&mut self, bytes: usize, state: &InheritedState) {
        if state.takes_text() {
            self.text += bytes;
        } else if state.code && state.preserve {
            self.code += bytes;
        }
    }

    /// Ends the element of that depth; gives its place if it follows the language.
    pub(crate) fn leave(&mut self, depth: usize, end: usize) -> Option<DirectionPlace> {
        let open = self.open.pop_if(|open| open.depth >= depth)?;
        let text = self.text - open.text_before;
        let code = self.code - open.code_before;
        let follows = open.holds_page || text.saturating_mul(MOSTLY_CODE) >= code;
        let place = DirectionPlace {
            element: (open.start..end).into(),
            value: open.value,
            quote: open.quote,
        };
        if follows { Some(place) } else { None }
    }
}

/// True if an element holds what a page is about, however much of that is code.
fn holds_page(name: &ElementName) -> bool {
    matches!(&**name, "main" | "article" | "section")
}
