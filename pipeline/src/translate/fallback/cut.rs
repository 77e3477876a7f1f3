//! Cuts a text into stretches that are asked as one, and what stands between them.
//!
//! Cuts fall at halves whose order is fixed, at `<br>` (F-18) and at line breaks; at paired codes too, unless they are to
//! be projected, and then still at those around such a cut. Other single codes, pairs without a letter in them and
//! volatile words travel inside a stretch as marker words where they stand free; glued to a letter they cut too.
//! A word is never cut: a pair inside one is widened to it, and what cannot be widened is refused.

use std::ops::Range;

use super::glossed::Glossed;
use super::strategy::Fallback;
use crate::engines::overlap;
use crate::page::{CodeKind, CodedText, InlineCode, Segment, TextPiece};
use crate::text::{is_word_letter, volatile};

/// A stretch of words, or what stands between two.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FallbackStretch {
    /// Stays as it is.
    Keep(CodedText),
    /// Is asked as one.
    Words(Vec<CutWord>),
}

/// Text, something that must come back exactly once, or an end of a pair that goes around words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CutWord {
    Text(String),
    Placeholder(Placeholder),
    Open(u32),
    Close(u32),
}

/// What travels as one marker word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) text: CodedText,
    /// Whether it touches the word before it, as the number of a footnote does; its marker stands apart.
    pub(super) glued: bool,
}

impl Placeholder {
    fn free(text: CodedText) -> Self {
        Self { text, glued: false }
    }
}

/// Cuts a segment.
///
/// # Errors
/// A sentence for a text in which inline codes cut a word apart.
pub(super) fn stretches(
    segment: &Segment,
    fallback: Fallback,
    glossed: Glossed<'_>,
) -> Result<Vec<FallbackStretch>, String> {
    let mut tokens = tokens(segment, fallback, glossed);
    let mut stretches = Vec::new();
    let mut words = Vec::new();
    let mut glue = Glue::None;
    for at in 0..tokens.len() {
        let standing = standing(&tokens, at, fallback);
        match &mut tokens[at] {
            CutToken::Text(text) => {
                if glue == Glue::Word && text.starts_with(is_word_letter) {
                    return Err("inline codes cut a word apart".into());
                }
                glue = if text.ends_with(is_word_letter) {
                    Glue::Letter
                } else {
                    Glue::None
                };
                words.push(CutWord::Text(text.clone()));
            }
            CutToken::Open(id) => words.push(CutWord::Open(*id)),
            CutToken::Close(id) => words.push(CutWord::Close(*id)),
            CutToken::Placeholder(placeholder) if standing != PlaceholderStanding::Glued => {
                glue = Glue::None;
                words.push(CutWord::Placeholder(Placeholder {
                    glued: standing == PlaceholderStanding::Raised,
                    ..placeholder.clone()
                }));
            }
            CutToken::Placeholder(Placeholder { text, .. }) | CutToken::Cut(text) => {
                for piece in text.pieces() {
                    glue = if glue != Glue::None && !separates(piece, segment) {
                        Glue::Word
                    } else {
                        Glue::None
                    };
                }
                flush(&mut words, segment, &mut stretches);
                stretches.push(FallbackStretch::Keep(std::mem::take(text)));
            }
        }
    }
    flush(&mut words, segment, &mut stretches);
    Ok(stretches)
}

/// Ends a stretch. Pictures at its ends are no part of its grammar and stay where they are (F-25), and so do pairs
/// around all of it.
fn flush(words: &mut Vec<CutWord>, segment: &Segment, stretches: &mut Vec<FallbackStretch>) {
    let mut words = std::mem::take(words);
    let mut after = Vec::new();
    loop {
        let start = words
            .iter()
            .take_while(|word| is_scenery(word, segment))
            .count();
        let end = words.len()
            - words[start..]
                .iter()
                .rev()
                .take_while(|word| is_scenery(word, segment))
                .count();
        after.extend(words.drain(end..).rev());
        stretches.extend(words.drain(..start).map(kept));
        match words.as_slice() {
            [CutWord::Open(first), .., CutWord::Close(last)] if first == last => {
                after.extend(words.pop());
                stretches.push(kept(words.remove(0)));
            }
            _ => break,
        }
    }
    stretches.extend(
        Some(words)
            .filter(|words| !words.is_empty())
            .map(FallbackStretch::Words),
    );
    stretches.extend(after.into_iter().rev().map(kept));
}

