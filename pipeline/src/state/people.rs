//! People's words for texts, with the history of each. Every change is an edit; its number, the revision, is counted by site and
//! locale.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::fault::StateFault;
use super::rows::parsed;
use super::tables::{EDITS, EDITS_OF, PEOPLE, PEOPLE_REVISIONS};
use super::{State, StateError};
use crate::model::{Locale, Moment, SegmentKey, SiteId};

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
    /// A person wants no words yet: readers get the source text, and no engine is asked.
    Rejected,
    /// Readers get the words, which nothing changes until a person unlocks them.
    Locked,
    /// The edits were undone; readers get what the file and the memory have.
    Withdrawn,
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
    pub const ALL: [Self; 6] = [
        Self::Approved,
        Self::Draft,
        Self::Untranslated,
        Self::Rejected,
        Self::Locked,
        Self::Withdrawn,
    ];

    /// True if readers get the words.
    pub fn has_readers_words(self) -> bool {
        matches!(self, Self::Approved | Self::Locked)
    }

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Draft => "draft",
            Self::Untranslated => "untranslated",
            Self::Rejected => "rejected",
            Self::Locked => "locked",
            Self::Withdrawn => "withdrawn",
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
    /// Fingerprint of the entry that the file of translations had then; `None` if it had none. It says nothing about a draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
    /// Beneath a draft: what a person decided before, which stands until the draft is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<StandingWords>,
}

/// Words of a person that stand beneath a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingWords {
    /// The words, in the notation; empty if there are none.
    pub text: String,
    /// Their state, which is not that of a draft.
    pub state: PersonState,
    /// Fingerprint of the file's entry when they were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
}

impl PersonRow {
    /// Fingerprint of the file's entry when a person decided what readers get.
    pub fn base_of_decision(&self) -> Option<u64> {
        match self.state {
            PersonState::Draft => self.stands.as_ref().and_then(|beneath| beneath.base),
            _ => self.base,
        }
    }

    /// True if readers get the same with both rows, and the same words wait.
    pub(super) fn has_words_of(&self, other: &Self) -> bool {
        (self.state, self.base) == (other.state, other.base)
            && (&self.text, &self.stands) == (&other.text, &other.stands)
    }

    /// The row with what stands beneath it, if it is a draft.
    #[must_use]
    pub fn above(self, before: Option<&Self>) -> Self {
        let stands = before.and_then(|before| match before.state {
            PersonState::Draft => before.stands.clone(),
            state => Some(StandingWords {
                text: before.text.clone(),
                state,
                base: before.base,
            }),
        });
        Self {
            stands: stands.filter(|_| self.state == PersonState::Draft),
            ..self
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
    /// The first revision of the edits that were made together; `None` for an edit of one text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Time of the edit that this one followed; `None` for the first one of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Moment>,
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

    /// People's words for a text, with the revision of its last edit.
    pub fn person(
        &self,
        site: &SiteId,
        locale: &Locale,
        key: SegmentKey,
    ) -> Result<Option<(u64, PersonRow)>, StateError> {
        self.read("read people's words from", |transaction| {
            person_in(&transaction.open_table(PEOPLE)?, site, locale, key)
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
            let mut found = edits_in(&numbers, &edits, site, locale, key)?;
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
}

/// People's words for a text, with the revision of its last edit.
pub(super) fn person_in(
    people: &impl ReadableTable<(&'static str, &'static str, &'static [u8; 16]), (u64, &'static [u8])>,
    site: &SiteId,
    locale: &Locale,
    key: SegmentKey,
) -> Result<Option<(u64, PersonRow)>, StateFault> {
    let row = people.get((site.as_str(), locale.as_str(), key.as_bytes()))?;
    let Some(row) = row else {
        return Ok(None);
    };
    let (revision, row) = row.value();
    Ok(Some((
        revision,
        parsed(row, || name_of(site, locale, key))?,
    )))
}

/// Edits of a text in their order, each with its revision.
pub(super) fn edits_in(
    numbers: &impl ReadableTable<(&'static str, &'static str, &'static [u8; 16], u64), ()>,
    edits: &impl ReadableTable<(&'static str, &'static str, u64), &'static [u8]>,
    site: &SiteId,
    locale: &Locale,
    key: SegmentKey,
) -> Result<Vec<(u64, EditRecord)>, StateFault> {
    let mut found = Vec::new();
    for row in numbers.range(all_of(site, locale, key.as_bytes()))? {
        let revision = row?.0.value().3;
        if let Some(edit) = edits.get((site.as_str(), locale.as_str(), revision))? {
            let edit = parsed(edit.value(), || name_of(site, locale, key))?;
            found.push((revision, edit));
        }
    }
    Ok(found)
}

/// Keys of all edits of a text.
pub(super) fn all_of<'a>(
    site: &'a SiteId,
    locale: &'a Locale,
    key: &'a [u8; 16],
) -> RangeInclusive<(&'a str, &'a str, &'a [u8; 16], u64)> {
    (site.as_str(), locale.as_str(), key, 0)..=(site.as_str(), locale.as_str(), key, u64::MAX)
}

pub(super) fn name_of(site: &SiteId, locale: &Locale, key: SegmentKey) -> String {
    format!("people's words of {site} in {locale}, {key}")
}
