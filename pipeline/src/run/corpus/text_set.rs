//! Some of a site's texts. Often they are all of them, so each takes a bit.

/// Indices of texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextSet {
    bits: Vec<u64>,
}

impl TextSet {
    /// Adds a text.
    pub(in crate::run) fn insert(&mut self, index: usize) {
        let place = index / 64;
        if place >= self.bits.len() {
            self.bits.resize(place + 1, 0);
        }
        self.bits[place] |= 1 << (index % 64);
    }

    /// Takes a text out.
    pub(in crate::run) fn remove(&mut self, index: usize) {
        if let Some(bits) = self.bits.get_mut(index / 64) {
            *bits &= !(1 << (index % 64));
        }
    }

    /// Whether a text is one of them.
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.bits
            .get(index / 64)
            .is_some_and(|bits| bits >> (index % 64) & 1 == 1)
    }

    /// How many they are.
    pub(in crate::run) fn len(&self) -> usize {
        self.bits
            .iter()
            .map(|bits| bits.count_ones() as usize)
            .sum()
    }

    /// All of them, in the order of texts.
    pub(in crate::run) fn iter(&self) -> impl Iterator<Item = usize> {
        let indices = |(place, bits): (usize, &u64)| {
            let bits = *bits;
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| place * 64 + bit)
        };
        self.bits.iter().enumerate().flat_map(indices)
    }

    /// All of them, so many at a time.
    pub(in crate::run) fn slices(&self, most: usize) -> impl Iterator<Item = Vec<usize>> {
        let mut indices = self.iter();
        std::iter::from_fn(move || {
            let slice: Vec<usize> = indices.by_ref().take(most).collect();
            (!slice.is_empty()).then_some(slice)
        })
    }
}

impl FromIterator<usize> for TextSet {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::default();
        set.extend(indices);
        set
    }
}

impl Extend<usize> for TextSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, indices: I) {
        indices.into_iter().for_each(|index| self.insert(index));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_there_and_nothing_else() {
        let taken = [0, 1, 63, 64, 127, 640, 64];
        let set: TextSet = taken.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 1, 63, 64, 127, 640]);
        assert_eq!(
            set.slices(4).collect::<Vec<_>>(),
            [vec![0, 1, 63, 64], vec![127, 640]]
        );
        assert_eq!(set.len(), 6);
        let mut less = set.clone();
        [63, 64, 5, 100_000]
            .into_iter()
            .for_each(|index| less.remove(index));
        assert_eq!(less.iter().collect::<Vec<_>>(), [0, 1, 127, 640]);
        assert!((0..2000).all(|index| set.contains(index) == taken.contains(&index)));
        assert_eq!(
            (TextSet::default().len(), TextSet::default().iter().next()),
            (0, None)
        );
    }
}
