//! Which words of a page are one text, and which are code, icons or formulas and stay (R-K, R-W).

use page::{CodedText, Locale, Page, PageChanges};

/// Checks the texts of a body, in the notation of inline codes.
fn check(body: &str, expected: &[&str]) {
    let page = Page::parse(
        body.as_bytes(),
        Some("utf-8"),
        &Locale::parse("en").unwrap(),
    );
    let texts: Vec<String> = page
        .segments()
        .map(|segment| segment.text.to_markup())
        .collect();
    assert_eq!(texts, expected, "{body}");
}

#[test]
fn unknown_elements_between_inline_ones_are_inline_r_w1() {
    check(
        "<p><em>Old</em> <x-y>red</x-y> <i>barn</i></p>",
        &["<g id=\"1\">Old</g> <g id=\"2\">red</g> <g id=\"3\">barn</g>"],
    );
    check("<p><em>Old</em> <x-y>red</x-y></p>", &["Old", "red"]);
    check(
        "<p><em>Old</em> <x-y><p>red</p></x-y> <i>barn</i></p>",
        &["Old", "red", "barn"],
    );
    // Controls side by side are used one by one.
    check(
        "<nav><a>Old</a> <x-y>red</x-y> <button>barn</button></nav>",
        &["Old", "red", "barn"],
    );
    check(
        "<p>Old<br><x-y>red</x-y><br>barn</p>",
        &["Old", "red", "barn"],
    );
}

#[test]
fn mail_addresses_that_tags_cut_are_one_code_r_w2() {
    // Sphinx, Javadoc's and shops' ways to hide an address.
    check(
        "<p>Write to &lt;<a href=m>amk<span>&#64;</span>amk<span>&#46;</span>ca</a>&gt;.</p>",
        &["Write to &lt;<x id=\"1\"/>&gt;."],
    );
    check(
        "<p>Ask a&commat;<wbr>b&#x2e;org, or me.</p>",
        &["Ask <x id=\"1\"/>, or me."],
    );
    check(
        "<p>Ask amk<span>@</span>amk.ca, or me.</p>",
        &["Ask <x id=\"1\"/>, or me."],
    );
    check(
        "<p>Ask <b>amk<wbr>@amk<i>.</i>ca</b>. Thanks</p>",
        &["Ask <x id=\"1\"/>. Thanks"],
    );
    check(
        "<p>Ask <b>a-b.c@<!-- x -->d.example</b> soon</p>",
        &["Ask <x id=\"1\"/> soon"],
    );
    check(
        "<p><b>To</b> a<i>@</i>b.org and c<wbr>@<b>d</b>x<s>@</s>d.org. At once</p>",
        &[
            "<g id=\"1\">To</g> <x id=\"2\"/> and c<x id=\"3\"/>@<g id=\"4\">d</g><x id=\"5\"/>. At once",
        ],
    );
    check("<p><a href=m>amk<span>@</span>amk.ca</a></p>", &[]);
}

#[test]
fn what_is_no_address_keeps_its_words_r_w2() {
    // In one piece it is found where texts are read.
    check(
        "<p>Ask amk@amk.ca <b>soon</b></p>",
        &["Ask amk@amk.ca <g id=\"1\">soon</g>"],
    );
    check(
        "<p>Ask <b>me</b>@home</p>",
        &["Ask <g id=\"1\">me</g>@home"],
    );
    check(
        "<p><b>Two</b>@<i>v1.5</i></p>",
        &["<g id=\"1\">Two</g>@<g id=\"2\">v1.5</g>"],
    );
    check(
        "<p>Ask a<b>@b.org and</b> wait</p>",
        &["Ask a<g id=\"1\">@b.org and</g> wait"],
    );
    check(
        "<p><i>-</i>me<b>@</b>b.org<s>.</s> Soon</p>",
        &["<x id=\"1\"/><x id=\"2\"/> Soon"],
    );
    check(
        "<p>Ask <b>me</b>@<i>b</i>.org</p>",
        &["Ask <g id=\"1\">me</g>@<g id=\"2\">b</g>.org"],
    );
    check("<p>Ask me<br>@b.org</p>", &["Ask me<x id=\"1\"/>@b.org"]);
    check("<p>me <b>@b.org</b></p>", &["me <g id=\"1\">@b.org</g>"]);
    check(
        "<p><b>me</b>@<i>b..org</i></p>",
        &["<g id=\"1\">me</g>@<g id=\"2\">b..org</g>"],
    );
}

/// Renders a Japanese page with these texts.
fn render(html: &str, texts: &[&str]) -> String {
    let page = Page::parse(
        html.as_bytes(),
        Some("utf-8"),
        &Locale::parse("ja").unwrap(),
    );
    let texts: Vec<CodedText> = texts
        .iter()
        .map(|text| CodedText::from_markup(text).unwrap())
        .collect();
    let rendered = page.render(|index| texts.get(index), &PageChanges::default());
    assert_eq!(rendered.refused, []);
    String::from_utf8(rendered.html).unwrap()
}

#[test]
fn parentheses_go_with_the_readings_r_w4() {
    let source = "<meta charset=\"utf-8\"><p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp class=\"a\">)</rp></ruby>へ行く";
    assert_eq!(
        render(
            source,
            &["<g id=\"1\">Tokyo<x id=\"2\"/><g id=\"3\"></g><x id=\"4\"/></g> trip"]
        ),
        "<meta charset=\"utf-8\"><p><ruby>Tokyo<rp></rp><rt></rt><rp class=\"a\"></rp></ruby> trip"
    );
    assert_eq!(
        render(
            source,
            &["To <g id=\"1\">Tokyo<x id=\"2\"/><g id=\"3\"></g><x id=\"4\"/></g>"]
        ),
        "<meta charset=\"utf-8\"><p>To <ruby>Tokyo<rp></rp><rt></rt><rp class=\"a\"></rp></ruby>"
    );
    let read = "<g id=\"1\">東京<x id=\"2\"/><g id=\"3\">Tōkyō</g><x id=\"4\"/></g>へ行く";
    assert!(render(source, &[read]).contains("<rp>(</rp><rt>Tōkyō</rt><rp class=\"a\">)</rp>"));
}
