//! Addresses that `<meta>` elements and microdata name for programs away from the page (R-S6).

use super::structured;
use super::structured_links::{self, FILE, IDENTIFIER, PAGE, is_file_address, is_page_address};
use crate::html::tokens::StartTag;

/// Names of `<meta>` elements whose content is the address of a file, sorted.
const FILES: [&str; 23] = [
    "citation_pdf_url",
    "msapplication-config",
    "msapplication-square150x150logo",
    "msapplication-square310x310logo",
    "msapplication-square70x70logo",
    "msapplication-tileimage",
    "msapplication-wide310x150logo",
    "og:audio",
    "og:audio:secure_url",
    "og:audio:url",
    "og:image",
    "og:image:secure_url",
    "og:image:url",
    "parsely-image-url",
    "sailthru.image.full",
    "sailthru.image.thumb",
    "thumbnail",
    "twitter:image",
    "twitter:image0",
    "twitter:image1",
    "twitter:image:src",
    "twitter:player:stream",
    "vk:image",
];

/// The same for addresses of pages and players.
const PAGES: [&str; 11] = [
    "al:web:url",
    "article:author",
    "article:publisher",
    "msapplication-starturl",
    "og:see_also",
    "og:video",
    "og:video:secure_url",
    "og:video:url",
    "parsely-link",
    "twitter:player",
    "twitter:url",
];

/// Kind of the address in the content of a `<meta>`, as the `attribute` of a place. `None` if the content is no address.
pub(super) fn kind(source: &[u8], tag: &StartTag<'_>) -> Option<&'static str> {
    let content = tag.value(source, "content")?;
    let content = content.trim();
    for attribute in ["property", "name"] {
        let Some(name) = tag.value(source, attribute) else {
            continue;
        };
        let name = name.trim().to_ascii_lowercase();
        if FILES.binary_search(&name.as_str()).is_ok() {
            return is_file_address(content).then_some(FILE);
        }
        if PAGES.binary_search(&name.as_str()).is_ok() {
            return is_page_address(content).then_some(PAGE);
        }
        // The head writes `og:url` where the page's own address is known, and bibliographies quote the source page.
        if (name == "og:url" || name.starts_with("citation_")) && is_page_address(content) {
            return Some(IDENTIFIER);
        }
    }
    of_properties(source, tag, content).filter(|_| is_file_address(content))
}

/// The same for a `<link>` with microdata or RDFa. `None` if it is like any other link.
pub(super) fn kind_of_link(source: &[u8], tag: &StartTag<'_>) -> Option<&'static str> {
    let address = tag.value(source, "href")?;
    of_properties(source, tag, address.trim())
}

fn of_properties(source: &[u8], tag: &StartTag<'_>, address: &str) -> Option<&'static str> {
    for attribute in ["itemprop", "property"] {
        let properties = tag.value(source, attribute).unwrap_or_default();
        let mut keys = properties
            .split_ascii_whitespace()
            .filter_map(structured::key);
        if let Some(kind) = keys.find_map(|key| structured_links::kind(key, address)) {
            return Some(kind);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(FILES.is_sorted() && PAGES.is_sorted());
    }
}
