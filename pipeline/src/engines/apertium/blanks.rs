//! Words that carry a number through the pipeline: Apertium's word-bound blanks.
//!
//! `[[t:w:3]]red house[[/]]` gives every word between the number 3, and each word that comes of one carries it, wherever
//! it stands then. Only marked parts are numbered, as one: a number for each word would keep "of course" from being
//! read as one.

use std::ops::Range;

use super::pipe::{escape, unescape};

/// Writes a text for the pipeline, its marks numbered from 1.
pub(super) fn write(text: &str, marks: &[Range<usize>]) -> String {
    let mut written = String::with_capacity(text.len() + marks.len() * 24);
    let mut at = 0;
    for (number, mark) in marks.iter().enumerate() {
        let Some(inside) = text.get(mark.clone()) else {
            continue;
        };
        let start = mark.start + inside.len() - inside.trim_start().len();
        let end = start + inside.trim().len();
        written.push_str(&escape(&text[at..start]));
        written.push_str(&format!(
            "[[t:w:{}]]{}[[/]]",
            number + 1,
            escape(&text[start..end])
        ));
        at = end;
    }
    written + &escape(&text[at..])
}

/// A part of an answer, and the marks of which it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkedPart {
    pub(super) text: String,
    pub(super) marks: Vec<usize>,
}

/// Reads an answer.
pub(super) fn read(answer: &str) -> Vec<MarkedPart> {
    let mut parts = Vec::new();
    let mut rest = answer;
    while let Some((before, numbered)) = rest.split_once("[[") {
        parts.push(MarkedPart {
            text: unescape(before),
            marks: Vec::new(),
        });
        let Some((numbers, after)) = numbered.split_once("]]") else {
            rest = "";
            break;
        };
        let (inside, after) = after.split_once("[[/]]").unwrap_or((after, ""));
        parts.push(MarkedPart {
            text: unescape(inside),
            marks: read_numbers(numbers),
        });
        rest = after;
    }
    parts.push(MarkedPart {
        text: unescape(rest),
        marks: Vec::new(),
    });
    parts.retain(|part| !part.text.is_empty());
    parts
}

/// The indices of the marks in `t:w:1; t:w:2`.
fn read_numbers(numbers: &str) -> Vec<usize> {
    let read = |one: &str| {
        one.trim()
            .strip_prefix("t:w:")?
            .parse::<usize>()
            .ok()?
            .checked_sub(1)
    };
    numbers.split(';').filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_parts_are_numbered_and_found_again() {
        let text = "A red [house] is big";
        assert_eq!(
            write(text, &[2..6, 6..13]),
            "A [[t:w:1]]red[[/]] [[t:w:2]]\\[house\\][[/]] is big"
        );
        let part = |text: &str, marks: &[usize]| MarkedPart {
            text: text.into(),
            marks: marks.to_vec(),
        };
        assert_eq!(
            read("Una [[t:w:2]]casa[[/]] [[t:w:1; t:w:2]]roja[[/]].[]"),
            [
                part("Una ", &[]),
                part("casa", &[1]),
                part(" ", &[]),
                part("roja", &[0, 1]),
                part(".", &[])
            ]
        );
        assert_eq!(
            read("\\[x\\] [[t:w:1"),
            [part("[x] ", &[])],
            "a cut answer loses no text before it"
        );
    }
}
