//! A state made as small as what it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::state::backend::ReadTransaction;
use crate::state::tables::MEMORY;

/// Texts whose keys come in no order.
fn texts() -> Vec<(SegmentKey, Remembered)> {
    (0..4000)
        .map(|number| segment(&format!("the loaf {number} of a row of loaves")))
        .collect()
}

/// How full the pages are that hold translations, in percent.
fn fullness(state: &State) -> u64 {
    let read = |transaction: &ReadTransaction| Ok(transaction.open_table(MEMORY)?.fullness()?);
    state.read("", read).unwrap()
}

#[test]
fn translations_fill_the_pages_of_a_compacted_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let texts = texts();
    let es = locale("es");
    let state = State::open(&path).unwrap();
    for some in texts.chunks(200) {
        state.remember(&site("a"), &es, some).unwrap();
    }
    let before = fullness(&state);
    let all = state.recall_all(&site("a"), &es).unwrap();
    state.compact().unwrap();
    let state = State::open(&path).unwrap();
    assert!(
        before < 80 && fullness(&state) > 90,
        "{before} %, {} %",
        fullness(&state)
    );
    assert_eq!(state.recall_all(&site("a"), &es).unwrap(), all);
    let form = state.read("", |transaction| {
        Ok(transaction
            .open_table(META)?
            .get("form")?
            .map(|form| form.value()))
    });
    assert_eq!(form.unwrap(), Some(FORM));
}

#[test]
fn a_state_that_lacks_room_for_its_copy_is_what_it_was() {
    let room = Arc::new(AtomicU64::new(u64::MAX));
    let mut state = State::in_memory_of(Arc::clone(&room)).unwrap();
    let texts = texts();
    let es = locale("es");
    state.remember(&site("a"), &es, &texts).unwrap();
    let all = state.recall_all(&site("a"), &es).unwrap();
    room.store(0, Ordering::Relaxed);
    let error = state.pack().unwrap_err();
    assert_eq!(error.trouble(), Some(DiskTrouble::NoRoom), "{error}");
    assert_eq!(state.recall_all(&site("a"), &es).unwrap(), all);
    room.store(u64::MAX, Ordering::Relaxed);
    state.pack().unwrap();
    assert_eq!(
        (
            fullness(&state) > 90,
            state.recall_all(&site("a"), &es).unwrap()
        ),
        (true, all)
    );
}
