//! Programs of a server among words that nobody ran: `<?php … ?>` (R-K5).

use std::ops::Range;

use super::PageWalk;
use crate::find::keeps::Keeps;
use crate::find::part::{BlockPart, PartKind};
use crate::html::element::ElementName;
use crate::html::tokens::TextKind;
use crate::text::code::CodeKind;

impl PageWalk<'_> {
    /// Takes a comment. For a browser `<?php … ?>` is one that ends with the first `>`.
    pub(super) fn comment(&mut self, range: &Range<usize>) {
        let comment = &self.source[range.clone()];
        if comment.starts_with(b"<?") && !self.tokens.is_xml() {
            self.in_program = !comment.ends_with(b"?>");
        }
        self.code(range.clone(), CodeKind::Void, &ElementName::COMMENT);
    }

    /// Keeps what is left of a program whose beginning was a comment for browsers; gives where words begin.
    pub(super) fn program(&mut self, range: &Range<usize>, kind: TextKind) -> usize {
        if !self.in_program {
            return range.start;
        }
        let text = &self.source[range.clone()];
        let end = text
            .windows(2)
            .position(|mark| mark == b"?>")
            .map_or(range.end, |at| range.start + at + 2);
        self.in_program = !self.source[..end].ends_with(b"?>");
        let rest = range.start..end;
        self.keep(&rest, kind, Some(Keeps::Template));
        let last = self
            .frames
            .last_mut()
            .and_then(|frame| frame.parts.last_mut());
        let begins = |last: &&mut BlockPart| {
            last.span.end() == rest.start && self.source[last.span.range()].starts_with(b"<?")
        };
        match last.filter(begins) {
            // Both halves are one code, so that no translation parts them.
            Some(begun) => {
                begun.span = (begun.span.start()..rest.end).into();
                begun.kind = PartKind::Code(CodeKind::Protected);
            }
            None => self.part(BlockPart::template(rest, CodeKind::Protected)),
        }
        end
    }
}
