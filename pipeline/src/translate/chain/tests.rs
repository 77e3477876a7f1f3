//! The chain as a table of texts, engines and outcomes.
//!
//! One file: one table of texts, engines and outcomes.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;

mod contexts;
mod declined;
mod pages;
mod pending;
mod sentences;
mod terms;

use super::*;
use crate::engines::{
    Ask, AskError, EngineAnswer, EngineError, EnginePlace, EngineRequest, EngineSpec, Markup,
    TranslationUnit, start,
};
use crate::page::CodedText;
use crate::translate::example::{plain, segment, translated};

/// What a fake engine does with one text.
type Answering = fn(&str) -> Result<String, EngineError>;

/// An engine that knows text only and keeps a list of what it was asked.
struct Fake {
    caps: Caps,
    answer: Answering,
    asked: Mutex<Vec<String>>,
    translates: bool,
}

impl Fake {
    fn new(answer: Answering) -> Arc<Self> {
        let caps = Caps {
            markup: Markup::None,
            unit: TranslationUnit::Sentence,
            max_items: 3,
            max_chars: 200,
            parallel: 2,
            place: EnginePlace::InProcess,
            deterministic: true,
            billed: false,
        };
        Arc::new(Self {
            caps,
            answer,
            asked: Mutex::default(),
            translates: true,
        })
    }
}

#[async_trait]
impl Engine for Fake {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        // Engines that answer differently have other fingerprints.
        format!("fake {:p}", self.answer)
    }

    fn offers(&self, pair: LanguagePair<&Locale>) -> Offer {
        if pair.to.as_str() == "xh" {
            Offer::No("install xh".into())
        } else {
            Offer::Yes
        }
    }

    fn translates(&self) -> bool {
        self.translates
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let mut answers = Vec::new();
        for Ask { text, .. } in request.asks {
            assert!(!text.has_codes(), "codes reach it: {text:?}");
            self.asked.lock().unwrap().push(text.text().to_owned());
            let text = CodedText::plain((self.answer)(text.text())?);
            answers.push(Ok(EngineAnswer { text, links: None }));
        }
        Ok(answers)
    }
}

/// Upper case, so that order and completeness show; markers are upper case already.
fn loud(text: &str) -> Result<String, EngineError> {
    Ok(text.to_uppercase())
}

async fn check_answer(
    answer: Answering,
    markup: &str,
    elements: &[&str],
    expected: &str,
) -> Vec<String> {
    let fake = Fake::new(answer);
    let chain = Chain::new(vec![("fake".into(), fake.clone())]);
    let (outcomes, _) = translated(&chain, &[segment(markup, elements)], "es").await;
    assert_eq!(outcomes[&0], expected, "{markup}");
    fake.asked.lock().unwrap().drain(..).collect()
}

