//! Rows of bytes that are read piece by piece.

/// The rest of a row.
pub(super) struct RowCursor<'r>(pub(super) &'r [u8]);

impl<'r> RowCursor<'r> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'r [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }
}

/// A length as it is written in rows.
pub(super) fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}
