//! Rows of one length, found by their number: in memory where they are few, otherwise on a shelf but for the first of a run, since
//! those are what most pages have.

use super::{Shelf, StateError};

/// Bytes that are read at once when rows are read in turn.
const AT_ONCE: usize = 1 << 16;

/// Of rows that are too many for memory, one part of so many stays there.
const STAYS: usize = 8;

/// Rows of `N` bytes, which are added at the end and found by their number.
#[derive(Debug, Default)]
pub struct Column<const N: usize> {
    /// How many rows may be in memory as long as all are there.
    most: usize,
    first: Vec<[u8; N]>,
    shelf: Shelf,
    /// How many rows are on the shelf.
    shelved: usize,
}

impl<const N: usize> Column<N> {
    /// No rows yet; up to `most` rows are in memory. Where they become more, most go to a shelf that nothing else is put on.
    pub fn on(shelf: Shelf, most: usize) -> Self {
        Self {
            most,
            shelf,
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: [u8; N]) {
        if self.shelved == 0 && self.first.len() < self.most {
            self.first.push(row);
            return;
        }
        if self.shelved == 0 {
            for row in self.first.drain(self.most / STAYS..) {
                self.shelf.put(&row);
                self.shelved += 1;
            }
            self.first.shrink_to_fit();
        }
        self.shelf.put(&row);
        self.shelved += 1;
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.first.len() + self.shelved
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row; nothing where there is none, or where the disk does not give it back, which [`check`](Self::check) tells of.
    pub fn get(&self, index: usize) -> Option<[u8; N]> {
        let Some(shelved) = index.checked_sub(self.first.len()) else {
            return self.first.get(index).copied();
        };
        let mut row = [0; N];
        let is_there = shelved < self.shelved && self.shelf.read(at::<N>(shelved), &mut row);
        is_there.then_some(row)
    }

    /// Puts another row in place of one.
    pub fn set(&mut self, index: usize, row: [u8; N]) {
        match index.checked_sub(self.first.len()) {
            None => self.first[index] = row,
            Some(shelved) if shelved < self.shelved => self.shelf.replace(at::<N>(shelved), &row),
            Some(_) => {}
        }
    }

    /// All rows in their order, up to the first that the disk does not give back.
    pub fn iter(&self) -> impl Iterator<Item = [u8; N]> {
        let many = (AT_ONCE / N).max(1);
        let blocks = (0..self.shelved).step_by(many).map_while(move |start| {
            let mut block = vec![0; N * many.min(self.shelved - start)];
            self.shelf.read(at::<N>(start), &mut block).then_some(block)
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
    /// [`StateError::Shelf`] where the disk did not give something back.
    pub fn check(&self) -> Result<(), StateError> {
        self.shelf.check()
    }
}

/// Where a row stands on the shelf.
fn at<const N: usize>(shelved: usize) -> u64 {
    shelved as u64 * N as u64
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    /// A column of so many rows that the last of them reach the file, and some rows changed.
    fn filled(shelf: Shelf, in_memory: usize) -> (Column<12>, Vec<[u8; 12]>) {
        let row = |number: u32| std::array::from_fn(|byte| number.to_le_bytes()[byte % 4]);
        let mut rows: Vec<[u8; 12]> = (0..200_000).map(row).collect();
        let mut column = Column::on(shelf, in_memory);
        rows.iter().for_each(|row| column.push(*row));
        // Each is read ahead with rows before it, and the last of those that are read at once by a part alone.
        for index in [0, 7, 8, 99_999, 100_000, 100_339, 199_999] {
            assert_eq!(column.get(index.min(99_998)), Some(rows[index.min(99_998)]));
            rows[index] = [0xab; 12];
            column.set(index, rows[index]);
        }
        // One after the other, and read as they are before the file has them.
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
        for (shelf, in_memory) in [
            (state.shelf(), 100),
            (state.shelf(), usize::MAX),
            (Shelf::default(), 0),
        ] {
            let (column, rows) = filled(shelf, in_memory);
            assert_eq!(column.len(), rows.len());
            assert!((0..rows.len()).all(|index| column.get(index) == Some(rows[index])));
            assert!(column.iter().eq(rows.iter().copied()));
            assert_eq!(column.get(rows.len()), None);
            assert!(column.check().is_ok());
        }
    }
}