#[tokio::test]
async fn text_engines_never_see_codes_and_every_code_comes_back() {
    for (facts, markup, elements, expected, asked) in [
        ("F-13", "hello", vec![], "HELLO", vec!["hello"]),
        (
            "F-14",
            "Hello %1$s, <g id=\"1\">%3$s</g> ok",
            vec!["b"],
            "HELLO %1$s, <g id=\"1\">%3$s</g> OK",
            vec!["Hello XC1,", "ok"],
        ),
        (
            "F-16",
            "<g id=\"1\">Save time<x id=\"2\"/></g>by it",
            vec!["b", "br"],
            "<g id=\"1\">SAVE TIME<x id=\"2\"/></g>BY IT",
            vec!["Save time", "by it"],
        ),
        (
            "F-17",
            "I <g id=\"1\">like</g> to <g id=\"2\">drive</g> this car.",
            vec!["b", "u"],
            "I <g id=\"1\">LIKE</g> TO <g id=\"2\">DRIVE</g> THIS CAR.",
            vec!["I", "to", "like", "drive", "this car."],
        ),
        (
            "F-18 pair in a word",
            "it is under<g id=\"1\">line</g>d now",
            vec!["u"],
            "IT IS <g id=\"1\">UNDERLINED</g> NOW",
            vec!["now", "it is", "underlined"],
        ),
        (
            "F-18 footnote",
            "word<g id=\"1\"><g id=\"2\">1</g></g> end",
            vec!["sup", "a"],
            "WORD<g id=\"1\"><g id=\"2\">1</g></g> END",
            vec!["end", "word"],
        ),
        (
            "F-18 br",
            "one<x id=\"1\"/>two",
            vec!["br"],
            "ONE<x id=\"1\"/>TWO",
            vec!["one", "two"],
        ),
        (
            "F-21",
            "1-<g id=\"1\">London, Paris</g>",
            vec!["i"],
            "1-<g id=\"1\">LONDON, PARIS</g>",
            vec!["London, Paris"],
        ),
        (
            "F-22",
            "<g id=\"1\">@<g id=\"2\">npub</g></g>News text",
            vec!["a", "i"],
            "<g id=\"1\">@<g id=\"2\">NPUB</g></g>NEWS TEXT",
            vec!["News text", "npub"],
        ),
        (
            "F-23",
            "<g id=\"1\">Kamera</g>\n* <g id=\"2\">Akku</g>",
            vec!["c", "c"],
            "<g id=\"1\">KAMERA</g>\n* <g id=\"2\">AKKU</g>",
            vec!["Akku", "Kamera"],
        ),
        (
            "F-25",
            "Click <x id=\"1\"/> to go on",
            vec!["b"],
            "CLICK <x id=\"1\"/> TO GO ON",
            vec!["Click XC1 to go on"],
        ),
        (
            "F-26",
            "<g id=\"1\">Wait! </g>not<g id=\"2\"> to ...</g>",
            vec!["em", "em"],
            "<g id=\"1\">WAIT! </g>NOT<g id=\"2\"> TO ...</g>",
            vec!["not", "Wait!", "to ..."],
        ),
        (
            "F-29",
            "Some text before, <g id=\"1\">link</g>: after",
            vec!["a"],
            "SOME TEXT BEFORE, <g id=\"1\">LINK</g>: AFTER",
            vec!["link", "after", "Some text before,"],
        ),
        (
            "F-40 links side by side",
            "<g id=\"1\">docs</g><g id=\"2\">blog</g>",
            vec!["a", "a"],
            "<g id=\"1\">DOCS</g><g id=\"2\">BLOG</g>",
            vec!["blog", "docs"],
        ),
        (
            "F-40 links side by side, with a framework's marks between",
            "<g id=\"1\">docs</g><x id=\"2\"/><x id=\"3\"/><g id=\"4\">blog</g>",
            vec!["a", "!--", "!--", "a"],
            "<g id=\"1\">DOCS</g><x id=\"2\"/><x id=\"3\"/><g id=\"4\">BLOG</g>",
            vec!["blog", "docs"],
        ),
        (
            "F-40 elements side by side, each a text",
            "<g id=\"1\">Next page</g><g id=\"2\">What we sell</g>",
            vec!["span", "span"],
            "<g id=\"1\">NEXT PAGE</g><g id=\"2\">WHAT WE SELL</g>",
            vec!["What we sell", "Next page"],
        ),
        (
            "F-40",
            "<g id=\"1\">c</g><g id=\"2\">h</g><g id=\"3\">i</g>",
            vec!["i", "i", "i"],
            "! fake: its letters stand in elements of their own, one by one",
            vec![],
        ),
        (
            "F-25 pictures at the ends",
            "<x id=\"1\"/> 🚀 Go <x id=\"2\"/> on <x id=\"3\"/>",
            vec!["img"; 3],
            "<x id=\"1\"/> 🚀 GO <x id=\"2\"/> ON <x id=\"3\"/>",
            vec!["Go XC1 on"],
        ),
        (
            "halves",
            "a b<x id=\"1\"/> c <x id=\"2\"/>d e",
            vec!["-b", "+b"],
            "A B<x id=\"1\"/> C <x id=\"2\"/>D E",
            vec!["c", "a b", "d e"],
        ),
        (
            "sentences",
            "Go to a.example.  Then stop.",
            vec![],
            "GO TO a.example.  THEN STOP.",
            vec!["Then stop.", "Go to XC1."],
        ),
        (
            "other script",
            "日本語 text",
            vec![],
            "日本語 TEXT",
            vec!["日本語 text"],
        ),
        (
            "nothing to say",
            "<x id=\"1\"/> 日本語 https://a.example/",
            vec!["img"],
            "=",
            vec![],
        ),
        (
            "marker in the text",
            "XC1 is <x id=\"1\"/> here",
            vec!["code"],
            "XC1 IS <x id=\"1\"/> HERE",
            vec!["XC1 is XQ1 here"],
        ),
    ] {
        let mut seen = check_answer(loud, markup, &elements, expected).await;
        let mut asked = asked;
        seen.sort();
        asked.sort_unstable();
        assert_eq!(seen, asked, "{facts}: {markup}");
    }
}

