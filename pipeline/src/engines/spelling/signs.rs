//! Quotation marks, dashes, spaces and the like: written plainly for an engine, and put back into its answer.

use std::ops::Range;

use super::edits::{AnswerEdits, SentSpelling};
use super::rewriting::Rewriting;

/// Bytes between the quotation marks of a pair of single ones, at most: farther apart, they are apostrophes.
const LONGEST_QUOTE: usize = 120;
/// English words that begin with an apostrophe.
const CUT: [&str; 9] = [
    "em", "til", "till", "tis", "twas", "n", "cause", "bout", "cos",
];

/// The kinds of signs of which there are plain and typographic ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypographicSign {
    /// Double, or a pair of single ones, which are sent as double ones: engines take plain single ones for apostrophes.
    Quote,
    Apostrophe,
    Dash,
    Ellipsis,
    /// A hyphen, or a dash before a number, as in `10–20`.
    Hyphen,
    /// A space at a number, as in `100 km`, or of a width of its own.
    Space,
}

impl TypographicSign {
    const ALL: [Self; 6] = [
        Self::Quote,
        Self::Apostrophe,
        Self::Dash,
        Self::Ellipsis,
        Self::Hyphen,
        Self::Space,
    ];

    fn plain(self) -> &'static str {
        match self {
            Self::Quote => "\"",
            Self::Apostrophe => "'",
            Self::Dash | Self::Hyphen => "-",
            Self::Ellipsis => "...",
            Self::Space => " ",
        }
    }

    /// Whether what stands beside it tells which of an answer is which of the text.
    fn is_known_by_neighbours(self) -> bool {
        matches!(self, Self::Hyphen | Self::Space)
    }
}

/// Whether there is a plain form of a sign.
pub(super) fn is_sign(character: char) -> bool {
    let is_space = character.is_whitespace() && !character.is_ascii();
    is_space || "“”„‟«»‘’‚‛‹›–—―…\u{2010}\u{2011}".contains(character)
}

/// The signs of a text, plain and typographic, in order.
fn signs(text: &str) -> Vec<(TypographicSign, Range<usize>)> {
    let mut found: Vec<(TypographicSign, Range<usize>)> = Vec::new();
    let mut opened: Option<usize> = None;
    for (at, character) in text.char_indices() {
        let after_it = at + character.len_utf8();
        let before = text[..at].chars().next_back();
        let after = text[after_it..].chars().next();
        let is = |side: Option<char>, is: fn(char) -> bool| side.is_some_and(is);
        let is_apart = |side: Option<char>| side.is_none_or(char::is_whitespace);
        let is_digit = |character: char| character.is_ascii_digit();
        let sign = match character {
            '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '‹' | '›' => {
                TypographicSign::Quote
            }
            '\'' | '’' | '‘' | '‛' | '‚' => {
                let word = text[after_it..]
                    .split(|c: char| !c.is_alphabetic())
                    .next()
                    .unwrap_or_default();
                let opens = before.is_none_or(|before| {
                    before.is_whitespace() || "([{\"“”„‟«»‹›-–—―".contains(before)
                }) && !word.is_empty()
                    && !CUT.contains(&word.to_lowercase().as_str());
                let closes =
                    character != '‚' && !is_apart(before) && !is(after, char::is_alphanumeric);
                let first =
                    opened.filter(|&first| closes && at - found[first].1.end <= LONGEST_QUOTE);
                if let Some(first) = first {
                    found[first].0 = TypographicSign::Quote;
                    opened = None;
                } else if opens {
                    opened = Some(found.len());
                }
                if first.is_some() {
                    TypographicSign::Quote
                } else {
                    TypographicSign::Apostrophe
                }
            }
            '-' | '–' | '—' | '―' if is(after, is_digit) => TypographicSign::Hyphen,
            '\u{2010}' | '\u{2011}' => TypographicSign::Hyphen,
            '-' if is_apart(before) && is_apart(after) => TypographicSign::Dash,
            '–' | '—' | '―' => TypographicSign::Dash,
            '…' => TypographicSign::Ellipsis,
            '.' if text[at..].starts_with("...")
                && found.last().is_none_or(|(_, last)| last.end <= at) =>
            {
                found.push((TypographicSign::Ellipsis, at..at + 3));
                continue;
            }
            space
                if space.is_whitespace()
                    && (!space.is_ascii() || is(before, is_digit) || is(after, is_digit)) =>
            {
                TypographicSign::Space
            }
            _ => continue,
        };
        found.push((sign, at..after_it));
    }
    found
}

