//! How a text is taken apart.

use crate::engines::{Caps, Markup};
use crate::page::{CodeKind, Segment};

/// How a text is taken apart; each fallback is safer than the one before and costs more of the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Fallback {
    /// Pairs go around the words that theirs became; the rest as with markers.
    Projected,
    /// Pairs cut; single codes and volatile words travel as marker words.
    Markers,
    /// Every code and volatile word cuts: nothing can be lost, the words between lack their sentence.
    Apart,
}

/// With more inline codes than this a text is a list or made to hurt: pairs cut it, which takes no comparing of each
/// with each.
const MANY_CODES: usize = 500;

impl Fallback {
    /// The first fallback for a text with an engine. Where scripts compare the page with their own, pairs may not move.
    pub(in super::super) fn first(segment: &Segment, caps: &Caps) -> Self {
        let has_pairs = segment
            .codes
            .iter()
            .any(|code| code.kind == CodeKind::Paired);
        let is_sentence = segment.codes.len() <= MANY_CODES;
        let projects =
            caps.markup == Markup::Links && has_pairs && is_sentence && !segment.keeps_nodes;
        if projects {
            Self::Projected
        } else {
            Self::Markers
        }
    }
}
