//! When deliveries are tried: pauses between tries, and places for those that wait.

use super::*;

#[test]
fn a_message_is_tried_ten_times_over_76_hours_and_then_has_failed() {
    let mut world = WebhooksFixture::new(&[&[]]);
    world.tell();
    let began = world.now;
    let mut tries = Vec::new();
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
    let mut world = WebhooksFixture::new(&[&[]]);
    world.tell();
    let asked = DeliveryAttempt {
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
fn endpoints_that_hang_leave_places_for_others() {
    let world = WebhooksFixture::new(&[[].as_slice(); 6]);
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
    let places = DeliverySlots {
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
fn what_waits_for_a_year_that_a_wrong_clock_had_is_brought_near() {
    let mut world = WebhooksFixture::new(&[&[]]);
    let wrong = world.now + 3_000 * DAY;
    world.state.tell(&site(), &[event()], wrong).unwrap();
    assert_eq!(world.due(), (Vec::new(), Some(wrong)));
    assert_eq!(world.state.recover_deliveries(world.now).unwrap(), 1);
    assert_eq!(world.try_all(&answered(503)), 1);
    // What waits for a day is left alone.
    world.now += SECOND;
    assert_eq!(world.state.recover_deliveries(world.now).unwrap(), 0);
}
