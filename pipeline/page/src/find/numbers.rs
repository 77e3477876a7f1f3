//! Untranslated text that the bidirectional algorithm may reorder beside translated text: phone numbers, times, ranges
//! and untranslated names (R-R1). Also finds arrows that stand alone and are mirrored with the page (R-R4).

use super::found::NumberPlace;
use super::inherit::{InheritedState, TextNamespace};
use super::keeps::Keeps;
use super::template;
use crate::html::element::ElementFlow;
use crate::html::span::short;
use crate::html::tokens::{PageTokens, TextKind, TokenKind};
use crate::text::arrow::turned_arrows;
use crate::text::coded::has_letter;

/// Limit in bytes for a text that may be an arrow.
const LONGEST_ARROW: usize = 40;

/// Reads the text with that index among the tokens.
pub(crate) fn number(
    source: &[u8],
    tokens: &PageTokens,
    index: usize,
    state: &InheritedState,
) -> Option<NumberPlace> {
    let token = tokens
        .get(index)
        .filter(|token| token.kind == TokenKind::Text(TextKind::Data))?;
    let raw = source[token.range.clone()].trim_ascii();
    let first = *raw.first()?;
    if state.world != TextNamespace::Html {
        return None;
    }
    let takes_text = state.takes_text();
    // Most texts begin with a letter.
    if takes_text && first.is_ascii_alphabetic() {
        return None;
    }
    let is_kept = !takes_text
        && matches!(
            state.keeps(),
            Some(Keeps::TranslateNo | Keeps::NotranslateClass | Keeps::Skip(_))
        );
    if !takes_text && !is_kept {
        return None;
    }
    let is_arrow = may_be_arrow(raw);
    // An arrow with `translate=no` is neither mirrored nor isolated.
    if (is_kept && is_arrow)
        || !(is_arrow || may_be_number(raw, is_kept))
        || !template::find(source, &token.range).is_empty()
    {
        return None;
    }
    let around = index.checked_sub(1).and_then(|before| tokens.get(before));
    let mut holder = None;
    if let Some(before) = around
        && let TokenKind::Start(tag) = &before.kind
    {
        if tag.has("dir") || matches!(&*tag.name, "bdi" | "bdo" | "option" | "optgroup") {
            return None;
        }
        let after = tokens.get(index + 1);
        let is_alone = after.is_some_and(|after| after.kind == TokenKind::End(tag.name.clone()));
        if is_alone && tag.name.flow() == ElementFlow::Inline {
            holder = Some(short(before.range.start + 1 + tag.name.len()));
        }
    }
    // Text with translate=no gets no characters of ours.
    if is_kept && holder.is_none() {
        None
    } else {
        Some(NumberPlace {
            text: token.range.clone().into(),
            holder,
        })
    }
}

/// True for a text that consists of arrows.
fn may_be_arrow(raw: &[u8]) -> bool {
    raw.len() <= LONGEST_ARROW
        && raw
            .first()
            .is_some_and(|byte| *byte == b'&' || !byte.is_ascii())
        && turned_arrows(&htmlize::unescape(String::from_utf8_lossy(raw))).is_some()
}

/// True if a text has digits, or letters if those may be, and something else beside them.
fn may_be_number(raw: &[u8], may_have_letters: bool) -> bool {
    if !may_have_letters {
        let first = raw
            .iter()
            .find(|byte| byte.is_ascii_alphabetic() || **byte == b'&');
        if first.is_some_and(u8::is_ascii_alphabetic) || !raw.iter().any(u8::is_ascii_digit) {
            return false;
        }
    }
    // Browsers keep such numbers together.
    let is_plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':');
    if raw.iter().all(is_plain) {
        return false;
    }
    let is_mixed = raw.iter().any(|byte| !byte.is_ascii_alphanumeric());
    is_mixed && (may_have_letters || !has_letter(&htmlize::unescape(String::from_utf8_lossy(raw))))
}
