//! Where a page keeps its language switcher: blocks that are marked as one, and an element that waits for one.

use std::ops::Range;

use crate::edits::SourceEdits;
use crate::html::known::{HYDRATION, MARKER, RULE};
use crate::html::tokens::{PageToken, PageTokens, StartTag, TagAttribute, TokenKind};

/// The id of an element that waits for a switcher in any site.
const WAITING: &str = "latimer-switcher";

/// The places of a page's switchers.
#[derive(Debug, Default)]
pub(crate) struct SwitcherPlaces {
    /// Marked elements from their first to their last byte, and what the mark says.
    pub(crate) marked: Vec<(Range<usize>, String)>,
    /// The byte before the end tag of the element that waits.
    pub(crate) waiting: Option<usize>,
}

/// An element whose end is looked for.
struct OpenSwitcher<'t> {
    tag: StartTag<'t>,
    start: usize,
    /// How many elements of its name are open.
    depth: usize,
    mark: Option<String>,
}

/// Finds the places; `id` is that of the element that the site names. An element without an end tag of its own is not
/// taken, because nobody can say how far it goes.
pub(crate) fn find(source: &[u8], tokens: &PageTokens, id: Option<&str>) -> SwitcherPlaces {
    let mut places = SwitcherPlaces::default();
    if !tokens.any_attribute(|attribute| may_begin(source, attribute, id)) {
        return places;
    }
    let mut open: Option<OpenSwitcher<'_>> = None;
    for token in tokens.iter() {
        match (&token.kind, &mut open) {
            (TokenKind::Start(tag), None) => open = begin(source, &token, tag, id, &places),
            // The element has what it waited for.
            (TokenKind::Start(tag), Some(outer))
                if outer.mark.is_none() && tag.value(source, MARKER).is_some() =>
            {
                open = begin(source, &token, tag, id, &places).or(open);
            }
            (TokenKind::Start(tag), Some(outer))
                if tag.name == outer.tag.name && !tag.self_closing =>
            {
                outer.depth += 1
            }
            (TokenKind::End(name), Some(outer)) if *name == outer.tag.name => {
                outer.depth -= 1;
                if outer.depth == 0 {
                    places.end(open.take(), &token);
                }
            }
            (TokenKind::Start(_) | TokenKind::End(_), _)
            | (TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype, _) => {}
        }
    }
    places
}

/// Whether the element of an attribute may be a switcher or wait for one, before its value is read with care.
fn may_begin(source: &[u8], attribute: &TagAttribute, id: Option<&str>) -> bool {
    let is_named = |name: &str| [Some(WAITING), id].contains(&Some(name));
    attribute.name() == MARKER || (attribute.name() == "id" && is_named(&attribute.value(source)))
}

fn begin<'t>(
    source: &[u8],
    token: &PageToken<'_>,
    tag: &StartTag<'t>,
    id: Option<&str>,
    places: &SwitcherPlaces,
) -> Option<OpenSwitcher<'t>> {
    if !tag.may(RULE | HYDRATION) {
        return None;
    }
    let open = |mark| OpenSwitcher {
        tag: tag.clone(),
        start: token.range.start,
        depth: 1,
        mark,
    };
    if tag.self_closing || tag.name.is_void() || may_end_unsaid(&tag.name) {
        return None;
    }
    if let Some(mark) = tag.value(source, MARKER) {
        return Some(open(Some(mark.trim().to_owned())));
    }
    let own = tag
        .value(source, "id")
        .filter(|_| places.waiting.is_none())?;
    (own == WAITING || Some(&*own) == id).then(|| open(None))
}

/// Elements whose end tag may be left out (HTML Standard, 13.1.2.4).
fn may_end_unsaid(name: &str) -> bool {
    const NAMES: [&str; 18] = [
        "body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p",
        "rp", "rt", "tbody", "td", "tfoot", "th", "tr",
    ];
    NAMES.contains(&name)
}

impl SwitcherPlaces {
    fn end(&mut self, open: Option<OpenSwitcher<'_>>, end: &PageToken<'_>) {
        match open {
            Some(OpenSwitcher {
                mark: Some(mark),
                start,
                ..
            }) => self.marked.push((start..end.range.end, mark)),
            Some(OpenSwitcher { mark: None, .. }) => self.waiting = Some(end.range.start),
            None => {}
        }
    }

    /// Puts switchers where they belong: `marked` in the place of the marked ones, in their order.
    pub(crate) fn fill(&self, marked: &[String], waiting: &str, edits: &mut SourceEdits) {
        for ((range, _), html) in self.marked.iter().zip(marked) {
            edits.insert(range.start, html);
            edits.remove(range.clone());
        }
        if let Some(at) = self.waiting {
            edits.insert(at, waiting);
        }
    }
}
