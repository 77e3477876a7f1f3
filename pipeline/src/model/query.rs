//! Which queries name pages of their own (R-E9).
//!
//! Most queries do not: they count campaigns, sort tables, tell caches apart. So a site names the parameters that do, and
//! a page's identity holds these alone, in the order of their names and in one spelling, however a link writes them.

use std::collections::BTreeSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use serde::{Deserialize, Serialize};
use url::Url;

use super::PagePath;

/// Bytes that are written with a percent sign. A `+` that is a space of a form is not among what is decoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b':')
    .remove(b'@')
    .remove(b'/');

/// Names of the parameters that tell pages apart; usually none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageParameters(BTreeSet<String>);

impl PageParameters {
    /// Takes the names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().collect())
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// True if no query names a page.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a page's query is one that these parameters name.
    pub fn allow(&self, page: &PagePath) -> bool {
        page.query()
            .is_none_or(|query| self.kept(query).as_deref() == Some(query))
    }

    /// The page that an address means.
    pub fn page(&self, url: &Url) -> PagePath {
        let path = PagePath::of_url(url);
        match self.kept(url.query().unwrap_or_default()) {
            Some(query) => path.with_query(&query),
            None => path,
        }
    }

    /// The part of a query that names a page, if any does.
    pub fn kept(&self, query: &str) -> Option<String> {
        let name = |pair: &str| {
            percent_decode_str(pair.split('=').next()?)
                .decode_utf8()
                .ok()
                .map(String::from)
        };
        let named = query
            .split('&')
            .filter_map(|pair| Some((name(pair)?, pair)));
        let mut kept: Vec<(String, &str)> =
            named.filter(|(name, _)| self.0.contains(name)).collect();
        kept.sort_by(|one, other| one.0.cmp(&other.0));
        let pairs: Vec<String> = kept.into_iter().map(|(_, pair)| respelled(pair)).collect();
        (!pairs.is_empty()).then(|| pairs.join("&"))
    }
}

/// The spelling that spellings of a parameter have in common (RFC 3986, section 6.2.2.2).
fn respelled(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) => format!("{}={}", respelled_part(name), respelled_part(value)),
        None => respelled_part(pair),
    }
}

fn respelled_part(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.split('+') {
        let bytes: Vec<u8> = percent_decode_str(word).collect();
        words.push(percent_encode(&bytes, ENCODED).to_string());
    }
    words.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_parameters_make_pages_r_e9() {
        let parameters = PageParameters::new(["page", "id", "größe"].map(str::to_owned));
        for (address, page) in [
            ("/list", "/list"),
            ("/list?sort=a&pages=2", "/list"),
            ("/list?utm=x&page=2#top", "/list?page=2"),
            ("/list?page=2&id=%C3%A4", "/list?id=%C3%A4&page=2"),
            ("/list?id=2&id=1&page", "/list?id=2&id=1&page"),
            ("/list?p%61ge=2", "/list?page=2"),
            ("/list?page=%32%2b%20+%7e", "/list?page=2%2B%20+~"),
            ("/list?page=a=b%26c&utm_source=x", "/list?page=a%3Db%26c"),
            ("/list?größe=1", "/list?gr%C3%B6%C3%9Fe=1"),
            ("/%6cist?&&", "/list"),
        ] {
            let url = Url::parse("https://h.example")
                .unwrap()
                .join(address)
                .unwrap();
            assert_eq!(parameters.page(&url).as_str(), page, "{address}");
            assert_eq!(PageParameters::default().page(&url).query(), None);
        }
    }
}
