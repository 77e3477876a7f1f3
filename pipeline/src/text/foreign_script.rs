//! Finds translations that are written in the letters of another language (R-L4): Chinese for Spanish, Latin letters for
//! Russian, Chinese for Japanese.
//!
//! Words of the source do not count, so that names, code and terms may stay as they are.

use super::names::common::is_common;
use super::script::code_of;
use crate::model::Locale;

/// Minimum number of letters; fewer may be an abbreviation.
const FEW: usize = 4;
/// Letters of an alphabet that equal one letter of Chinese, Japanese or Korean.
const WEIGHT_OF_EAST: usize = 3;
/// Length in letters from which a Japanese text has kana.
const WITH_KANA: usize = 20;

/// Languages with several scripts. The tag names one; otherwise each is right.
const SCRIPTS_BY_CHOICE: [&str; 13] = [
    "az", "bs", "crh", "kk", "ku", "ky", "mn", "sr", "tg", "tk", "tt", "ug", "uz",
];

/// Letters of a translation that its source does not have.
#[derive(Default)]
struct ForeignLetters {
    all: usize,
    /// Letters of the language's scripts, weighted.
    right: usize,
    /// Letters of other scripts.
    foreign: usize,
    /// East Asian letters among the foreign ones.
    foreign_east: usize,
    kana: usize,
    /// Number of foreign words.
    foreign_words: usize,
    /// True if a foreign word is common, or does not begin with a capital Latin letter.
    has_plain: bool,
    first_foreign: Option<&'static str>,
}

/// Reason why a translation is in the wrong script; `None` if the script is right.
pub(crate) fn foreign_script(source: &str, target: &str, language: &Locale) -> Option<String> {
    let script = language.script();
    let right = scripts(&script, language);
    if right.is_empty() {
        return None;
    }
    let letters = letters(source, target, &right);
    let is_east = right.iter().any(|script| is_east_asian(script));
    let is_foreign = letters.foreign > letters.right
        && !is_name(source, &letters)
        && (letters.foreign >= FEW || letters.foreign_east >= 2);
    // Models that slip into Chinese or Japanese leave such words in the middle of a sentence.
    let is_mixed = !is_east && letters.foreign_east >= 2;
    if is_foreign || is_mixed {
        let name = letters.first_foreign.unwrap_or_default();
        return Some(format!(
            "its letters are not those of {language}, but of another script ({name})"
        ));
    }
    let has_kana = target.chars().filter_map(code_of).any(is_kana);
    if script == "Jpan" && letters.all >= WITH_KANA && !has_kana {
        return Some("it has no kana, as Japanese does".into());
    }
    let is_japanese =
        right.contains(&"Bopo") && letters.kana >= FEW && letters.kana * 4 > letters.all;
    if is_japanese {
        Some(format!("its letters are not those of {language}, but kana"))
    } else {
        None
    }
}

/// Recognizes the Latin spelling of a name that the source writes in another script: "Tencent" for 腾讯.
fn is_name(source: &str, letters: &ForeignLetters) -> bool {
    let has_latin = source
        .chars()
        .filter_map(code_of)
        .any(|code| code == "Latn");
    !has_latin && !letters.has_plain && letters.foreign_words <= 2
}

/// Script codes of a language; empty if unknown.
fn scripts<'s>(script: &'s str, language: &Locale) -> Vec<&'s str> {
    match script {
        "" => Vec::new(),
        "Hans" | "Hant" | "Hani" => vec!["Hani", "Bopo"],
        "Jpan" => vec!["Hani", "Hira", "Kana"],
        "Kore" => vec!["Hang"],
        _ if !language.names_script() && SCRIPTS_BY_CHOICE.contains(&language.language()) => {
            vec!["Latn", "Cyrl", "Arab"]
        }
        "Latn" | "Cyrl" | "Arab" | "Hebr" | "Grek" | "Armn" | "Geor" | "Ethi" | "Deva" | "Beng"
        | "Guru" | "Gujr" | "Orya" | "Taml" | "Telu" | "Knda" | "Mlym" | "Sinh" | "Thai"
        | "Laoo" | "Khmr" | "Mymr" | "Tibt" => {
            vec![script]
        }
        _ => Vec::new(),
    }
}

/// Counts the letters of words that the source lacks.
fn letters(source: &str, target: &str, right: &[&str]) -> ForeignLetters {
    let own: String = source
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    let mut letters = ForeignLetters::default();
    for (code, word) in words(target) {
        if own.contains(&word.to_lowercase()) {
            continue;
        }
        let count = word.chars().count();
        letters.all += count;
        letters.kana += if is_kana(code) { count } else { 0 };
        if right.contains(&code) {
            letters.right += if is_east_asian(code) {
                count * WEIGHT_OF_EAST
            } else {
                count
            };
        } else {
            letters.foreign += count;
            letters.foreign_words += 1;
            letters.has_plain |=
                code != "Latn" || !word.starts_with(char::is_uppercase) || is_common(&word);
            letters.foreign_east += if is_east_asian(code) { count } else { 0 };
            letters.first_foreign = letters.first_foreign.or(Some(code));
        }
    }
    letters
}

