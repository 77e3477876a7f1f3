//! `memory/{lang}.jsonl`: machine translations as sorted JSON lines, so that a fresh checkout or CI pays nothing again.
//!
//! One line a text, sorted by key and with fixed field order: the same memory is the same bytes, and two branches
//! merge line by line. The file is replaced whole, by renaming a finished one over it. A line that cannot be read
//! (a merge conflict, say) is reported with its number and skipped: it costs one text, not the file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::SegmentKey;
use crate::translate::Remembered;

/// The machine translations of one locale, as a file holds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLines {
    entries: BTreeMap<SegmentKey, Remembered>,
    broken: Vec<BrokenLine>,
}

/// A line that is no translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BrokenLine {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Says what went wrong with the file itself.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the translation memory in {}", path.display())]
pub struct MemoryLinesError {
    doing: &'static str,
    path: PathBuf,
    source: io::Error,
}

#[derive(Serialize, Deserialize)]
struct MemoryLine {
    key: String,
    source: String,
    text: String,
    engine: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms: Option<String>,
}

impl MemoryLines {
    /// Reads a file; one that is not there yet holds nothing.
    ///
    /// # Errors
    /// [`MemoryLinesError`] when the file is there and cannot be read.
    pub fn open(path: &Path) -> Result<Self, MemoryLinesError> {
        Ok(Self::read(path)?
            .map(|bytes| Self::parse(&bytes))
            .unwrap_or_default())
    }

    /// Reads of a file only what is wanted, without having it in memory as a whole; lines that cannot be read are passed
    /// over.
    ///
    /// # Errors
    /// [`MemoryLinesError`] when the file is there and cannot be read.
    pub fn pick(
        path: &Path,
        wanted: impl Fn(&SegmentKey) -> bool,
    ) -> Result<Vec<(SegmentKey, Remembered)>, MemoryLinesError> {
        let failed = |source| MemoryLinesError {
            doing: "read",
            path: path.to_owned(),
            source,
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        let mut picked = Vec::new();
        while file.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            let text = line
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&line)
                .trim_ascii();
            picked.extend(
                parse_line(text)
                    .ok()
                    .flatten()
                    .filter(|(key, _)| wanted(key)),
            );
            line.clear();
        }
        Ok(picked)
    }

    /// Reads a file's bytes; nothing where it is not there.
    ///
    /// # Errors
    /// [`MemoryLinesError`] when the file is there and cannot be read.
    pub fn read(path: &Path) -> Result<Option<Vec<u8>>, MemoryLinesError> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(MemoryLinesError {
                doing: "read",
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Reads a file's bytes; of two lines with one key the later counts.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut lines = Self::default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            match parse_line(line.trim_ascii()) {
                Ok(entry) => lines.entries.extend(entry),
                Err(problem) => lines.broken.push(BrokenLine {
                    line: index + 1,
                    problem,
                }),
            }
        }
        lines
    }

    /// Takes translations that a file shall hold.
    pub fn from_entries(entries: impl IntoIterator<Item = (SegmentKey, Remembered)>) -> Self {
        Self {
            entries: entries.into_iter().collect(),
            broken: Vec::new(),
        }
    }

    /// The translations, sorted by key.
    pub fn entries(&self) -> Vec<(SegmentKey, Remembered)> {
        self.entries
            .iter()
            .map(|(key, remembered)| (*key, remembered.clone()))
            .collect()
    }

    /// The translations, sorted by key, and the lines that could not be read.
    pub fn into_parts(self) -> (Vec<(SegmentKey, Remembered)>, Vec<BrokenLine>) {
        (self.entries.into_iter().collect(), self.broken)
    }

    /// The lines that could not be read.
    pub fn broken(&self) -> &[BrokenLine] {
        &self.broken
    }

    /// Replaces a file, unless it holds the same already; gives blake3 of its bytes, in hexadecimal.
    ///
    /// # Errors
    /// [`MemoryLinesError`] when the folder cannot be written; the old file is then untouched.
    pub fn save(&self, path: &Path) -> Result<String, MemoryLinesError> {
        let text = self.to_text();
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(hash);
        }
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        let draft = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
        replace(path, &draft, text.as_bytes()).map_err(|source| {
            let _ = fs::remove_file(&draft);
            MemoryLinesError {
                doing: "write",
                path: path.to_owned(),
                source,
            }
        })?;
        Ok(hash)
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for (
            key,
            Remembered {
                text: translation,
                engine,
                source,
                refused,
                terms,
            },
        ) in &self.entries
        {
            let line = MemoryLine {
                key: key.to_string(),
                source: source.clone(),
                text: translation.clone(),
                engine: engine.clone(),
                refused: refused.clone(),
                terms: terms.clone(),
            };
            // A struct of strings always has a JSON form.
            text.extend(
                serde_json::to_string(&line)
                    .into_iter()
                    .map(|json| json + "\n"),
            );
        }
        text
    }
}

