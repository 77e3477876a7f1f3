//! Edits of people's words: of one text, of several together, and back again.

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::people::{EditRecord, PersonRow, PersonState, all_of, name_of, person_in};
use super::rows::{json, parsed};
use super::tables::{EDITS, EDITS_OF, PEOPLE, PEOPLE_REVISIONS};
use super::{State, StateError};
use crate::model::{Locale, Moment, SegmentKey, SiteId};

/// Most edits that are kept of a text, beside the last approved one.
pub(super) const MOST_EDITS: usize = 50;

/// Result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The words are kept, with this revision.
    Kept(u64),
    /// Others changed the text meanwhile: it has this revision.
    Stale(u64),
}

/// One of several edits that are made together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEdit {
    /// The text.
    pub key: SegmentKey,
    /// The revision of its last edit that the person saw.
    pub seen: u64,
    /// The words.
    pub row: PersonRow,
}

/// Result of several edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchOutcome {
    /// The revision of the first edit; `None` if none was made.
    pub batch: Option<u64>,
    /// Number of texts that were changed.
    pub kept: usize,
    /// Texts that others changed meanwhile.
    pub stale: Vec<SegmentKey>,
}

/// Edits that somebody wants to undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoScope {
    /// Edits that were made together, by their first revision.
    Batch(u64),
    /// Edits of a person from a time on.
    By {
        /// Subject of the author.
        subject: String,
        /// The first moment.
        since: Moment,
    },
}

/// A text whose last edits can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoStep {
    /// The text.
    pub key: SegmentKey,
    /// The revision of its last edit.
    pub seen: u64,
    /// The words that the last edit brought.
    pub now: PersonRow,
    /// The words before; `None` if no person had written any.
    pub before: Option<PersonRow>,
}

/// Result of the look for edits to undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoPlan {
    /// Texts that can get their former words.
    pub steps: Vec<UndoStep>,
    /// Texts that stay as they are, each with the words of its last edit: others changed them later, or the former words are no
    /// longer kept.
    pub left: Vec<(SegmentKey, PersonRow)>,
    /// Texts that have their former words already.
    pub same: Vec<(SegmentKey, PersonRow)>,
}

impl UndoScope {
    fn has(&self, edit: &EditRecord) -> bool {
        match self {
            Self::Batch(batch) => edit.batch == Some(*batch),
            Self::By { subject, since } => edit.row.by == *subject && edit.row.at >= *since,
        }
    }
}

impl State {
    /// Keeps a person's words, if the text still has the revision that the person saw; row, edit and mark in one transaction.
    pub fn edit(
        &self,
        site: &SiteId,
        locale: &Locale,
        key: SegmentKey,
        seen: u64,
        row: &PersonRow,
    ) -> Result<EditOutcome, StateError> {
        self.write("keep people's words in", |transaction| {
            let before = person_in(&transaction.open_table(PEOPLE)?, site, locale, key)?;
            let known = before.as_ref().map_or(0, |(revision, _)| *revision);
            if known != seen {
                return Ok(EditOutcome::Stale(known));
            }
            let before = before.as_ref().map(|(_, before)| before);
            let after = before.map(|before| before.at);
            let row = PersonRow {
                at: later(row.at, after),
                ..row.clone().above(before)
            };
            let mut edits = NewEdits::after_last(transaction, site, locale)?;
            edits.add(key, row, None, after)?;
            Ok(EditOutcome::Kept(edits.finish()?))
        })
    }

