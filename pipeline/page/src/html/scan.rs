//! HTML into tokens with byte positions, cut exactly where browsers cut them.
//!
//! lol_html only observes: the page goes in with one write, what it would print is thrown away, and only
//! positions are kept. Tags are read from the gaps between what it reports (`tags.rs`), which also shows stray end tags.
//! The tokens lie in order and do not overlap; what no token covers (the tail of a tag that the file cuts off)
//! is copied like everything else. Only this room names lol_html.

pub(crate) mod ruled;
pub(crate) mod selector;

use std::cell::RefCell;
use std::ops::Range;

use lol_html::html_content::TextType;
use lol_html::{DocumentContentHandlers, HtmlRewriter, Settings};

use super::limits::MOST_TOKENS;
use super::rules::Rules;
use super::tags::{cut_character, read_tags};
use super::tokens::{Ruled, TextKind, Tokens};

/// Whether a text of a page holds more than white space: where it stands among elements, the head ends. The mark of byte
/// order is one only where the page begins; further on it is a character like any other.
pub(crate) fn ends_head(source: &[u8], range: &Range<usize>) -> bool {
    let text = &source[range.clone()];
    let text = if range.start == 0 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
    !text.trim_ascii().is_empty()
}

/// Cuts UTF-8 HTML into tokens. Bytes that are not UTF-8 stay where they are, inside the token they belong to. What is
/// too large for any page has no tokens.
pub(crate) fn scan(source: &[u8], rules: &Rules) -> Tokens {
    if u32::try_from(source.len()).is_err() {
        return Tokens::default();
    }
    scan_flat(source, rules).open_noscripts(|range| scan_flat(&source[range], rules))
}

fn scan_flat(source: &[u8], rules: &Rules) -> Tokens {
    let cutting = RefCell::new(Cutting { source, rules, tokens: Tokens::with_capacity(most(source)), position: 0 });
    let ruled = observe(source, rules, &cutting);
    let mut tokens = cutting.into_inner().end();
    ruled.into_iter().for_each(|(start, ruled)| tokens.rule(start, ruled));
    tokens
}

/// Tokens as they come, and the tags between them.
struct Cutting<'a> {
    source: &'a [u8],
    rules: &'a Rules,
    tokens: Tokens,
    /// Byte after the last token that lol_html reported.
    position: usize,
}

/// What lol_html reports.
#[derive(Clone, Copy)]
enum Report {
    Text(TextKind),
    Comment,
    Doctype,
}

impl Cutting<'_> {
    /// Takes what lol_html reports; an error where it is enough.
    fn take(&mut self, mut range: Range<usize>, report: Report) -> Result<(), Enough> {
        if range.is_empty() {
            return Ok(());
        }
        if let Report::Text(_) = report {
            range.start = cut_character(self.source, self.position..range.start).start;
        }
        read_tags(self.source, self.position..range.start, self.rules, &mut self.tokens);
        self.position = range.end;
        match report {
            Report::Text(kind) => self.tokens.text(range, kind),
            Report::Comment => self.tokens.comment(range),
            Report::Doctype => self.tokens.doctype(range),
        }
        if self.tokens.len() > MOST_TOKENS { Err(Enough) } else { Ok(()) }
    }

    fn end(mut self) -> Tokens {
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

/// Lets lol_html cut the source: everything but tags, and where elements start of which a rule of the site says
/// something. Memory errors cannot happen: the limits are off and the source is in memory already.
fn observe(source: &[u8], rules: &Rules, cutting: &RefCell<Cutting<'_>>) -> Vec<(usize, Ruled)> {
    let marked = ruled::Marked::default();
    let add = |range: Range<usize>, report: Report| Ok(cutting.borrow_mut().take(range, report)?);
    let settings = Settings::new().with_strict(false).append_document_content_handler(
        DocumentContentHandlers::default()
            .text(|chunk: &mut lol_html::html_content::TextChunk<'_>| {
                add(chunk.source_location().bytes(), Report::Text(text_kind(chunk.text_type())))
            })
            .comments(|comment: &mut lol_html::html_content::Comment<'_>| {
                add(comment.source_location().bytes(), Report::Comment)
            })
            .doctype(|doctype: &mut lol_html::html_content::Doctype<'_>| {
                add(doctype.source_location().bytes(), Report::Doctype)
            }),
    );
    let mut rewriter = HtmlRewriter::new(ruled::observe(settings, rules, &marked), |_: &[u8]| {});
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
    use super::super::tokens::TokenKind;
    use super::*;

    /// Draws tokens as `kind:text`, joined by `|`.
    fn draw(html: &str) -> String {
        let tokens = scan(html.as_bytes(), &Rules::default());
        let mut end = 0;
        let mut out = Vec::new();
        for token in tokens.iter() {
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
        let tokens = scan(html, &Rules::default());
        let TokenKind::Start(tag) = tokens.get(0).unwrap().kind else { panic!("no start tag") };
        assert_eq!(tag.value(html, "title").as_deref(), Some("one"));
        assert_eq!(tag.attributes.len(), 2);
        assert_eq!(tag.attribute("translate").and_then(|attribute| attribute.value.clone()), None);
    }

    #[test]
    fn attributes_inside_noscript_have_places_in_the_page() {
        let html = b"<body><noscript><img alt=\"x y\"></noscript>";
        let tokens = scan(html, &Rules::default());
        let TokenKind::Start(tag) = tokens.get(2).unwrap().kind else { panic!("no start tag") };
        let value = tag.attribute("alt").and_then(|attribute| attribute.value.clone());
        assert_eq!(value.map(|range| &html[range]), Some(&b"x y"[..]));
    }
}
