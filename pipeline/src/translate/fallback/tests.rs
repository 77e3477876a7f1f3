//! Against an engine that puts words in any order and tells which became which, well or badly.

use proptest::prelude::*;

use super::*;
use crate::engines::{EnginePlace, WordLink};
use crate::model::{LanguagePair, Manner};
use crate::page::check;
use crate::translate::example::segment;
use crate::translate::terms::{Matching, Term};

fn caps() -> Caps {
    Caps {
        markup: Markup::Links,
        unit: TranslationUnit::Block,
        max_items: 1,
        max_chars: 1_000,
        parallel: 1,
        place: EnginePlace::InProcess,
        deterministic: true,
        billed: false,
    }
}

/// The words of a text in the order that `order` gives, each linked to where it came from, some to another word.
fn answer(
    text: &str,
    order: impl Fn(usize, usize) -> usize,
    wrong: impl Fn(usize) -> bool,
) -> EngineAnswer {
    let words: Vec<(usize, &str)> = text
        .split(' ')
        .scan(0, |at, word| {
            Some((std::mem::replace(at, *at + word.len() + 1), word))
        })
        .collect();
    let mut turned = String::new();
    let mut links = Vec::new();
    let mut numbers: Vec<usize> = (0..words.len()).collect();
    numbers.sort_by_key(|&number| order(number, words.len()));
    for number in numbers {
        let (_, word) = words[number];
        turned.push_str(if turned.is_empty() { "" } else { " " });
        let (at, said) = words[if wrong(number) { number / 2 } else { number }];
        let sources = std::iter::once(at..at + said.len()).collect();
        links.push(WordLink {
            target: turned.len()..turned.len() + word.len(),
            sources,
        });
        turned.push_str(word);
    }
    EngineAnswer {
        text: CodedText::plain(turned),
        links: Some(links),
    }
}

fn assemble(
    segment: &Segment,
    fallback: Fallback,
    answer: impl Fn(&str) -> EngineAnswer,
) -> Result<CodedText, String> {
    let plan = plan(
        segment,
        fallback,
        &Locale::parse("en").unwrap(),
        &caps(),
        Glossed {
            terms: &Terms::default(),
            forced: false,
            translates: true,
            values: None,
        },
    )?;
    let answers: Vec<EngineAnswer> = plan.asks.iter().map(|asked| answer(&asked.text)).collect();
    plan.assemble(&answers.iter().collect::<Vec<_>>(), &Terms::default())
}

fn reversed(text: &str) -> EngineAnswer {
    answer(text, |number, count| count - number, |_| false)
}

