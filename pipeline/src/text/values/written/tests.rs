//! Tests of localized values and of replacements in engines' input.

use super::*;

fn pair(to: &str) -> (Locale, Locale) {
    (Locale::parse("en").unwrap(), Locale::parse(to).unwrap())
}

#[test]
fn values_alone_are_written_as_the_language_does_r_v3() {
    for (text, to, expected) in [
        ("10am", "es", Some("10:00")),
        ("9:05 am", "es", Some("9:05")),
        ("9:05 am", "es-MX", Some("9:05\u{a0}a.m.")),
        ("9:05 am", "es-AR", Some("09:05")),
        ("9:05 am", "ja", Some("9:05")),
        ("5:30 p.m.", "de", Some("17:30")),
        ("9:00 a.m. – 6:00 p.m.", "pt-BR", Some("09:00 – 18:00")),
        ("10am", "ar", Some("10:00 ص")),
        ("10 am", "hi", Some("10:00 am")),
        ("10am", "fr-CA", Some("10 h 00")),
        ("March 5, 2026", "es", Some("5 de marzo de 2026")),
        ("March 5, 2026", "ja", Some("2026年3月5日")),
        ("3rd of May", "de", Some("3. Mai")),
        ("Mon–Fri: 9am–5pm", "es", Some("Lun–vie: 9:00–17:00")),
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
        ("3 billion", "es", None),
        ("5 kilograms", "es", None),
        ("42", "es", None),
    ] {
        let (from, to) = pair(to);
        let pair = LanguagePair {
            from: &from,
            to: &to,
        };
        assert_eq!(
            written(text, pair, Digits::Latin).as_deref(),
            expected,
            "{text} {to}"
        );
    }
}

#[test]
fn engines_are_told_values_that_they_would_spoil_r_v2() {
    let as_words = |words: &str| ValueReplacement::As(words.to_owned());
    let placeholder = |words: &str| ValueReplacement::Placeholder(words.to_owned());
    for (text, to, expected) in [
        (
            "Open until 5:30 pm today",
            "es",
            vec![("5:30 pm", as_words("17:30"))],
        ),
        (
            "We open on March 5.",
            "es",
            vec![("on March 5", placeholder("el 5 de marzo"))],
        ),
        (
            "On March 5, 2026, we open.",
            "fr",
            vec![("On March 5, 2026", placeholder("Le 5 mars 2026"))],
        ),
        ("Since March 5 we bake.", "es", vec![]),
        (
            "1 March 2026 by Ana",
            "es",
            vec![("1 March 2026", placeholder("1 de marzo de 2026"))],
        ),
        ("March 2026 by Ana", "es", vec![]),
        ("March 5, 2026 is our opening day.", "es", vec![]),
        (
            "Changed in version 3.9: dates",
            "es",
            vec![("3.9", placeholder("3.9"))],
        ),
        ("We open on March 5.", "ja", vec![]),
        (
            "It costs $40 at 48 Bay View Street.",
            "es",
            vec![
                ("$40", placeholder("$40")),
                ("48 Bay View Street", placeholder("48 Bay View Street")),
            ],
        ),
        ("It made $1.2 billion.", "es", vec![]),
        ("Sat: closed", "es", vec![("Sat", placeholder("sáb"))]),
    ] {
        let (from, to) = pair(to);
        let told = told(
            text,
            true,
            LanguagePair {
                from: &from,
                to: &to,
            },
        );
        let told: Vec<(&str, ValueReplacement)> = told
            .into_iter()
            .map(|(range, told)| (&text[range], told))
            .collect();
        assert_eq!(told, expected, "{text} {to}");
    }
}

