//! Ranks of texts that differ from place to place: a heading of one page may be a link in the menu of others.

use std::collections::BTreeMap;

use crate::model::PagePath;
use crate::translate::OutlineRank;

/// Ranks that differ from the rank at a text's first place, by page and place on it.
#[derive(Debug, Default)]
pub(in crate::run) struct OtherRanks(BTreeMap<PagePath, Vec<(u32, OutlineRank)>>);

impl OtherRanks {
    /// Sets the ranks of a page, in the order of places.
    pub(in crate::run) fn set(&mut self, path: &PagePath, ranks: Vec<(u32, OutlineRank)>) {
        if !ranks.is_empty() {
            self.0.insert(path.clone(), ranks);
        }
    }

    /// The ranks of a page.
    pub(in crate::run) fn of(&self, path: &PagePath) -> &[(u32, OutlineRank)] {
        self.0.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Rank of the text at a place of a page with these ranks; `None` if it is the rank at the text's first place.
    pub(in crate::run) fn at(ranks: &[(u32, OutlineRank)], place: usize) -> Option<OutlineRank> {
        let place = u32::try_from(place).ok()?;
        let at = ranks
            .binary_search_by_key(&place, |(place, _)| *place)
            .ok()?;
        ranks.get(at).map(|(_, rank)| *rank)
    }
}
