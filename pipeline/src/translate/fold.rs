//! Texts as engines get them: with whole words. A drop cap joins its word (R-W3), places where a line may break inside a word go
//! (R-K2), and so do the readings of ruby (R-W4) and pictures at the edges of elements (F-25). From the translation of such a text comes that of the page's own text, with
//! every code: the drop cap takes the first letter, a `<wbr>` stands in the same word or at the end of one, and readings are
//! empty.

mod breaks;
mod cap;
mod element;
mod pictures;
mod ruby;

use self::breaks::Breaks;
use self::cap::Cap;
use self::pictures::Pictures;
use self::ruby::Readings;
use crate::page::{CodedText, Segment};

/// A text with whole words, and what it takes to go back.
#[derive(Clone, Debug)]
pub(super) struct Folded {
    /// The text that engines get, with the numbers of the original's codes.
    pub(super) text: CodedText,
    original: CodedText,
    readings: Option<Readings>,
    pictures: Option<Pictures>,
    cap: Option<Cap>,
    breaks: Option<Breaks>,
}

impl Folded {
    /// Folds a text. `None` if its words are whole. Codes stay where a script compares nodes; a text without codes is one node
    /// in any case.
    pub(super) fn of(segment: &Segment) -> Option<Self> {
        let has_codes = segment.text.has_codes();
        let has_marks = breaks::has_marks(segment.text.text());
        if (segment.keeps_nodes && has_codes) || !(has_codes || has_marks) {
            return None;
        }
        let original = segment.text.clone();
        let mut text = original.clone();
        let readings = ruby::fold(segment, &mut text);
        let pictures = pictures::fold(segment, &mut text);
        let cap = cap::fold(segment, &mut text);
        let breaks = breaks::fold(segment, &mut text);
        if readings.is_none() && pictures.is_none() && cap.is_none() && breaks.is_none() {
            return None;
        }
        Some(Self {
            text,
            original,
            readings,
            pictures,
            cap,
            breaks,
        })
    }

    /// The translation of the original.
    pub(super) fn unfold(&self, translation: &CodedText) -> CodedText {
        if *translation == self.text {
            return self.original.clone();
        }
        let mut text = translation.clone();
        if let Some(breaks) = &self.breaks {
            text = breaks.unfold(&text);
        }
        if let Some(cap) = &self.cap {
            text = cap.unfold(&text);
        }
        if let Some(pictures) = &self.pictures {
            text = pictures.unfold(&text);
        }
        if let Some(readings) = &self.readings {
            text = readings.unfold(&text);
        }
        text
    }
}

#[cfg(test)]
mod tests;
