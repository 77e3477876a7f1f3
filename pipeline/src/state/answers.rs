//! What servers said of a site's pages and files, so that they can be asked whether anything changed; and whether sitemaps are
//! relied on in that.
//!
//! The rows are derived. Losing them costs time alone, so a row that nobody can read is no row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fault::StateFault;
use super::rows::{after, json, of_site, replace};
use super::tables::{ANSWERS, TRUST};
use super::{State, StateError};
use crate::model::{KnownAnswer, PagePath, SiteId, SitemapTrust};

/// An answer, and who asked.
#[derive(Serialize, Deserialize)]
struct AnswerRow {
    /// Fingerprint of how it was asked.
    asker: String,
    #[serde(flatten)]
    answer: KnownAnswer,
}

/// What is known of a site's sitemaps, and who asked.
#[derive(Serialize, Deserialize)]
struct TrustRow {
    /// Fingerprint of how it was asked.
    asker: String,
    #[serde(flatten)]
    trust: SitemapTrust,
}

impl State {
    /// What servers said to this asker.
    pub fn known_answers(
        &self,
        site: &SiteId,
        asker: &str,
    ) -> Result<BTreeMap<PagePath, KnownAnswer>, StateError> {
        self.read("read what servers said from", |transaction| {
            let table = transaction.open_table(ANSWERS)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = serde_json::from_slice::<AnswerRow>(value.value())
                    .ok()
                    .filter(|row| row.asker == asker);
                found.extend(
                    PagePath::parse(key.value().1)
                        .ok()
                        .zip(row.map(|row| row.answer)),
                );
            }
            Ok(found)
        })
    }

    /// What this asker knows of a site's sitemaps.
    pub fn sitemap_trust(&self, site: &SiteId, asker: &str) -> Result<SitemapTrust, StateError> {
        self.read("read what is known of sitemaps from", |transaction| {
            let table = transaction.open_table(TRUST)?;
            let row = table.get(site.as_str())?;
            let row = row.and_then(|row| serde_json::from_slice::<TrustRow>(row.value()).ok());
            Ok(row
                .filter(|row| row.asker == asker)
                .map(|row| row.trust)
                .unwrap_or_default())
        })
    }

    /// Keeps what servers said, and what that says of sitemaps, where anybody asks; what they said before and is not among it is
    /// forgotten. Nothing instead of answers: those that are kept stay.
    pub fn keep_known_answers(
        &self,
        site: &SiteId,
        asker: &str,
        answers: Option<&BTreeMap<PagePath, KnownAnswer>>,
        trust: Option<&SitemapTrust>,
    ) -> Result<(), StateError> {
        self.write("keep what servers said in", |transaction| {
            let mut table = transaction.open_table(TRUST)?;
            match trust {
                Some(trust) => {
                    let row = json(&TrustRow {
                        asker: asker.to_owned(),
                        trust: trust.clone(),
                    })?;
                    table.insert(site.as_str(), row.as_slice())?;
                }
                None => drop(table.remove(site.as_str())?),
            }
            let Some(answers) = answers else {
                return Ok(());
            };
            let row = |answer: &KnownAnswer| {
                json(&AnswerRow {
                    asker: asker.to_owned(),
                    answer: answer.clone(),
                })
            };
            let rows = answers
                .iter()
                .map(|(path, answer)| Ok((path.as_str(), row(answer)?)));
            replace(
                &mut transaction.open_table(ANSWERS)?,
                site,
                rows.collect::<Result<_, StateFault>>()?,
            )
        })
    }
}
