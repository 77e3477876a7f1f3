//! Which words of a page are one text, and which are code, icons or formulas and stay (R-K, R-W).

use page::{Locale, Page};

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
