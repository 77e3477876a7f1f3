//! What a localized page says about itself: language, direction, encoding, canonical address, alternates.
//!
//! One file: the elements of a head, each found and written.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::open_graph::OpenGraph;
use super::robots::{OwnStatements, is_noted};
use super::value::{quoted, with_indent};
use crate::edits::SourceEdits;
use crate::find::attributes::has_rel;
use crate::html::scan::ends_head;
use crate::html::tokens::{PageToken, PageTokens, StartTag, TagAttribute, TextKind, TokenKind};
use crate::html::writing::write_attribute;
use crate::robots::RobotsStatement;
use crate::{Direction, Locale};

/// What the head of a rendered page shall say.
#[derive(Clone, Debug, Default)]
pub struct PageHead<'a> {
    /// The canonical address; replaces the source's canonical link (R-C5, R-S1).
    pub canonical: Option<&'a str>,
    /// Language tag and public address of every version, this one too (R-C2); replaces the source's.
    pub alternates: &'a [(String, String)],
    /// Takes the source's alternates away even where none come in their place.
    pub alone: bool,
    /// Asks search engines to leave the page alone.
    pub noindex: bool,
    /// Statements to crawlers from the page's HTTP headers, repeated in the head.
    pub robots: &'a [RobotsStatement],
    /// Ready-made elements for the end of our part of the head.
    pub extra: &'a str,
    /// Ready-made elements that go after `<body>`.
    pub body_start: &'a str,
    /// Ready-made elements that go before `</body>`, or to the end of a page that leaves it out.
    pub body_end: &'a str,
    /// Switchers that take the place of those that the page has already, in their order.
    pub marked: &'a [String],
    /// A switcher for the element that waits for one.
    pub waiting: &'a str,
}

/// Places of a page that speak about the page.
#[derive(Debug, Default)]
pub(crate) struct HeadPlaces {
    html: Option<ElementPlace>,
    body: Option<ElementPlace>,
    /// Byte after a BOM, an XML declaration, the doctype and comments before the first element.
    start: usize,
    /// Byte after `<head>`, or where it would be.
    head: Option<usize>,
    /// Byte after the first charset declaration in the head.
    after_charset: Option<usize>,
    /// Byte after the last policy or base of the head that comes before its first script.
    after_policy: Option<usize>,
    has_script: bool,
    /// The policies that the page has for what it loads (Content Security Policy, section 3.3).
    pub(crate) policies: Vec<String>,
    charsets: Vec<Declaration>,
    /// Whether the first charset declaration of the head says UTF-8.
    says_utf_8: bool,
    xml_encoding: Option<Range<usize>>,
    content_language: Vec<(Range<usize>, Option<u8>)>,
    robots: OwnStatements,
    pub(crate) open_graph: OpenGraph,
    canonical: Vec<Range<usize>>,
    /// The addresses of the canonical links in the head; elsewhere search engines pass them over.
    pub(crate) canonical_claims: Vec<String>,
    /// Tag and address of the alternate links in the head.
    pub(crate) alternate_claims: Vec<(String, String)>,
    alternates: Vec<Range<usize>>,
    body_end: Option<usize>,
    /// The end of the page, where something may be added.
    end: Option<usize>,
    /// The first element that can be seen.
    first_flow: Option<usize>,
    frameset: bool,
    /// The page is XML: nothing stands outside its root, and the encoding is not said in its head.
    is_xml: bool,
}

/// Where on a page a tag stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageRegion {
    Head,
    /// In a `noscript` of the head, which only some browsers read, and in which words may stand.
    Noscript,
    Body,
}

/// A charset declaration.
#[derive(Debug)]
struct Declaration {
    /// Its element with the white space before it; `None` when the element has to stay.
    element: Option<Range<usize>>,
    value: Range<usize>,
}

#[derive(Debug)]
struct ElementPlace {
    /// Byte after the element's name.
    after_name: usize,
    /// Byte after the start tag.
    end: usize,
    lang: Vec<(Range<usize>, Option<u8>)>,
    /// Whether `lang` itself is there; `xml:lang` alone says nothing to a browser.
    has_lang: bool,
    dir: Option<(Range<usize>, Option<u8>, String)>,
}

