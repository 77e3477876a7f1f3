//! The addresses that a style sheet names, as its files need to be fetched as well.
//!
//! Where they stand is found by [`crate::page::css_addresses`]; here escapes are undone.

use crate::page;

/// The addresses of a style sheet, in order.
pub(super) fn addresses(css: &[u8]) -> Vec<String> {
    page::css_addresses(css).into_iter().map(|range| unescape(&String::from_utf8_lossy(&css[range]))).collect()
}

/// Undoes CSS escapes: `\28` is `(`, `\(` too, and a line break after a backslash is nothing.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits > 0 {
            let code = u32::from_str_radix(&after[..digits], 16).unwrap_or_default();
            plain.push(char::from_u32(code).filter(|&letter| letter != '\0').unwrap_or('\u{fffd}'));
            rest = &after[digits..];
            rest = rest.strip_prefix([' ', '\t', '\n']).unwrap_or(rest);
        } else {
            let mut letters = after.chars();
            plain.extend(letters.next().filter(|&letter| letter != '\n'));
            rest = letters.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheets_name_their_files() {
        for (css, found) in [
            ("@import 'a.css'; @import url(b.css) screen;", vec!["a.css", "b.css"]),
            ("p{background:URL( 'c d.png' )}/* url(no) */", vec!["c d.png"]),
            ("@font-face{src:url(f.woff2?v=1)format('woff2'),url(\"f.woff\")}", vec!["f.woff2?v=1", "f.woff"]),
            ("a{background:url(x\\28 1\\29.png)}", vec!["x(1).png"]),
            ("a{content:'url(no)'}", vec![]),
        ] {
            assert_eq!(addresses(css.as_bytes()), found, "{css}");
        }
    }

    #[test]
    fn escapes_are_undone() {
        for (escaped, plain) in [("a\\ b", "a b"), ("\\41 B", "AB"), ("a\\\nb", "ab"), ("\\", ""), ("\\0", "\u{fffd}")]
        {
            assert_eq!(unescape(escaped), plain, "{escaped:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_style_sheet(css in "(?s)(url\\(|@import|\\\\|['\"();]|/\\*|.){0,40}") {
            let most = css.to_ascii_lowercase().matches("url(").count() + css.to_ascii_lowercase().matches("@import").count();
            assert!(addresses(css.as_bytes()).len() <= most, "{css:?}");
        }
    }
}
