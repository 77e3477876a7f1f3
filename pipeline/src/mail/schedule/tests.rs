//! Slots over a year, and over changes of the clock.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const MILLISECOND: Duration = Duration::from_millis(1);

fn zone(name: &str) -> Zone {
    name.parse().unwrap()
}

fn moment(time: &str) -> Moment {
    Moment::of_millis(
        time.parse::<Timestamp>()
            .unwrap()
            .as_millisecond()
            .try_into()
            .unwrap(),
    )
}

/// The moments from one to another, with this pause between them.
fn looks(begin: &str, end: &str, pause: Duration) -> impl Iterator<Item = Moment> {
    let end = moment(end);
    std::iter::successors(Some(moment(begin)), move |now| Some(*now + pause))
        .take_while(move |now| *now < end)
}

#[test]
fn a_slot_that_a_wrong_clock_had_keeps_nobody_waiting_for_years() {
    let slot = Slot {
        date: "2026-11-24".to_owned(),
        at: Moment::default(),
    };
    for (had, is_taken) in [
        ("2026-11-23", false),
        ("2026-11-24", true),
        // Daily digests before a weekly one.
        ("2026-11-30", true),
        ("2026-12-02", true),
        ("2026-12-03", false),
        ("2036-01-01", false),
    ] {
        assert_eq!(slot.is_taken(had), is_taken, "{had}");
    }
}

/// What a server that looks at these times sends: one for each slot that was not claimed before, as the state has it.
fn sent(
    schedule: &Schedule,
    zone: &Zone,
    weekly: bool,
    looks: impl Iterator<Item = Moment>,
) -> BTreeMap<String, Moment> {
    let mut sent = BTreeMap::<String, Moment>::new();
    for now in looks {
        let Some(slot) = schedule.slot(zone, weekly, now) else {
            continue;
        };
        if sent
            .last_key_value()
            .is_none_or(|(last, _)| *last < slot.date)
        {
            sent.insert(slot.date, now);
        }
    }
    sent
}

/// A year of days in each of these zones, both changes of the clock among them: one digest for each local date
/// that exists, and at the hour that was wanted unless the clock leaves that out.
#[test]
fn year_has_one_digest_for_each_local_date() {
    let year = || looks("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", 15 * MINUTE);
    for name in [
        "UTC",
        "Europe/Madrid",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Africa/Cairo",
    ] {
        let zone = zone(name);
        for hour in [0, 1, 2, 3, 8, 23] {
            let schedule = Schedule {
                hour,
                ..Schedule::default()
            };
            let daily = sent(&schedule, &zone, false, year());
            assert!(
                (365..=366).contains(&daily.len()),
                "{name} {hour}: {}",
                daily.len()
            );
            // The first may be one of the year before that is on still.
            for (date, at) in daily.iter().skip(1) {
                let local = zone.at(*at).unwrap();
                assert_eq!(local.date().to_string(), *date, "{name}");
                let exists = date
                    .parse::<Date>()
                    .unwrap()
                    .at(hour as i8, 0, 0, 0)
                    .to_zoned(zone.0.clone())
                    .unwrap();
                assert_eq!(local.hour(), exists.hour(), "{name} {date}");
                assert_eq!(local.minute(), exists.minute(), "{name} {date}");
            }
            let weekly = sent(&schedule, &zone, true, year());
            assert!(
                (52..=53).contains(&weekly.len()),
                "{name} {hour}: {}",
                weekly.len()
            );
            assert!(
                weekly
                    .keys()
                    .all(|date| date.parse::<Date>().unwrap().weekday() == Weekday::Monday)
            );
        }
    }
}