/// Finds the places.
pub(crate) fn find(source: &[u8], tokens: &PageTokens) -> HeadPlaces {
    let start = if source.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let is_xml = tokens.is_xml();
    let end = safe_end(source, tokens).filter(|_| !is_xml);
    let places = HeadPlaces {
        start,
        end,
        is_xml,
        ..HeadPlaces::default()
    };
    let mut reader = HeadReader {
        source,
        start,
        places,
        begun: false,
        in_body: false,
        apart: 0,
        templates: 0,
    };
    for (index, token) in tokens.iter().enumerate() {
        reader.take(&token);
        // Among what can be seen, only a few elements still say something of the page.
        if reader.in_body && reader.places.first_flow.is_some() {
            tokens
                .of_page(index + 1)
                .for_each(|token| reader.take(&token));
            break;
        }
    }
    reader.places
}

/// Reads a page from its beginning.
struct HeadReader<'a> {
    source: &'a [u8],
    /// Byte after a BOM.
    start: usize,
    places: HeadPlaces,
    /// What stands before the page's first element stays before it.
    begun: bool,
    in_body: bool,
    /// How many elements are open whose content is not the page's own.
    apart: usize,
    templates: usize,
}

impl HeadReader<'_> {
    fn take(&mut self, token: &PageToken<'_>) {
        let Self { source, start, .. } = *self;
        let is_apart = |name: &str| matches!(name, "template" | "noscript");
        match &token.kind {
            TokenKind::Doctype if !self.in_body => self.places.start = token.range.end,
            TokenKind::Comment if !self.begun && token.range.end < source.len() => {
                self.places.start = token.range.end;
                self.places.xml(source, &token.range, start);
            }
            TokenKind::Start(tag) => {
                self.templates += usize::from(&*tag.name == "template");
                self.apart += usize::from(is_apart(&tag.name));
                if !tag.name.is_early() {
                    self.in_body = true;
                    self.places.first_flow.get_or_insert(token.range.start);
                }
                self.in_body |= matches!(&*tag.name, "body" | "frameset");
                let part = match (self.in_body || self.templates > 0, self.apart > 0) {
                    (true, _) => PageRegion::Body,
                    (false, true) => PageRegion::Noscript,
                    (false, false) => PageRegion::Head,
                };
                self.places.tag(source, token, tag, part);
            }
            TokenKind::End(name) if is_apart(name) => {
                self.templates = self
                    .templates
                    .saturating_sub(usize::from(&**name == "template"));
                self.apart = self.apart.saturating_sub(1);
            }
            TokenKind::End(name) if &**name == "body" => {
                self.places.body_end = Some(token.range.start)
            }
            TokenKind::End(name) if &**name == "html" && self.places.body_end.is_none() => {
                self.places.body_end = Some(token.range.start);
            }
            // A word ends the head as a paragraph does.
            TokenKind::Text(TextKind::Data) if self.apart == 0 && !self.in_body => {
                self.in_body = ends_head(source, &token.range);
            }
            TokenKind::End(_) | TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => {}
        }
        self.begun = self.begun
            || match &token.kind {
                TokenKind::Start(_) => true,
                TokenKind::End(name) => matches!(&**name, "head" | "body" | "html" | "br"),
                TokenKind::Text(_) => !source[token.range.start.max(start)..token.range.end]
                    .trim_ascii()
                    .is_empty(),
                TokenKind::Comment | TokenKind::Doctype => false,
            };
    }
}

/// The end of a page, if what is put there would be markup: not inside a tag, comment or script that is cut off.
fn safe_end(source: &[u8], tokens: &PageTokens) -> Option<usize> {
    let last = tokens
        .last()
        .filter(|last| last.range.end == source.len())?;
    let is_safe = match &last.kind {
        TokenKind::Start(tag) => !matches!(
            &*tag.name,
            "iframe"
                | "noembed"
                | "noframes"
                | "plaintext"
                | "script"
                | "style"
                | "textarea"
                | "title"
                | "xmp"
        ),
        TokenKind::Text(kind) => *kind == TextKind::Data,
        TokenKind::Comment => source.ends_with(b"-->"),
        TokenKind::End(_) | TokenKind::Doctype => true,
    };
    is_safe.then_some(source.len())
}