/// The words or numbers directly before and after a part of a text.
fn beside<'a>(text: &'a str, range: &Range<usize>) -> (&'a str, &'a str) {
    let ends = |c: char| c.is_whitespace() || c.is_ascii_punctuation() || is_sign(c);
    let before = text[..range.start].rsplit(ends).next().unwrap_or_default();
    (
        before,
        text[range.end..].split(ends).next().unwrap_or_default(),
    )
}

/// Writes the signs of a text plainly.
pub(super) fn plain(
    text: &str,
    reads: &dyn Fn(char) -> bool,
) -> (Rewriting, Vec<(TypographicSign, SentSpelling)>) {
    let found = signs(text);
    let is_single = |range: &Range<usize>| text[range.clone()].contains(['\'', '’', '‘', '‛', '‚']);
    // Of a pair, both are written in one manner.
    let rewrites_quotes = found
        .iter()
        .filter(|(sign, _)| *sign == TypographicSign::Quote)
        .any(|(_, range)| is_single(range) || !text[range.clone()].chars().all(reads));
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut sent: Vec<(TypographicSign, SentSpelling)> = Vec::new();
    let mut end = 0;
    for (sign, mut range) in found {
        if range.start < end {
            continue; // a space that went with a guillemet
        }
        let before = &text[..range.start];
        let after = &text[range.end..];
        // The space inside of guillemets belongs to them.
        match &text[range.clone()] {
            "«" | "‹" if after.trim_start().starts_with(char::is_alphanumeric) => {
                range.end += after.len() - after.trim_start().len();
            }
            "»" | "›" if before.trim_end().ends_with(char::is_alphanumeric) => {
                range.start = before.trim_end().len();
                edits.truncate(edits.partition_point(|(space, _)| space.end <= range.start));
            }
            _ => {}
        }
        end = range.end;
        let written = &text[range.clone()];
        let is_same = match sign {
            TypographicSign::Quote => !rewrites_quotes || written == "\"",
            _ => written
                .chars()
                .all(|character| character.is_ascii() || reads(character)),
        };
        let is_joined = |side: Option<char>| {
            sign == TypographicSign::Dash && !is_same && side.is_some_and(|c| !c.is_whitespace())
        };
        let is_glued = (
            is_joined(before.chars().next_back()),
            is_joined(after.chars().next()),
        );
        let (left, right) = beside(text, &range);
        let beside = (left.to_owned(), right.to_owned());
        sent.push((
            sign,
            SentSpelling {
                written: written.to_owned(),
                is_same,
                is_glued,
                beside,
            },
        ));
        if !is_same {
            let space = |is_glued: bool| if is_glued { " " } else { "" };
            edits.push((
                range,
                [space(is_glued.0), sign.plain(), space(is_glued.1)].concat(),
            ));
        }
    }
    (Rewriting::new(text, edits), sent)
}

/// Puts typographic signs into an answer: hyphens and spaces where the same numbers or words stand beside, the others where
/// the answer has as many of a kind as the text.
pub(super) fn put(
    signs_sent: &[(TypographicSign, SentSpelling)],
    answer: &str,
    edits: &mut AnswerEdits,
) {
    let found = signs(answer);
    for sign in TypographicSign::ALL {
        let sent: Vec<&SentSpelling> = signs_sent
            .iter()
            .filter(|(other, _)| *other == sign)
            .map(|(_, sent)| sent)
            .collect();
        let places = found
            .iter()
            .filter(|(other, _)| *other == sign)
            .map(|(_, range)| range.clone());
        let mut places: Vec<Range<usize>> = places.collect();
        if sign.is_known_by_neighbours() {
            for sent in sent {
                let is_it = |range: &Range<usize>| {
                    beside(answer, range) == (&*sent.beside.0, &*sent.beside.1)
                };
                let Some(place) = places.iter().position(is_it) else {
                    continue;
                };
                let place = places.remove(place);
                if !sent.is_same {
                    edits.put(place, &sent.written);
                }
            }
            continue;
        }
        let sent: Vec<&SentSpelling> = match sent.first() {
            // Each language has its own; all are written in the manner of the text, if it has but one.
            Some(first)
                if sign == TypographicSign::Apostrophe
                    && sent.iter().all(|sent| sent.written == first.written) =>
            {
                vec![*first; places.len()]
            }
            _ if sent.len() == places.len() => sent,
            _ => continue,
        };
        for (range, sent) in places
            .into_iter()
            .zip(sent)
            .filter(|(_, sent)| !sent.is_same)
        {
            edits.put(sent.within(answer, range), &sent.written);
        }
    }
}
