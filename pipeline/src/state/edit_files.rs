//! Edits of people and the object store: the files that hold them, and edits that other builders wrote there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::edits::{MOST_EDITS, NewEdits};
use super::fault::StateFault;
use super::people::{EditRecord, PersonRow, PersonState, edits_in};
use super::rows::{json, parsed};
use super::tables::{EDIT_FILES, EDITS, EDITS_OF};
use super::{State, StateError};
use crate::model::{Locale, Moment, SegmentKey, SiteId};

/// The files of the object store with edits of a locale, as the state knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditFiles {
    /// The files by name, each with those whose place it takes.
    pub files: BTreeMap<String, BTreeSet<String>>,
    /// The revision up to which the files have all edits.
    pub written: u64,
}

impl State {
    /// The files of a locale.
    pub fn edit_files(&self, site: &SiteId, locale: &Locale) -> Result<EditFiles, StateError> {
        self.read("read people's words from", |transaction| {
            files_in(&transaction.open_table(EDIT_FILES)?, site, locale)
        })
    }

    /// Keeps the files of a locale.
    pub fn keep_edit_files(
        &self,
        site: &SiteId,
        locale: &Locale,
        files: &EditFiles,
    ) -> Result<(), StateError> {
        self.write("keep people's words in", |transaction| {
            let mut table = transaction.open_table(EDIT_FILES)?;
            table.insert((site.as_str(), locale.as_str()), json(files)?.as_slice())?;
            Ok(())
        })
    }

    /// Takes edits of files that the state does not know, and returns the number of texts that got new ones. Edits of a text are in
    /// the order of their times, so builders that know the same edits have the same words.
    pub fn take_edits(
        &self,
        site: &SiteId,
        locale: &Locale,
        taken: BTreeMap<String, BTreeSet<String>>,
        edits: Vec<EditRecord>,
    ) -> Result<usize, StateError> {
        let mut by_text: BTreeMap<SegmentKey, Vec<EditRecord>> = BTreeMap::new();
        for edit in edits {
            if let Some(key) = SegmentKey::parse(&edit.segment) {
                by_text.entry(key).or_default().push(edit);
            }
        }
        self.write("keep people's words in", |transaction| {
            let mut merge = EditMerge {
                new: NewEdits::after_last(transaction, site, locale)?,
                batches: HashMap::new(),
            };
            let last = merge.new.revision();
            let mut changed = 0;
            for (key, edits) in by_text {
                let numbers = transaction.open_table(EDITS_OF)?;
                let table = transaction.open_table(EDITS)?;
                let known = edits_in(&numbers, &table, site, locale, key)?;
                drop(numbers);
                drop(table);
                changed += usize::from(merge.add(key, known, edits)?);
            }
            let revision = merge.new.finish()?;
            let mut table = transaction.open_table(EDIT_FILES)?;
            let mut files = files_in(&table, site, locale)?;
            files.files.extend(taken);
            if files.written == last {
                files.written = revision;
            }
            table.insert((site.as_str(), locale.as_str()), json(&files)?.as_slice())?;
            Ok(changed)
        })
    }
}

/// Edits that are merged into those of the state.
struct EditMerge<'t> {
    new: NewEdits<'t>,
    /// Ids here of batches elsewhere. An id is a revision, which each state counts for itself.
    batches: HashMap<(u64, Moment, String), u64>,
}

impl EditMerge<'_> {
    /// Adds the edits of a text that the state lacks, and returns true if there are some.
    fn add(
        &mut self,
        key: SegmentKey,
        mut known: Vec<(u64, EditRecord)>,
        edits: Vec<EditRecord>,
    ) -> Result<bool, StateFault> {
        // The state forgot edits before its oldest one.
        let mut oldest = None;
        if known.len() >= MOST_EDITS {
            oldest = known.first().map(|(_, edit)| edit.row.at);
        }
        let mut missing: Vec<EditRecord> = Vec::new();
        for edit in edits {
            let is_known = known.iter().any(|(_, other)| other.is_same(&edit));
            let is_forgotten = oldest.is_some_and(|oldest| edit.row.at < oldest);
            if !is_known && !is_forgotten && !missing.iter().any(|other| other.is_same(&edit)) {
                missing.push(edit);
            }
        }
        let Some(first) = missing.iter().map(EditRecord::place).min() else {
            return Ok(false);
        };
        // Edits that were made after the first missing one come after it.
        let kept = known.partition_point(|(_, edit)| edit.place() <= first);
        let mut again = Vec::new();
        for (revision, edit) in known.split_off(kept) {
            self.new.remove(key, revision)?;
            again.push((edit, false));
        }
        again.extend(missing.into_iter().map(|edit| (edit, true)));
        again.sort_by(|(one, _), (other, _)| one.place().cmp(&other.place()));
        let mut before = known.pop().map(|(_, edit)| edit.row);
        for (edit, is_new) in again {
            let batch = if is_new {
                self.batch_of(&edit)
            } else {
                edit.batch
            };
            let after = before.as_ref().map(|before| before.at);
            let row = if edit.after == after {
                edit.row
            } else {
                edit.row.made_without(before.as_ref())
            };
            before = Some(row.clone());
            self.new.add(key, row, batch, after)?;
        }
        Ok(true)
    }

    /// The id here of the batch of the edit that is added next.
    fn batch_of(&mut self, edit: &EditRecord) -> Option<u64> {
        let batch = (edit.batch?, edit.row.at, edit.row.by.clone());
        let next = self.new.revision() + 1;
        Some(*self.batches.entry(batch).or_insert(next))
    }
}

fn files_in(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
    locale: &Locale,
) -> Result<EditFiles, StateFault> {
    let row = table.get((site.as_str(), locale.as_str()))?;
    let Some(row) = row else {
        return Ok(EditFiles::default());
    };
    parsed(row.value(), || format!("edit files of {site} in {locale}"))
}

