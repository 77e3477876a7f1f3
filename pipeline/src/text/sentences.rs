//! Where sentences end: only for engines that take one at a time, never for the layout.
//!
//! A mark ends a sentence when white space and no lower-case letter follow it, unless the word before is a known
//! abbreviation, an initial or the number of a heading ("Rule No. 1." was cut after "No." by two other splitters).
//! The white space between sentences is the source's and is put back as it was.

use std::ops::Range;

/// Words after which a full stop does not end a sentence, in lower case, of the languages we translate from.
const ABBREVIATIONS: [&str; 61] = [
    "nos", "nr", "núm", "num", "mr", "mrs", "ms", "dr", "dra", "prof", "sr", "sra", "srta", "st",
    "fig", "figs", "p", "pp", "pág", "págs", "vol", "vols", "ch", "chap", "cap", "sec", "sect",
    "art", "arts", "eq", "ref", "refs", "ed", "eds", "vs", "v", "cf", "e.g", "i.e", "viz",
    "approx", "ca", "inc", "ltd", "co", "corp", "dept", "est", "tel", "u.s", "u.k", "a.k.a", "z.b",
    "d.h", "u.a", "bzw", "ggf", "p.ej", "ej", "mme", "al",
];

/// Byte ranges of the sentences, white space between them left out.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = after_space(text, 0);
    let mut rest = text.char_indices().peekable();
    while let Some((at, mark)) = rest.next() {
        if !is_mark(mark) {
            continue;
        }
        let mut end = at + mark.len_utf8();
        while let Some((next, _)) = rest.next_if(|&(_, next)| is_mark(next) || is_closing(next)) {
            end = next + text[next..].chars().next().map_or(0, char::len_utf8);
        }
        if ends_sentence(&text[start..at], mark, &text[end..]) {
            push(&mut found, text, start..end);
            start = after_space(text, end);
        }
    }
    push(&mut found, text, start..text.len());
    found
}

/// The first byte from there on that is no white space.
fn after_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

fn push(found: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let slice = &text[range.clone()];
    let start = range.start + slice.len() - slice.trim_start().len();
    let end = start + slice.trim().len();
    if start < end {
        found.push(start..end);
    }
}

fn is_mark(character: char) -> bool {
    matches!(
        character,
        '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '।'
    )
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '）'
    )
}

fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    if matches!(mark, '。' | '！' | '？' | '｡' | '।') {
        return true;
    }
    let mut following = after.chars();
    match following.next() {
        None => return true,
        Some(next) if !next.is_whitespace() => return false,
        Some(_) => {}
    }
    match following.find(|next| !next.is_whitespace()) {
        Some(next) if next.is_lowercase() => false,
        next => mark != '.' || !is_abbreviation(before, next),
    }
}

/// Whether the text up to a full stop ends in an abbreviation, an initial, or is nothing but a heading's number.
fn is_abbreviation(before: &str, next: Option<char>) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let word = word.trim_start_matches(|character: char| !character.is_alphanumeric());
    let single = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let heading = before.trim() == word
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c.is_uppercase());
    let heading = heading
        && word.chars().count() <= 8
        && word.chars().any(|character| character.is_ascii_digit());
    match word.to_lowercase().as_str() {
        "no" => next.is_some_and(|next| next.is_ascii_digit()), // a number, or the word "no"
        known => single || heading || ABBREVIATIONS.contains(&known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            ("One. Two!  Three?", vec!["One.", "Two!", "Three?"]),
            ("Rule No. 1. Be kind.", vec!["Rule No. 1.", "Be kind."]),
            (
                "See e.g. Figure 2. Then go.",
                vec!["See e.g. Figure 2.", "Then go."],
            ),
            (
                "Mr. J. Smith came. He left.",
                vec!["Mr. J. Smith came.", "He left."],
            ),
            ("B.4.5. Rights Management", vec!["B.4.5. Rights Management"]),
            (
                "1. Install it. 2. Run it.",
                vec!["1. Install it.", "2. Run it."],
            ),
            (
                "He said \"Go.\" Then left.",
                vec!["He said \"Go.\"", "Then left."],
            ),
            ("今日は。元気？はい", vec!["今日は。", "元気？", "はい"]),
            ("version 1.2 is out", vec!["version 1.2 is out"]),
            (
                "I said no. Then I left. STOP. Go.",
                vec!["I said no.", "Then I left.", "STOP.", "Go."],
            ),
            ("Wait... what? Yes", vec!["Wait... what?", "Yes"]),
            ("  ", vec![]),
        ] {
            let found: Vec<&str> = sentences(text)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
