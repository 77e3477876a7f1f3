//! Escapes for invisible characters, so that a log or a report shows everything that it holds and a terminal only displays it.

use std::borrow::Cow;

/// A text in which each control, bidirectional control, zero-width and line-separating character is written as `\u{…}`.
///
/// Joiners are escaped as well, although some scripts need them: a log shows what was sent, not how it is typeset.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Reports whether a character has an effect on the display but no shape of its own.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}' // soft hyphen
                | '\u{61C}' // Arabic letter mark
                | '\u{200B}'..='\u{200F}' // zero-width space, joiners, direction marks
                | '\u{2028}'..='\u{202E}' // line and paragraph separators, embeddings and overrides
                | '\u{2060}' // word joiner
                | '\u{2066}'..='\u{2069}' // isolates
                | '\u{FEFF}' // byte order mark
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        for (text, shown) in [
            ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
            (
                "\u{1b}[2J\u{0}\u{7f}\u{85}\u{9b}",
                "\\u{1b}[2J\\u{0}\\u{7f}\\u{85}\\u{9b}",
            ),
            ("\u{200E}\u{200F}\u{61C}", "\\u{200e}\\u{200f}\\u{61c}"),
            (
                "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}",
                "\\u{202a}\\u{202b}\\u{202c}\\u{202d}\\u{202e}",
            ),
            (
                "\u{2066}\u{2067}\u{2068}\u{2069}",
                "\\u{2066}\\u{2067}\\u{2068}\\u{2069}",
            ),
            (
                "pay\u{200B}pal\u{200C}\u{200D}",
                "pay\\u{200b}pal\\u{200c}\\u{200d}",
            ),
            (
                "\u{AD}\u{2028}\u{2029}\u{2060}\u{FEFF}",
                "\\u{ad}\\u{2028}\\u{2029}\\u{2060}\\u{feff}",
            ),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn what_can_be_seen_stays() {
        for text in [
            "",
            "all is well",
            "مرحبا",
            "שלום",
            "naïve café",
            "日本語 🙂",
            "\\u{a}",
            "a\u{A0}b",
        ] {
            assert!(
                matches!(visible(text), Cow::Borrowed(shown) if shown == text),
                "{text:?}"
            );
        }
    }
}