impl EditRecord {
    /// True for one edit in two states.
    fn is_same(&self, other: &Self) -> bool {
        self.segment == other.segment && self.place() == other.place()
    }

    /// The place among the edits of a text: by time, and then by what they are, so that all builders agree.
    fn place(&self) -> (Moment, &str, &str, &str) {
        let row = &self.row;
        (row.at, &row.by, row.via.code(), &row.text)
    }
}

impl PersonRow {
    /// The row of an edit whose author did not know the edit before it. Locked words stay, with the other words beside them.
    fn made_without(self, before: Option<&Self>) -> Self {
        let stands = before.and_then(|before| match before.state {
            PersonState::Draft => before.stands.as_ref().map(|beneath| beneath.state),
            state => Some(state),
        });
        let state = match stands {
            Some(PersonState::Locked) if !self.text.is_empty() => PersonState::Draft,
            _ => self.state,
        };
        Self { state, ..self }.above(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{EditOutcome, EditVia};

    /// Numbers that look random, from a seed.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
            (self.0 >> 33) % limit
        }
    }

    fn words(state: &State, site: &SiteId, locale: &Locale, key: SegmentKey) -> Vec<PersonRow> {
        let history = state.history(site, locale, key).unwrap();
        history.into_iter().map(|(_, edit)| edit.row).collect()
    }

    /// Builders that edit on their own and take each other's edits, in whatever order, have the same words and histories, even if
    /// their clocks differ.
    #[test]
    fn states_that_took_all_edits_are_equal() {
        let site = SiteId::parse("site").unwrap();
        let es = Locale::parse("es").unwrap();
        let key = |number: u64| SegmentKey::from_bytes([u8::try_from(number).unwrap(); 16]);
        for seed in 1..=40 {
            let mut chance = Chance(seed);
            let states = [State::in_memory().unwrap(), State::in_memory().unwrap()];
            let take = |from: &State, to: &State, name: u64| {
                let edits = from.edits_after(&site, &es, 0).unwrap();
                let edits = edits.into_iter().map(|(_, edit)| edit).collect();
                let file = BTreeMap::from([(name.to_string(), BTreeSet::new())]);
                to.take_edits(&site, &es, file, edits).unwrap()
            };
            for at in 1..=30 {
                let [one, other] = &states;
                let (here, there) = if chance.below(2) == 0 {
                    (one, other)
                } else {
                    (other, one)
                };
                if chance.below(4) == 0 {
                    take(here, there, at);
                }
                let key = key(chance.below(3));
                let row = PersonRow {
                    source: "Oven".to_owned(),
                    class: "prose".to_owned(),
                    text: at.to_string(),
                    state: [
                        PersonState::Approved,
                        PersonState::Draft,
                        PersonState::Locked,
                    ][usize::try_from(chance.below(3)).unwrap()],
                    by: "ana".to_owned(),
                    at: Moment::of_millis(1000 + chance.below(10)),
                    via: EditVia::Api,
                    base: None,
                    stands: None,
                };
                let person = here.person(&site, &es, key).unwrap();
                let seen = person.map_or(0, |(revision, _)| revision);
                let kept = here.edit(&site, &es, key, seen, &row).unwrap();
                assert!(matches!(kept, EditOutcome::Kept(_)));
            }
            let [one, other] = &states;
            take(one, other, 98);
            take(other, one, 99);
            assert_eq!(take(one, other, 100), 0, "seed {seed}");
            let mut all = 0;
            for number in 0..3 {
                let key = key(number);
                let found = words(one, &site, &es, key);
                assert_eq!(found, words(other, &site, &es, key), "seed {seed}");
                all += found.len();
                let people = one.people(&site, &es).unwrap();
                let row = people.iter().find(|(of, ..)| *of == key);
                let now = row.map(|(_, _, row)| row);
                assert_eq!(now, found.first(), "seed {seed}");
            }
            assert_eq!(all, 30, "seed {seed}: nothing is lost");
        }
    }

    /// Words that one builder locked stay locked, whatever another one saved meanwhile.
    #[test]
    fn edits_of_others_wait_beside_locked_words() {
        let site = SiteId::parse("site").unwrap();
        let es = Locale::parse("es").unwrap();
        let key = SegmentKey::from_bytes([1; 16]);
        let [one, other] = [State::in_memory().unwrap(), State::in_memory().unwrap()];
        let row = |text: &str, state, at| PersonRow {
            source: "Oven".to_owned(),
            class: "prose".to_owned(),
            text: text.to_owned(),
            state,
            by: "ana".to_owned(),
            at: Moment::of_millis(at),
            via: EditVia::Api,
            base: None,
            stands: None,
        };
        let locked = row("Horno", PersonState::Locked, 1);
        one.edit(&site, &es, key, 0, &locked).unwrap();
        let approved = row("Fogón", PersonState::Approved, 2);
        other.edit(&site, &es, key, 0, &approved).unwrap();
        for (from, to) in [(&one, &other), (&other, &one)] {
            let edits = from.edits_after(&site, &es, 0).unwrap();
            let edits = edits.into_iter().map(|(_, edit)| edit).collect();
            to.take_edits(&site, &es, BTreeMap::new(), edits).unwrap();
        }
        for state in [&one, &other] {
            let people = state.people(&site, &es).unwrap();
            let (_, _, row) = &people[0];
            assert_eq!(
                (row.state, row.text.as_str()),
                (PersonState::Draft, "Fogón")
            );
            let stands = row.stands.as_ref().unwrap();
            assert_eq!(
                (stands.state, stands.text.as_str()),
                (PersonState::Locked, "Horno")
            );
        }
    }
}
