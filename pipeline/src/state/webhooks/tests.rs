//! What endpoints are told of, when, and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::super::{RunOrder, RunRecord, State};
use super::*;
use crate::model::{Locale, Moment, SiteId};
use crate::webhooks::{
    Attempt, AttemptError, Deployed, DisabledBecause, Event, EventType, LocaleSwitched, Sender,
    WebhookId, WebhookTest,
};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const BEGIN: Moment = Moment::of_millis(1_000_000);

fn site() -> SiteId {
    SiteId::parse("bakery").unwrap()
}

fn event() -> Event {
    Event::LocaleServingChanged(LocaleSwitched::new(
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

fn answered(status: u16) -> Attempt {
    Attempt {
        outcome: Ok(status),
        took: Duration::from_millis(5),
        retry_after: None,
        answer: Some("hello".to_owned()),
    }
}

/// A state with endpoints, and a clock.
struct World {
    state: State,
    ids: Vec<WebhookId>,
    now: Moment,
}

impl World {
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
        let places = Places {
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
    fn try_all(&self, attempt: &Attempt) -> usize {
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
fn a_message_is_tried_ten_times_over_76_hours_and_then_has_failed() {
    let mut world = World::new(&[&[]]);
    world.tell();
    let (began, mut tries) = (world.now, Vec::new());
    while let (due, next) = world.due()
        && (!due.is_empty() || next.is_some())
    {
        if due.is_empty() {
            world.now = next.unwrap();
            continue;
        }
        tries.push(world.now.since(began).as_secs());
        world.try_all(&answered(500));
    }
    let expected = [
        0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105,
    ];
    assert_eq!(tries.len(), expected.len(), "{tries:?}");
    for (given, expected) in tries.iter().zip(expected) {
        assert!(
            given.abs_diff(expected) * 10 <= expected + 10,
            "{given} s is not about {expected} s: {tries:?}"
        );
    }
    let delivery = world.deliveries(0).remove(0);
    assert_eq!(
        (delivery.status, delivery.tries, delivery.attempts.len()),
        (DeliveryStatus::Failed, 10, 10)
    );
    assert_eq!(delivery.answer.as_deref(), Some("hello"));
    assert_eq!(world.endpoint(0).failing_since, Some(began));
}

#[test]
fn nothing_is_tried_after_it_arrived_and_retry_after_is_obeyed() {
    let mut world = World::new(&[&[]]);
    world.tell();
    let asked = Attempt {
        retry_after: Some(Duration::from_secs(600)),
        ..answered(503)
    };
    assert_eq!(world.try_all(&asked), 1);
    assert_eq!(world.due(), (Vec::new(), Some(world.now + 600 * SECOND)));
    world.now += 600 * SECOND;
    assert_eq!(world.try_all(&answered(204)), 1);
    assert_eq!(world.due(), (Vec::new(), None));
    assert_eq!(world.deliveries(0)[0].status, DeliveryStatus::Delivered);
    let endpoint = world.endpoint(0);
    assert_eq!(
        (endpoint.last_success, endpoint.failing_since),
        (Some(world.now), None)
    );
    // A redirect is no success.
    world.tell();
    world.try_all(&answered(307));
    assert_eq!(world.deliveries(0)[0].status, DeliveryStatus::Waiting);
}

#[test]
fn events_are_counted_without_gaps_and_told_to_those_who_want_them() {
    let world = World::new(&[&[], &[EventType::DeploymentPublished]]);
    let deployed = || {
        Event::DeploymentPublished(Deployed::new(
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
    let test = Event::WebhookTest(WebhookTest {
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
    let mut world = World::new(&[&[], &[EventType::WebhookDisabled]]);
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
        world.try_all(&Attempt {
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
    let mut world = World::new(&[&[]]);
    for day in 0..20 {
        world.tell();
        world.try_all(&answered(if day % 4 == 3 { 200 } else { 500 }));
        world.now += DAY;
    }
    assert_eq!(world.endpoint(0).stopped, None);
}

#[test]
fn a_replaced_secret_signs_too_for_a_day() {
    let world = World::new(&[&[]]);
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
fn what_is_kept_is_bounded() {
    let mut world = World::new(&[&[], &[]]);
    world
        .state
        .tell(&site(), &vec![event(); 1_200], world.now)
        .unwrap();
    let kept = world.deliveries(0);
    assert_eq!(
        (kept.len(), kept[0].sequence, kept[999].sequence),
        (1_000, 1_200, 201)
    );
    assert_eq!(world.due().0.len(), 2_000);
    world.now += 31 * DAY;
    world.tell();
    world.state.sweep_webhooks(&site(), world.now).unwrap();
    assert_eq!((world.deliveries(0).len(), world.due().0.len()), (1, 2));
    // One that is removed leaves nothing.
    assert!(world.state.remove_webhook(&site(), world.ids[0]).unwrap());
    assert_eq!((world.deliveries(0).len(), world.due().0.len()), (0, 1));
    world.state.remove_site(&site(), world.now).unwrap();
    assert_eq!(
        (world.due(), world.state.webhooks(&site()).unwrap()),
        ((Vec::new(), None), Vec::new())
    );
}

#[test]
fn a_site_has_ten_endpoints_and_without_any_nothing_is_kept() {
    let world = World::new(&[[].as_slice(); 10]);
    assert_eq!(
        world
            .state
            .add_webhook(&site(), settings(&[]), BEGIN)
            .unwrap(),
        None
    );
    for id in &world.ids {
        world.state.remove_webhook(&site(), *id).unwrap();
    }
    world.tell();
    let id = world
        .state
        .add_webhook(&site(), settings(&[]), BEGIN)
        .unwrap()
        .unwrap()
        .0;
    world.tell();
    let told = world.state.deliveries(&site(), id).unwrap();
    assert_eq!(
        told.iter().map(|(one, _)| one.sequence).collect::<Vec<_>>(),
        [1]
    );
}

#[test]
fn a_run_is_told_with_its_end_and_a_deployment_once() {
    let world = World::new(&[&[]]);
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
        let event = Event::DeploymentPublished(Deployed::new(
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
    let world = World::new(&[&[]]);
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
        let message = crate::webhooks::Message {
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
    let mut world = World::new(&[&[]]);
    let test = Event::WebhookTest(WebhookTest {
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
fn endpoints_that_hang_leave_places_for_others() {
    let world = World::new(&[[].as_slice(); 6]);
    let quiet = SiteId::parse("quiet").unwrap();
    let id = world
        .state
        .add_webhook(&quiet, settings(&[]), BEGIN)
        .unwrap()
        .unwrap()
        .0;
    for _ in 0..50 {
        world.tell();
    }
    world
        .state
        .tell(&quiet, &[event()], world.now + SECOND)
        .unwrap();
    let places = Places {
        all: 8,
        of_site: 5,
        of_endpoint: 2,
        of_failing: 3,
    };
    let take = |tried: &BTreeSet<Due>| {
        world
            .state
            .due_deliveries(world.now + SECOND, places, tried)
            .unwrap()
            .0
    };
    let taken = take(&BTreeSet::new());
    let of_quiet = |taken: &[Due]| taken.iter().filter(|due| due.webhook == id).count();
    assert_eq!(
        (taken.len(), of_quiet(&taken)),
        (6, 1),
        "five of one site, though fifty times as many came first"
    );
    let most = taken
        .iter()
        .map(|due| {
            taken
                .iter()
                .filter(|other| other.webhook == due.webhook)
                .count()
        })
        .max();
    assert_eq!(most, Some(2));
    // What is tried already counts.
    let tried: BTreeSet<Due> = taken.into_iter().filter(|due| due.webhook != id).collect();
    assert_eq!(
        take(&tried).iter().filter(|due| due.webhook == id).count(),
        1
    );
    for due in &tried {
        world
            .state
            .record_attempt(due, &answered(500), world.now)
            .unwrap();
    }
    let failing: BTreeSet<_> = tried.iter().map(|due| due.webhook).collect();
    let of_failing = take(&BTreeSet::new())
        .iter()
        .filter(|due| failing.contains(&due.webhook))
        .count();
    assert!(of_failing <= 3, "{of_failing}");
}

#[test]
fn nothing_is_put_back_for_an_endpoint_that_is_off() {
    let world = World::new(&[&[]]);
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

#[test]
fn what_waits_for_a_year_that_a_wrong_clock_had_is_brought_near() {
    let mut world = World::new(&[&[]]);
    let wrong = world.now + 3_000 * DAY;
    world.state.tell(&site(), &[event()], wrong).unwrap();
    assert_eq!(world.due(), (Vec::new(), Some(wrong)));
    assert_eq!(world.state.recover_deliveries(world.now).unwrap(), 1);
    assert_eq!(world.try_all(&answered(503)), 1);
    // What waits for a day is left alone.
    world.now += SECOND;
    assert_eq!(world.state.recover_deliveries(world.now).unwrap(), 0);
}