fn replace(path: &Path, draft: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(draft, path)
}

/// Reads one line; an empty one holds nothing.
fn parse_line(line: &[u8]) -> Result<Option<(SegmentKey, Remembered)>, String> {
    if line.is_empty() {
        return Ok(None);
    }
    if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"]
        .iter()
        .any(|marker| line.starts_with(marker))
    {
        return Err("this is a merge conflict; keep both sides and delete the marker".into());
    }
    let MemoryLine { key, source, text, engine, refused, terms } = serde_json::from_slice(line).map_err(|error| {
        let column = error.column();
        format!("this is no memory entry ({error}, column {column}); delete the line, it will be translated again")
    })?;
    let key = parse_key(&key)
        .ok_or_else(|| format!("{key:?} is no key of 32 hexadecimal digits; delete the line"))?;
    Ok(Some((
        key,
        Remembered {
            text,
            engine,
            source,
            refused,
            terms,
        },
    )))
}

pub(super) fn parse_key(text: &str) -> Option<SegmentKey> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        })
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |value, digit| value << 4 | digit))
        .collect();
    (digits.len() == 32)
        .then(|| bytes.try_into().ok().map(SegmentKey::from_bytes))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Locale;

    fn entry(source: &str, text: &str) -> (SegmentKey, Remembered) {
        let key = SegmentKey::new(&Locale::parse("en").unwrap(), "prose", source);
        (
            key,
            Remembered {
                text: text.into(),
                engine: "pseudo 1".into(),
                source: source.into(),
                refused: None,
                terms: None,
            },
        )
    }

    #[test]
    fn the_same_memory_is_the_same_bytes_and_comes_back_whole() {
        let entries = [
            entry("a", "á"),
            entry("line\n\"two\" <x id=\"1\"/>", "x\u{2028}"),
            entry("c", ""),
        ];
        let text = MemoryLines::from_entries(entries.clone()).to_text();
        assert_eq!(
            text,
            MemoryLines::from_entries(entries.iter().rev().cloned()).to_text()
        );
        assert_eq!(text.lines().count(), 3);
        assert!(
            text.lines().is_sorted() && text.lines().all(|line| line.starts_with("{\"key\":\"")),
            "{text}"
        );
        let read = MemoryLines::parse(text.as_bytes());
        assert_eq!(
            (read.entries, read.broken),
            (entries.into_iter().collect(), vec![])
        );
    }

    #[test]
    fn what_is_wanted_is_picked_from_a_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("es.jsonl");
        assert_eq!(MemoryLines::pick(&path, |_| true).unwrap(), []);
        let [one, two] = [entry("a", "á"), entry("b", "β")];
        let text = MemoryLines::from_entries([one.clone(), two.clone()]).to_text();
        fs::write(&path, format!("\u{feff}{text}<<<<<<< HEAD\n")).unwrap();
        assert_eq!(
            MemoryLines::pick(&path, |key| *key == two.0).unwrap(),
            [two]
        );
        assert_eq!(MemoryLines::pick(&path, |_| true).unwrap().len(), 2);
    }

    #[test]
    fn broken_lines_cost_themselves_only() {
        let (key, remembered) = entry("a", "á");
        let good = MemoryLines::from_entries([(key, remembered.clone())]).to_text();
        for (line, problem) in [
            ("<<<<<<< HEAD", "merge conflict"),
            ("{\"key\":1}", "no memory entry"),
            (
                "{\"key\":\"zz\",\"source\":\"\",\"text\":\"\",\"engine\":\"\"}",
                "no key of 32",
            ),
            ("\u{feff}", "no memory entry"),
        ] {
            let read = MemoryLines::parse(format!("\n{line}\n{good}").as_bytes());
            assert_eq!(read.entries.get(&key), Some(&remembered), "{line}");
            assert!(
                read.broken.len() == 1
                    && read.broken[0].line == 2
                    && read.broken[0].problem.contains(problem),
                "{:?}",
                read.broken
            );
        }
        assert_eq!(MemoryLines::parse(b"\xff\xfe\n").broken.len(), 1);
    }

    #[test]
    fn the_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory/es.jsonl");
        assert_eq!(MemoryLines::open(&path).unwrap(), MemoryLines::default());
        for text in ["á", "â"] {
            let (key, remembered) = entry("a", text);
            MemoryLines::from_entries([(key, remembered.clone())])
                .save(&path)
                .unwrap();
            assert_eq!(
                MemoryLines::open(&path).unwrap().entries(),
                [(key, remembered)]
            );
        }
        assert_eq!(
            fs::read_dir(folder.path().join("memory")).unwrap().count(),
            1
        );
        assert!(
            MemoryLines::default().save(folder.path()).is_err(),
            "a folder is no file"
        );
    }
}