/// An hour that the clock leaves out moves on, and one that comes twice counts the first time.
#[test]
fn changes_of_the_clock_neither_lose_a_digest_nor_double_it() {
    let schedule = Schedule {
        hour: 2,
        ..Schedule::default()
    };
    let madrid = zone("Europe/Madrid");
    for (at, date, begins) in [
        ("2026-03-29T00:59:00Z", "2026-03-28", "2026-03-28T01:00:00Z"),
        ("2026-03-29T01:00:00Z", "2026-03-29", "2026-03-29T01:00:00Z"),
        ("2026-10-25T00:00:00Z", "2026-10-25", "2026-10-25T00:00:00Z"),
        ("2026-10-25T01:00:00Z", "2026-10-25", "2026-10-25T00:00:00Z"),
    ] {
        let slot = schedule.slot(&madrid, false, moment(at));
        let expected = Slot {
            date: date.to_owned(),
            at: moment(begins),
        };
        let is_late = moment(at).since(moment(begins)) >= LATEST;
        assert_eq!(slot, (!is_late).then_some(expected), "{at}");
    }
    // Samoa had no 30 December 2011: both dates would begin at once, and there is one digest.
    let looks = looks("2011-12-28T00:00:00Z", "2012-01-02T00:00:00Z", MINUTE);
    let schedule = Schedule {
        hour: 8,
        ..Schedule::default()
    };
    let dates: Vec<String> = sent(&schedule, &zone("Pacific/Apia"), false, looks)
        .into_keys()
        .collect();
    assert_eq!(
        dates,
        [
            "2011-12-27",
            "2011-12-28",
            "2011-12-29",
            "2011-12-31",
            "2012-01-01",
            "2012-01-02"
        ]
    );
}

#[test]
fn late_digests_go_for_twenty_hours_and_not_longer() {
    let schedule = Schedule::default();
    let utc = Zone::UTC;
    let begin = moment("2026-11-24T08:00:00Z");
    for (late, expected) in [
        (Duration::ZERO, true),
        (19 * HOUR, true),
        (20 * HOUR - MILLISECOND, true),
        (20 * HOUR, false),
        (23 * HOUR, false),
    ] {
        assert_eq!(
            schedule.slot(&utc, false, begin + late).is_some(),
            expected,
            "{late:?}"
        );
    }
    assert_eq!(schedule.slot(&utc, false, begin - MILLISECOND), None);
    // 24 November 2026 is a Tuesday.
    assert_eq!(schedule.slot(&utc, true, begin), None);
}

proptest! {
    /// Whenever a server looks, stops and starts again: never two digests of a date, and none before its hour.
    #[test]
    fn no_date_has_two(mut looks in prop::collection::vec(0..366 * 24 * 60_u32, 1..400), hour in 0..24_u8) {
        looks.sort_unstable();
        let begin = moment("2026-01-01T00:00:00Z");
        let schedule = Schedule { hour, ..Schedule::default() };
        let zone = zone("America/New_York");
        let looks: Vec<Moment> = looks.into_iter().map(|look| begin + look * MINUTE).collect();
        let sent = sent(&schedule, &zone, false, looks.iter().copied());
        for (date, at) in &sent {
            let begins = schedule.begin(&zone, date.parse().unwrap()).unwrap().at;
            prop_assert!(*at >= begins && *at < begins + LATEST);
        }
        // Whatever look falls into the hours of a date has it sent.
        for look in looks {
            if let Some(slot) = schedule.slot(&zone, false, look) {
                prop_assert!(sent.contains_key(&slot.date));
            }
        }
    }
}

#[test]
fn zones_are_told_from_other_texts() {
    for name in [
        "UTC",
        "Europe/Madrid",
        "Asia/Kathmandu",
        "America/Argentina/Buenos_Aires",
    ] {
        assert_eq!(zone(name).to_string(), name);
    }
    assert_eq!(zone("europe/madrid").to_string(), "Europe/Madrid");
    for text in [
        "",
        "Madrid",
        "+01:00",
        "CET-1CEST",
        "../../etc/passwd",
        "Europe/Madrid\n",
    ] {
        assert_eq!(text.parse::<Zone>(), Err(ZoneError), "{text:?}");
    }
    assert_eq!(
        zone("Asia/Kathmandu").moment(moment("2026-11-24T02:15:00Z")),
        "2026-11-24 08:00"
    );
}