/// The runs of letters of one script, with its code. Names often touch words of another script.
fn words(text: &str) -> Vec<(&'static str, String)> {
    let mut words: Vec<(&'static str, String)> = Vec::new();
    let mut is_in_word = false;
    for character in text.chars() {
        let code = if character.is_alphabetic() {
            code_of(character)
        } else {
            None
        };
        match (code, words.last_mut()) {
            (Some(code), Some((last, word))) if is_in_word && *last == code => word.push(character),
            (Some(code), _) => words.push((code, character.to_string())),
            (None, _) => {}
        }
        is_in_word = code.is_some();
    }
    words
}

fn is_kana(code: &str) -> bool {
    matches!(code, "Hira" | "Kana")
}

fn is_east_asian(code: &str) -> bool {
    matches!(code, "Hani" | "Hira" | "Kana" | "Hang" | "Bopo")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_foreign(source: &str, target: &str, to: &str) -> bool {
        foreign_script(source, target, &Locale::parse(to).unwrap()).is_some()
    }

    #[test]
    fn letters_of_another_language_are_seen_r_l4() {
        for (source, target, to) in [
            ("Our bread is fresh", "这是一个中文句子", "es"),
            ("Bread", "面包", "es"),
            ("Our bread is fresh", "Nuestro pan 新鲜 es bueno", "es"),
            ("Our bread is fresh", "Notre pain は焼きたて", "fr"),
            ("Our bread is fresh", "Nash khleb svezhiy", "ru"),
            ("Our bread is fresh", "Nuestro pan está fresco", "ru"),
            ("Our bread is fresh", "Ouro breado iso fresho", "uk"),
            ("Our bread is fresh", "Наш хлеб свежий", "es"),
            ("Our bread is fresh", "Ο άρτος είναι φρέσκος", "de"),
            (
                "Our bread is fresh every single day",
                "我们的面包每天都是新鲜的，欢迎来到我们的面包店品尝",
                "ja",
            ),
            ("Our bread is fresh", "Nuestro pan está fresco", "ja"),
            ("Our bread is fresh", "私たちのパンは焼きたてです", "zh"),
            ("Our bread is fresh", "私たちのパンは焼きたてです", "ko"),
            ("Our bread is fresh", "我们的面包是新鲜的", "ko"),
            ("Our bread is fresh", "Our bread taza hai", "hi"),
            ("Our bread is fresh", "khubzuna tazij", "ar"),
            ("我们的面包", "Our bread", "ru"),
            ("我们的面包是新鲜的", "Our Bread Is Fresh", "ru"),
            ("首页", "Home", "ru"),
            ("关于我们", "About Us", "ru"),
            ("Fresh bread", "Tencent", "ru"),
            ("Our bread is fresh", "Наш хлеб је свеж", "sr-Latn"),
            ("Our bread is fresh", "Наш хлеб свежий", "he"),
        ] {
            assert!(is_foreign(source, target, to), "{to}: {target}");
        }
    }

    #[test]
    fn names_code_and_terms_of_the_source_may_stay_r_l4() {
        for (source, target, to) in [
            ("GitHub and GitLab", "GitHub и GitLab", "ru"),
            ("GitHub Enterprise Cloud", "GitHub Enterprise Cloud", "ja"),
            (
                "Install PostgreSQL on Linux",
                "Установите PostgreSQL в Linux",
                "ru",
            ),
            ("E-mail", "Email", "ru"),
            ("OK", "OK", "zh"),
            ("Our Wi-Fi", "Наш Wi-Fi", "ru"),
            ("Our bread is fresh", "私たちのパンは焼きたてです", "ja"),
            ("Terms of service", "利用規約", "ja"),
            ("Our bread", "我們的麵包", "zh-TW"),
            ("Our bread", "우리 빵", "ko"),
            (
                "The sign 東京 means Tokyo",
                "El signo 東京 significa Tokio",
                "es",
            ),
            ("日本語", "日本語", "es"),
            ("Our bread is fresh", "Naš hleb je svež", "sr"),
            ("Our bread is fresh", "Наш хлеб је свеж", "sr"),
            ("Our bread is fresh", "Naş çörək təzədir", "az"),
            ("The π of a circle", "El π de un círculo", "es"),
            ("Aptosid and Siduction", "\u{200f}Aptosid وSiduction", "ar"),
            ("Integration with Windows", "和Windows整合", "zh"),
            (
                "Domains and types are equivalent",
                "SELinux ドメインと SELinux タイプは同じ",
                "ja",
            ),
            ("10 µm wide", "10 µm de ancho", "es"),
            ("Our bread", "ዳቦችን", "am"),
            ("Our bread", "Nia pano", "eo"),
            ("404", "404", "ru"),
            ("腾讯", "Tencent", "ru"),
            ("バンダイナムコ", "Bandai Namco", "ar"),
            ("Яндекс", "Yandex", "ja"),
        ] {
            assert!(!is_foreign(source, target, to), "{to}: {target}");
        }
    }
}
