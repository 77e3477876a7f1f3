//! Edits of people go to the object store: soon after each, and when the server ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pipeline::model::{Locale, SiteId};
use pipeline::run;
use tokio::time::{MissedTickBehavior, interval};

use super::runs::Jobs;
use crate::public::sites::Sites;

/// Longest wait of an edit before it is written. Writes in a row become one file.
const WAIT: Duration = Duration::from_secs(20);

/// Writes edits of all sites again and again; never ends.
pub(crate) async fn keep(jobs: Arc<Jobs>, sites: Arc<Sites>) {
    let mut ticks = interval(WAIT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut troubles = BTreeMap::new();
    loop {
        ticks.tick().await;
        write_all(&jobs, &sites, &mut troubles).await;
    }
}

/// Writes edits of all sites that the object store lacks. `troubles` are those that the log has already.
pub(crate) async fn write_all(
    jobs: &Jobs,
    sites: &Sites,
    troubles: &mut BTreeMap<(SiteId, Locale), String>,
) {
    for (id, site) in sites.list().iter() {
        for locale in &site.config.locales {
            let place = (id.clone(), locale.clone());
            let Err(error) = run::write_edits(jobs.stores(), id, locale).await else {
                troubles.remove(&place);
                continue;
            };
            let trouble = error.to_string();
            if troubles.get(&place) != Some(&trouble) {
                tracing::warn!(
                    "{id}: edits of people in {locale} cannot be written to the store, it is tried again: {trouble}"
                );
                troubles.insert(place, trouble);
            }
        }
    }
}
