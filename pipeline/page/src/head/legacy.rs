//! What else changes when a page in another encoding becomes UTF-8: a page's encoding is also that of the forms it
//! sends (R-D5) and of the scripts and style sheets that do not name their own (R-D7). Both are written down where
//! they stand, so that converting changes neither. Queries of addresses are in `encoding.rs` (R-D6).

use encoding_rs::{Encoding, UTF_8};

use crate::edits::SourceEdits;
use crate::find::attributes::has_rel;
use crate::html::tokens::{PageToken, PageTokens, StartTag, TokenKind};

/// The places of a page that shall name its former encoding.
#[derive(Debug, Default)]
pub(crate) struct LegacyPlaces {
    label: &'static str,
    /// The byte after an element's name, and the attribute that goes there.
    places: Vec<(usize, &'static str)>,
}

/// Finds the places; UTF-8 pages have none, and neither have those in UTF-16, whose forms and files are UTF-8.
pub(crate) fn find(
    source: &[u8],
    tokens: &PageTokens,
    encoding: &'static Encoding,
) -> LegacyPlaces {
    if encoding.output_encoding() == UTF_8 {
        return LegacyPlaces::default();
    }
    let place = |token: PageToken<'_>| match &token.kind {
        TokenKind::Start(tag) => attribute_for(source, tag)
            .map(|attribute| (token.range.start + 1 + tag.name.len(), attribute)),
        TokenKind::End(_) | TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => None,
    };
    LegacyPlaces {
        label: encoding.name(),
        places: tokens.iter().filter_map(place).collect(),
    }
}

/// The attribute in which an element would name an encoding, where it is missing.
fn attribute_for(source: &[u8], tag: &StartTag<'_>) -> Option<&'static str> {
    let attribute = match &*tag.name {
        "form" => "accept-charset",
        // Modules are always UTF-8.
        "script" if tag.has("src") => {
            let kind = tag.value(source, "type").unwrap_or_default();
            (!kind.trim().eq_ignore_ascii_case("module")).then_some("charset")?
        }
        "link" if tag.has("href") && has_rel(source, tag, "stylesheet") => "charset",
        _ => return None,
    };
    (!tag.has(attribute)).then_some(attribute)
}

impl LegacyPlaces {
    /// Names the encoding at every place.
    pub(crate) fn keep(&self, edits: &mut SourceEdits) {
        for (at, attribute) in &self.places {
            edits.insert(*at, &format!(" {attribute}=\"{}\"", self.label));
        }
    }
}
