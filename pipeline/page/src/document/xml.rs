//! XML as places: its elements in a flat list, each with the bytes of its content and attributes.
//!
//! What is not well formed has no places at all. Entities that a document declares are never expanded. This file and
//! `xhtml.rs` are the only ones of the page core that name quick-xml.

use std::ops::Range;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace as Uri, ResolveResult};

/// How deep elements may lie in each other; feeds that go deeper exist only to hurt.
const DEEPEST: usize = 512;

/// A document.
#[derive(Debug, Default)]
pub(super) struct Xml {
    /// The elements in the order in which they begin; the first is the root.
    pub(super) elements: Vec<XmlElement>,
    /// The encoding that the declaration names.
    pub(super) encoding: Option<Range<usize>>,
}

/// An element.
#[derive(Debug)]
pub(super) struct XmlElement {
    pub(super) namespace: Namespace,
    /// The name without its prefix.
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// Byte after the name in the start tag.
    pub(super) after_name: usize,
    /// The bytes between start tag and end tag; none where there is one tag.
    pub(super) content: Option<Range<usize>>,
    pub(super) holds: Holds,
    pub(super) attributes: Vec<XmlAttribute>,
}

/// What an element holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Text, references and CDATA.
    Text,
    /// One CDATA section with nothing but white space around it: the bytes inside.
    Cdata(Range<usize>),
    /// Elements and comments that HTML reads the same way.
    Markup,
    /// Something else.
    Other,
}

/// An attribute.
#[derive(Debug)]
pub(super) struct XmlAttribute {
    /// The name, with its prefix.
    pub(super) name: String,
    pub(super) value: Range<usize>,
    pub(super) quote: u8,
}

/// Whose element it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// RSS of any version, which mostly has no namespace.
    Rss,
    Rdf,
    Atom,
    Content,
    DublinCore,
    Itunes,
    Media,
    Other,
}

/// How many attributes a tag may have.
const MOST_ATTRIBUTES: usize = 256;

/// What identifies them; feeds are not careful about the last slash.
const NAMESPACES: [(&[u8], Namespace); 13] = [
    (b"http://www.w3.org/2005/Atom", Namespace::Atom),
    (b"http://purl.org/atom/ns#", Namespace::Atom),
    (b"http://purl.org/rss/1.0", Namespace::Rss),
    (b"http://my.netscape.com/rdf/simple/0.9", Namespace::Rss),
    (b"http://backend.userland.com/rss2", Namespace::Rss),
    (b"http://backend.userland.com/RSS2", Namespace::Rss),
    (b"http://blogs.law.harvard.edu/tech/rss", Namespace::Rss),
    (
        b"http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        Namespace::Rdf,
    ),
    (
        b"http://purl.org/rss/1.0/modules/content",
        Namespace::Content,
    ),
    (b"http://purl.org/dc/elements/1.1", Namespace::DublinCore),
    (
        b"http://www.itunes.com/dtds/podcast-1.0.dtd",
        Namespace::Itunes,
    ),
    (b"http://search.yahoo.com/mrss", Namespace::Media),
    (b"https://search.yahoo.com/mrss", Namespace::Media),
];

/// Elements whose inside HTML reads in another way than XML.
const RAW_IN_HTML: [&str; 12] = [
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "select",
    "style",
    "template",
    "textarea",
    "title",
    "xmp",
];

impl Xml {
    /// The attribute of that name, with its prefix.
    pub(super) fn attribute(&self, element: usize, name: &str) -> Option<&XmlAttribute> {
        self.elements
            .get(element)?
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }
}

/// What an open element was seen to hold.
#[derive(Clone, Debug, Default)]
struct SeenContent {
    element: usize,
    text: bool,
    cdata: Vec<Range<usize>>,
    markup: bool,
    /// Something that HTML would read otherwise, here or further in.
    odd: bool,
}

