//! Words that people wrote elsewhere than in the file, laid over its entries.

use super::catalogue::{Catalogue, FUZZY, Mark, PoEntry, PoKey};
use crate::page::{Segment, TextClass};

/// Words of a person for a text.
#[derive(Clone, Copy, Debug)]
pub struct OverlaidWords<'a> {
    /// The text, in the notation.
    pub source: &'a str,
    /// Its class.
    pub class: TextClass,
    /// The person's decision about what readers get; `None` if there is none.
    pub decision: Option<Decision<'a>>,
    /// Words that wait.
    pub draft: Option<&'a str>,
    /// Fingerprint of the file's entry when the person decided.
    pub base: Option<u64>,
}

/// A person's decision about what readers get for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'a> {
    /// These words, in the notation.
    Approved(&'a str),
    /// These words, whatever the file says later.
    Locked(&'a str),
    /// What they would get if no person had translated the text.
    Cleared,
    /// The source text; no engine is asked.
    Rejected,
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

    /// Lays a person's words over the entry of their text.
    ///
    /// Words that somebody approved in the file since then stand, and words that somebody marked there as fuzzy wait. A draft waits
    /// beside what stands.
    pub fn overlay(&mut self, words: &OverlaidWords<'_>) {
        let key = PoKey::new(words.source.to_owned(), words.class);
        let is_as_before = self.entry_print(words.source, words.class) == words.base;
        let known = self.entries.get(&key).filter(|entry| !entry.obsolete);
        let newer = known.filter(|entry| !is_as_before && !entry.translation.is_empty());
        let is_approved_since = newer.is_some_and(PoEntry::is_approved);
        let newer = newer.map(|entry| entry.translation.clone());
        match words.decision {
            Some(Decision::Locked(text)) => {
                self.decide(&key, text, Some(Mark::Locked));
                self.drafts.extend(newer.map(|newer| (key.clone(), newer)));
            }
            Some(Decision::Approved(text)) if !is_approved_since => {
                self.decide(&key, text, None);
                self.drafts.extend(newer.map(|newer| (key.clone(), newer)));
            }
            Some(decision @ (Decision::Cleared | Decision::Rejected)) if !is_approved_since => {
                let mark = match decision {
                    Decision::Rejected => Mark::Rejected,
                    _ => Mark::Cleared,
                };
                self.decide(&key, "", Some(mark));
                self.drafts.extend(newer.map(|newer| (key.clone(), newer)));
            }
            Some(_) | None => {}
        }
        if let Some(draft) = words.draft {
            let is_rejected = self.marks.get(&key) == Some(&Mark::Rejected);
            if is_rejected || self.entries.get(&key).is_some_and(PoEntry::translates) {
                self.drafts.insert(key, draft.to_owned());
            } else {
                self.replace(&key, draft, false);
            }
        }
    }

    /// True if a person wants the source text to stand.
    pub fn is_rejected(&self, segment: &Segment) -> bool {
        self.has_mark(segment, Mark::Rejected)
    }

    /// True if nothing changes a person's words for a text.
    pub fn is_locked(&self, segment: &Segment) -> bool {
        self.has_mark(segment, Mark::Locked)
    }

    fn has_mark(&self, segment: &Segment, mark: Mark) -> bool {
        // Mostly nothing is marked, and then no text needs to be spelled.
        !self.marks.is_empty() && self.marks.get(&PoKey::of(segment)) == Some(&mark)
    }

    /// Gives an entry the words that a person decided on.
    fn decide(&mut self, key: &PoKey, words: &str, mark: Option<Mark>) {
        self.replace(key, words, true);
        self.marks.extend(mark.map(|mark| (key.clone(), mark)));
    }

    /// Gives an entry other words; it then stands in no line of the file.
    fn replace(&mut self, key: &PoKey, words: &str, is_approved: bool) {
        let entry = self.entries.entry(key.clone()).or_default();
        words.clone_into(&mut entry.translation);
        entry.flags.retain(|flag| flag != FUZZY);
        if !is_approved {
            entry.flags.push(FUZZY.to_owned());
        }
        entry.previous.clear();
        entry.obsolete = false;
        entry.line = 0;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{CodedText, Segment};

    fn segment(class: TextClass) -> Segment {
        Segment {
            text: CodedText::plain("Oven"),
            codes: Vec::new(),
            class,
            origin: "p".into(),
            filter: None,
            keeps_nodes: false,
        }
    }

    /// A file with this entry, and the words of a person that were written when the file had the other one.
    fn overlaid(
        file: &str,
        before: &str,
        class: TextClass,
        decision: Option<Decision<'_>>,
        draft: Option<&str>,
    ) -> Catalogue {
        let entry = |entry: &str| Catalogue::parse("es.po", entry.as_bytes()).unwrap();
        let mut catalogue = entry(file);
        catalogue.overlay(&OverlaidWords {
            source: "Oven",
            class,
            decision,
            draft,
            base: entry(before).entry_print("Oven", class),
        });
        catalogue
    }

    /// Words that stand and words that wait for a text.
    fn words(catalogue: &Catalogue, class: TextClass) -> (Option<String>, Option<String>) {
        let segment = segment(class);
        let stands = catalogue
            .get(&segment)
            .map(|words| words.unwrap().to_markup());
        let waits = catalogue
            .waiting(&segment)
            .map(|waiting| waiting.words.to_owned());
        (stands, waits)
    }

    #[test]
    fn the_file_has_the_last_word_and_drafts_wait_beside_it() {
        let file = "msgid \"Oven\"\nmsgstr \"Horno\"\n";
        let newer = "msgid \"Oven\"\nmsgstr \"Fogón\"\n";
        let fuzzy = "#, fuzzy\nmsgid \"Oven\"\nmsgstr \"Hogar\"\n";
        let approved = Some(Decision::Approved("Pan"));
        let locked = Some(Decision::Locked("Pan"));
        let cleared = Some(Decision::Cleared);
        let rejected = Some(Decision::Rejected);
        for (now, decision, draft, stands, waits) in [
            (file, approved, None, Some("Pan"), None),
            (file, None, Some("Pan"), Some("Horno"), Some("Pan")),
            (file, approved, Some("Bollo"), Some("Pan"), Some("Bollo")),
            (file, cleared, None, None, None),
            (file, rejected, None, None, None),
            (file, rejected, Some("Pan"), None, Some("Pan")),
            (newer, approved, None, Some("Fogón"), None),
            (newer, locked, None, Some("Pan"), Some("Fogón")),
            (newer, cleared, None, Some("Fogón"), None),
            (newer, rejected, None, Some("Fogón"), None),
            (newer, None, Some("Pan"), Some("Fogón"), Some("Pan")),
            (fuzzy, approved, None, Some("Pan"), Some("Hogar")),
            (fuzzy, cleared, None, None, Some("Hogar")),
            (fuzzy, rejected, None, None, Some("Hogar")),
            ("", approved, None, Some("Pan"), None),
        ] {
            let catalogue = overlaid(now, file, TextClass::Prose, decision, draft);
            let expected = (stands.map(str::to_owned), waits.map(str::to_owned));
            assert_eq!(
                words(&catalogue, TextClass::Prose),
                expected,
                "{now} {decision:?} {draft:?}"
            );
            let segment = segment(TextClass::Prose);
            let is_rejected = decision == rejected && stands.is_none();
            assert_eq!(catalogue.is_rejected(&segment), is_rejected);
            assert_eq!(catalogue.is_locked(&segment), decision == locked);
        }
    }

    #[test]
    fn a_cleared_label_takes_no_words_of_prose() {
        let file = "msgid \"Oven\"\nmsgstr \"Horno\"\n";
        let label = TextClass::Label;
        let before = overlaid(file, file, label, None, None);
        assert_eq!(words(&before, label).0.as_deref(), Some("Horno"));
        let cleared = overlaid(file, file, label, Some(Decision::Cleared), None);
        assert_eq!(words(&cleared, label), (None, None));
        assert_eq!(
            words(&cleared, TextClass::Prose).0.as_deref(),
            Some("Horno")
        );
    }
}
