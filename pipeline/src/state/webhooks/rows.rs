//! The rows of webhooks: endpoints, what happened, and what is to be brought to whom.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::super::backend::{ReadableTable, WriteTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::{after, json, of_site, parsed};
use super::super::tables::{DELIVERIES, DUE, EVENTS, WEBHOOKS};
use crate::model::{Moment, SiteId};
use crate::webhooks::{
    AttemptError, DisabledBecause, EventType, MessageId, WebhookEvent, WebhookId, WebhookSecret,
};

type WebhooksTable<'t> = WriteTable<'t, (&'static str, &'static str), &'static [u8]>;
type Deliveries<'t> = WriteTable<'t, (&'static str, &'static str, u64), &'static [u8]>;
type Events<'t> = WriteTable<'t, (&'static str, u64), &'static [u8]>;

/// What the owner says of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSettings {
    /// Where messages go.
    pub url: String,
    /// What it is, for people.
    pub description: String,
    /// Event types to deliver; empty means all.
    pub events: BTreeSet<EventType>,
    /// Whether it is told of anything.
    pub enabled: bool,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookRecord {
    /// What the owner says.
    pub settings: WebhookSettings,
    /// What messages are signed with.
    pub secret: WebhookSecret,
    /// The secret before, and until when it signs too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former_secret: Option<(WebhookSecret, Moment)>,
    /// Why and since when it gets nothing although nobody switched it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// When it was added.
    pub created: Moment,
    /// When the owner last changed it.
    pub updated: Moment,
    /// When a message last arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_success: Option<Moment>,
    /// The first try that failed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Moment>,
    /// The last one that failed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Moment>,
}

/// That an endpoint gets nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why.
    pub because: DisabledBecause,
    /// Since when.
    pub at: Moment,
}

impl WebhookRecord {
    /// Whether messages are brought to it.
    pub fn is_on(&self) -> bool {
        self.settings.enabled && self.stopped.is_none()
    }

    /// What messages of now are signed with.
    pub fn secrets(&self, now: Moment) -> Vec<WebhookSecret> {
        let former = self
            .former_secret
            .iter()
            .filter(|(_, until)| *until > now)
            .map(|(secret, _)| secret);
        std::iter::once(&self.secret)
            .chain(former)
            .cloned()
            .collect()
    }

    pub(super) fn wants(&self, event: EventType) -> bool {
        self.settings.events.is_empty() || self.settings.events.contains(&event)
    }
}

/// Something that happened, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EventRecord {
    pub(super) id: MessageId,
    #[serde(rename = "type")]
    pub(super) kind: EventType,
    pub(super) sequence: u64,
    pub(super) at: Moment,
    pub(super) body: String,
}

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// It is tried, or tried again.
    Waiting,
    /// It arrived.
    Delivered,
    /// It was tried as often as it may be.
    Failed,
    /// Its endpoint was switched off.
    Held,
}

/// A message for an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// The message.
    pub id: MessageId,
    /// What it tells of.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The number of what it tells of.
    pub sequence: u64,
    /// When that happened.
    pub at: Moment,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Tries since it was last put among those that are to be brought.
    pub tries: u32,
    /// When it is tried next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Moment>,
    /// The last tries, oldest first.
    pub attempts: Vec<AttemptRecord>,
    /// The beginning of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// A try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// When.
    pub at: Moment,
    /// The status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// A delivery that is to be tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// The site.
    pub site: SiteId,
    /// The endpoint.
    pub webhook: WebhookId,
    /// The place of what it tells of, among the site's.
    pub ordinal: u64,
}

impl DeliveryRecord {
    pub(super) fn new(event: &EventRecord, next: Option<Moment>) -> Self {
        let status = if next.is_some() {
            DeliveryStatus::Waiting
        } else {
            DeliveryStatus::Held
        };
        let EventRecord {
            id,
            kind,
            sequence,
            at,
            ..
        } = *event;
        Self {
            id,
            kind,
            sequence,
            at,
            status,
            tries: 0,
            next,
            attempts: Vec::new(),
            answer: None,
        }
    }
}

