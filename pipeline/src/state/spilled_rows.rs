//! Fixed-size rows found by index. A short list is in memory. A long one spills all but its first rows, which most pages use.

use super::{SpillFile, StateError};

/// Bytes that are read at once when rows are read in turn.
const AT_ONCE: usize = 1 << 16;

/// When a list spills, one row in this many stays in memory.
const STAYS: usize = 8;

/// Rows of `N` bytes, which are added at the end and found by their number.
#[derive(Debug, Default)]
pub struct SpilledRows<const N: usize> {
    /// How many rows may be in memory as long as all are there.
    most: usize,
    first: Vec<[u8; N]>,
    spill: SpillFile,
    /// Rows in the spill file.
    spilled: usize,
}

impl<const N: usize> SpilledRows<N> {
    /// No rows yet; up to `most` rows are in memory. More rows go to a spill file of their own.
    pub fn on(spill: SpillFile, most: usize) -> Self {
        Self {
            most,
            spill,
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: [u8; N]) {
        if self.spilled == 0 && self.first.len() < self.most {
            self.first.push(row);
            return;
        }
        if self.spilled == 0 {
            for row in self.first.drain(self.most / STAYS..) {
                self.spill.put(&row);
                self.spilled += 1;
            }
            self.first.shrink_to_fit();
        }
        self.spill.put(&row);
        self.spilled += 1;
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.first.len() + self.spilled
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row; nothing where there is none, or where the disk does not give it back, which [`check`](Self::check) tells of.
    pub fn get(&self, index: usize) -> Option<[u8; N]> {
        let Some(spilled) = index.checked_sub(self.first.len()) else {
            return self.first.get(index).copied();
        };
        let mut row = [0; N];
        let is_there = spilled < self.spilled && self.spill.read(at::<N>(spilled), &mut row);
        is_there.then_some(row)
    }

    /// Replaces the row at `index`; an index behind the last row of a spilled list is ignored. [`check`](Self::check) reports a write that
    /// failed.
    ///
    /// # Panics
    /// If the list is in memory and shorter.
    pub fn set(&mut self, index: usize, row: [u8; N]) {
        match index.checked_sub(self.first.len()) {
            None => self.first[index] = row,
            Some(spilled) if spilled < self.spilled => self.spill.replace(at::<N>(spilled), &row),
            Some(_) => {}
        }
    }

    /// All rows in their order, up to the first that the disk does not give back.
    pub fn iter(&self) -> impl Iterator<Item = [u8; N]> {
        let many = (AT_ONCE / N).max(1);
        let blocks = (0..self.spilled).step_by(many).map_while(move |start| {
            let mut block = vec![0; N * many.min(self.spilled - start)];
            self.spill.read(at::<N>(start), &mut block).then_some(block)
        });
        let rows = blocks.flat_map(|block| {
            let (rows, _) = block.as_chunks::<N>();
            rows.to_vec()
        });
        self.first.iter().copied().chain(rows)
    }

    /// Whether everything that was asked for was there.
    ///
    /// # Errors
    /// [`StateError::SpillFile`] where the disk did not give something back.
    pub fn check(&self) -> Result<(), StateError> {
        self.spill.check()
    }
}

/// Offset of a row in the spill file.
fn at<const N: usize>(spilled: usize) -> u64 {
    spilled as u64 * N as u64
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    /// Builds a list whose last rows reach the file, and replaces some rows.
    fn filled(spill: SpillFile, in_memory: usize) -> (SpilledRows<12>, Vec<[u8; 12]>) {
        let row = |number: u32| std::array::from_fn(|byte| number.to_le_bytes()[byte % 4]);
        let mut rows: Vec<[u8; 12]> = (0..200_000).map(row).collect();
        let mut column = SpilledRows::on(spill, in_memory);
        rows.iter().for_each(|row| column.push(*row));
        // Read before each write, so the window holds the row. Row 100,339 lies only partly in the window.
        for index in [0, 7, 8, 99_999, 100_000, 100_339, 199_999] {
            assert_eq!(column.get(index.min(99_998)), Some(rows[index.min(99_998)]));
            rows[index] = [0xab; 12];
            column.set(index, rows[index]);
        }
        // Replaced rows are readable before the window is written to the file.
        for (index, row) in rows.iter_mut().enumerate().skip(120_000).take(1000) {
            *row = [0xcd; 12];
            column.set(index, *row);
            assert_eq!(column.get(index), Some(*row));
        }
        column.set(200_000, [1; 12]);
        (column, rows)
    }

    #[test]
    fn rows_come_back_whether_they_are_in_memory_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(&folder.path().join("state.redb")).unwrap();
        for (spill, in_memory) in [
            (state.spill_file(), 100),
            (state.spill_file(), usize::MAX),
            (SpillFile::default(), 0),
        ] {
            let (column, rows) = filled(spill, in_memory);
            assert_eq!(column.len(), rows.len());
            assert!((0..rows.len()).all(|index| column.get(index) == Some(rows[index])));
            assert!(column.iter().eq(rows.iter().copied()));
            assert_eq!(column.get(rows.len()), None);
            assert!(column.check().is_ok());
        }
    }
}
