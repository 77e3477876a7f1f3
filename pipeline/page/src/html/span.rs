//! A stretch of a page in half the room that a range of the standard library takes: a page has many.

use std::ops::Range;

/// A range of bytes of a page, which is never as large as 4 GiB (see `limits.rs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByteSpan {
    start: u32,
    end: u32,
}

impl ByteSpan {
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start()..self.end()
    }

    pub(crate) fn len(self) -> usize {
        self.end().saturating_sub(self.start())
    }
}

impl From<Range<usize>> for ByteSpan {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: short(range.start),
            end: short(range.end),
        }
    }
}

/// A count in half the room: there are no more of anything than bytes.
pub(crate) fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
