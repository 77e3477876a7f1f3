//! Fails when a source file grows beyond a bound and does not say why it is one thing. Clippy bounds functions
//! (`too_many_lines`).

use std::fs;

/// Maximum lines of a file without a reason.
const CODE: usize = 500;
/// The same for tests, which are mostly tables.
const TESTS: usize = 1_000;
/// The line of a module's documentation that gives the reason.
const REASON: &str = "//! One file: ";

#[test]
fn long_files_say_why_they_are_one_thing() {
    let mut found = Vec::new();
    for path in super::sources() {
        let text = fs::read_to_string(super::root().join(&path)).unwrap_or_default();
        let lines = text.lines().count();
        let bound = if is_test(&path) { TESTS } else { CODE };
        let has_reason = text.lines().any(|line| line.starts_with(REASON));
        if lines > bound && !has_reason {
            found.push(format!(
                "{path} has {lines} lines: split it, or add a line `{REASON}…`"
            ));
        }
        if lines <= bound && has_reason {
            found.push(format!(
                "{path} has {lines} lines and needs no line `{REASON}…`"
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn is_test(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

#[test]
fn tests_are_told_by_their_paths() {
    assert!(is_test("tests/it/api.rs") && is_test("pipeline/src/store/tests.rs"));
    assert!(
        is_test("api/src/control/gate/tests/room.rs") && !is_test("pipeline/src/store/draft.rs")
    );
}
