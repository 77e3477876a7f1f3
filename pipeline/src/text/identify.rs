//! Which language a text is in: whether it is the source's where it should be another one, and whether a page is in the
//! language that it claims. This is the only file that names whatlang.
//!
//! The thresholds are those of `docs/audit.md`. A short text, or one of names, is in no language: only what has at least
//! [`LETTERS`] letters and [`WORDS`] words that are no names is looked at. It has to be told from the language that the
//! page claims with a confidence of [`CONFIDENCE`], and to look like the source among all languages too.

use whatlang::{Detector, Lang};

use super::script::is_unspaced_letter;
use crate::model::Locale;

/// The fewest letters of a text.
const LETTERS: usize = 40;
/// The fewest letters of a text in a script whose letters are words or syllables.
const DENSE_LETTERS: usize = 20;
/// The fewest words that begin with a small letter, in scripts that have capitals; of words at all in others.
const WORDS: usize = 6;
/// How sure it has to be, from 0 to 1.
const CONFIDENCE: f64 = 0.8;

/// Languages that are known: ISO 639-1, and the library's own.
const LANGUAGES: [(&str, Lang); 70] = [
    ("af", Lang::Afr),
    ("ak", Lang::Aka),
    ("am", Lang::Amh),
    ("ar", Lang::Ara),
    ("az", Lang::Aze),
    ("be", Lang::Bel),
    ("bg", Lang::Bul),
    ("bn", Lang::Ben),
    ("ca", Lang::Cat),
    ("cs", Lang::Ces),
    ("cy", Lang::Cym),
    ("da", Lang::Dan),
    ("de", Lang::Deu),
    ("el", Lang::Ell),
    ("en", Lang::Eng),
    ("eo", Lang::Epo),
    ("es", Lang::Spa),
    ("et", Lang::Est),
    ("fa", Lang::Pes),
    ("fi", Lang::Fin),
    ("fr", Lang::Fra),
    ("gu", Lang::Guj),
    ("he", Lang::Heb),
    ("hi", Lang::Hin),
    ("hr", Lang::Hrv),
    ("hu", Lang::Hun),
    ("hy", Lang::Hye),
    ("id", Lang::Ind),
    ("it", Lang::Ita),
    ("ja", Lang::Jpn),
    ("jv", Lang::Jav),
    ("ka", Lang::Kat),
    ("km", Lang::Khm),
    ("kn", Lang::Kan),
    ("ko", Lang::Kor),
    ("la", Lang::Lat),
    ("lt", Lang::Lit),
    ("lv", Lang::Lav),
    ("mk", Lang::Mkd),
    ("ml", Lang::Mal),
    ("mr", Lang::Mar),
    ("my", Lang::Mya),
    ("nb", Lang::Nob),
    ("ne", Lang::Nep),
    ("nl", Lang::Nld),
    ("no", Lang::Nob),
    ("or", Lang::Ori),
    ("pa", Lang::Pan),
    ("pl", Lang::Pol),
    ("pt", Lang::Por),
    ("ro", Lang::Ron),
    ("ru", Lang::Rus),
    ("si", Lang::Sin),
    ("sk", Lang::Slk),
    ("sl", Lang::Slv),
    ("sn", Lang::Sna),
    ("sr", Lang::Srp),
    ("sv", Lang::Swe),
    ("ta", Lang::Tam),
    ("te", Lang::Tel),
    ("th", Lang::Tha),
    ("tk", Lang::Tuk),
    ("tl", Lang::Tgl),
    ("tr", Lang::Tur),
    ("uk", Lang::Ukr),
    ("ur", Lang::Urd),
    ("uz", Lang::Uzb),
    ("vi", Lang::Vie),
    ("yi", Lang::Yid),
    ("zh", Lang::Cmn),
];

/// Returns true if a text is surely in the source language and not in the one that its page claims. It must be
/// [long enough](is_long_enough).
pub(crate) fn is_in_source(text: &str, source: &Locale, claimed: &Locale) -> bool {
    let Some(source) = lang(source) else {
        return false;
    };
    let claimed = lang(claimed);
    if claimed == Some(source) {
        return false;
    }
    let is_source = |info: &whatlang::Info| info.lang() == source;
    let Some(claimed) = claimed else {
        return whatlang::detect(text)
            .is_some_and(|info| is_source(&info) && info.confidence() >= CONFIDENCE);
    };
    let choice = Detector::with_allowlist(vec![source, claimed]).detect(text);
    // A choice between two languages of different scripts says nothing of a third one.
    choice.is_some_and(|info| is_source(&info) && info.confidence() >= CONFIDENCE)
        && whatlang::detect(text).is_some_and(|info| is_source(&info))
}

