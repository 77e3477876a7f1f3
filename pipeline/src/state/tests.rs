//! The state in memory and on a disk.
//!
//! One file: the promises of the state as a whole; rows have their tests beside them.

mod compact;
mod damage;
mod full;
mod memory;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::backend::WriteTransaction;
use super::database::FORM;
use super::tables::{META, RUNS};
use super::*;
use crate::model::{Locale, Moment, PagePath, SegmentKey, SiteId};
use crate::translate::Remembered;

fn site(id: &str) -> SiteId {
    SiteId::parse(id).unwrap()
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn segment(text: &str) -> (SegmentKey, Remembered) {
    let remembered = Remembered {
        text: text.to_uppercase(),
        engine: "test 1".to_owned(),
        source: text.to_owned(),
        refused: None,
        terms: None,
    };
    (SegmentKey::new(&locale("en"), "text", text), remembered)
}

fn source(name: &str) -> SourceRecord {
    SourceRecord {
        hash: "00".into(),
        content_type: "text/html".into(),
        charset: Some("utf-8".into()),
        kind: SourceKind::Page,
        noindex: false,
        fragment: false,
        frames: Box::default(),
        addresses: Default::default(),
        robots: None,
        links: None,
        etag: Some("\"1\"".into()),
        last_modified: None,
        name: name.into(),
        drawing: None,
        taken: std::collections::BTreeSet::new(),
        policies: Box::default(),
    }
}

#[test]
fn translations_are_kept_per_site_and_locale() {
    let state = State::in_memory().unwrap();
    let bread = segment("bread");
    let rolls = segment("rolls");
    let es = locale("es");
    state
        .remember(&site("a"), &es, &[bread.clone(), rolls.clone()])
        .unwrap();
    state
        .remember(&site("a"), &locale("es-MX"), std::slice::from_ref(&rolls))
        .unwrap();
    state
        .remember(&site("a-b"), &es, std::slice::from_ref(&bread))
        .unwrap();
    let found = state
        .recall(&site("a"), &es, &[bread.0, segment("cake").0])
        .unwrap();
    assert_eq!(found, HashMap::from([bread.clone()]));
    let mut sorted = vec![bread.clone(), rolls];
    sorted.sort_by_key(|(key, _)| *key);
    assert_eq!(state.recall_all(&site("a"), &es).unwrap(), sorted);
    assert_eq!(state.recall_all(&site("a-b"), &es).unwrap(), [bread]);
    assert_eq!(state.recall_all(&site("b"), &es).unwrap(), []);
}

#[test]
fn later_translation_replaces_an_earlier_one() {
    let state = State::in_memory().unwrap();
    let (key, remembered) = segment("bread");
    let better = Remembered {
        text: "pan".to_owned(),
        ..remembered.clone()
    };
    for remembered in [remembered, better.clone()] {
        state
            .remember(&site("a"), &locale("es"), &[(key, remembered)])
            .unwrap();
    }
    assert_eq!(
        state.recall_all(&site("a"), &locale("es")).unwrap(),
        [(key, better)]
    );
}

#[test]
fn sources_are_replaced_as_a_whole_or_by_what_changed() {
    let state = State::in_memory().unwrap();
    let sources = |paths: &[&str]| -> SourceRecords {
        paths
            .iter()
            .map(|path| (PagePath::parse(path).unwrap(), source(path).into()))
            .collect()
    };
    let accept = |of: &str, rows: SourceRows| {
        state
            .accept_sources(&site(of), &rows, &AcceptedSource::default(), None)
            .unwrap();
    };
    let all = |paths: &[&str]| SourceRows::All(sources(paths));
    accept("a", all(&["/", "/old"]));
    accept("a-b", all(&["/other"]));
    accept("a", all(&["/", "/new?page=2"]));
    assert_eq!(
        state.sources(&site("a")).unwrap(),
        sources(&["/", "/new?page=2"])
    );
    let gone = [PagePath::parse("/new?page=2").unwrap()].into();
    accept(
        "a",
        SourceRows::Changed {
            records: sources(&["/newer"]),
            gone,
        },
    );
    assert_eq!(
        state.sources(&site("a")).unwrap(),
        sources(&["/", "/newer"])
    );
    assert_eq!(state.sources(&site("a-b")).unwrap(), sources(&["/other"]));
}

fn at(millis: u64) -> Moment {
    Moment::of_millis(millis)
}

fn order(force: bool) -> RunOrder {
    let locales = [locale("es")].into();
    RunOrder {
        locales,
        force,
        ..RunOrder::of(RunKind::Build, RunOrigin::Api)
    }
}

fn answer(run: &RunRecord, is_new: bool) -> serde_json::Value {
    serde_json::json!({ "run": run.id, "new": is_new })
}

fn ordered(
    state: &State,
    order: &RunOrder,
    promise: Option<Idempotency<'_>>,
    now: u64,
) -> OrderOutcome {
    let now = at(now);
    state
        .order_run(
            &site("a"),
            RunRecord::new(order.clone(), 0, now),
            promise,
            now,
            answer,
        )
        .unwrap()
}

#[test]
fn equal_orders_are_one_run_until_it_is_over() {
    let state = State::in_memory().unwrap();
    let OrderOutcome::Now(first) = ordered(&state, &order(false), None, 1) else {
        panic!()
    };
    let OrderOutcome::Now(again) = ordered(&state, &order(false), None, 2) else {
        panic!()
    };
    let OrderOutcome::Now(other) = ordered(&state, &order(true), None, 3) else {
        panic!()
    };
    assert_eq!(
        (&first["new"], &again["new"], &other["new"]),
        (&true.into(), &false.into(), &true.into())
    );
    assert!(first["run"] == again["run"] && first["run"] != other["run"]);
    let mut claimed = state
        .claim_run(&site("a"), RunKind::Build, at(4))
        .unwrap()
        .unwrap();
    assert_eq!(
        (serde_json::json!(claimed.id), claimed.attempts),
        (first["run"].clone(), 1)
    );
    let OrderOutcome::Now(still) = ordered(&state, &order(false), None, 5) else {
        panic!()
    };
    assert_eq!(still["run"], first["run"]);
    (claimed.status, claimed.finished) = (RunStatus::Completed, Some(at(6)));
    state
        .finish_run(&site("a"), &claimed, &BTreeMap::new(), &[])
        .unwrap();
    let OrderOutcome::Now(later) = ordered(&state, &order(false), None, 7) else {
        panic!()
    };
    assert_ne!(later["run"], first["run"]);
    assert_eq!(state.runs(&site("a")).unwrap().len(), 3);
    assert_eq!(state.runs(&site("b")).unwrap(), []);
}

#[test]
fn promised_request_is_answered_once_a_day() {
    let state = State::in_memory().unwrap();
    let promise = |request| {
        Some(Idempotency {
            subject: "ana",
            key: "k",
            request,
        })
    };
    let OrderOutcome::Now(first) = ordered(&state, &order(false), promise("x"), 1) else {
        panic!()
    };
    assert_eq!(
        ordered(&state, &order(false), promise("x"), 2),
        OrderOutcome::Before(first)
    );
    assert_eq!(
        ordered(&state, &order(true), promise("y"), 3),
        OrderOutcome::Conflict
    );
    let later = 24 * 60 * 60 * 1000 + 1;
    assert!(matches!(
        ordered(&state, &order(true), promise("y"), later),
        OrderOutcome::Now(_)
    ));
}

#[test]
fn a_request_is_remembered_by_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(&folder.path().join("state.redb")).unwrap();
    let long = "page ".repeat(20_000);
    for key in 0..100 {
        let key = key.to_string();
        let promise = Idempotency {
            subject: "ana",
            key: &key,
            request: &long,
        };
        ordered(&state, &order(false), Some(promise), 1);
        assert!(matches!(
            ordered(&state, &order(false), Some(promise), 2),
            OrderOutcome::Before(_)
        ));
    }
    let size = std::fs::metadata(folder.path().join("state.redb"))
        .unwrap()
        .len();
    assert!(size < 5 << 20, "{size} bytes");
}

