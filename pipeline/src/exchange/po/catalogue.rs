//! What a PO file holds, and what it says of a text.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use super::quoted::unquote;
use crate::page::{CodedText, Segment, TextClass, check};
use crate::translate::{Examples, RefusedWords};

/// The translations of one locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The name of the file, for reports.
    pub(super) file: String,
    pub(super) header: Option<PoEntry>,
    pub(super) entries: BTreeMap<PoKey, PoEntry>,
    pub(super) foreign: Vec<Foreign>,
    /// Words that wait beside entries that stand; they are in no file.
    pub(super) drafts: BTreeMap<PoKey, String>,
    /// Texts about which a person decided elsewhere.
    pub(super) marks: BTreeMap<PoKey, Mark>,
}

/// What we do not understand, as it stands in the file: plurals, comments that belong to no entry, obsolete entries of
/// which there are several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) raw: String,
    pub(super) obsolete: bool,
    pub(super) line: usize,
}

/// What an entry is found by: the source text in canonical notation and the context.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PoKey {
    pub(super) source: String,
    pub(super) context: Option<String>,
}

/// What people wrote about one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PoEntry {
    pub(super) translation: String,
    /// Comment lines of translators, with their `#`.
    pub(super) comments: Vec<String>,
    /// Lines that start with `#.`: what the program says that made the entry, us or another.
    pub(super) extracted: Vec<String>,
    /// Lines that start with `#:`.
    pub(super) references: Vec<String>,
    /// Flags such as `fuzzy`.
    pub(super) flags: Vec<String>,
    /// Lines that start with `#|`.
    pub(super) previous: Vec<String>,
    pub(super) obsolete: bool,
    /// The line of its `msgid` in the file it was read from.
    pub(super) line: usize,
}

/// Mark of an entry whose text a person decided about elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A cleared label takes no words of prose.
    Cleared,
    Rejected,
    Locked,
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

/// Words of a fuzzy entry. Readers get them when a person removes the flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingWords<'a> {
    /// The words.
    pub words: &'a str,
    /// The text that they were written for, if the entry names another one.
    pub former: Option<String>,
}

impl Catalogue {
    /// The translation of a segment, checked; `None` when people have not translated it.
    pub fn get(&self, segment: &Segment) -> Option<Result<CodedText, RefusedWords>> {
        let entry = self.find(segment)?;
        let read = CodedText::from_markup(&entry.translation);
        let checked = read.and_then(|text| check(segment, &text).map(|()| text));
        Some(checked.map_err(|reason| RefusedWords {
            file: self.file.clone(),
            line: entry.line,
            reason,
        }))
    }

    /// Whether the file has an entry for a text, translated or not; what is written for prose is none of a label's.
    pub fn has(&self, segment: &Segment) -> bool {
        self.entries.contains_key(&PoKey::of(segment))
    }

