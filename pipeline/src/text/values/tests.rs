//! Tests of `values.rs`.

use super::*;

fn found(text: &str, language: &str) -> Vec<(ValueKind, String)> {
    let values = values(text, &Locale::parse(language).unwrap());
    values
        .into_iter()
        .map(|value| (value.kind, text[value.range].to_owned()))
        .collect()
}

#[test]
fn values_are_found_r_v1() {
    for (text, expected) in [
        (
            "Open 10am to 5:30 p.m. daily",
            vec![(ValueKind::Time, "10am"), (ValueKind::Time, "5:30 p.m.")],
        ),
        (
            "17:30 and 9:00-18:00",
            vec![
                (ValueKind::Time, "17:30"),
                (ValueKind::Time, "9:00"),
                (ValueKind::Time, "18:00"),
            ],
        ),
        (
            "On March 5, 2026, and 3rd of May",
            vec![
                (ValueKind::Date, "March 5, 2026"),
                (ValueKind::Date, "3rd of May"),
            ],
        ),
        (
            "since May 2021 or 2021-05-03",
            vec![
                (ValueKind::Date, "May 2021"),
                (ValueKind::Date, "2021-05-03"),
            ],
        ),
        ("Sat: 9", vec![(ValueKind::Weekday, "Sat")]),
        (
            "Mon–Fri, on Sundays",
            vec![
                (ValueKind::Weekday, "Mon"),
                (ValueKind::Weekday, "Fri"),
                (ValueKind::Weekday, "Sundays"),
            ],
        ),
        ("Sun, sea and March winds may come", vec![]),
        ("Sun-dried tomatoes, The Sun: a star, Sat-nav", vec![]),
        ("ALL-IN-ONE SOLUTION, TRY 2 FREE LESSONS", vec![]),
        ("Enter your name, ID and date; CALL NOW, OR WRITE", vec![]),
        (
            "The 1929 Wall Street crash, the 2015 Supreme Court ruling",
            vec![],
        ),
        ("3 in 5 people, a 2-in-1 laptop, 12 in 2021", vec![]),
        ("iPhone 15 May Cost More on 5.3.26", vec![]),
        (
            "Sat. 10am",
            vec![(ValueKind::Weekday, "Sat"), (ValueKind::Time, "10am")],
        ),
        ("in Portland, OR.", vec![(ValueKind::Postal, "OR")]),
        (
            "costs $1,234.56 or 5 €",
            vec![(ValueKind::Price, "$1,234.56"), (ValueKind::Price, "5 €")],
        ),
        (
            "made $1.2 billion, EUR 30",
            vec![
                (ValueKind::Price, "$1.2 billion"),
                (ValueKind::Price, "EUR 30"),
            ],
        ),
        (
            "Call +1 503 555 0142 or (503) 555-0142.",
            vec![
                (ValueKind::Phone, "+1 503 555 0142"),
                (ValueKind::Phone, "(503) 555-0142"),
            ],
        ),
        (
            "503-555-0142, 0117 496 0123",
            vec![
                (ValueKind::Phone, "503-555-0142"),
                (ValueKind::Phone, "0117 496 0123"),
            ],
        ),
        (
            "48 Bay View Street, Portland, OR 97201",
            vec![
                (ValueKind::Street, "48 Bay View Street"),
                (ValueKind::Postal, "OR 97201"),
            ],
        ),
        ("10 Rules Of The Road", vec![]),
        (
            "© 2026 Harbor Lane, Copyright 2012–2026 Bay Street Books",
            vec![],
        ),
        (
            "Is it, OK or not? BS1 4ST",
            vec![(ValueKind::Postal, "BS1 4ST")],
        ),
        (
            "Python 3.11.5 and v2.0",
            vec![(ValueKind::Version, "3.11.5"), (ValueKind::Version, "v2.0")],
        ),
        (
            "SKU HL-1042-B, COVID-19",
            vec![(ValueKind::Article, "HL-1042-B")],
        ),
        (
            "18 × 18 in, at 16:9",
            vec![(ValueKind::Ratio, "18 × 18"), (ValueKind::Ratio, "16:9")],
        ),
        (
            "5 kg in 10 cm, 18 in total, 20°C",
            vec![
                (ValueKind::Measure, "5 kg"),
                (ValueKind::Measure, "10 cm"),
                (ValueKind::Measure, "20°C"),
            ],
        ),
        (
            "5% of 3 billion",
            vec![
                (ValueKind::Percentage, "5%"),
                (ValueKind::Scaled, "3 billion"),
            ],
        ),
        ("a number 42, chapter 3.5, 05/06/26", vec![]),
        ("see https://a.example/2026-01-02/10am", vec![]),
        ("1.234.567 users", vec![]),
    ] {
        let expected: Vec<(ValueKind, String)> = expected
            .into_iter()
            .map(|(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(found(text, "en"), expected, "{text}");
    }
}

#[test]
fn names_are_those_of_the_source_language_r_v1() {
    for (text, language, expected) in [
        (
            "el 5 de marzo de 2026",
            "es",
            vec![(ValueKind::Date, "5 de marzo de 2026")],
        ),
        (
            "am 5. März 2026",
            "de",
            vec![(ValueKind::Date, "5. März 2026")],
        ),
        ("le 1er mai", "fr", vec![(ValueKind::Date, "1er mai")]),
        (
            "3 mil millones",
            "es",
            vec![(ValueKind::Scaled, "3 mil millones")],
        ),
        ("5 de marzo", "en", vec![]),
        ("Das geht so: nur so 3 Leute", "de", vec![]),
        (
            "Mo–Fr 9:00",
            "de",
            vec![
                (ValueKind::Weekday, "Mo"),
                (ValueKind::Weekday, "Fr"),
                (ValueKind::Time, "9:00"),
            ],
        ),
        ("Vimos en el mar 5 barcos, al mar – Reservas", "es", vec![]),
        ("Le jeu : règles", "fr", vec![]),
    ] {
        let expected: Vec<(ValueKind, String)> = expected
            .into_iter()
            .map(|(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(found(text, language), expected, "{text}");
    }
}
