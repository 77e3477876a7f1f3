//! The memory as the object store keeps it: what runs were paid for, as compressed lines of JSON.
//!
//! The first line says which files this one takes the place of; then comes one line a text, sorted by key, with a
//! fixed order of fields. Equal rows give equal bytes, so builders that know the same write the same file. A file is
//! used as a whole or not at all: half a file would tell nobody what the other half said.
//!
//! Rows have an order without a clock. A translation that takes the place of another has the next generation; two that
//! were made without knowing of each other have the same one, and then their words decide. So the same files give the
//! same words, in whatever order they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::{Deserialize, Serialize};

use super::memory_lines::parse_key;
use super::row_lines::{RowLinesError, RowReader, RowWriter, check_form};
use crate::model::SegmentKey;
use crate::translate::Remembered;

/// The form of a file; a newer one is not read.
const FORM: u32 = 1;

/// A translation, and how many were there before it. This is how a state keeps it, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRow {
    /// The translation, or that there is none to be had.
    #[serde(flatten)]
    pub remembered: Remembered,
    /// How many of the same text this one came after.
    #[serde(default, skip_serializing_if = "is_first")]
    pub generation: u64,
}

/// A file of the memory in the object store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRows {
    /// The names of files that hold nothing but what stands here too.
    pub replaces: BTreeSet<String>,
    /// The translations.
    pub rows: BTreeMap<SegmentKey, MemoryRow>,
}

/// Says why a file of the memory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MemoryRowsError {
    /// It is not a file of rows.
    #[error(transparent)]
    Rows(#[from] RowLinesError),
    /// A translation in it has no key.
    #[error("{0:?} is no key of 32 hexadecimal digits")]
    Key(String),
}

#[derive(Serialize, Deserialize)]
struct MemoryHead {
    memory: u32,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    replaces: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredLine {
    key: String,
    source: String,
    text: String,
    engine: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms: Option<String>,
    #[serde(default, skip_serializing_if = "is_first")]
    generation: u64,
}

fn is_first(generation: &u64) -> bool {
    *generation == 0
}

impl MemoryRow {
    /// A translation of a text that had none.
    pub fn first(remembered: Remembered) -> Self {
        Self {
            remembered,
            generation: 0,
        }
    }

    /// Whether this row counts where another of the same text is known, too.
    pub fn supersedes(&self, other: &Self) -> bool {
        self.rank() > other.rank()
    }

    /// The order of rows: the later one, then words before a refusal, then the bytes.
    fn rank(&self) -> impl Ord + '_ {
        let Remembered {
            text,
            engine,
            source,
            refused,
            terms,
        } = &self.remembered;
        (
            self.generation,
            refused.is_none(),
            text,
            engine,
            source,
            refused,
            terms,
        )
    }
}

impl MemoryRows {
    /// Adds a row, unless a row of the same text counts more.
    pub fn add(&mut self, key: SegmentKey, row: MemoryRow) {
        match self.rows.get(&key) {
            Some(known) if !row.supersedes(known) => {}
            Some(_) | None => drop(self.rows.insert(key, row)),
        }
    }

