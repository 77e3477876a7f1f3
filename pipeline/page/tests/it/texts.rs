//! Text with inline codes: whatever it is put together from, its pieces are those, and its notation says the same.

use page::{
    CodeKind, CodedText, HIGHEST_CODE, InlineCode, Locale, Page, PageChanges, Segment, TextError,
    TextPiece, check,
};
use proptest::prelude::*;

/// What a text may be put together from.
#[derive(Clone, Debug)]
enum Given {
    Text(String),
    Open(u32),
    Close(u32),
    Single(u32),
}

impl Given {
    fn piece(&self) -> TextPiece<'_> {
        match self {
            Self::Text(text) => TextPiece::Text(text),
            Self::Open(id) => TextPiece::Open(*id),
            Self::Close(id) => TextPiece::Close(*id),
            Self::Single(id) => TextPiece::Single(*id),
        }
    }
}

fn given() -> impl Strategy<Value = Vec<Given>> {
    let id = prop_oneof![0..9_u32, Just(HIGHEST_CODE)];
    let one = prop_oneof![
        3 => "[ a<&;é語\u{a0}\n]{0,4}".prop_map(Given::Text),
        1 => id.clone().prop_map(Given::Open),
        1 => id.clone().prop_map(Given::Close),
        1 => id.prop_map(Given::Single),
    ];
    prop::collection::vec(one, 0..12)
}

/// The pieces as they should be: texts side by side are one, and none is empty.
fn merged(given: &[Given]) -> Vec<Given> {
    let mut merged: Vec<Given> = Vec::new();
    for one in given {
        match (merged.last_mut(), one) {
            (_, Given::Text(text)) if text.is_empty() => {}
            (Some(Given::Text(last)), Given::Text(text)) => last.push_str(text),
            (_, other) => merged.push(other.clone()),
        }
    }
    merged
}

/// The same with white space taken away from its first and last text.
fn trimmed(given: &[Given]) -> Vec<Given> {
    let mut trimmed = merged(given);
    if let Some(Given::Text(text)) = trimmed.last_mut() {
        text.truncate(text.trim_end().len());
    }
    if let Some(Given::Text(text)) = trimmed.first_mut() {
        *text = text.trim_start().to_owned();
    }
    merged(&trimmed)
}

fn text_of(given: &[Given]) -> CodedText {
    given.iter().map(Given::piece).collect()
}

fn pieces(given: &[Given]) -> Vec<TextPiece<'_>> {
    given.iter().map(Given::piece).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_the_pieces_that_it_is_made_of(given in given()) {
        let text = text_of(&given);
        let expected = merged(&given);
        prop_assert_eq!(text.pieces().collect::<Vec<_>>(), pieces(&expected));
        let backwards: Vec<TextPiece<'_>> = text.pieces().rev().collect();
        prop_assert_eq!(backwards, pieces(&expected).into_iter().rev().collect::<Vec<_>>());
        let words: String = given.iter().filter_map(|one| if let Given::Text(text) = one { Some(&**text) } else { None }).collect();
        prop_assert_eq!(text.text(), words);
        prop_assert_eq!(text_of(&expected), text.clone());
        prop_assert_eq!(text.map(str::to_owned), text.clone());
        let mut trim = text.clone();
        trim.trim(char::is_whitespace);
        let expected = trimmed(&given);
        prop_assert_eq!(trim.pieces().collect::<Vec<_>>(), pieces(&expected));
    }

    #[test]
    fn both_ends_meet(given in given(), turns in prop::collection::vec(any::<bool>(), 24)) {
        let text = text_of(&given);
        let mut front = Vec::new();
        let mut back = Vec::new();
        let mut left = text.pieces();
        for from_back in turns {
            match from_back {
                true => back.extend(left.next_back()),
                false => front.extend(left.next()),
            }
        }
        prop_assert!(left.next().is_none() && left.next_back().is_none());
        front.extend(back.into_iter().rev());
        prop_assert_eq!(front, text.pieces().collect::<Vec<_>>());
    }

    #[test]
    fn the_notation_says_the_same(given in given()) {
        // Closed as they were opened, as those of every text from outside are.
        let mut open = Vec::new();
        let mut closed: Vec<Given> = Vec::new();
        for one in given {
            match one {
                Given::Open(id) => open.push(id),
                Given::Close(_) => {
                    closed.extend(open.pop().map(Given::Close));
                    continue;
                }
                Given::Text(_) | Given::Single(_) => {}
            }
            closed.push(one);
        }
        closed.extend(open.into_iter().rev().map(Given::Close));
        let text = text_of(&closed);
        let markup = text.to_markup();
        let again = CodedText::from_markup(&markup);
        prop_assert_eq!(again.as_ref().map(CodedText::to_markup), Ok(markup));
        prop_assert_eq!(again, Ok(text));
    }
}

#[test]
fn codes_with_numbers_that_no_source_has_are_refused() {
    for (markup, accepted) in [
        (format!("<x id=\"{HIGHEST_CODE}\"/>"), true),
        (format!("<x id=\"{}\"/>", HIGHEST_CODE + 1), false),
        (format!("<g id=\"{}\">a</g>", u32::MAX), false),
        ("<x id=\"4294967296\"/>".to_owned(), false),
    ] {
        let read = CodedText::from_markup(&markup);
        assert_eq!(read.is_ok(), accepted, "{markup}");
        assert!(
            read.is_ok() || matches!(read, Err(TextError::Markup(_))),
            "{markup}"
        );
    }
    let page = Page::parse(b"<p>One<br>two", None, &Locale::parse("en").unwrap());
    let segment: Segment = page.segments().next().unwrap();
    let mut foreign = CodedText::plain("uno");
    foreign.extend([
        TextPiece::Single(1),
        TextPiece::Text("dos"),
        TextPiece::Open(u32::MAX),
    ]);
    assert_eq!(
        check(&segment, &foreign),
        Err(TextError::Surplus(HIGHEST_CODE))
    );
}

