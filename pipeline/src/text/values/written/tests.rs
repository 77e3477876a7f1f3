//! Tests of localized values and of replacements in engines' input.

use super::*;

fn pair(to: &str) -> (Locale, Locale) {
    (Locale::parse("en").unwrap(), Locale::parse(to).unwrap())
}

#[test]
fn values_alone_are_written_as_the_language_does_r_v3() {
    for (text, to, expected) in [
        ("10am", "es", Some("10:00")),
        ("9:05 am", "es", Some("09:05")),
        ("9:05 am", "ja", Some("9:05")),
        ("5:30 p.m.", "de", Some("17:30")),
        ("9:00 a.m. – 6:00 p.m.", "pt-BR", Some("09:00 – 18:00")),
        ("10am", "ar", Some("10:00 ص")),
        ("10 am", "hi", Some("10:00 am")),
        ("10am", "fr-CA", Some("10 h 00")),
        ("March 5, 2026", "es", Some("5 de marzo de 2026")),
        ("March 5, 2026", "ja", Some("2026年3月5日")),
        ("3rd of May", "de", Some("3. Mai")),
        ("Mon–Fri: 9am–5pm", "es", Some("Lun–vie: 09:00–17:00")),
        ("Sat. 10am", "fr", Some("Sam. 10:00")),
        ("Monday", "es", Some("Lunes")),
        ("Thursday, March 5", "fr", Some("Jeudi, 5 mars")),
        ("$40", "de", Some("$40")),
        ("+1 503 555 0142", "ar", Some("+1 503 555 0142")),
        ("v2.0", "ja", Some("v2.0")),
        ("5 kg", "es", Some("5 kg")),
        ("17:30", "es", Some("17:30")),
        ("2026-03-05", "es", Some("2026-03-05")),
        // Words are for engines.
        ("Open 10am", "es", None),
        ("Mondays", "es", None),
        ("March 2026", "pt", None),
        ("3 billion", "es", None),
        ("5 kilograms", "es", None),
        ("42", "es", None),
    ] {
        let (from, to) = pair(to);
        let pair = LanguagePair { from: &from, to: &to };
        assert_eq!(written(text, pair).as_deref(), expected, "{text} {to}");
    }
}

#[test]
fn engines_are_told_values_that_they_would_spoil_r_v2() {
    let as_words = |words: &str| Told::As(words.to_owned());
    let placeholder = |words: &str| Told::Placeholder(words.to_owned());
    for (text, to, expected) in [
        ("Open until 5:30 pm today", "es", vec![("5:30 pm", as_words("17:30"))]),
        ("We open on March 5.", "es", vec![("on March 5", placeholder("el 5 de marzo"))]),
        ("On March 5, 2026, we open.", "fr", vec![("On March 5, 2026", placeholder("Le 5 mars 2026"))]),
        ("Since March 5 we bake.", "es", vec![]),
        ("We open on March 5.", "ja", vec![]),
        (
            "It costs $40 at 48 Bay View Street.",
            "es",
            vec![("$40", placeholder("$40")), ("48 Bay View Street", placeholder("48 Bay View Street"))],
        ),
        ("It made $1.2 billion.", "es", vec![]),
        ("Sat: closed", "es", vec![("Sat", placeholder("sáb"))]),
    ] {
        let (from, to) = pair(to);
        let told = told(text, LanguagePair { from: &from, to: &to });
        let told: Vec<(&str, Told)> = told.into_iter().map(|(range, told)| (&text[range], told)).collect();
        assert_eq!(told, expected, "{text} {to}");
    }
}

/// icu_datetime panics where its data and its code disagree, so each language is tried.
#[test]
fn no_language_fails_r_v3() {
    for tag in "af am ar ar-EG as az be bg bn bs ca cs cy da de de-CH el en-AU en-GB en-IN es es-419 es-MX et eu fa fi fil fr fr-CA ga gl \
                gu ha he hi hr hu hy id ig is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl nn or pa pl ps pt pt-BR pt-PT ro \
                ru sd si sk sl so sq sr sr-Latn sv sw ta te th tk tr uk ur uz vi yo yue zh zh-Hans zh-Hant zh-TW zu mi tlh"
        .split_whitespace()
    {
        let (from, to) = pair(tag);
        let pair = LanguagePair { from: &from, to: &to };
        for text in ["10am", "5:30 pm", "March 5", "Mar 5", "March 5, 2026", "Sep 30, 2026", "Sat:", "Saturday", "Thursday, March 5"] {
            let written = written(text, pair);
            assert!(written.as_ref().is_some_and(|written| !written.is_empty()), "{text} {tag}: {written:?}");
        }
    }
}
