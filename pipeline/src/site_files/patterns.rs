//! Texts that scripts put together, as the live script finds them: `Navigated to {title}` is any text that begins so. Pure.

use serde::{Serialize, Serializer};

/// What a text that scripts put together looks like, and what its translation is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// A regular expression with a group for each name.
    whole: String,
    target: Vec<PatternPiece>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum PatternPiece {
    Text(String),
    /// What the group of this number found, or its translation.
    Found(usize),
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = PatternPiece::Text(self.whole.clone());
        serializer.collect_seq(std::iter::once(&whole).chain(&self.target))
    }
}

impl Pattern {
    /// The pattern of a text with names in braces, if it has some, and letters beside them.
    pub fn of(source: &str, target: &str) -> Option<Self> {
        let (texts, names) = split(source);
        let has_letters = |text: &str| {
            text.chars()
                .zip(text.chars().skip(1))
                .any(|(one, two)| is_letter(one) && is_letter(two))
        };
        if names.is_empty() || !texts.iter().any(|text| has_letters(text)) {
            return None;
        }
        let texts: Vec<String> = texts.into_iter().map(escaped).collect();
        let whole = format!("^{}$", texts.join("(.+?)"));
        let (said, wanted) = split(target);
        let mut pieces = Vec::new();
        for (at, text) in said.into_iter().enumerate() {
            let name = at.checked_sub(1).and_then(|at| wanted.get(at));
            let found = name.and_then(|name| names.iter().position(|other| other == name));
            pieces.extend(found.map(|found| PatternPiece::Found(found + 1)));
            pieces.extend((!text.is_empty()).then(|| PatternPiece::Text(text.to_owned())));
        }
        Some(Self {
            whole,
            target: pieces,
        })
    }
}

/// What stands between the names in braces, and the names.
fn split(text: &str) -> (Vec<&str>, Vec<&str>) {
    let mut texts = Vec::new();
    let mut names = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('{') {
        let name = text[at + 1..]
            .split_once('}')
            .map(|(name, _)| name)
            .filter(|name| is_name(name));
        if let Some(name) = name {
            texts.push(&text[from..at]);
            names.push(name);
            from = at + name.len() + 2;
        }
    }
    texts.push(&text[from..]);
    (texts, names)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn is_letter(character: char) -> bool {
    character.is_alphabetic()
}

/// A text as a regular expression that finds it alone.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\^$.*+?()[]{}|".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn names_in_braces_stand_for_anything() {
        let check = |source: &str, target: &str, expected: serde_json::Value| {
            assert_eq!(
                to_value(Pattern::of(source, target)).unwrap(),
                expected,
                "{source}"
            );
        };
        check(
            "Navigated to {title}",
            "{title}: estás aquí",
            json!(["^Navigated to (.+?)$", 1, ": estás aquí"]),
        );
        check(
            "{a} of {b} (all)",
            "{b}, {a} {c}",
            json!([r"^(.+?) of (.+?) \(all\)$", 2, ", ", 1, " "]),
        );
        check(
            "Price {b.} {a}?",
            "{a}",
            json!([r"^Price \{b\.\} (.+?)\?$", 1]),
        );
        // What could be anything at all is none.
        for source in [
            "No braces",
            "{a} {b}",
            "{a} x",
            "{1} loaves",
            "An {} empty one",
        ] {
            check(source, "", json!(null));
        }
    }
}
