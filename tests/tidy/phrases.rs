//! Fails when a phrase returns that readers of the code did not understand, each with what to write instead.

use std::fs;

/// Phrases, in lower case, and what to write instead.
const PHRASES: [(&str, &str); 15] = [
    ("is left alone by every", "Per-host back-off: …"),
    ("memory has the short of", "memory keeps a row of …"),
    (
        "that need not be compared: their pages",
        "Fast path: skip the key comparison if …",
    ),
    ("signs for", "Fingerprint of …"),
    (
        "tells whoever waits for it",
        "Wakes background senders after a commit",
    ),
    (
        "and nobody else hears of it",
        "Converts a panic into an error without printing it",
    ),
    ("gives by what the store knows", "returns the ETag"),
    ("of_nobody", "untranslated"),
    ("for which nobody has words", "without translations"),
    (
        "although the path names nothing",
        "Can answer 404 although the path has no parameters",
    ),
    (
        "where to tell that it is ready",
        "E-mail address to notify once when the preview is ready",
    ),
    ("what it is told of", "Event type to deliver"),
    ("programs made for tests", "debug builds"),
    ("programs that are made for tests", "debug builds"),
    (
        "in more ways than one and many",
        "languages with more than two plural forms",
    ),
];

/// This file quotes the phrases.
const THIS_FILE: &str = "tests/tidy/phrases.rs";

#[test]
fn no_phrase_returns_that_readers_did_not_understand() {
    let documents = super::tracked()
        .into_iter()
        .filter(|path| path.ends_with(".md"));
    let mut found = Vec::new();
    for path in super::sources()
        .into_iter()
        .chain(documents)
        .filter(|path| path != THIS_FILE)
    {
        let text = fs::read_to_string(super::root().join(&path)).unwrap_or_default();
        // Comments are wrapped, so a phrase may go over the end of a line.
        let text = text
            .replace("///", " ")
            .replace("//!", " ")
            .replace("//", " ")
            .to_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (phrase, better) in PHRASES {
            if text.contains(phrase) {
                found.push(format!("{path}: `{phrase}`; write: {better}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
