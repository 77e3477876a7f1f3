//! Writing down what happened, in the transaction that makes it so.

use super::super::backend::{ReadableTable, WriteTransaction};
use super::super::commit_signal::Outbox;
use super::super::fault::StateFault;
use super::super::rows::json;
use super::super::tables::{COUNTERS, DELIVERIES, DUE, EVENTS, TOLD, WEBHOOKS};
use super::super::{State, StateError};
use super::rows::{DeliveryRecord, EventRecord, forget, put_delivery, webhook, webhooks_of};
use crate::model::{Moment, SiteId};
use crate::webhooks::{WebhookEvent, WebhookId};

/// Deliveries of an endpoint that are kept, and what they tell of.
const KEPT: u64 = 1_000;

impl State {
    /// Waits until something was written down that is to be sent.
    pub async fn webhook_news(&self) {
        self.outbox.signal.wait().await;
    }

    /// Writes down that something happened, for the endpoints of a site that want to know.
    pub fn tell(
        &self,
        site: &SiteId,
        events: &[WebhookEvent],
        now: Moment,
    ) -> Result<(), StateError> {
        self.write("write down an event in", |transaction| {
            self.outbox.tell(transaction, site, events, now)
        })
    }

    /// Writes down which deployments of a site readers got, by number, unless that was done before; `newest` is the one that
    /// they get now. What was there before anybody kept account is not news.
    pub fn tell_deployments(
        &self,
        site: &SiteId,
        deployed: Vec<(u64, WebhookEvent)>,
        newest: u64,
        now: Moment,
    ) -> Result<(), StateError> {
        self.write("write down a deployment in", |transaction| {
            let mut table = transaction.open_table(TOLD)?;
            let told = table.get(site.as_str())?.map(|told| told.value());
            let is_news = |number: u64| told.is_some_and(|told| number > told);
            let news: Vec<_> = deployed
                .into_iter()
                .filter(|(number, _)| is_news(*number))
                .collect();
            if told.is_none_or(|told| newest > told) {
                table.insert(site.as_str(), newest)?;
            }
            let events: Vec<_> = news.into_iter().map(|(_, event)| event).collect();
            self.outbox.tell(transaction, site, &events, now)
        })
    }

    /// The last deployment of a site that was written down; nothing where nobody kept account.
    pub fn told_deployment(&self, site: &SiteId) -> Result<Option<u64>, StateError> {
        self.read("read the last deployment from", |transaction| {
            let table = transaction.open_table(TOLD)?;
            Ok(table.get(site.as_str())?.map(|told| told.value()))
        })
    }

    /// Writes down a message for one endpoint alone, which nobody sends by itself; gives its place.
    pub fn tell_one(
        &self,
        site: &SiteId,
        id: WebhookId,
        event: &WebhookEvent,
        now: Moment,
    ) -> Result<Option<u64>, StateError> {
        self.write("write down a test in", |transaction| {
            if webhook(&transaction.open_table(WEBHOOKS)?, site, id)?.is_none() {
                return Ok(None);
            }
            let (ordinal, sequence) = counted(transaction, site, 0)?;
            let record = EventRecord::new(event, site, sequence, now)?;
            keep(transaction, site, ordinal, &record)?;
            let delivery = DeliveryRecord::new(&record, None);
            put_delivery(
                &mut transaction.open_table(DELIVERIES)?,
                site,
                id,
                ordinal,
                &delivery,
            )?;
            Ok(Some(ordinal))
        })
    }
}

impl Outbox {
    /// Writes down what happened to a site, and for each endpoint that wants to know that it is to be told. A site without
    /// endpoints has nobody to tell.
    pub(in crate::state) fn tell(
        &self,
        transaction: &WriteTransaction,
        site: &SiteId,
        events: &[WebhookEvent],
        now: Moment,
    ) -> Result<(), StateFault> {
        if events.is_empty() {
            return Ok(());
        }
        let endpoints = webhooks_of(&transaction.open_table(WEBHOOKS)?, site)?;
        if endpoints.is_empty() {
            return Ok(());
        }
        for event in events {
            let (ordinal, sequence) = counted(transaction, site, 1)?;
            let record = EventRecord::new(event, site, sequence, now)?;
            keep(transaction, site, ordinal, &record)?;
            let mut deliveries = transaction.open_table(DELIVERIES)?;
            let mut due = transaction.open_table(DUE)?;
            for (id, endpoint) in endpoints
                .iter()
                .filter(|(_, endpoint)| endpoint.wants(event.kind()))
            {
                // Whoever is switched off may want to have it later.
                let next = endpoint.is_on().then_some(now);
                put_delivery(
                    &mut deliveries,
                    site,
                    *id,
                    ordinal,
                    &DeliveryRecord::new(&record, next),
                )?;
                if let Some(next) = next {
                    due.insert(
                        (
                            next.millis(),
                            site.as_str(),
                            id.to_string().as_str(),
                            ordinal,
                        ),
                        (),
                    )?;
                    self.signal.note();
                }
            }
        }
        Ok(())
    }
}

/// The place of something new among all that a site's endpoints are told, and its sequence, which is `step` further.
fn counted(
    transaction: &WriteTransaction,
    site: &SiteId,
    step: u64,
) -> Result<(u64, u64), StateFault> {
    let mut table = transaction.open_table(COUNTERS)?;
    let (ordinal, sequence) = table
        .get(site.as_str())?
        .map_or((0, 0), |counters| counters.value());
    let now = (ordinal + 1, sequence + step);
    table.insert(site.as_str(), now)?;
    Ok(now)
}

/// Keeps an event, and forgets those before the last thousand with all that was to be brought of them.
fn keep(
    transaction: &WriteTransaction,
    site: &SiteId,
    ordinal: u64,
    record: &EventRecord,
) -> Result<(), StateFault> {
    let mut events = transaction.open_table(EVENTS)?;
    events.insert((site.as_str(), ordinal), json(record)?.as_slice())?;
    if let Some(oldest) = ordinal.checked_sub(KEPT) {
        forget(transaction, &mut events, site, oldest)?;
    }
    Ok(())
}