#[test]
fn pairs_go_where_their_words_go() {
    for (source, elements, expected) in [
        (
            "A <g id=\"1\">red</g> <g id=\"2\">house</g>",
            &["b", "i"][..],
            "<g id=\"2\">house</g> <g id=\"1\">red</g> A",
        ),
        (
            "See <g id=\"1\">the red house</g> there",
            &["a"],
            "there <g id=\"1\">house red the</g> See",
        ),
        (
            "<g id=\"1\">All of it</g>",
            &["a"],
            "<g id=\"1\">it of All</g>",
        ),
        // Signs that stand outside stay outside.
        (
            "the <g id=\"1\">house</g>, now",
            &["a"],
            "now <g id=\"1\">house</g>, the",
        ),
        (
            "Go <g id=\"1\">to <g id=\"2\">the end</g> now</g> please",
            &["a", "b"],
            "please <g id=\"1\">now <g id=\"2\">end the</g> to</g> Go",
        ),
        (
            "Press <x id=\"1\"/> in <g id=\"2\">the box</g>",
            &["kbd", "b"],
            "<g id=\"2\">box the</g> in <x id=\"1\"/> Press",
        ),
        // What has no letter travels as one word.
        (
            "One <g id=\"1\">+</g> <g id=\"2\">two words</g>",
            &["b", "i"],
            "<g id=\"2\">words two</g> <g id=\"1\">+</g> One",
        ),
        // The number of a footnote stays at its word.
        (
            "The <g id=\"2\">word<g id=\"1\">1</g> here</g> is",
            &["sup", "a"],
            "is <g id=\"2\">here<g id=\"1\">1</g> word</g> The",
        ),
        // A line break cuts, and so do the pairs around it.
        (
            "a b <g id=\"1\">c d<x id=\"2\"/>e f</g> g h",
            &["b", "br"],
            "b a <g id=\"1\">d c<x id=\"2\"/>f e</g> h g",
        ),
        // A menu is no sentence.
        (
            "<g id=\"1\">My home</g> | <g id=\"2\">Our team</g>",
            &["a", "a"],
            "<g id=\"1\">home My</g> | <g id=\"2\">team Our</g>",
        ),
    ] {
        let text = assemble(&segment(source, elements), Fallback::Projected, reversed)
            .map(|text| text.to_markup());
        assert_eq!(text.as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn quotes_stay_inside_of_a_pair() {
    let segment = segment("See <g id=\"1\">“Our team”</g>.", &["a"]);
    // The engine tells nothing of the signs, and writes quotes of its own.
    let translate = |_: &str| {
        let said = "Vea \"Nuestro equipo\".";
        let link = |word: &str, source: Range<usize>| {
            let at = said.find(word).unwrap();
            WordLink {
                target: at..at + word.len(),
                sources: std::iter::once(source).collect(),
            }
        };
        let links = vec![
            link("Vea", 0..3),
            link("Nuestro", 7..10),
            link("equipo", 11..15),
        ];
        EngineAnswer {
            text: CodedText::plain(said),
            links: Some(links),
        }
    };
    let text = assemble(&segment, Fallback::Projected, translate).map(|text| text.to_markup());
    assert_eq!(
        text.as_deref(),
        Ok("Vea <g id=\"1\">\"Nuestro equipo\"</g>.")
    );
}

#[test]
fn a_pair_without_a_word_falls_to_the_next_fallback() {
    let segment = segment("A <g id=\"1\">red</g> house", &["b"]);
    let mute = |text: &str| EngineAnswer {
        links: None,
        ..reversed(text)
    };
    let failed = assemble(&segment, Fallback::Projected, mute);
    assert_eq!(failed, Err("no word of it stands for inline code 1".into()));
    let text = assemble(&segment, Fallback::Markers, mute).map(|text| text.to_markup());
    assert_eq!(text.as_deref(), Ok("A <g id=\"1\">red</g> house"));
}

/// A text of words, numbers and signs with pairs and single codes anywhere.
fn texts() -> impl Strategy<Value = Segment> {
    let part = prop_oneof![
        6 => " [a-z]{1,6}",
        1 => "[0-9]{1,3}|[.,!+(]| ",
        1 => Just("<".to_owned()),
        1 => Just(">".to_owned()),
        1 => Just("x".to_owned()),
    ];
    prop::collection::vec((part, any::<bool>()), 1..40).prop_map(|parts| {
        let mut markup = String::new();
        let mut elements = Vec::new();
        let mut open = 0;
        for (part, space) in parts {
            markup.push_str(if space { " " } else { "" });
            match part.as_str() {
                "<" => {
                    elements.push("b");
                    open += 1;
                    markup.push_str(&format!("<g id=\"{}\">", elements.len()));
                }
                ">" if open > 0 => {
                    open -= 1;
                    markup.push_str("</g>");
                }
                "x" => {
                    elements.push(["br", "img", "code"][elements.len() % 3]);
                    markup.push_str(&format!("<x id=\"{}\"/>", elements.len()));
                }
                ">" => {}
                words => markup.push_str(words),
            }
        }
        segment(&(markup + &"</g>".repeat(open)), &elements)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_breaks_a_text(segment in texts(), salt in 1..97_usize, wrong in 1..5_usize) {
        let shuffled = |text: &str| answer(text, |number, _| (number * salt) % 101, |number| number % wrong == 1);
        for fallback in [Fallback::Projected, Fallback::Markers, Fallback::Apart] {
            let Ok(_) = plan(&segment, fallback, &Locale::parse("en").unwrap(), &caps(), Glossed { terms: &Terms::default(), forced: false, translates: true, values: None }) else { continue };
            match assemble(&segment, fallback, shuffled) {
                Ok(text) => prop_assert_eq!(check(&segment, &text), Ok(()), "{:?} {}", fallback, text.to_markup()),
                Err(reason) => prop_assert!(fallback == Fallback::Projected, "{:?} {}", fallback, reason),
            }
        }
    }
}

#[test]
fn terms_travel_as_whole_words_only() {
    let term = |form: &str, matching| Term {
        source: vec![form.into()],
        target: Vec::new(),
        keeps_case: false,
        matching,
        is_name: false,
    };
    let terms = Terms::new(vec![
        term("config", Matching::Start),
        term("schiff", Matching::Part),
    ]);
    let glossed = Glossed {
        terms: &terms,
        forced: true,
        translates: true,
        values: None,
    };
    let fixed = |text: &'static str| {
        glossed
            .fixed(text)
            .into_iter()
            .map(|(range, _)| &text[range])
            .collect::<Vec<_>>()
    };
    assert_eq!(fixed("a configured Luftschiff"), ["configured"]);
    assert_eq!(fixed("das Schiff"), ["Schiff"]);
}

/// Texts that an engine gets for a text in an element.
fn asked(text: &str, origin: &'static str) -> Vec<String> {
    asked_with(&[], text, origin)
}

/// The same on a site with names.
fn asked_with(names: &[&str], text: &str, origin: &'static str) -> Vec<String> {
    let names = names.iter().map(|name| Term {
        source: vec![(*name).to_owned()],
        target: Vec::new(),
        keeps_case: true,
        matching: Matching::Word,
        is_name: true,
    });
    let terms = Terms::new(names.collect());
    let mut segment = segment(text, &[]);
    segment.origin = origin.into();
    asked_of(&segment, &terms)
}

fn asked_of(segment: &Segment, terms: &Terms) -> Vec<String> {
    let from = Locale::parse("en").unwrap();
    let to = Locale::parse("es").unwrap();
    let values = Some((
        Manner::default(),
        LanguagePair {
            from: &from,
            to: &to,
        },
    ));
    let glossed = Glossed {
        terms,
        forced: false,
        translates: true,
        values,
    };
    let plan = plan(segment, Fallback::Projected, &from, &caps(), glossed).unwrap();
    plan.asks.into_iter().map(|asked| asked.text).collect()
}

#[test]
fn titles_are_cut_at_their_signs_r_n1() {
    for (text, origin, expected) in [
        (
            "Opening hours | Harbor Lane",
            "title",
            vec!["Opening hours", "Harbor Lane"],
        ),
        (
            "Opening hours – Harbor Lane",
            "title",
            vec!["Opening hours", "Harbor Lane"],
        ),
        (
            "Guide › Install › Linux",
            "p",
            vec!["Guide", "Install", "Linux"],
        ),
        (
            "Guide :: Install » Linux",
            "title",
            vec!["Guide", "Install", "Linux"],
        ),
        // A dash in a sentence is a part of it.
        (
            "We bake – every day – at night",
            "p",
            vec!["We bake – every day – at night"],
        ),
        ("A|B testing", "p", vec!["A|B testing"]),
    ] {
        assert_eq!(asked(text, origin), expected, "{text}");
    }
}

#[test]
fn engines_that_know_text_get_no_names_r_n2() {
    let names = ["Harbor Lane Coffee", "Heron & Rye", "Rust"];
    for (text, origin, expected) in [
        (
            "Welcome to Harbor Lane Coffee",
            "h1",
            vec!["Welcome to XC1"],
        ),
        (
            "Heron & Rye sells rolls & bread",
            "p",
            vec!["XC1 sells rolls and bread"],
        ),
        // A year and a name are no address.
        (
            "© 2026 Harbor Lane Coffee. Photos by us.",
            "footer",
            vec!["© 2026 XC1. Photos by us."],
        ),
        ("Bread | Heron & Rye", "title", vec!["Bread"]),
        ("Heron & Rye - Bread", "title", vec!["Bread"]),
        ("Heron & Rye", "img alt", vec![]),
        (
            "Learn Rust, or remove rust from rustc",
            "p",
            vec!["Learn XC1, or remove rust from rustc"],
        ),
        ("Trusted by RUST", "p", vec!["Trusted by RUST"]),
    ] {
        assert_eq!(asked_with(&names, text, origin), expected, "{text}");
    }
}

#[test]
fn numbers_of_sections_are_not_told_r_w8() {
    for (text, expected) in [
        ("6.2.3. System Upgrade", "System Upgrade"),
        ("A.1. Census and Cooperation", "Census and Cooperation"),
        ("3.11 is out", "3.11 is out"),
        ("Python 3.11.5. Released", "Python XC1. Released"),
    ] {
        assert_eq!(asked(text, "h2"), [expected], "{text}");
    }
}

#[test]
fn dates_that_begin_a_text_are_labels_r_v2() {
    assert_eq!(asked("1 March 2026 by Ana", "p"), ["XC1 by Ana"]);
    assert_eq!(
        asked("March 5, 2026 is our day.", "p"),
        ["March 5, 2026 is our day."]
    );
    let tagged = segment("We open <g id=\"1\">March 5, 2026</g>", &["b"]);
    assert_eq!(
        asked_of(&tagged, &Terms::default()),
        ["We open March 5, 2026"]
    );
}

#[test]
fn engines_are_told_times_and_signs_as_words_r_w7() {
    for (text, expected) in [
        ("Rye & wheat until 5:30 pm", "Rye and wheat until 17:30"),
        ("AT&T opens at 10am", "AT&T opens at 10:00"),
        ("Pay $40 on March 5", "Pay XC1 XC2"),
    ] {
        assert_eq!(asked(text, "p"), [expected], "{text}");
    }
}
