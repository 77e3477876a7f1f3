//! Words that people wrote elsewhere than in the file, laid over its entries.

use super::catalogue::{Catalogue, FUZZY, PoEntry, PoKey};
use crate::page::TextClass;

/// Words of a person for a text.
#[derive(Clone, Copy, Debug)]
pub struct OverlaidWords<'a> {
    /// The text, in the notation.
    pub source: &'a str,
    /// Its class.
    pub class: TextClass,
    /// The words, in the notation; empty if the person cleared them.
    pub words: &'a str,
    /// True if readers get them.
    pub is_approved: bool,
    /// Fingerprint of the file's entry when they were written.
    pub base: Option<u64>,
}

impl Catalogue {
    /// Fingerprint of what the file says of a text; `None` if it says nothing.
    fn entry_print(&self, source: &str, class: TextClass) -> Option<u64> {
        let key = PoKey::new(source.to_owned(), class);
        self.entries.get(&key).and_then(print_of)
    }

    /// Fingerprint of what the file says of each text.
    pub fn entry_prints(&self) -> impl Iterator<Item = (&str, TextClass, u64)> {
        self.entries
            .iter()
            .filter_map(|(key, entry)| Some((key.source.as_str(), key.class()?, print_of(entry)?)))
    }

    /// Lays a person's words over the entry of their text. An entry that somebody approved in the file since then stays.
    pub fn overlay(&mut self, words: &OverlaidWords<'_>) {
        let key = PoKey::new(words.source.to_owned(), words.class);
        let is_as_before = self.entry_print(words.source, words.class) == words.base;
        let has_approved = self
            .entries
            .get(&key)
            .is_some_and(|entry| entry.translates());
        if !is_as_before && has_approved {
            return;
        }
        let entry = self.entries.entry(key).or_default();
        words.words.clone_into(&mut entry.translation);
        entry.flags.retain(|flag| flag != FUZZY);
        if !words.is_approved && !words.words.is_empty() {
            entry.flags.push(FUZZY.to_owned());
        }
        *entry = PoEntry {
            previous: Vec::new(),
            obsolete: false,
            line: 0,
            ..std::mem::take(entry)
        };
    }
}

fn print_of(entry: &PoEntry) -> Option<u64> {
    if entry.translation.is_empty() || entry.obsolete {
        return None;
    }
    let said = (entry.translation.as_str(), entry.is_approved());
    let hash = blake3::hash(format!("{said:?}").as_bytes());
    hash.as_bytes()
        .first_chunk()
        .map(|bytes| u64::from_le_bytes(*bytes))
}