/// Finds the elements of a document; nothing where it is not well formed.
pub(super) fn read(source: &[u8]) -> Option<Xml> {
    let start = if source.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let text = std::str::from_utf8(source.get(start..)?).ok()?;
    let mut reader = NsReader::from_str(text);
    reader.config_mut().enable_all_checks(true);
    let mut walk = XmlWalk {
        source,
        xml: Xml::default(),
        open: Vec::new(),
    };
    let mut at = start;
    loop {
        let event = reader.read_event().ok()?;
        let end = start + usize::try_from(reader.buffer_position()).ok()?;
        let range = at..end;
        at = end;
        match event {
            Event::Start(tag) => {
                let namespace = namespace(&reader.resolver().resolve_element(tag.name()).0);
                walk.start(&tag, namespace, range, false)?;
            }
            Event::Empty(tag) => {
                let namespace = namespace(&reader.resolver().resolve_element(tag.name()).0);
                walk.start(&tag, namespace, range, true)?;
            }
            Event::End(_) => walk.end(range.start)?,
            Event::Text(part) => walk.text(!part.iter().all(u8::is_ascii_whitespace))?,
            Event::GeneralRef(_) => walk.text(true)?,
            Event::CData(_) => walk.cdata(range)?,
            Event::Comment(comment) => {
                walk.markup(comment.starts_with(b">") || comment.starts_with(b"->"))
            }
            Event::PI(_) => walk.markup(true),
            Event::Decl(_) => {
                walk.xml.encoding = walk.xml.encoding.or_else(|| declared(source, &range))
            }
            Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    (walk.open.is_empty() && !walk.xml.elements.is_empty()).then_some(walk.xml)
}

struct XmlWalk<'a> {
    source: &'a [u8],
    xml: Xml,
    open: Vec<SeenContent>,
}

impl XmlWalk<'_> {
    fn start(
        &mut self,
        tag: &BytesStart<'_>,
        namespace: Namespace,
        range: Range<usize>,
        is_empty: bool,
    ) -> Option<()> {
        if !is_name(tag.name().as_ref()) {
            return None;
        }
        // There is one root, and it does not lie too deep.
        if self.open.len() >= DEEPEST || (self.open.is_empty() && !self.xml.elements.is_empty()) {
            return None;
        }
        let after_name = range.start + 1 + tag.name().as_ref().len();
        let name = String::from_utf8_lossy(tag.local_name().as_ref()).into_owned();
        let end = range.end.checked_sub(if is_empty { 2 } else { 1 })?;
        let parent = self.open.last().map(|seen| seen.element);
        let attributes = attributes(self.source, after_name..end)?;
        let is_raw = RAW_IN_HTML.contains(&name.to_ascii_lowercase().as_str());
        self.markup(is_raw);
        let content = (!is_empty).then_some(range.end..range.end);
        let element = self.xml.elements.len();
        self.xml.elements.push(XmlElement {
            namespace,
            name,
            parent,
            after_name,
            content,
            holds: Holds::Text,
            attributes,
        });
        if !is_empty {
            self.open.push(SeenContent {
                element,
                ..SeenContent::default()
            });
        }
        Some(())
    }

    fn end(&mut self, at: usize) -> Option<()> {
        let seen = self.open.pop()?;
        let element = self.xml.elements.get_mut(seen.element)?;
        element.content.as_mut()?.end = at;
        element.holds = match (seen.markup, seen.cdata.as_slice()) {
            (false, [one]) if !seen.text => Holds::Cdata(one.clone()),
            (false, _) => Holds::Text,
            (true, []) if !seen.odd => Holds::Markup,
            (true, _) => Holds::Other,
        };
        if let Some(outer) = self.open.last_mut() {
            outer.odd |= seen.odd || !seen.cdata.is_empty();
        }
        Some(())
    }

    /// Notes text; outside the root there is only white space.
    fn text(&mut self, is_text: bool) -> Option<()> {
        match self.open.last_mut() {
            Some(seen) => seen.text |= is_text,
            None => (!is_text).then_some(())?,
        }
        Some(())
    }

    fn cdata(&mut self, range: Range<usize>) -> Option<()> {
        let inside = range.start + b"<![CDATA[".len()..range.end.checked_sub(b"]]>".len())?;
        self.open.last_mut()?.cdata.push(inside);
        Some(())
    }

    fn markup(&mut self, is_odd: bool) {
        if let Some(seen) = self.open.last_mut() {
            seen.markup = true;
            seen.odd |= is_odd;
        }
    }
}

fn namespace(found: &ResolveResult<'_>) -> Namespace {
    let ResolveResult::Bound(Uri(uri)) = found else {
        return if matches!(found, ResolveResult::Unbound) {
            Namespace::Rss
        } else {
            Namespace::Other
        };
    };
    let uri = uri.strip_suffix(b"/").unwrap_or(uri);
    NAMESPACES
        .iter()
        .find(|(known, _)| *known == uri)
        .map_or(Namespace::Other, |(_, namespace)| *namespace)
}

/// Reads the attributes of a tag: each a name, `=` and a quoted value without `<`.
pub(super) fn attributes(source: &[u8], range: Range<usize>) -> Option<Vec<XmlAttribute>> {
    let mut attributes: Vec<XmlAttribute> = Vec::new();
    let mut at = range.start;
    let space = |at: usize| {
        source[at..range.end]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    };
    loop {
        let gap = space(at);
        at += gap;
        if at >= range.end {
            return Some(attributes);
        }
        let is_name = |byte: &&u8| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'"' | b'\'' | b'<' | b'/')
        };
        let length = source[at..range.end].iter().take_while(is_name).count();
        if gap == 0 || length == 0 || attributes.len() >= MOST_ATTRIBUTES {
            return None;
        }
        let name = String::from_utf8(source[at..at + length].to_vec()).ok()?;
        at += length + space(at + length);
        if source[..range.end].get(at) != Some(&b'=') {
            return None;
        }
        at += 1 + space(at + 1);
        let quote = *source[..range.end]
            .get(at)
            .filter(|byte| matches!(byte, b'"' | b'\''))?;
        let start = at + 1;
        let end = start
            + source[start..range.end]
                .iter()
                .position(|&byte| byte == quote)?;
        if source[start..end].contains(&b'<')
            || attributes.iter().any(|earlier| earlier.name == name)
        {
            return None;
        }
        attributes.push(XmlAttribute {
            name,
            value: start..end,
            quote,
        });
        at = end + 1;
    }
}

/// The value of `encoding` in an XML declaration.
fn declared(source: &[u8], range: &Range<usize>) -> Option<Range<usize>> {
    let inside = range.start + b"<?xml".len()..range.end.checked_sub(b"?>".len())?;
    let found = attributes(source, inside)?
        .into_iter()
        .find(|attribute| attribute.name == "encoding")?;
    Some(found.value)
}

/// Whether an element may be called so (XML 1.0, productions 4 to 5); the reader lets `<<a>` and `<\a>` pass.
pub(super) fn is_name(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    name.starts_with(starts_name)
        && name
            .chars()
            .all(|letter| starts_name(letter) || goes_on_in_name(letter))
}

fn starts_name(letter: char) -> bool {
    matches!(
        letter,
        ':' | 'A'..='Z' | '_' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
            | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}'
            | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}'
    )
}

fn goes_on_in_name(letter: char) -> bool {
    matches!(letter, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}