impl EventRecord {
    pub(super) fn new(
        event: &WebhookEvent,
        site: &SiteId,
        sequence: u64,
        at: Moment,
    ) -> Result<Self, StateFault> {
        let body = event
            .body(site, sequence, at)
            .map_err(|error| StateFault::row("a new event".to_owned(), error))?;
        Ok(Self {
            id: MessageId::new(),
            kind: event.kind(),
            sequence,
            at,
            body,
        })
    }
}

/// What happened, by its place among a site's.
pub(super) fn event(
    table: &impl ReadableTable<(&'static str, u64), &'static [u8]>,
    site: &SiteId,
    ordinal: u64,
) -> Result<Option<EventRecord>, StateFault> {
    let value = table.get((site.as_str(), ordinal))?;
    value
        .map(|value| parsed(value.value(), || format!("event {site} {ordinal}")))
        .transpose()
}

/// Forgets the endpoints of a site, and all that happened to it.
pub(in crate::state) fn forget_all(
    transaction: &WriteTransaction,
    site: &SiteId,
) -> Result<(), StateFault> {
    let after = after(site);
    let of = site.as_str();
    transaction
        .open_table(WEBHOOKS)?
        .retain_in(of_site(site, &after), |_, _| false)?;
    transaction
        .open_table(EVENTS)?
        .retain_in((of, 0)..(after.as_str(), 0), |_, _| false)?;
    transaction
        .open_table(DELIVERIES)?
        .retain_in((of, "", 0)..(after.as_str(), "", 0), |_, _| false)?;
    transaction
        .open_table(DUE)?
        .retain(|(_, other, _, _), ()| other != of)?;
    Ok(())
}

/// The rows of deliveries of an endpoint.
pub(super) fn of_webhook<'a>(
    site: &'a SiteId,
    id: &'a str,
) -> std::ops::RangeInclusive<(&'a str, &'a str, u64)> {
    (site.as_str(), id, 0)..=(site.as_str(), id, u64::MAX)
}

pub(super) fn key<'a>(site: &'a SiteId, id: &'a str) -> (&'a str, &'a str) {
    (site.as_str(), id)
}

fn row_of_webhook(site: &SiteId, id: &str) -> String {
    format!("webhook {site} {id}")
}

pub(super) fn webhooks_of(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
) -> Result<Vec<(WebhookId, WebhookRecord)>, StateFault> {
    let mut found = Vec::new();
    for entry in table.range(of_site(site, &after(site)))? {
        let (key, value) = entry?;
        let text = key.value().1;
        let id = WebhookId::parse(text)
            .ok_or_else(|| StateFault::row(row_of_webhook(site, text), "its name is none"))?;
        found.push((id, parsed(value.value(), || row_of_webhook(site, text))?));
    }
    Ok(found)
}

pub(super) fn webhook(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    site: &SiteId,
    id: WebhookId,
) -> Result<Option<WebhookRecord>, StateFault> {
    let id = id.to_string();
    let value = table.get(key(site, &id))?;
    value
        .map(|value| parsed(value.value(), || row_of_webhook(site, &id)))
        .transpose()
}

pub(super) fn put_webhook(
    table: &mut WebhooksTable<'_>,
    site: &SiteId,
    id: WebhookId,
    record: &WebhookRecord,
) -> Result<(), StateFault> {
    table.insert(key(site, &id.to_string()), json(record)?.as_slice())?;
    Ok(())
}