    /// Keeps several edits in one transaction, each with its row as it is, but not those of texts that others changed meanwhile.
    pub fn edit_batch(
        &self,
        site: &SiteId,
        locale: &Locale,
        batch: &[BatchEdit],
    ) -> Result<BatchOutcome, StateError> {
        self.write("keep people's words in", |transaction| {
            let mut edits = NewEdits::after_last(transaction, site, locale)?;
            let first = edits.revision + 1;
            let mut stale = Vec::new();
            let mut changes = Vec::new();
            let mut last = None;
            for edit in batch {
                let people = transaction.open_table(PEOPLE)?;
                let before = person_in(&people, site, locale, edit.key)?;
                if before.as_ref().map_or(0, |(revision, _)| *revision) != edit.seen {
                    stale.push(edit.key);
                    continue;
                }
                let after = before.map(|(_, before)| before.at);
                last = last.max(after);
                changes.push((edit, after));
            }
            // All edits of a batch have one time, which is later than those of the edits before.
            for (edit, after) in changes {
                let row = PersonRow {
                    at: later(edit.row.at, last),
                    ..edit.row.clone()
                };
                edits.add(edit.key, row, Some(first), after)?;
            }
            let kept = batch.len() - stale.len();
            edits.finish()?;
            Ok(BatchOutcome {
                batch: (kept > 0).then_some(first),
                kept,
                stale,
            })
        })
    }

    /// Finds the texts whose last edits are to be undone, with the words before. An edit that others made later stays.
    pub fn undo_plan(
        &self,
        site: &SiteId,
        locale: &Locale,
        scope: &UndoScope,
    ) -> Result<UndoPlan, StateError> {
        let first = match scope {
            UndoScope::Batch(batch) => batch.saturating_sub(1),
            UndoScope::By { .. } => 0,
        };
        let mut keys = Vec::new();
        for (_, edit) in self.edits_after(site, locale, first)? {
            if scope.has(&edit) {
                keys.extend(SegmentKey::parse(&edit.segment));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        let mut plan = UndoPlan::default();
        for key in keys {
            let history = self.history(site, locale, key)?;
            let Some((seen, last)) = history.first() else {
                continue;
            };
            let place = history.iter().position(|(_, edit)| !scope.has(edit));
            let before = place.and_then(|place| history.get(place));
            let before = before.map(|(_, edit)| edit.row.clone());
            // The state keeps the last approved words beyond the other edits, but not what came between.
            let is_cut = place.unwrap_or(history.len()) >= MOST_EDITS;
            if !scope.has(last) || is_cut {
                plan.left.push((key, last.row.clone()));
                continue;
            }
            let is_same = match &before {
                Some(before) => before.has_words_of(&last.row),
                None => last.row.state == PersonState::Withdrawn,
            };
            if is_same {
                plan.same.push((key, last.row.clone()));
                continue;
            }
            plan.steps.push(UndoStep {
                key,
                seen: *seen,
                now: last.row.clone(),
                before,
            });
        }
        Ok(plan)
    }
}

/// A time of an edit that is later than that of the edit before, even if another builder's clock is ahead.
fn later(now: Moment, before: Option<Moment>) -> Moment {
    let least = before.map(|before| Moment::of_millis(before.millis() + 1));
    least.map_or(now, |least| least.max(now))
}

/// Edits of a locale that are being written.
pub(super) struct NewEdits<'t> {
    transaction: &'t WriteTransaction,
    site: &'t SiteId,
    locale: &'t Locale,
    /// The revision of the last edit.
    revision: u64,
}

impl<'t> NewEdits<'t> {
    pub(super) fn after_last(
        transaction: &'t WriteTransaction,
        site: &'t SiteId,
        locale: &'t Locale,
    ) -> Result<Self, StateFault> {
        let revisions = transaction.open_table(PEOPLE_REVISIONS)?;
        let last = revisions.get((site.as_str(), locale.as_str()))?;
        Ok(Self {
            transaction,
            site,
            locale,
            revision: last.map_or(0, |row| row.value()),
        })
    }

    pub(super) fn add(
        &mut self,
        key: SegmentKey,
        row: PersonRow,
        batch: Option<u64>,
        after: Option<Moment>,
    ) -> Result<(), StateFault> {
        self.revision += 1;
        let site = self.site.as_str();
        let locale = self.locale.as_str();
        self.transaction.open_table(PEOPLE)?.insert(
            (site, locale, key.as_bytes()),
            (self.revision, json(&row)?.as_slice()),
        )?;
        let edit = EditRecord {
            segment: key.to_string(),
            row,
            batch,
            after,
        };
        self.transaction
            .open_table(EDITS)?
            .insert((site, locale, self.revision), json(&edit)?.as_slice())?;
        self.transaction
            .open_table(EDITS_OF)?
            .insert((site, locale, key.as_bytes(), self.revision), ())?;
        forget_old(self.transaction, self.site, self.locale, key)
    }

