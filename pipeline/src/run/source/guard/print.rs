//! What a page says, short enough to compare: error pages say the same on every path, but for a number, a time or the
//! path itself. Pure.
//!
//! The words are those of the page's body, with every such token masked; the marks are what was masked, and the title.
//! Two pages with equal words may still be two pages, as numbered ones are; with equal marks too they are one text.

use crate::model::PagePath;
use crate::page::Page;

/// A page's text as crawls are compared by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPrint {
    /// The hash of the words.
    pub(super) words: String,
    /// The hash of what was masked, and of the title.
    pub(super) marks: String,
}

impl TextPrint {
    pub(super) fn of(path: &PagePath, page: &Page) -> Self {
        let name = path
            .path()
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default();
        let mut words = blake3::Hasher::new();
        let mut marks = blake3::Hasher::new();
        for segment in page.segments() {
            let text = segment.text.text();
            if matches!(&*segment.origin, "title") || segment.origin.starts_with("meta") {
                marks.update(text.as_bytes());
                continue;
            }
            for token in text.split_whitespace() {
                if is_mark(token, name) {
                    words.update(b"#");
                    marks.update(token.as_bytes());
                    marks.update(b" ");
                } else {
                    words.update(token.as_bytes());
                }
                words.update(b" ");
            }
            words.update(b"\n");
        }
        let short = |hasher: blake3::Hasher| hasher.finalize().to_hex()[..32].to_owned();
        Self {
            words: short(words),
            marks: short(marks),
        }
    }
}

/// Whether a token tells one request or path from another: numbers, times, ids, addresses and the page's own name.
fn is_mark(token: &str, name: &str) -> bool {
    let bare = token.trim_matches(|character: char| !character.is_alphanumeric());
    token.contains('/')
        || token.chars().any(|character| character.is_ascii_digit())
        || (bare == name && !bare.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Locale;

    fn print(path: &str, html: &str) -> TextPrint {
        let page = Page::parse(
            html.as_bytes(),
            Some("utf-8"),
            &Locale::parse("en").unwrap(),
        );
        TextPrint::of(&PagePath::parse(path).unwrap(), &page)
    }

    /// Checks whether two pages have the same words, and whether they are one text.
    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), same_words: bool, same_text: bool) {
        let a = print(one.0, one.1);
        let b = print(other.0, other.1);
        assert_eq!(
            (a.words == b.words, a == b),
            (same_words, same_text),
            "{one:?} {other:?}"
        );
    }

    #[test]
    fn an_error_page_has_the_same_words_on_every_path() {
        check(
            ("/a", "<p>We are back soon"),
            ("/b", "<p>We are  back\nsoon</p>"),
            true,
            true,
        );
        check(
            ("/a", "<p>Incident 4711-ab."),
            ("/b", "<p>Incident 4712-cd."),
            true,
            false,
        );
        check(
            ("/a", "<p>It is 12:30 now"),
            ("/b", "<p>It is 12:31 now"),
            true,
            false,
        );
        check(
            ("/x/about", "<p>No page about here"),
            ("/team.html", "<p>No page team here"),
            true,
            false,
        );
        check(
            ("/a", "<p>GET /a failed"),
            ("/b", "<p>GET /b failed"),
            true,
            false,
        );
        check(
            ("/a", "<title>A</title><p>Error"),
            ("/b", "<title>B</title><p>Error"),
            true,
            false,
        );
        check(("/a", "<p>Our story"), ("/b", "<p>Our team"), false, false);
        check(
            ("/a", "<p id=1 class=x>Our story"),
            ("/b", "<p id=2>Our <b>story</b>"),
            true,
            true,
        );
    }

    #[test]
    fn marks_stay_when_the_words_around_them_change() {
        let marks = |menu: &str, title: &str| {
            print(
                "/a",
                &format!("<title>{title}</title><nav>{menu}</nav><p>Item 17 costs 5"),
            )
            .marks
        };
        assert_eq!(marks("Menu", "Item"), marks("All our breads", "Item"));
        assert_ne!(marks("Menu", "Item"), marks("Menu", "Not found"));
    }
}
