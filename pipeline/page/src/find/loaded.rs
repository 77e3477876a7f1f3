//! Links and scripts of a page whose file a version may load in another form: where their `integrity` stands, and where their tag ends.

use std::ops::Range;

use super::attributes::has_rel;
use crate::html::tokens::{PageTokens, StartTag, TokenFilter, TokenKind};
use crate::html::writing::ValueWriting;

/// A `<link>` or `<script>` that loads a file.
#[derive(Debug)]
pub(crate) struct LoadedPlace {
    /// Value of its address, as a range of the source.
    pub(crate) address: Range<usize>,
    /// Value of `integrity`.
    pub(crate) integrity: Option<(Range<usize>, ValueWriting)>,
    /// End of the element, if it is the link of a style sheet and something may stand behind it.
    pub(crate) sheet_end: Option<usize>,
}

/// Finds the style sheets of a page, and whatever it loads with `integrity`, in order.
pub(crate) fn find(source: &[u8], tokens: &PageTokens) -> Box<[LoadedPlace]> {
    let mut places = Vec::new();
    let wanted = TokenFilter {
        elements: &["link", "script"],
        ..TokenFilter::default()
    };
    tokens.each_wanted(wanted, |token| {
        if let TokenKind::Start(tag) = &token.kind {
            places.extend(place_of(source, tag, token.range.end, tokens.is_xml()));
        }
        false
    });
    places.into()
}

fn place_of(source: &[u8], tag: &StartTag<'_>, end: usize, is_xml: bool) -> Option<LoadedPlace> {
    let name = match &*tag.name {
        "link" => "href",
        "script" => "src",
        _ => return None,
    };
    let address = tag.attribute(name)?.value.clone()?;
    let integrity = tag.attribute("integrity");
    let integrity = integrity.and_then(|attribute| {
        Some((
            attribute.value.clone()?,
            ValueWriting::Attribute(attribute.quote(source)),
        ))
    });
    let is_sheet =
        name == "href" && has_rel(source, tag, "stylesheet") && !has_rel(source, tag, "alternate");
    let sheet_end = if is_sheet && (!is_xml || tag.self_closing) {
        Some(end)
    } else {
        None
    };
    let is_of_use = integrity.is_some() || sheet_end.is_some();
    if is_of_use {
        Some(LoadedPlace {
            address,
            integrity,
            sheet_end,
        })
    } else {
        None
    }
}
