//! Rules for values, applied without an engine.

use std::ops::Range;

use crate::model::{LanguagePair, Locale, Manner};
use crate::page::{CodedText, Segment, TextPiece};
use crate::text::{ValueReplacement, told, written};

/// Signature of text formatted by CLDR.
pub const BY_RULES: &str = "cldr";

/// A text that is nothing but values, as the language writes them; `None` for one with other words.
pub(super) fn written_by_rules(
    segment: &Segment,
    pair: LanguagePair<&Locale>,
    manner: Manner,
) -> Option<CodedText> {
    for piece in segment.text.pieces() {
        if let TextPiece::Text(text) = piece
            && text.contains(char::is_alphabetic)
        {
            written(text, pair, manner.digits)?;
        }
    }
    if manner.keeps_dates {
        return Some(segment.text.clone());
    }
    Some(
        segment
            .text
            .map(|text| written(text, pair, manner.digits).unwrap_or_else(|| text.to_owned())),
    )
}

/// Replacements for values in the input of an engine that knows text only.
pub(super) fn told_values(
    (text, begins): (&str, bool),
    pair: LanguagePair<&Locale>,
    manner: Manner,
) -> Vec<(Range<usize>, ValueReplacement)> {
    let told = told(text, begins, pair);
    match manner.keeps_dates {
        true => told
            .into_iter()
            .map(|(range, _)| {
                (
                    range.clone(),
                    ValueReplacement::Placeholder(text[range].to_owned()),
                )
            })
            .collect(),
        false => told,
    }
}
