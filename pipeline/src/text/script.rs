//! Which script a language is written in, as far as engines care: whether a text has a letter for them to work on,
//! and whether letters that touch belong to one word. This is the only file that names icu_properties.
//!
//! Scripts are those of the Unicode Character Database, in coarse groups: a neural model makes up a translation when it
//! gets a line of a script that it has not learned, and one of the same group is near enough.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script as Unicode};
use icu_properties::{CodePointMapData, PropertyNamesShort};

use crate::model::Locale;

/// Scripts that engines in this crate may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LetterScript {
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

fn script_of(character: char) -> LetterScript {
    match CodePointMapData::<Unicode>::new().get(character) {
        Unicode::Latin => LetterScript::Latin,
        Unicode::Greek => LetterScript::Greek,
        Unicode::Cyrillic => LetterScript::Cyrillic,
        Unicode::Armenian => LetterScript::Armenian,
        Unicode::Hebrew => LetterScript::Hebrew,
        Unicode::Arabic => LetterScript::Arabic,
        Unicode::Devanagari
        | Unicode::Bengali
        | Unicode::Gurmukhi
        | Unicode::Gujarati
        | Unicode::Oriya
        | Unicode::Tamil
        | Unicode::Telugu
        | Unicode::Kannada
        | Unicode::Malayalam
        | Unicode::Sinhala => LetterScript::Indic,
        Unicode::Thai | Unicode::Lao | Unicode::Tibetan | Unicode::Myanmar | Unicode::Khmer => {
            LetterScript::SoutheastAsian
        }
        Unicode::Georgian => LetterScript::Georgian,
        Unicode::Han
        | Unicode::Hiragana
        | Unicode::Katakana
        | Unicode::Bopomofo
        | Unicode::Hangul => LetterScript::EastAsian,
        _ if is_shared_in_japanese(character) => LetterScript::EastAsian,
        _ => LetterScript::Other,
    }
}

/// The ISO 15924 code of a letter's script; `None` for letters that several scripts share.
pub(super) fn code_of(letter: char) -> Option<&'static str> {
    let script = CodePointMapData::<Unicode>::new().get(letter);
    let code = PropertyNamesShort::<Unicode>::new().get(script)?;
    if matches!(code, "Zyyy" | "Zinh") {
        None
    } else {
        Some(code)
    }
}

/// Whether this is a letter that stands beside several of the scripts of Japanese, so that Unicode gives it none: the signs of long
/// vowels and of voice, of repetition, and `〆`.
fn is_shared_in_japanese(character: char) -> bool {
    matches!(
        character,
        '\u{3006}' | '\u{3031}'
            ..='\u{3035}' | '\u{303c}' | '\u{30fc}' | '\u{ff70}' | '\u{ff9e}' | '\u{ff9f}'
    )
}

fn script_of_language(locale: &Locale) -> LetterScript {
    let tag = locale.as_str();
    if tag.contains("-Latn") {
        return LetterScript::Latin;
    }
    if tag.contains("-Cyrl") {
        return LetterScript::Cyrillic;
    }
    match locale.language() {
        "el" => LetterScript::Greek,
        "ru" | "uk" | "be" | "bg" | "mk" | "sr" | "kk" | "ky" | "mn" | "tg" | "tt" | "ba"
        | "cv" => LetterScript::Cyrillic,
        "hy" => LetterScript::Armenian,
        "he" | "yi" => LetterScript::Hebrew,
        "ar" | "fa" | "ur" | "ps" | "ug" | "ckb" => LetterScript::Arabic,
        "hi" | "mr" | "ne" | "bn" | "as" | "pa" | "gu" | "or" | "ta" | "te" | "kn" | "ml"
        | "si" => LetterScript::Indic,
        "th" | "lo" | "my" | "km" => LetterScript::SoutheastAsian,
        "ka" => LetterScript::Georgian,
        "zh" | "ja" | "ko" | "yue" => LetterScript::EastAsian,
        _ => LetterScript::Latin,
    }
}

