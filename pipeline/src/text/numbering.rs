//! Numbers of sections and list items at the beginning of a text.

use crate::model::Locale;

/// Languages that write ordinals with a full stop: `2. Weltkrieg`.
const WITH_ORDINALS: [&str; 22] = [
    "bs", "cs", "da", "de", "dsb", "et", "fi", "fo", "gsw", "hr", "hsb", "hu", "is", "lb", "lv",
    "nb", "nn", "no", "pl", "sk", "sl", "sr",
];

/// Length in bytes of the number with the white space behind it: `A.1. `, `6.2.3. `, `1. ` and, before a capital, `6.2.3 `.
/// Engines move such numbers into the sentence or take their letter for a word.
pub(crate) fn numbering(text: &str, locale: &Locale) -> Option<usize> {
    let number = text
        .split(char::is_whitespace)
        .next()
        .filter(|number| number.len() < text.len())?;
    let space = &text[number.len()..];
    let rest = space.trim_start();
    let plain = number.strip_suffix('.').unwrap_or(number);
    let mut parts = plain.split('.');
    let first = parts.next()?;
    let is_letter = first.len() == 1 && first.starts_with(|sign: char| sign.is_ascii_uppercase());
    let points = plain.matches('.').count();
    if !(is_number(first) || (is_letter && points > 0)) || !parts.all(is_number) {
        return None;
    }
    let is_numbered = if plain.len() < number.len() {
        !rest.is_empty() && (points > 0 || !WITH_ORDINALS.contains(&locale.language()))
    } else {
        // One point may be that of an amount: `4.8 Stars`. DocBook writes a space that does not break.
        let is_section = points > 1 || is_letter || space.starts_with('\u{a0}');
        points > 0 && is_section && rest.starts_with(char::is_uppercase)
    };
    if is_numbered {
        Some(text.len() - rest.len())
    } else {
        None
    }
}

fn is_number(part: &str) -> bool {
    (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sections_end_before_their_words_r_w8() {
        for (text, rest) in [
            ("A.1. Census", Some("Census")),
            ("6.2.3. System Upgrade", Some("System Upgrade")),
            ("6.2. aptitude, apt-get", Some("aptitude, apt-get")),
            ("6.2\u{a0}System Upgrade", Some("System Upgrade")),
            ("1. What is Debian?", Some("What is Debian?")),
            ("3.11 is new", None),
            ("3 Houses", None),
            ("A. Einstein", None),
            ("2026. A year", None),
            ("1.5x faster", None),
            ("6.2.", None),
            ("6.2.3 System Upgrade", Some("System Upgrade")),
            ("4.8 Stars", None),
            ("99.9 Percent uptime", None),
            ("Chapter 6. APT", None),
        ] {
            let english = Locale::parse("en").unwrap();
            assert_eq!(
                numbering(text, &english).map(|length| &text[length..]),
                rest,
                "{text}"
            );
        }
        let german = Locale::parse("de").unwrap();
        assert_eq!(numbering("2. Weltkrieg", &german), None);
        assert_eq!(
            numbering("2.1. Der Weltkrieg", &german),
            Some("2.1. ".len())
        );
    }
}
