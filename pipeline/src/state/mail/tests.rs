//! Who may be mailed, and what becomes of a mail.

mod previews;

use std::time::Duration;

use serde_json::json;

use super::rows::token;
use super::*;
use crate::mail::{MailError, Slot};
use crate::model::Moment;
use crate::state::{Frequency, State};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MINUTE: Duration = Duration::from_secs(60);
const MILLISECOND: Duration = Duration::from_millis(1);

fn at(millis: u64) -> Moment {
    Moment::of_millis(millis)
}

fn after(days: u32) -> Moment {
    Moment::default() + days * DAY
}

fn state(confirms: bool) -> State {
    let state = State::in_memory().unwrap();
    state.set_mailing(true, confirms);
    state
}

fn subscribe(state: &State, email: &str, verified: bool, now: Moment) -> Moment {
    state
        .subscribe(
            "ana",
            email,
            Frequency::Daily,
            &["*".to_owned()],
            verified,
            now,
        )
        .unwrap()
        .updated
}

fn slot(date: &str) -> Slot {
    Slot {
        date: date.to_owned(),
        at: at(0),
    }
}

fn digest(email: &str, now: Moment) -> MailRecord {
    let mail = MailRecord::new(
        MailKind::Digest,
        Some("ana"),
        email,
        format!("digest.{}", now.millis()),
        json!({}),
        now,
    );
    MailRecord {
        until: Some(now),
        ..mail
    }
}

fn statuses(state: &State) -> Vec<MailStatus> {
    state
        .mails_of("ana", 100)
        .unwrap()
        .into_iter()
        .map(|mail| mail.status)
        .collect()
}

/// Hands what is due over, with this answer; gives whether there was anything.
fn try_one(state: &State, answer: Result<String, MailError>, now: Moment) -> bool {
    let NextMail::Due { place, .. } = state.next_mail(now).unwrap() else {
        return false;
    };
    let sure = !matches!(answer, Err(ref error) if error.is_of_server());
    if sure && !state.begin_mail(place, now).unwrap() {
        return true;
    }
    state.record_mail(place, &answer, now).unwrap();
    true
}

fn refused() -> Result<String, MailError> {
    Err(MailError::Refused {
        said: "550 nobody".to_owned(),
        recipient: true,
    })
}

fn later() -> Result<String, MailError> {
    Err(MailError::Later("451 not now".to_owned()))
}

#[test]
fn an_address_gets_digests_only_after_somebody_confirmed_it() {
    let state = state(true);
    subscribe(&state, "ana@example.com", false, at(1));
    assert!(!state.may_mail("ana", "ana@example.com").unwrap());
    assert_eq!(state.ask_for_confirmations(at(2)).unwrap(), 1);
    let asked = state.mails_of("ana", 9).unwrap().remove(0);
    let link = asked.data["token"].as_str().unwrap();
    // Looking changes nothing.
    assert!(state.mail_link(link, at(3)).unwrap().is_some());
    assert!(!state.may_mail("ana", "ana@example.com").unwrap());
    // For seven days.
    assert_eq!(
        state
            .follow_mail_link(link, after(7) + 2 * MILLISECOND)
            .unwrap(),
        None
    );
    assert!(
        state
            .follow_mail_link(link, after(7) + MILLISECOND)
            .unwrap()
            .is_some()
    );
    assert!(state.may_mail("ana", "ana@example.com").unwrap());
    // A verified address is not asked, and neither is any where that is off.
    subscribe(&state, "other@example.com", true, at(5));
    assert!(state.may_mail("ana", "other@example.com").unwrap());
    assert_eq!(state.ask_for_confirmations(at(6)).unwrap(), 0);
    let state = self::state(false);
    subscribe(&state, "ana@example.com", false, at(1));
    assert_eq!(state.ask_for_confirmations(at(2)).unwrap(), 0);
    assert!(state.may_mail("ana", "ana@example.com").unwrap());
}

/// Nobody is asked more often than three times a day, whoever wants it, and an account asks ten times at most.
#[test]
fn strangers_are_not_asked_without_end() {
    let state = state(true);
    for account in 0..9 {
        let sites = ["*".to_owned()];
        let email = if account % 2 == 0 {
            "eve@example.com"
        } else {
            "EVE@example.com"
        };
        state
            .subscribe(
                &account.to_string(),
                email,
                Frequency::Daily,
                &sites,
                false,
                at(1),
            )
            .unwrap();
    }
    assert_eq!(state.ask_for_confirmations(at(2)).unwrap(), 3);
    assert_eq!(state.ask_for_confirmations(after(1)).unwrap(), 0);
    assert_eq!(
        state
            .ask_for_confirmations(after(1) + 2 * MILLISECOND)
            .unwrap(),
        3
    );
    let state = self::state(true);
    let asked = (0..40).map(|count| {
        subscribe(
            &state,
            &format!("eve{count}@example.com"),
            false,
            at(count + 1),
        );
        state.ask_for_confirmations(at(count + 1)).unwrap()
    });
    assert_eq!(asked.sum::<usize>(), 10);
    // Saying the same again and again asks once a day.
    let state = self::state(true);
    let asked = (0..48).map(|hour| {
        subscribe(&state, "ana@example.com", false, at(1) + hour * HOUR);
        state.ask_for_confirmations(at(1) + hour * HOUR).unwrap()
    });
    assert_eq!(asked.sum::<usize>(), 2);
}

