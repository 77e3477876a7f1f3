//! Deliveries: what is to be brought to which endpoint, when, and how each try went.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::backend::{ReadableTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::parsed;
use super::super::tables::{DELIVERIES, DUE, EVENTS, WEBHOOKS};
use super::super::{State, StateError};
use super::rows::{
    AttemptRecord, DeliveryRecord, DeliveryStatus, Due, EventRecord, Stopped, WebhookRecord,
    deliveries_of, delivery, event, forget, hold, not_due, put_delivery, put_webhook, webhook,
};
use crate::model::{Moment, SiteId};
use crate::webhooks::{
    DeliveryAttempt, DisabledBecause, EventType, MessageId, WebhookDisabled, WebhookEvent,
    WebhookId, WebhookMessage, pause,
};

/// Tries that are remembered of a delivery.
const MOST_ATTEMPTS: usize = 20;
/// How long an endpoint may fail without any success before nothing is brought to it any more.
const PATIENCE: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// The longest time between two tries of one message, with some to spare: 24 hours and a tenth.
const LONGEST_QUIET: Duration = Duration::from_secs(27 * 60 * 60);
/// How long deliveries are kept.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many deliveries are tried at the same time, so that endpoints which hang keep nobody else waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliverySlots {
    /// In all.
    pub all: usize,
    /// Of one site.
    pub of_site: usize,
    /// Of one endpoint.
    pub of_endpoint: usize,
    /// Of all endpoints whose last try failed.
    pub of_failing: usize,
}

/// The places that are taken.
#[derive(Debug, Default)]
struct TakenSlots {
    places: DeliverySlots,
    all: usize,
    failing: usize,
    of_site: BTreeMap<SiteId, usize>,
    of_endpoint: BTreeMap<(SiteId, WebhookId), usize>,
}

impl TakenSlots {
    /// Takes a place, if there is one.
    fn take(&mut self, due: &Due, is_failing: bool) -> bool {
        let of_site = self.of_site.entry(due.site.clone()).or_default();
        let of_endpoint = self
            .of_endpoint
            .entry((due.site.clone(), due.webhook))
            .or_default();
        let is_full = self.all >= self.places.all
            || *of_site >= self.places.of_site
            || *of_endpoint >= self.places.of_endpoint
            || is_failing && self.failing >= self.places.of_failing;
        if is_full {
            return false;
        }
        *of_site += 1;
        *of_endpoint += 1;
        self.all += 1;
        self.failing += usize::from(is_failing);
        true
    }
}

fn is_failing(
    webhooks: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    due: &Due,
) -> Result<bool, StateFault> {
    Ok(webhook(webhooks, &due.site, due.webhook)?
        .is_some_and(|known| known.failing_since.is_some()))
}

/// What a try led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedDelivery {
    /// The delivery as it stands now.
    pub delivery: DeliveryRecord,
    /// Why nothing is brought to its endpoint any more, if that was the try that decided it.
    pub stopped: Option<DisabledBecause>,
}

impl DeliveryRecord {
    /// Takes note of a try; one of a delivery that nobody tries by itself is its last.
    fn tried(&mut self, attempt: &DeliveryAttempt, is_on: bool, now: Moment) {
        let status = attempt.outcome.ok();
        let error = attempt.outcome.err();
        let millis = u64::try_from(attempt.took.as_millis()).unwrap_or(u64::MAX);
        self.attempts.push(AttemptRecord {
            at: now,
            status,
            error,
            millis,
        });
        self.attempts
            .drain(..self.attempts.len().saturating_sub(MOST_ATTEMPTS));
        self.answer.clone_from(&attempt.answer);
        self.tries += 1;
        let again = || pause(self.tries, &self.id.to_string(), attempt.retry_after);
        let is_test = self.kind == EventType::WebhookTest;
        (self.status, self.next) = match again() {
            _ if attempt.succeeded() => (DeliveryStatus::Delivered, None),
            _ if is_test => (DeliveryStatus::Failed, None),
            Some(_) if !is_on => (DeliveryStatus::Held, None),
            Some(pause) => (DeliveryStatus::Waiting, Some(now + pause)),
            None => (DeliveryStatus::Failed, None),
        };
    }
}

