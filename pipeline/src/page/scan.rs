//! HTML into tokens with byte positions, cut exactly where browsers cut them.
//!
//! lol_html only observes: the page goes in with one write, what it would print is thrown away, and only
//! positions are kept. Tags are read from the gaps between what it reports (`tags.rs`), which also shows stray end tags.
//! The tokens lie in order and do not overlap; what no token covers (the tail of a tag that the file cuts off)
//! is copied like everything else. This is the only file that names lol_html.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use lol_html::html_content::TextType;
use lol_html::{DocumentContentHandlers, ElementContentHandlers, HtmlRewriter, Settings};

use super::attributes::{Known, Roles};
use super::element::Name;
use super::limits::MOST_TOKENS;
use super::rules::Rules;
use super::tags::{cut_character, read_tags};

/// A token and the bytes it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Start(Tag),
    End(Name),
    Text(TextKind),
    Comment,
    Doctype,
}

/// A start tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: Name,
    /// The attributes that mean something to us; most tags have none.
    own: Option<Box<Own>>,
    /// What they are good for, all together.
    pub(super) roles: Roles,
    pub(super) self_closing: bool,
    /// What a rule of the site says about the element.
    pub(super) ruled: Option<Ruled>,
}

/// What a site's rule says about an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruled {
    /// It stays as it is; which of the rules says so.
    Skip(u32),
    /// Its text is text.
    Translate,
}

/// A CSS selector that is matched while a page is read.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    compiled: lol_html::Selector,
    /// As it is written.
    pub(super) text: String,
}

impl Selector {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        text.parse()
            .map(|compiled| Self { compiled, text: text.to_owned() })
            .map_err(|error: lol_html::errors::SelectorError| error.to_string().trim_end_matches('.').to_owned())
    }
}

/// An attribute; of two with one name, the first counts and the second is not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) known: &'static Known,
    /// The name, where only a rule of the site asks for it.
    pub(super) asked: Option<Arc<str>>,
    /// The bytes of the value without its quotes; none when only the name is written.
    pub(super) value: Option<Range<usize>>,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Character references are decoded, tags are tags.
    Data,
    /// Character references are decoded, tags are text: title and textarea (R-A12).
    Escapable,
    /// Nothing is decoded: script, style, iframe and their like.
    Raw,
    /// CDATA inside SVG or MathML: nothing is decoded.
    Cdata,
}

/// The attributes of a tag that has some.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    attributes: Vec<Attribute>,
}

impl Tag {
    pub(super) fn new(name: Name, attributes: Vec<Attribute>, roles: Roles, self_closing: bool) -> Self {
        let own = (!attributes.is_empty()).then(|| Box::new(Own { attributes }));
        Self { name, own, roles, self_closing, ruled: None }
    }

    /// The attributes that mean something to us.
    pub(super) fn attributes(&self) -> &[Attribute] {
        self.own.as_deref().map_or(&[], |own| &own.attributes)
    }

    /// The first attribute of that name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes().iter().find(|attribute| attribute.name() == name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// The decoded value of an attribute; empty when only the name is written.
    pub(super) fn value<'s>(&self, source: &'s [u8], name: &str) -> Option<Cow<'s, str>> {
        self.attribute(name).map(|attribute| attribute.value(source))
    }

    /// Whether an attribute is there that is good for one of these.
    pub(super) fn may(&self, roles: Roles) -> bool {
        self.roles & roles != 0
    }
}

impl Attribute {
    /// The name in lower case.
    pub(super) fn name(&self) -> &str {
        self.asked.as_deref().unwrap_or(self.known.name)
    }

    /// The value with character references decoded.
    pub(super) fn value<'s>(&self, source: &'s [u8]) -> Cow<'s, str> {
        let Some(range) = self.value.clone() else { return Cow::Borrowed("") };
        htmlize::unescape_attribute(String::from_utf8_lossy(&source[range]))
    }

    /// The quote around the value, where there is one.
    pub(super) fn quote(&self, source: &[u8]) -> Option<u8> {
        let start = self.value.as_ref()?.start;
        start.checked_sub(1).and_then(|before| source.get(before)).copied().filter(|byte| matches!(byte, b'"' | b'\''))
    }
}

/// Whether a text holds more than white space and marks of byte order: where it stands among elements, the head ends.
pub(super) fn ends_head(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    !text.is_empty() && text != b"\xef\xbb\xbf"
}

