//! RSS and Atom as places (R-C9): titles, descriptions and contents, what the feed says of its language, and links
//! to pages.
//!
//! Content is decoded from references or CDATA, treated as the HTML it is and encoded the same way again; XHTML is
//! part of the document and treated where it stands. Identifiers, dates, authors, categories and enclosures stay,
//! so a reader program sees the same items, in another language.

use std::ops::Range;
use std::sync::Arc;

use url::Url;

use super::places::{Document, LocaleStatement, LocaleStatementKind};
use super::xml::{self, Holds, Namespace, Xml, XmlElement};
use crate::Locale;
use crate::find::link_place::{self, LinkPlace, spelled};
use crate::find::value::{self, TextValue, ValueReading};
use crate::html::element::ElementName;
use crate::html::space::trim;
use crate::html::writing::ValueWriting;

/// Elements that hold text, and how they are read; Atom says it at each element.
const TEXTS: [(Namespace, &str, ValueReading, &str); 19] = [
    (Namespace::Rss, "title", ValueReading::Either, "rss title"),
    (
        Namespace::Rss,
        "description",
        ValueReading::Either,
        "rss description",
    ),
    (
        Namespace::Rss,
        "copyright",
        ValueReading::Either,
        "rss copyright",
    ),
    (
        Namespace::Content,
        "encoded",
        ValueReading::Html,
        "rss content:encoded",
    ),
    (
        Namespace::DublinCore,
        "title",
        ValueReading::Either,
        "rss dc:title",
    ),
    (
        Namespace::DublinCore,
        "description",
        ValueReading::Either,
        "rss dc:description",
    ),
    (
        Namespace::DublinCore,
        "rights",
        ValueReading::Either,
        "rss dc:rights",
    ),
    (
        Namespace::Itunes,
        "title",
        ValueReading::Either,
        "rss itunes:title",
    ),
    (
        Namespace::Itunes,
        "subtitle",
        ValueReading::Either,
        "rss itunes:subtitle",
    ),
    (
        Namespace::Itunes,
        "summary",
        ValueReading::Either,
        "rss itunes:summary",
    ),
    (
        Namespace::Media,
        "title",
        ValueReading::Either,
        "rss media:title",
    ),
    (
        Namespace::Media,
        "description",
        ValueReading::Either,
        "rss media:description",
    ),
    (Namespace::Atom, "title", ValueReading::Text, "atom title"),
    (
        Namespace::Atom,
        "subtitle",
        ValueReading::Text,
        "atom subtitle",
    ),
    (
        Namespace::Atom,
        "summary",
        ValueReading::Text,
        "atom summary",
    ),
    (
        Namespace::Atom,
        "content",
        ValueReading::Text,
        "atom content",
    ),
    (Namespace::Atom, "rights", ValueReading::Text, "atom rights"),
    (
        Namespace::Atom,
        "tagline",
        ValueReading::Text,
        "atom tagline",
    ),
    (
        Namespace::Atom,
        "copyright",
        ValueReading::Text,
        "atom copyright",
    ),
];

/// `rel` words of Atom's links that lead to pages or feeds; without a word it is `alternate`.
const PAGE_RELS: [&str; 9] = [
    "alternate",
    "first",
    "last",
    "next",
    "prev",
    "previous",
    "related",
    "replies",
    "self",
];

/// Whether the start of an XML document is that of a feed.
pub(super) fn is_feed(start: &str) -> bool {
    let Some((name, tag)) = root(start) else {
        return false;
    };
    match name {
        "rss" => true,
        "feed" => {
            tag.contains("http://www.w3.org/2005/Atom") || tag.contains("http://purl.org/atom/ns#")
        }
        "RDF" => {
            tag.contains("http://purl.org/rss/1.0/")
                || tag.contains("http://my.netscape.com/rdf/simple/")
        }
        _ => false,
    }
}

/// The name of the first element, without a prefix, and its tag.
pub(super) fn root(start: &str) -> Option<(&str, &str)> {
    let mut rest = start.trim_start_matches('\u{feff}').trim_start();
    while let Some(aside) = rest.strip_prefix("<?").or_else(|| rest.strip_prefix("<!")) {
        let end = match aside.strip_prefix("--") {
            Some(comment) => comment.split_once("-->").map(|(_, after)| after),
            None => aside.split_once('>').map(|(_, after)| after),
        };
        rest = end?.trim_start();
    }
    let tag = rest.split_once('>').map_or(rest, |(tag, _)| tag);
    let name = tag
        .split(|letter: char| letter.is_ascii_whitespace())
        .next()
        .unwrap_or_default();
    Some((name.rsplit(['<', ':']).next()?, tag))
}

