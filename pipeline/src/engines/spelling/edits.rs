//! What is put into an answer in the place of what was sent.

use std::ops::Range;

use super::super::overlap;

/// Replacements in an answer, apart from each other.
#[derive(Debug, Default)]
pub(super) struct AnswerEdits(Vec<(Range<usize>, String)>);

impl AnswerEdits {
    pub(super) fn is_free(&self, range: &Range<usize>) -> bool {
        !self.0.iter().any(|(other, _)| overlap(other, range))
    }

    /// Puts something in the place of what is free of a part.
    pub(super) fn put(&mut self, mut range: Range<usize>, written: &str) {
        for (other, _) in &self.0 {
            if overlap(other, &range) && other.start <= range.start {
                range.start = other.end;
            } else if overlap(other, &range) {
                range.end = other.start;
            }
        }
        if range.start < range.end {
            self.0.push((range, written.to_owned()));
        }
    }

    pub(super) fn in_order(mut self) -> Vec<(Range<usize>, String)> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        self.0
    }
}

/// What an answer should have in the place of what was sent for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SentSpelling {
    pub(super) written: String,
    /// Whether it was sent as it was written.
    pub(super) is_same: bool,
    /// Whether spaces were put beside it that the text does not have.
    pub(super) is_glued: (bool, bool),
    /// What stands beside a sign at a number.
    pub(super) beside: (String, String),
}

impl SentSpelling {
    /// The part of an answer that is to be replaced: without the spaces that were put there.
    pub(super) fn within(&self, answer: &str, range: Range<usize>) -> Range<usize> {
        let start = if self.is_glued.0 {
            answer[..range.start].trim_end_matches(' ').len()
        } else {
            range.start
        };
        let after = &answer[range.end..];
        let spaces = if self.is_glued.1 {
            after.len() - after.trim_start_matches(' ').len()
        } else {
            0
        };
        start..range.end + spaces
    }
}