fn is_scenery(word: &CutWord, segment: &Segment) -> bool {
    match word {
        CutWord::Text(text) => text.trim().is_empty(),
        CutWord::Placeholder(placeholder) => match only_piece(&placeholder.text) {
            Some(TextPiece::Single(id)) => segment
                .code(id)
                .is_some_and(|code| code.kind == CodeKind::Void),
            _ => !placeholder.text.text().contains(char::is_alphanumeric),
        },
        CutWord::Open(_) | CutWord::Close(_) => false,
    }
}

/// The piece that a text consists of, where it is one.
fn only_piece(text: &CodedText) -> Option<TextPiece<'_>> {
    let mut pieces = text.pieces();
    pieces.next().filter(|_| pieces.next().is_none())
}

fn kept(word: CutWord) -> FallbackStretch {
    FallbackStretch::Keep(match word {
        CutWord::Text(text) => CodedText::plain(text),
        CutWord::Placeholder(placeholder) => placeholder.text,
        CutWord::Open(id) => alone(TextPiece::Open(id)),
        CutWord::Close(id) => alone(TextPiece::Close(id)),
    })
}

fn alone(piece: TextPiece<'_>) -> CodedText {
    std::iter::once(piece).collect()
}

/// What touches the next token: nothing of a word, a letter, or a letter with codes after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Glue {
    None,
    Letter,
    Word,
}

/// A part of the text before it is known which placeholders stand free.
enum CutToken {
    Text(String),
    Placeholder(Placeholder),
    Open(u32),
    Close(u32),
    Cut(CodedText),
}

impl CutToken {
    /// True for words, or a word that stands for something.
    fn has_words(&self) -> bool {
        match self {
            Self::Text(text) => text.contains(char::is_alphanumeric),
            Self::Placeholder(placeholder) => {
                placeholder.text.text().contains(char::is_alphanumeric)
            }
            Self::Open(_) | Self::Close(_) | Self::Cut(_) => false,
        }
    }
}

fn tokens(segment: &Segment, fallback: Fallback, glossed: Glossed<'_>) -> Vec<CutToken> {
    let pieces = mend_words(segment);
    let projects = fallback == Fallback::Projected && is_sentence(&pieces);
    let mut tokens = Vec::new();
    let mut around = Vec::new();
    let mut at = 0;
    while let Some(&piece) = pieces.get(at) {
        at += 1;
        match piece {
            TextPiece::Text(text) => text_tokens(text, is_title(segment), glossed, &mut tokens),
            TextPiece::Single(id) if is_movable(segment, id) => {
                tokens.push(CutToken::Placeholder(Placeholder::free(alone(piece))))
            }
            TextPiece::Open(id) if projects => {
                let inside = pieces[at..]
                    .iter()
                    .take_while(|piece| **piece != TextPiece::Close(id))
                    .count();
                let inner = &pieces[at..at + inside];
                if inner.iter().any(|piece| is_cut(*piece, segment, glossed)) {
                    tokens.push(CutToken::Cut(alone(piece)));
                } else if has_letter(inner) && !is_footnote(&pieces, at - 1, segment) {
                    around.push(id);
                    tokens.push(CutToken::Open(id));
                } else {
                    let end = (at + inside + 1).min(pieces.len());
                    let pair = pieces[at - 1..end].iter().copied().collect();
                    tokens.push(CutToken::Placeholder(Placeholder::free(pair)));
                    at = end;
                }
            }
            TextPiece::Close(id) if around.last() == Some(&id) => {
                around.pop();
                tokens.push(CutToken::Close(id));
            }
            TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_) => {
                tokens.push(CutToken::Cut(alone(piece)))
            }
        }
    }
    tokens
}

