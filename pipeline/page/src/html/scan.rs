//! HTML into tokens with byte positions, cut where browsers cut them; where graphics are nested wrongly, nearly so (`worlds`).
//!
//! Texts, tags, comments and doctypes are told apart by the states of the HTML Standard (13.2.5), and only positions are
//! kept. The tokens lie in order and do not overlap; what no token covers (the marks around CDATA, `</>`, the tail of a
//! tag that the file cuts off) is copied like everything else. lol_html, which cuts in the same places outside of graphics
//! but takes longer, matches the selectors of a site's rules and is the judge in tests; only this room names it.

mod ends;
mod guard;
#[cfg(test)]
mod judge;
pub(crate) mod ruled;
pub(crate) mod selector;
pub(crate) mod worlds;

use std::ops::Range;

use self::guard::ClosedStretches;
use self::worlds::NamespaceScopes;
use super::bytes::find_byte;
use super::limits::MOST_TOKENS;
use super::rules::Rules;
use super::tags::{Read, read_tag};
use super::tokens::{PageTokens, TextKind, TokenKind};

/// Whether a text of a page holds more than white space: where it stands among elements, the head ends. The mark of byte
/// order is one only where the page begins; further on it is a character like any other.
pub(crate) fn ends_head(source: &[u8], range: &Range<usize>) -> bool {
    let text = &source[range.clone()];
    let text = if range.start == 0 {
        text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
    } else {
        text
    };
    !text.trim_ascii().is_empty()
}

/// Cuts UTF-8 HTML into tokens. Bytes that are not UTF-8 stay where they are, inside the token they belong to. What is
/// too large for any page has no tokens.
pub(crate) fn scan(source: &[u8], rules: &Rules) -> PageTokens {
    if u32::try_from(source.len()).is_err() {
        return PageTokens::default();
    }
    scan_flat(source, rules).open_noscripts(|range| scan_flat(&source[range], rules))
}

fn scan_flat(source: &[u8], rules: &Rules) -> PageTokens {
    let mut cutting = HtmlTokenizer {
        source,
        rules,
        tokens: PageTokens::with_capacity(most(source)),
        worlds: NamespaceScopes::default(),
        guard: ClosedStretches::default(),
        is_inside: false,
        looks: MOST_LOOKS,
    };
    cutting.cut();
    let mut tokens = cutting.tokens;
    cutting.guard.close(&mut tokens);
    ruled::mark(source, rules, &mut tokens);
    tokens
}

/// At most so many tokens: each tag or comment has a `<`, and between two of them there is one text.
fn most(source: &[u8]) -> usize {
    // So many at a time that a byte can count them.
    let count = |bytes: &[u8]| {
        usize::from(
            bytes
                .iter()
                .fold(0_u8, |marks, &byte| marks + u8::from(byte == b'<')),
        )
    };
    let marks = source.chunks(192).map(count).sum::<usize>();
    (marks * 2 + 1).min(MOST_TOKENS)
}

/// Tokens as they come.
struct HtmlTokenizer<'a> {
    source: &'a [u8],
    rules: &'a Rules,
    tokens: PageTokens,
    worlds: NamespaceScopes,
    guard: ClosedStretches,
    /// Whether the next tag ends an element that holds text alone.
    is_inside: bool,
    /// How many tokens may still be looked at for elements that stand open.
    looks: usize,
}

/// So many for a whole page; beyond that, tags that end nothing in a graphic are taken for such.
const MOST_LOOKS: usize = 1 << 18;

/// Whether an element of this name stands open before the last token, which is its end tag.
fn is_open(tokens: &PageTokens, name: &[u8], looks: &mut usize) -> bool {
    let mut ended = 0_usize;
    for place in (0..tokens.len().saturating_sub(1)).rev() {
        let Some(left) = looks.checked_sub(1) else {
            return false;
        };
        *looks = left;
        match tokens.get(place).map(|token| token.kind) {
            Some(TokenKind::End(other)) if other.as_bytes().eq_ignore_ascii_case(name) => {
                ended += 1
            }
            Some(TokenKind::Start(tag)) if tag.name.as_bytes().eq_ignore_ascii_case(name) => {
                match ended.checked_sub(1) {
                    Some(left) => ended = left,
                    None => return true,
                }
            }
            _ => {}
        }
    }
    false
}

/// What begins with a `<`.
enum MarkupKind {
    Text,
    Tag,
    /// `</>`, which is nothing at all.
    Nothing,
    Comment,
    /// What is taken for a comment, such as `<?php ?>`.
    Bogus,
    Doctype,
    Cdata,
}

const COMMENT: &[u8] = b"<!--";
const DOCTYPE: &[u8] = b"<!doctype";
const CDATA: &[u8] = b"<![CDATA[";
const NOTHING: &[u8] = b"</>";

