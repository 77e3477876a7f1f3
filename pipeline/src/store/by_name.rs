//! What belongs to names in the store. Nearly all of these are hashes, of which a large site has hundreds of thousands, and a hash
//! is found with a fraction of what its spelled name costs.

use std::collections::{BTreeSet, HashMap};

use super::ContentHash;

/// Values by names.
#[derive(Clone, Debug)]
pub struct ByName<V> {
    hashes: HashMap<ContentHash, V>,
    others: HashMap<Box<str>, V>,
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self {
            hashes: HashMap::new(),
            others: HashMap::new(),
        }
    }
}

impl<V> ByName<V> {
    /// Puts something in place of what belonged to a name, if anything did.
    pub fn insert(&mut self, name: &str, value: V) {
        match ContentHash::parse(name) {
            Some(hash) => self.hashes.insert(hash, value),
            None => self.others.insert(name.into(), value),
        };
    }

    /// What belongs to a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        ContentHash::parse(name)
            .map_or_else(|| self.others.get(name), |hash| self.hashes.get(&hash))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        match ContentHash::parse(name) {
            Some(hash) => self.hashes.get_mut(&hash),
            None => self.others.get_mut(name),
        }
    }

    /// What belongs to the name that a hash is.
    pub fn get_hash(&self, hash: &ContentHash) -> Option<&V> {
        self.hashes.get(hash)
    }

    /// Whether anything belongs to a name.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Takes out what belongs to a name.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        match ContentHash::parse(name) {
            Some(hash) => self.hashes.remove(&hash),
            None => self.others.remove(name),
        }
    }

    /// Puts all of another one.
    pub fn extend(&mut self, others: Self) {
        self.hashes.extend(others.hashes);
        self.others.extend(others.others);
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.hashes.len() + self.others.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes names have.
    pub fn lengths(&self) -> BTreeSet<usize> {
        let of_hashes = self.hashes.keys().take(1).map(|hash| hash.spelled().len());
        self.others
            .keys()
            .map(|name| name.len())
            .chain(of_hashes)
            .collect()
    }

    /// All names, in no order.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let others = self.others.keys().map(|name| name.to_string());
        self.hashes.keys().map(ToString::to_string).chain(others)
    }
}

impl<N: AsRef<str>, V> FromIterator<(N, V)> for ByName<V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        let values = values.into_iter();
        let mut all = Self {
            hashes: HashMap::with_capacity(values.size_hint().0),
            ..Self::default()
        };
        values.for_each(|(name, value)| all.insert(name.as_ref(), value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whether_they_are_hashes_or_not() {
        let hash = ContentHash::of(b"bread");
        let names = [
            hash.to_string(),
            format!("{hash}-draft"),
            "about/index.html".to_owned(),
            hash.to_string().to_uppercase(),
        ];
        let mut all: ByName<usize> = names.iter().zip(0..).collect();
        assert_eq!(
            all.names().collect::<BTreeSet<_>>(),
            names.iter().cloned().collect()
        );
        assert_eq!(all.lengths(), names.iter().map(String::len).collect());
        for (name, number) in names.iter().zip(0..) {
            assert_eq!(
                (all.get(name), all.len()),
                (Some(&number), names.len() - number)
            );
            *all.get_mut(name).unwrap() += 7;
            assert_eq!((all.remove(name), all.get(name)), (Some(number + 7), None));
        }
        all.insert(&names[0], 1);
        assert_eq!(
            (all.get_hash(&hash), all.contains(&names[1])),
            (Some(&1), false)
        );
    }
}