#[test]
fn whoever_leaves_gets_nothing_until_they_confirm_again() {
    let state = state(true);
    subscribe(&state, "ana@example.com", false, at(1));
    state.ask_for_confirmations(at(1)).unwrap();
    let confirm = state.mails_of("ana", 9).unwrap().remove(0).data["token"]
        .as_str()
        .unwrap()
        .to_owned();
    state.follow_mail_link(&confirm, at(2)).unwrap();
    let leave = state
        .address("ana", "ana@example.com")
        .unwrap()
        .unwrap()
        .leave;
    assert_eq!(
        state
            .mail_link(&leave, at(3))
            .unwrap()
            .unwrap()
            .confirms_until,
        None
    );
    assert_eq!(
        state.subscription("ana").unwrap().unwrap().frequency,
        Frequency::Daily
    );
    for _ in 0..2 {
        assert!(state.follow_mail_link(&leave, at(4)).unwrap().is_some());
    }
    assert_eq!(
        state.subscription("ana").unwrap().unwrap().frequency,
        Frequency::Off
    );
    // The old mail cannot undo it, and a new wish asks again.
    assert_eq!(state.follow_mail_link(&confirm, at(5)).unwrap(), None);
    subscribe(&state, "ana@example.com", false, after(2));
    assert!(!state.may_mail("ana", "ana@example.com").unwrap());
    assert_eq!(state.ask_for_confirmations(after(2)).unwrap(), 1);
    assert_eq!(state.follow_mail_link(&token(), at(5)).unwrap(), None);
}

#[test]
fn a_slot_is_taken_once() {
    let state = state(false);
    let updated = subscribe(&state, "ana@example.com", false, at(1));
    let mail = digest("ana@example.com", at(10));
    assert!(
        state
            .claim_slot("ana", updated, &slot("2026-11-24"), Some(&mail))
            .unwrap()
    );
    assert!(
        !state
            .claim_slot("ana", updated, &slot("2026-11-24"), Some(&mail))
            .unwrap()
    );
    assert!(
        !state
            .claim_slot("ana", updated, &slot("2026-11-23"), Some(&mail))
            .unwrap()
    );
    assert!(
        !state
            .claim_slot(
                "ana",
                updated + MILLISECOND,
                &slot("2026-11-25"),
                Some(&mail)
            )
            .unwrap()
    );
    assert!(
        !state
            .claim_slot("bob", updated, &slot("2026-11-25"), Some(&mail))
            .unwrap()
    );
    assert_eq!(statuses(&state), [MailStatus::Waiting]);
    // One that waits still is not sent beside the next.
    assert!(
        state
            .claim_slot(
                "ana",
                updated,
                &slot("2026-11-25"),
                Some(&digest("ana@example.com", after(1)))
            )
            .unwrap()
    );
    assert_eq!(statuses(&state), [MailStatus::Waiting, MailStatus::Dropped]);
}

/// Whatever the server says: tried again only where that cannot double it, and for a day at most.
#[test]
fn mails_are_tried_again_only_where_that_is_safe() {
    let unreachable = || Err(MailError::Unreachable("nobody there".to_owned()));
    let unknown = || Err(MailError::Unknown("cut off".to_owned()));
    let state = state(false);
    let updated = subscribe(&state, "ana@example.com", false, at(1));
    let mut day = 0;
    let mut next = |answers: &[Result<String, MailError>]| {
        day += 1;
        let now = after(day);
        let mail = digest("ana@example.com", now);
        assert!(
            state
                .claim_slot(
                    "ana",
                    updated,
                    &slot(&format!("2026-11-{day:02}")),
                    Some(&mail)
                )
                .unwrap()
        );
        let mut tries = Vec::new();
        let mut answers = answers.iter().cloned();
        for minute in 0..24 * 60 {
            let at = now + minute * MINUTE;
            if matches!(state.next_mail(at).unwrap(), NextMail::Due { .. }) {
                try_one(&state, answers.next().unwrap(), at);
                tries.push(minute);
            }
        }
        (state.mails_of("ana", 1).unwrap()[0].status, tries)
    };
    assert_eq!(
        next(&[Ok("250 taken".to_owned())]),
        (MailStatus::Sent, vec![0])
    );
    assert_eq!(next(&[unknown()]), (MailStatus::Unknown, vec![0]));
    let refused_here = Err(MailError::Refused {
        said: "554 no".to_owned(),
        recipient: false,
    });
    assert_eq!(next(&[refused_here]), (MailStatus::Refused, vec![0]));
    assert_eq!(
        next(&[later(), unreachable(), Ok(String::new())]),
        (MailStatus::Sent, vec![0, 5, 35])
    );
    let five = [later(), unreachable(), later(), unreachable(), later()];
    assert_eq!(next(&five), (MailStatus::Failed, vec![0, 5, 35, 155, 635]));
    assert_eq!(
        next(&[later(), unknown()]),
        (MailStatus::Unknown, vec![0, 5])
    );
}