#[test]
fn state_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let rights =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.path().join("deep/.latimer/state.redb");
    drop(State::open(&path).unwrap());
    assert_eq!(
        (rights(&path), rights(path.parent().unwrap())),
        (0o600, 0o700)
    );
    // Published files may lie beside it, so that folder has the rights of any other.
    let usual = folder.path().join("usual");
    std::fs::create_dir(&usual).unwrap();
    assert_eq!(rights(&folder.path().join("deep")), rights(&usual));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    drop(State::open(&path).unwrap());
    assert_eq!(rights(&path), 0o600);
}

#[test]
fn queue_has_an_end_and_rendering_goes_first() {
    let state = State::in_memory().unwrap();
    let of = |number: usize| {
        let mut order = order(false);
        order.pages.add(&format!("/{number}")).unwrap();
        order
    };
    for number in 0..50 {
        assert!(matches!(
            ordered(&state, &of(number), None, 1),
            OrderOutcome::Now(_)
        ));
    }
    assert_eq!(ordered(&state, &of(50), None, 1), OrderOutcome::Full);
    state
        .claim_run(&site("a"), RunKind::Build, at(2))
        .unwrap()
        .unwrap();
    let render = RunOrder {
        kind: RunKind::Render,
        ..order(false)
    };
    let run = |now| Some(RunRecord::new(render.clone(), 0, at(now)));
    let switch = |enabled, now| {
        state
            .turn_switch(&site("a"), &locale("es"), enabled, run(now), None, at(now))
            .unwrap()
    };
    let off = switch(false, 3);
    let on = switch(true, 4);
    assert!(
        off.run.is_some() && off.run == on.run,
        "both are published by the run that waits"
    );
    assert_eq!(state.next_run(&site("a")).unwrap(), Some(RunKind::Render));
    assert_eq!(
        state.claim_run(&site("a"), RunKind::Build, at(5)).unwrap(),
        None,
        "a render goes first"
    );
    assert_eq!(
        state
            .claim_run(&site("a"), RunKind::Render, at(5))
            .unwrap()
            .map(|run| run.id),
        on.run
    );
    assert_ne!(
        switch(false, 6).run,
        on.run,
        "a run that works may have looked before"
    );
    assert!(!state.switches(&site("a")).unwrap()[&locale("es")].enabled);
}

