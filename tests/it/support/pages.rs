//! What the tests look for in a page, read by html5ever, which the page core does not use.

use std::collections::BTreeSet;

use scraper::{Html, Selector};
use url::Url;

/// Values of an attribute of all elements that a selector finds, in order.
pub fn attributes(html: &str, selector: &str, name: &str) -> Vec<String> {
    let page = Html::parse_document(html);
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector)
        .filter_map(|element| element.attr(name))
        .map(str::to_owned)
        .collect()
}

/// An attribute of the first element that a selector finds.
pub fn attribute(html: &str, selector: &str, name: &str) -> Option<String> {
    attributes(html, selector, name).into_iter().next()
}

/// Every address that a page makes a browser ask for or leads a reader to.
pub fn addresses(page: &Url, html: &str) -> BTreeSet<Url> {
    let base = attribute(html, "base", "href")
        .and_then(|base| page.join(&base).ok())
        .unwrap_or_else(|| page.clone());
    let mut written = Vec::new();
    for name in ["action", "data-src", "hx-get", "href", "poster", "src"] {
        written.extend(attributes(html, &format!("[{name}]:not(base)"), name));
    }
    written.extend(attributes(html, "option[value^='/']", "value"));
    for set in attributes(html, "[srcset]", "srcset") {
        let candidates = set
            .split(',')
            .filter_map(|candidate| candidate.split_whitespace().next());
        written.extend(candidates.map(str::to_owned));
    }
    for content in attributes(html, "meta[http-equiv=refresh]", "content") {
        written.extend(
            content
                .split_once("url=")
                .map(|(_, address)| address.to_owned()),
        );
    }
    written
        .iter()
        .filter_map(|address| base.join(address).ok())
        .collect()
}
