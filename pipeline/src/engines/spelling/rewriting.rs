//! A text of which parts were replaced, and where each of its bytes was before.

use std::ops::Range;

/// A text after replacements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rewriting {
    pub(super) text: String,
    changes: Vec<RewrittenRange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RewrittenRange {
    before: Range<usize>,
    after: Range<usize>,
}

impl Rewriting {
    /// Replaces these parts of a text, which stand in order and apart from each other.
    pub(super) fn new(text: &str, edits: impl IntoIterator<Item = (Range<usize>, String)>) -> Self {
        let mut done = Self::default();
        let mut at = 0;
        for (before, replacement) in edits {
            done.text.push_str(&text[at..before.start]);
            let start = done.text.len();
            done.text.push_str(&replacement);
            at = before.end;
            done.changes.push(RewrittenRange {
                before,
                after: start..done.text.len(),
            });
        }
        done.text.push_str(&text[at..]);
        done
    }

    /// Where a part of the new text stood; of a replacement, the whole of what it replaced.
    pub(super) fn before(&self, range: &Range<usize>) -> Range<usize> {
        self.across(range, |change| (&change.after, &change.before))
    }

    /// Where a part of the old text stands now; of what was replaced, the whole replacement.
    pub(super) fn after(&self, range: &Range<usize>) -> Range<usize> {
        self.across(range, |change| (&change.before, &change.after))
    }

    fn across(
        &self,
        range: &Range<usize>,
        sides: fn(&RewrittenRange) -> (&Range<usize>, &Range<usize>),
    ) -> Range<usize> {
        // The last change that begins before a place, and the place on the other side.
        let moved =
            |at: usize, inside: fn(&Range<usize>) -> usize, is_before: fn(usize, usize) -> bool| {
                let count = self
                    .changes
                    .partition_point(|change| is_before(sides(change).0.start, at));
                match count
                    .checked_sub(1)
                    .and_then(|last| self.changes.get(last))
                    .map(sides)
                {
                    Some((from, to)) if at < from.end => inside(to),
                    Some((from, to)) => to.end + at - from.end,
                    None => at,
                }
            };
        let start = moved(range.start, |to| to.start, |start, at| start <= at);
        let end = moved(range.end, |to| to.end, |start, at| start < at);
        start..end.max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_on_both_sides() {
        let edits = [(0..3, "\""), (4..6, ""), (9..10, "long")]
            .map(|(range, text)| (range, text.to_owned()));
        let rewriting = Rewriting::new("“abcdefgh", edits);
        assert_eq!(rewriting.text, "\"adeflongh");
        for (before, after) in [
            (0..3, 0..1),
            (3..4, 1..2),
            (6..9, 2..5),
            (9..10, 5..9),
            (10..11, 9..10),
            (3..11, 1..10),
        ] {
            assert_eq!(rewriting.after(&before), after, "{before:?}");
            assert_eq!(rewriting.before(&after), before, "{after:?}");
        }
        assert_eq!(
            rewriting.before(&(6..8)),
            9..10,
            "of a replacement, all that it replaced"
        );
        assert_eq!(
            rewriting.after(&(4..5)),
            2..2,
            "what was taken out is nowhere"
        );
    }
}
