//! What the tests look for in a page, read by html5ever, which the page core does not use.

use scraper::{Html, Selector};

/// Values of an attribute of all elements that a selector finds, in order.
pub fn attributes(html: &str, selector: &str, name: &str) -> Vec<String> {
    let page = Html::parse_document(html);
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).filter_map(|element| element.attr(name)).map(str::to_owned).collect()
}

/// An attribute of the first element that a selector finds.
pub fn attribute(html: &str, selector: &str, name: &str) -> Option<String> {
    attributes(html, selector, name).into_iter().next()
}
