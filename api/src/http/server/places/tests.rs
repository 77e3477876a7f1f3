//! Tests of `places.rs`.

use tokio::time::sleep;

use super::*;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn take(places: &Arc<ConnectionPlaces>, from: &str) -> Option<ConnectionPlace> {
    places.take(places.free_now()?, address(from))
}

#[test]
fn limit_is_for_the_internet_unless_it_is_set() {
    let trusted = ["198.51.100.0/24".parse().unwrap()];
    let usual = AddressLimit::new(None, &trusted);
    let set = AddressLimit::new(Some(3), &trusted);
    for (from, expected) in [
        ("203.0.113.9", Some(OF_ADDRESS)),
        ("2001:db8::1", Some(OF_ADDRESS)),
        ("198.51.100.7", None),
        ("127.0.0.1", None),
        ("::1", None),
        ("10.1.2.3", None),
        ("192.168.0.9", None),
        ("fd00::5", None),
        ("fe80::5", None),
        ("::ffff:10.1.2.3", None),
        ("::ffff:203.0.113.9", Some(OF_ADDRESS)),
    ] {
        assert_eq!(usual.of(address(from)), expected, "{from}");
        assert_eq!(set.of(address(from)), Some(3), "{from}");
    }
}

#[tokio::test(start_paused = true)]
async fn idle_connections_of_an_address_give_way_and_busy_ones_do_not() {
    let places = ConnectionPlaces::new(100, AddressLimit::new(Some(3), &[]));
    let first: Vec<ConnectionPlace> = (0..3)
        .map(|_| take(&places, "203.0.113.9").unwrap())
        .collect();
    first.iter().for_each(|place| place.guest.is_asking());
    assert!(take(&places, "203.0.113.9").is_none());
    assert!(take(&places, "203.0.113.10").is_some());
    drop(Answered::new((), first[1].guest()));
    assert!(
        take(&places, "203.0.113.9").is_none(),
        "its client may be about to ask"
    );
    sleep(GRACE).await;
    let next = take(&places, "203.0.113.9").unwrap();
    sleep(GRACE).await;
    assert!(
        take(&places, "::ffff:203.0.113.9").is_some(),
        "the new one is idle, too"
    );
    drop((first, next));
    assert!(take(&places, "203.0.113.9").is_some());
    // One household of IPv6 has one limit.
    let many: Vec<_> = (1..=3)
        .map(|host| take(&places, &format!("2001:db8::{host}")).unwrap())
        .collect();
    many.iter().for_each(|place| place.guest.is_asking());
    assert!(take(&places, "2001:db8::9").is_none());
    assert!(take(&places, "2001:db8:0:1::9").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_connection_gives_way_while_its_body_is_waited_for_and_not_after() {
    let places = ConnectionPlaces::new(1, AddressLimit::default());
    let place = take(&places, "203.0.113.9").unwrap();
    place.guest.is_asking();
    sleep(GRACE).await;
    assert!(!places.send_away(None));
    // One byte after the other is no body.
    let mut left = 2;
    let body = http_body_util::StreamBody::new(futures::stream::poll_fn(move |context| {
        left -= 1;
        match left {
            1 => Poll::Ready(Some(Ok::<_, std::io::Error>(Frame::data(
                Bytes::from_static(b"{"),
            )))),
            _ => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }));
    let mut asked = AwaitedBody::new(body, place.guest());
    let mut poll = || {
        Pin::new(&mut asked).poll_frame(&mut Context::from_waker(futures::task::noop_waker_ref()))
    };
    assert!(poll().is_ready() && poll().is_pending() && place.guest.owes_body());
    sleep(GRACE).await;
    assert!(poll().is_pending() && places.send_away(None));
    drop(asked);
    sleep(GRACE).await;
    assert!(!place.guest.owes_body() && !places.send_away(None));
}

#[tokio::test]
async fn a_trusted_proxy_has_no_limit_although_its_network_has_one() {
    let places = ConnectionPlaces::new(
        1000,
        AddressLimit::new(None, &["2001:db8::7/128".parse().unwrap()]),
    );
    let take_many = |from| {
        (0..OF_ADDRESS + 1)
            .filter_map(|_| take(&places, from))
            .collect::<Vec<_>>()
            .len()
    };
    assert_eq!(take_many("2001:db8::7"), OF_ADDRESS as usize + 1);
    assert_eq!(take_many("::1"), OF_ADDRESS as usize + 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_waits_for_nothing_makes_room_for_somebody_else() {
    let places = ConnectionPlaces::new(4, AddressLimit::default());
    let crowd: Vec<ConnectionPlace> = (0..3)
        .map(|_| take(&places, "203.0.113.9").unwrap())
        .collect();
    let other = take(&places, "203.0.113.10").unwrap();
    crowd[0].guest.is_asking();
    let leaving: Vec<_> = crowd.iter().map(ConnectionPlace::guest).collect();
    let left = tokio::spawn(async move {
        tokio::select! {
            () = leaving[1].leaves() => 1,
            () = leaving[2].leaves() => 2,
        }
    });
    let free = tokio::spawn({
        let places = Arc::clone(&places);
        async move { places.free().await.is_some() }
    });
    let number = left.await.unwrap();
    drop(crowd.into_iter().nth(number));
    assert!(free.await.unwrap());
    drop(other);
}