#[test]
fn an_expression_of_a_template_is_a_code_with_its_own_name() {
    let page = Page::parse(
        b"<p>Hi {{\n  name }}, it {% if late %}is late{% endif %}",
        None,
        &Locale::parse("en").unwrap(),
    );
    let segment = page.segment(0).unwrap();
    assert_eq!(
        segment.text.to_markup(),
        "Hi <x id=\"1\"/>, it <x id=\"2\"/>is late"
    );
    let codes: Vec<(&str, CodeKind)> = segment
        .codes
        .iter()
        .map(|code| (code.element(), code.kind))
        .collect();
    let words = CodedText::from_markup("{{ own }} <x id=\"1\"/>{<x id=\"2\"/>").unwrap();
    let html =
        String::from_utf8(page.render(|_| Some(&words), &PageChanges::default()).html).unwrap();
    assert_eq!(
        html,
        "<p>{&#123; own }} {{\n  name }}&#123;{% if late %}{% endif %}"
    );
    let drawn = b"<div id=__next><p>Write {{ name }} here</p></div><script src=/_next/static/chunks/a.js></script>";
    let drawn = Page::parse(drawn, None, &Locale::parse("en").unwrap());
    assert_eq!(
        drawn.segment(0).unwrap().text.to_markup(),
        "Write {{ name }} here"
    );
    let words = CodedText::plain("Put {{ name }} there");
    let html =
        String::from_utf8(drawn.render(|_| Some(&words), &PageChanges::default()).html).unwrap();
    assert!(html.contains("<p>Put {{ name }} there</p>"), "{html}");
    assert_eq!(
        codes,
        [
            ("{{ name }}", CodeKind::Protected),
            ("{% if late %}", CodeKind::Void)
        ]
    );
}

#[test]
fn words_bring_no_expression_r_k5() {
    let page = Page::parse(b"<p>Hello", None, &Locale::parse("en").unwrap());
    for (words, written) in [
        ("See [a-b] now", "See &#91;a-b] now"),
        ("[row]Go[/row]", "&#91;row]Go&#91;/row]"),
        (
            "Put [gallery ids=\"1\"] there",
            "Put &#91;gallery ids=\"1\"] there",
        ),
        ("[[a-b]]", "&#91;&#91;a-b]]"),
        (
            r"It is \(x\) or \[y\]",
            "It is &#92;(x&#92;) or &#92;&#91;y&#92;]",
        ),
        ("$$x$$ & more", "&#36;&#36;x&#36;&#36; &amp; more"),
        ("{n, plural, other {#}}", "&#123;n, plural, other &#123;#}}"),
        (
            "{n, plural, other {[a-b]}}",
            "&#123;n, plural, other &#123;&#91;a-b]}}",
        ),
        ("[sic] {one} \\ $5 $$", "[sic] {one} \\ $5 $$"),
    ] {
        let text = CodedText::plain(words);
        let html =
            String::from_utf8(page.render(|_| Some(&text), &PageChanges::default()).html).unwrap();
        assert_eq!(html, format!("<p>{written}"));
        let again = Page::parse(html.as_bytes(), None, &Locale::parse("en").unwrap());
        assert_eq!(again.segment(0).unwrap().text, text);
    }
}

/// Controls of a template keep their order. Expressions that show something may move, as a picture may.
#[test]
fn controls_of_templates_keep_their_order_r_k5() {
    for (html, is_control) in [
        ("<p>Go [row]to the[/row] mill", true),
        ("<p>Go {% if x %}to the{% endif %} mill", true),
        ("<p>Go {{#x}}to the{{/x}} mill", true),
        ("<p>Go {{ a }}to the{{ b }} mill", false),
        ("<p>Go <br>to the<img src=a> mill", false),
    ] {
        let page = Page::parse(html.as_bytes(), None, &Locale::parse("en").unwrap());
        let segment = page.segment(0).unwrap();
        assert_eq!(segment.codes.len(), 2, "{html}");
        let kept = CodedText::from_markup("Al <x id=\"1\"/>molino<x id=\"2\"/> ya").unwrap();
        assert_eq!(check(&segment, &kept), Ok(()), "{html}");
        let moved = CodedText::from_markup("Al <x id=\"2\"/>molino<x id=\"1\"/> ya").unwrap();
        let refused = Err(TextError::Controls(2));
        let expected = if is_control { refused } else { Ok(()) };
        assert_eq!(check(&segment, &moved), expected, "{html}");
    }
}

#[test]
fn a_code_knows_its_element() {
    for name in [
        "a",
        "xmp",
        "x-icon",
        "!--",
        "svg",
        "math",
        "foreignobject",
        "",
    ] {
        let code = InlineCode::new(CodeKind::Void, name);
        assert_eq!(code.element(), name);
        assert!(
            code == InlineCode::new(CodeKind::Void, name)
                && code != InlineCode::new(CodeKind::Protected, name)
        );
        assert_ne!(code, InlineCode::new(CodeKind::Void, "br"), "{name}");
    }
}