    /// The revision of the last edit so far.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Removes an edit, which is added again in another place.
    pub(super) fn remove(&mut self, key: SegmentKey, revision: u64) -> Result<(), StateFault> {
        let site = self.site.as_str();
        let locale = self.locale.as_str();
        self.transaction
            .open_table(EDITS)?
            .remove((site, locale, revision))?;
        self.transaction
            .open_table(EDITS_OF)?
            .remove((site, locale, key.as_bytes(), revision))?;
        Ok(())
    }

    /// Keeps the number of the last edit, and returns it.
    pub(super) fn finish(self) -> Result<u64, StateFault> {
        let mut revisions = self.transaction.open_table(PEOPLE_REVISIONS)?;
        revisions.insert((self.site.as_str(), self.locale.as_str()), self.revision)?;
        Ok(self.revision)
    }
}

/// Forgets the oldest edits of a text beyond those that are kept, but never the last approved one.
fn forget_old(
    transaction: &WriteTransaction,
    site: &SiteId,
    locale: &Locale,
    key: SegmentKey,
) -> Result<(), StateFault> {
    let mut numbers = transaction.open_table(EDITS_OF)?;
    let mut edits = transaction.open_table(EDITS)?;
    let mut known = Vec::new();
    for row in numbers.range(all_of(site, locale, key.as_bytes()))? {
        known.push(row?.0.value().3);
    }
    if known.len() <= MOST_EDITS {
        return Ok(());
    }
    let mut has_approved = false;
    for (place, revision) in known.iter().rev().enumerate() {
        let at = (site.as_str(), locale.as_str(), *revision);
        let edit: Option<EditRecord> = match edits.get(at)? {
            Some(row) => Some(parsed(row.value(), || name_of(site, locale, key))?),
            None => None,
        };
        let is_approved = edit.is_some_and(|edit| edit.row.state.has_readers_words());
        if place < MOST_EDITS || (is_approved && !has_approved) {
            has_approved |= is_approved;
            continue;
        }
        edits.remove(at)?;
        numbers.remove((site.as_str(), locale.as_str(), key.as_bytes(), *revision))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{EditVia, StandingWords};

    fn row(text: &str, state: PersonState) -> PersonRow {
        PersonRow {
            source: "Oven".to_owned(),
            class: "prose".to_owned(),
            text: text.to_owned(),
            state,
            by: "ana".to_owned(),
            at: Moment::of_millis(1),
            via: EditVia::Api,
            base: None,
            stands: None,
        }
    }

    #[test]
    fn an_edit_needs_the_revision_that_was_seen_and_histories_are_bounded() {
        let state = State::in_memory().unwrap();
        let site = SiteId::parse("site").unwrap();
        let es = Locale::parse("es").unwrap();
        let key = |number: u8| SegmentKey::from_bytes([number; 16]);
        let edit = |number, seen, text: &str, kind| {
            state
                .edit(&site, &es, key(number), seen, &row(text, kind))
                .unwrap()
        };
        assert_eq!(
            edit(1, 0, "Horno", PersonState::Approved),
            EditOutcome::Kept(1)
        );
        assert_eq!(
            edit(1, 0, "Fogón", PersonState::Approved),
            EditOutcome::Stale(1)
        );
        assert_eq!(edit(2, 1, "Pan", PersonState::Draft), EditOutcome::Stale(0));
        assert_eq!(edit(2, 0, "Pan", PersonState::Draft), EditOutcome::Kept(2));
        assert_eq!(state.people_revision(&site, &es).unwrap(), 2);
        let person = state.person(&site, &es, key(2)).unwrap();
        assert_eq!(person.unwrap().0, 2);
        let mut seen = 1;
        for number in 0..60 {
            let EditOutcome::Kept(revision) =
                edit(1, seen, &number.to_string(), PersonState::Draft)
            else {
                panic!("edit {number} is stale");
            };
            seen = revision;
        }
        let history = state.history(&site, &es, key(1)).unwrap();
        let texts: Vec<&str> = history
            .iter()
            .map(|(_, edit)| edit.row.text.as_str())
            .collect();
        assert_eq!((texts[0], texts[49], texts.len()), ("59", "10", 51));
        assert_eq!(texts[50], "Horno", "the last approved words stay");
        let people = state.people(&site, &es).unwrap();
        let shown: Vec<_> = people
            .iter()
            .map(|(key, at, row)| (*key, *at, row.text.as_str()))
            .collect();
        assert_eq!(shown, [(key(1), 62, "59"), (key(2), 2, "Pan")]);
        let stands: Vec<_> = people.iter().map(|(.., row)| row.stands.clone()).collect();
        let approved = StandingWords {
            text: "Horno".to_owned(),
            state: PersonState::Approved,
            base: None,
        };
        assert_eq!(
            stands,
            [Some(approved), None],
            "approved words stand beneath drafts"
        );
        let after = state.edits_after(&site, &es, 61).unwrap();
        assert_eq!(after.len(), 1);
        // Another locale counts for itself.
        let fr = Locale::parse("fr").unwrap();
        assert_eq!(state.people_revision(&site, &fr).unwrap(), 0);
    }

    /// An undo leaves texts alone whose former words the state no longer has, and those that have them already.
    #[test]
    fn undo_knows_what_it_cannot_bring_back() {
        let state = State::in_memory().unwrap();
        let site = SiteId::parse("site").unwrap();
        let es = Locale::parse("es").unwrap();
        let edit = |number: u8, text: &str, kind, by: &str, at| {
            let key = SegmentKey::from_bytes([number; 16]);
            let person = state.person(&site, &es, key).unwrap();
            let seen = person.map_or(0, |(revision, _)| revision);
            let row = PersonRow {
                by: by.to_owned(),
                at: Moment::of_millis(at),
                ..row(text, kind)
            };
            let kept = state.edit(&site, &es, key, seen, &row).unwrap();
            assert!(matches!(kept, EditOutcome::Kept(_)));
        };
        let since = |at| UndoScope::By {
            subject: "ana".to_owned(),
            since: Moment::of_millis(at),
        };
        // Approved words that somebody removed, and many drafts: what came between is forgotten.
        edit(1, "Old", PersonState::Approved, "ben", 1);
        edit(1, "", PersonState::Untranslated, "ben", 2);
        for at in 0..60 {
            edit(1, &at.to_string(), PersonState::Draft, "ana", 10 + at);
        }
        let plan = state.undo_plan(&site, &es, &since(10)).unwrap();
        assert_eq!((plan.steps.len(), plan.left.len()), (0, 1));
        // Words that were changed and changed back.
        edit(2, "Horno", PersonState::Approved, "ben", 100);
        edit(2, "Fogón", PersonState::Approved, "ana", 101);
        edit(2, "Horno", PersonState::Approved, "ana", 102);
        let plan = state.undo_plan(&site, &es, &since(100)).unwrap();
        assert_eq!((plan.steps.len(), plan.same.len()), (0, 1));
        let plan = state.undo_plan(&site, &es, &since(102)).unwrap();
        assert_eq!(plan.steps[0].before.as_ref().unwrap().text, "Fogón");
        // A clock that goes back makes no edit earlier than the one before it.
        edit(2, "Tahona", PersonState::Approved, "ana", 5);
        let history = state
            .history(&site, &es, SegmentKey::from_bytes([2; 16]))
            .unwrap();
        let times: Vec<u64> = history
            .iter()
            .map(|(_, edit)| edit.row.at.millis())
            .collect();
        assert_eq!(times, [103, 102, 101, 100]);
    }
}
