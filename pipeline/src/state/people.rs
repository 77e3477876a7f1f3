//! People's words for texts, with the history of each. Every change is an edit; its number, the revision, is counted by site and
//! locale.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{json, parsed};
use super::tables::{EDITS, EDITS_OF, PEOPLE, PEOPLE_REVISIONS};
use super::{State, StateError};
use crate::model::{Locale, Moment, SegmentKey, SiteId};

/// Most edits that are kept of a text, beside the last approved one.
const MOST_EDITS: usize = 50;

/// State of a person's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonState {
    /// Readers get the words.
    Approved,
    /// The words wait; readers get what would stand without them.
    Draft,
    /// A person cleared the words; readers get the text as if no person had translated it.
    Untranslated,
}

/// Origin of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditVia {
    /// Over the API.
    Api,
    /// On the admin screen.
    Screen,
}

impl PersonState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Approved, Self::Draft, Self::Untranslated];

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Draft => "draft",
            Self::Untranslated => "untranslated",
        }
    }
}

impl EditVia {
    /// All origins.
    pub const ALL: [Self; 2] = [Self::Api, Self::Screen];

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Screen => "screen",
        }
    }
}

/// Words of a person for a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRow {
    /// The text, in the notation.
    pub source: String,
    /// The class of the text, as its key has it.
    pub class: String,
    /// The words, in the notation; empty if they were cleared.
    pub text: String,
    /// Their state.
    pub state: PersonState,
    /// Subject of the author.
    pub by: String,
    /// Time of the edit.
    pub at: Moment,
    /// Origin of the edit.
    pub via: EditVia,
    /// Fingerprint of the entry that the file of translations had then; `None` if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
    /// Beneath a draft: what a person approved or cleared before, which stands until the draft is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<String>,
}

impl PersonRow {
    /// The row with what stands beneath it, if it is a draft.
    fn above(&self, before: Option<Self>) -> Self {
        let stands = before.and_then(|before| match before.state {
            PersonState::Approved | PersonState::Untranslated => Some(before.text),
            PersonState::Draft => before.stands,
        });
        Self {
            stands: stands.filter(|_| self.state == PersonState::Draft),
            ..self.clone()
        }
    }
}

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditRecord {
    /// The text.
    pub segment: String,
    /// The words that it brought.
    pub row: PersonRow,
}

/// Result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The words are kept, with this revision.
    Kept(u64),
    /// Others changed the text meanwhile: it has this revision.
    Stale(u64),
}