impl HtmlTokenizer<'_> {
    /// Cuts the whole source, or as much of it as anybody looks into.
    fn cut(&mut self) {
        let mut text = 0;
        let mut at = 0;
        while let Some(skip) = find_byte(&self.source[at..], b'<') {
            let start = at + skip;
            let markup = self.markup(&self.source[start..]);
            if matches!(markup, MarkupKind::Text) {
                at = start + 1;
                continue;
            }
            self.text(text..start, TextKind::Data);
            let Some(end) = self
                .take(&markup, start)
                .filter(|_| self.tokens.len() <= MOST_TOKENS)
            else {
                return;
            };
            (text, at) = (end, end);
        }
        self.text(text..self.source.len(), TextKind::Data);
    }

    fn markup(&self, rest: &[u8]) -> MarkupKind {
        match rest {
            [_, b'/', b'>', ..] => MarkupKind::Nothing,
            [_, b'/', letter, ..] if letter.is_ascii_alphabetic() => MarkupKind::Tag,
            [_, b'/', _, ..] | [_, b'?', ..] => MarkupKind::Bogus,
            [_, letter, ..] if letter.is_ascii_alphabetic() => MarkupKind::Tag,
            [_, b'!', ..] if rest.starts_with(COMMENT) => MarkupKind::Comment,
            [_, b'!', ..]
                if rest
                    .get(..DOCTYPE.len())
                    .is_some_and(|it| it.eq_ignore_ascii_case(DOCTYPE)) =>
            {
                MarkupKind::Doctype
            }
            [_, b'!', ..] if rest.starts_with(CDATA) && !self.worlds.is_html() => MarkupKind::Cdata,
            [_, b'!', ..] => MarkupKind::Bogus,
            _ => MarkupKind::Text,
        }
    }

    /// Takes what begins at a byte, with the text that only its own end ends; gives the byte after it, unless it has no end.
    fn take(&mut self, markup: &MarkupKind, start: usize) -> Option<usize> {
        let source = self.source;
        let end = match markup {
            MarkupKind::Tag => return self.tag(start),
            MarkupKind::Text | MarkupKind::Nothing => start + NOTHING.len(),
            MarkupKind::Comment => ends::of_comment(source, start + COMMENT.len()),
            MarkupKind::Bogus => ends::of_declaration(source, start),
            MarkupKind::Doctype => ends::of_declaration(source, start + DOCTYPE.len()),
            MarkupKind::Cdata => {
                let (end, after) = ends::of_cdata(source, start + CDATA.len());
                self.text(start + CDATA.len()..end, TextKind::Cdata);
                after
            }
        };
        match markup {
            MarkupKind::Comment | MarkupKind::Bogus => self.tokens.comment(start..end),
            MarkupKind::Doctype => self.tokens.doctype(start..end),
            MarkupKind::Tag | MarkupKind::Text | MarkupKind::Nothing | MarkupKind::Cdata => {}
        }
        Some(end)
    }

    fn tag(&mut self, start: usize) -> Option<usize> {
        let tag = read_tag(
            self.source,
            start..self.source.len(),
            self.rules,
            &mut self.tokens,
        )?;
        let is_apart = tag
            .element
            .as_ref()
            .is_some_and(|element| element.is_apart());
        let ends_inside = std::mem::take(&mut self.is_inside) && tag.is_end;
        if self.worlds.is_plain() && !is_apart || ends_inside {
            return Some(tag.end);
        }
        if tag.is_end {
            let name = &self.source[tag.name.clone()];
            let tokens = &self.tokens;
            let looks = &mut self.looks;
            self.worlds
                .end(self.source, name, || is_open(tokens, name, looks));
        } else if self
            .worlds
            .start(self.source, start..tag.end, &tag.name, tag.self_closing)
        {
            if is_apart {
                return Some(self.inside(&tag));
            }
        } else if is_apart {
            let name = tag.element.as_deref().unwrap_or_default();
            self.guard
                .begin(self.source, tag.end, name, tag.self_closing);
        }
        Some(tag.end)
    }

    /// Takes the text in an element that holds no tags; gives the byte after it.
    fn inside(&mut self, tag: &Read) -> usize {
        let name = tag.element.as_deref().unwrap_or_default();
        let (kind, end) = match name {
            "textarea" | "title" => (
                TextKind::Escapable,
                ends::of_text(self.source, tag.end, name),
            ),
            "plaintext" => (TextKind::Raw, self.source.len()),
            "script" => (TextKind::Raw, ends::of_script(self.source, tag.end)),
            _ => (TextKind::Raw, ends::of_text(self.source, tag.end, name)),
        };
        self.text(tag.end..end, kind);
        self.is_inside = true;
        end
    }

    fn text(&mut self, range: Range<usize>, kind: TextKind) {
        if !range.is_empty() {
            self.tokens.text(range, kind);
        }
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
            (
                "<noscript><p>on</p></noscript>",
                "<noscript|<p|on|/p|/noscript",
            ),
            ("a<!-- /// --->b", "a|!<!-- /// --->|b"),
            ("<?php x ?>y", "!<?php x ?>|y"),
            ("</div title='>'>x", "/div|x"),
            ("<a href=/x/>y</a>", "<a|y|/a"),
            ("<svg><![CDATA[a<b]]></svg>", "<svg|cdata:a<b|/svg"),
            ("</a=\">b</a>c", "/a=\"|b|/a|c"),
            ("</a =\">b", "/a|b"),
            ("</a b =\">c\">d", "/a|d"),
            ("</a b=/\"c=\"d>e\">", "/a|e\">"),
            (
                "<div><svg/></div><script>a<b>c</script>",
                "<div|<svg|/div|<script|raw:a<b>c|/script",
            ),
            ("<math/><![CDATA[a>b", "<math|!<![CDATA[a>|b"),
            (
                "<div><svg></div><script>a<b>c</script>",
                "<div|<svg|/div|<script|raw:a<b>c|/script",
            ),
            (
                "<svg><style>a<!--</style>--><![CDATA[</style>]]>",
                "<svg|<style|raw:a|!<!--</style>-->|cdata:</style>",
            ),
            (
                "<svg><style>a<b>c</style><p>d",
                "<svg|<style|raw:a|!<b>|raw:c|/style|<p|d",
            ),
            (
                "<svg><style><script></style>a</script>",
                "<svg|<style|!<script>|/style|a|/script",
            ),
            (
                "<svg><style>a</svg>b<style>c",
                "<svg|<style|a|/svg|b|<style|raw:c",
            ),
            (
                "<svg><desc></svg></desc><script>a<b></script>c",
                "<svg|<desc|/svg|/desc|<script|!a|!<b>|/script|c",
            ),
            (
                "<svg><math><desc><script>a<g></script>",
                "<svg|<math|<desc|<script|raw:a<g>|/script",
            ),
            (
                "<math><svg><desc><style>a<g></style>",
                "<math|<svg|<desc|<style|raw:a|!<g>|/style",
            ),
            (
                "<svg><script/>a<script>b<g></script>",
                "<svg|<script|a|<script|!b|!<g>|/script",
            ),
            (
                "<svg><style/><b>a</b></style>b",
                "<svg|<style|!<b>|raw:a|!</b>|/style|b",
            ),
            (
                "<div><svg></div><script/>a<b></script>",
                "<div|<svg|/div|<script|raw:a<b>|/script",
            ),
            (
                "<svg><style>a</svg><script>b<c></script>",
                "<svg|<style|a|/svg|<script|raw:b<c>|/script",
            ),
            (
                "<svg><style></p><script>a<b></script>",
                "<svg|<style|/p|<script|raw:a<b>|/script",
            ),
            (
                "<svg><g><script>a<g></script></g>b</svg>",
                "<svg|<g|<script|!a|!<g>|/script|/g|b|/svg",
            ),
            (
                "<svg></g><![CDATA[a>b]]></div><![CDATA[c>d]]>",
                "<svg|/g|cdata:a>b|/div|cdata:c>d",
            ),
            (
                "<svg><foreignObject></title><script>a<b></script>",
                "<svg|<foreignobject|/title|<script|raw:a<b>|/script",
            ),
            (
                "<svg><desc><math></desc><style>a<g></style>",
                "<svg|<desc|<math|/desc|<style|raw:a|!<g>|/style",
            ),
            (
                "<svg><desc><p><math></p><script>a<b></script>",
                "<svg|<desc|<p|<math|/p|<script|raw:a<b>|/script",
            ),
            (
                "<svg><svg><b>a</b><textarea>b<c</textarea>",
                "<svg|<svg|<b|a|/b|<textarea|rc:b<c|/textarea",
            ),
            (
                "<svg><desc><title>a</title><xmp><b></xmp>",
                "<svg|<desc|<title|rc:a|/title|<xmp|raw:<b>|/xmp",
            ),
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
        let TokenKind::Start(tag) = tokens.get(0).unwrap().kind else {
            panic!("no start tag")
        };
        assert_eq!(tag.value(html, "title").as_deref(), Some("one"));
        assert_eq!(tag.attributes.len(), 2);
        assert_eq!(
            tag.attribute("translate")
                .and_then(|attribute| attribute.value.clone()),
            None
        );
    }

    #[test]
    fn attributes_inside_noscript_have_places_in_the_page() {
        let html = b"<body><noscript><img alt=\"x y\"></noscript>";
        let tokens = scan(html, &Rules::default());
        let TokenKind::Start(tag) = tokens.get(2).unwrap().kind else {
            panic!("no start tag")
        };
        let value = tag
            .attribute("alt")
            .and_then(|attribute| attribute.value.clone());
        assert_eq!(value.map(|range| &html[range]), Some(&b"x y"[..]));
    }
}