/// Whether a text is surely in a language, of all that there are.
pub(crate) fn is_in(text: &str, locale: &Locale) -> bool {
    let Some(lang) = lang(locale).filter(|_| is_long_enough(text)) else {
        return false;
    };
    whatlang::detect(text)
        .is_some_and(|info| info.lang() == lang && info.confidence() >= CONFIDENCE)
}

fn lang(locale: &Locale) -> Option<Lang> {
    let language = locale.language();
    let at = LANGUAGES
        .binary_search_by_key(&language, |&(code, _)| code)
        .ok()?;
    LANGUAGES.get(at).map(|&(_, lang)| lang)
}

/// Returns true if a text is long enough to identify its language.
pub(crate) fn is_long_enough(text: &str) -> bool {
    let mut letters = 0;
    let mut dense = 0;
    let mut has_case = false;
    for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
        letters += 1;
        dense += usize::from(!letter.is_ascii() && is_unspaced_letter(letter));
        has_case = has_case || letter.is_lowercase() || letter.is_uppercase();
    }
    if dense * 2 > letters {
        return letters >= DENSE_LETTERS;
    }
    let is_word = |word: &&str| {
        let first = word
            .trim_start_matches(|letter: char| !letter.is_alphanumeric())
            .chars()
            .next();
        // What holds a dot, slash or underscore inside is a name for machines.
        let plain = !word
            .trim_end_matches(|letter: char| !letter.is_alphanumeric())
            .contains(['.', '/', '_', '=', ':']);
        plain
            && first.is_some_and(|first| {
                if has_case {
                    first.is_lowercase()
                } else {
                    first.is_alphabetic()
                }
            })
    };
    letters >= LETTERS && text.split_whitespace().filter(is_word).take(WORDS).count() == WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        let locale = |tag| Locale::parse(tag).unwrap();
        for (text, source, claimed, expected) in [
            (
                "We bake every loaf by hand and let it rise for a whole night before it goes into the oven.",
                "en",
                "es",
                true,
            ),
            (
                "We bake every loaf by hand and let it rise for a whole night before it goes into the oven.",
                "en",
                "ja",
                true,
            ),
            (
                "We bake every loaf by hand and let it rise for a whole night before it goes into the oven.",
                "en",
                "ast",
                true,
            ),
            (
                "Amasamos cada hogaza a mano y la dejamos reposar una noche entera antes de hornearla.",
                "en",
                "es",
                false,
            ),
            // Languages that are close to each other take more words.
            (
                "Amasamos cada hogaza a mano y la dejamos reposar una noche entera antes de hornearla.",
                "es",
                "pt",
                false,
            ),
            (
                "Amasamos cada hogaza a mano y la dejamos reposar una noche entera antes de hornearla, y después la \
                 llevamos a las casas de quienes no pueden venir. Dos hermanas abrieron esta pequeña panadería en un \
                 viejo parque de bomberos hace más de treinta años.",
                "es",
                "pt",
                true,
            ),
            (
                "Heron & Rye, Port Linnet, Maine, Visual Studio Code, Microsoft Windows Server",
                "en",
                "es",
                false,
            ),
            ("Short text in English", "en", "es", false),
            (
                "パンはすべて手でこね、焼く前に一晩かけてゆっくりと発酵させています。",
                "ja",
                "en",
                true,
            ),
            (
                "パンはすべて手でこね、焼く前に一晩かけてゆっくりと発酵させています。",
                "en",
                "ja",
                false,
            ),
            (
                "Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es in den Ofen kommt.",
                "en",
                "de",
                false,
            ),
            (
                "Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es in den Ofen kommt.",
                "en",
                "ja",
                false,
            ),
            (
                "The page is in English and claims to be in another kind of English altogether.",
                "en",
                "en-GB",
                false,
            ),
        ] {
            assert!(is_in(text, &locale(source)) || !expected, "{text} {source}");
            let found =
                is_long_enough(text) && is_in_source(text, &locale(source), &locale(claimed));
            assert_eq!(found, expected, "{text} {source} {claimed}");
        }
        assert!(LANGUAGES.is_sorted_by_key(|(code, _)| *code));
    }
}