/// Cuts UTF-8 HTML into tokens. Bytes that are not UTF-8 stay where they are, inside the token they belong to.
pub(super) fn scan(source: &[u8], rules: &Rules) -> Vec<Token> {
    let flat = scan_flat(source, rules);
    if !flat.iter().any(starts_noscript) {
        return flat;
    }
    let mut tokens: Vec<Token> = Vec::with_capacity(flat.len() + 16);
    for token in flat {
        if token.kind == TokenKind::Text(TextKind::Raw) && tokens.last().is_some_and(starts_noscript) {
            // What stands in <noscript> is HTML to whoever sees it (R-A13); it cannot hold another one.
            tokens.extend(scan_inside(source, token.range, rules));
        } else {
            tokens.push(token);
        }
    }
    tokens
}

fn scan_flat(source: &[u8], rules: &Rules) -> Vec<Token> {
    let cutting = RefCell::new(Cutting { source, rules, tokens: Vec::with_capacity(most(source)), position: 0 });
    let ruled = observe(source, rules, &cutting);
    let mut tokens = cutting.into_inner().end();
    mark(&mut tokens, ruled);
    tokens
}

/// Tokens as they come, and the tags between them.
struct Cutting<'a> {
    source: &'a [u8],
    rules: &'a Rules,
    tokens: Vec<Token>,
    /// Byte after the last token that lol_html reported.
    position: usize,
}

impl Cutting<'_> {
    /// Takes what lol_html reports; an error where it is enough.
    fn take(&mut self, mut token: Token) -> Result<(), Enough> {
        if token.range.is_empty() {
            return Ok(());
        }
        if let TokenKind::Text(_) = token.kind {
            token.range.start = cut_character(self.source, self.position..token.range.start).start;
        }
        read_tags(self.source, self.position..token.range.start, self.rules, &mut self.tokens);
        self.position = token.range.end;
        push(&mut self.tokens, token);
        if self.tokens.len() > MOST_TOKENS { Err(Enough) } else { Ok(()) }
    }

    fn end(mut self) -> Vec<Token> {
        if self.tokens.len() <= MOST_TOKENS {
            read_tags(self.source, self.position..self.source.len(), self.rules, &mut self.tokens);
        }
        self.tokens
    }
}

/// At most so many tokens: each tag or comment has a `<`, and between two of them there is one text.
fn most(source: &[u8]) -> usize {
    let marks = source.iter().filter(|&&byte| byte == b'<').count();
    (marks * 2 + 1).min(MOST_TOKENS)
}

/// There are more tokens than anybody looks into.
#[derive(Debug, thiserror::Error)]
#[error("there are too many tokens")]
struct Enough;

/// Writes down what rules of the site say of elements; of several for one element the first counts.
fn mark(tokens: &mut [Token], ruled: Vec<(usize, Ruled)>) {
    for (start, ruled) in ruled {
        let at = tokens.partition_point(|token| token.range.start < start);
        if let Some(Token { range, kind: TokenKind::Start(tag) }) = tokens.get_mut(at)
            && range.start == start
        {
            tag.ruled = tag.ruled.or(Some(ruled));
        }
    }
}

fn starts_noscript(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Start(tag) if &*tag.name == "noscript")
}

fn scan_inside(source: &[u8], range: Range<usize>, rules: &Rules) -> Vec<Token> {
    let start = range.start;
    let mut tokens = scan_flat(&source[range], rules);
    for token in &mut tokens {
        shift(&mut token.range, start);
        if let TokenKind::Start(tag) = &mut token.kind {
            for attribute in tag.own.iter_mut().flat_map(|own| own.attributes.iter_mut()) {
                if let Some(value) = &mut attribute.value {
                    shift(value, start);
                }
            }
        }
    }
    tokens
}

fn shift(range: &mut Range<usize>, by: usize) {
    range.start += by;
    range.end += by;
}

/// Adds a token; text that arrives in several chunks becomes one token again.
fn push(tokens: &mut Vec<Token>, token: Token) {
    if let (Some(last), TokenKind::Text(kind)) = (tokens.last_mut(), &token.kind)
        && last.kind == TokenKind::Text(*kind)
        && last.range.end == token.range.start
    {
        last.range.end = token.range.end;
        return;
    }
    tokens.push(token);
}

