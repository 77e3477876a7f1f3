//! Which script a language is written in, as far as engines care: whether a text has a letter for them to work on,
//! and whether letters that touch belong to one word.
//!
//! Coarse on purpose: blocks of Unicode, not its full script table. A neural model that gets a line of another
//! script makes text up (ENGINES, "its faults").

use crate::model::Locale;

/// Scripts that engines in this crate may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Indic,
    SoutheastAsian,
    Georgian,
    EastAsian,
    Other,
}

fn script_of(character: char) -> Script {
    match u32::from(character) {
        0x0041..=0x024F | 0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF => Script::Latin,
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Script::Greek,
        0x0400..=0x052F | 0x1C80..=0x1C8F => Script::Cyrillic,
        0x0530..=0x058F => Script::Armenian,
        0x0590..=0x05FF => Script::Hebrew,
        0x0600..=0x06FF | 0x0750..=0x077F | 0x08A0..=0x08FF | 0xFB50..=0xFEFC => Script::Arabic,
        0x0900..=0x0DFF => Script::Indic,
        0x0E00..=0x109F | 0x1780..=0x17FF => Script::SoutheastAsian,
        0x10A0..=0x10FF => Script::Georgian,
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x3130..=0x318F | 0x3400..=0x9FFF | 0xAC00..=0xD7AF => Script::EastAsian,
        0x20000..=0x3FFFF => Script::EastAsian,
        _ => Script::Other,
    }
}

fn script_of_language(locale: &Locale) -> Script {
    let tag = locale.as_str();
    if tag.contains("-Latn") {
        return Script::Latin;
    }
    if tag.contains("-Cyrl") {
        return Script::Cyrillic;
    }
    match locale.language() {
        "el" => Script::Greek,
        "ru" | "uk" | "be" | "bg" | "mk" | "sr" | "kk" | "ky" | "mn" | "tg" | "tt" | "ba" | "cv" => Script::Cyrillic,
        "hy" => Script::Armenian,
        "he" | "yi" => Script::Hebrew,
        "ar" | "fa" | "ur" | "ps" | "ug" | "ckb" => Script::Arabic,
        "hi" | "mr" | "ne" | "bn" | "as" | "pa" | "gu" | "or" | "ta" | "te" | "kn" | "ml" | "si" => Script::Indic,
        "th" | "lo" | "my" | "km" => Script::SoutheastAsian,
        "ka" => Script::Georgian,
        "zh" | "ja" | "ko" | "yue" => Script::EastAsian,
        _ => Script::Latin,
    }
}

/// Whether the text holds a letter of the script that the language is written in.
pub(crate) fn has_letter_of(text: &str, language: &Locale) -> bool {
    let wanted = script_of_language(language);
    text.chars().any(|character| character.is_alphabetic() && script_of(character) == wanted)
}

/// Whether this is a letter of a script that puts spaces between words: two that touch are one word.
pub(crate) fn is_word_letter(character: char) -> bool {
    character.is_alphabetic() && !matches!(script_of(character), Script::EastAsian | Script::SoutheastAsian)
}

/// Whether the text is written mostly without spaces between words, so that few characters say much.
pub(crate) fn is_dense(text: &str) -> bool {
    let letters = text.chars().filter(|character| character.is_alphabetic());
    let (dense, all) = letters.fold((0, 0), |(dense, all), letter| {
        (dense + usize::from(matches!(script_of(letter), Script::EastAsian)), all + 1)
    });
    dense * 2 > all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_of_the_source_script_are_worth_sending() {
        for (text, language, expected) in [
            ("Hello", "en", true),
            ("404", "en", false),
            ("日本語", "en", false),
            ("日本語", "ja", true),
            ("Привет", "ru", true),
            ("Привет", "en", false),
            ("été", "fr", true),
            ("مرحبا", "ar", true),
            ("🚀 – 12 %", "en", false),
        ] {
            assert_eq!(has_letter_of(text, &Locale::parse(language).unwrap()), expected, "{text} {language}");
        }
    }
}
