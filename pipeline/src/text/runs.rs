//! Runs of characters of one kind, such as words.

use std::ops::Range;

/// Byte ranges of the longest runs of characters that belong together, in order.
pub(crate) fn runs(text: &str, belongs: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, character) in text
        .char_indices()
        .filter(|(_, character)| belongs(*character))
    {
        let end = at + character.len_utf8();
        match runs.last_mut() {
            Some(last) if last.end == at => last.end = end,
            Some(_) | None => runs.push(at..end),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_as_long_as_possible() {
        let text = "é1, b; cd";
        let words: Vec<&str> = runs(text, char::is_alphanumeric)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(words, ["é1", "b", "cd"]);
        assert!(runs("", char::is_alphabetic).is_empty());
    }
}
