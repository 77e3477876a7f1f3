//! State files that are damaged: an error that says what to do, never a panic, and never words that nobody wrote.

use std::fs;
use std::path::Path;

use super::*;

const ROWS: usize = 3_000;

/// A state of some hundred pages.
fn filled(path: &Path) -> Vec<(SegmentKey, Remembered)> {
    let state = State::open(path).unwrap();
    let mut rows: Vec<_> = (0..ROWS)
        .map(|row| segment(&format!("text {row}: {}", "bread ".repeat(20))))
        .collect();
    state.remember(&site("a"), &locale("es"), &rows).unwrap();
    rows.sort_by_key(|(key, _)| *key);
    rows
}

/// Bytes that look like none of ours.
fn noise(mut seed: u64, length: usize) -> Vec<u8> {
    let byte = |_| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed.to_be_bytes()[0]
    };
    (0..length).map(byte).collect()
}

#[test]
fn a_damaged_file_is_a_sentence_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.redb");
    filled(&good);
    let bytes = fs::read(&good).unwrap();
    let overwritten = |at: usize, with: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        bytes
    };
    for (name, damaged) in [
        ("a few bytes", bytes[..5].to_vec()),
        ("its first page", bytes[..4096].to_vec()),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("zeros", vec![0; bytes.len()]),
        ("foreign", b"not a database ".repeat(1000)),
        ("another header", overwritten(9, &noise(1, 300))),
        ("other pages", overwritten(4096, &noise(2, bytes.len() / 2))),
    ] {
        let path = folder.path().join("damaged.redb");
        fs::write(&path, &damaged).unwrap();
        let Ok(StateHealth::Unusable(error)) = State::health(&path) else {
            panic!("{name} is not found")
        };
        let message = error.to_string();
        assert!(
            message.contains("damaged.redb") && message.contains("`latimer state rebuild`"),
            "{name}: {message}"
        );
    }
    for missing in [
        folder.path().join("none.redb"),
        folder.path().join("empty.redb"),
    ] {
        if missing.ends_with("empty.redb") {
            fs::write(&missing, "").unwrap();
        }
        assert!(matches!(State::health(&missing), Ok(StateHealth::Missing)));
    }
    assert!(matches!(State::health(&good), Ok(StateHealth::Sound)));
    fs::create_dir(folder.path().join("folder.redb")).unwrap();
    let message = State::open(&folder.path().join("folder.redb"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("it is a folder"), "{message}");
}

#[test]
fn a_page_of_noise_is_found_by_who_looks_and_gives_nobody_wrong_words() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.redb");
    let rows = filled(&good);
    let bytes = fs::read(&good).unwrap();
    let path = folder.path().join("damaged.redb");
    let mut found = 0;
    for (seed, page) in (1..bytes.len() / 4096).step_by(37).enumerate() {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].copy_from_slice(&noise(seed as u64, 4096));
        fs::write(&path, &damaged).unwrap();
        if let Ok(state) = State::open(&path)
            && let Ok(read) = state.recall_all(&site("a"), &locale("es"))
        {
            let known: HashMap<_, _> = rows.iter().cloned().collect();
            assert!(
                read.iter().all(|(key, row)| known.get(key) == Some(row)),
                "page {page}"
            );
        }
        fs::write(&path, &damaged).unwrap();
        match State::health(&path).unwrap() {
            StateHealth::Unusable(error) => {
                found += 1;
                assert!(
                    error.to_string().contains("`latimer state rebuild`"),
                    "page {page}: {error}"
                );
            }
            // Nothing was on that page.
            StateHealth::Sound => {
                let read = State::open(&path)
                    .unwrap()
                    .recall_all(&site("a"), &locale("es"))
                    .unwrap();
                assert_eq!(read, rows, "page {page}");
            }
            StateHealth::Missing => panic!("page {page}"),
        }
    }
    assert!(found > 3, "{found}");
}

#[test]
fn what_is_set_aside_is_kept_and_never_taken_from_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    assert_eq!(State::set_aside(&path).unwrap(), None);
    for number in 1..3 {
        fs::write(&path, format!("{number}")).unwrap();
        let aside = State::set_aside(&path).unwrap().unwrap();
        assert!(
            aside
                .to_string_lossy()
                .ends_with(&format!("state.redb.aside-{number}")),
            "{aside:?}"
        );
        assert_eq!(fs::read_to_string(aside).unwrap(), format!("{number}"));
    }
    let _owner = State::open(&path).unwrap();
    assert!(matches!(
        State::set_aside(&path),
        Err(StateError::Held { .. })
    ));
    assert!(matches!(State::health(&path), Err(StateError::Held { .. })));
    assert!(path.exists());
}
