//! Fails when a source file grows beyond a bound and does not say why it is one thing. Clippy bounds functions
//! (`too_many_lines`).

use std::fs;

/// Maximum lines of a file without a reason.
const LINES: usize = 500;
/// Line of a module's documentation that gives the reason.
const REASON: &str = "//! One file: ";

#[test]
fn long_files_say_why_they_are_one_thing() {
    let mut found = Vec::new();
    for path in super::sources() {
        let text = fs::read_to_string(super::root().join(&path)).unwrap_or_default();
        let lines = text.lines().count();
        let has_reason = text.lines().any(|line| line.starts_with(REASON));
        if lines > LINES && !has_reason {
            found.push(format!(
                "{path} has {lines} lines: split it, or add a line `{REASON}…`"
            ));
        }
        if lines <= LINES && has_reason {
            found.push(format!(
                "{path} has {lines} lines and needs no line `{REASON}…`"
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