#[test]
fn run_that_was_cut_off_waits_again_but_not_for_ever() {
    let state = State::in_memory().unwrap();
    ordered(&state, &order(false), None, 1);
    let by_hand = RunOrder {
        origin: RunOrigin::CommandLine,
        ..order(false)
    };
    state.begin_run(&site("a"), by_hand, at(1)).unwrap();
    let mut states = Vec::new();
    for now in 2..6 {
        state
            .claim_run(&site("a"), RunKind::Build, at(now))
            .unwrap();
        state.recover_runs(&site("a"), at(now)).unwrap();
        states.push(
            state
                .runs(&site("a"))
                .unwrap()
                .iter()
                .map(|run| run.status)
                .collect::<Vec<_>>(),
        );
    }
    let queued = RunStatus::Queued;
    let failed = RunStatus::Failed;
    assert_eq!(
        states,
        [
            [failed, queued],
            [failed, failed],
            [failed, failed],
            [failed, failed]
        ]
    );
    let failure = state.runs(&site("a")).unwrap()[1].failures[0].clone();
    assert!(
        failure.code == "interrupted" && failure.message.contains("the process ended 2 times"),
        "{failure:?}"
    );
    assert!(
        matches!(
            ordered(&state, &order(false), None, 7),
            OrderOutcome::Now(_)
        ),
        "it can be ordered again"
    );
    let again = state.claim_run(&site("a"), RunKind::Build, at(8)).unwrap();
    assert_eq!(again.map(|run| run.attempts), Some(1));
}

