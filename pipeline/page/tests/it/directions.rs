//! Pages in a language that is written in the other direction than the source.

use std::collections::BTreeMap;

use page::{Changes, CodedText, Locale, Page};

/// The body of a page with some of its texts translated.
fn body(body: &str, from: &str, to: &str, translations: &[(&str, &str)]) -> String {
    let source = Locale::parse(from).unwrap();
    let target = Locale::parse(to).unwrap();
    let page = Page::parse(format!("<meta charset=\"utf-8\"><body>{body}").as_bytes(), Some("utf-8"), &source);
    let translations: BTreeMap<&str, &str> = translations.iter().copied().collect();
    let texts: Vec<Option<CodedText>> = page
        .segments()
        .map(|segment| Some(CodedText::from_markup(translations.get(&*segment.text.to_markup())?).unwrap()))
        .collect();
    let changes = Changes { speak: Some(&target), ..Changes::default() };
    let rendered = page.render(|index| texts.get(index)?.as_ref(), &changes);
    assert_eq!(rendered.refused, [], "{body}");
    let html = String::from_utf8(rendered.html).unwrap();
    html.split_once("<body").unwrap().1.split_once('>').unwrap().1.to_owned()
}

#[test]
fn blocks_follow_only_into_another_direction_r_r2() {
    let garden = "<p dir=\"ltr\">A garden</p>";
    let arabic = [("A garden", "حديقة")];
    assert_eq!(body(garden, "en", "ar", &arabic), "<p dir=\"rtl\">حديقة</p>");
    assert_eq!(body(garden, "en", "he", &[("A garden", "גן")]), "<p dir=\"rtl\">גן</p>");
    assert_eq!(body(garden, "en", "es", &[("A garden", "Un jardín")]), "<p dir=\"ltr\">Un jardín</p>");
    assert_eq!(body("<p dir=rtl>حديقة</p>", "ar", "en", &[("حديقة", "A garden")]), "<p dir=ltr>A garden</p>");
    assert_eq!(body("<p dir=\"rtl\">حديقة</p>", "ar", "fa", &[("حديقة", "باغ")]), "<p dir=\"rtl\">باغ</p>");
}

#[test]
fn blocks_without_translated_text_keep_their_direction_r_r2() {
    for translations in [&[][..], &[("A garden", "A garden")]] {
        assert_eq!(body("<p dir=\"ltr\">A garden</p>", "en", "ar", translations), "<p dir=\"ltr\">A garden</p>");
    }
    let two = "<div dir=\"ltr\"><p dir=\"ltr\">A garden</p><p dir=\"ltr\">A house</p></div>";
    let expected = "<div dir=\"rtl\"><p dir=\"rtl\">حديقة</p><p dir=\"ltr\">A house</p></div>";
    assert_eq!(body(two, "en", "ar", &[("A garden", "حديقة")]), expected);
}
