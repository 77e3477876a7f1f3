//! Bounds on the facts that an audit keeps, of one page and of all pages.

use super::site::Header;
use crate::crawl::AddressBudget;
use crate::page::PageFacts;

/// More canonical addresses than can be told apart in a message.
const MOST_CANONICALS: usize = 100;

/// More versions than any page has.
const MOST_ALTERNATES: usize = 1_000;

/// Cuts the facts of a page to the bounds. True if some were left out.
pub(super) fn cut(facts: &mut PageFacts, header: &mut Header, most: AddressBudget) -> bool {
    let before = count(facts, header);
    facts.canonical.truncate(MOST_CANONICALS);
    header.canonical.truncate(MOST_CANONICALS);
    facts.alternates.truncate(MOST_ALTERNATES);
    header.alternates.truncate(MOST_ALTERNATES);
    let mut room = most;
    let links = facts
        .links
        .iter()
        .take_while(|link| room.take(link.address.len() + link.text.len()))
        .count();
    facts.links.truncate(links);
    let mut room = most;
    let texts = facts
        .texts
        .iter()
        .take_while(|text| room.take(text.text.len()))
        .count();
    facts.texts.truncate(texts);
    facts.links.shrink_to_fit();
    facts.texts.shrink_to_fit();
    count(facts, header) < before
}

fn count(facts: &PageFacts, header: &Header) -> usize {
    let lists = [
        facts.canonical.len(),
        facts.alternates.len(),
        facts.links.len(),
        facts.texts.len(),
    ];
    lists
        .into_iter()
        .chain([header.canonical.len(), header.alternates.len()])
        .sum()
}

/// About how many bytes a page takes up.
pub(super) fn size(facts: &PageFacts, header: &Header) -> usize {
    const RECORD: usize = 160;
    let said = facts
        .canonical
        .iter()
        .chain(&facts.texts)
        .map(|said| said.text.len());
    let alternates = facts
        .alternates
        .iter()
        .map(|one| one.tag.len() + one.address.len());
    let links = facts
        .links
        .iter()
        .map(|link| link.address.len() + link.text.len() + RECORD);
    let named = header
        .alternates
        .iter()
        .map(|(tag, address)| tag.len() + address.len());
    let bytes: usize = said
        .chain(alternates)
        .chain(links)
        .chain(named)
        .chain(header.canonical.iter().map(String::len))
        .sum();
    bytes
        + RECORD
            * (1 + facts.canonical.len()
                + facts.texts.len()
                + facts.alternates.len()
                + header.alternates.len())
}
