//! Documents that are no HTML: feeds, web manifests (R-C9) and programs that put parts of a page in.
//!
//! They are pages like any other, a source and a sorted list of places, and are rendered by the same code. What
//! differs is how their places are found and how they say which language they are in.

mod feed;
mod json_documents;
mod places;
mod sidebar;
pub(crate) mod xhtml;
mod xml;

pub(super) use self::places::{Document, LocaleStatement};

use self::places::SNIFFED;
use crate::Locale;
use crate::html::encoding;

/// How a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFormat {
    /// HTML, and XHTML that is served as such.
    Html,
    /// XHTML that browsers read as XML.
    Xhtml,
    /// RSS or Atom.
    Feed,
    /// A feed in JSON (jsonfeed.org).
    JsonFeed,
    /// A web app manifest.
    Manifest,
    /// The program that puts the sidebar into the pages of an mdBook.
    Sidebar,
}

impl PageFormat {
    /// What a file is, by its media type without parameters, its name and a look inside; nothing where it holds no
    /// text for readers.
    ///
    /// Whether XHTML is HTML or XML is not in its bytes: browsers go by the type alone, and so does this.
    ///
    /// A `manifest.json` without a type of its own is a web manifest when it has the members of one: such a name is
    /// also used for other things.
    pub fn of(content_type: &str, path: &str, body: &[u8]) -> Option<Self> {
        let name = path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match content_type {
            "text/html" => Some(Self::Html),
            "application/xhtml+xml" => Some(Self::Xhtml),
            "application/feed+json" => Some(Self::JsonFeed),
            "application/manifest+json" => Some(Self::Manifest),
            _ if name.ends_with(".webmanifest") => Some(Self::Manifest),
            "application/atom+xml"
            | "application/rdf+xml"
            | "application/rss+xml"
            | "application/xml"
            | "text/xml" => {
                let start = encoding::decode(&body[..body.len().min(SNIFFED)], None).html;
                feed::is_feed(&String::from_utf8_lossy(&start)).then_some(Self::Feed)
            }
            "application/json" | "text/json" if json_documents::is_feed(body) => {
                Some(Self::JsonFeed)
            }
            "application/json" | "text/json"
                if name == "manifest.json" && json_documents::is_manifest(body) =>
            {
                Some(Self::Manifest)
            }
            "text/javascript" | "application/javascript"
                if name.starts_with("toc") && sidebar::is_sidebar(body) =>
            {
                Some(Self::Sidebar)
            }
            _ => None,
        }
    }

    /// What a text without type and name is, by a look inside: the only place where bytes say that they are XHTML, by an XML
    /// declaration and its namespace.
    pub fn of_nameless(body: &[u8]) -> Self {
        let start = encoding::decode_xml(&body[..body.len().min(SNIFFED)], None).html;
        let start = String::from_utf8_lossy(&start);
        let is_xhtml = |(name, tag): (&str, &str)| {
            name == "html" && tag.contains("http://www.w3.org/1999/xhtml")
        };
        if start.trim_start_matches('\u{feff}').starts_with("<?xml")
            && feed::root(&start).is_some_and(is_xhtml)
        {
            return Self::Xhtml;
        }
        let documents = [
            ("application/xml", ""),
            ("application/json", "manifest.json"),
        ];
        documents
            .iter()
            .find_map(|(kind, name)| Self::of(kind, name, body))
            .unwrap_or(Self::Html)
    }
}

impl Document {
    /// Finds the places of a document in UTF-8; a damaged one has none.
    pub(super) fn find(source: &[u8], format: PageFormat, locale: &Locale) -> Self {
        let found = match format {
            PageFormat::Html | PageFormat::Xhtml => None,
            PageFormat::Feed => feed::find(source, locale),
            PageFormat::JsonFeed => json_documents::find_feed(source, locale),
            PageFormat::Manifest => json_documents::find_manifest(source, locale),
            PageFormat::Sidebar => sidebar::find(source),
        };
        let mut document = found.unwrap_or_default();
        document.texts.sort();
        document
    }
}

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;
