//! Localizes one page with the page core: `cargo run --example localize_page`.
//!
//! The core takes bytes and words, and returns bytes. It reads no file and asks no engine.

use page::{CodedText, Locale, Page, PageChanges};

const SOURCE: &str = r#"<!doctype html>
<html lang="en">
<title>Bakery</title>
<p>We bake <a href="/bread">bread</a>.</p>
</html>
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let english = Locale::parse("en")?;
    let spanish = Locale::parse("es")?;
    let page = Page::parse(SOURCE.as_bytes(), Some("utf-8"), &english);
    // Inline elements become codes. A translation may move codes, but neither drop nor add one.
    let mut words = Vec::new();
    for segment in page.segments() {
        let translation = match segment.text.to_markup().as_ref() {
            "Bakery" => Some("Panadería"),
            "We bake <g id=\"1\">bread</g>." => Some("Hacemos <g id=\"1\">pan</g>."),
            _ => None,
        };
        words.push(translation.map(CodedText::from_markup).transpose()?);
    }
    let changes = PageChanges {
        speak: Some(&spanish),
        ..PageChanges::default()
    };
    let rendered = page.render(|index| words.get(index)?.as_ref(), &changes);
    print!("{}", String::from_utf8(rendered.html)?);
    Ok(())
}
