//! How much of what a foreign origin names is kept: bounds in numbers, because ten bytes of a page or a sitemap can become a
//! thousand bytes of records.

use url::Url;

use crate::model::PagePath;

/// How many pages may be known for each that may be taken: many of them may be redirects, missing, or no pages.
const PAGES: usize = 10;

/// How many files may be known for each page that may be taken.
const FILES: usize = 50;

/// How many addresses one page or style sheet may name for each page that may be taken.
const LINKS: usize = 2;

/// The most addresses that one page or style sheet may name, however many pages may be taken.
const MOST_LINKS: usize = 100_000;

/// How many entries of sitemaps are looked at for each page that may be taken: most of them may be other hosts' or excluded.
const ENTRIES: usize = 100;

/// How many bytes of facts an audit keeps for each page that it may ask for, in [`UNIT`]s: several times what usual pages have.
const FACTS: usize = 256;

/// What every bound has at least, for crawls of few pages.
const LEAST: usize = 1_000;

/// Long addresses count once for each of so many bytes.
const UNIT: usize = 256;

/// The longest address that is followed. Few servers take more than 8 KiB.
pub(super) const LONGEST_ADDRESS: usize = 8_192;

/// Room for addresses, which runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room(usize);

impl Room {
    /// Room for the pages that a crawl may know.
    pub(crate) fn for_pages(max_pages: usize) -> Self {
        Self(max_pages.saturating_mul(PAGES).saturating_add(LEAST))
    }

    /// Room for the files that a crawl may know.
    pub(super) fn for_files(max_pages: usize) -> Self {
        Self(max_pages.saturating_mul(FILES).saturating_add(LEAST))
    }

    /// Room for the entries of sitemaps that are looked at.
    pub(super) fn for_entries(max_pages: usize) -> Self {
        Self(max_pages.saturating_mul(ENTRIES).saturating_add(ENTRIES * LEAST))
    }

    /// Room for what one page or style sheet names.
    pub(crate) fn for_links(max_pages: usize) -> Self {
        Self(max_pages.saturating_mul(LINKS).saturating_add(LEAST).min(MOST_LINKS))
    }

    /// Room for what an audit keeps of all pages.
    pub(crate) fn for_facts(max_pages: usize) -> Self {
        Self(max_pages.saturating_mul(FACTS).saturating_add(FACTS * LEAST))
    }

    /// Room for everything, for what the owner wrote.
    pub(crate) fn unbounded() -> Self {
        Self(usize::MAX)
    }

    /// Takes room for an address of so many bytes; whether there was any.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(1 + bytes / UNIT) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

/// What an address takes up.
pub(super) fn size(path: &PagePath, url: &Url) -> usize {
    path.as_str().len() + url.as_str().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_multiples_of_max_pages() {
        for (max_pages, pages, files, links) in [
            (0, 1_000, 1_000, 1_000),
            (1, 1_010, 1_050, 1_002),
            (10_000, 101_000, 501_000, 21_000),
            (10_000_000, 100_001_000, 500_001_000, 100_000),
            (usize::MAX, usize::MAX, usize::MAX, 100_000),
        ] {
            let rooms = [Room::for_pages(max_pages), Room::for_files(max_pages), Room::for_links(max_pages)];
            assert_eq!(rooms, [Room(pages), Room(files), Room(links)], "{max_pages}");
        }
    }

    #[test]
    fn long_addresses_take_more_room() {
        let mut room = Room(10);
        assert!(room.take(0) && room.take(255) && room.take(256) && room.take(1_024));
        assert_eq!(room, Room(1));
        assert!(!room.take(256) && room.take(1) && !room.take(0));
    }
}