impl State {
    /// Deliveries that are to be tried now beside those that are `tried` already, longest overdue first, and when the next
    /// one is; nothing where more is due than there are places.
    pub fn due_deliveries(
        &self,
        now: Moment,
        places: DeliverySlots,
        tried: &BTreeSet<Due>,
    ) -> Result<(Vec<Due>, Option<Moment>), StateError> {
        self.read("read deliveries from", |transaction| {
            let table = transaction.open_table(DUE)?;
            let webhooks = transaction.open_table(WEBHOOKS)?;
            let mut taken = TakenSlots {
                places,
                ..TakenSlots::default()
            };
            for due in tried {
                taken.take(due, is_failing(&webhooks, due)?);
            }
            let mut found = Vec::new();
            for entry in table.iter()? {
                let (key, _) = entry?;
                let (at, site, webhook, ordinal) = key.value();
                let at = Moment::of_millis(at);
                if at > now {
                    return Ok((found, Some(at)));
                }
                let (Ok(site), Some(webhook)) = (SiteId::parse(site), WebhookId::parse(webhook))
                else {
                    continue;
                };
                let due = Due {
                    site,
                    webhook,
                    ordinal,
                };
                if taken.all >= places.all {
                    return Ok((found, None));
                }
                if !tried.contains(&due) && taken.take(&due, is_failing(&webhooks, &due)?) {
                    found.push(due);
                }
            }
            Ok((found, None))
        })
    }

    /// Brings near what waits for a time that is too far away: that of a clock that was wrong. Gives how much that is.
    pub fn recover_deliveries(&self, now: Moment) -> Result<usize, StateError> {
        self.write("recover deliveries in", |transaction| {
            let mut far = Vec::new();
            for entry in transaction
                .open_table(DUE)?
                .range(((now + 2 * LONGEST_QUIET).millis(), "", "", 0)..)?
            {
                let (key, _) = entry?;
                let (_, site, webhook, ordinal) = key.value();
                if let (Ok(site), Some(webhook)) = (SiteId::parse(site), WebhookId::parse(webhook))
                {
                    far.push(Due {
                        site,
                        webhook,
                        ordinal,
                    });
                }
            }
            for due in &far {
                let known = delivery(
                    &transaction.open_table(DELIVERIES)?,
                    &due.site,
                    due.webhook,
                    due.ordinal,
                )?;
                let Some(mut known) = known else { continue };
                not_due(transaction, due, &known)?;
                known.next = Some(now);
                put_delivery(
                    &mut transaction.open_table(DELIVERIES)?,
                    &due.site,
                    due.webhook,
                    due.ordinal,
                    &known,
                )?;
                let id = due.webhook.to_string();
                transaction.open_table(DUE)?.insert(
                    (now.millis(), due.site.as_str(), id.as_str(), due.ordinal),
                    (),
                )?;
            }
            Ok(far.len())
        })
    }

    /// What is to be sent of a delivery; nothing where it or its endpoint is gone.
    pub fn message(&self, due: &Due, now: Moment) -> Result<Option<WebhookMessage>, StateError> {
        self.read("read a delivery from", |transaction| {
            let endpoint = webhook(&transaction.open_table(WEBHOOKS)?, &due.site, due.webhook)?;
            let event = event(&transaction.open_table(EVENTS)?, &due.site, due.ordinal)?;
            let (Some(endpoint), Some(event)) = (endpoint, event) else {
                return Ok(None);
            };
            let secrets = endpoint.secrets(now);
            Ok(Some(WebhookMessage {
                url: endpoint.settings.url,
                id: event.id,
                body: event.body,
                secrets,
            }))
        })
    }

