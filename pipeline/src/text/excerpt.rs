//! The beginning of a text, for people who read why it was refused.

use std::borrow::Cow;

/// How many characters of a text a report shows.
const SHOWN: usize = 200;

/// The first characters of a text; an ellipsis says that there are more.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some(_) => {
            let end = text.char_indices().nth(SHOWN - 1).map_or(0, |(at, _)| at);
            Cow::Owned(format!("{}…", &text[..end]))
        }
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_shows_the_beginning_of_a_text() {
        for (text, shown) in [
            (0, 0),
            (1, 1),
            (SHOWN, SHOWN),
            (SHOWN + 1, SHOWN),
            (100_000, SHOWN),
        ] {
            assert_eq!(excerpt(&"é".repeat(text)).chars().count(), shown);
        }
        assert!(
            excerpt(&"é".repeat(SHOWN)).ends_with('é')
                && excerpt(&"é".repeat(SHOWN + 1)).ends_with('…')
        );
    }
}
