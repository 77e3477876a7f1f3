//! The names of previews, and the tokens by which whoever ordered one watches it.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names a preview: a UUID of version 4 (RFC 9562), which nobody guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreviewId(Uuid);

/// A token that opens the status of one preview. It is given out once and kept as a hash.
pub struct StatusToken(String);

impl PreviewId {
    /// A new id.
    #[expect(clippy::new_without_default, reason = "no id is the usual one")]
    pub fn new() -> Self {
        Self(Uuid::new_v4())
    }

    /// Reads an id; `None` for what is not written as we write it.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (id.get_version_num() == 4 && id.hyphenated().to_string() == text).then_some(Self(id))
    }
}

impl fmt::Display for PreviewId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

impl StatusToken {
    /// A new token of 244 random bits.
    #[expect(clippy::new_without_default, reason = "no token is the usual one")]
    pub fn new() -> Self {
        Self(format!(
            "{}{}",
            Uuid::new_v4().simple(),
            Uuid::new_v4().simple()
        ))
    }

    /// The token, for the one answer that gives it out.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub fn hash(&self) -> blake3::Hash {
        blake3::hash(self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// D6: at least 122 random bits, and no order.
    #[test]
    fn thousand_ids_are_random_and_without_order() {
        let ids: Vec<String> = (0..1000).map(|_| PreviewId::new().to_string()).collect();
        let mut ones = [0_u32; 128];
        for id in &ids {
            assert_eq!(
                PreviewId::parse(id).map(|id| id.to_string()).as_ref(),
                Some(id)
            );
            let number = Uuid::parse_str(id).unwrap().as_u128();
            ones.iter_mut()
                .enumerate()
                .for_each(|(bit, count)| *count += u32::from(number >> bit & 1 == 1));
        }
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        let random = ones
            .iter()
            .filter(|count| (350..650).contains(*count))
            .count();
        assert_eq!(random, 122, "{ones:?}");
        let rising = ids.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(
            (400..600).contains(&rising),
            "{rising} of 999 ids are greater than the one before"
        );
    }

    #[test]
    fn ids_have_one_spelling_and_one_version() {
        let id = PreviewId::new().to_string();
        let old = "01939f1c-0000-7000-8000-000000000000".to_owned();
        for text in [
            String::new(),
            "x".to_owned(),
            id.to_uppercase(),
            id.replace('-', ""),
            old,
        ] {
            assert_eq!(PreviewId::parse(&text), None, "{text}");
        }
        assert_ne!(StatusToken::new().as_str(), StatusToken::new().as_str());
    }
}
