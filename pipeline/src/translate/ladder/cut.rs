//! Cuts a text into stretches that are asked as one, and what stands between them.
//!
//! Cuts fall at paired codes, at halves whose order is fixed, at `<br>` (F-18) and at line breaks. Other single codes
//! and volatile words travel inside a stretch as marker words where they stand free; glued to a letter they cut too.
//! A word is never cut: a pair inside one is widened to it, and what cannot be widened is refused.

use crate::page::{Code, CodeKind, Piece, Segment};

use super::super::atoms::volatile;
use super::super::script::is_word_letter;
use super::Rung;

/// A stretch of words, or what stands between two.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Stays as it is.
    Keep(Piece),
    /// Is asked as one.
    Words(Vec<Word>),
}

/// Text, or something that must come back exactly once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word {
    Text(String),
    Atom(Piece),
}

/// Cuts a segment.
///
/// # Errors
/// A sentence for a text in which inline codes cut a word apart.
pub(super) fn stretches(segment: &Segment, rung: Rung) -> Result<Vec<Stretch>, String> {
    let tokens = tokens(segment);
    let mut stretches = Vec::new();
    let mut words = Vec::new();
    let mut glue = Glue::None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Text(text) => {
                if glue == Glue::Word && text.starts_with(is_word_letter) {
                    return Err("inline codes cut a word apart".into());
                }
                glue = if text.ends_with(is_word_letter) { Glue::Letter } else { Glue::None };
                words.push(Word::Text(text.clone()));
            }
            Token::Atom(piece) if rung == Rung::Markers && stands_free(&tokens, at) => {
                glue = Glue::None;
                words.push(Word::Atom(piece.clone()));
            }
            Token::Atom(piece) | Token::Cut(piece) => {
                glue = if glue != Glue::None && !separates(piece, segment) { Glue::Word } else { Glue::None };
                flush(&mut words, segment, &mut stretches);
                stretches.push(Stretch::Keep(piece.clone()));
            }
        }
    }
    flush(&mut words, segment, &mut stretches);
    Ok(stretches)
}

/// Ends a stretch; pictures at its ends are no part of its grammar and stay where they are (F-25).
fn flush(words: &mut Vec<Word>, segment: &Segment, stretches: &mut Vec<Stretch>) {
    let mut words = std::mem::take(words);
    let is_scenery = |word: &Word| match word {
        Word::Text(text) => text.trim().is_empty(),
        Word::Atom(Piece::Single(id)) => code(segment, *id).is_some_and(|code| code.kind == CodeKind::Void),
        Word::Atom(Piece::Text(text)) => !text.contains(char::is_alphanumeric),
        Word::Atom(Piece::Open(_) | Piece::Close(_)) => false,
    };
    let start = words.iter().take_while(|word| is_scenery(word)).count();
    let after = words.split_off(words.len() - words[start..].iter().rev().take_while(|word| is_scenery(word)).count());
    let core = words.split_off(start);
    let keep = |word| match word {
        Word::Text(text) => Stretch::Keep(Piece::Text(text)),
        Word::Atom(piece) => Stretch::Keep(piece),
    };
    stretches.extend(words.into_iter().map(keep));
    stretches.extend(Some(core).filter(|core| !core.is_empty()).map(Stretch::Words));
    stretches.extend(after.into_iter().map(keep));
}

/// What touches the next token: nothing of a word, a letter, or a letter with codes after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Glue {
    None,
    Letter,
    Word,
}

/// A part of the text before it is known which atoms stand free.
enum Token {
    Text(String),
    Atom(Piece),
    Cut(Piece),
}

fn tokens(segment: &Segment) -> Vec<Token> {
    let mut tokens = Vec::new();
    for piece in mend_words(segment) {
        match piece {
            Piece::Text(text) => text_tokens(&text, &mut tokens),
            Piece::Single(id) if code(segment, id).is_some_and(is_movable) => tokens.push(Token::Atom(piece)),
            Piece::Open(_) | Piece::Close(_) | Piece::Single(_) => tokens.push(Token::Cut(piece)),
        }
    }
    tokens
}