impl HeadPlaces {
    /// Where the page says its language.
    pub(crate) fn lang(&self) -> Option<Range<usize>> {
        self.html
            .as_ref()?
            .lang
            .first()
            .map(|(range, _)| range.clone())
    }

    /// A declaration is one only where the page starts.
    fn xml(&mut self, source: &[u8], range: &Range<usize>, start: usize) {
        let text = &source[range.clone()];
        if !text.starts_with(b"<?xml") || !source[start..range.start].trim_ascii().is_empty() {
            return;
        }
        let Some(at) = text.windows(8).position(|window| window == b"encoding") else {
            return;
        };
        let Some(open) = text[at..]
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\''))
            .map(|skip| at + skip)
        else {
            return;
        };
        let length = text[open + 1..].iter().position(|&byte| byte == text[open]);
        self.xml_encoding =
            length.map(|length| range.start + open + 1..range.start + open + 1 + length);
    }

    fn tag(&mut self, source: &[u8], token: &PageToken<'_>, tag: &StartTag<'_>, part: PageRegion) {
        // XHTML may write elements as one tag, in which nothing stands.
        let is_one_tag = self.is_xml && source[..token.range.end].ends_with(b"/>");
        match &*tag.name {
            "html" | "head" | "body" if is_one_tag => {}
            // Further on it is a stray tag that adds nothing to attributes that are there, or no `<html>` at all, in SVG.
            "html" if self.html.is_none() && part != PageRegion::Body => {
                self.html = Some(place(source, token, tag))
            }
            "body" if self.body.is_none() => self.body = Some(place(source, token, tag)),
            "frameset" => self.frameset = true,
            "head" if self.head.is_none() && part != PageRegion::Body => {
                self.head = Some(token.range.end)
            }
            "meta" => self.meta(source, token, tag, part),
            "script" if part == PageRegion::Head => self.has_script = true,
            "base" if part == PageRegion::Head && !self.has_script => {
                self.after_policy = Some(token.range.end)
            }
            "link" if has_rel(source, tag, "canonical") => {
                self.canonical.push(with_indent(source, &token.range));
                if part == PageRegion::Head {
                    self.canonical_claims.extend(
                        tag.value(source, "href")
                            .map(|address| address.trim().to_owned()),
                    );
                }
            }
            "link"
                if has_rel(source, tag, "alternate")
                    && tag.has("hreflang")
                    && is_page(source, tag) =>
            {
                self.alternates.push(with_indent(source, &token.range));
                if let (PageRegion::Head, Some(tag), Some(address)) = (
                    part,
                    tag.value(source, "hreflang"),
                    tag.value(source, "href"),
                ) {
                    self.alternate_claims
                        .push((tag.trim().to_owned(), address.trim().to_owned()));
                }
            }
            _ => {}
        }
    }

    fn meta(&mut self, source: &[u8], token: &PageToken<'_>, tag: &StartTag<'_>, part: PageRegion) {
        let value = |name: &str| {
            tag.value(source, name)
                .map(|value| value.trim().to_ascii_lowercase())
        };
        let content = tag
            .attribute("content")
            .and_then(|content| quoted(source, content));
        let equivalent = value("http-equiv");
        if equivalent.as_deref() == Some("content-security-policy") && part == PageRegion::Head {
            self.policies
                .extend(tag.value(source, "content").map(Cow::into_owned));
            if !self.has_script {
                self.after_policy = Some(token.range.end);
            }
        }
        if let Some((range, _)) = tag
            .attribute("charset")
            .and_then(|charset| quoted(source, charset))
        {
            self.charset(source, token, tag, range, part);
        } else if equivalent.as_deref() == Some("content-type")
            && let Some((content, _)) = &content
        {
            if let Some(range) = charset_of(&source[content.clone()]) {
                let value = content.start + range.start..content.start + range.end;
                self.charset(source, token, tag, value, part);
            }
        } else if equivalent.as_deref() == Some("content-language") {
            self.content_language.extend(content);
        } else if let Some(name) = value("name").filter(|name| is_noted(name)) {
            self.robots.note(
                name,
                tag.value(source, "content")
                    .unwrap_or_default()
                    .into_owned(),
            );
        } else if let Some(property) = value("property") {
            self.open_graph.note(source, token, tag, &property);
        }
    }

    fn charset(
        &mut self,
        source: &[u8],
        token: &PageToken<'_>,
        tag: &StartTag<'_>,
        value: Range<usize>,
        part: PageRegion,
    ) {
        if part == PageRegion::Body {
            return;
        }
        if self.charsets.is_empty() {
            self.says_utf_8 = source[value.clone()]
                .trim_ascii()
                .eq_ignore_ascii_case(b"utf-8");
        }
        let is_own = |attribute: &TagAttribute| {
            matches!(attribute.name(), "charset" | "http-equiv" | "content")
        };
        let mut is_bare = tag.attributes.iter().all(is_own);
        match part {
            PageRegion::Head => self.after_charset = self.after_charset.or(Some(token.range.end)),
            // It may be a code among words there.
            PageRegion::Noscript | PageRegion::Body => is_bare = false,
        }
        self.charsets.push(Declaration {
            element: is_bare.then(|| with_indent(source, &token.range)),
            value,
        });
    }

    /// Where our own elements go in the head: early, so that a bad element cannot close the head first (R-C7).
    fn insertion(&self) -> usize {
        self.after_charset
            .or(self.head)
            .or(self.html.as_ref().map(|html| html.end))
            .unwrap_or(self.start)
    }

    /// Puts the live script in: before every other script where it can, but behind what the page says of its encoding, its
    /// base and its policy.
    pub(crate) fn enliven(&self, script: &str, edits: &mut SourceEdits) {
        if self.is_xml && self.html.is_none() {
            return;
        }
        let at = self.insertion();
        edits.insert(
            self.after_policy.map_or(at, |policy| policy.max(at)),
            script,
        );
    }

    /// Says that the page is UTF-8, in the form in which it spoke of its encoding before (R-D4).
    pub(crate) fn declare_utf_8(&self, edits: &mut SourceEdits) {
        if self.says_utf_8 && self.charsets.len() == 1 && self.xml_encoding.is_none() {
            return;
        }
        if let Some(range) = &self.xml_encoding {
            edits.replace(range.clone(), "UTF-8");
        }
        let mut declarations = self.charsets.iter();
        match declarations.next() {
            Some(_) if self.says_utf_8 => {}
            Some(first) => edits.replace(first.value.clone(), "utf-8"),
            None if self.is_xml => {}
            None => edits.insert(
                self.head
                    .or(self.html.as_ref().map(|html| html.end))
                    .unwrap_or(self.start),
                "<meta charset=\"utf-8\" />",
            ),
        }
        for Declaration { element, value } in declarations {
            match element {
                Some(element) => edits.replace(element.clone(), ""),
                None => edits.replace(value.clone(), "utf-8"),
            }
        }
    }

    /// Writes language and direction (R-B4, R-B5, R-B7).
    pub(crate) fn speak(&self, target: &Locale, edits: &mut SourceEdits) {
        let direction = target.direction();
        match &self.html {
            Some(html) => {
                for (range, quote) in &html.lang {
                    edits.replace(range.clone(), &write_attribute(target.as_str(), *quote));
                }
                if !html.has_lang {
                    edits.insert(html.after_name, &format!(" lang=\"{target}\""));
                }
                match &html.dir {
                    Some(dir) => turn(dir, direction, edits),
                    None if direction == Direction::Rtl => {
                        edits.insert(html.after_name, " dir=\"rtl\"")
                    }
                    None => {}
                }
            }
            None if self.is_xml => {}
            None => {
                let dir = if direction == Direction::Rtl {
                    " dir=\"rtl\""
                } else {
                    ""
                };
                edits.insert(self.start, &format!("<html lang=\"{target}\"{dir}>"));
            }
        }
        if let Some(dir) = self.body.as_ref().and_then(|body| body.dir.as_ref()) {
            turn(dir, direction, edits);
        }
        for (range, quote) in &self.content_language {
            edits.replace(range.clone(), &write_attribute(target.as_str(), *quote));
        }
    }

    /// True if the page says that it is AMP (`<html amp>`, `<html ⚡>`), which allows no style sheets and scripts of others.
    pub(crate) fn is_amp(&self, source: &[u8]) -> bool {
        let Some(tag) = self
            .html
            .as_ref()
            .and_then(|html| source.get(html.after_name..html.end))
        else {
            return false;
        };
        let mut words = tag.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'='));
        words.any(|word| {
            word.eq_ignore_ascii_case(b"amp")
                || word == "⚡".as_bytes()
                || word == "⚡\u{fe0f}".as_bytes()
        })
    }

    /// Writes canonical, alternates and whatever else is asked for.
    pub(crate) fn describe(&self, head: &PageHead<'_>, edits: &mut SourceEdits) {
        if self.is_xml && self.html.is_none() {
            return;
        }
        let mut added = String::new();
        let attribute = |value: &str| write_attribute(value, Some(b'"'));
        if let Some(canonical) = head.canonical {
            self.canonical
                .iter()
                .for_each(|link| edits.replace(link.clone(), ""));
            let _ = write!(
                added,
                "<link rel=\"canonical\" href=\"{}\" />",
                attribute(canonical)
            );
            self.open_graph.set_url(canonical, edits);
        }
        if head.alone || !head.alternates.is_empty() {
            self.alternates
                .iter()
                .for_each(|link| edits.replace(link.clone(), ""));
        }
        for (tag, address) in head.alternates {
            let tag = attribute(tag);
            let address = attribute(address);
            let _ = write!(
                added,
                "<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{address}\" />"
            );
        }
        self.robots.add(head.noindex, head.robots, &mut added);
        added.push_str(head.extra);
        edits.insert(self.insertion(), &added);
        if !self.frameset {
            if let Some(start) = self.body.as_ref().map(|body| body.end).or(self.first_flow) {
                edits.insert(start, head.body_start);
            }
            if let Some(end) = self.body_end.or(self.end) {
                edits.insert(end, head.body_end);
            }
        }
    }
}

