//! Pages of a source that are not in its language: they say so, their words agree, and they stay as they are.

use crate::model::{Locale, PagePath};
use crate::page::{Page, Segment};
use crate::text::is_in;

/// How many of a hundred pages may be in other languages. Where more say so, a theme says it of all.
const MOST: usize = 20;

/// How much of a page is looked at, in bytes.
const SAMPLE: usize = 4_000;

/// A page that is in another language, and its texts, until it is known how many of them there are.
pub(super) struct Other {
    pub(super) path: PagePath,
    pub(super) language: Locale,
    pub(super) segments: Vec<Segment>,
    pub(super) found: Vec<Segment>,
}

/// The language that a page is in, where it says that it is another than the source's and its words agree.
pub(super) fn language(page: &Page, segments: &[Segment], source: &Locale) -> Option<Locale> {
    let claimed =
        Locale::parse(page.claimed_language()?.trim()).ok().filter(|claimed| !claimed.same_language(source))?;
    let mut sample = String::new();
    for text in segments.iter().map(|segment| segment.text.text()) {
        if sample.len() > SAMPLE {
            break;
        }
        sample.push_str(text);
        sample.push('\n');
    }
    is_in(&sample, &claimed).then_some(claimed)
}

/// Whether so many pages of all are too many to be believed.
pub(super) fn is_mistake(others: usize, pages: usize) -> bool {
    others * 100 > pages * MOST
}

/// What is to be said of such pages; each is named with its language.
pub(super) fn notice(others: &str, source: &Locale, is_mistake: bool) -> String {
    match is_mistake {
        true => format!(
            "more than {MOST} % of the pages say that they are in another language and read like it; they are translated \
             from {source} all the same, because `source_locale` says so: {others}"
        ),
        false => format!(
            "pages in another language than {source}, by their lang and their words, stay as they are: {others}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_another_language_where_its_words_agree() {
        let german =
            "<p>Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es am Morgen in den Ofen kommt.";
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
            let found = language(&page, &segments, &locale).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{html}");
        }
        assert!(!is_mistake(1, 5) && is_mistake(1, 4) && !is_mistake(0, 0));
    }
}