/// Volatile words become atoms; line breaks and tabs, which only preformatted text has, cut (F-10: an engine gets
/// one line).
fn text_tokens(text: &str, tokens: &mut Vec<Token>) {
    let mut at = 0;
    let plain = |text: &str, tokens: &mut Vec<Token>| {
        let mut rest = text;
        while let Some(next) = rest.find(['\n', '\r', '\t']) {
            tokens.extend(Some(&rest[..next]).filter(|line| !line.is_empty()).map(|line| Token::Text(line.to_owned())));
            let length = rest[next..].len() - rest[next..].trim_start().len();
            tokens.push(Token::Cut(Piece::Text(rest[next..next + length].to_owned())));
            rest = &rest[next + length..];
        }
        tokens.extend(Some(rest).filter(|rest| !rest.is_empty()).map(|rest| Token::Text(rest.to_owned())));
    };
    for range in volatile(text) {
        plain(&text[at..range.start], tokens);
        tokens.push(Token::Atom(Piece::Text(text[range.clone()].to_owned())));
        at = range.end;
    }
    plain(&text[at..], tokens);
}

/// Whether an atom may travel as a marker word: it touches no letter, digit or other atom.
fn stands_free(tokens: &[Token], at: usize) -> bool {
    let glued = |token: Option<&Token>, side: fn(&str) -> Option<char>| match token {
        Some(Token::Text(text)) => side(text).is_some_and(char::is_alphanumeric),
        Some(Token::Atom(_)) => true,
        Some(Token::Cut(_)) | None => false,
    };
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    !glued(before, |text| text.chars().next_back()) && !glued(tokens.get(at + 1), |text| text.chars().next())
}

fn code(segment: &Segment, id: u32) -> Option<&Code> {
    segment.codes.get(usize::try_from(id).ok()?.checked_sub(1)?)
}

/// Whether a single code may stand elsewhere in the translation of its stretch.
fn is_movable(code: &Code) -> bool {
    matches!(code.kind, CodeKind::Void | CodeKind::Protected) && !matches!(&*code.element, "br" | "wbr")
}

/// Whether letters before and after this are two words although no space stands between.
fn separates(piece: &Piece, segment: &Segment) -> bool {
    match piece {
        Piece::Text(_) => true,
        Piece::Single(id) => code(segment, *id).is_some_and(|code| !matches!(&*code.element, "wbr" | "!--")),
        Piece::Open(id) | Piece::Close(id) => code(segment, *id).is_some_and(is_raised),
    }
}

fn is_raised(code: &Code) -> bool {
    matches!(&*code.element, "sup" | "sub")
}

/// Widens a pair to the whole word that it cuts: `under<u>line</u>d` is one word for the engine (F-18).
fn mend_words(segment: &Segment) -> Vec<Piece> {
    let mut pieces = segment.text.0.clone();
    for at in 1..pieces.len().saturating_sub(1) {
        let (Piece::Open(id) | Piece::Close(id)) = pieces[at] else { continue };
        let opens = matches!(pieces[at], Piece::Open(_));
        let (Piece::Text(before), Piece::Text(after)) = (&pieces[at - 1], &pieces[at + 1]) else { continue };
        let raised = code(segment, id).is_some_and(is_raised);
        if raised || !before.ends_with(is_word_letter) || !after.starts_with(is_word_letter) {
            continue;
        }
        let (before, after) = if opens {
            let kept = before.trim_end_matches(is_word_letter);
            (kept.to_owned(), before[kept.len()..].to_owned() + after)
        } else {
            let kept = after.trim_start_matches(is_word_letter);
            (before.clone() + &after[..after.len() - kept.len()], kept.to_owned())
        };
        pieces[at - 1] = Piece::Text(before);
        pieces[at + 1] = Piece::Text(after);
    }
    pieces
}