    /// Takes note of a try; nothing where the delivery is gone. An endpoint that says that it is gone, or that has failed for
    /// too long, gets nothing any more, and the other ones of the site are told.
    pub fn record_attempt(
        &self,
        due: &Due,
        attempt: &DeliveryAttempt,
        now: Moment,
    ) -> Result<Option<EndedDelivery>, StateError> {
        self.write("write down a delivery in", |transaction| {
            let mut table = transaction.open_table(DELIVERIES)?;
            let mut webhooks = transaction.open_table(WEBHOOKS)?;
            let delivery = delivery(&table, &due.site, due.webhook, due.ordinal)?;
            let endpoint = webhook(&webhooks, &due.site, due.webhook)?;
            let (Some(mut delivery), Some(mut endpoint)) = (delivery, endpoint) else {
                return Ok(None);
            };
            not_due(transaction, due, &delivery)?;
            let stopped = endpoint.tried(attempt, now);
            delivery.tried(attempt, endpoint.is_on(), now);
            put_delivery(&mut table, &due.site, due.webhook, due.ordinal, &delivery)?;
            put_webhook(&mut webhooks, &due.site, due.webhook, &endpoint)?;
            if let Some(next) = delivery.next {
                let id = due.webhook.to_string();
                transaction.open_table(DUE)?.insert(
                    (next.millis(), due.site.as_str(), id.as_str(), due.ordinal),
                    (),
                )?;
            }
            drop((table, webhooks));
            if let Some(reason) = stopped {
                hold(transaction, &due.site, due.webhook)?;
                let event = WebhookDisabled {
                    webhook_id: due.webhook.to_string(),
                    reason,
                };
                self.outbox.tell(
                    transaction,
                    &due.site,
                    &[WebhookEvent::WebhookDisabled(event)],
                    now,
                )?;
                self.mail_of_webhook(transaction, &due.site, &endpoint.settings.url, reason, now)?;
            }
            Ok(Some(EndedDelivery { delivery, stopped }))
        })
    }

    /// The deliveries of an endpoint with what each says, newest first.
    pub fn deliveries(
        &self,
        site: &SiteId,
        id: WebhookId,
    ) -> Result<Vec<(DeliveryRecord, String)>, StateError> {
        self.read("read deliveries from", |transaction| {
            let table = transaction.open_table(DELIVERIES)?;
            let events = transaction.open_table(EVENTS)?;
            let mut found = Vec::new();
            for (ordinal, delivery) in deliveries_of(&table, site, id)?.into_iter().rev() {
                let body = event(&events, site, ordinal)?
                    .map(|event| event.body)
                    .unwrap_or_default();
                found.push((delivery, body));
            }
            Ok(found)
        })
    }

    /// Where a message for an endpoint stands among all that is to be brought.
    pub fn find_delivery(
        &self,
        site: &SiteId,
        id: WebhookId,
        message: MessageId,
    ) -> Result<Option<Due>, StateError> {
        self.read("read a delivery from", |transaction| {
            let table = transaction.open_table(DELIVERIES)?;
            let found = deliveries_of(&table, site, id)?
                .into_iter()
                .find(|(_, delivery)| delivery.id == message);
            Ok(found.map(|(ordinal, _)| Due {
                site: site.clone(),
                webhook: id,
                ordinal,
            }))
        })
    }

    /// Has a message brought once more, from the first try on; gives it as it stands now. To an endpoint that is off nothing is
    /// brought.
    pub fn redeliver(&self, due: &Due, now: Moment) -> Result<Option<DeliveryRecord>, StateError> {
        self.write("put a delivery back in", |transaction| {
            let delivery = delivery(
                &transaction.open_table(DELIVERIES)?,
                &due.site,
                due.webhook,
                due.ordinal,
            )?;
            let Some(delivery) = delivery else {
                return Ok(None);
            };
            self.put_back(transaction, due, delivery, now).map(Some)
        })
    }