    /// The texts that people translated and that are none of these.
    pub fn vanished(&self, texts: impl IntoIterator<Item: Borrow<Segment>>) -> Vec<Vanished<'_>> {
        self.vanished_beside(texts, &|_, _| false)
    }

    /// The same beside other texts of which is known, by class and notation, whether they stand.
    pub fn vanished_beside(
        &self,
        texts: impl IntoIterator<Item: Borrow<Segment>>,
        stands: &dyn Fn(TextClass, &str) -> bool,
    ) -> Vec<Vanished<'_>> {
        let mut standing = BTreeSet::new();
        if !self.entries.values().any(PoEntry::is_approved) {
            return Vec::new();
        }
        for mut key in texts.into_iter().map(|text| PoKey::of(text.borrow())) {
            // A label uses what is written for prose.
            let as_label = key.context.take().is_some();
            if as_label
                && let Some((known, _)) = self.entries.get_key_value(&PoKey {
                    context: label(),
                    ..key.clone()
                })
            {
                standing.insert(known);
            }
            if let Some((known, _)) = self.entries.get_key_value(&key) {
                standing.insert(known);
            }
        }
        let stands = |key: &PoKey| match key.context {
            None => stands(TextClass::Prose, &key.source) || stands(TextClass::Label, &key.source),
            Some(_) => key.context == label() && stands(TextClass::Label, &key.source),
        };
        let is_gone = |key: &PoKey| !standing.contains(key) && !stands(key);
        let gone = self
            .entries
            .iter()
            .filter(|(key, entry)| entry.is_approved() && is_gone(key));
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
        let entry = self.find(segment)?;
        // Words that people wrote elsewhere have no line.
        (entry.line > 0).then_some(entry.line)
    }

    /// Words for a text that wait for a person: those of its own entry, if that is fuzzy.
    pub fn waiting(&self, segment: &Segment) -> Option<WaitingWords<'_>> {
        let key = PoKey::of(segment);
        if let Some(words) = self.drafts.get(&key) {
            return Some(WaitingWords {
                words,
                former: None,
            });
        }
        let entry = self.entries.get(&key)?;
        if !entry.is_waiting() {
            return None;
        }
        Some(WaitingWords {
            words: &entry.translation,
            former: entry.former(),
        })
    }

    /// True if some words wait for a person.
    pub fn has_waiting(&self) -> bool {
        !self.drafts.is_empty() || self.entries.values().any(PoEntry::is_waiting)
    }

    /// Texts with words that wait for a person, each by its kind and notation.
    pub fn waiting_texts(&self) -> impl Iterator<Item = (TextClass, &str)> {
        let fuzzy = self.entries.iter().filter(|(_, entry)| entry.is_waiting());
        let beside = self.drafts.keys();
        let beside = beside.filter(|key| !self.entries.get(*key).is_some_and(PoEntry::is_waiting));
        fuzzy
            .map(|(key, _)| key)
            .chain(beside)
            .filter_map(|key| Some((key.class()?, key.source.as_str())))
    }

    /// How many texts are translated.
    pub fn len(&self) -> usize {
        self.entries
            .values()
            .filter(|entry| entry.translates())
            .count()
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
            .filter_map(|(key, entry)| {
                Some((
                    key.source.as_str(),
                    key.class()?,
                    entry.translation.as_str(),
                ))
            })
    }

    /// The texts that people translated, as examples for engines.
    pub fn examples(&self) -> Examples {
        Examples::of(
            self.reviewed()
                .map(|(source, _, translation)| (source, translation)),
        )
    }

    fn find(&self, segment: &Segment) -> Option<&PoEntry> {
        let mut key = PoKey::of(segment);
        let own = self.entries.get(&key).filter(|entry| entry.is_approved());
        let is_empty = matches!(self.marks.get(&key), Some(Mark::Cleared | Mark::Rejected));
        if own.is_some() || key.context.is_none() || is_empty {
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

impl PoKey {
    pub(super) fn of(segment: &Segment) -> Self {
        Self::new(segment.text.to_markup(), segment.class)
    }

    pub(super) fn new(source: String, class: TextClass) -> Self {
        let context = match class {
            TextClass::Prose => None,
            TextClass::Label => label(),
        };
        Self { source, context }
    }

    /// What kind of text it is; of a context that Latimer does not write, nothing.
    pub(super) fn class(&self) -> Option<TextClass> {
        match self.context.as_deref() {
            None => Some(TextClass::Prose),
            Some(context) if context == TextClass::Label.as_str() => Some(TextClass::Label),
            Some(_) => None,
        }
    }
}

impl PoEntry {
    /// Whether people translated it and nobody marked it as fuzzy.
    pub(super) fn is_approved(&self) -> bool {
        !self.translation.is_empty() && !self.flags.iter().any(|flag| flag == FUZZY)
    }

    /// Whether it is approved and the site had its text when the file was written.
    pub(super) fn translates(&self) -> bool {
        !self.obsolete && self.is_approved()
    }

    /// True if its words wait for a person.
    pub(super) fn is_waiting(&self) -> bool {
        !self.obsolete && !self.translation.is_empty() && !self.is_approved()
    }

    /// The text that its words were written for, if it names one.
    fn former(&self) -> Option<String> {
        let mut text = String::new();
        for line in &self.previous {
            let field = line.trim_start_matches("#|").trim();
            if field.starts_with("msgctxt") {
                continue;
            }
            let quoted = field.strip_prefix("msgid").unwrap_or(field).trim();
            text.push_str(&unquote(quoted).ok()?);
        }
        if text.is_empty() { None } else { Some(text) }
    }

    /// The pages that its references name.
    pub(super) fn pages(&self) -> BTreeSet<String> {
        let named = self
            .references
            .iter()
            .filter_map(|line| line.strip_prefix("#:"));
        named
            .flat_map(str::split_whitespace)
            .map(|page| page.replace("%20", " "))
            .collect()
    }
}

/// The flag of what a person has to look at before readers get it.
pub(super) const FUZZY: &str = "fuzzy";
