//! Laws 1 to 3 and 6, checked on one page in every way in which a localized page differs from its source.
//!
//! Law 3 has a closed list of the attributes and marks that rendering may add: those of rules R-A7, R-B5, R-D, and R-R1 to R-R3.
//!
//! Bytes may be anything: what is checked of real pages is checked of mutated and of random ones.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each that includes this file uses the part it needs"
)]

pub mod judge;

use std::borrow::Borrow;

use judge::{Links, decode, inventory, plain_words, skeleton};
use page::{
    CodeKind, CodedText, InlineCode, Locale, Page, PageChanges, PageHead, PageLink, Rendered,
    Rules, TextError, TextPiece,
};

/// Every kind of encoding that has a way of its own through the code, and none: most pages are to be UTF-8.
const CHARSETS: [&str; 7] = [
    "windows-1252",
    "euc-kr",
    "shift_jis",
    "iso-2022-jp",
    "gb18030",
    "utf-16le",
    "utf-16be",
];

/// Checks the laws on one page and gives the words left untouched; `charset` is what the HTTP header declared. Where it
/// is known how a browser reads the page, `html` is that, and its structure is judged too.
pub fn check(source: &[u8], charset: Option<&str>, html: Option<&str>, name: &str) -> Vec<String> {
    let locale = Locale::parse("en").unwrap();
    let page = Page::parse(source, charset, &locale);
    let same: Vec<CodedText> = page
        .segments()
        .map(|segment| segment.text.clone())
        .collect();
    assert!(
        page.render(|index| same.get(index), &PageChanges::default())
            .html
            == source,
        "identity: {name}"
    );
    check_changed(&page, name);
    check_widened(source, charset, html, name)
}

/// Checks the laws on arbitrary bytes: the first one chooses what the HTTP header declares, the page follows.
pub fn check_input(input: &[u8]) {
    let Some((first, page)) = input.split_first() else {
        return;
    };
    let charset = CHARSETS.get(usize::from(*first)).copied();
    let html = std::str::from_utf8(page)
        .ok()
        .filter(|html| charset.is_none() && is_judged(html));
    check(page, charset, html, &String::from_utf8_lossy(page));
}

/// Whether it is certain how a browser reads a page in UTF-8. Not when it declares something else; and in a frameset
/// browsers ignore a title's tags, but the page core, like lol_html, still reads markup after them as text.
fn is_judged(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    let is_utf_8 = |declared: &str| {
        ["=utf-8", "=\"utf-8"]
            .iter()
            .any(|utf_8| declared.starts_with(utf_8))
    };
    html.split("charset").skip(1).all(is_utf_8) && !html.contains("frameset")
}

/// Words and codes in the opposite order, on pages whose tags somebody closed: every letter is found again, and every
/// element is there once. Where the halves of an element lie in two texts, what it covers depends on where its half
/// stands, so such pages are not judged.
pub fn check_moved(source: &[u8], html: Option<&str>, name: &str) {
    let locale = Locale::parse("en").unwrap();
    let page = Page::parse(source, None, &locale);
    let is_half = |code: &InlineCode| matches!(code.kind, CodeKind::LoneStart | CodeKind::LoneEnd);
    if page
        .segments()
        .any(|segment| segment.codes.iter().any(is_half))
    {
        return;
    }
    let mut turned: Vec<CodedText> = page.segments().map(|segment| turn(&segment.text)).collect();
    let rendered = page.render(|index| turned.get(index), &PageChanges::default());
    assert_refused(&rendered, name);
    let originals: Vec<CodedText> = page.segments().map(|segment| segment.text).collect();
    rendered
        .refused
        .iter()
        .for_each(|(index, _)| turned[*index] = originals[*index].clone());
    let again = Page::parse(
        &rendered.html,
        (rendered.html != source).then_some("utf-8"),
        &locale,
    );
    let found = letters(again.segments().map(|segment| segment.text));
    let put_in = letters(turned.iter());
    if found != put_in {
        assert_eq!(
            with_labels(found, &again),
            with_labels(put_in, &page),
            "conservation of moved texts: {name}"
        );
    }
    let Some(before) = html else { return };
    let html = decode(&rendered.html).expect(name);
    let links = links(source);
    assert_eq!(
        inventory(&html, links),
        inventory(before, links),
        "elements of moved texts: {name}"
    );
}

/// Letters of texts and of what names a language in links to it. An ambiguous name ("Turkish") names one only beside an entry of a
/// language menu, so a move may make it a text, or make a text such a name. No words are lost: a published page is filled from its
/// source alone.
fn with_labels(mut letters: Vec<char>, page: &Page) -> Vec<char> {
    let kept = page.kept(&Rules::default());
    let labels = kept
        .iter()
        .filter(|kept| kept.rule == "it is the label of a link to another language");
    letters.extend(
        labels
            .flat_map(|label| label.text.chars())
            .filter(|letter| letter.is_alphabetic()),
    );
    letters.sort_unstable();
    letters
}