#[tokio::test]
async fn f24_eleven_protected_codes_come_back_once_each_and_in_order() {
    let codes: Vec<String> = (1..=11)
        .map(|id| format!("set <x id=\"{id}\"/> and"))
        .collect();
    let markup = codes.join(" ");
    let expected = markup.replace("set", "SET").replace("and", "AND");
    check_answer(loud, &markup, &["x"; 11], &expected).await;
}

#[tokio::test]
async fn rubbish_of_a_text_engine_is_refused_with_its_reason() {
    let rubbish: [(Answering, &str); 8] = [
        (
            |_| Ok(String::new()),
            "! fake: a part of it came back empty",
        ),
        // What loses its markers is asked for again without any.
        (
            |text| Ok(text.replace("XC1", "lost")),
            "Use <x id=\"1\"/> now",
        ),
        (
            |text| Ok(text.replace("XC1", "XC1 XC1").replace("now", "ya")),
            "Use <x id=\"1\"/> ya",
        ),
        (
            |text| Ok(format!("{text} XC7")),
            "! fake: it invents the marker XC7",
        ),
        (
            |text| Ok(format!("{text} 42")),
            "! fake: its numbers differ from the source [numbers]",
        ),
        (
            |text| Ok(format!("{text} {}", "bla ".repeat(6))),
            "! fake: it repeats \"bla\" without end [repetition]",
        ),
        (
            |_| Err(EngineError::Bad("oh".into())),
            "! fake: the engine's answer makes no sense: oh",
        ),
        (
            |text| Ok(text.replace("Use", "<script>x</script>\u{0}Usa\r\n")),
            "&lt;script&gt;x&lt;/script&gt;Usa <x id=\"1\"/> now",
        ),
    ];
    for (answer, expected) in rubbish {
        check_answer(answer, "Use <x id=\"1\"/> now", &["code"], expected).await;
    }
}

#[tokio::test]
async fn equal_texts_are_asked_once_and_texts_without_letters_never() {
    let fake = Fake::new(loud);
    let chain = Chain::new(vec![("fake".into(), fake.clone())]);
    let texts = [
        plain("Home"),
        segment("<g id=\"1\">Home</g> page", &["a"]),
        plain("42 %"),
        plain("%s"),
    ];
    let (outcomes, tally) = translated(&chain, &texts, "es").await;
    assert_eq!(
        outcomes.values().map(String::as_str).collect::<Vec<_>>(),
        ["HOME", "<g id=\"1\">HOME</g> PAGE", "=", "="]
    );
    assert_eq!(*fake.asked.lock().unwrap(), ["Home", "page"]);
    assert_eq!(
        (
            tally.calls,
            tally.characters,
            tally.translated,
            tally.untouched
        ),
        (1, 8, 2, 2)
    );
}

#[tokio::test]
async fn f48_texts_never_bleed_into_each_other() {
    let texts: Vec<Segment> = (0..40)
        .map(|n| segment(&format!("Page {n} <x id=\"1\"/> not found"), &["br"]))
        .collect();
    let chain = Chain::new(vec![("fake".into(), Fake::new(loud))]);
    let (outcomes, _) = translated(&chain, &texts, "es").await;
    for (n, told) in outcomes {
        assert_eq!(told, format!("PAGE {n} <x id=\"1\"/> NOT FOUND"));
    }
}