#[test]
fn amounts_take_the_separators_of_the_language_r_v3() {
    for (text, to, expected) in [
        ("1,500 km", "de", "1.500 km"),
        ("1,500 km", "fr", "1\u{202f}500 km"),
        ("1,500 km", "fr-CA", "1\u{a0}500 km"),
        ("1,500 km", "es", "1500 km"),
        ("15,000 km", "es", "15.000 km"),
        ("1,500 km", "es-MX", "1,500 km"),
        ("1,500 km", "de-CH", "1'500 km"),
        ("120,000 km", "hi", "1,20,000 km"),
        ("1,500.50 kg", "pt-BR", "1.500,50 kg"),
        ("1.5 kg", "ja", "1.5 kg"),
        ("18.5 in", "de", "18,5 in"),
        ("20.5°C", "ru", "20,5°C"),
        ("2000 W", "de", "2000 W"),
        ("2.5–3.5 kg", "de", "2,5–3,5 kg"),
        ("1,500–2,000 km", "it", "1500–2000 km"),
        ("12.5%", "de", "12,5\u{a0}%"),
        ("12.5%", "fr", "12,5\u{a0}%"),
        ("12.5%", "tr", "%12,5"),
        ("12.5%", "eu", "%\u{a0}12,5"),
        ("12.5%", "ar", "12.5%"),
        ("12.5%", "fa", "12.5%"),
        ("12.5%", "es-419", "12.5%"),
        ("5–10%", "de", "5–10\u{a0}%"),
        ("5–10%", "tr", "5–10%"),
        // Prices, ratios, versions and phone numbers look the same everywhere, and so do numbers that English does not write.
        ("$1,500.50", "de", "$1,500.50"),
        ("18.5 × 20.5", "de", "18.5 × 20.5"),
        ("v1.500", "de", "v1.500"),
        ("+1 503.555.0142", "de", "+1 503.555.0142"),
        ("1,5 kg", "de", "1,5 kg"),
        ("1.500,50 kg", "fr", "1.500,50 kg"),
        ("12,50%", "tr", "12,50%"),
    ] {
        let (from, to) = pair(to);
        let written = written(
            text,
            LanguagePair {
                from: &from,
                to: &to,
            },
            Digits::Latin,
        );
        assert_eq!(written.as_deref(), Some(expected), "{text} {to}");
    }
    let german = Locale::parse("de").unwrap();
    let pair = LanguagePair {
        from: &german,
        to: &Locale::parse("en").unwrap(),
    };
    for (text, expected) in [
        ("1.500 km", "1,500 km"),
        ("1,5 kg", "1.5 kg"),
        ("12,5 %", "12.5%"),
        ("1.5 kg", "1.5 kg"),
    ] {
        assert_eq!(
            written(text, pair, Digits::Latin).as_deref(),
            Some(expected),
            "{text}"
        );
    }
}

#[test]
fn engines_leave_amounts_as_the_source_has_them_r_v3() {
    for (source, answer, to, expected) in [
        (
            "It is 1,500 km long.",
            "Es ist 1,500 km lang.",
            "de",
            "Es ist 1.500 km lang.",
        ),
        (
            "A 12.5% rise",
            "Un alza del 12.5%",
            "es",
            "Un alza del 12,5\u{a0}%",
        ),
        (
            "A 12.5% rise",
            "Un alza del 12.5%",
            "es-MX",
            "Un alza del 12.5%",
        ),
        (
            "A 5–10% rise",
            "Ein Plus von 5–10%",
            "de",
            "Ein Plus von 5–10\u{a0}%",
        ),
        (
            "1,500–2,000 km away",
            "1,500–2,000 km entfernt",
            "de",
            "1.500–2.000 km entfernt",
        ),
        (
            "2.5 kg or 3.5 kg",
            "2.5 kg oder 3.5 kg",
            "de",
            "2,5 kg oder 3,5 kg",
        ),
        // The engine used its own format, or the value is no amount.
        (
            "A 12.5% rise",
            "Un alza del 12,5 %",
            "es",
            "Un alza del 12,5 %",
        ),
        (
            "It is 1,500 km long.",
            "Es ist 1.500 km lang.",
            "de",
            "Es ist 1.500 km lang.",
        ),
        (
            "It costs $1,500.50.",
            "Es kostet $1,500.50.",
            "de",
            "Es kostet $1,500.50.",
        ),
        (
            "Python 3.11.5 at 16:9",
            "Python 3.11.5 mit 16:9",
            "de",
            "Python 3.11.5 mit 16:9",
        ),
        (
            "It has 1,500 parts.",
            "Es hat 1,500 Teile.",
            "de",
            "Es hat 1,500 Teile.",
        ),
    ] {
        let (from, to) = pair(to);
        assert_eq!(
            with_amounts(
                answer,
                source,
                LanguagePair {
                    from: &from,
                    to: &to
                }
            ),
            expected,
            "{answer}"
        );
    }
}

