//! Compares the numbers of a text with those of its translation.
//!
//! A neural engine may turn "1,234.56" into "1.234.56" or drop a figure while the sentence reads well. Separators
//! belong to the locale and may change, order belongs to the grammar; the digits may not change.

use super::script::is_dense;

/// Decimal zeros of the scripts in which a translation may write its digits.
const ZEROS: [u32; 9] = [
    0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x1040, 0x17E0, 0xFF10,
];

/// The digit that a character is, in any of the scripts.
pub(super) fn digit(character: char) -> Option<char> {
    let code = u32::from(character);
    let zero = ZEROS
        .into_iter()
        .find(|&zero| (zero..zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

fn is_separator(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | '\'' | '’' | '٬' | '٫' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'
    )
}

/// Whether both texts hold the same numbers, apart from separators and order.
pub(crate) fn same_numbers(source: &str, target: &str) -> bool {
    groups(source) == groups(target)
        || joined(source) == joined(target)
        || (is_dense(target) && only_months_added(source, target))
}

/// Whether the target has all numbers of the source and besides only such as months get in Chinese and Japanese.
fn only_months_added(source: &str, target: &str) -> bool {
    let wanted = groups(source);
    let mut wanted = wanted.iter().peekable();
    let mut extra = groups(target);
    // Both are sorted.
    extra.retain(|number| wanted.next_if(|wanted| *wanted == number).is_none());
    wanted.next().is_none()
        && extra.iter().all(|number| {
            number
                .parse::<u32>()
                .is_ok_and(|number| (1..=12).contains(&number))
        })
}

/// The runs of digits, sorted.
fn groups(text: &str) -> Vec<String> {
    let digits: String = text
        .chars()
        .map(|character| digit(character).unwrap_or(' '))
        .collect();
    let mut groups: Vec<String> = digits.split_whitespace().map(str::to_owned).collect();
    groups.sort();
    groups
}

/// The numbers with their separators taken out, sorted.
fn joined(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut current = String::new();
    let mut gap = false;
    for character in text.chars() {
        match digit(character) {
            Some(digit) => {
                current.push(digit);
                gap = false;
            }
            None if is_separator(character) && !gap && !current.is_empty() => gap = true,
            None => {
                gap = false;
                numbers
                    .extend(Some(std::mem::take(&mut current)).filter(|number| !number.is_empty()));
            }
        }
    }
    numbers.extend(Some(current).filter(|number| !number.is_empty()));
    numbers.sort();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_order_may_change_but_digits_may_not() {
        for (source, target, same) in [
            ("costs 1,234.56 USD", "kostet 1.234,56 USD", true),
            ("10,000 users", "10 000 utilisateurs", true),
            ("1,234 files", "1234 archivos", true),
            ("on 3 May 2026", "2026年5月3日", true),
            ("on 3 May 2026", "2026年50月3日", false),
            ("page 3 of 12", "12 页中的第 3 页", true),
            ("7 days", "٧ أيام", true),
            ("404", "404 - Página inicial", true),
            ("7 days", "sete dias", false),
            ("1,234.56", "1.234.65", false),
            ("no figure", "uma figura 1", false),
        ] {
            assert_eq!(same_numbers(source, target), same, "{source} / {target}");
        }
    }
}
