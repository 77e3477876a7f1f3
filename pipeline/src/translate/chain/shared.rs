//! Equal texts of a round, which are asked once.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::fallback::Asked;
use crate::engines::Ask;
use crate::page::{CodedText, Segment};

/// Markup, origin and terms of an ask with codes.
type WholeKey = (String, Cow<'static, str>, Vec<(String, String)>);

/// Indices of asks that several texts may share.
#[derive(Default)]
pub(super) struct Shared {
    apart: HashMap<Asked, usize>,
    /// Asks with codes.
    whole: HashMap<WholeKey, usize>,
}

impl Shared {
    /// The index of an ask without codes; it is added if it is new.
    pub(super) fn apart(&mut self, asks: &mut Vec<Ask>, asked: &Asked, segment: &Segment) -> usize {
        *self.apart.entry(asked.clone()).or_insert_with(|| {
            let text = CodedText::plain(&asked.text);
            let Asked { marks, marks_terms_only, terms, .. } = asked.clone();
            asks.push(Ask { text, origin: segment.origin.clone(), marks, terms, marks_terms_only });
            asks.len() - 1
        })
    }

    /// The index of an ask with codes; it is added if it is new.
    pub(super) fn whole(&mut self, asks: &mut Vec<Ask>, ask: Ask) -> usize {
        let key = (ask.text.to_markup(), ask.origin.clone(), ask.terms.clone());
        *self.whole.entry(key).or_insert_with(|| {
            asks.push(ask);
            asks.len() - 1
        })
    }
}