/// Finds the places of a feed; nothing where it is no feed or damaged.
pub(super) fn find(source: &[u8], locale: &Locale) -> Option<Document> {
    let xml = xml::read(source)?;
    let root = xml.elements.first()?;
    let is_atom = match (root.namespace, root.name.as_str()) {
        (Namespace::Atom, "feed") => true,
        (Namespace::Rss, "rss") | (Namespace::Rdf, "RDF") => false,
        _ => return None,
    };
    let mut feed = Feed {
        source,
        xml: &xml,
        locale,
        document: Document::default(),
        inherited: Vec::new(),
    };
    feed.document.encoding = xml.encoding.clone();
    feed.document.base = xml
        .attribute(0, "xml:base")
        .and_then(|base| feed.attribute(&base.value, base.quote));
    let is_foreign = !is_atom && feed.languages().any(|lang| !lang.same_language(locale));
    for (index, element) in xml.elements.iter().enumerate() {
        feed.inherit(index, element, is_foreign);
        feed.element(index, element);
    }
    if !feed.inherited.first()?.is_foreign {
        feed.speak(is_atom);
    }
    Some(feed.document)
}

/// What an element hands down.
#[derive(Clone, Debug, Default)]
struct FeedScope {
    /// It is in a language that is not the site's.
    is_foreign: bool,
    /// The base of addresses further in than the root's.
    base: Option<Arc<str>>,
}

struct Feed<'a> {
    source: &'a [u8],
    xml: &'a Xml,
    locale: &'a Locale,
    document: Document,
    /// By element.
    inherited: Vec<FeedScope>,
}

