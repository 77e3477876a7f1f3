//! Bounds on the addresses that a foreign origin can make a crawl remember. They count addresses, not bytes on the wire: ten bytes
//! of a page or a sitemap can become a thousand bytes of records.

use url::Url;

use crate::model::PagePath;

/// Known pages per page that may be taken. Many known addresses are redirects, missing, or no pages.
const PAGES: usize = 10;

/// Known files per page that may be taken.
const FILES: usize = 50;

/// Addresses in one page or style sheet per page that may be taken.
const LINKS: usize = 2;

/// The most addresses that one page or style sheet may name, however many pages may be taken.
const MOST_LINKS: usize = 100_000;

/// Entries of sitemaps read per page that may be taken. Most of them may be excluded or of other hosts.
const ENTRIES: usize = 100;

/// Room for what sitemaps say of pages per page that may be taken, in [`UNIT`]s: several images each.
const DETAILS: usize = 8;

/// Facts that an audit keeps per page that it may ask for, in [`UNIT`]s: several times those of a usual page.
const FACTS: usize = 256;

/// Least value of every bound, for crawls of few pages.
const LEAST: usize = 1_000;

/// Bytes of an address that count as one.
const UNIT: usize = 256;

/// The longest address that is followed. Few servers take more than 8 KiB.
pub(super) const LONGEST_ADDRESS: usize = 8_192;

/// Room for addresses, which runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressBudget(usize);

impl AddressBudget {
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
        Self(
            max_pages
                .saturating_mul(ENTRIES)
                .saturating_add(ENTRIES * LEAST),
        )
    }

    /// Room for what sitemaps say of pages beside their addresses.
    pub(super) fn for_details(max_pages: usize) -> Self {
        Self(
            max_pages
                .saturating_mul(DETAILS)
                .saturating_add(DETAILS * LEAST),
        )
    }

    /// Room for what one page or style sheet names.
    pub(crate) fn for_links(max_pages: usize) -> Self {
        Self(
            max_pages
                .saturating_mul(LINKS)
                .saturating_add(LEAST)
                .min(MOST_LINKS),
        )
    }

    /// Room for what an audit keeps of all pages.
    pub(crate) fn for_facts(max_pages: usize) -> Self {
        Self(
            max_pages
                .saturating_mul(FACTS)
                .saturating_add(FACTS * LEAST),
        )
    }

    /// Room for everything, for what the owner wrote.
    pub(crate) fn unbounded() -> Self {
        Self(usize::MAX)
    }

    /// Takes room for an address of `bytes` bytes. Returns false if there is none left.
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

/// Bytes that an address takes up.
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
            let rooms = [
                AddressBudget::for_pages(max_pages),
                AddressBudget::for_files(max_pages),
                AddressBudget::for_links(max_pages),
            ];
            assert_eq!(
                rooms,
                [
                    AddressBudget(pages),
                    AddressBudget(files),
                    AddressBudget(links)
                ],
                "{max_pages}"
            );
        }
    }

    #[test]
    fn long_addresses_take_more_room() {
        let mut room = AddressBudget(10);
        assert!(room.take(0) && room.take(255) && room.take(256) && room.take(1_024));
        assert_eq!(room, AddressBudget(1));
        assert!(!room.take(256) && room.take(1) && !room.take(0));
    }
}
