//! Texts whose codes differ between pages. Translations are checked against the codes of the first page, which a build may not read,
//! so the state keeps these codes.

use std::collections::BTreeMap;

use super::cut::{RowCursor, length};
use crate::model::{PagePath, SegmentKey};

/// The first place of a text whose codes differ between pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedText {
    /// The page.
    pub path: PagePath,
    /// The text there, as [`Segment::pack`](crate::page::Segment::pack) writes it; empty if more than codes differ.
    pub segment: Vec<u8>,
}

/// First places by the keys of their texts.
pub type MixedTexts = BTreeMap<SegmentKey, MixedText>;

/// Writes a row: of each text the key, then path and text behind their lengths.
pub(super) fn write(texts: &MixedTexts) -> Vec<u8> {
    let mut row = Vec::new();
    for (key, MixedText { path, segment }) in texts {
        row.extend(key.as_bytes());
        for bytes in [path.as_str().as_bytes(), segment] {
            row.extend(length(bytes.len()));
            row.extend(bytes);
        }
    }
    row
}

/// Reads a row; `None` if it is malformed.
pub(super) fn read(row: &[u8]) -> Option<MixedTexts> {
    let mut row = RowCursor(row);
    let mut texts = MixedTexts::new();
    while !row.0.is_empty() {
        let key = SegmentKey::from_bytes(row.array()?);
        let count = row.length()?;
        let path = PagePath::parse(std::str::from_utf8(row.bytes(count)?).ok()?).ok()?;
        let count = row.length()?;
        texts.insert(
            key,
            MixedText {
                path,
                segment: row.bytes(count)?.to_vec(),
            },
        );
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_texts_come_back_from_their_row() {
        let text = |path: &str, segment: &[u8]| MixedText {
            path: PagePath::parse(path).unwrap(),
            segment: segment.into(),
        };
        let texts = MixedTexts::from([
            (SegmentKey::from_bytes([1; 16]), text("/a", b"bytes")),
            (SegmentKey::from_bytes([2; 16]), text("/b/c?d=e", b"")),
        ]);
        let row = write(&texts);
        assert_eq!(read(&row), Some(texts));
        assert_eq!(read(&row[..row.len() - 1]), None);
        assert_eq!(read(b""), Some(MixedTexts::new()));
    }
}
