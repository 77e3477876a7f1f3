//! What endpoints are told of, when, and how often.

mod bounds;
mod schedule;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::super::{RunOrder, RunRecord, State};
use super::*;
use crate::model::{Locale, Moment, SiteId};
use crate::webhooks::{
    AttemptError, DeliveryAttempt, Deployed, DisabledBecause, EventType, LocaleSwitched, Sender,
    WebhookEvent, WebhookId, WebhookTest,
};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const BEGIN: Moment = Moment::of_millis(1_000_000);

fn site() -> SiteId {
    SiteId::parse("bakery").unwrap()
}

fn event() -> WebhookEvent {
    WebhookEvent::LocaleServingChanged(LocaleSwitched::new(
        &Locale::parse("es").unwrap(),
        true,
        "ana",
    ))
}

fn settings(events: &[EventType]) -> WebhookSettings {
    WebhookSettings {
        url: "https://example.com/".to_owned(),
        description: String::new(),
        events: events.iter().copied().collect(),
        enabled: true,
    }
}

fn answered(status: u16) -> DeliveryAttempt {
    DeliveryAttempt {
        outcome: Ok(status),
        took: Duration::from_millis(5),
        retry_after: None,
        answer: Some("hello".to_owned()),
    }
}

/// A state with endpoints, and a clock.
struct WebhooksFixture {
    state: State,
    ids: Vec<WebhookId>,
    now: Moment,
}

impl WebhooksFixture {
    fn new(endpoints: &[&[EventType]]) -> Self {
        let state = State::in_memory().unwrap();
        let add = |events: &&[EventType]| {
            state
                .add_webhook(&site(), settings(events), BEGIN)
                .unwrap()
                .unwrap()
                .0
        };
        let ids = endpoints.iter().map(add).collect();
        Self {
            state,
            ids,
            now: BEGIN,
        }
    }

    fn tell(&self) {
        self.state.tell(&site(), &[event()], self.now).unwrap();
    }

    fn due(&self) -> (Vec<Due>, Option<Moment>) {
        let places = DeliverySlots {
            all: 2_000,
            of_site: 2_000,
            of_endpoint: 2_000,
            of_failing: 2_000,
        };
        self.state
            .due_deliveries(self.now, places, &BTreeSet::new())
            .unwrap()
    }

    /// Tries all that is due; gives how much that was.
    fn try_all(&self, attempt: &DeliveryAttempt) -> usize {
        let due = self.due().0;
        for due in &due {
            self.state
                .record_attempt(due, attempt, self.now)
                .unwrap()
                .unwrap();
        }
        due.len()
    }

    fn deliveries(&self, endpoint: usize) -> Vec<DeliveryRecord> {
        let all = self.state.deliveries(&site(), self.ids[endpoint]).unwrap();
        all.into_iter().map(|(delivery, _)| delivery).collect()
    }

    fn endpoint(&self, endpoint: usize) -> WebhookRecord {
        self.state
            .webhook(&site(), self.ids[endpoint])
            .unwrap()
            .unwrap()
    }
}

#[test]
fn events_are_counted_without_gaps_and_told_to_those_who_want_them() {
    let world = WebhooksFixture::new(&[&[], &[EventType::DeploymentPublished]]);
    let deployed = || {
        WebhookEvent::DeploymentPublished(Deployed::new(
            "d".to_owned(),
            1,
            Vec::new(),
            0,
            &Default::default(),
        ))
    };
    world
        .state
        .tell(&site(), &[event(), deployed()], world.now)
        .unwrap();
    // A test counts nothing.
    let test = WebhookEvent::WebhookTest(WebhookTest {
        webhook_id: String::new(),
    });
    assert!(
        world
            .state
            .tell_one(&site(), world.ids[1], &test, world.now)
            .unwrap()
            .is_some()
    );
    world.tell();
    let sequences = |endpoint: usize| {
        world
            .deliveries(endpoint)
            .iter()
            .map(|one| one.sequence)
            .collect::<Vec<_>>()
    };
    assert_eq!((sequences(0), sequences(1)), (vec![3, 2, 1], vec![2, 2]));
    let bodies = world.state.deliveries(&site(), world.ids[0]).unwrap();
    let body: Value = serde_json::from_str(&bodies[0].1).unwrap();
    assert_eq!(
        (&body["data"]["sequence"], &body["data"]["siteId"]),
        (&Value::from(3), &Value::from("bakery"))
    );
    // Another site has its own.
    let other = SiteId::parse("shop").unwrap();
    world.state.tell(&other, &[event()], world.now).unwrap();
    assert_eq!(
        world.due().0.len(),
        4,
        "the test is nobody's to send by itself"
    );
}