impl Feed<'_> {
    fn attribute(&self, value: &Range<usize>, quote: u8) -> Option<String> {
        ValueWriting::XmlAttribute(quote).read(&self.source[value.clone()])
    }

    fn named(&self, element: usize, name: &str) -> Option<String> {
        let attribute = self.xml.attribute(element, name)?;
        self.attribute(&attribute.value, attribute.quote)
    }

    /// Where an element's text stands, if it holds nothing else.
    fn text(&self, element: &XmlElement) -> Option<(Range<usize>, ValueWriting)> {
        let (range, writing) = match &element.holds {
            Holds::Text => (element.content.clone()?, ValueWriting::Xml),
            Holds::Cdata(inside) => (inside.clone(), ValueWriting::Cdata),
            Holds::Markup | Holds::Other => return None,
        };
        Some((trim(self.source, range), writing))
    }

    /// The elements that say the language of an RSS feed.
    fn language_elements(&self) -> impl Iterator<Item = &XmlElement> {
        let is_channel = |index: usize| {
            self.xml
                .elements
                .get(index)
                .is_some_and(|outer| outer.name == "channel")
        };
        self.xml.elements.iter().filter(move |element| {
            matches!(element.namespace, Namespace::Rss | Namespace::DublinCore)
                && element.name == "language"
                && element.parent.is_some_and(is_channel)
        })
    }

    fn languages(&self) -> impl Iterator<Item = Locale> {
        self.language_elements().filter_map(|element| {
            let (range, writing) = self.text(element)?;
            Locale::parse(&writing.read(&self.source[range])?).ok()
        })
    }

    fn inherit(&mut self, index: usize, element: &XmlElement, is_foreign: bool) {
        let outer = element
            .parent
            .and_then(|parent| self.inherited.get(parent))
            .cloned();
        let mut inherited = outer.unwrap_or(FeedScope {
            is_foreign,
            base: None,
        });
        if let Some(lang) = self.xml.attribute(index, "xml:lang")
            && let Some(locale) = self
                .attribute(&lang.value, lang.quote)
                .and_then(|tag| Locale::parse(tag.trim()).ok())
        {
            inherited.is_foreign = is_foreign || !locale.same_language(self.locale);
            if !inherited.is_foreign {
                self.document
                    .texts
                    .langs
                    .push((lang.value.clone(), ValueWriting::XmlAttribute(lang.quote)));
            }
        }
        if let Some(base) = self.named(index, "xml:base").filter(|_| index > 0) {
            let outer = inherited.base.as_deref().or(self.document.base.as_deref());
            let joined = outer
                .and_then(|outer| Url::parse(outer).ok())
                .and_then(|outer| outer.join(&base).ok());
            inherited.base = Some(joined.map_or(base, String::from).into());
        }
        self.inherited.push(inherited);
    }

    fn element(&mut self, index: usize, element: &XmlElement) {
        match (element.namespace, element.name.as_str()) {
            (Namespace::Atom, "link") => self.atom_link(index),
            (Namespace::Rss, "link" | "comments") => self.rss_link(element),
            (namespace, name) => {
                let known = TEXTS
                    .iter()
                    .find(|(known, text, ..)| *known == namespace && *text == name);
                if let Some((_, _, reading, origin)) =
                    known.filter(|_| !self.inherited[index].is_foreign)
                {
                    self.take(index, element, *reading, origin);
                }
            }
        }
    }

    fn take(&mut self, index: usize, element: &XmlElement, reading: ValueReading, origin: &str) {
        let kind = self
            .named(index, "type")
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_atom = element.namespace == Namespace::Atom;
        let place = match (is_atom, kind.as_str()) {
            (true, "xhtml" | "application/xhtml+xml") if element.holds == Holds::Markup => element
                .content
                .clone()
                .map(|content| (content, ValueWriting::Xhtml, ValueReading::Html)),
            (true, "html" | "text/html") => self
                .text(element)
                .map(|(range, writing)| (range, writing, ValueReading::Html)),
            (true, "" | "text" | "text/plain") | (false, _) => self
                .text(element)
                .map(|(range, writing)| (range, writing, reading)),
            (true, _) => None,
        };
        // What is elsewhere has nothing here.
        if let Some((range, writing, reading)) =
            place.filter(|_| !is_atom || self.named(index, "src").is_none())
        {
            let base = self.inherited[index].base.as_ref();
            let value = TextValue {
                range,
                writing,
                reading,
                origin,
                base,
            };
            value::find(self.source, &value, &mut self.document.texts);
        }
    }

    fn rss_link(&mut self, element: &XmlElement) {
        let Some((range, writing)) = self.text(element) else {
            return;
        };
        self.link(range, writing, Vec::new(), None);
    }

    fn atom_link(&mut self, index: usize) {
        let rel = self
            .named(index, "rel")
            .unwrap_or_else(|| "alternate".into())
            .trim()
            .to_ascii_lowercase();
        let Some(href) = self
            .xml
            .attribute(index, "href")
            .filter(|_| PAGE_RELS.contains(&rel.as_str()))
        else {
            return;
        };
        let range = href.value.clone();
        let writing = ValueWriting::XmlAttribute(href.quote);
        let base = self.inherited[index].base.clone();
        let number = self.document.links.len();
        self.link(range, writing, vec![rel], base.as_deref());
        if let Some(lang) = self.xml.attribute(index, "hreflang")
            && self.document.links.len() > number
            && self
                .attribute(&lang.value, lang.quote)
                .and_then(|tag| Locale::parse(tag.trim()).ok())
                .is_some_and(|lang| lang.same_language(self.locale))
        {
            let place = (lang.value.clone(), ValueWriting::XmlAttribute(lang.quote));
            self.document.link_langs.insert(number, place);
        }
    }

    /// Adds a link; one that counts against another base than the feed's only where it is written in full.
    fn link(
        &mut self,
        range: Range<usize>,
        writing: ValueWriting,
        rel: Vec<String>,
        base: Option<&str>,
    ) {
        let Some(address) = writing.read(&self.source[range.clone()]) else {
            return;
        };
        let address = address.trim();
        if address.is_empty() || (base.is_some() && Url::parse(address).is_err()) {
            return;
        }
        let writing = link_place::AddressWriting::Value(writing);
        self.document.links.push(LinkPlace {
            spelled: spelled(address.into(), &self.source[range.clone()]),
            range,
            respelled: false,
            element: ElementName::of(b"feed"),
            attribute: "link",
            language: None,
            hreflang: None,
            rel: rel.into(),
            writing,
        });
    }

    /// Notes where the feed says its language, or where it can.
    fn speak(&mut self, is_atom: bool) {
        let said: Vec<LocaleStatement> = self
            .language_elements()
            .filter_map(|element| {
                let (range, writing) = self.text(element).filter(|(range, _)| !range.is_empty())?;
                Some(LocaleStatement {
                    range,
                    says: LocaleStatementKind::Language,
                    writing,
                    around: Default::default(),
                })
            })
            .collect();
        let new = match is_atom {
            true if self.xml.attribute(0, "xml:lang").is_none() => {
                let at = self.xml.elements.first().map(|root| root.after_name);
                at.map(|at| {
                    (
                        at,
                        ValueWriting::XmlAttribute(b'"'),
                        (" xml:lang=\"".to_owned(), "\""),
                    )
                })
            }
            false if self.language_elements().next().is_none() => self.new_language_element(),
            true | false => None,
        };
        let new = new.map(|(at, writing, around)| LocaleStatement {
            range: at..at,
            says: LocaleStatementKind::Language,
            writing,
            around,
        });
        self.document.speech.extend(said.into_iter().chain(new));
    }

    /// At the start of an RSS 2.0 channel; RSS 1.0 has no element for it.
    fn new_language_element(&self) -> Option<(usize, ValueWriting, (String, &'static str))> {
        let is_rss = |element: &&XmlElement| {
            element.namespace == Namespace::Rss && element.name == "channel"
        };
        let content = self
            .xml
            .elements
            .iter()
            .filter(is_rss)
            .find(|channel| channel.parent == Some(0))?
            .content
            .clone()?;
        self.xml
            .elements
            .first()
            .filter(|root| root.name == "rss")?;
        let indent = self.source[content.clone()]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let indent = String::from_utf8_lossy(&self.source[content.start..content.start + indent]);
        Some((
            content.start,
            ValueWriting::Xml,
            (format!("{indent}<language>"), "</language>"),
        ))
    }
}
