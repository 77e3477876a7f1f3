//! Answers of engines to parts of texts, from when they come until their locale is done.

use std::collections::HashMap;

use super::rows::{json, parsed};
use super::tables::PENDING;
use super::{State, StateError};
use crate::model::{Locale, SiteId};
use crate::translate::{AskKey, SavedAnswer};

const LOWEST: AskKey = [0; 16];
const HIGHEST: AskKey = [0xff; 16];

impl State {
    /// Keeps answers to parts of texts.
    pub fn keep_answers(
        &self,
        site: &SiteId,
        locale: &Locale,
        answers: &[(AskKey, SavedAnswer)],
    ) -> Result<(), StateError> {
        self.write("keep answers of engines in", |transaction| {
            let mut table = transaction.open_table(PENDING)?;
            for (key, answer) in answers {
                table.insert(
                    (site.as_str(), locale.as_str(), key),
                    json(answer)?.as_slice(),
                )?;
            }
            Ok(())
        })
    }

    /// The answers that a run left which did not come to its end.
    pub fn answers(
        &self,
        site: &SiteId,
        locale: &Locale,
    ) -> Result<HashMap<AskKey, SavedAnswer>, StateError> {
        self.read("read answers of engines from", |transaction| {
            let table = transaction.open_table(PENDING)?;
            let site = site.as_str();
            let locale = locale.as_str();
            let mut found = HashMap::new();
            for row in table.range((site, locale, &LOWEST)..=(site, locale, &HIGHEST))? {
                let (key, value) = row?;
                // One that cannot be read is asked for again.
                if let Ok(answer) =
                    parsed(value.value(), || format!("pending answer {site} {locale}"))
                {
                    found.insert(*key.value().2, answer);
                }
            }
            Ok(found)
        })
    }

    /// Forgets the answers to parts of texts in a locale.
    pub fn forget_answers(&self, site: &SiteId, locale: &Locale) -> Result<(), StateError> {
        self.write("forget answers of engines in", |transaction| {
            let mut table = transaction.open_table(PENDING)?;
            let site = site.as_str();
            let locale = locale.as_str();
            table.retain_in(
                (site, locale, &LOWEST)..=(site, locale, &HIGHEST),
                |_, _| false,
            )?;
            Ok(())
        })
    }
}
