//! When digests are written down: once for each date, whatever happens, and nothing that happened is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::mail::MailError;
use crate::model::{Locale, SiteId};
use crate::state::{
    LocaleLeft, LocaleRun, MailStatus, NextMail, RunOrder, RunRecord, RunStatus, WordsByOrigin,
};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// 1 January 2026.
const BEGIN: Moment = Moment::of_millis(1_767_225_600_000);
const CONFIG: &str = "[[site]]\nid = \"bakery\"\nsource = \"public\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
                      url = \"https://{lang}.example.com\"\n";

struct SlotsFixture {
    state: State,
    sites: Vec<SiteConfig>,
    schedule: Schedule,
}

impl SlotsFixture {
    fn new(frequency: Frequency) -> Self {
        let state = State::in_memory().unwrap();
        state.set_mailing(true, true);
        let config = Config::parse(CONFIG, Path::new("/x/latimer.toml"), &|_| None).unwrap();
        state
            .subscribe(
                "ana",
                "ana@example.com",
                frequency,
                &["bakery".to_owned()],
                true,
                BEGIN,
            )
            .unwrap();
        state
            .set_recipient("ana", Some("Europe/Madrid".to_owned()), None)
            .unwrap();
        Self {
            state,
            sites: config.sites,
            schedule: Schedule::default(),
        }
    }

    /// A run that changed one page.
    fn run(&self, at: Moment) {
        let site = SiteId::parse("bakery").unwrap();
        let run = self
            .state
            .begin_run(&site, RunOrder::publishing("live".to_owned(), None), at)
            .unwrap();
        let figures = LocaleRun {
            run: run.id,
            at,
            pages: 9,
            updated: 1,
            deployed: true,
            to_review: 0,
            edits: 0,
            words: WordsByOrigin {
                person: 0,
                memory: 0,
                engine: 5,
                untranslated: 2,
            },
            characters_sent: 40,
            tokens: BTreeMap::new(),
            route: String::new(),
            failures: 0,
        };
        let left = LocaleLeft {
            run: figures,
            total: 0,
            pages: None,
        };
        let done = RunRecord {
            status: RunStatus::Completed,
            finished: Some(at),
            ..run
        };
        self.state
            .finish_run(
                &site,
                &done,
                &BTreeMap::from([(Locale::parse("es").unwrap(), left)]),
                &[],
            )
            .unwrap();
    }

    fn look(&self, now: Moment) -> usize {
        fill(&self.sites, &self.state, &self.schedule, now).unwrap()
    }
}

fn updated(data: &serde_json::Value) -> u64 {
    data["sites"][0]["lines"][0]["updated"].as_u64().unwrap()
}

/// What happens when a mail is due.
#[derive(Clone, Copy, Debug)]
enum Try {
    Taken,
    Later,
    Unreachable,
    Refused,
    Unanswered,
    /// The process ends before the mail is marked, or after that, or after the server took it.
    KilledBefore,
    KilledWhile,
    KilledAfter,
}

const TRIES: [Try; 8] = [
    Try::Taken,
    Try::Later,
    Try::Unreachable,
    Try::Refused,
    Try::Unanswered,
    Try::KilledBefore,
    Try::KilledWhile,
    Try::KilledAfter,
];

