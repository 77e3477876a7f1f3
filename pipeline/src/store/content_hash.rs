//! The hash by which content is compared and named.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// blake3 of some bytes. Records and names spell it in hexadecimal; in memory, where a large site has hundreds of thousands, it is
/// its 32 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

/// What each byte says as a digit of ours; hundreds of thousands of names are read in each build of a large site.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    values
};
const NO_DIGIT: u8 = 0x80;

/// Its bytes are as good as random, so eight of them are enough for a table.
impl Hash for ContentHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let first = self.0.first_chunk().copied().unwrap_or_default();
        state.write_u64(u64::from_le_bytes(first));
    }
}

impl ContentHash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash that a text spells as we do; nothing where it spells none.
    pub fn parse(spelled: &str) -> Option<Self> {
        let (pairs, []) = spelled.as_bytes().as_chunks::<2>() else {
            return None;
        };
        let pairs: &[[u8; 2]; 32] = pairs.try_into().ok()?;
        let value = |digit: u8| VALUES[usize::from(digit)];
        let seen = pairs
            .as_flattened()
            .iter()
            .fold(0, |seen, &digit| seen | value(digit));
        (seen & NO_DIGIT == 0).then(|| Self(pairs.map(|[high, low]| value(high) << 4 | value(low))))
    }

    /// Its first byte.
    pub(super) fn first(&self) -> u8 {
        let [first, ..] = self.0;
        first
    }

    /// How it is spelled: 64 digits.
    pub fn spelled(&self) -> impl std::ops::Deref<Target = str> + fmt::Display + use<> {
        blake3::Hash::from_bytes(self.0).to_hex()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.spelled())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.spelled(), formatter)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.spelled())
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(HashVisitor)
    }
}

/// Reads a hash without copying its text.
struct HashVisitor;

impl Visitor<'_> for HashVisitor {
    type Value = ContentHash;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a hash of 64 digits")
    }

    fn visit_str<E: Error>(self, spelled: &str) -> Result<ContentHash, E> {
        ContentHash::parse(spelled).ok_or_else(|| E::invalid_value(Unexpected::Str(spelled), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::ContentHash;

    #[test]
    fn a_hash_is_read_as_it_is_spelled_and_in_no_other_way() {
        let hash = ContentHash::of(b"bread");
        let text = serde_json::to_string(&hash).unwrap();
        assert_eq!(text, format!("\"{}\"", blake3::hash(b"bread").to_hex()));
        assert_eq!(serde_json::from_str::<ContentHash>(&text).unwrap(), hash);
        for wrong in [
            "\"\"".to_owned(),
            text.to_uppercase(),
            text.replacen('"', "\"0", 1),
            "7".to_owned(),
        ] {
            assert!(
                serde_json::from_str::<ContentHash>(&wrong).is_err(),
                "{wrong}"
            );
        }
    }
}
