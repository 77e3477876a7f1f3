//! What the state knows of its memory: which rows the object store lacks, and which of two rows counts.

use super::*;
use crate::exchange::{MemoryRow, MemoryRows};
use crate::translate::Renumbered;

fn of(state: &State) -> Vec<String> {
    let rows = state.unwritten(&site("a"), &locale("es"), 100).unwrap();
    let mut sources: Vec<String> = rows
        .into_iter()
        .map(|row| row.row.remembered.source)
        .collect();
    sources.sort();
    sources.dedup();
    sources
}

fn write(state: &State, name: &str) {
    state
        .written(
            &site("a"),
            &locale("es"),
            (name, KnownFile::default()),
            &marks(state),
        )
        .unwrap();
}

fn marks(state: &State) -> Vec<(SegmentKey, u64)> {
    let rows = state.unwritten(&site("a"), &locale("es"), 100).unwrap();
    rows.into_iter().map(|row| (row.key, row.change)).collect()
}

fn file(rows: &[(&str, &str, u64)]) -> MemoryRows {
    let row = |(source, text, generation): &(&str, &str, u64)| {
        let (key, remembered) = segment(source);
        (
            key,
            MemoryRow {
                remembered: Remembered {
                    text: (*text).to_owned(),
                    ..remembered
                },
                generation: *generation,
            },
        )
    };
    MemoryRows {
        rows: rows.iter().map(row).collect(),
        ..MemoryRows::default()
    }
}

#[test]
fn rows_are_marked_until_a_file_has_them() {
    let state = State::in_memory().unwrap();
    let a = site("a");
    let es = locale("es");
    state
        .remember(&a, &es, &[segment("bread"), segment("rolls")])
        .unwrap();
    state
        .remember(&site("b"), &es, &[segment("other")])
        .unwrap();
    assert_eq!(of(&state), ["bread", "rolls"]);
    assert_eq!(
        state.locales_with_unwritten(&a).unwrap(),
        std::slice::from_ref(&es)
    );
    let before = marks(&state);
    let (key, bread) = segment("bread");
    state
        .remember(
            &a,
            &es,
            &[(
                key,
                Remembered {
                    text: "pan".to_owned(),
                    ..bread
                },
            )],
        )
        .unwrap();
    state
        .written(&a, &es, ("1", KnownFile::default()), &before)
        .unwrap();
    assert_eq!(
        of(&state),
        ["bread"],
        "it changed while the file was written"
    );
    write(&state, "2");
    let changes = state.memory_ledger(&a, &es).unwrap().changes;
    state.remember(&a, &es, &[segment("rolls")]).unwrap();
    assert_eq!(
        of(&state),
        Vec::<String>::new(),
        "what is the same already is no change"
    );
    assert_eq!(state.memory_ledger(&a, &es).unwrap().changes, changes);
    assert_eq!(state.locales_with_unwritten(&a).unwrap(), []);
    state.mark_all_unwritten(&a, &es).unwrap();
    assert_eq!(of(&state), ["bread", "rolls"]);
}

#[test]
fn a_row_that_changes_again_is_marked_until_its_last_words_are_in_a_file() {
    let state = State::in_memory().unwrap();
    let a = site("a");
    let es = locale("es");
    let (key, bread) = segment("bread");
    let mut seen = Vec::new();
    for text in ["pan", "hogaza"] {
        state
            .remember(
                &a,
                &es,
                &[(
                    key,
                    Remembered {
                        text: text.to_owned(),
                        ..bread.clone()
                    },
                )],
            )
            .unwrap();
        seen.push(marks(&state));
    }
    state
        .written(&a, &es, ("1", KnownFile::default()), &seen[0])
        .unwrap();
    assert_eq!(of(&state), ["bread"], "the file may have the first words");
    state
        .written(&a, &es, ("2", KnownFile::default()), &seen[1])
        .unwrap();
    assert_eq!(of(&state), [""; 0]);
    // A file that has the last words takes all marks away, also those of changes before.
    for text in ["barra", "pan"] {
        state
            .remember(
                &a,
                &es,
                &[(
                    key,
                    Remembered {
                        text: text.to_owned(),
                        ..bread.clone()
                    },
                )],
            )
            .unwrap();
    }
    state
        .take_memory(&a, &es, ("3", 9), &file(&[("bread", "pan", 3)]))
        .unwrap();
    assert_eq!(of(&state), [""; 0]);
}

