//! Labels of language menus: a language is called by its own name, its English name, its code, or the flag of a country.

use super::language_names::{ENGLISH, OWN};
use crate::{Locale, is_country};

/// The words of a link that name a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LanguageLabel {
    pub(crate) locale: Locale,
    pub(crate) kind: LabelKind,
}

/// Ways of naming a language, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LabelKind {
    /// By the language's own name.
    Own,
    /// By its tag.
    Code,
    /// By the code of a country.
    Country,
    /// By its English name.
    English,
    /// By the flag of a country.
    Flag,
}

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Codes of three letters that menus use; most codes of that length are words of some language, too.
const THREE_LETTERS: [(&str, &str); 32] = [
    ("ara", "ar"),
    ("ast", "ast"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("chi", "zh"),
    ("ckb", "ckb"),
    ("deu", "de"),
    ("dut", "nl"),
    ("ell", "el"),
    ("eng", "en"),
    ("esp", "es"),
    ("eus", "eu"),
    ("fil", "fil"),
    ("fra", "fr"),
    ("fre", "fr"),
    ("ger", "de"),
    ("glg", "gl"),
    ("heb", "he"),
    ("hun", "hu"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kor", "ko"),
    ("nld", "nl"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("spa", "es"),
    ("swe", "sv"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("yue", "yue"),
];

/// Scripts and variants in the tags of menus.
const SCRIPTS_AND_VARIANTS: [&str; 10] = [
    "arab", "cyrl", "deva", "guru", "hans", "hant", "latn", "tarask", "tfng", "valencia",
];

/// The language of a tag that stands for itself, as authors write it: `es`, `ES`, `es_ES`, `ENG`.
pub(crate) fn tag_of(written: &str) -> Option<Locale> {
    let written = written.trim();
    let mut subtags = written.split(['-', '_']);
    let language = subtags.next()?;
    if written.len() > 16
        || !written
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    {
        return None;
    }
    if language.len() == 3 {
        let lower = language.to_ascii_lowercase();
        let at = THREE_LETTERS
            .binary_search_by_key(&&*lower, |(code, _)| *code)
            .ok()?;
        let (_, known) = THREE_LETTERS.get(at)?;
        return Locale::parse(&written.replacen(language, known, 1).replace('_', "-")).ok();
    }
    // `to_string` and `is_done` are names of programs' parts.
    if language.len() != 2 || !subtags.all(is_subtag) {
        return None;
    }
    let tag = written.replace('_', "-");
    if Locale::names_language(&tag) {
        Locale::parse(&tag).ok()
    } else {
        None
    }
}

/// Recognizes what menus write after a language: a country, a part of the world, a script or a variant.
fn is_subtag(subtag: &str) -> bool {
    is_country(subtag)
        || (subtag.len() == 3 && subtag.bytes().all(|byte| byte.is_ascii_digit()))
        || SCRIPTS_AND_VARIANTS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(subtag))
}

/// The language that the words of a link name; `hints` are languages that the link declares or that its address has. All words
/// have to name the same one, but for a country in brackets.
pub(crate) fn read_label(pieces: &[String], hints: &[&Locale]) -> Option<LanguageLabel> {
    if pieces.iter().map(String::len).sum::<usize>() > LONGEST * 2 {
        return None;
    }
    let whole = pieces.join(" ");
    if let Some(locale) = named(&OWN, &tidy(&whole)).filter(|_| flags(&whole).is_empty()) {
        return Some(LanguageLabel {
            locale,
            kind: LabelKind::Own,
        });
    }
    let mut found: Option<LanguageLabel> = None;
    let mut in_brackets = false;
    for piece in pieces.iter().map(|piece| piece.replace(" - ", " | ")) {
        for (part, opens) in parts(&piece) {
            in_brackets = (in_brackets || opens.starts) && !opens.ends;
            for flag in flags(part) {
                if !agree(
                    &mut found,
                    LanguageLabel {
                        locale: flag,
                        kind: LabelKind::Flag,
                    },
                ) {
                    return None;
                }
            }
            let words = tidy(part);
            if words.is_empty() {
                continue;
            }
            if let Some(found) = &mut found
                && let Some(country) = with_country(&found.locale, &words)
            {
                found.locale = country;
                continue;
            }
            let is_named = of_words(&words, hints).is_some_and(|label| agree(&mut found, label));
            // "Español (Latinoamérica)"
            let is_region = in_brackets
                && found
                    .as_ref()
                    .is_some_and(|found| found.kind == LabelKind::Own);
            if !is_named && !is_region {
                return None;
            }
        }
    }
    found
}

/// Adds another name of the same language; refuses one of another language.
fn agree(found: &mut Option<LanguageLabel>, other: LanguageLabel) -> bool {
    match found {
        Some(found) if !found.locale.same_language(&other.locale) => return false,
        Some(found) => {
            found.kind = found.kind.min(other.kind);
            if !found.locale.as_str().contains('-') {
                found.locale = other.locale;
            }
        }
        None => *found = Some(other),
    }
    true
}

fn of_words(words: &str, hints: &[&Locale]) -> Option<LanguageLabel> {
    if let Some(locale) = named(&OWN, words) {
        return Some(LanguageLabel {
            locale,
            kind: LabelKind::Own,
        });
    }
    if let Some(locale) = named(&ENGLISH, words) {
        return Some(LanguageLabel {
            locale,
            kind: LabelKind::English,
        });
    }
    let language = tag_of(words);
    let country = Locale::of_country(words);
    // `UK` is a country and `uk` is Ukrainian: the link itself tells which of them is meant.
    match (language, country) {
        (Some(locale), country)
            if is_hinted(&locale, hints)
                || !country
                    .as_ref()
                    .is_some_and(|country| is_hinted(country, hints)) =>
        {
            Some(LanguageLabel {
                locale,
                kind: LabelKind::Code,
            })
        }
        (_, country) => Some(LanguageLabel {
            locale: country?,
            kind: LabelKind::Country,
        }),
    }
}

/// True if a link says elsewhere that it is in the language.
fn is_hinted(locale: &Locale, hints: &[&Locale]) -> bool {
    hints.iter().any(|hint| hint.same_language(locale))
}

/// The locale with a country that is written beside the language.
fn with_country(locale: &Locale, words: &str) -> Option<Locale> {
    if !is_country(words) {
        return None;
    }
    Locale::parse(&format!("{}-{words}", locale.language())).ok()
}

fn named(names: &[(&str, &str)], words: &str) -> Option<Locale> {
    let at = names.binary_search_by_key(&words, |(name, _)| *name).ok()?;
    Locale::parse(names.get(at)?.1).ok()
}

/// Small letters, without punctuation around the words.
fn tidy(words: &str) -> String {
    let words = words
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let words = words.trim_matches(is_edge);
    // Only what was opened is closed.
    let has_bracket = words.contains(['(', '（']);
    if has_bracket {
        words.to_owned()
    } else {
        words
            .trim_end_matches([')', '）'])
            .trim_end_matches(is_edge)
            .to_owned()
    }
}

/// Signs that belong to the letter before them, as in Indic scripts.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// The brackets around a part of a label.
#[derive(Clone, Copy)]
struct Brackets {
    starts: bool,
    ends: bool,
}

/// Recognizes characters that are no part of a name at its edges.
fn is_edge(letter: char) -> bool {
    !letter.is_alphanumeric() && !matches!(letter, ')' | '）') && !is_mark(letter)
}

/// Recognizes characters that separate the names of a label.
fn is_cut(letter: char) -> bool {
    "()（）[]/|,:·•–—".contains(letter)
}

/// Cuts a label at brackets, slashes and other signs that separate names.
fn parts(piece: &str) -> Vec<(&str, Brackets)> {
    let mut parts = Vec::new();
    let mut before = None;
    let mut rest = piece;
    loop {
        let end = rest.find(is_cut).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        let starts = matches!(before, Some('(' | '（' | '['));
        let ends = matches!(before, Some(')' | '）' | ']'));
        parts.push((
            part.trim_matches(|letter: char| letter.is_whitespace() || letter == '-'),
            Brackets { starts, ends },
        ));
        let Some(cut) = tail.chars().next() else {
            return parts;
        };
        before = Some(cut);
        rest = &tail[cut.len_utf8()..];
    }
}

/// The languages of the flags in a text: two regional indicators, or a flag of a part of a country.
fn flags(text: &str) -> Vec<Locale> {
    let mut flags = Vec::new();
    let mut first = None;
    let mut part = String::new();
    for letter in text.chars() {
        match letter {
            '\u{1f1e6}'..='\u{1f1ff}' => {
                let letter = char::from_u32(u32::from(letter) - 0x1f1e6 + u32::from('a'));
                match first.take() {
                    Some(first) => flags.extend(country(first, letter)),
                    None => first = Some(letter),
                }
            }
            '\u{e0061}'..='\u{e007a}' => {
                part.extend(char::from_u32(u32::from(letter) - 0xe0000));
            }
            _ => {}
        }
    }
    let of_part = match part.as_str() {
        "gbeng" | "gbsct" => "en",
        "gbwls" => "cy",
        "esct" => "ca",
        _ => "",
    };
    flags.extend(Locale::parse(of_part).ok());
    flags
}

fn country(first: Option<char>, second: Option<char>) -> Option<Locale> {
    Locale::of_country(&[first?, second?].iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, expected: &str) {
        let pieces: Vec<String> = words.split('+').map(str::to_owned).collect();
        let found =
            read_label(&pieces, &[]).map(|label| format!("{} {:?}", label.locale, label.kind));
        assert_eq!(found.unwrap_or_default(), expected, "{words}");
    }

    #[test]
    fn tables_are_sorted() {
        assert!(OWN.is_sorted() && ENGLISH.is_sorted() && THREE_LETTERS.is_sorted());
        for (name, tag) in OWN.iter().chain(&ENGLISH) {
            assert!(
                Locale::parse(tag).is_ok() && !name.contains(char::is_uppercase),
                "{name}"
            );
        }
    }

    #[test]
    fn labels_name_languages_r_s17() {
        check("English", "en Own");
        check(" ESPAÑOL ▾", "es Own");
        check("🇪🇸 Español", "es-ES Own");
        check("Português (Brasil)", "pt-BR Own");
        check("Español+ (+Spanish+)", "es Own");
        check("Deutsch (Liechtenstein)", "de Own");
        check("English (US)", "en-US Own");
        check("English - NZ", "en-NZ Own");
        check("Spanish (Español)", "es Own");
        check("हिन्दी", "hi Own");
        check("中文（台灣）", "zh-TW Own");
        check("es_ES+Spanish", "es-ES Code");
        check("ES", "es Code");
        check("en-GB", "en-GB Code");
        check("JP", "ja-JP Country");
        check("🇧🇷", "pt-BR Flag");
        check("🏴󠁧󠁢󠁷󠁬󠁳󠁿", "cy Flag");
        check("Spanish", "es English");
        for words in [
            "English courses",
            "Español y français",
            "About",
            "The",
            "Map",
            "Español / English",
            "▾",
            "(",
            "",
        ] {
            check(words, "");
        }
    }
}