/// True for languages in Latin script.
pub(crate) fn is_latin(language: &Locale) -> bool {
    script_of_language(language) == LetterScript::Latin
}

/// Whether the text holds a letter of the script that the language is written in. A number in letters, such as `Ⅳ`, is none.
pub(crate) fn has_letter_of(text: &str, language: &Locale) -> bool {
    let wanted = script_of_language(language);
    let is_letter = |character: char| character.is_alphabetic() && !character.is_numeric();
    text.chars()
        .any(|character| is_letter(character) && script_of(character) == wanted)
}

/// Whether this is a letter of a script that puts spaces between words: two that touch are one word.
pub(crate) fn is_word_letter(character: char) -> bool {
    character.is_alphabetic()
        && !matches!(
            script_of(character),
            LetterScript::EastAsian | LetterScript::SoutheastAsian
        )
}

/// Whether this is a letter of a script that puts no spaces between words.
pub(crate) fn is_unspaced_letter(character: char) -> bool {
    character.is_alphabetic()
        && matches!(
            script_of(character),
            LetterScript::EastAsian | LetterScript::SoutheastAsian
        )
}

/// Whether this is a sign that belongs to the character before it: an accent, a vowel sign, a tone, a variation selector.
pub(crate) fn is_mark(character: char) -> bool {
    GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(character))
}

/// Whether the text is written mostly in Chinese, Japanese or Korean, so that few characters say much.
pub(crate) fn is_dense(text: &str) -> bool {
    let mut dense = 0;
    let mut all = 0;
    for letter in text.chars().filter(|character| character.is_alphabetic()) {
        dense += usize::from(is_dense_letter(letter));
        all += 1;
    }
    dense * 2 > all
}

/// True for a letter of Chinese, Japanese or Korean.
pub(crate) fn is_dense_letter(letter: char) -> bool {
    matches!(script_of(letter), LetterScript::EastAsian)
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
            ("Ⅳ", "en", false),
            ("5 µ", "en", false),
            ("ＡＢＣ", "en", true),
            ("ᲗᲑᲘᲚᲘᲡᲘ", "ka", true),
            ("々ー", "ja", true),
            ("ｶﾞ", "ja", true),
            ("ｶﾞ", "en", false),
        ] {
            assert_eq!(
                has_letter_of(text, &Locale::parse(language).unwrap()),
                expected,
                "{text} {language}"
            );
        }
    }

    #[test]
    fn letters_that_touch_are_one_word_where_words_have_spaces() {
        let parts = |text: &str| {
            text.chars()
                .partition::<String, _>(|letter| is_word_letter(*letter))
        };
        let words = "aßéÞﬁΩжԱאبकაꙊ\u{301}\u{e48}1,";
        assert_eq!(
            parts(words),
            ("aßéÞﬁΩжԱאبकაꙊ".to_owned(), "\u{301}\u{e48}1,".to_owned())
        );
        let unspaced = "漢々〇〆豈𠀀かーｶﾞｰㄅ한ﾡไลབမꩠខ";
        assert!(
            unspaced
                .chars()
                .all(|letter| is_unspaced_letter(letter) && !is_word_letter(letter))
        );
        for (text, expected) in [
            ("コーヒー", true),
            ("ｺｰﾋｰ", true),
            ("コーヒー and tea", false),
            ("ㄅㄆㄇ", true),
            ("ไทย", false),
        ] {
            assert_eq!(is_dense(text), expected, "{text}");
        }
    }

    #[test]
    fn marks_belong_to_the_character_before() {
        let marks = [
            '\u{301}', '\u{5b4}', '\u{64e}', '\u{94d}', '\u{e48}', '\u{20e3}', '\u{3099}',
            '\u{fe0f}',
        ];
        assert!(marks.into_iter().all(is_mark));
        assert!(!"aक1 -ー\u{200d}\u{200f}´".contains(is_mark));
    }
}
