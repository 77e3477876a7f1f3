//! Notices about what pages hold: bytes that make no sense, too much to look into, and the wish not to be translated.

use crate::model::PagePath;
use crate::page::Page;
use crate::run::report::named::named;

/// A page some bytes of which make no sense, and how many (R-D8).
pub(super) fn broken_places(path: &PagePath, page: &Page) -> Option<String> {
    let places = page.broken_places();
    (places > 0).then(|| format!("{path} ({}, {places})", page.encoding()))
}

/// A page in which nothing is changed because it is too much, and why.
pub(super) fn too_much(path: &PagePath, page: &Page) -> Option<String> {
    page.excess().map(|excess| format!("{path} ({excess})"))
}

pub(super) fn notice_of_left(pages: &[String]) -> Option<String> {
    (!pages.is_empty()).then(|| {
        format!(
            "pages that stay untouched in the source language, with the reason: {}",
            named(pages)
        )
    })
}

pub(super) fn notice_of_refusing(pages: &[String]) -> Option<String> {
    (!pages.is_empty()).then(|| {
        let asked = "<meta name=\"google\" content=\"notranslate\">";
        format!(
            "pages that ask not to be translated ({asked}) stay in the source language: {}",
            named(pages)
        )
    })
}

/// Pages with letters that stand one by one in blocks (R-W3).
pub(super) fn notice_of_letters(pages: &[String]) -> Option<String> {
    if pages.is_empty() {
        return None;
    }
    Some(format!(
        "letters that stand one by one in elements of their own stay in the source language, because they are no words: {}; \
         let the script that moves them cut the words in the browser",
        named(pages)
    ))
}

/// Notice about a `switcher.placement` whose element is on no page.
pub(super) fn notice_of_placement(id: &str) -> String {
    format!(
        "no page has an element with the id \"{id}\", which `switcher.placement` names, so no page has a language switcher: \
         correct the id, or set `placement = \"body-end\"`"
    )
}

pub(super) fn notice_of_broken(pages: &[String]) -> Option<String> {
    (!pages.is_empty()).then(|| {
        format!(
            "readers see \u{fffd} where bytes make no sense in a page's encoding (its name and how often): {}; \
             save such pages in UTF-8",
            named(pages)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_broken_bytes_are_named_r_d8() {
        let locale = crate::model::Locale::parse("en").unwrap();
        let place = |html: &[u8], charset| {
            broken_places(
                &PagePath::parse("/a").unwrap(),
                &Page::parse(html, Some(charset), &locale),
            )
        };
        assert_eq!(
            place(b"<p>\xa9 \xff\xfe</p>", "utf-8").as_deref(),
            Some("/a (UTF-8, 3)")
        );
        assert_eq!(
            place(b"<p>\xb0\xa1 \xff</p>", "euc-kr").as_deref(),
            Some("/a (EUC-KR, 1)")
        );
        assert_eq!(place("<p>\u{fffd}</p>".as_bytes(), "utf-8"), None);
        assert_eq!(notice_of_broken(&[]), None);
        let notice = notice_of_broken(&vec!["/a (UTF-8, 1)".to_owned(); 12]).unwrap();
        assert!(
            notice.contains("/a (UTF-8, 1), /a (UTF-8, 1)") && notice.contains(" and 2 more"),
            "{notice}"
        );
    }

    #[test]
    fn pages_that_are_too_much_are_named_with_the_reason() {
        let locale = crate::model::Locale::parse("en").unwrap();
        let path = PagePath::parse("/deep").unwrap();
        let deep = Page::parse(
            "<b>a".repeat(crate::page::DEEPEST + 1).as_bytes(),
            None,
            &locale,
        );
        let left = too_much(&path, &deep).unwrap();
        assert!(
            left.starts_with("/deep (its elements are nested too deep"),
            "{left}"
        );
        assert_eq!(too_much(&path, &Page::parse(b"<p>a", None, &locale)), None);
        assert_eq!(
            (
                notice_of_left(&[]),
                notice_of_left(std::slice::from_ref(&left))
                    .is_some_and(|said| said.ends_with(&left))
            ),
            (None, true)
        );
    }
}
