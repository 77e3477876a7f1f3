//! Equal texts of a round, which are asked once.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::fallback::FallbackAsk;
use super::wanted::PageSet;
use crate::engines::Ask;
use crate::page::Segment;

/// Pages, markup, origin and terms of an ask with codes.
type WholeKey = (PageSet, String, Cow<'static, str>, Vec<(String, String)>);

/// Indices of asks that several texts may share.
#[derive(Default)]
pub(super) struct SharedAsks {
    apart: HashMap<(PageSet, FallbackAsk), usize>,
    /// Asks with codes.
    whole: HashMap<WholeKey, usize>,
}

impl SharedAsks {
    /// The index of an ask without codes; it is added if it is new.
    pub(super) fn apart(
        &mut self,
        asks: &mut Vec<Ask>,
        pages: PageSet,
        (asked, segment): (&FallbackAsk, &Segment),
    ) -> usize {
        *self.apart.entry((pages, asked.clone())).or_insert_with(|| {
            let FallbackAsk {
                marks,
                marks_terms_only,
                terms,
                ..
            } = asked.clone();
            let origin = segment.origin.clone();
            asks.push(Ask {
                origin,
                marks,
                terms,
                marks_terms_only,
                ..Ask::plain(&asked.text)
            });
            asks.len() - 1
        })
    }

    /// The index of an ask with codes; it is added if it is new.
    pub(super) fn whole(&mut self, asks: &mut Vec<Ask>, pages: PageSet, ask: Ask) -> usize {
        let key = (
            pages,
            ask.text.to_markup(),
            ask.origin.clone(),
            ask.terms.clone(),
        );
        *self.whole.entry(key).or_insert_with(|| {
            asks.push(ask);
            asks.len() - 1
        })
    }
}
