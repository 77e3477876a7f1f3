//! Segments for tests, written in the notation, and what became of them.

use std::collections::BTreeMap;

use super::{Chain, RefusedSegment, SegmentOutcome, Tally};
use crate::model::LanguagePair;
use crate::page::{CodeKind, CodedText, InlineCode, Segment, TextClass, TextPiece};

/// Has English texts translated; gives for each its translation, or after a `~` what is translated of it, the reason of a refusal after a `!`, `=` for what was not
/// touched, `?` for what no engine took.
pub(crate) async fn translated(
    chain: &Chain,
    segments: &[Segment],
    target: &str,
) -> (BTreeMap<usize, String>, Tally) {
    let languages = LanguagePair::of_tags("en", target);
    let mut told = BTreeMap::new();
    let mut tell = |index, outcome| {
        let text = match outcome {
            SegmentOutcome::Translated { text, .. } => text.to_markup(),
            SegmentOutcome::Refused(RefusedSegment {
                partly: Some(text), ..
            }) => format!("~ {}", text.to_markup()),
            SegmentOutcome::Refused(refusal) => format!("! {}", refusal.reasons),
            SegmentOutcome::Untouched => "=".into(),
            SegmentOutcome::Unavailable => "?".into(),
        };
        assert!(
            told.insert(index, text).is_none(),
            "text {index} ends twice"
        );
    };
    let tally = chain
        .translate(languages.as_ref(), segments, &mut tell)
        .await;
    assert_eq!(told.len(), segments.len(), "every text ends");
    (told, tally)
}

/// A segment whose code `n` is the element at `n - 1`; `+b` and `-b` are halves, a bare name fits the notation.
pub(crate) fn segment(markup: &str, elements: &[&str]) -> Segment {
    let text = CodedText::from_markup(markup).unwrap();
    let mut codes = Vec::new();
    for (at, element) in elements.iter().enumerate() {
        let id = u32::try_from(at + 1).unwrap();
        let kind = match element.chars().next() {
            Some('+') => CodeKind::LoneStart,
            Some('-') => CodeKind::LoneEnd,
            _ if text.pieces().any(|piece| piece == TextPiece::Open(id)) => CodeKind::Paired,
            _ if matches!(*element, "br" | "img" | "wbr" | "!--") => CodeKind::Void,
            _ => CodeKind::Protected,
        };
        codes.push(InlineCode::new(
            kind,
            element.trim_start_matches(['+', '-']),
        ));
    }
    Segment {
        text,
        codes,
        class: TextClass::Prose,
        origin: "p".into(),
        filter: None,
        keeps_nodes: false,
    }
}

/// A segment without codes.
pub(crate) fn plain(text: &str) -> Segment {
    Segment {
        text: CodedText::plain(text),
        codes: vec![],
        class: TextClass::Prose,
        origin: "p".into(),
        filter: None,
        keeps_nodes: false,
    }
}