fn has_letter(pieces: &[TextPiece<'_>]) -> bool {
    pieces
        .iter()
        .any(|piece| matches!(piece, TextPiece::Text(text) if text.contains(char::is_alphabetic)))
}

/// Whether words stand outside of the pairs, or at most one pair is there: several with nothing but signs between them
/// are a list, such as a menu, and each is a text of its own.
fn is_sentence(pieces: &[TextPiece<'_>]) -> bool {
    let mut depth = 0_usize;
    let mut pairs = 0;
    let mut words = false;
    for piece in pieces {
        match piece {
            TextPiece::Open(_) => {
                pairs += usize::from(depth == 0);
                depth += 1;
            }
            TextPiece::Close(_) => depth = depth.saturating_sub(1),
            TextPiece::Text(text) => words |= depth == 0 && text.contains(char::is_alphabetic),
            TextPiece::Single(_) => {}
        }
    }
    words || pairs < 2
}

/// Whether a stretch ends here, inside a pair too.
fn is_cut(piece: TextPiece<'_>, segment: &Segment, glossed: Glossed<'_>) -> bool {
    match piece {
        TextPiece::Text(text) => {
            let is_parted =
                glossed.values.is_some() && !separators(text, is_title(segment)).is_empty();
            is_parted || text.contains(['\n', '\r', '\t'])
        }
        TextPiece::Single(id) => !is_movable(segment, id),
        TextPiece::Open(_) | TextPiece::Close(_) => false,
    }
}

/// Whether a raised pair touches the word before it: its words are no words of the sentence.
fn is_footnote(pieces: &[TextPiece<'_>], at: usize, segment: &Segment) -> bool {
    let (Some(&TextPiece::Open(id)), Some(before)) = (pieces.get(at), at.checked_sub(1)) else {
        return false;
    };
    let touches =
        matches!(&pieces[before], TextPiece::Text(text) if text.ends_with(char::is_alphanumeric));
    touches && segment.code(id).is_some_and(is_raised)
}

/// Recognizes the title of a page, which may join the names of page, section and site.
fn is_title(segment: &Segment) -> bool {
    matches!(
        segment.origin.as_ref(),
        "title" | "meta og:title" | "meta twitter:title"
    )
}

/// Signs between words that no sentence goes over, with the white space around them. Dashes are such signs in titles alone.
fn separators(text: &str, is_title: bool) -> Vec<Range<usize>> {
    const ALWAYS: [&str; 7] = [" | ", " · ", " › ", " » ", " → ", " :: ", " • "];
    const IN_TITLES: [&str; 3] = [" – ", " — ", " - "];
    let signs = ALWAYS.iter().chain(IN_TITLES.iter().filter(|_| is_title));
    signs
        .flat_map(|sign| {
            text.match_indices(sign)
                .map(|(at, sign)| at..at + sign.len())
        })
        .collect()
}

/// Volatile words, and terms that travel so, become placeholders; line breaks and tabs, which only preformatted text has, cut (F-10: an engine gets
/// one line).
fn text_tokens(text: &str, is_title: bool, glossed: Glossed<'_>, tokens: &mut Vec<CutToken>) {
    let mut at = 0;
    let plain = |text: &str, tokens: &mut Vec<CutToken>| {
        let mut rest = text;
        while let Some(next) = rest.find(['\n', '\r', '\t']) {
            tokens.extend(
                Some(&rest[..next])
                    .filter(|line| !line.is_empty())
                    .map(|line| CutToken::Text(line.to_owned())),
            );
            let length = rest[next..].len() - rest[next..].trim_start().len();
            tokens.push(CutToken::Cut(CodedText::plain(&rest[next..next + length])));
            rest = &rest[next + length..];
        }
        tokens.extend(
            Some(rest)
                .filter(|rest| !rest.is_empty())
                .map(|rest| CutToken::Text(rest.to_owned())),
        );
    };
    let text = &glossed.plainly(text);
    let placeholder = |(range, words)| {
        (
            range,
            CutToken::Placeholder(Placeholder::free(CodedText::plain(words))),
        )
    };
    let terms = glossed.fixed(text);
    // A term that is a name of code, such as a product's, is written as the glossary has it.
    let mut kept = volatile(text);
    kept.retain(|range| !terms.iter().any(|(term, _)| overlap(term, range)));
    let mut fixed: Vec<(Range<usize>, CutToken)> = terms.into_iter().map(placeholder).collect();
    let has_words = tokens.iter().any(CutToken::has_words);
    fixed.extend(
        glossed
            .fixed_values(text, !has_words)
            .into_iter()
            .map(placeholder),
    );
    fixed.extend(
        kept.into_iter()
            .map(|range| placeholder((range.clone(), text[range].to_owned()))),
    );
    let cuts = if glossed.values.is_some() {
        separators(text, is_title)
    } else {
        Vec::new()
    };
    fixed.extend(
        cuts.into_iter()
            .map(|range| (range.clone(), CutToken::Cut(CodedText::plain(&text[range])))),
    );
    // The number of a section is kept with its words.
    let number = if has_words {
        0
    } else {
        glossed.numbering(text)
    };
    fixed.retain(|(range, _)| range.end > number);
    fixed.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    for (range, token) in fixed {
        // An address in a value is a part of it.
        if range.start < at {
            continue;
        }
        plain(&text[at..range.start], tokens);
        tokens.push(token);
        at = range.end;
    }
    plain(&text[at..], tokens);
}

/// How a placeholder stands in its sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceholderStanding {
    /// It touches no letter, digit or other placeholder, so that a marker word can stand for it.
    Free,
    /// It touches the word before it, as a footnote does.
    Raised,
    /// It is part of a word.
    Glued,
}

fn standing(tokens: &[CutToken], at: usize, fallback: Fallback) -> PlaceholderStanding {
    let glued = |token: Option<&CutToken>, side: fn(&str) -> Option<char>| match token {
        Some(CutToken::Text(text)) => side(text).is_some_and(char::is_alphanumeric),
        Some(CutToken::Placeholder(_)) => true,
        Some(CutToken::Cut(_) | CutToken::Open(_) | CutToken::Close(_)) | None => false,
    };
    let is_word = |token: &&CutToken| !matches!(token, CutToken::Open(_) | CutToken::Close(_));
    let before = glued(tokens[..at].iter().rev().find(is_word), |text| {
        text.chars().next_back()
    });
    let after = glued(tokens[at + 1..].iter().find(is_word), |text| {
        text.chars().next()
    });
    let is_pair = matches!(&tokens[at], CutToken::Placeholder(placeholder) if placeholder.text.pieces().count() > 1);
    match fallback {
        Fallback::Apart => PlaceholderStanding::Glued,
        Fallback::Projected | Fallback::Markers if !before && !after => PlaceholderStanding::Free,
        Fallback::Projected if before && !after && is_pair => PlaceholderStanding::Raised,
        Fallback::Projected | Fallback::Markers => PlaceholderStanding::Glued,
    }
}

/// Whether a single code may stand elsewhere in the translation of its stretch.
fn is_movable(segment: &Segment, id: u32) -> bool {
    let may = |code: &InlineCode| {
        matches!(code.kind, CodeKind::Void | CodeKind::Protected)
            && !matches!(code.element(), "br" | "wbr")
    };
    segment.code(id).is_some_and(may)
}

/// Whether letters before and after this are two words although no space stands between.
fn separates(piece: TextPiece<'_>, segment: &Segment) -> bool {
    match piece {
        TextPiece::Text(_) => true,
        TextPiece::Single(id) => segment
            .code(id)
            .is_some_and(|code| !matches!(code.element(), "wbr" | "!--")),
        TextPiece::Open(id) | TextPiece::Close(id) => segment.code(id).is_some_and(is_raised),
    }
}

fn is_raised(code: &InlineCode) -> bool {
    matches!(code.element(), "sup" | "sub")
}

/// Widens a pair to the whole word that it cuts: `under<u>line</u>d` is one word for the engine (F-18).
fn mend_words(segment: &Segment) -> Vec<TextPiece<'_>> {
    let text = segment.text.text();
    let mut pieces: Vec<TextPiece<'_>> = segment.text.pieces().collect();
    let mut place = 0;
    for at in 1..pieces.len().saturating_sub(1) {
        place += if let TextPiece::Text(before) = pieces[at - 1] {
            before.len()
        } else {
            0
        };
        let (TextPiece::Open(id) | TextPiece::Close(id)) = pieces[at] else {
            continue;
        };
        let opens = matches!(pieces[at], TextPiece::Open(_));
        let (TextPiece::Text(before), TextPiece::Text(after)) = (pieces[at - 1], pieces[at + 1])
        else {
            continue;
        };
        let raised = segment.code(id).is_some_and(is_raised);
        if raised || !before.ends_with(is_word_letter) || !after.starts_with(is_word_letter) {
            continue;
        }
        let start = place - before.len();
        let end = place + after.len();
        place = match opens {
            true => start + before.trim_end_matches(is_word_letter).len(),
            false => end - after.trim_start_matches(is_word_letter).len(),
        };
        pieces[at - 1] = TextPiece::Text(&text[start..place]);
        pieces[at + 1] = TextPiece::Text(&text[place..end]);
    }
    pieces
}
