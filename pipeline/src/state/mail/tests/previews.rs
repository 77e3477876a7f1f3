//! Mail about previews: whom it may go to.

use super::*;
use crate::model::{Locale, PreviewId};
use crate::state::{PreviewRecord, PreviewStage, PreviewStatus};

const ANA: &str = "ana@example.com";

/// A ready preview, ordered by a subject or with a preview token.
fn ready(subject: Option<&str>, email: &str) -> PreviewRecord {
    PreviewRecord {
        bytes: 0,
        id: PreviewId::new(),
        source_url: "https://a.example/".to_owned(),
        source: Locale::parse("en").unwrap(),
        target: Locale::parse("es").unwrap(),
        sites: None,
        subject: subject.map(str::to_owned),
        stranger: None,
        site: None,
        email: Some(email.to_owned()),
        locale: None,
        token: String::new(),
        status: PreviewStatus::Ready,
        stage: PreviewStage::Saving,
        failure: None,
        attempts: 1,
        created: at(1),
        expires: after(3),
        swept: false,
    }
}

fn put(state: &State, subject: Option<&str>, email: &str, now: Moment) {
    state.put_preview(&ready(subject, email), now).unwrap();
}

/// Sends all that is due; gives the kinds, and what stands in the link of the last mail that has one.
fn sent(state: &State, now: Moment) -> (Vec<MailKind>, Option<String>) {
    let mut kinds = Vec::new();
    let mut link = None;
    while let NextMail::Due { place, mail } = state.next_mail(now).unwrap() {
        if state.begin_mail(place, now).unwrap() {
            state
                .record_mail(place, &Ok("250 taken".to_owned()), now)
                .unwrap();
            link = mail.data["token"].as_str().map(str::to_owned).or(link);
            kinds.push(mail.kind);
        }
    }
    (kinds, link)
}

fn leave(state: &State, subject: Option<&str>, email: &str) -> String {
    let account = super::super::rows::orderer(subject);
    state.address(&account, email).unwrap().unwrap().leave
}

#[test]
fn an_address_that_nobody_confirmed_gets_one_mail_that_asks() {
    let state = state(true);
    for hour in 0..60 {
        put(&state, None, ANA, at(1) + hour * HOUR);
    }
    assert_eq!(
        sent(&state, at(1) + 20 * HOUR).0,
        [MailKind::PreviewConfirmation]
    );
    // Every orderer asks for consent of their own, within the daily limit of the address.
    for subject in ["bob", "eve", "mallory", "oscar"] {
        put(&state, Some(subject), "Ana@Example.com", at(2));
    }
    assert_eq!(sent(&state, at(3)).0, [MailKind::PreviewConfirmation; 2]);
}

#[test]
fn a_confirmed_address_is_told_of_what_waited_and_of_what_comes_until_it_leaves() {
    let state = state(true);
    for _ in 0..2 {
        put(&state, Some("ana"), ANA, at(1));
    }
    let (kinds, link) = sent(&state, at(1));
    let link = link.unwrap();
    assert_eq!(kinds, [MailKind::PreviewConfirmation]);
    put(&state, Some("bob"), ANA, at(1));
    assert_eq!(sent(&state, at(1)).0, [MailKind::PreviewConfirmation]);
    assert!(state.mail_link(&link, at(2)).unwrap().unwrap().previews);
    for _ in 0..2 {
        state.follow_mail_link(&link, at(2)).unwrap().unwrap();
    }
    assert_eq!(sent(&state, at(3)).0, [MailKind::PreviewReady; 2]);
    put(&state, Some("ana"), ANA, at(4));
    // A queued mail is dropped when its recipient leaves.
    state
        .follow_mail_link(&leave(&state, Some("ana"), ANA), at(5))
        .unwrap()
        .unwrap();
    assert_eq!(sent(&state, at(6)).0, []);
    put(&state, Some("ana"), ANA, after(20));
    assert_eq!(sent(&state, after(20)).0, []);
    // A yes to previews is none to digests.
    assert!(!state.may_mail("ana", ANA).unwrap());
}

#[test]
fn a_verified_address_and_a_server_that_asks_nobody_need_no_question() {
    let asking = state(true);
    asking.verify_for_previews("ana", ANA, at(1)).unwrap();
    put(&asking, Some("ana"), ANA, at(2));
    put(&asking, Some("bob"), ANA, at(2));
    assert_eq!(
        sent(&asking, at(3)).0,
        [MailKind::PreviewReady, MailKind::PreviewConfirmation]
    );
    // A confirmation link does not bring back a recipient who left.
    asking
        .follow_mail_link(&leave(&asking, Some("ana"), ANA), at(4))
        .unwrap();
    asking.verify_for_previews("ana", ANA, at(5)).unwrap();
    put(&asking, Some("ana"), ANA, at(6));
    assert_eq!(sent(&asking, at(7)).0, []);
    let trusting = state(false);
    put(&trusting, None, ANA, at(1));
    assert_eq!(sent(&trusting, at(1)).0, [MailKind::PreviewReady]);
    trusting
        .follow_mail_link(&leave(&trusting, None, ANA), at(2))
        .unwrap()
        .unwrap();
    put(&trusting, None, ANA, at(3));
    assert_eq!(sent(&trusting, at(3)).0, []);
}

#[test]
fn addresses_of_which_nobody_said_anything_are_forgotten() {
    let state = state(true);
    put(&state, None, ANA, at(1));
    let (_, link) = sent(&state, at(1));
    let account = super::super::rows::orderer(None);
    for (day, is_known) in [(29, true), (31, false)] {
        state.sweep_mails(after(day)).unwrap();
        assert_eq!(
            state.address(&account, ANA).unwrap().is_some(),
            is_known,
            "{day}"
        );
    }
    assert_eq!(state.follow_mail_link(&link.unwrap(), at(2)).unwrap(), None);
}
