//! The judge of the cuts: lol_html, which reads texts, comments, doctypes and start tags in the same places.

use std::cell::RefCell;
use std::fs;
use std::ops::Range;
use std::path::Path;

use lol_html::html_content::{Comment, Doctype, Element, TextChunk, TextType};
use lol_html::{DocumentContentHandlers, HtmlRewriter, Settings, element};
use proptest::prelude::*;

use super::scan_flat;
use crate::html::rules::Rules;
use crate::html::tokens::{TextKind, TokenKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReferenceCut {
    Text(TextKind),
    Comment,
    Doctype,
    /// Where a start tag begins; lol_html says no more of those that are void.
    Tag,
}

/// Where lol_html cuts; a text that it reports in several chunks is one.
fn judged(source: &[u8]) -> Vec<(Range<usize>, ReferenceCut)> {
    let cuts: RefCell<Vec<(Range<usize>, ReferenceCut)>> = RefCell::default();
    let is_text = |cut: ReferenceCut| matches!(cut, ReferenceCut::Text(_));
    let add = |range: Range<usize>, cut: ReferenceCut| {
        let mut cuts = cuts.borrow_mut();
        match cuts.last_mut() {
            _ if range.is_empty() && cut != ReferenceCut::Tag => {}
            Some((before, kind)) if *kind == cut && is_text(cut) && before.end == range.start => {
                before.end = range.end
            }
            Some(_) | None => cuts.push((range, cut)),
        }
        Ok(())
    };
    let document = DocumentContentHandlers::default()
        .text(|text: &mut TextChunk<'_>| {
            add(
                text.source_location().bytes(),
                ReferenceCut::Text(kind(text.text_type())),
            )
        })
        .comments(|comment: &mut Comment<'_>| {
            add(comment.source_location().bytes(), ReferenceCut::Comment)
        })
        .doctype(|doctype: &mut Doctype<'_>| {
            add(doctype.source_location().bytes(), ReferenceCut::Doctype)
        });
    let tags = element!("*", |element: &mut Element<'_, '_>| {
        let start = element.source_location().bytes().start;
        add(start..start, ReferenceCut::Tag)
    });
    let settings = Settings::new()
        .with_strict(false)
        .append_document_content_handler(document);
    let mut rewriter =
        HtmlRewriter::new(settings.append_element_content_handler(tags), |_: &[u8]| {});
    rewriter.write(source).unwrap();
    rewriter.end().unwrap();
    cuts.into_inner()
}

fn kind(kind: TextType) -> TextKind {
    match kind {
        TextType::Data => TextKind::Data,
        TextType::RCData => TextKind::Escapable,
        TextType::RawText | TextType::ScriptData | TextType::PlainText => TextKind::Raw,
        TextType::CDataSection => TextKind::Cdata,
    }
}

fn check(source: &[u8]) {
    let tokens = scan_flat(source, &Rules::default());
    let cut = |kind: &TokenKind<'_>| match kind {
        TokenKind::Text(kind) => Some(ReferenceCut::Text(*kind)),
        TokenKind::Comment => Some(ReferenceCut::Comment),
        TokenKind::Doctype => Some(ReferenceCut::Doctype),
        TokenKind::Start(_) => Some(ReferenceCut::Tag),
        TokenKind::End(_) => None,
    };
    let own = tokens.iter().filter_map(|token| {
        let cut = cut(&token.kind)?;
        let end = if cut == ReferenceCut::Tag {
            token.range.start
        } else {
            token.range.end
        };
        Some((token.range.start..end, cut))
    });
    assert_eq!(
        own.collect::<Vec<_>>(),
        judged(source),
        "{}",
        String::from_utf8_lossy(source)
    );
}

/// What decides how the bytes behind it are read.
const BITS: [&str; 83] = [
    "<",
    ">",
    "</",
    "/>",
    "!",
    "-",
    "--",
    "<!",
    "<!-",
    "<!--",
    "-->",
    "--!>",
    "->",
    "]]>",
    "]",
    "<![CDATA[",
    "<![cdata[",
    "<!doctype html>",
    "<!DOCTYPE",
    "<!doc",
    "<?x",
    "?>",
    "</>",
    "</ >",
    "</3>",
    "'",
    "\"",
    " a='",
    " a=\"",
    " x=y",
    " ",
    "\n",
    "/",
    "w",
    "\u{e9}",
    "&amp;",
    "<svg>",
    "</svg>",
    "<math>",
    "</MATH>",
    "<mi>",
    "</mi>",
    "<mtext>",
    "</mtext>",
    "<desc>",
    "</desc>",
    "<foreignObject>",
    "</foreignObject>",
    "<annotation-xml encoding='text/html'>",
    "<annotation-xml>",
    "</annotation-xml>",
    "<font>",
    "<font color=x>",
    "<b>",
    "</b>",
    "<p>",
    "</p>",
    "</br>",
    "<title>",
    "<title/>",
    "</title>",
    "</title ",
    "<textarea>",
    "</TEXTAREA>",
    "<script>",
    "</script>",
    "<script ",
    "</script/",
    "<style>",
    "</style>",
    "</styles>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<noembed>",
    "<noframes>",
    "</noframes>",
    "<noscript>",
    "</noscript>",
    "<plaintext>",
    "<select>",
    "<template>",
];

/// Whether a page holds graphics or formulas, whose ends lol_html reads otherwise than browsers where they are not nested well.
fn has_worlds(page: &str) -> bool {
    let page = page.to_ascii_lowercase();
    page.contains("<svg") || page.contains("<math")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn whatever_is_written_is_cut_where_lol_html_cuts_it(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 1..24)) {
        let page = bits.concat();
        if !has_worlds(&page) {
            check(page.as_bytes());
        }
    }
}

#[test]
fn every_fixture_is_cut_where_lol_html_cuts_it() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")];
    let mut checked = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path)
                && path
                    .extension()
                    .is_some_and(|extension| extension == "html")
            {
                check(text.as_bytes());
                checked += 1;
            }
        }
    }
    assert!(checked > 70, "fixtures are missing");
}