    /// Has everything brought once more that did not arrive and that happened since a time; gives how much that is.
    pub fn redeliver_since(
        &self,
        site: &SiteId,
        id: WebhookId,
        since: Moment,
        now: Moment,
    ) -> Result<usize, StateError> {
        self.write("put deliveries back in", |transaction| {
            let all = deliveries_of(&transaction.open_table(DELIVERIES)?, site, id)?;
            let lost = all
                .into_iter()
                .filter(|(_, delivery)| delivery.is_lost() && delivery.at >= since);
            let mut count = 0;
            for (ordinal, delivery) in lost {
                self.put_back(
                    transaction,
                    &Due {
                        site: site.clone(),
                        webhook: id,
                        ordinal,
                    },
                    delivery,
                    now,
                )?;
                count += 1;
            }
            Ok(count)
        })
    }

    fn put_back(
        &self,
        transaction: &WriteTransaction,
        due: &Due,
        mut delivery: DeliveryRecord,
        now: Moment,
    ) -> Result<DeliveryRecord, StateFault> {
        not_due(transaction, due, &delivery)?;
        let is_on = webhook(&transaction.open_table(WEBHOOKS)?, &due.site, due.webhook)?
            .is_some_and(|known| known.is_on());
        if !is_on {
            return Ok(delivery);
        }
        (delivery.status, delivery.tries, delivery.next) = (DeliveryStatus::Waiting, 0, Some(now));
        put_delivery(
            &mut transaction.open_table(DELIVERIES)?,
            &due.site,
            due.webhook,
            due.ordinal,
            &delivery,
        )?;
        let id = due.webhook.to_string();
        transaction.open_table(DUE)?.insert(
            (now.millis(), due.site.as_str(), id.as_str(), due.ordinal),
            (),
        )?;
        self.outbox.signal.note();
        Ok(delivery)
    }

    /// Forgets what happened more than thirty days ago, with all that was to be brought of it.
    pub fn sweep_webhooks(&self, site: &SiteId, now: Moment) -> Result<(), StateError> {
        self.write("sweep webhooks in", |transaction| {
            let mut events = transaction.open_table(EVENTS)?;
            let mut oldest = 0;
            for entry in events.range((site.as_str(), 0)..=(site.as_str(), u64::MAX))? {
                let (key, value) = entry?;
                let ordinal = key.value().1;
                let event: EventRecord =
                    parsed(value.value(), || format!("event {site} {ordinal}"))?;
                if event.at + REMEMBERED > now {
                    break;
                }
                oldest = ordinal;
            }
            if oldest > 0 {
                forget(transaction, &mut events, site, oldest)
            } else {
                Ok(())
            }
        })
    }
}

impl DeliveryRecord {
    fn is_lost(&self) -> bool {
        matches!(self.status, DeliveryStatus::Failed | DeliveryStatus::Held)
            && self.kind != EventType::WebhookTest
    }
}

impl WebhookRecord {
    /// Takes note of a try; says why nothing is brought there any more, where that is so from now on.
    fn tried(&mut self, attempt: &DeliveryAttempt, now: Moment) -> Option<DisabledBecause> {
        if attempt.succeeded() {
            (self.last_success, self.failing_since, self.last_failure) = (Some(now), None, None);
            return None;
        }
        // A failure of last week says nothing of today's.
        let is_of_now = self
            .last_failure
            .is_some_and(|last| now.since(last) <= LONGEST_QUIET);
        let since = self
            .failing_since
            .filter(|_| is_of_now || self.last_failure.is_none())
            .unwrap_or(now);
        (self.failing_since, self.last_failure) = (Some(since), Some(now));
        let because = match attempt.outcome {
            Ok(410) => DisabledBecause::Gone,
            _ if now.since(since) >= PATIENCE => DisabledBecause::Failing,
            _ => return None,
        };
        if !self.is_on() {
            return None;
        }
        self.stopped = Some(Stopped { because, at: now });
        Some(because)
    }
}