#[tokio::test]
async fn what_one_engine_gets_wrong_falls_to_the_next() {
    let picky = Fake::new(|text| {
        if text.contains("hard") {
            Ok(String::new())
        } else {
            loud(text)
        }
    });
    let second = Fake::new(|text| {
        if text.contains("very") {
            Ok("1".into())
        } else {
            Ok(format!("2nd {text}").replace("2nd", "second"))
        }
    });
    let chain = Chain::new(vec![("one".into(), picky), ("two".into(), second.clone())]);
    let (outcomes, tally) = translated(
        &chain,
        &[plain("easy"), plain("hard"), plain("very hard")],
        "es",
    )
    .await;
    assert_eq!(outcomes[&0], "EASY");
    assert_eq!(outcomes[&1], "second hard");
    assert_eq!(
        outcomes[&2],
        "! one: a part of it came back empty; then two: its numbers differ from the source [numbers]"
    );
    assert_eq!(*second.asked.lock().unwrap(), ["hard", "very hard"]);
    assert_eq!(
        (
            tally.translated,
            tally.refused,
            tally.engines["two"].translated
        ),
        (2, 1, 1)
    );
}

#[tokio::test]
async fn one_bad_text_does_not_take_its_batch_along() {
    let chain = Chain::new(vec![(
        "fake".into(),
        Fake::new(|text| {
            if text == "poison" {
                Err(EngineError::Transport("died".into()))
            } else {
                loud(text)
            }
        }),
    )]);
    let (outcomes, _) =
        translated(&chain, &[plain("one"), plain("poison"), plain("two")], "es").await;
    assert_eq!(
        outcomes.values().map(String::as_str).collect::<Vec<_>>(),
        ["ONE", "! fake: the engine cannot be reached: died", "TWO",]
    );
}

#[tokio::test]
async fn a_final_error_stops_the_engine_and_is_told_for_every_text() {
    let broke = Fake::new(|_| Err(EngineError::Quota("month".into())));
    let chain = Chain::new(vec![("broke".into(), broke.clone())]);
    let texts: Vec<Segment> = [
        "a one", "b two", "c three", "d four", "e five", "f six", "g seven",
    ]
    .map(plain)
    .into();
    let (outcomes, tally) = translated(&chain, &texts, "es").await;
    assert!(
        outcomes
            .values()
            .all(|told| told.contains("quota is used up: month")),
        "{outcomes:?}"
    );
    assert!(
        broke.asked.lock().unwrap().len() <= 2,
        "asked on after the quota was used up"
    );
    assert_eq!(tally.refused, 7);
}

#[tokio::test]
async fn a_missing_pair_is_no_failure_and_says_what_would_help() {
    let languages = LanguagePair::of_tags("en", "xh");
    let chain = Chain::new(vec![("fake".into(), Fake::new(loud))]);
    assert!(!chain.offers(languages.as_ref()));
    assert_eq!(chain.hints(languages.as_ref()), ["fake: install xh"]);
    let (outcomes, tally) = translated(&chain, &[plain("text"), plain("7")], "xh").await;
    assert_eq!(
        (
            outcomes[&0].as_str(),
            outcomes[&1].as_str(),
            tally.unavailable
        ),
        ("?", "=", 1)
    );
}

#[tokio::test]
async fn identity_gives_every_text_back_and_pseudo_changes_every_letter() {
    let texts = [
        segment("A <g id=\"1\">b</g> &amp; <x id=\"2\"/> é", &["a", "img"]),
        plain("No.  1"),
    ];
    for (spec, expected) in [
        (
            EngineSpec::Identity,
            ["A <g id=\"1\">b</g> &amp; <x id=\"2\"/> é", "No.  1"],
        ),
        (
            EngineSpec::Pseudo,
            [
                "⟦Å <g id=\"1\">ƀ</g> &amp; <x id=\"2\"/> ẹ\u{301}⟧",
                "⟦Ñö.  1⟧",
            ],
        ),
    ] {
        let chain = Chain::new(vec![("e".into(), start(&spec).unwrap())]);
        let (outcomes, _) = translated(&chain, &texts, "fr").await;
        assert_eq!(
            outcomes.values().map(String::as_str).collect::<Vec<_>>(),
            expected
        );
    }
}

