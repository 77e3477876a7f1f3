//! What a segment is known by, wherever it stands.

use std::fmt;

use crate::Locale;

/// Identifies what is translated: source locale, kind of text and the text itself with its inline codes.
///
/// Equal keys are translated once, whatever page they stand on (law 7, paid once).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentKey([u8; 16]);

impl SegmentKey {
    /// Derives the key; `markup` is the text in the notation of [`crate::CodedText::to_markup`].
    pub fn new(source: &Locale, class: &str, markup: &str) -> Self {
        Self::with(source, class, markup.len(), |text| text.push_str(markup))
    }

    /// Derives the key of a text that is written for it, in about so many bytes.
    pub(crate) fn with(
        source: &Locale,
        class: &str,
        bytes: usize,
        write: impl FnOnce(&mut String),
    ) -> Self {
        let mut text = String::with_capacity(source.as_str().len() + class.len() + bytes + 8);
        for part in [source.as_str(), class] {
            text.push_str(part);
            text.push('\0');
        }
        write(&mut text);
        text.push('\0');
        // In one piece, the hash of a short text takes a third of the time.
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        Self(key)
    }

    /// The key's bytes, as the store keeps them.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads a key as it is displayed; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return None;
        }
        let key = u128::from_str_radix(text, 16).ok()?;
        Some(Self(key.to_be_bytes()))
    }

    /// Takes back what [`Self::as_bytes`] gave.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for SegmentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for SegmentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SegmentKey({self})")
    }
}