    /// Brings files together into one that takes their place; what they replaced themselves is replaced by it too.
    #[must_use]
    pub fn merged(files: impl IntoIterator<Item = (String, Self)>) -> Self {
        let mut merged = Self::default();
        for (name, file) in files {
            merged.replaces.insert(name);
            merged.replaces.extend(file.replaces);
            file.rows
                .into_iter()
                .for_each(|(key, row)| merged.add(key, row));
        }
        merged
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// None that a disk could cause: all happens in memory.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut lines = RowWriter::new(&MemoryHead {
            memory: FORM,
            replaces: self.replaces.clone(),
        })?;
        for (
            key,
            MemoryRow {
                remembered,
                generation,
            },
        ) in &self.rows
        {
            let Remembered {
                text,
                engine,
                source,
                refused,
                terms,
            } = remembered.clone();
            let line = StoredLine {
                key: key.to_string(),
                source,
                text,
                engine,
                refused,
                terms,
                generation: *generation,
            };
            lines.push(&line)?;
        }
        lines.finish()
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// A [`MemoryRowsError`] that says what is wrong with them; half a file is of no use.
    pub fn parse(bytes: &[u8]) -> Result<Self, MemoryRowsError> {
        let mut lines = RowReader::new(bytes);
        let MemoryHead { memory, replaces } = lines.head()?;
        check_form(memory, FORM)?;
        let mut rows = BTreeMap::new();
        while let Some(line) = lines.next_row()? {
            let StoredLine {
                key,
                source,
                text,
                engine,
                refused,
                terms,
                generation,
            } = line;
            let key = parse_key(&key).ok_or(MemoryRowsError::Key(key))?;
            let remembered = Remembered {
                text,
                engine,
                source,
                refused,
                terms,
            };
            rows.insert(
                key,
                MemoryRow {
                    remembered,
                    generation,
                },
            );
        }
        Ok(Self { replaces, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Locale;

    fn row(text: &str, generation: u64, refused: Option<&str>) -> MemoryRow {
        let engine = "e".to_owned();
        let source = "s".to_owned();
        let refused = refused.map(str::to_owned);
        MemoryRow {
            remembered: Remembered {
                text: text.to_owned(),
                engine,
                source,
                refused,
                terms: None,
            },
            generation,
        }
    }

    fn key(text: &str) -> SegmentKey {
        SegmentKey::new(&Locale::parse("en").unwrap(), "text", text)
    }

    fn file(rows: &[(&str, MemoryRow)]) -> MemoryRows {
        let rows = rows
            .iter()
            .map(|(text, row)| (key(text), row.clone()))
            .collect();
        MemoryRows {
            rows,
            ..MemoryRows::default()
        }
    }

    #[test]
    fn a_file_comes_back_whole_and_equal_rows_are_equal_bytes() {
        let mut written = file(&[
            ("a", row("á\n\u{2028}", 0, None)),
            ("b", row("", 3, Some("codes"))),
        ]);
        written.replaces.insert("x.jsonl.gz".to_owned());
        let bytes = written.to_bytes().unwrap();
        assert_eq!(MemoryRows::parse(&bytes).unwrap(), written);
        assert_eq!(bytes, written.clone().to_bytes().unwrap());
        for cut in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(MemoryRows::parse(&bytes[..cut]).is_err(), "{cut} bytes");
        }
        assert!(MemoryRows::parse(b"garbage").is_err());
    }

    #[test]
    fn the_same_files_give_the_same_words_in_any_order() {
        let files = [
            (
                "1",
                file(&[
                    ("a", row("one", 0, None)),
                    ("b", row("x", 2, None)),
                    ("c", row("", 0, Some("no"))),
                ]),
            ),
            (
                "2",
                file(&[
                    ("a", row("two", 0, None)),
                    ("b", row("y", 1, None)),
                    ("c", row("words", 0, None)),
                ]),
            ),
            (
                "3",
                file(&[
                    ("a", row("none", 0, None)),
                    ("d", row("only", 0, None)),
                    ("c", row("", 1, Some("no"))),
                ]),
            ),
        ];
        let merged = |order: [usize; 3]| {
            MemoryRows::merged(order.map(|at| (files[at].0.to_owned(), files[at].1.clone())))
        };
        let all = merged([0, 1, 2]);
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(merged(order), all, "{order:?}");
        }
        let text = |of: &str| all.rows[&key(of)].remembered.text.as_str();
        assert_eq!(
            [text("a"), text("b"), text("c"), text("d")],
            ["two", "x", "", "only"]
        );
        assert_eq!(all.replaces, ["1", "2", "3"].map(str::to_owned).into());
        assert!(
            !row("one", 0, None).supersedes(&row("one", 0, None)),
            "an equal row changes nothing"
        );
    }
}