#[test]
fn digits_are_native_where_the_site_says_so_r_v3() {
    for (text, to, expected) in [
        ("10:30 am", "ar", "١٠:٣٠ ص"),
        ("17:30", "ar", "١٧:٣٠"),
        ("1,500.5 km", "fa", "۱٬۵۰۰٫۵ km"),
        ("12.5%", "ar", "١٢٫٥٪"),
        ("12.5%", "hi", "१२.५%"),
        ("March 5, 2026", "fa", "۵ مارس ۲۰۲۶"),
        ("March 5, 2026", "mr", "५ मार्च, २०२६"),
        // Prices and phone numbers keep their digits, and so do languages whose native digits are 0 to 9.
        ("$40", "ar", "$40"),
        ("+1 503 555 0142", "ar", "+1 503 555 0142"),
        ("12.5%", "de", "12,5\u{a0}%"),
        ("March 5, 2026", "zh", "2026年3月5日"),
    ] {
        let (from, to) = pair(to);
        let written = written(
            text,
            LanguagePair {
                from: &from,
                to: &to,
            },
            Digits::Native,
        );
        assert_eq!(written.as_deref(), Some(expected), "{text} {to}");
    }
}

#[test]
fn months_of_years_are_written_where_the_data_has_them_r_v3() {
    for (text, to, expected) in [
        ("March 2026", "es", Some("Marzo de 2026")),
        ("Mar 2026", "es", Some("Mar 2026")),
        ("March 2026", "pt-BR", Some("Março de 2026")),
        ("March 2026", "pt", Some("Março de 2026")),
        ("March 2026", "de", Some("März 2026")),
        ("March 2026", "ja", Some("2026年3月")),
        ("March 2026", "mi", None),
    ] {
        let (from, to) = pair(to);
        let written = written(
            text,
            LanguagePair {
                from: &from,
                to: &to,
            },
            Digits::Latin,
        );
        assert_eq!(written.as_deref(), expected, "{text} {to}");
    }
}

/// Babel with the same CLDR version is the reference: see `tests/quality/cldr.py`.
#[test]
fn values_are_those_of_cldr_r_v3() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/values/cldr.tsv");
    let rows = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let [tag, _, english, expected] = row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let (from, to) = pair(tag);
        let written = written(
            english,
            LanguagePair {
                from: &from,
                to: &to,
            },
            Digits::Latin,
        );
        count += 1;
        if written.as_deref() != Some(expected) {
            wrong.push(format!("{tag} {english}: {written:?}, not {expected:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 300, "{count}");
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
        let texts = ["10am", "5:30 pm", "March 5", "Mar 5", "March 5, 2026", "Sep 30, 2026", "Sat:", "Saturday", "1,500.5 km"];
        for text in texts {
            let written = written(text, pair, Digits::Latin);
            assert!(written.as_ref().is_some_and(|written| !written.is_empty()), "{text} {tag}: {written:?}");
        }
        for digits in [Digits::Latin, Digits::Native] {
            let month = super::written("Mar 2026", pair, digits);
            assert!(month.is_some() || Lexicon::of(&to).is_none(), "{tag}");
        }
    }
}
