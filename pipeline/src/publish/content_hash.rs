//! The hash by which content is compared and named.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// blake3 of some bytes. Records and names spell it in hexadecimal; in memory, where a large site has hundreds of thousands, it is
/// its 32 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// None comes after it.
    pub(super) const LAST: Self = Self([0xff; 32]);

    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash that a text spells as we do; nothing where it spells none.
    pub fn parse(spelled: &str) -> Option<Self> {
        let is_ours = spelled.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        blake3::Hash::from_hex(spelled).ok().filter(|_| is_ours).map(|hash| Self(*hash.as_bytes()))
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
        deserializer.deserialize_str(Spelled)
    }
}

/// Reads a hash without copying its text.
struct Spelled;

impl Visitor<'_> for Spelled {
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
        for wrong in ["\"\"".to_owned(), text.to_uppercase(), text.replacen('"', "\"0", 1), "7".to_owned()] {
            assert!(serde_json::from_str::<ContentHash>(&wrong).is_err(), "{wrong}");
        }
    }
}
