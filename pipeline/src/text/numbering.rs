//! Numbers of sections and list items at the beginning of a text.

/// Length in bytes of the number with the white space behind it: `A.1. `, `6.2.3. `, `1. ` and, before a capital, `6.2 `.
/// Engines move such numbers into the sentence or take their letter for a word.
pub(crate) fn numbering(text: &str) -> Option<usize> {
    let number = text.split(char::is_whitespace).next().filter(|number| number.len() < text.len())?;
    let rest = text[number.len()..].trim_start();
    let (plain, has_stop) = number.strip_suffix('.').map_or((number, false), |plain| (plain, true));
    let mut parts = plain.split('.');
    let first = parts.next()?;
    let is_letter = first.len() == 1 && first.starts_with(|sign: char| sign.is_ascii_uppercase());
    let inner = parts.clone().count();
    let begins = is_number(first) || (is_letter && inner > 0);
    let is_numbered = if has_stop {
        rest.starts_with(|sign: char| !sign.is_whitespace())
    } else {
        inner > 0 && rest.starts_with(char::is_uppercase)
    };
    if begins && parts.all(is_number) && is_numbered { Some(text.len() - rest.len()) } else { None }
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
            ("Chapter 6. APT", None),
        ] {
            assert_eq!(numbering(text).map(|length| &text[length..]), rest, "{text}");
        }
    }
}
