//! Which words are carried, which are offered, and which are neither.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::page::{CodedText, Segment, TextClass};
use crate::translate::example::{plain, segment};

fn former(source: &str, words: &str) -> FormerText {
    FormerText {
        source: CodedText::from_markup(source).unwrap(),
        words: words.to_owned(),
        class: TextClass::Prose,
        is_recent: true,
        pages: BTreeSet::new(),
    }
}

fn fresh(text: &str) -> Fresh {
    let codes = vec!["b"; text.matches("id=\"").count()];
    Fresh {
        segment: segment(text, &codes),
        own_class_only: false,
        pages: BTreeSet::new(),
    }
}

fn told(formers: &[FormerText], fresh: &[Fresh], target: &str) -> Vec<(usize, usize, String)> {
    let locale = |tag: &str| Locale::parse(tag).unwrap();
    let tell = |found: Match| {
        let fate = match found.fate {
            TranslationFate::Carried(words) => words.to_markup(),
            TranslationFate::Outdated(percent) => format!("{percent} %"),
        };
        (found.former, found.fresh, fate)
    };
    matches(
        formers,
        fresh,
        LanguagePair {
            from: &locale("en"),
            to: &locale(target),
        },
    )
    .into_iter()
    .map(tell)
    .collect()
}

/// What becomes of words when a text changes: the words that are published, a percentage, or nothing.
fn check_change(target: &str, before: &str, words: &str, after: &str, expected: &str) {
    let found = told(&[former(before, words)], &[fresh(after)], target);
    let found = found.first().map_or("", |(_, _, fate)| fate.as_str());
    assert_eq!(found, expected, "{target}: {before:?} -> {after:?}");
}

#[test]
fn words_are_carried_where_the_wording_is_provably_the_same() {
    for (target, before, words, after, expected) in [
        // A final full stop, in the mark of the language.
        (
            "es",
            "Skip to the content",
            "Saltar al contenido",
            "Skip to the content.",
            "Saltar al contenido.",
        ),
        (
            "es",
            "Skip to the content.",
            "Saltar al contenido.",
            "Skip to the content",
            "Saltar al contenido",
        ),
        (
            "ar",
            "Skip to the content",
            "الانتقال إلى المحتوى",
            "Skip to the content.",
            "الانتقال إلى المحتوى.",
        ),
        (
            "ja",
            "Skip to the content",
            "本文へ進む",
            "Skip to the content.",
            "本文へ進む。",
        ),
        (
            "ja",
            "Skip to the content.",
            "本文へ進む。",
            "Skip to the content",
            "本文へ進む",
        ),
        ("zh-Hant", "Skip it", "跳過", "Skip it.", "跳過。"),
        ("hi", "Skip it", "छोड़ें", "Skip it.", "छोड़ें।"),
        ("ur", "Skip it", "چھوڑیں", "Skip it.", "چھوڑیں۔"),
        ("th", "Skip it", "ข้าม", "Skip it.", "ข้าม"),
        ("es", "Skip it", "¡Sáltelo!", "Skip it.", "¡Sáltelo!"),
        ("es", "Skip it", "Sáltelo.", "Skip it.", "Sáltelo."),
        (
            "es",
            "Made by Acme.",
            "Hecho por Acme S.A.",
            "Made by Acme",
            "Hecho por Acme S.A.",
        ),
        ("es", "Say \"go\"", "Diga «ya»", "Say \"go\".", "Diga «ya»."),
        // Beside inline codes.
        (
            "es",
            "<g id=\"1\">Skip</g>",
            "<g id=\"1\">Saltar</g>",
            "<g id=\"1\">Skip.</g>",
            "<g id=\"1\">Saltar.</g>",
        ),
        (
            "es",
            "<g id=\"1\">Skip</g>",
            "<g id=\"1\">Saltar</g>",
            "<g id=\"1\">Skip</g>.",
            "<g id=\"1\">Saltar</g>.",
        ),
        (
            "es",
            "Use <x id=\"1\"/>",
            "Use <x id=\"1\"/>",
            "Use <x id=\"1\"/>.",
            "Use <x id=\"1\"/>.",
        ),
        // Shapes and white space.
        (
            "es",
            "The baker's \"loaf\" - ours",
            "Nuestra hogaza",
            "The baker’s “loaf” – ours",
            "Nuestra hogaza",
        ),
        (
            "es",
            "Bread -- and more",
            "Pan y más",
            "Bread — and more",
            "Pan y más",
        ),
        (
            "es",
            "Open\u{a0}daily",
            "Cada día",
            "Open  daily",
            "Cada día",
        ),
        // Numbers.
        (
            "es",
            "From $26 an hour",
            "Desde $26 por hora",
            "From $28 an hour.",
            "Desde $28 por hora.",
        ),
        // Too much, or not certain: an offer.
        (
            "es",
            "Do skip the content",
            "Salte el contenido",
            "Do not skip the content",
            "80 %",
        ),
        ("es", "Only 1 left", "Solo queda 1", "Only 2 left", "66 %"),
        (
            "pl",
            "Only 3 left here",
            "Tu tylko 3",
            "Only 5 left here",
            "75 %",
        ),
        (
            "es",
            "See <g id=\"1\">us</g>",
            "Véanos",
            "See <g id=\"1\">us</g>.",
            "100 %",
        ),
        ("es", "Really go?", "¿Ya?", "Really go!", "100 %"),
        ("es", "Loading it...", "Cargando...", "Loading it", "100 %"),
        (
            "es",
            "Run it with -x now",
            "Con -x",
            "Run it with --x now",
            "100 %",
        ),
        ("es", "We are now here", "Aquí", "We are nowhere", ""),
        (
            "ja",
            "See <g id=\"1\">us</g> all",
            "<g id=\"1\">会う</g>",
            "See <g id=\"1\">us</g> <g id=\"2\">all</g>",
            "80 %",
        ),
        // Neither.
        (
            "es",
            "Skip to the content",
            "Saltar al contenido",
            "Our story and our bread",
            "",
        ),
        ("es", "Open", "Abierto", "Closed", ""),
        ("es", "$4", "4 $", "€4", ""),
    ] {
        check_change(target, before, words, after, expected);
    }
}

