//! Texts in capitals, which engines cut into pieces that are in no word.

use std::ops::Range;

use super::rewriting::Rewriting;

/// Letters of the shortest text in capitals that is more than an abbreviation or two.
const FEWEST_LETTERS: usize = 6;
/// Words of the longest heading, in which each word keeps its first letter: names are names then.
const LONGEST_HEADING: usize = 6;
/// Abbreviations that could be read as words; those without a vowel are known by that.
const ABBREVIATIONS: [&str; 10] = [
    "AI", "API", "EU", "FAQ", "ID", "UK", "UN", "URL", "USA", "USB",
];

/// A text of nothing but capitals in small letters. Words with digits and abbreviations stay.
pub(super) fn small(text: &str) -> Option<Rewriting> {
    let words = words(text);
    let is_heading =
        words.len() <= LONGEST_HEADING && !text.trim_end().ends_with(['.', '!', '?', ':', ';']);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut letters = 0;
    for word in words {
        let written = &text[word.clone()];
        if written
            .chars()
            .any(|letter| letter.is_alphabetic() && !letter.is_uppercase())
        {
            return None;
        }
        let count = written.chars().count();
        if count < 2 || is_abbreviation(written) {
            continue;
        }
        letters += count;
        let first = if is_heading || edits.is_empty() {
            written.chars().next().map_or(0, char::len_utf8)
        } else {
            0
        };
        edits.push((
            word,
            written[..first].to_owned() + &written[first..].to_lowercase(),
        ));
    }
    (edits.len() > 1 && letters >= FEWEST_LETTERS).then(|| Rewriting::new(text, edits))
}

/// A text in capitals.
pub(super) fn capitals(text: &str) -> Rewriting {
    Rewriting::new(
        text,
        words(text)
            .into_iter()
            .map(|word| (word.clone(), text[word].to_uppercase())),
    )
}

fn is_abbreviation(word: &str) -> bool {
    let is_consonant = |letter: char| letter.is_ascii_alphabetic() && !"AEIOUY".contains(letter);
    ABBREVIATIONS.contains(&word) || word.chars().all(is_consonant)
}

/// The runs of letters without digits, with the apostrophes inside of them.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let tokens = text.split(|character: char| character.is_whitespace() || character == '-');
    for token in
        tokens.filter(|token| !token.contains(|character: char| character.is_ascii_digit()))
    {
        for run in token
            .split(|character: char| !character.is_alphabetic() && !matches!(character, '\'' | '’'))
        {
            let run = run.trim_matches(['\'', '’']);
            let at = run.as_ptr() as usize - text.as_ptr() as usize;
            found.extend(Some(at..at + run.len()).filter(|run| !run.is_empty()));
        }
    }
    found
}
