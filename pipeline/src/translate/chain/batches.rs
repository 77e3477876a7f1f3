//! Requests of a round: which asks go together.

use std::collections::HashMap;

use super::wanted::PageSet;

/// Splits asks into batches of at most `size`. If `pages` is given, only asks of the same pages share a batch: context
/// from one page is wrong for another. If `length` is given, the longest asks come first, so that none of several
/// threads is left with them at the end.
pub(super) fn batches(
    mut asks: Vec<usize>,
    size: usize,
    pages: Option<&[PageSet]>,
    length: Option<&dyn Fn(usize) -> usize>,
) -> Vec<Vec<usize>> {
    if let Some(length) = length {
        asks.sort_by_key(|&ask| (length(ask), ask));
    }
    let mut batches: Vec<Vec<usize>> = match pages {
        None => asks.chunks(size).map(<[usize]>::to_vec).collect(),
        Some(pages) => by_pages(&asks, pages)
            .iter()
            .flat_map(|asks| asks.chunks(size))
            .map(<[usize]>::to_vec)
            .collect(),
    };
    if length.is_some() {
        batches.reverse();
    }
    batches
}

/// Asks of the same pages, in the order of the first of each.
fn by_pages(asks: &[usize], pages: &[PageSet]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<PageSet, usize> = HashMap::new();
    for &ask in asks {
        let group = *known
            .entry(pages.get(ask).copied().unwrap_or_default())
            .or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
        groups[group].push(ask);
    }
    groups
}
