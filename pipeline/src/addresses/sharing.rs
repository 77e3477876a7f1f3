//! Addresses of pages inside of addresses: links that share a page (`…/share?url=https%3A%2F%2F…`, `mailto:?body=…`) share the version that
//! a reader has. Pure.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use super::links::Links;
use crate::model::Locale;
use crate::page::PageLink;

/// Everything that a query cannot hold as it is (RFC 3986, section 2.3).
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Spellings of `://` in a query.
const BEGINNINGS: [&str; 3] = ["%3a%2f%2f", "%3a//", "://"];

impl Links<'_> {
    /// The new address of a link to another site or program whose query names pages of this one. `None` if it names none that the
    /// language has.
    pub(super) fn shared(&self, locale: &Locale, link: &PageLink<'_>) -> Option<String> {
        if !matches!(link.element, "a" | "area") {
            return None;
        }
        let (before, query) = link.address.split_once('?')?;
        let mut written = String::new();
        let mut rest = query;
        let mut is_changed = false;
        while let Some(start) = next_address(rest) {
            let (text, found) = rest.split_at_checked(start)?;
            let end = found.find(['&', '#', ' ']).unwrap_or(found.len());
            // Words of a message may follow.
            let end = ["%20", "%0a", "%0d", "+"]
                .iter()
                .filter_map(|space| find(found, space))
                .fold(end, usize::min);
            let (address, after) = found.split_at_checked(end)?;
            written.push_str(text);
            match self.version_of(locale, address) {
                Some(version) => {
                    is_changed = true;
                    written.push_str(&version);
                }
                None => written.push_str(address),
            }
            rest = after;
        }
        written.push_str(rest);
        is_changed.then(|| format!("{before}?{written}"))
    }

    /// The public address of the version of the page that an address in a query names, encoded like that.
    fn version_of(&self, locale: &Locale, address: &str) -> Option<String> {
        let is_encoded = address.contains('%');
        let decoded = percent_decode_str(address).decode_utf8().ok()?;
        let url = Url::parse(&decoded).ok()?;
        let path = self.on_site(&url)?;
        let page = self.meant(self.query_page(&url, &path).unwrap_or(path));
        if !self.has_words(locale, &page) {
            return None;
        }
        let mut version = Url::parse(&self.of.public.page(locale, &page)?).ok()?;
        if page.query().is_none() {
            version.set_query(url.query());
        }
        version.set_fragment(url.fragment());
        let version = version.to_string();
        Some(if is_encoded {
            utf8_percent_encode(&version, &RESERVED).to_string()
        } else {
            version
        })
    }
}

/// The place of the first address of the web in a query.
fn next_address(query: &str) -> Option<usize> {
    let schemes = ["https", "http"].iter().filter_map(|scheme| {
        BEGINNINGS
            .iter()
            .filter_map(|beginning| find(query, &format!("{scheme}{beginning}")))
            .min()
    });
    schemes.min()
}

fn find(text: &str, part: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(part)
}