#[test]
fn an_endpoint_that_is_gone_or_fails_for_five_days_is_told_nothing_and_the_others_are_told_that() {
    let mut world = WebhooksFixture::new(&[&[], &[EventType::WebhookDisabled]]);
    world.tell();
    let due = world.due().0.remove(0);
    let ended = world
        .state
        .record_attempt(&due, &answered(410), world.now)
        .unwrap()
        .unwrap();
    assert_eq!(ended.stopped, Some(DisabledBecause::Gone));
    assert_eq!(world.deliveries(0)[0].status, DeliveryStatus::Held);
    assert_eq!(world.deliveries(1)[0].kind, EventType::WebhookDisabled);
    assert_eq!(
        world.endpoint(0).stopped.unwrap().because,
        DisabledBecause::Gone
    );
    // What happens now waits until somebody switches it on and asks for it.
    world.tell();
    assert_eq!(
        world
            .deliveries(0)
            .iter()
            .map(|one| one.status)
            .collect::<Vec<_>>(),
        [DeliveryStatus::Held; 3]
    );
    let on = world
        .state
        .change_webhook(&site(), world.ids[0], &settings(&[]), world.now)
        .unwrap()
        .unwrap();
    assert!(on.is_on());
    assert_eq!(
        world
            .state
            .redeliver_since(&site(), world.ids[0], Moment::default(), world.now)
            .unwrap(),
        3
    );
    world.try_all(&answered(500));
    // Failing for long is found by the next try that fails.
    for day in 1..=5 {
        world.now += DAY;
        assert_eq!(world.endpoint(0).stopped, None, "day {day}");
        world.tell();
        world.try_all(&DeliveryAttempt {
            outcome: Err(AttemptError::ConnectFailed),
            ..answered(0)
        });
    }
    assert_eq!(
        world.endpoint(0).stopped.unwrap().because,
        DisabledBecause::Failing
    );
    assert!(world.due().0.iter().all(|due| due.webhook != world.ids[0]));
}

#[test]
fn one_success_within_five_days_keeps_an_endpoint() {
    let mut world = WebhooksFixture::new(&[&[]]);
    for day in 0..20 {
        world.tell();
        world.try_all(&answered(if day % 4 == 3 { 200 } else { 500 }));
        world.now += DAY;
    }
    assert_eq!(world.endpoint(0).stopped, None);
}

#[test]
fn a_replaced_secret_signs_too_for_a_day() {
    let world = WebhooksFixture::new(&[&[]]);
    world.tell();
    let due = world.due().0.remove(0);
    let message = |now| world.state.message(&due, now).unwrap().unwrap();
    let first = message(world.now).secrets;
    world
        .state
        .rotate_secret(&site(), world.ids[0], world.now)
        .unwrap()
        .unwrap();
    let both = message(world.now).secrets;
    assert_eq!((both.len(), &both[1]), (2, &first[0]));
    assert_eq!(message(world.now + DAY).secrets, both[..1]);
}

