//! Pages of a source that are not in its language: they say so, their words agree, and they stay as they are.

use super::is_in;
use crate::model::Locale;
use crate::page::{Page, Segment};

/// How many of a hundred pages may be in other languages. Where more say so, a theme says it of all.
pub(crate) const MOST: usize = 20;

/// How much of a page is looked at, in bytes.
const SAMPLE: usize = 4_000;

/// The language that a page is in, where it says that it is another than the source's and its words agree.
pub(crate) fn language_of_page(
    page: &Page,
    segments: &[Segment],
    source: &Locale,
) -> Option<Locale> {
    let claimed = claimed_language(page).filter(|claimed| !claimed.same_language(source))?;
    is_in(&sample(segments), &claimed).then_some(claimed)
}

/// The language of a page that lies in the folder of `locale`: by its words, or else by its `lang`. `None` if neither tells: themes
/// leave the `lang` of the source on translated pages.
pub(crate) fn language_in_folder(
    page: &Page,
    segments: &[Segment],
    source: &Locale,
    locale: &Locale,
) -> Option<Locale> {
    let sample = sample(segments);
    if is_in(&sample, locale) {
        return Some(locale.clone());
    }
    if is_in(&sample, source) {
        return Some(source.clone());
    }
    let claimed = claimed_language(page).filter(|claimed| !claimed.same_language(source))?;
    if claimed.same_language(locale) {
        return Some(locale.clone());
    }
    is_in(&sample, &claimed).then_some(claimed)
}

fn claimed_language(page: &Page) -> Option<Locale> {
    Locale::parse(page.claimed_language()?.trim()).ok()
}

/// The beginning of the words of a page.
fn sample(segments: &[Segment]) -> String {
    let mut sample = String::new();
    for text in segments.iter().map(|segment| segment.text.text()) {
        if sample.len() > SAMPLE {
            break;
        }
        sample.push_str(text);
        sample.push('\n');
    }
    sample
}

/// Whether so many pages of all are too many to be believed.
pub(crate) fn is_mistake(others: usize, pages: usize) -> bool {
    others * 100 > pages * MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_another_language_where_its_words_agree() {
        let german = "<p>Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es am Morgen in den Ofen kommt.";
        let english = "<p>We bake every loaf by hand and let it rise for a whole night before it goes into the oven.";
        let locale = Locale::parse("en").unwrap();
        for (html, expected) in [
            (format!("<html lang=de>{german}"), Some("de")),
            (format!("<html lang=de-AT>{german}"), Some("de-AT")),
            (format!("<html lang=de>{english}"), None),
            (format!("<html lang=fr>{german}"), None),
            (format!("<html lang=en-GB>{english}"), None),
            (format!("<html lang=xx>{german}"), None),
            (format!("<html>{german}"), None),
            ("<html lang=de><p>Brot".to_owned(), None),
        ] {
            let page = Page::parse(html.as_bytes(), None, &locale);
            let segments: Vec<Segment> = page.segments().collect();
            let found = language_of_page(&page, &segments, &locale).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{html}");
        }
        assert!(!is_mistake(1, 5) && is_mistake(1, 4) && !is_mistake(0, 0));
    }
}
