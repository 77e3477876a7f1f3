//! Which locales are switched on or off, and by which run that reached the published pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::fault::StateFault;
use super::rows::{after, json, of_site, parsed};
use super::runs::join_or_add;
use super::tables::{RUNS, SWITCHES};
use super::{RunRecord, State, StateError};
use crate::model::{Locale, Moment, RunId, SiteId};
use crate::webhooks::{LocaleSwitched, WebhookEvent};

/// A locale's switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchRecord {
    /// Whether readers are to get the locale.
    pub enabled: bool,
    /// When it was last turned.
    pub updated: Moment,
    /// The run that brings every page in line with it.
    pub run: Option<RunId>,
}

impl State {
    /// Turns a locale's switch. `run` brings the published pages in line; it is ordered, or an equal one that waits is
    /// joined, in the same step. A switch that stands so already, with a run or without, is left as it is;
    /// of one that did not, the site's endpoints are told by `event`.
    pub fn turn_switch(
        &self,
        site: &SiteId,
        locale: &Locale,
        enabled: bool,
        run: Option<RunRecord>,
        event: Option<LocaleSwitched>,
        now: Moment,
    ) -> Result<SwitchRecord, StateError> {
        self.write("turn a switch in", |transaction| {
            let mut table = transaction.open_table(SWITCHES)?;
            let key = (site.as_str(), locale.as_str());
            let row = || format!("switch {site} {locale}");
            let old = table
                .get(key)?
                .map(|value| parsed::<SwitchRecord>(value.value(), row))
                .transpose()?;
            if let Some(old) = old.filter(|old| old.enabled == enabled && run.is_none()) {
                return Ok(old);
            }
            let is_news = old.is_none_or(|old| old.enabled != enabled);
            // A full queue holds a run that publishes this too.
            let run = match run {
                Some(run) => join_or_add(&mut transaction.open_table(RUNS)?, site, run)?
                    .map(|(run, _)| run.id),
                None => None,
            };
            let record = SwitchRecord {
                enabled,
                updated: now,
                run: run.or(old.and_then(|old| old.run)),
            };
            table.insert(key, json(&record)?.as_slice())?;
            let event = event
                .filter(|_| is_news)
                .map(WebhookEvent::LocaleServingChanged);
            self.outbox.tell(transaction, site, event.as_slice(), now)?;
            Ok(record)
        })
    }

    /// The switches of a site that somebody turned.
    pub fn switches(&self, site: &SiteId) -> Result<BTreeMap<Locale, SwitchRecord>, StateError> {
        self.read("read switches from", |transaction| {
            let table = transaction.open_table(SWITCHES)?;
            let mut found = BTreeMap::new();
            for row in table.range(of_site(site, &after(site)))? {
                let (key, value) = row?;
                let row = || format!("switch {site} {}", key.value().1);
                let locale =
                    Locale::parse(key.value().1).map_err(|error| StateFault::row(row(), error))?;
                found.insert(locale, parsed(value.value(), row)?);
            }
            Ok(found)
        })
    }
}