/// Holds back what waits for an endpoint that was switched off.
pub(super) fn hold(
    transaction: &WriteTransaction,
    site: &SiteId,
    id: WebhookId,
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(DELIVERIES)?;
    for (ordinal, mut delivery) in deliveries_of(&table, site, id)? {
        if delivery.next.is_some() {
            not_due(
                transaction,
                &Due {
                    site: site.clone(),
                    webhook: id,
                    ordinal,
                },
                &delivery,
            )?;
            (delivery.status, delivery.next) = (DeliveryStatus::Held, None);
            put_delivery(&mut table, site, id, ordinal, &delivery)?;
        }
    }
    Ok(())
}

/// Forgets the events of a site up to one, with all that was to be brought of them.
pub(super) fn forget(
    transaction: &WriteTransaction,
    events: &mut Events<'_>,
    site: &SiteId,
    oldest: u64,
) -> Result<(), StateFault> {
    events.retain_in((site.as_str(), 0)..=(site.as_str(), oldest), |_, _| false)?;
    let webhooks = webhooks_of(&transaction.open_table(WEBHOOKS)?, site)?;
    let mut table = transaction.open_table(DELIVERIES)?;
    for (id, _) in webhooks {
        let id_text = id.to_string();
        let mut old = Vec::new();
        for entry in table.range(
            (site.as_str(), id_text.as_str(), 0)..=(site.as_str(), id_text.as_str(), oldest),
        )? {
            let (key, value) = entry?;
            let ordinal = key.value().2;
            old.push((
                ordinal,
                parsed::<DeliveryRecord>(value.value(), || {
                    row_of_delivery(site, &id_text, ordinal)
                })?,
            ));
        }
        for (ordinal, delivery) in old {
            not_due(
                transaction,
                &Due {
                    site: site.clone(),
                    webhook: id,
                    ordinal,
                },
                &delivery,
            )?;
            table.remove((site.as_str(), id_text.as_str(), ordinal))?;
        }
    }
    Ok(())
}

/// Takes a delivery from those that are to be tried.
pub(super) fn not_due(
    transaction: &WriteTransaction,
    due: &Due,
    delivery: &DeliveryRecord,
) -> Result<(), StateFault> {
    if let Some(next) = delivery.next {
        let id = due.webhook.to_string();
        transaction.open_table(DUE)?.remove((
            next.millis(),
            due.site.as_str(),
            id.as_str(),
            due.ordinal,
        ))?;
    }
    Ok(())
}

fn row_of_delivery(site: &SiteId, id: &str, ordinal: u64) -> String {
    format!("delivery {site} {id} {ordinal}")
}

/// The deliveries of an endpoint, oldest first.
pub(super) fn deliveries_of(
    table: &impl ReadableTable<(&'static str, &'static str, u64), &'static [u8]>,
    site: &SiteId,
    id: WebhookId,
) -> Result<Vec<(u64, DeliveryRecord)>, StateFault> {
    let id = id.to_string();
    let mut found = Vec::new();
    for entry in table.range(of_webhook(site, &id))? {
        let (key, value) = entry?;
        let ordinal = key.value().2;
        found.push((
            ordinal,
            parsed(value.value(), || row_of_delivery(site, &id, ordinal))?,
        ));
    }
    Ok(found)
}

pub(super) fn delivery(
    table: &impl ReadableTable<(&'static str, &'static str, u64), &'static [u8]>,
    site: &SiteId,
    id: WebhookId,
    ordinal: u64,
) -> Result<Option<DeliveryRecord>, StateFault> {
    let id = id.to_string();
    let value = table.get((site.as_str(), id.as_str(), ordinal))?;
    value
        .map(|value| parsed(value.value(), || row_of_delivery(site, &id, ordinal)))
        .transpose()
}

pub(super) fn put_delivery(
    table: &mut Deliveries<'_>,
    site: &SiteId,
    id: WebhookId,
    ordinal: u64,
    record: &DeliveryRecord,
) -> Result<(), StateFault> {
    table.insert(
        (site.as_str(), id.to_string().as_str(), ordinal),
        json(record)?.as_slice(),
    )?;
    Ok(())
}
