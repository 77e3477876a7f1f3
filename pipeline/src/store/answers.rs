//! What servers said of a site's pages and files, so that they can be asked whether anything changed.
//!
//! The rows are derived. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::BTreeMap;

use redb::ReadableDatabase;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::rows::{after, json, of_site, replace};
use super::tables::ANSWERS;
use super::{State, StoreError};
use crate::model::{KnownAnswer, PagePath, SiteId};

/// An answer, and who asked.
#[derive(Serialize, Deserialize)]
struct AnswerRow {
    /// Signs for how it was asked.
    asker: String,
    #[serde(flatten)]
    answer: KnownAnswer,
}

impl State {
    /// What servers said to this asker.
    pub fn known_answers(&self, site: &SiteId, asker: &str) -> Result<BTreeMap<PagePath, KnownAnswer>, StoreError> {
        self.read("read what servers said from", |database| {
            let table = database.begin_read()?.open_table(ANSWERS)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = serde_json::from_slice::<AnswerRow>(value.value()).ok().filter(|row| row.asker == asker);
                found.extend(PagePath::parse(key.value().1).ok().zip(row.map(|row| row.answer)));
            }
            Ok(found)
        })
    }

    /// Keeps what servers said; what they said before and is not among it is forgotten.
    pub fn keep_known_answers(
        &self,
        site: &SiteId,
        asker: &str,
        answers: &BTreeMap<PagePath, KnownAnswer>,
    ) -> Result<(), StoreError> {
        self.write("keep what servers said in", |transaction| {
            let row = |answer: &KnownAnswer| json(&AnswerRow { asker: asker.to_owned(), answer: answer.clone() });
            let rows = answers.iter().map(|(path, answer)| Ok((path.as_str(), row(answer)?)));
            replace(&mut transaction.open_table(ANSWERS)?, site, rows.collect::<Result<_, Fault>>()?)
        })
    }
}
