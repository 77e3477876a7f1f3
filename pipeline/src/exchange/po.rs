//! GNU PO files: reviewed human translations, the truth for human text.
//!
//! `msgid` and `msgstr` hold the notation of [`CodedText::to_markup`]; the context is absent for prose and `label`
//! for labels, and a label without an entry of its own takes the one without context. Fuzzy, empty, plural and
//! obsolete entries translate nothing. An update keeps everything people wrote: their comments and flags, their
//! header, and texts that have vanished from the site, which become obsolete and come back when the text does.

mod read;
mod write;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::model::Locale;
use crate::page::{CodedText, Segment, TextClass, TextError, check};

/// The translations of one locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    header: Option<Entry>,
    entries: BTreeMap<Key, Entry>,
    /// Entries that we do not understand (plurals), as they stand in the file.
    foreign: Vec<String>,
}

/// What an entry is found by: the source text in canonical notation and the context.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    source: String,
    context: Option<String>,
}

/// What people wrote about one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    translation: String,
    /// Comment lines of translators, with their `#`.
    comments: Vec<String>,
    /// Flags such as `fuzzy`.
    flags: Vec<String>,
    /// Lines that start with `#|`.
    previous: Vec<String>,
    obsolete: bool,
    /// Where it stands in the file it was read from.
    line: usize,
}

/// Says what is wrong with a PO file, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum PoError {
    /// A line that is no PO.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file's name as it was given.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The file is there and cannot be read.
    #[error("cannot read the translations in {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A text of the site, for a template or an update.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The text.
    pub segment: &'a Segment,
    /// Paths of the pages it stands on.
    pub pages: Vec<String>,
}

impl Catalogue {
    /// Reads a PO file; one that is not there yet translates nothing.
    ///
    /// # Errors
    /// A [`PoError`] when it cannot be read or is no PO.
    pub fn open(path: &Path) -> Result<Self, PoError> {
        match fs::read(path) {
            Ok(bytes) => Self::parse(&path.display().to_string(), &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(PoError::Read { path: path.to_owned(), source }),
        }
    }

    /// Reads a PO file; `file` is the name that errors show.
    ///
    /// # Errors
    /// A [`PoError`] for the first line that is no PO.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, PoError> {
        read::parse(file, bytes)
    }

    /// The translation of a segment, checked; `None` when people have not translated it.
    pub fn get(&self, segment: &Segment) -> Option<Result<CodedText, TextError>> {
        let entry = self.find(segment)?;
        let read = CodedText::from_markup(&entry.translation);
        Some(read.and_then(|text| check(segment, &text).map(|()| text)))
    }

    /// Where the translation of a segment stands in the file, for reports.
    pub fn line(&self, segment: &Segment) -> Option<usize> {
        self.find(segment).map(|entry| entry.line)
    }

    /// How many texts are translated.
    pub fn len(&self) -> usize {
        self.entries.values().filter(|entry| entry.translates()).count()
    }

    /// Whether nothing is translated.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts that people translated, each in its notation and as what kind of text, sorted; of a context that Latimer
    /// does not write, none.
    pub fn reviewed(&self) -> impl Iterator<Item = (&str, TextClass, &str)> {
        self.entries.iter().filter(|(_, entry)| entry.translates()).filter_map(|(key, entry)| {
            let class = match key.context.as_deref() {
                None => TextClass::Prose,
                Some(context) if context == TextClass::Label.as_str() => TextClass::Label,
                Some(_) => return None,
            };
            Some((key.source.as_str(), class, entry.translation.as_str()))
        })
    }

    /// Writes the file anew for the texts that the site has now; sorted by text, so that a new page moves nothing.
    pub fn update(&self, target: &Locale, uses: &[Use<'_>]) -> String {
        write::update(self, target, uses)
    }

    fn find(&self, segment: &Segment) -> Option<&Entry> {
        let mut key = Key::of(segment);
        let own = self.entries.get(&key).filter(|entry| entry.translates());
        if own.is_some() || key.context.is_none() {
            return own;
        }
        key.context = None;
        self.entries.get(&key).filter(|entry| entry.translates())
    }
}

impl Key {
    fn of(segment: &Segment) -> Self {
        let context = match segment.class {
            TextClass::Prose => None,
            TextClass::Label => Some(TextClass::Label.as_str().to_owned()),
        };
        Self { source: segment.text.to_markup(), context }
    }
}

impl Entry {
    /// Whether it translates anything.
    fn translates(&self) -> bool {
        !self.obsolete && !self.translation.is_empty() && !self.flags.iter().any(|flag| flag == "fuzzy")
    }
}

#[cfg(test)]
mod tests;
