//! The texts of one page by their indices. A large site has them for each page, and most pages bring texts of their own, whose
//! indices follow each other: so each is written as its distance from where the one before it leads, mostly in a byte.

/// Indices of texts, in the order in which these stand on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Indices(Box<[u8]>);

/// The bits of a number that a byte holds; one more says whether others follow.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

impl Indices {
    /// Whether there is none.
    pub(in crate::run) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let mut bytes = self.0.iter();
        let mut next = 0_u32;
        std::iter::from_fn(move || {
            let mut number = 0_u32;
            let mut shift = 0;
            loop {
                let byte = *bytes.next()?;
                number |= u32::from(byte & !MORE) << shift;
                shift += BITS;
                if byte & MORE == 0 {
                    break;
                }
            }
            let index = next.wrapping_add((number >> 1) ^ (number & 1).wrapping_neg());
            next = index.wrapping_add(1);
            Some(index)
        })
    }

    /// All of them in a row.
    pub(crate) fn to_vec(&self) -> Vec<u32> {
        self.iter().collect()
    }
}

impl FromIterator<u32> for Indices {
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Self {
        let mut bytes = Vec::new();
        let mut next = 0_u32;
        for index in indices {
            let away = index.wrapping_sub(next);
            // Steps back alternate with steps forward, so short ones are small numbers.
            let mut number = (away << 1) ^ (away >> 31).wrapping_neg();
            while number >> BITS != 0 {
                bytes.push(number.to_le_bytes()[0] | MORE);
                number >>= BITS;
            }
            bytes.push(number.to_le_bytes()[0]);
            next = index.wrapping_add(1);
        }
        Self(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn indices_come_back_in_their_order(indices in prop::collection::vec(prop_oneof![0..300_u32, any::<u32>()], 0..40)) {
            let kept: Indices = indices.iter().copied().collect();
            prop_assert_eq!(kept.is_empty(), indices.is_empty());
            prop_assert_eq!(kept.to_vec(), indices);
        }
    }

    #[test]
    fn texts_that_follow_each_other_take_a_byte_each() {
        let bytes = |indices: &[u32]| indices.iter().copied().collect::<Indices>().0.len();
        assert_eq!(
            (
                bytes(&[0, 1, 2, 3]),
                bytes(&[1_000_000, 1_000_001, 0, 1_000_002])
            ),
            (4, 10)
        );
        assert_eq!(bytes(&[u32::MAX, 0]), 2);
    }
}