/// A build asks a chain for some thousand texts at a time.
#[tokio::test]
async fn an_engine_that_is_given_up_stays_so_when_the_chain_is_asked_again() {
    let dead =
        Arc::into_inner(Fake::new(|_| Err(EngineError::Absent("it is gone".into())))).unwrap();
    let dead = Arc::new(Fake {
        caps: Caps {
            place: EnginePlace::Remote,
            ..dead.caps
        },
        ..dead
    });
    let chain = Chain::new(vec![
        ("dead".into(), dead.clone()),
        ("loud".into(), Fake::new(loud)),
    ]);
    let pace = EnginePace {
        deadline: Duration::from_secs(1),
        pause: Duration::ZERO,
    };
    let chain = chain.at_pace(pace);
    let mut asked = Vec::new();
    for _ in 0..3 {
        let (outcomes, _) = translated(&chain, &[plain("bread"), plain("butter")], "es").await;
        assert_eq!(
            outcomes.values().map(String::as_str).collect::<Vec<_>>(),
            ["BREAD", "BUTTER"]
        );
        asked.push(dead.asked.lock().unwrap().len());
    }
    assert!(asked[0] > 0, "it was not asked at all");
    assert_eq!(asked[0], asked[2], "{asked:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]
    #[test]
    fn random_coded_texts_keep_their_codes_exactly(choices in proptest::collection::vec(0_usize..14, 1..24)) {
        let (markup, elements) = scramble(&choices);
        let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
        let text = segment(&markup, &elements);
        let fake = Arc::into_inner(Fake::new(|text| Ok(text.to_owned()))).unwrap();
        let fake = Arc::new(Fake { translates: false, ..fake });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let chain = Chain::new(vec![("fake".into(), fake)]);
        let mut told = None;
        let languages = LanguagePair::of_tags("en", "es");
        let texts = [text.clone()];
        runtime.block_on(chain.translate(languages.as_ref(), &texts, &mut |_, outcome| told = Some(outcome)));
        match told.unwrap() {
            SegmentOutcome::Translated { text: translated, .. } => {
                proptest::prop_assert_eq!(crate::page::check(&text, &translated), Ok(()));
                proptest::prop_assert_eq!(translated.text(), text.text.text());
            }
            SegmentOutcome::Refused(refusal) => proptest::prop_assert!(refusal.reasons.to_string().contains("cut a word"), "{}", refusal.reasons),
            SegmentOutcome::Untouched => {}
            SegmentOutcome::Unavailable => proptest::prop_assert!(false),
        }
    }
}

/// A well-nested text with codes, and its elements, from random choices.
fn scramble(choices: &[usize]) -> (String, Vec<String>) {
    const WORDS: [&str; 7] = ["word ", "Ünï", " %s", "a.html ", " 1,5. ", "💾", "x "];
    let mut markup = String::from("W");
    let mut elements = Vec::new();
    let mut open = 0;
    for &choice in choices {
        match choice {
            0..=6 => markup.push_str(WORDS[choice]),
            7 | 8 => {
                elements.push(if choice == 7 { "a" } else { "sup" }.to_owned());
                markup.push_str(&format!("<g id=\"{}\">", elements.len()));
                open += 1;
            }
            9 | 10 if open > 0 => {
                markup.push_str("</g>");
                open -= 1;
            }
            11 if open == 0 => {
                elements.push("-b".into());
                markup.push_str(&format!("<x id=\"{}\"/>", elements.len()));
            }
            _ => {
                elements.push(["img", "code", "br"][choice % 3].to_owned());
                markup.push_str(&format!("<x id=\"{}\"/>", elements.len()));
            }
        }
    }
    markup.push('e');
    markup.push_str(&"</g>".repeat(open));
    (markup, elements)
}
