//! Blocks that nobody translated, among translated ones (R-R3).

use std::collections::BTreeMap;

use page::{CodedText, Locale, Page, PageChanges};

/// The body of an English page with these texts translated; nobody translated the others.
fn body(body: &str, to: &str, translations: &[(&str, &str)]) -> String {
    let source = Locale::parse("en").unwrap();
    let target = Locale::parse(to).unwrap();
    let page = Page::parse(
        format!("<meta charset=\"utf-8\"><body>{body}").as_bytes(),
        Some("utf-8"),
        &source,
    );
    let translations: BTreeMap<&str, &str> = translations.iter().copied().collect();
    let texts: Vec<Option<CodedText>> = page
        .segments()
        .map(|segment| {
            Some(CodedText::from_markup(translations.get(&*segment.text.to_markup())?).unwrap())
        })
        .collect();
    let is_untranslated = |index: usize| texts.get(index).is_some_and(Option::is_none);
    let changes = PageChanges {
        speak: Some(&target),
        untranslated: Some(&is_untranslated),
        ..PageChanges::default()
    };
    let rendered = page.render(|index| texts.get(index)?.as_ref(), &changes);
    assert_eq!(rendered.refused, [], "{body}");
    let html = String::from_utf8(rendered.html).unwrap();
    html.split_once("<body")
        .unwrap()
        .1
        .split_once('>')
        .unwrap()
        .1
        .to_owned()
}

/// Renders a block beside a translated one.
fn block(block: &str, to: &str) -> String {
    let all = body(
        &format!("<i>A</i>{block}<p>Hello</p>"),
        to,
        &[("Hello", "Hola")],
    );
    all.strip_prefix("<i>A</i>")
        .unwrap()
        .strip_suffix("<p>Hola</p>")
        .unwrap()
        .to_owned()
}

#[test]
fn untranslated_blocks_say_their_language_r_r3() {
    for (source, expected) in [
        ("<p>Read more here</p>", "<p lang=\"en\">Read more here</p>"),
        (
            "<P class=a>\n Read <b>more</b> here\n</P>",
            "<P lang=\"en\" class=a>\n Read <b>more</b> here\n</P>",
        ),
        (
            "<li><a href=/x>Read more</a></li>",
            "<li><a lang=\"en\" href=/x>Read more</a></li>",
        ),
        (
            "<p><b>Read</b> more</p>",
            "<p lang=\"en\"><b>Read</b> more</p>",
        ),
        (
            "<td data-x='a>b'>Read more</td>",
            "<td lang=\"en\" data-x='a>b'>Read more</td>",
        ),
        (
            "<h2 dir=ltr>Read more</h2>",
            "<h2 lang=\"en\" dir=ltr>Read more</h2>",
        ),
        // Names, code, values and what says its language itself.
        ("<p>GitHub</p>", "<p>GitHub</p>"),
        ("<p>New York</p>", "<p>New York</p>"),
        ("<p><code>x = 1</code></p>", "<p><code>x = 1</code></p>"),
        ("<p>42</p>", "<p>42</p>"),
        (
            "<p lang=\"en-GB\">Read more</p>",
            "<p lang=\"en-GB\">Read more</p>",
        ),
        // The element holds more than the text.
        (
            "<div>Read more<p>GitHub</p></div>",
            "<div>Read more<p>GitHub</p></div>",
        ),
        ("<p>Read more", "<p>Read more"),
        // The tag in front of the text is the value of an attribute, or none at all.
        (
            "<p title='<p '>Read more</p>",
            "<p title='<p '>Read more</p>",
        ),
    ] {
        assert_eq!(block(source, "es"), expected);
    }
}

#[test]
fn untranslated_blocks_keep_their_direction_r_r3() {
    for (source, expected) in [
        (
            "<p>Read more here</p>",
            "<p lang=\"en\" dir=\"ltr\">Read more here</p>",
        ),
        (
            "<p>Call +1 503 555 0142 now.</p>",
            "<p lang=\"en\" dir=\"ltr\">Call +1 503 555 0142 now.</p>",
        ),
        (
            "<h2 dir=auto>Read more</h2>",
            "<h2 lang=\"en\" dir=auto>Read more</h2>",
        ),
    ] {
        assert_eq!(block(source, "ar"), expected);
    }
}

#[test]
fn pages_without_a_translated_text_stay_as_they_are_r_r3() {
    let page = "<p>Read more here</p><p>It opens at seven.</p>";
    assert_eq!(body(page, "ar", &[]), page);
    assert_eq!(
        body(page, "es", &[("It opens at seven.", "It opens at seven.")]),
        page
    );
}