/// Other words in the same order: what is put in is found again, and the structure stays.
fn check_widened(
    source: &[u8],
    charset: Option<&str>,
    html: Option<&str>,
    name: &str,
) -> Vec<String> {
    let locale = Locale::parse("en").unwrap();
    let page = Page::parse(source, charset, &locale);
    let wide: Vec<CodedText> = page
        .segments()
        .map(|segment| widen(&segment.text))
        .collect();
    let rendered = page.render(|index| wide.get(index), &PageChanges::default());
    assert_eq!(rendered.refused, [], "{name}");
    assert_eq!(
        rendered,
        page.render(|index| wide.get(index), &PageChanges::default()),
        "determinism: {name}"
    );
    // A page in which nothing changed keeps its encoding.
    let charset = if rendered.html == source {
        charset
    } else {
        Some("utf-8")
    };
    let again = Page::parse(&rendered.html, charset, &locale);
    let found: Vec<String> = again
        .segments()
        .map(|segment| segment.text.to_markup())
        .collect();
    let put_in: Vec<String> = wide.iter().map(CodedText::to_markup).collect();
    assert_eq!(found, put_in, "conservation: {name}");
    let Some(before) = html else {
        return Vec::new();
    };
    let html = decode(&rendered.html).expect(name);
    let links = links(source);
    assert_eq!(
        skeleton(&html, links),
        skeleton(before, links),
        "structure: {name}"
    );
    plain_words(&html, &locale)
}

/// What may change of links: a page that becomes UTF-8 spells their queries anew (R-D6).
fn links(source: &[u8]) -> Links {
    if std::str::from_utf8(source).is_ok() {
        Links::Stay
    } else {
        Links::Move
    }
}

/// Everything changes at once: words, their order, language, direction, head and links.
fn check_changed(page: &Page, name: &str) {
    let turned: Vec<CodedText> = page.segments().map(|segment| turn(&segment.text)).collect();
    let arabic = Locale::parse("ar").unwrap();
    let alternates = [("en".to_owned(), "https://example.com/?a&b".to_owned())];
    let head = PageHead {
        canonical: Some("https://example.com/ar/"),
        alternates: &alternates,
        extra: "<link rel=stylesheet href=/x.css>",
        body_start: "<p>notice</p>",
        body_end: "<nav></nav>",
        ..PageHead::default()
    };
    let link = |link: &PageLink<'_>| Some(format!("/ar/{}\"'<>&", link.address));
    let changes = PageChanges {
        file: None,
        sheet_behind: None,
        untranslated: None,
        speak: Some(&arabic),
        head: Some(&head),
        link: Some(&link),
        is_version: Some(&|_| true),
        live: None,
        is_fragment: false,
        policies: &[],
    };
    let rendered = page.render(|index| turned.get(index), &changes);
    assert_eq!(
        rendered,
        page.render(|index| turned.get(index), &changes),
        "determinism of all changes: {name}"
    );
    assert_refused(&rendered, name);
}

/// Codes that stand once each may be refused only for where they stand.
fn assert_refused(rendered: &Rendered, name: &str) {
    for (_, error) in &rendered.refused {
        assert!(
            matches!(
                error,
                TextError::Order(_) | TextError::Controls(_) | TextError::Nodes(_)
            ),
            "{error}: {name}"
        );
    }
}

/// Writes every ASCII letter in its full-width form: other bytes, the same words.
fn widen(text: &CodedText) -> CodedText {
    let wide = |character: char| match character {
        'A'..='Z' | 'a'..='z' => char::from_u32(u32::from(character) + 0xfee0).unwrap(),
        other => other,
    };
    text.map(|text| text.chars().map(wide).collect())
}

/// Reverses the order of words and codes; what a pair holds stays inside it.
pub fn turn(text: &CodedText) -> CodedText {
    let mut turned = CodedText::default();
    for piece in text.pieces().rev() {
        match piece {
            TextPiece::Text(text) => {
                turned.push_text(&text.split(' ').rev().collect::<Vec<_>>().join(" "))
            }
            TextPiece::Open(id) => turned.push(TextPiece::Close(id)),
            TextPiece::Close(id) => turned.push(TextPiece::Open(id)),
            TextPiece::Single(id) => turned.push(TextPiece::Single(id)),
        }
    }
    turned
}

/// All letters, sorted: moved codes may cut texts elsewhere, but lose nothing.
fn letters<T: Borrow<CodedText>>(texts: impl Iterator<Item = T>) -> Vec<char> {
    let mut letters: Vec<char> = texts
        .flat_map(|text| text.borrow().text().chars().collect::<Vec<_>>())
        .collect();
    letters.retain(|letter| letter.is_alphabetic());
    letters.sort_unstable();
    letters
}
