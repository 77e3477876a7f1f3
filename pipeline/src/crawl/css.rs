//! The addresses that a style sheet names, as its files need to be fetched as well.
//!
//! Where they stand is found by [`crate::page::css_addresses`]; here escapes are undone.

use crate::page;

/// The addresses of a style sheet, in order.
pub(super) fn addresses(css: &[u8]) -> Vec<String> {
    page::css_addresses(css)
        .into_iter()
        .map(|range| page::unescape_css(&String::from_utf8_lossy(&css[range])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheets_name_their_files() {
        for (css, found) in [
            (
                "@import 'a.css'; @import url(b.css) screen;",
                vec!["a.css", "b.css"],
            ),
            (
                "p{background:URL( 'c d.png' )}/* url(no) */",
                vec!["c d.png"],
            ),
            (
                "@font-face{src:url(f.woff2?v=1)format('woff2'),url(\"f.woff\")}",
                vec!["f.woff2?v=1", "f.woff"],
            ),
            ("a{background:url(x\\28 1\\29.png)}", vec!["x(1).png"]),
            ("a{content:'url(no)'}", vec![]),
            (
                "@import \"t.css\" layer(a) supports(display: grid);",
                vec!["t.css"],
            ),
            (
                "a{background:-webkit-image-set('a.png' 1x, \"b.avif\" type('image/avif') 2x)}",
                vec!["a.png", "b.avif"],
            ),
            (
                "a{background:image-set(url(a.png) 1x, 'b.png' 2x);content:'no'}",
                vec!["a.png", "b.png"],
            ),
            ("a{background:image-set(}b{content:'no'}", vec![]),
        ] {
            assert_eq!(addresses(css.as_bytes()), found, "{css}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_style_sheet(css in "(?s)(url\\(|@import|\\\\|['\"();]|/\\*|.){0,40}") {
            assert!(addresses(css.as_bytes()).len() <= css.len(), "{css:?}");
        }
    }
}
