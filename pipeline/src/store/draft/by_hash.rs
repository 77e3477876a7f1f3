//! What belongs to hashes, in rows by their first byte: in a row it lies without gaps, where nodes of a tree are a third empty.

use super::super::ContentHash;

/// Values by hashes, of which there may be hundreds of thousands.
#[derive(Debug)]
pub(super) struct ByHash<T> {
    /// Each sorted.
    rows: Box<[Vec<(ContentHash, T)>; 256]>,
}

impl<T> Default for ByHash<T> {
    fn default() -> Self {
        Self {
            rows: Box::new([const { Vec::new() }; 256]),
        }
    }
}

impl<T> ByHash<T> {
    /// What belongs to a hash.
    pub(super) fn get(&self, hash: ContentHash) -> Option<&T> {
        let row = &self.rows[usize::from(hash.first())];
        place_in(row, hash)
            .ok()
            .and_then(|place| row.get(place))
            .map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, hash: ContentHash) -> Option<&mut T> {
        let row = &mut self.rows[usize::from(hash.first())];
        place_in(row, hash)
            .ok()
            .and_then(|place| row.get_mut(place))
            .map(|(_, value)| value)
    }

    /// Puts something in place of what belonged to a hash, if anything did.
    pub(super) fn insert(&mut self, hash: ContentHash, value: T) {
        let row = &mut self.rows[usize::from(hash.first())];
        match place_in(row, hash) {
            Ok(place) => row[place].1 = value,
            Err(place) => {
                if row.len() == row.capacity() {
                    // Twice the room would leave as many gaps as a tree has.
                    row.reserve_exact(row.len() / 8 + 4);
                }
                row.insert(place, (hash, value));
            }
        }
    }

    /// All of them in the order of hashes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ContentHash, &T)> {
        self.after(None)
    }

    /// Those that come after a hash; all where that is nothing.
    pub(super) fn after(
        &self,
        last: Option<ContentHash>,
    ) -> impl Iterator<Item = (ContentHash, &T)> {
        let first = last.map_or(0, |last| usize::from(last.first()));
        let rows = self.rows.iter().skip(first).flatten();
        rows.map(|(hash, value)| (*hash, value))
            .skip_while(move |(hash, _)| Some(*hash) <= last)
    }

    /// All values, to be changed.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut().flatten().map(|(_, value)| value)
    }
}

fn place_in<T>(row: &[(ContentHash, T)], hash: ContentHash) -> Result<usize, usize> {
    row.binary_search_by_key(&hash, |(there, _)| *there)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn values_are_found_by_their_hashes_and_come_in_their_order() {
        let mut kept = ByHash::default();
        let mut expected = BTreeMap::new();
        for number in (0..3000_u32).chain(1000..1100) {
            let hash = ContentHash::of(&(number % 2500).to_le_bytes());
            kept.insert(hash, number);
            expected.insert(hash, number);
        }
        assert!(
            kept.iter()
                .eq(expected.iter().map(|(hash, number)| (*hash, number)))
        );
        for (hash, number) in &expected {
            assert_eq!(kept.get(*hash), Some(number));
            assert_eq!(kept.get_mut(*hash), Some(&mut number.clone()));
            let next = expected
                .range(*hash..)
                .nth(1)
                .map(|(next, number)| (*next, number));
            assert_eq!(kept.after(Some(*hash)).next(), next);
        }
        assert_eq!(kept.get(ContentHash::of(b"nowhere")), None);
        kept.values_mut().for_each(|number| *number = 7);
        assert!(kept.iter().all(|(_, number)| *number == 7));
    }
}