/// A process that ended while it sent leaves what is unknown, which is never sent again, and the next digest says it all.
#[test]
fn what_was_being_sent_at_the_end_is_unknown() {
    let state = state(false);
    let updated = subscribe(&state, "ana@example.com", false, at(1));
    state
        .claim_slot(
            "ana",
            updated,
            &slot("2026-11-24"),
            Some(&digest("ana@example.com", at(10))),
        )
        .unwrap();
    let NextMail::Due { place, .. } = state.next_mail(at(10)).unwrap() else {
        panic!()
    };
    assert!(state.begin_mail(place, at(10)).unwrap());
    assert!(!state.begin_mail(place, at(10)).unwrap());
    assert_eq!(state.next_mail(after(1)).unwrap(), NextMail::At(None));
    assert_eq!(state.recover_mails().unwrap(), 1);
    assert_eq!(statuses(&state), [MailStatus::Unknown]);
    assert_eq!(state.recipient("ana").unwrap().told, None);
    // An answer that comes after all changes nothing.
    state
        .record_mail(place, &Ok("250".to_owned()), at(11))
        .unwrap();
    assert_eq!(statuses(&state), [MailStatus::Unknown]);
}

#[test]
fn an_address_that_is_refused_twice_in_a_row_gets_nothing_more() {
    let state = state(true);
    let updated = subscribe(&state, "ana@example.com", true, at(1));
    let mut day = 0;
    let mut send = |answer| {
        day += 1;
        let now = after(day);
        let mail = digest("ana@example.com", now);
        state
            .claim_slot(
                "ana",
                updated,
                &slot(&format!("2026-11-{:02}", day)),
                Some(&mail),
            )
            .unwrap();
        assert!(try_one(&state, answer, now));
        state
            .address("ana", "ana@example.com")
            .unwrap()
            .unwrap()
            .stopped
    };
    assert_eq!(send(refused()), None);
    assert_eq!(send(Ok(String::new())), None);
    assert_eq!(send(refused()), None);
    assert_eq!(send(refused()).as_deref(), Some("550 nobody"));
    assert!(!state.may_mail("ana", "ana@example.com").unwrap());
    assert_eq!(state.recipient("ana").unwrap().told, Some(after(2)));
    // Whoever says that it is right gets them again.
    subscribe(&state, "ana@example.com", false, after(9));
    assert!(state.may_mail("ana", "ana@example.com").unwrap());
}

#[test]
fn what_nobody_wants_any_more_is_not_sent() {
    let state = state(true);
    let updated = subscribe(&state, "ana@example.com", true, at(1));
    let claim = |date: &str, updated: Moment, now: u64| {
        assert!(
            state
                .claim_slot(
                    "ana",
                    updated,
                    &slot(date),
                    Some(&digest("ana@example.com", at(now)))
                )
                .unwrap()
        );
    };
    claim("2026-11-24", updated, 2);
    let changed = subscribe(&state, "new@example.com", true, at(3));
    assert!(try_one(&state, Ok(String::new()), at(4)));
    assert_eq!(statuses(&state), [MailStatus::Dropped]);
    // Nor what is a day old.
    let back = subscribe(&state, "ana@example.com", true, changed + MILLISECOND);
    claim("2026-11-25", back, 5);
    assert!(try_one(&state, Ok(String::new()), at(5) + DAY));
    assert_eq!(statuses(&state)[0], MailStatus::Dropped);
    assert_eq!(
        state.mails_of("ana", 1).unwrap()[0].data,
        serde_json::Value::Null
    );
    state.sweep_mails(after(40)).unwrap();
    assert_eq!(statuses(&state), []);
}

/// Where nothing can be sent, nothing is written down.
#[test]
fn without_a_server_there_is_no_mail() {
    let state = State::in_memory().unwrap();
    subscribe(&state, "ana@example.com", false, at(1));
    assert_eq!(state.ask_for_confirmations(at(2)).unwrap(), 0);
    assert_eq!(statuses(&state), []);
}
