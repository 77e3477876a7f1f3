//! Endpoints: added, changed, switched on and off, removed.

use std::time::Duration;

use super::super::tables::{DELIVERIES, DUE, WEBHOOKS};
use super::super::{State, StateError};
use super::rows::{
    WebhookRecord, WebhookSettings, hold, key, of_webhook, put_webhook, webhook, webhooks_of,
};
use crate::model::{Moment, SiteId};
use crate::webhooks::{WebhookId, WebhookSecret};

/// Endpoints of a site.
const MOST: usize = 10;
/// How long a secret that was replaced signs too.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

impl State {
    /// Adds an endpoint; nothing where a site has ten.
    pub fn add_webhook(
        &self,
        site: &SiteId,
        settings: WebhookSettings,
        now: Moment,
    ) -> Result<Option<(WebhookId, WebhookRecord)>, StateError> {
        self.write("add a webhook to", |transaction| {
            let mut table = transaction.open_table(WEBHOOKS)?;
            if webhooks_of(&table, site)?.len() >= MOST {
                return Ok(None);
            }
            let id = WebhookId::new();
            let secret = WebhookSecret::new();
            let record = WebhookRecord {
                settings: settings.clone(),
                secret,
                former_secret: None,
                stopped: None,
                created: now,
                updated: now,
                last_success: None,
                failing_since: None,
                last_failure: None,
            };
            put_webhook(&mut table, site, id, &record)?;
            Ok(Some((id, record)))
        })
    }

    /// The endpoints of a site, in the order in which they were added.
    pub fn webhooks(&self, site: &SiteId) -> Result<Vec<(WebhookId, WebhookRecord)>, StateError> {
        self.read("read webhooks from", |transaction| {
            webhooks_of(&transaction.open_table(WEBHOOKS)?, site)
        })
    }

    /// An endpoint of a site.
    pub fn webhook(
        &self,
        site: &SiteId,
        id: WebhookId,
    ) -> Result<Option<WebhookRecord>, StateError> {
        self.read("read a webhook from", |transaction| {
            webhook(&transaction.open_table(WEBHOOKS)?, site, id)
        })
    }

    /// Replaces what the owner says of an endpoint. One that is switched on begins with a clean sheet; what was not brought to
    /// it until then stays where it is.
    pub fn change_webhook(
        &self,
        site: &SiteId,
        id: WebhookId,
        settings: &WebhookSettings,
        now: Moment,
    ) -> Result<Option<WebhookRecord>, StateError> {
        self.change(site, id, |record| {
            record.settings = settings.clone();
            record.updated = now;
            if settings.enabled {
                (record.stopped, record.failing_since, record.last_failure) = (None, None, None);
            }
        })
    }

    /// Gives an endpoint another secret; the one before signs too for a day.
    pub fn rotate_secret(
        &self,
        site: &SiteId,
        id: WebhookId,
        now: Moment,
    ) -> Result<Option<WebhookRecord>, StateError> {
        self.change(site, id, |record| {
            let former = std::mem::replace(&mut record.secret, WebhookSecret::new());
            record.former_secret = Some((former, now + OVERLAP));
            record.updated = now;
        })
    }

    fn change(
        &self,
        site: &SiteId,
        id: WebhookId,
        change: impl FnOnce(&mut WebhookRecord),
    ) -> Result<Option<WebhookRecord>, StateError> {
        self.write("change a webhook in", |transaction| {
            let mut table = transaction.open_table(WEBHOOKS)?;
            let Some(mut record) = webhook(&table, site, id)? else {
                return Ok(None);
            };
            change(&mut record);
            put_webhook(&mut table, site, id, &record)?;
            drop(table);
            if !record.is_on() {
                hold(transaction, site, id)?;
            }
            Ok(Some(record))
        })
    }

    /// Removes an endpoint with all that was to be brought to it; says whether there was one.
    pub fn remove_webhook(&self, site: &SiteId, id: WebhookId) -> Result<bool, StateError> {
        self.write("remove a webhook from", |transaction| {
            let was_there = transaction
                .open_table(WEBHOOKS)?
                .take(key(site, &id.to_string()))?
                .is_some();
            let id = id.to_string();
            transaction
                .open_table(DELIVERIES)?
                .retain_in(of_webhook(site, &id), |_, _| false)?;
            transaction
                .open_table(DUE)?
                .retain(|(_, of, webhook, _), ()| of != site.as_str() || webhook != id)?;
            Ok(was_there)
        })
    }
}
