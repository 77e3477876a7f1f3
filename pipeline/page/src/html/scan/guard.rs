//! Programs and style sheets of graphics, closed to everybody who looks for words or tags.
//!
//! Which graphic an element stands in can be told from tags alone only where they are nested well (`worlds`). Where they are
//! not, a script that browsers read as one of HTML may be taken for one of a graphic, whose texts and tags lie open. So what HTML
//! would read as the text of a script or a style is closed there, too: a page may be left untranslated, never damaged.

use std::ops::Range;

use super::ends;
use crate::html::tokens::PageTokens;

/// The stretches of a page that are closed, in order.
#[derive(Debug, Default)]
pub(super) struct ClosedStretches {
    closed: Vec<ClosedStretch>,
    /// Where the next script and the next style end, each as it was looked for last.
    ends: [usize; 2],
}

#[derive(Debug)]
struct ClosedStretch {
    range: Range<usize>,
    is_style: bool,
}

impl ClosedStretches {
    /// Takes the start tag of an element in a graphic that ends at a byte. What HTML would find no end of stays open: the
    /// element ends with its graphic, and the rest of the page is words. So does what closes itself, as elements of graphics
    /// may, unless an end follows that belongs to nothing else.
    pub(super) fn begin(&mut self, source: &[u8], start: usize, name: &str, self_closing: bool) {
        let is_style = name == "style";
        let is_closed = self
            .closed
            .last()
            .is_some_and(|last| start <= last.range.end);
        if !(is_style || name == "script") || is_closed {
            return;
        }
        let end = &mut self.ends[usize::from(is_style)];
        if *end < start {
            *end = if is_style {
                ends::of_text(source, start, name)
            } else {
                ends::of_script(source, start)
            };
        }
        let range = start..*end;
        if *end < source.len() && !(self_closing && ends::has_start(&source[range.clone()], name)) {
            self.closed.push(ClosedStretch { range, is_style });
        }
    }

    /// Closes the stretches.
    pub(super) fn close(&self, tokens: &mut PageTokens) {
        self.closed
            .iter()
            .for_each(|closed| tokens.close(&closed.range, closed.is_style));
    }
}
