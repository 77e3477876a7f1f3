//! A disk that fills up under the database, and has room again.

use super::*;

fn long(number: usize) -> Vec<(SegmentKey, Remembered)> {
    (0..200)
        .map(|at| segment(&format!("{number} {at} {}", "bread and butter ".repeat(20))))
        .collect()
}

#[test]
fn full_disk_refuses_alone_and_what_was_kept_is_read() {
    let room = Arc::new(AtomicU64::new(u64::MAX));
    let state = State::in_memory_of(Arc::clone(&room)).unwrap();
    let site = site("a");
    let es = locale("es");
    let first = long(0);
    state.remember(&site, &es, &first).unwrap();
    room.store(0, std::sync::atomic::Ordering::Release);
    let mut kept = 1;
    let error = loop {
        match state.remember(&site, &es, &long(kept)) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 1000, "the disk never filled up");
    };
    assert_eq!(error.trouble(), Some(DiskTrouble::NoRoom), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("cannot remember translations in the state memory: "),
        "{error}"
    );
    // Again and again, and reading goes on in between.
    for _ in 0..3 {
        assert_eq!(state.recall_all(&site, &es).unwrap().len(), 200 * kept);
        assert_eq!(
            state.probe().unwrap_err().trouble(),
            Some(DiskTrouble::NoRoom)
        );
        assert_eq!(state.trouble(), Some(DiskTrouble::NoRoom));
    }
    room.store(u64::MAX, std::sync::atomic::Ordering::Release);
    state.probe().unwrap();
    assert_eq!(state.trouble(), None);
    state.remember(&site, &es, &long(kept)).unwrap();
    assert_eq!(
        state.recall_all(&site, &es).unwrap().len(),
        200 * (kept + 1)
    );
}

#[test]
fn run_that_a_full_disk_broke_off_waits_again_and_is_not_counted() {
    let state = State::in_memory().unwrap();
    let site = site("a");
    let order = RunOrder::of(RunKind::Build, RunOrigin::Api);
    let run = RunRecord::new(order, 0, at(1));
    state
        .order_run(&site, run.clone(), None, at(1), |_, _| {
            serde_json::Value::Null
        })
        .unwrap();
    for now in 2..10 {
        let claimed = state
            .claim_run(&site, RunKind::Build, at(now))
            .unwrap()
            .unwrap();
        assert_eq!((claimed.id, claimed.attempts), (run.id, 1));
        state.release_runs(&site).unwrap();
        let waiting = state.run(&site, run.id).unwrap().unwrap();
        assert_eq!((waiting.status, waiting.attempts), (RunStatus::Queued, 0));
    }
}

#[test]
fn state_on_a_disk_is_opened_again_and_never_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let state = State::open(&path).unwrap();
    state.remember(&site("a"), &locale("es"), &long(0)).unwrap();
    state.database.fail();
    assert_eq!(
        state.recall_all(&site("a"), &locale("es")).unwrap().len(),
        200
    );
    assert!(matches!(State::open(&path), Err(StateError::Held { .. })));
    std::fs::remove_file(&path).unwrap();
    state.database.fail();
    let error = state
        .remember(&site("a"), &locale("es"), &long(1))
        .unwrap_err();
    assert_eq!(error.trouble(), Some(DiskTrouble::Unusable), "{error}");
    assert!(!path.exists());
}