#[test]
fn a_run_is_told_with_its_end_and_a_deployment_once() {
    let world = WebhooksFixture::new(&[&[]]);
    let kinds = || {
        world
            .deliveries(0)
            .iter()
            .map(|one| one.kind)
            .collect::<Vec<_>>()
    };
    let run = world
        .state
        .begin_run(
            &site(),
            RunOrder::publishing("live".to_owned(), None),
            BEGIN,
        )
        .unwrap();
    assert_eq!(kinds(), []);
    let done = RunRecord {
        status: super::super::RunStatus::Completed,
        finished: Some(BEGIN),
        ..run
    };
    world
        .state
        .finish_run(&site(), &done, &BTreeMap::new(), &[])
        .unwrap();
    assert_eq!(kinds(), [EventType::RunCompleted]);
    let deployed = |number| {
        let event = WebhookEvent::DeploymentPublished(Deployed::new(
            "d".to_owned(),
            number,
            vec![],
            0,
            &Default::default(),
        ));
        (number, event)
    };
    // Where nobody kept account, nothing is news.
    world
        .state
        .tell_deployments(&site(), vec![deployed(4)], 4, world.now)
        .unwrap();
    assert_eq!(kinds().len(), 1);
    for _ in 0..2 {
        world
            .state
            .tell_deployments(&site(), vec![deployed(4), deployed(5)], 5, world.now)
            .unwrap();
    }
    assert_eq!(
        kinds(),
        [EventType::DeploymentPublished, EventType::RunCompleted]
    );
}

#[tokio::test]
async fn nothing_is_sent_into_private_networks() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let find =
        |_: String| -> futures::future::BoxFuture<'static, std::io::Result<Vec<std::net::IpAddr>>> {
            Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
        };
    let sender = Sender::new(false, crate::net::Lookup::By(std::sync::Arc::new(find)));
    let world = WebhooksFixture::new(&[&[]]);
    world.tell();
    let message = world
        .state
        .message(&world.due().0[0], BEGIN)
        .unwrap()
        .unwrap();
    for host in [
        "127.0.0.1",
        "localhost",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::]",
        "[fc00::1]",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "rebinding.example",
    ] {
        let message = crate::webhooks::WebhookMessage {
            url: format!("http://{host}:{port}/"),
            ..message.clone()
        };
        let attempt = sender.attempt(&message, BEGIN).await;
        assert_eq!(attempt.outcome, Err(AttemptError::BlockedHost), "{host}");
    }
    assert!(
        tokio::time::timeout(Duration::from_millis(50), listener.accept())
            .await
            .is_err()
    );
}

#[test]
fn a_failure_of_last_week_does_not_stop_an_endpoint() {
    let mut world = WebhooksFixture::new(&[&[]]);
    let test = WebhookEvent::WebhookTest(WebhookTest {
        webhook_id: String::new(),
    });
    let ordinal = world
        .state
        .tell_one(&site(), world.ids[0], &test, world.now)
        .unwrap()
        .unwrap();
    let due = Due {
        site: site(),
        webhook: world.ids[0],
        ordinal,
    };
    world
        .state
        .record_attempt(&due, &answered(500), world.now)
        .unwrap()
        .unwrap();
    // Quiet days, and then a moment of trouble.
    world.now += 6 * DAY;
    world.tell();
    world.try_all(&answered(503));
    assert_eq!(
        (world.endpoint(0).stopped, world.endpoint(0).failing_since),
        (None, Some(world.now))
    );
}

#[test]
fn nothing_is_put_back_for_an_endpoint_that_is_off() {
    let world = WebhooksFixture::new(&[&[]]);
    world.tell();
    world.try_all(&answered(410));
    let due = world
        .state
        .find_delivery(&site(), world.ids[0], world.deliveries(0)[0].id)
        .unwrap()
        .unwrap();
    assert_eq!(
        world
            .state
            .redeliver(&due, world.now)
            .unwrap()
            .unwrap()
            .status,
        DeliveryStatus::Held
    );
    world
        .state
        .redeliver_since(&site(), world.ids[0], Moment::default(), world.now)
        .unwrap();
    assert_eq!(world.due(), (Vec::new(), None));
}