/// Where the content of a content-type declaration names the charset; white space may stand around the `=`.
fn charset_of(content: &[u8]) -> Option<Range<usize>> {
    let text = content.to_ascii_lowercase();
    let space = |at: usize| {
        text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    };
    let name = text.windows(7).position(|window| window == b"charset")? + 7;
    let equals = name + space(name);
    let mut start = equals + 1;
    if text.get(equals) != Some(&b'=') {
        return None;
    }
    start += space(start);
    let ends = |byte: &u8| matches!(byte, b';' | b'"' | b'\'' | b'&') || byte.is_ascii_whitespace();
    let length = text[start..]
        .iter()
        .position(ends)
        .unwrap_or(text.len() - start);
    Some(start..start + length)
}

/// Whether a link leads to a page rather than a feed or file.
pub(crate) fn is_page(source: &[u8], tag: &StartTag<'_>) -> bool {
    tag.value(source, "type").is_none_or(|kind| {
        matches!(
            kind.trim().to_ascii_lowercase().as_str(),
            "" | "text/html" | "application/xhtml+xml"
        )
    })
}

fn turn(dir: &(Range<usize>, Option<u8>, String), direction: Direction, edits: &mut SourceEdits) {
    let (range, quote, value) = dir;
    if matches!(value.as_str(), "ltr" | "rtl") && value != direction.as_str() {
        edits.replace(range.clone(), &write_attribute(direction.as_str(), *quote));
    }
}

fn place(source: &[u8], token: &PageToken<'_>, tag: &StartTag<'_>) -> ElementPlace {
    let lang = ["lang", "xml:lang"]
        .iter()
        .filter_map(|name| tag.attribute(name))
        .filter_map(|lang| quoted(source, lang));
    let dir = tag.attribute("dir");
    let value = dir
        .map(|dir| dir.value(source).trim().to_ascii_lowercase())
        .unwrap_or_default();
    ElementPlace {
        after_name: token.range.start + 1 + tag.name.len(),
        end: token.range.end,
        lang: lang.collect(),
        has_lang: tag
            .attribute("lang")
            .is_some_and(|lang| lang.value.is_some()),
        dir: dir
            .and_then(|dir| quoted(source, dir))
            .map(|(range, quote)| (range, quote, value)),
    }
}