#[test]
fn each_text_gets_one_partner_the_best_and_pages_break_ties() {
    let formers = [
        former("Two loaves of rye bread", "A"),
        former("Two loaves of dark rye bread", "B"),
    ];
    let new = [
        fresh("Two loaves of dark rye bread today"),
        fresh("Two loaves of rye bread."),
    ];
    assert_eq!(
        told(&formers, &new, "es"),
        [(1, 0, "85 %".into()), (0, 1, "A.".into())]
    );

    let on = |page: &str| BTreeSet::from([page.to_owned()]);
    let formers = [
        FormerText {
            pages: on("/a/"),
            ..former("Only $3 here", "$3 aquí")
        },
        FormerText {
            pages: on("/b/"),
            ..former("Only $4 here", "Aquí, $4")
        },
    ];
    let new = [Fresh {
        pages: on("/b/"),
        ..fresh("Only $5 here")
    }];
    assert_eq!(told(&formers, &new, "es"), [(1, 0, "Aquí, $5".into())]);
    let recent = [
        FormerText {
            is_recent: false,
            ..former("Hi", "Viejo")
        },
        former("\u{a0}Hi", "Nuevo"),
    ];
    assert_eq!(
        told(&recent, &[fresh("Hi.")], "es"),
        [(1, 0, "Nuevo.".into())]
    );
}

#[test]
fn a_label_takes_words_for_prose_unless_prose_of_the_same_text_does() {
    let label = |text: &str| Segment {
        class: TextClass::Label,
        ..plain(text)
    };
    let new = |own_class_only| {
        [Fresh {
            segment: label("Open."),
            own_class_only,
            pages: BTreeSet::new(),
        }]
    };
    assert_eq!(
        told(&[former("Open", "Abierto")], &new(false), "es"),
        [(0, 0, "Abierto.".into())]
    );
    assert_eq!(told(&[former("Open", "Abierto")], &new(true), "es"), []);
    let for_labels = FormerText {
        class: TextClass::Label,
        ..former("Open", "Abrir")
    };
    assert_eq!(
        told(std::slice::from_ref(&for_labels), &new(true), "es"),
        [(0, 0, "Abrir.".into())]
    );
    assert_eq!(told(&[for_labels], &[fresh("Open.")], "es"), []);
}