#[test]
fn marking_all_rows_hides_no_change_from_a_file_that_was_begun_before() {
    let state = State::in_memory().unwrap();
    let a = site("a");
    let es = locale("es");
    let (key, bread) = segment("bread");
    state.remember(&a, &es, &[(key, bread.clone())]).unwrap();
    state.mark_all_unwritten(&a, &es).unwrap();
    let begun = marks(&state);
    state
        .remember(
            &a,
            &es,
            &[(
                key,
                Remembered {
                    text: "pan".to_owned(),
                    ..bread
                },
            )],
        )
        .unwrap();
    state.mark_all_unwritten(&a, &es).unwrap();
    state
        .written(&a, &es, ("1", KnownFile::default()), &begun)
        .unwrap();
    assert_eq!(of(&state), ["bread"], "the file has the first words");
}

#[test]
fn a_file_brings_what_is_new_or_later_and_nothing_else() {
    let state = State::in_memory().unwrap();
    let a = site("a");
    let es = locale("es");
    for text in ["one", "two"] {
        let (key, row) = segment("forced");
        state
            .remember(
                &a,
                &es,
                &[(
                    key,
                    Remembered {
                        text: text.to_owned(),
                        ..row
                    },
                )],
            )
            .unwrap();
    }
    state
        .remember(&a, &es, &[segment("same"), segment("older")])
        .unwrap();
    let brought = file(&[
        ("forced", "zero", 0),
        ("same", "SAME", 0),
        ("older", "later", 1),
        ("new", "x", 0),
    ]);
    let taken = state.take_memory(&a, &es, ("f", 9), &brought).unwrap();
    assert_eq!(taken, MemoryImport { new: 1, newer: 1 });
    let words: BTreeMap<String, String> = state
        .recall_all(&a, &es)
        .unwrap()
        .into_iter()
        .map(|(_, row)| (row.source, row.text))
        .collect();
    let expected = [
        ("forced", "two"),
        ("same", "SAME"),
        ("older", "later"),
        ("new", "x"),
    ];
    assert_eq!(
        words,
        expected
            .map(|(source, text)| (source.to_owned(), text.to_owned()))
            .into()
    );
    assert_eq!(of(&state), ["forced"], "the file has the others");
    assert_eq!(state.memory_ledger(&a, &es).unwrap().files["f"].size, 9);
    let again = state.take_memory(&a, &es, ("f", 9), &brought).unwrap();
    assert_eq!(again, MemoryImport::default());
}

#[test]
fn texts_that_differ_in_numbers_are_found() {
    let state = State::in_memory().unwrap();
    let a = site("a");
    let es = locale("es");
    let alike = |text: &str| {
        let found = state
            .recall_alike(&a, &es, &Renumbered::likeness(text).into_iter().collect())
            .unwrap();
        found
            .into_iter()
            .map(|found| found.source)
            .collect::<Vec<_>>()
    };
    state
        .remember(
            &a,
            &es,
            &[
                segment("2 loaves"),
                segment("loaves"),
                segment("2 <g id=\"1\">rolls</g>"),
            ],
        )
        .unwrap();
    state
        .remember(&site("b"), &es, &[segment("4 loaves")])
        .unwrap();
    assert_eq!(alike("7 loaves"), ["2 loaves"]);
    assert_eq!(
        alike("12 <g id=\"1\">rolls</g>"),
        ["2 <g id=\"1\">rolls</g>"]
    );
    assert_eq!(
        alike("loaves"),
        [""; 0],
        "a text without numbers is like no other"
    );
    state
        .take_memory(&a, &es, ("1", 1), &file(&[("5 cakes", "5 tartas", 0)]))
        .unwrap();
    state.remember(&a, &es, &[segment("6 buns")]).unwrap();
    assert_eq!(
        (alike("1 cakes"), alike("1 buns")),
        (vec!["5 cakes".to_owned()], vec!["6 buns".to_owned()])
    );
}