/// Lets lol_html cut the source: everything but tags, and where elements start of which a rule of the site says
/// something. Memory errors cannot happen: the limits are off and the source is in memory already.
fn observe(source: &[u8], rules: &Rules, cutting: &RefCell<Cutting<'_>>) -> Vec<(usize, Ruled)> {
    let marked = RefCell::new(Vec::new());
    let add = |range: Range<usize>, kind: TokenKind| Ok(cutting.borrow_mut().take(Token { range, kind })?);
    let mut settings = Settings::new().with_strict(false).append_document_content_handler(
        DocumentContentHandlers::default()
            .text(|chunk: &mut lol_html::html_content::TextChunk<'_>| {
                add(chunk.source_location().bytes(), TokenKind::Text(text_kind(chunk.text_type())))
            })
            .comments(|comment: &mut lol_html::html_content::Comment<'_>| {
                add(comment.source_location().bytes(), TokenKind::Comment)
            })
            .doctype(|doctype: &mut lol_html::html_content::Doctype<'_>| {
                add(doctype.source_location().bytes(), TokenKind::Doctype)
            }),
    );
    for (Selector { compiled, .. }, ruled) in &rules.elements {
        let marked = &marked;
        let mark = move |element: &mut lol_html::html_content::Element<'_, '_>| {
            marked.borrow_mut().push((element.source_location().bytes().start, *ruled));
            Ok(())
        };
        let handlers = ElementContentHandlers::default().element(mark);
        settings = settings.append_element_content_handler((Cow::Borrowed(compiled), handlers));
    }
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // An error only means fewer tokens: what is not a token is copied.
    if rewriter.write(source).is_ok() {
        let _ = rewriter.end();
    }
    marked.take()
}

fn text_kind(kind: TextType) -> TextKind {
    match kind {
        TextType::Data => TextKind::Data,
        TextType::RCData => TextKind::Escapable,
        TextType::RawText | TextType::ScriptData | TextType::PlainText => TextKind::Raw,
        TextType::CDataSection => TextKind::Cdata,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws tokens as `kind:text`, joined by `|`.
    fn draw(html: &str) -> String {
        let tokens = scan(html.as_bytes(), &Rules::default());
        let mut end = 0;
        let mut out = Vec::new();
        for token in &tokens {
            assert!(token.range.start >= end, "tokens overlap in {html:?}");
            end = token.range.end;
            let text = &html[token.range.clone()];
            out.push(match &token.kind {
                TokenKind::Start(tag) => format!("<{}", tag.name),
                TokenKind::End(name) => format!("/{name}"),
                TokenKind::Text(TextKind::Data) => text.to_owned(),
                TokenKind::Text(TextKind::Escapable) => format!("rc:{text}"),
                TokenKind::Text(TextKind::Raw) => format!("raw:{text}"),
                TokenKind::Text(TextKind::Cdata) => format!("cdata:{text}"),
                TokenKind::Comment => format!("!{text}"),
                TokenKind::Doctype => "doctype".into(),
            });
        }
        out.join("|")
    }

    #[test]
    fn tokens_are_cut_as_browsers_cut_them() {
        for (html, tokens) in [
            ("<p>a &lt; b</p>", "<p|a &lt; b|/p"),
            ("<p>one</p></p></br>two", "<p|one|/p|/p|/br|two"),
            ("<title>a<b></title>x", "<title|rc:a<b>|/title|x"),
            ("<script>a</b></script>", "<script|raw:a</b>|/script"),
            ("<noscript><p>on</p></noscript>", "<noscript|<p|on|/p|/noscript"),
            ("a<!-- /// --->b", "a|!<!-- /// --->|b"),
            ("<?php x ?>y", "!<?php x ?>|y"),
            ("</div title='>'>x", "/div|x"),
            ("<a href=/x/>y</a>", "<a|y|/a"),
            ("<svg><![CDATA[a<b]]></svg>", "<svg|cdata:a<b|/svg"),
            ("</a=\">b</a>c", "/a=\"|b|/a|c"),
            ("</a =\">b", "/a|b"),
            ("</a b =\">c\">d", "/a|d"),
            ("</a b=/\"c=\"d>e\">", "/a|e\">"),
            ("<b>one</></b>", "<b|one|/b"),
            ("text <b", "text "),
        ] {
            assert_eq!(draw(html), tokens, "{html}");
        }
    }

    #[test]
    fn the_first_of_two_equal_attributes_counts() {
        let html = b"<a title='one' TITLE=two translate>";
        let TokenKind::Start(tag) = &scan(html, &Rules::default())[0].kind else { panic!("no start tag") };
        assert_eq!(tag.value(html, "title").as_deref(), Some("one"));
        assert_eq!(tag.attributes().len(), 2);
        assert_eq!(tag.attribute("translate").and_then(|attribute| attribute.value.clone()), None);
    }

    #[test]
    fn attributes_inside_noscript_have_places_in_the_page() {
        let html = b"<body><noscript><img alt=\"x y\"></noscript>";
        let tokens = scan(html, &Rules::default());
        let TokenKind::Start(tag) = &tokens[2].kind else { panic!("no start tag") };
        let value = tag.attribute("alt").and_then(|attribute| attribute.value.clone());
        assert_eq!(value.map(|range| &html[range]), Some(&b"x y"[..]));
    }
}