#[test]
fn summaries_are_kept_per_locale() {
    let state = State::in_memory().unwrap();
    let put = |site_id, tag, frequency, summary, now| {
        state
            .put_summary(&site(site_id), &locale(tag), frequency, summary, at(now))
            .unwrap()
    };
    let sent = SentSummary {
        pages_updated: Some(3),
        ..SentSummary::default()
    };
    put("a", "es", Some(Frequency::Daily), None, 1);
    put("a-b", "es", None, Some(sent.clone()), 1);
    put("a", "ar", None, Some(sent.clone()), 2);
    let record = put("a", "es", None, Some(sent.clone()), 3);
    assert_eq!(
        (record.frequency, record.created, record.updated),
        (Frequency::Daily, at(1), at(1))
    );
    let replaced = put(
        "a",
        "es",
        Some(Frequency::Off),
        Some(SentSummary::default()),
        4,
    )
    .summary
    .unwrap();
    assert_eq!(
        replaced,
        SentSummary {
            created: at(3),
            updated: at(4),
            ..SentSummary::default()
        }
    );
    let found = state.summaries(&site("a")).unwrap();
    assert_eq!(
        found
            .iter()
            .map(|(locale, _)| locale.as_str())
            .collect::<Vec<_>>(),
        ["ar", "es"]
    );
    assert_eq!(
        found[0].1.summary,
        Some(SentSummary {
            created: at(2),
            updated: at(2),
            ..sent
        })
    );
}

#[test]
fn account_has_one_subscription() {
    let state = State::in_memory().unwrap();
    state
        .subscribe(
            "ana",
            "ana@example.com",
            Frequency::Daily,
            &[],
            false,
            at(1),
        )
        .unwrap();
    state
        .subscribe(
            "bob",
            "bob@example.com",
            Frequency::Daily,
            &[],
            false,
            at(2),
        )
        .unwrap();
    let sites = ["bakery".to_owned()];
    let replaced = state
        .subscribe("ana", "a@example.com", Frequency::Off, &sites, false, at(3))
        .unwrap();
    let expected = DigestSubscription {
        email: "a@example.com".to_owned(),
        frequency: Frequency::Off,
        sites: sites.to_vec(),
        created: at(1),
        wanted: at(1),
        updated: at(3),
    };
    assert_eq!(replaced, expected);
    assert_eq!(state.subscriptions().unwrap().len(), 2);
}

#[test]
fn second_opener_is_told_who_has_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/state.redb");
    let state = State::open(&path).unwrap();
    ordered(&state, &order(false), None, 1);
    let message = State::open(&path).unwrap_err().to_string();
    assert!(
        message.contains(&format!("in use by process {}", std::process::id())),
        "{message}"
    );
    drop(state);
    let mut state = State::open(&path).unwrap();
    assert_eq!(state.runs(&site("a")).unwrap().len(), 1);
    assert!(state.check().unwrap());
    drop(state);
    assert_eq!(
        std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1,
        "the note is gone"
    );
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the state is free after a while, whatever happens"
)]
fn a_state_that_a_killed_process_leaves_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    drop(State::open(&path).unwrap());
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    std::fs::write(
        folder.path().join("state.redb.holder"),
        format!("process {} (latimer build)\n", gone.id()),
    )
    .unwrap();
    let held = std::fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let holding = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        drop(held);
    });
    State::open(&path).unwrap();
    holding.join().unwrap();
}

#[test]
fn what_is_no_state_of_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.redb");
    let make = |form: u64| {
        let state = State::open(&other).unwrap();
        let write = |transaction: &WriteTransaction| {
            transaction.open_table(META)?.insert("form", form)?;
            Ok(())
        };
        state.write("make it another version's", write).unwrap();
    };
    make(FORM + 1);
    assert!(matches!(State::open(&other), Err(StateError::Newer { .. })));
    std::fs::remove_file(&other).unwrap();
    make(FORM - 1);
    let error = State::open(&other).unwrap_err();
    assert!(matches!(error, StateError::Older { .. }));
    assert!(
        error.to_string().contains("`latimer state rebuild`"),
        "{error}"
    );
    let foreign = folder.path().join("foreign.redb");
    std::fs::write(&foreign, "not a database ".repeat(1000)).unwrap();
    assert!(matches!(
        State::open(&foreign),
        Err(StateError::Damaged { .. })
    ));
    assert!(
        std::fs::read_to_string(&foreign)
            .unwrap()
            .starts_with("not a database")
    );
}

#[test]
fn row_that_makes_no_sense_is_an_error() {
    let state = State::in_memory().unwrap();
    state
        .write("break", |transaction| {
            transaction
                .open_table(RUNS)?
                .insert(("a", "x"), b"{".as_slice())?;
            Ok(())
        })
        .unwrap();
    assert!(matches!(
        state.runs(&site("a")),
        Err(StateError::Row { .. })
    ));
}
