//! Pages made to hurt: reading and rendering them takes steps in proportion to their bytes, whatever they are made of,
//! and what is too much is left as it is. Steps are counted, not seconds; `cargo bench --bench hostile` measures those.

#[path = "../../../../benches/support/hostile.rs"]
mod hostile;

use hostile::{SHAPES, Shape};
use page::{
    CodedText, DEEPEST, ExceededLimit, LARGEST, Locale, MOST_INNER, Page, PageChanges,
    STEPS_A_BYTE, TextPiece,
};

fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), None, &Locale::parse("en").unwrap())
}

fn changed(page: &Page) -> Vec<CodedText> {
    page.segments()
        .map(|segment| segment.text.map(str::to_uppercase))
        .collect()
}

#[test]
fn steps_grow_with_the_bytes_and_no_faster() {
    for shape in SHAPES {
        let steps = |bytes: usize| {
            let page = shape.page(bytes);
            (parse(&page).steps(), page.len() as u64)
        };
        let ((few, small), (many, large)) = (steps(10_000), steps(40_000));
        assert!(
            many <= few * 5 + 1_000,
            "{}: {few} steps for {small} bytes, {many} for {large}",
            shape.name
        );
        assert!(
            many <= large * 16,
            "{}: {many} steps for {large} bytes",
            shape.name
        );
        const { assert!(STEPS_A_BYTE >= 16 * 4) };
    }
}

#[test]
fn hostile_pages_keep_their_bytes_until_a_text_changes() {
    let german = Locale::parse("de").unwrap();
    for shape in SHAPES {
        let html = shape.page(6_000);
        let page = parse(&html);
        let same: Vec<CodedText> = page
            .segments()
            .map(|segment| segment.text.clone())
            .collect();
        let rendered = page.render(|index| same.get(index), &PageChanges::default());
        assert!(
            rendered.html == html.as_bytes() && rendered.refused.is_empty(),
            "{}",
            shape.name
        );
        let texts = changed(&page);
        let changes = PageChanges {
            speak: Some(&german),
            ..PageChanges::default()
        };
        let rendered = page.render(|index| texts.get(index), &changes);
        assert!(
            rendered.refused.is_empty(),
            "{}: {:?}",
            shape.name,
            rendered.refused.first()
        );
        let found = changed(&parse(&String::from_utf8_lossy(&rendered.html)));
        assert!(
            page.excess().is_some() || found.len() >= texts.len(),
            "{}: texts are lost",
            shape.name
        );
    }
}

/// A page of that many elements, most of them in each other, and what becomes of it.
fn check_depth(element: &str, times: usize, expected: Option<ExceededLimit>) {
    let html = format!("{element}a ").repeat(times);
    let page = parse(&html);
    assert_eq!(page.excess(), expected, "{times} times {element}");
    if expected.is_some() {
        assert_eq!(page.segments().count(), 0);
        let german = Locale::parse("de").unwrap();
        let rendered = page.render(
            |_| None,
            &PageChanges {
                speak: Some(&german),
                ..PageChanges::default()
            },
        );
        assert!(
            rendered.html == html.as_bytes(),
            "{times} times {element}: bytes changed"
        );
    }
}

#[test]
fn what_is_too_deep_or_too_large_is_left_with_a_reason() {
    check_depth("<b>", DEEPEST, None);
    check_depth("<b>", DEEPEST + 1, Some(ExceededLimit::Depth));
    check_depth("<div>", DEEPEST + 1, Some(ExceededLimit::Depth));
    check_depth("<p>", DEEPEST + 1, None);
    check_depth("<i its-locale-filter-list=de>", 64, None);
    check_depth(
        "<i its-locale-filter-list=de>",
        65,
        Some(ExceededLimit::Depth),
    );
    check_depth("<span translate=no>a<span translate=yes>", 15_000, None);
    check_depth("<iframe srcdoc='<b>a'></iframe>", MOST_INNER, None);
    check_depth(
        "<iframe srcdoc='<b>a'></iframe>",
        MOST_INNER + 1,
        Some(ExceededLimit::Inner),
    );
    let large = parse(&"a".repeat(LARGEST + 1));
    assert_eq!(
        large.excess().map(|excess| excess.to_string()),
        Some(format!("it is larger than {LARGEST} bytes"))
    );
}

#[test]
fn a_page_in_a_value_that_is_too_deep_stays_as_it_is() {
    let html = format!(
        "<p>Words</p><iframe srcdoc='{}'></iframe>",
        "<b>a".repeat(DEEPEST + 1)
    );
    let page = parse(&html);
    assert_eq!((page.excess(), page.segments().count()), (None, 1));
    let texts = changed(&page);
    let rendered = page.render(|index| texts.get(index), &PageChanges::default());
    assert!(rendered.html == html.replacen("Words", "WORDS", 1).as_bytes());
}

#[test]
fn codes_inside_codes_move_only_as_far_as_that_is_cheap() {
    let unit = "a <b>b</b> c <span translate=no>d<span translate=yes>";
    for (depth, refused) in [(30, false), (4_000, true)] {
        let html = format!(
            "<p>{}{}",
            unit.repeat(depth),
            "</span></span>".repeat(depth)
        );
        let page = parse(&html);
        let moved = |text: &CodedText| {
            let (codes, words): (Vec<TextPiece<'_>>, Vec<TextPiece<'_>>) = text
                .pieces()
                .partition(|piece| matches!(piece, TextPiece::Single(_)));
            codes.into_iter().chain(words).collect()
        };
        let texts: Vec<CodedText> = page
            .segments()
            .map(|segment| moved(&segment.text))
            .collect();
        let rendered = page.render(|index| texts.get(index), &PageChanges::default());
        assert_eq!(!rendered.refused.is_empty(), refused, "{depth}");
        assert!(rendered.html.len() < html.len() * 2, "{depth}");
        assert_eq!(
            parse(&String::from_utf8_lossy(&rendered.html))
                .segments()
                .count(),
            texts.len(),
            "{depth}"
        );
    }
}

#[test]
fn there_are_shapes_enough() {
    let names: std::collections::BTreeSet<&str> =
        SHAPES.iter().map(|shape: &Shape| shape.name).collect();
    assert!(names.len() == SHAPES.len() && names.len() >= 20);
    assert!(
        SHAPES
            .iter()
            .all(|shape| shape.page(50_000).len() >= 45_000)
    );
}
