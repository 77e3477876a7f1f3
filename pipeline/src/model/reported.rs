//! A text that a reader's browser told of: what strangers send, checked once.

/// A text that may be kept although strangers sent it: short, and nothing in it by which numbers or addresses of people
/// would be kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportedText(String);

/// The longest text, in characters.
const LONGEST: usize = 200;

impl ReportedText {
    /// Takes a text as it is sent, with white space as browsers show it; nothing where it may not be kept.
    pub fn parse(text: &str) -> Option<Self> {
        let flat = text
            .split_whitespace()
            .take(LONGEST)
            .collect::<Vec<_>>()
            .join(" ");
        let is_odd = |c: char| {
            c.is_numeric() || c.is_control() || c == '@' || c == char::REPLACEMENT_CHARACTER
        };
        let fits = flat.chars().count() <= LONGEST && text.len() <= 8 * LONGEST;
        (fits && flat.contains(char::is_alphabetic) && !flat.contains(is_odd)).then_some(Self(flat))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_texts_without_numbers_and_addresses_are_taken() {
        for (text, expected) in [
            ("Your cart is empty", Some("Your cart is empty")),
            ("  Your\n cart\u{a0}is  empty ", Some("Your cart is empty")),
            ("Ваша корзина пуста", Some("Ваша корзина пуста")),
            ("购物车是空的", Some("购物车是空的")),
            ("You ordered 3 loaves", None),
            ("٣ أرغفة", None),
            ("Ⅳ Henry", None),
            ("ana@example.com", None),
            ("", None),
            ("—", None),
            ("a\u{0}b", None),
            ("\u{1b}[2J wiped", None),
            ("broken \u{fffd}", None),
        ] {
            assert_eq!(
                ReportedText::parse(text).as_ref().map(ReportedText::as_str),
                expected,
                "{text:?}"
            );
        }
        assert!(ReportedText::parse(&"ä".repeat(200)).is_some());
        assert!(ReportedText::parse(&"ä".repeat(201)).is_none());
        assert!(ReportedText::parse(&format!("a{}b", " ".repeat(4000))).is_none());
    }
}
