//! Tests of `values.rs`.

use super::*;

fn found(text: &str, language: &str) -> Vec<(Kind, String)> {
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
            vec![(Kind::Time, "10am"), (Kind::Time, "5:30 p.m.")],
        ),
        (
            "17:30 and 9:00-18:00",
            vec![
                (Kind::Time, "17:30"),
                (Kind::Time, "9:00"),
                (Kind::Time, "18:00"),
            ],
        ),
        (
            "On March 5, 2026, and 3rd of May",
            vec![(Kind::Date, "March 5, 2026"), (Kind::Date, "3rd of May")],
        ),
        (
            "since May 2021 or 2021-05-03",
            vec![(Kind::Date, "May 2021"), (Kind::Date, "2021-05-03")],
        ),
        ("Sat: 9", vec![(Kind::Weekday, "Sat")]),
        (
            "Mon–Fri, on Sundays",
            vec![
                (Kind::Weekday, "Mon"),
                (Kind::Weekday, "Fri"),
                (Kind::Weekday, "Sundays"),
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
            vec![(Kind::Weekday, "Sat"), (Kind::Time, "10am")],
        ),
        ("in Portland, OR.", vec![(Kind::Postal, "OR")]),
        (
            "costs $1,234.56 or 5 €",
            vec![(Kind::Price, "$1,234.56"), (Kind::Price, "5 €")],
        ),
        (
            "made $1.2 billion, EUR 30",
            vec![(Kind::Price, "$1.2 billion"), (Kind::Price, "EUR 30")],
        ),
        (
            "Call +1 503 555 0142 or (503) 555-0142.",
            vec![
                (Kind::Phone, "+1 503 555 0142"),
                (Kind::Phone, "(503) 555-0142"),
            ],
        ),
        (
            "503-555-0142, 0117 496 0123",
            vec![
                (Kind::Phone, "503-555-0142"),
                (Kind::Phone, "0117 496 0123"),
            ],
        ),
        (
            "48 Bay View Street, Portland, OR 97201",
            vec![
                (Kind::Street, "48 Bay View Street"),
                (Kind::Postal, "OR 97201"),
            ],
        ),
        ("10 Rules Of The Road", vec![]),
        (
            "© 2026 Harbor Lane, Copyright 2012–2026 Bay Street Books",
            vec![],
        ),
        ("Is it, OK or not? BS1 4ST", vec![(Kind::Postal, "BS1 4ST")]),
        (
            "Python 3.11.5 and v2.0",
            vec![(Kind::Version, "3.11.5"), (Kind::Version, "v2.0")],
        ),
        (
            "SKU HL-1042-B, COVID-19",
            vec![(Kind::Article, "HL-1042-B")],
        ),
        (
            "18 × 18 in, at 16:9",
            vec![(Kind::Ratio, "18 × 18"), (Kind::Ratio, "16:9")],
        ),
        (
            "5 kg in 10 cm, 18 in total, 20°C",
            vec![
                (Kind::Measure, "5 kg"),
                (Kind::Measure, "10 cm"),
                (Kind::Measure, "20°C"),
            ],
        ),
        (
            "5% of 3 billion",
            vec![(Kind::Percentage, "5%"), (Kind::Scaled, "3 billion")],
        ),
        ("a number 42, chapter 3.5, 05/06/26", vec![]),
        ("see https://a.example/2026-01-02/10am", vec![]),
        ("1.234.567 users", vec![]),
    ] {
        let expected: Vec<(Kind, String)> = expected
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
            vec![(Kind::Date, "5 de marzo de 2026")],
        ),
        ("am 5. März 2026", "de", vec![(Kind::Date, "5. März 2026")]),
        ("le 1er mai", "fr", vec![(Kind::Date, "1er mai")]),
        (
            "3 mil millones",
            "es",
            vec![(Kind::Scaled, "3 mil millones")],
        ),
        ("5 de marzo", "en", vec![]),
        ("Das geht so: nur so 3 Leute", "de", vec![]),
        (
            "Mo–Fr 9:00",
            "de",
            vec![
                (Kind::Weekday, "Mo"),
                (Kind::Weekday, "Fr"),
                (Kind::Time, "9:00"),
            ],
        ),
        ("Vimos en el mar 5 barcos, al mar – Reservas", "es", vec![]),
        ("Le jeu : règles", "fr", vec![]),
    ] {
        let expected: Vec<(Kind, String)> = expected
            .into_iter()
            .map(|(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(found(text, language), expected, "{text}");
    }
}