/// A year of days, over both changes of the clock, with a server that misbehaves and a process that is killed or away for hours:
/// no local date has two mails, no mail arrives twice, and what changed stands in exactly one of those that the server took.
fn year(world: &SlotsFixture, mut next: impl FnMut() -> (Try, bool)) {
    let mut arrived: Vec<(String, u64)> = Vec::new();
    let mut told = 0;
    let mut runs = 0;
    let mut away_until = Moment::default();
    for step in 0..365 * 24 {
        let now = BEGIN + step * HOUR;
        if step % 12 == 5 {
            world.run(now);
            runs += 1;
        }
        if now < away_until {
            continue;
        }
        world.look(now);
        let NextMail::Due { place, mail } = world.state.next_mail(now).unwrap() else {
            continue;
        };
        let (done, goes_away) = next();
        let record = |answer: Result<String, MailError>| {
            world.state.record_mail(place, &answer, now).unwrap();
        };
        let begin = || world.state.begin_mail(place, now).unwrap();
        match done {
            Try::Taken if begin() => {
                arrived.push((mail.id, updated(&mail.data)));
                told += updated(&mail.data);
                record(Ok(String::new()));
            }
            Try::Later if begin() => record(Err(MailError::Later(String::new()))),
            Try::Refused if begin() => record(Err(MailError::Refused {
                said: String::new(),
                recipient: false,
            })),
            Try::Unanswered if begin() => record(Err(MailError::Unknown(String::new()))),
            Try::Unreachable => record(Err(MailError::Unreachable(String::new()))),
            Try::KilledBefore => drop(world.state.recover_mails().unwrap()),
            Try::KilledWhile if begin() => drop(world.state.recover_mails().unwrap()),
            Try::KilledAfter if begin() => {
                // It arrived, and nobody knows.
                arrived.push((mail.id, 0));
                world.state.recover_mails().unwrap();
            }
            _ => {}
        }
        if goes_away {
            away_until = now + 30 * HOUR;
        }
    }
    let ids: BTreeSet<&str> = arrived.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids.len(), arrived.len(), "a mail arrived twice");
    let now = BEGIN + 366 * DAY;
    let rest = super::super::due_to("ana", &world.sites, &world.state, now)
        .unwrap()
        .unwrap();
    let rest: u64 = rest.lines.iter().map(|line| line.updated).sum();
    assert_eq!(told + rest, runs, "each change is told once");
}

#[test]
fn a_year_without_trouble_has_a_digest_for_each_day() {
    let world = SlotsFixture::new(Frequency::Daily);
    let mut sent = 0;
    year(&world, || {
        sent += 1;
        (Try::Taken, false)
    });
    assert_eq!(sent, 365);
    let world = SlotsFixture::new(Frequency::Weekly);
    let mut sent = 0;
    year(&world, || {
        sent += 1;
        (Try::Taken, false)
    });
    assert_eq!(sent, 52);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn a_year_of_trouble_doubles_nothing_and_loses_nothing(tries in prop::collection::vec((0..TRIES.len(), 0..10_u8), 400)) {
        let mut tries = tries.into_iter().cycle();
        year(&SlotsFixture::new(Frequency::Daily), || {
            tries.next().map_or((Try::Taken, false), |(index, away)| (TRIES[index], away == 0))
        });
    }
}

#[test]
fn nothing_happened_is_no_mail() {
    let world = SlotsFixture::new(Frequency::Daily);
    assert_eq!(
        (0..20)
            .map(|day| world.look(BEGIN + day * DAY + 12 * HOUR))
            .sum::<usize>(),
        0
    );
    world.run(BEGIN + 20 * DAY);
    assert_eq!(world.look(BEGIN + 20 * DAY + 12 * HOUR), 1);
    assert_eq!(world.look(BEGIN + 20 * DAY + 13 * HOUR), 0);
    assert_eq!(
        world.state.mails_of("ana", 9).unwrap()[0].status,
        MailStatus::Waiting
    );
}

/// Whoever says in the afternoon that they want digests gets none of the morning, and none that is off gets any.
#[test]
fn the_first_digest_comes_at_the_next_slot() {
    let world = SlotsFixture::new(Frequency::Daily);
    world.run(BEGIN);
    let sites = ["bakery".to_owned()];
    let subscribe = |frequency, now| {
        world
            .state
            .subscribe("bob", "bob@example.com", frequency, &sites, true, now)
            .unwrap();
    };
    let of_bob = || world.state.mails_of("bob", 9).unwrap().len();
    subscribe(Frequency::Daily, BEGIN + 14 * HOUR);
    world.look(BEGIN + 15 * HOUR);
    assert_eq!(of_bob(), 0);
    world.look(BEGIN + DAY + 9 * HOUR);
    assert_eq!(of_bob(), 0, "the run was more than a day ago");
    world.run(BEGIN + DAY + 12 * HOUR);
    subscribe(Frequency::Off, BEGIN + DAY + 13 * HOUR);
    world.look(BEGIN + 2 * DAY + 9 * HOUR);
    assert_eq!(of_bob(), 0);
}
