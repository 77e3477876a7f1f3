//! Looking at what is served all the time.
//!
//! Each deployment's files are looked for, with their sizes, as soon as it is served; then a file every few seconds is
//! read, one after the other, so that in time each one is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pipeline::model::SiteId;
use pipeline::store::Published;
use tokio::time::{MissedTickBehavior, interval};

use super::{Closeness, Integrity};
use crate::public::served::Served;

/// How often it is looked whether there is a deployment that was not checked.
const LOOK: Duration = Duration::from_secs(1);
/// A file is read every so many looks.
const LOOKS_A_SAMPLE: usize = 15;

/// Checks what is served, without end.
pub(crate) async fn watch(served: Arc<Served>, integrity: Arc<Integrity>) {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut tried: BTreeMap<SiteId, u64> = BTreeMap::new();
    // Elsewhere after each start, so that the last files have their turn too.
    let began = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let mut number = usize::try_from(began).unwrap_or_default();
    for tick in 1_usize.. {
        ticks.tick().await;
        let snapshot = served.snapshot();
        let all: Vec<&Arc<Published>> = snapshot.published_sites().collect();
        for published in &all {
            let deployment = published.deployment();
            if tried.insert(published.site().clone(), deployment) == Some(deployment) {
                continue;
            }
            if let Err(error) = integrity
                .check(&served.objects, published, Closeness::Sizes)
                .await
            {
                tracing::warn!(
                    "deployment {deployment} of {} cannot be checked: {error}",
                    published.site()
                );
            }
        }
        if tick % LOOKS_A_SAMPLE == 0
            && let Some(published) = all.get(number % all.len().max(1))
        {
            integrity
                .sample(&served.objects, published, number / all.len())
                .await;
            number = number.wrapping_add(1);
        }
    }
}
