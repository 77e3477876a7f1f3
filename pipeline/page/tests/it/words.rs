//! Which words of a page are one text, and which are code, icons or formulas and stay (R-K, R-W).

use page::{Changes, CodedText, Locale, Page};

/// Checks the texts of a body, in the notation of inline codes.
fn check(body: &str, expected: &[&str]) {
    let page = Page::parse(body.as_bytes(), Some("utf-8"), &Locale::parse("en").unwrap());
    let texts: Vec<String> = page.segments().map(|segment| segment.text.to_markup()).collect();
    assert_eq!(texts, expected, "{body}");
}

#[test]
fn unknown_elements_between_inline_ones_are_inline_r_w1() {
    check(
        "<p><em>Old</em> <x-y>red</x-y> <i>barn</i></p>",
        &["<g id=\"1\">Old</g> <g id=\"2\">red</g> <g id=\"3\">barn</g>"],
    );
    check("<p><em>Old</em> <x-y>red</x-y></p>", &["Old", "red"]);
    check("<p><em>Old</em> <x-y><p>red</p></x-y> <i>barn</i></p>", &["Old", "red", "barn"]);
    // Controls side by side are used one by one.
    check("<nav><a>Old</a> <x-y>red</x-y> <button>barn</button></nav>", &["Old", "red", "barn"]);
    check("<p>Old<br><x-y>red</x-y><br>barn</p>", &["Old", "red", "barn"]);
}

/// Renders a Japanese page with these texts.
fn render(html: &str, texts: &[&str]) -> String {
    let page = Page::parse(html.as_bytes(), Some("utf-8"), &Locale::parse("ja").unwrap());
    let texts: Vec<CodedText> = texts.iter().map(|text| CodedText::from_markup(text).unwrap()).collect();
    let rendered = page.render(|index| texts.get(index), &Changes::default());
    assert_eq!(rendered.refused, []);
    String::from_utf8(rendered.html).unwrap()
}

#[test]
fn parentheses_go_with_the_readings_r_w4() {
    let source =
        "<meta charset=\"utf-8\"><p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp class=\"a\">)</rp></ruby>へ行く";
    assert_eq!(
        render(source, &["<g id=\"1\">Tokyo<x id=\"2\"/><g id=\"3\"></g><x id=\"4\"/></g> trip"]),
        "<meta charset=\"utf-8\"><p><ruby>Tokyo<rp></rp><rt></rt><rp class=\"a\"></rp></ruby> trip"
    );
    assert_eq!(
        render(source, &["To <g id=\"1\">Tokyo<x id=\"2\"/><g id=\"3\"></g><x id=\"4\"/></g>"]),
        "<meta charset=\"utf-8\"><p>To <ruby>Tokyo<rp></rp><rt></rt><rp class=\"a\"></rp></ruby>"
    );
    let read = "<g id=\"1\">東京<x id=\"2\"/><g id=\"3\">Tōkyō</g><x id=\"4\"/></g>へ行く";
    assert!(render(source, &[read]).contains("<rp>(</rp><rt>Tōkyō</rt><rp class=\"a\">)</rp>"));
}
