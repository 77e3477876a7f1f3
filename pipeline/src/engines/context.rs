//! Context of a text: excerpts of the page around it.
//!
//! Engines read it to understand a text. It is not translated and is part of no key, so a change around a text sends
//! nothing again.

use std::sync::Arc;

use crate::page::{CodedText, TextPiece};

/// Maximum number of characters in an excerpt, without the ellipsis.
const LONGEST: usize = 200;

/// Maximum number of characters in the context of a whole request.
const LONGEST_OF_REQUEST: usize = 2_000;

/// Longest word in bytes before which an excerpt is cut.
const LONGEST_WORD: usize = 80;

const ELLIPSIS: char = '…';

/// Excerpts of the page around a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Title of the page.
    pub title: Option<Arc<str>>,
    /// The nearest heading above, of a higher rank if the text is a heading itself.
    pub heading: Option<Arc<str>>,
    /// End of the text before it.
    pub before: Option<Arc<str>>,
    /// Beginning of the text after it.
    pub after: Option<Arc<str>>,
}

impl Context {
    /// True if there is no excerpt.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same context without the texts before and after, for a part of a text.
    #[must_use]
    pub fn above(&self) -> Self {
        Self {
            title: self.title.clone(),
            heading: self.heading.clone(),
            ..Self::default()
        }
    }
}

/// Joins contexts for an engine that takes one context for a whole request. Each excerpt appears once, on a line of its
/// own, with titles and headings first.
pub(super) fn joined(contexts: &[&Context]) -> Option<String> {
    let titles = contexts.iter().map(|context| &context.title);
    let headings = contexts.iter().map(|context| &context.heading);
    let beside = contexts
        .iter()
        .flat_map(|context| [&context.before, &context.after]);
    let mut lines: Vec<&str> = Vec::new();
    let mut length = 0;
    for excerpt in titles.chain(headings).chain(beside).flatten() {
        let more = excerpt.chars().count() + 1;
        if length + more <= LONGEST_OF_REQUEST && !lines.contains(&&**excerpt) {
            lines.push(excerpt);
            length += more;
        }
    }
    if lines.is_empty() {
        None
    } else {
        Some(lines.join("\n"))
    }
}

/// The first words of a text, without its codes; an ellipsis stands for the rest.
pub fn first_words(text: &CodedText) -> String {
    let words = words_of(text.pieces().flat_map(letters));
    let Some((end, _)) = words.char_indices().nth(LONGEST) else {
        return words;
    };
    let head = &words[..end];
    // Scripts without spaces are cut between two letters.
    let space = head.rfind(' ').filter(|space| end - space < LONGEST_WORD);
    let cut = if words[end..].starts_with(' ') {
        end
    } else {
        space.unwrap_or(end)
    };
    format!("{}{ELLIPSIS}", words[..cut].trim_end())
}

/// The last words of a text, without its codes; an ellipsis stands for the rest.
pub fn last_words(text: &CodedText) -> String {
    let backwards = words_of(text.pieces().rev().flat_map(|piece| letters(piece).rev()));
    let words: String = backwards.chars().rev().collect();
    let Some((start, _)) = words
        .char_indices()
        .rev()
        .nth(LONGEST - 1)
        .filter(|(start, _)| *start > 0)
    else {
        return words;
    };
    let tail = &words[start..];
    let is_word_start = words[..start].ends_with(' ');
    let space = tail.find(' ').filter(|space| *space < LONGEST_WORD);
    let cut = if is_word_start {
        0
    } else {
        space.map_or(0, |space| space + 1)
    };
    format!("{ELLIPSIS}{}", tail[cut..].trim_start())
}

/// Words of a text with single spaces, up to a length. A single code, such as a line break, separates words.
fn words_of(characters: impl Iterator<Item = char>) -> String {
    let mut words = String::new();
    let mut length = 0;
    let mut has_space = false;
    for character in characters {
        if character.is_whitespace() {
            has_space = length > 0;
            continue;
        }
        if has_space {
            words.push(' ');
            length += 1;
        }
        has_space = false;
        words.push(character);
        length += 1;
        if length > LONGEST + 1 {
            break;
        }
    }
    words
}

/// Characters of a piece.
fn letters(piece: TextPiece<'_>) -> std::str::Chars<'_> {
    match piece {
        TextPiece::Text(text) => text.chars(),
        TextPiece::Single(_) => " ".chars(),
        TextPiece::Open(_) | TextPiece::Close(_) => "".chars(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_cut_at_a_word_r_l19() {
        let long = "bread and ".repeat(100);
        let text = CodedText::plain(long.trim());
        let first = first_words(&text);
        let last = last_words(&text);
        assert_eq!((first.chars().count(), last.chars().count()), (200, 200));
        assert!(
            first.starts_with("bread and") && first.ends_with("and…"),
            "{first}"
        );
        assert!(
            last.starts_with("…bread and") && last.ends_with("bread and"),
            "{last}"
        );
        let dense = CodedText::plain("面".repeat(300));
        assert_eq!(first_words(&dense), format!("{}…", "面".repeat(LONGEST)));
        assert_eq!(last_words(&dense), format!("…{}", "面".repeat(LONGEST)));
        let exact = CodedText::plain("é".repeat(LONGEST));
        assert_eq!(
            (
                first_words(&exact).chars().count(),
                last_words(&exact).chars().count()
            ),
            (LONGEST, LONGEST)
        );
    }

    #[test]
    fn a_request_has_one_context_of_limited_length_r_l19() {
        let context = |title: &str, before: &str| Context {
            title: Some(title.into()),
            heading: Some("Bread".into()),
            before: Some(before.into()),
            after: None,
        };
        let long = "é".repeat(LONGEST_OF_REQUEST);
        let contexts = [
            context("Bakery", "Rolls"),
            context("Bakery", &long),
            context("Bakery", "Cakes"),
        ];
        assert_eq!(
            joined(&contexts.each_ref()).unwrap(),
            "Bakery\nBread\nRolls\nCakes"
        );
        assert_eq!(joined(&[&Context::default()]), None);
    }

    #[test]
    fn excerpts_have_no_codes_r_l19() {
        let text =
            CodedText::from_markup("Our <g id=\"1\">bread</g><x id=\"2\"/>and  &lt;rolls&gt;")
                .unwrap();
        assert_eq!(
            (first_words(&text), last_words(&text)),
            (
                "Our bread and <rolls>".into(),
                "Our bread and <rolls>".into()
            )
        );
    }
}