#[test]
fn thousands_of_nearly_equal_texts_find_their_partners() {
    let text =
        |n: usize, more: &str| format!("Loaf {n:05}x of our long and tasty list of loaves{more}");
    let formers: Vec<FormerText> = (0..1_200).map(|n| former(&text(n, ""), "Pan")).collect();
    let new: Vec<Fresh> = (0..1_200).map(|n| fresh(&text(n, " today"))).collect();
    let found = told(&formers, &new, "es");
    assert_eq!(
        found.len(),
        1_200,
        "{:?}",
        (0..1_200).find(|n| found.iter().all(|(_, fresh, _)| fresh != n))
    );
    assert!(
        found
            .iter()
            .all(|(former, fresh, fate)| former == fresh && fate == "90 %"),
        "{:?}",
        found.first()
    );
    let prices: Vec<FormerText> = (0..1_200)
        .map(|n| former(&format!("Only ${n}.50"), &format!("Solo ${n}.50")))
        .collect();
    let new: Vec<Fresh> = (0..1_200)
        .map(|n| fresh(&format!("Only ${n}.75")))
        .collect();
    let found = told(&prices, &new, "ja");
    assert!(
        found.len() == 1_200
            && found
                .iter()
                .all(|(_, fresh, words)| *words == format!("Solo ${fresh}.75"))
    );
}

#[test]
fn most_texts_are_seen_to_be_no_heirs() {
    let heirs = Heirs::of(&[
        former("We bake ten loaves of rye bread a day", "A"),
        former("Only $3.50", "B"),
    ]);
    let may_be = [
        "We bake two loaves of rye bread a day.",
        "Only $4.25.",
        "10 loaves of rye bread we bake a day",
    ];
    let are_none = [
        "We bake",
        "We bake one cake a day, of wheat and eggs",
        "Open",
        "",
        "Only now",
    ];
    for (texts, expected) in [
        (&may_be[..2], true),
        (&may_be[2..], false),
        (&are_none, false),
    ] {
        for text in texts {
            assert_eq!(
                heirs.may_include(&CodedText::plain(*text)),
                expected,
                "{text:?}"
            );
        }
    }
    assert!(!Heirs::of(&[]).may_include(&CodedText::plain("We bake")));
}

/// Texts of few words, so that many are similar.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "we",
        "do",
        "not",
        "bake",
        "3",
        "12",
        "loaves",
        "“now”",
        "-",
        "<x id=\"1\"/>",
    ]);
    let text = prop::collection::vec(word, 1..7).prop_map(|words| words.join(" "));
    let text =
        (text, prop::bool::ANY).prop_map(|(text, stop)| if stop { text + "." } else { text });
    let once = |text: &String| text.matches("<x").count() <= 1;
    prop::collection::btree_set(text.prop_filter("one code", once), 0..12)
        .prop_map(|texts| texts.into_iter().collect())
}

proptest! {
    #[test]
    fn only_texts_that_could_be_heirs_are_matched(old in texts(), new in texts()) {
        let formers: Vec<FormerText> = old.iter().map(|text| former(text, text)).collect();
        let texts: Vec<Fresh> = new.iter().map(|text| fresh(text)).collect();
        let heirs = Heirs::of(&formers);
        let is_heir = |at: &usize| heirs.may_include(&texts[*at].segment.text);
        let kept: Vec<usize> = (0..texts.len()).filter(is_heir).collect();
        let chosen: Vec<Fresh> = kept.iter().map(|at| texts[*at].clone()).collect();
        let found = told(&formers, &chosen, "es").into_iter();
        let found: Vec<_> = found.map(|(former, fresh, fate)| (former, kept[fresh], fate)).collect();
        prop_assert_eq!(found, told(&formers, &texts, "es"));
    }

    #[test]
    fn order_decides_nothing_and_nothing_but_form_is_published(old in texts(), new in texts()) {
        let formers: Vec<FormerText> = old.iter().map(|text| former(text, text)).collect();
        let texts: Vec<Fresh> = new.iter().map(|text| fresh(text)).collect();
        let found = told(&formers, &texts, "es");
        let mut reversed = told(
            &formers.iter().rev().cloned().collect::<Vec<_>>(),
            &texts.iter().rev().cloned().collect::<Vec<_>>(),
            "es",
        );
        for (former, fresh, _) in &mut reversed {
            (*former, *fresh) = (formers.len() - 1 - *former, texts.len() - 1 - *fresh);
        }
        reversed.sort_by_key(|(_, fresh, _)| *fresh);
        prop_assert_eq!(&found, &reversed);
        let mut seen = (BTreeSet::new(), BTreeSet::new());
        for (former, fresh, fate) in found {
            prop_assert!(seen.0.insert(former) && seen.1.insert(fresh), "one to one");
            if fate.ends_with('%') {
                continue;
            }
            // Words that are the source itself must become the new source, apart from shapes.
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&fate), letters(&new[fresh]), "{} -> {}", &old[former], &new[fresh]);
        }
    }
}
