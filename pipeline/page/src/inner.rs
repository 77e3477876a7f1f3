//! Pages inside values: `srcdoc` attributes, HTML in structured data and feeds.

use std::ops::Range;
use std::sync::Arc;

use url::Url;

use super::value::Writing;
use super::{Link, LinkMap, Page};

/// A page inside a value.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) value: Range<usize>,
    pub(super) writing: Writing,
    /// The address against which its links count, where that is not the outer page's.
    pub(super) base: Option<Arc<str>>,
    /// How many segments of the page around it come before its own.
    pub(super) first: usize,
    pub(super) page: Page,
}

impl Inner {
    /// Gives the new address of one of its links.
    pub(super) fn change_link(&self, map: &LinkMap<'_>, link: &Link<'_>) -> Option<String> {
        let in_full = link.in_full || !matches!(self.writing, Writing::Attribute(_));
        let Some(base) = &self.base else { return map(&Link { in_full, ..*link }) };
        let address = match Url::parse(base) {
            Ok(base) => base.join(link.address),
            Err(_) => Url::parse(link.address),
        };
        map(&Link { address: address.ok()?.as_str(), in_full, ..*link })
    }
}
