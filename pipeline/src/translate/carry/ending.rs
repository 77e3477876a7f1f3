//! The full stop at the end of a text, and the one that its translation gets or loses with it.

use crate::model::Locale;
use crate::page::{CodedText, TextPiece};

/// Full stops of all scripts that have one.
const STOPS: [char; 10] = ['.', '。', '．', '।', '۔', '։', '።', '។', '။', '｡'];

/// Signs after which no full stop stands.
const ENDS: [char; 12] = [
    '!', '?', '…', ':', ';', '！', '？', '：', '；', '؟', '؛', '·',
];

/// Signs that may stand behind the end of a sentence.
const CLOSERS: [char; 16] = [
    '"', '\'', '”', '’', '»', '›', ')', ']', '}', '」', '』', '）', '】', '］', '｣', '\u{a0}',
];

/// The full stop of a language; `None` where it has none, or where it is the plain one.
fn mark(target: &Locale) -> Option<char> {
    match target.language() {
        "th" | "lo" => None,
        "zh" | "ja" | "yue" => Some('。'),
        "hi" | "bn" | "ne" | "pa" | "as" | "or" | "sa" | "mai" | "bho" | "sat" => Some('।'),
        "ur" | "ks" | "pnb" | "sd" => Some('۔'),
        "hy" => Some('։'),
        "am" | "ti" => Some('።'),
        "km" => Some('។'),
        "my" => Some('။'),
        "bo" | "dz" => Some('།'),
        _ => Some('.'),
    }
}

/// Where a text ends: how many pieces stand behind the last that holds more than white space, and the text in it up to
/// there.
fn last(text: &CodedText) -> Option<(usize, &str)> {
    text.pieces()
        .rev()
        .enumerate()
        .find_map(|(behind, piece)| match piece {
            TextPiece::Text(text) if !text.trim().is_empty() => Some((behind, text.trim_end())),
            TextPiece::Text(_)
            | TextPiece::Open(_)
            | TextPiece::Close(_)
            | TextPiece::Single(_) => None,
        })
}

/// Finds the final full stop: how many pieces stand behind its own, and the text in front of it. Three dots are none.
fn stop(text: &CodedText) -> Option<(usize, &str)> {
    let (behind, end) = last(text)?;
    let before = end.strip_suffix(STOPS)?;
    (!before.ends_with(STOPS)).then_some((behind, before))
}

/// Whether a text ends with a full stop.
pub(super) fn has_stop(text: &CodedText) -> bool {
    stop(text).is_some()
}

/// The text without its final full stop.
pub(super) fn without_stop(text: &CodedText) -> CodedText {
    match stop(text) {
        Some((behind, before)) => replaced(text, behind, before.trim_end()),
        None => text.clone(),
    }
}

/// Gives the words of a text the final full stop that the text has got, or takes it away as the text lost it; `None`
/// where it is not certain where it belongs.
pub(super) fn follow(
    before: &CodedText,
    after: &CodedText,
    words: &CodedText,
    target: &Locale,
) -> Option<CodedText> {
    match (has_stop(before), has_stop(after)) {
        (true, true) | (false, false) => Some(words.clone()),
        (true, false) => Some(lose(words)),
        (false, true) => gain(after, words, target),
    }
}

/// Takes the full stop away, but not the dot of an abbreviation such as "S.A." or "p. m.".
fn lose(words: &CodedText) -> CodedText {
    let Some((_, before)) = stop(words) else {
        return words.clone();
    };
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    if word.contains('.')
        || (word.chars().count() == 1 && word.chars().all(char::is_alphabetic)) && !is_whole(before)
    {
        return words.clone();
    }
    without_stop(words)
}

/// Whether a text is written without spaces, so that its last word cannot be seen.
fn is_whole(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

fn gain(after: &CodedText, words: &CodedText, target: &Locale) -> Option<CodedText> {
    let Some((behind, end)) = last(words) else {
        return Some(words.clone());
    };
    let core = end.trim_end_matches(CLOSERS);
    let Some(mark) = mark(target).filter(|_| !core.ends_with(STOPS) && !core.ends_with(ENDS))
    else {
        return Some(words.clone());
    };
    let (behind_stop, _) = stop(after)?;
    if codes_behind(after, behind_stop).next().is_none() {
        return Some(appended(words, mark));
    }
    // The source has codes behind its full stop, so the words must have the same ones behind theirs.
    let is_same = codes_behind(after, behind_stop).eq(codes_behind(words, behind));
    is_same.then(|| replaced(words, behind, &format!("{end}{mark}")))
}

/// The codes among so many pieces at the end, the last one first.
fn codes_behind(text: &CodedText, behind: usize) -> impl Iterator<Item = TextPiece<'_>> {
    text.pieces()
        .rev()
        .take(behind)
        .filter(|piece| !matches!(piece, TextPiece::Text(_)))
}

/// The text with a sign at its very end.
fn appended(text: &CodedText, mark: char) -> CodedText {
    let mut text = text.clone();
    text.trim_end(char::is_whitespace);
    text.push_text(mark.encode_utf8(&mut [0; 4]));
    text
}

/// The text with other words in the piece that so many stand behind.
fn replaced(text: &CodedText, behind: usize, words: &str) -> CodedText {
    let mut pieces: Vec<TextPiece<'_>> = text.pieces().collect();
    if let Some(piece) = pieces.iter_mut().rev().nth(behind) {
        *piece = TextPiece::Text(words);
    }
    pieces.into_iter().collect()
}