impl State {
    /// People's words of a locale, each with its revision.
    pub fn people(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<Vec<(SegmentKey, u64, PersonRow)>, StateError> {
        self.read("read people's words from", |transaction| {
            let table = transaction.open_table(PEOPLE)?;
            let lowest = (site.as_str(), locale.as_str(), &[0; 16]);
            let highest = (site.as_str(), locale.as_str(), &[0xff; 16]);
            let mut found = Vec::new();
            for row in table.range(lowest..=highest)? {
                let (at, row) = row?;
                let key = SegmentKey::from_bytes(*at.value().2);
                let (revision, row) = row.value();
                found.push((key, revision, parsed(row, || name_of(site, locale, key))?));
            }
            Ok(found)
        })
    }

    /// The revision of the last edit of a locale; 0 before the first one.
    pub fn people_revision(&self, site: &SiteId, locale: &Locale) -> Result<u64, StateError> {
        self.read("read people's words from", |transaction| {
            let table = transaction.open_table(PEOPLE_REVISIONS)?;
            let row = table.get((site.as_str(), locale.as_str()))?;
            Ok(row.map_or(0, |row| row.value()))
        })
    }

    /// The revision of the last edit of a text; 0 before the first one.
    pub fn segment_revision(
        &self,
        site: &SiteId,
        locale: &Locale,
        key: SegmentKey,
    ) -> Result<u64, StateError> {
        self.read("read people's words from", |transaction| {
            let table = transaction.open_table(PEOPLE)?;
            let row = table.get((site.as_str(), locale.as_str(), key.as_bytes()))?;
            Ok(row.map_or(0, |row| row.value().0))
        })
    }

    /// Edits of a text, the newest first, each with its revision.
    pub fn history(
        &self,
        site: &SiteId,
        locale: &Locale,
        key: SegmentKey,
    ) -> Result<Vec<(u64, EditRecord)>, StateError> {
        self.read("read people's words from", |transaction| {
            let numbers = transaction.open_table(EDITS_OF)?;
            let edits = transaction.open_table(EDITS)?;
            let mut found = Vec::new();
            for row in numbers.range(all_of(site, locale, key.as_bytes()))? {
                let (at, _) = row?;
                let revision = at.value().3;
                let edit = edits.get((site.as_str(), locale.as_str(), revision))?;
                if let Some(edit) = edit {
                    found.push((
                        revision,
                        parsed(edit.value(), || name_of(site, locale, key))?,
                    ));
                }
            }
            found.reverse();
            Ok(found)
        })
    }

    /// Edits of a locale after a revision, in their order.
    pub fn edits_after(
        &self,
        site: &SiteId,
        locale: &Locale,
        revision: u64,
    ) -> Result<Vec<(u64, EditRecord)>, StateError> {
        self.read("read people's words from", |transaction| {
            let table = transaction.open_table(EDITS)?;
            let first = (site.as_str(), locale.as_str(), revision.saturating_add(1));
            let last = (site.as_str(), locale.as_str(), u64::MAX);
            let mut found = Vec::new();
            for row in table.range(first..=last)? {
                let (at, row) = row?;
                let name = || format!("edits of {site} in {locale}");
                found.push((at.value().2, parsed(row.value(), name)?));
            }
            Ok(found)
        })
    }

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
            let mut people = transaction.open_table(PEOPLE)?;
            let at = (site.as_str(), locale.as_str(), key.as_bytes());
            let mut known = 0;
            let mut before = None;
            if let Some(row) = people.get(at)? {
                let (revision, row) = row.value();
                known = revision;
                before = Some(parsed(row, || name_of(site, locale, key))?);
            }
            if known != seen {
                return Ok(EditOutcome::Stale(known));
            }
            let row = &row.above(before);
            let mut revisions = transaction.open_table(PEOPLE_REVISIONS)?;
            let counted = (site.as_str(), locale.as_str());
            let last = revisions.get(counted)?.map_or(0, |row| row.value());
            let revision = last + 1;
            revisions.insert(counted, revision)?;
            let edit = EditRecord {
                segment: key.to_string(),
                row: row.clone(),
            };
            people.insert(at, (revision, json(row)?.as_slice()))?;
            transaction.open_table(EDITS)?.insert(
                (site.as_str(), locale.as_str(), revision),
                json(&edit)?.as_slice(),
            )?;
            transaction.open_table(EDITS_OF)?.insert(
                (site.as_str(), locale.as_str(), key.as_bytes(), revision),
                (),
            )?;
            forget_old(transaction, site, locale, key)?;
            Ok(EditOutcome::Kept(revision))
        })
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
        let is_approved = edit.is_some_and(|edit| edit.row.state == PersonState::Approved);
        if place < MOST_EDITS || (is_approved && !has_approved) {
            has_approved |= is_approved;
            continue;
        }
        edits.remove(at)?;
        numbers.remove((site.as_str(), locale.as_str(), key.as_bytes(), *revision))?;
    }
    Ok(())
}

/// Keys of all edits of a text.
fn all_of<'a>(
    site: &'a SiteId,
    locale: &'a Locale,
    key: &'a [u8; 16],
) -> RangeInclusive<(&'a str, &'a str, &'a [u8; 16], u64)> {
    (site.as_str(), locale.as_str(), key, 0)..=(site.as_str(), locale.as_str(), key, u64::MAX)
}

fn name_of(site: &SiteId, locale: &Locale, key: SegmentKey) -> String {
    format!("people's words of {site} in {locale}, {key}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(state.segment_revision(&site, &es, key(2)).unwrap(), 2);
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
        let stands: Vec<_> = people
            .iter()
            .map(|(.., row)| row.stands.as_deref())
            .collect();
        assert_eq!(
            stands,
            [Some("Horno"), None],
            "approved words stand beneath drafts"
        );
        let after = state.edits_after(&site, &es, 61).unwrap();
        assert_eq!(after.len(), 1);
        // Another locale counts for itself.
        let fr = Locale::parse("fr").unwrap();
        assert_eq!(state.people_revision(&site, &fr).unwrap(), 0);
    }
}
