//! GNU PO files: reviewed human translations, the truth for human text.
//!
//! `msgid` and `msgstr` hold the notation of [`CodedText::to_markup`]; the context is absent for prose and `label`
//! for labels, and a label without an entry of its own takes the one without context. Fuzzy, empty and plural entries
//! translate nothing; obsolete ones translate their text where it stands on the site again. An update keeps everything
//! people wrote: their order, comments, flags and header, and texts that have vanished from the site, which become
//! obsolete and come back when the text does.

mod header;
mod read;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::model::Locale;
use crate::page::{CodedText, Segment, TextClass, TextError, check};

/// The translations of one locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The name of the file, for reports.
    file: String,
    header: Option<Entry>,
    entries: BTreeMap<Key, Entry>,
    foreign: Vec<Foreign>,
}

/// What we do not understand, as it stands in the file: plurals, comments that belong to no entry, obsolete entries of
/// which there are several.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Foreign {
    raw: String,
    obsolete: bool,
    line: usize,
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
    /// Lines that start with `#.`: what the program says that made the entry, us or another.
    extracted: Vec<String>,
    /// Lines that start with `#:`.
    references: Vec<String>,
    /// Flags such as `fuzzy`.
    flags: Vec<String>,
    /// Lines that start with `#|`.
    previous: Vec<String>,
    obsolete: bool,
    /// The line of its `msgid` in the file it was read from.
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

/// Says where a translation stands that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reviewed translation in {file}:{line} is refused: {reason}")]
pub struct RefusedWords {
    /// The file's name as it was given.
    pub file: String,
    /// The line of its `msgid`, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: TextError,
}

/// A text of the site, for an update.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The text.
    pub segment: &'a Segment,
    /// Paths of the pages it stands on.
    pub pages: Vec<String>,
    /// The text before it on the first of these pages, by its index; a text follows only such as come before it in the
    /// list.
    pub follows: Option<usize>,
    /// What people wrote for the text that stood there before, where this one has no entry.
    pub inherited: Option<Inherited>,
    /// An engine's words, where nobody wrote any: the entry gets them and is fuzzy.
    pub suggested: Option<String>,
}

/// What people wrote for a text that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// The text before.
    pub source: String,
    /// What kind of text it was.
    pub class: TextClass,
    /// The words as they stay approved for the new text; without any, those of the text before are offered as fuzzy.
    pub carried: Option<String>,
}

/// A text that people translated and that the site does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vanished<'a> {
    /// The text, in the notation.
    pub source: &'a str,
    /// What kind of text it is.
    pub class: TextClass,
    /// People's words.
    pub words: &'a str,
    /// Whether the file says so already.
    pub is_obsolete: bool,
    /// The line of its `msgid`.
    pub line: usize,
    /// The pages that the file names.
    pub pages: BTreeSet<String>,
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
    pub fn get(&self, segment: &Segment) -> Option<Result<CodedText, RefusedWords>> {
        let entry = self.find(segment)?;
        let read = CodedText::from_markup(&entry.translation);
        let checked = read.and_then(|text| check(segment, &text).map(|()| text));
        Some(checked.map_err(|reason| RefusedWords { file: self.file.clone(), line: entry.line, reason }))
    }

    /// The same with a refusal as a sentence, as [`crate::translate::settle`] takes it.
    pub fn words(&self, segment: &Segment) -> Option<Result<CodedText, String>> {
        self.get(segment).map(|words| words.map_err(|refused| refused.to_string()))
    }

    /// Whether the file has an entry for a text, translated or not; what is written for prose is none of a label's.
    pub fn has(&self, segment: &Segment) -> bool {
        self.entries.contains_key(&Key::of(segment))
    }

    /// The texts that people translated and that are none of these.
    pub fn vanished<'a>(&self, texts: impl IntoIterator<Item = &'a Segment>) -> Vec<Vanished<'_>> {
        let mut standing = BTreeSet::new();
        for mut key in texts.into_iter().map(Key::of) {
            // A label uses what is written for prose.
            if key.context.take().is_some() {
                standing.insert(Key { source: key.source.clone(), context: label() });
            }
            standing.insert(key);
        }
        let gone = self.entries.iter().filter(|(key, entry)| entry.is_approved() && !standing.contains(key));
        gone.filter_map(|(key, entry)| {
            Some(Vanished {
                source: &key.source,
                class: key.class()?,
                words: &entry.translation,
                is_obsolete: entry.obsolete,
                line: entry.line,
                pages: entry.pages(),
            })
        })
        .collect()
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
        self.entries
            .iter()
            .filter(|(_, entry)| entry.translates())
            .filter_map(|(key, entry)| Some((key.source.as_str(), key.class()?, entry.translation.as_str())))
    }

    /// Writes the file anew for the texts that the site has now. What is in the file keeps its order, and a text that is
    /// new follows the one before it on its page, so that little moves. `project` names the site.
    pub fn update(&self, target: &Locale, project: &str, uses: &[Use<'_>]) -> String {
        write::update(self, target, project, uses)
    }

    fn find(&self, segment: &Segment) -> Option<&Entry> {
        let mut key = Key::of(segment);
        let own = self.entries.get(&key).filter(|entry| entry.is_approved());
        if own.is_some() || key.context.is_none() {
            return own;
        }
        key.context = None;
        self.entries.get(&key).filter(|entry| entry.is_approved())
    }
}

/// The context of labels.
fn label() -> Option<String> {
    Some(TextClass::Label.as_str().to_owned())
}

impl Key {
    fn of(segment: &Segment) -> Self {
        Self::new(segment.text.to_markup(), segment.class)
    }

    fn new(source: String, class: TextClass) -> Self {
        let context = match class {
            TextClass::Prose => None,
            TextClass::Label => label(),
        };
        Self { source, context }
    }

    /// What kind of text it is; of a context that Latimer does not write, nothing.
    fn class(&self) -> Option<TextClass> {
        match self.context.as_deref() {
            None => Some(TextClass::Prose),
            Some(context) if context == TextClass::Label.as_str() => Some(TextClass::Label),
            Some(_) => None,
        }
    }
}

impl Entry {
    /// Whether people translated it and nobody marked it as fuzzy.
    fn is_approved(&self) -> bool {
        !self.translation.is_empty() && !self.flags.iter().any(|flag| flag == FUZZY)
    }

    /// Whether it is approved and the site had its text when the file was written.
    fn translates(&self) -> bool {
        !self.obsolete && self.is_approved()
    }

    /// The pages that its references name.
    fn pages(&self) -> BTreeSet<String> {
        let named = self.references.iter().filter_map(|line| line.strip_prefix("#:"));
        named.flat_map(str::split_whitespace).map(|page| page.replace("%20", " ")).collect()
    }
}

/// The flag of what a person has to look at before readers get it.
const FUZZY: &str = "fuzzy";

#[cfg(test)]
mod tests;
