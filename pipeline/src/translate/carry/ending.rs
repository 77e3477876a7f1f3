//! The full stop at the end of a text, and the one that its translation gets or loses with it.

use crate::model::Locale;
use crate::page::{CodedText, Piece};

/// Full stops of all scripts that have one.
const STOPS: [char; 10] = ['.', '。', '．', '।', '۔', '։', '።', '។', '။', '｡'];

/// Signs after which no full stop stands.
const ENDS: [char; 12] = ['!', '?', '…', ':', ';', '！', '？', '：', '；', '؟', '؛', '·'];

/// Signs that may stand behind the end of a sentence.
const CLOSERS: [char; 16] = ['"', '\'', '”', '’', '»', '›', ')', ']', '}', '」', '』', '）', '】', '］', '｣', '\u{a0}'];

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

/// Where a text ends: the last piece that holds more than white space, and the text in it up to there.
fn last(text: &CodedText) -> Option<(usize, &str)> {
    text.0.iter().enumerate().rev().find_map(|(index, piece)| match piece {
        Piece::Text(text) if !text.trim().is_empty() => Some((index, text.trim_end())),
        Piece::Text(_) | Piece::Open(_) | Piece::Close(_) | Piece::Single(_) => None,
    })
}

/// Finds the final full stop: its piece, and the text in front of it. Three dots are none.
fn stop(text: &CodedText) -> Option<(usize, &str)> {
    let (index, end) = last(text)?;
    let before = end.strip_suffix(STOPS)?;
    (!before.ends_with(STOPS)).then_some((index, before))
}

/// Whether a text ends with a full stop.
pub(super) fn has_stop(text: &CodedText) -> bool {
    stop(text).is_some()
}

/// The text without its final full stop.
pub(super) fn without_stop(text: &CodedText) -> CodedText {
    match stop(text) {
        Some((index, before)) => replaced(text, index, before.trim_end().to_owned()),
        None => text.clone(),
    }
}

/// Gives the words of a text the final full stop that the text has got, or takes it away as the text lost it; `None`
/// where it is not certain where it belongs.
pub(super) fn follow(before: &CodedText, after: &CodedText, words: &CodedText, target: &Locale) -> Option<CodedText> {
    match (has_stop(before), has_stop(after)) {
        (true, true) | (false, false) => Some(words.clone()),
        (true, false) => Some(lose(words)),
        (false, true) => gain(after, words, target),
    }
}

/// Takes the full stop away, but not the dot of an abbreviation such as "S.A." or "p. m.".
fn lose(words: &CodedText) -> CodedText {
    let Some((_, before)) = stop(words) else { return words.clone() };
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    if word.contains('.') || (word.chars().count() == 1 && word.chars().all(char::is_alphabetic)) && !is_whole(before) {
        return words.clone();
    }
    without_stop(words)
}

/// Whether a text is written without spaces, so that its last word cannot be seen.
fn is_whole(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

fn gain(after: &CodedText, words: &CodedText, target: &Locale) -> Option<CodedText> {
    let Some((index, end)) = last(words) else { return Some(words.clone()) };
    let core = end.trim_end_matches(CLOSERS);
    let Some(mark) = mark(target).filter(|_| !core.ends_with(STOPS) && !core.ends_with(ENDS)) else {
        return Some(words.clone());
    };
    let (stop_at, _) = stop(after)?;
    let behind = codes_behind(after, stop_at);
    if behind.is_empty() {
        return Some(appended(words, mark));
    }
    // The source has codes behind its full stop, so the words must have the same ones behind theirs.
    (behind == codes_behind(words, index)).then(|| replaced(words, index, format!("{end}{mark}")))
}

/// The codes behind a piece.
fn codes_behind(text: &CodedText, index: usize) -> Vec<&Piece> {
    text.0.iter().skip(index + 1).filter(|piece| !matches!(piece, Piece::Text(_))).collect()
}

/// The text with a sign at its very end.
fn appended(text: &CodedText, mark: char) -> CodedText {
    let mut pieces = text.0.clone();
    match pieces.last_mut() {
        Some(Piece::Text(text)) => *text = format!("{}{mark}", text.trim_end()),
        Some(Piece::Open(_) | Piece::Close(_) | Piece::Single(_)) | None => pieces.push(Piece::Text(mark.to_string())),
    }
    CodedText(pieces)
}

/// The text with other words in one of its pieces, which is left out where none remain.
fn replaced(text: &CodedText, index: usize, words: String) -> CodedText {
    let mut pieces = text.0.clone();
    if words.is_empty() {
        pieces.remove(index);
    } else if let Some(piece) = pieces.get_mut(index) {
        *piece = Piece::Text(words);
    }
    CodedText(pieces)
}
