//! Long texts cut at sentences and put together again.

use super::*;
use crate::page::{CodeKind, InlineCode};
use crate::translate::Reasons;
use crate::translate::example::plain;

/// A text in our notation as a segment whose codes all fit.
fn segment(markup: &str) -> Segment {
    let text = CodedText::from_markup(markup).unwrap();
    let mut codes: Vec<(u32, CodeKind)> = Vec::new();
    for piece in text.pieces() {
        match piece {
            TextPiece::Open(id) => codes.push((id, CodeKind::Paired)),
            TextPiece::Single(id) => codes.push((id, CodeKind::Void)),
            TextPiece::Close(_) | TextPiece::Text(_) => {}
        }
    }
    codes.sort_by_key(|(id, _)| *id);
    let codes = codes
        .into_iter()
        .map(|(_, kind)| InlineCode::new(kind, "b"))
        .collect();
    Segment {
        text,
        codes,
        ..plain("")
    }
}

/// The parts of a text; and the text again from the same parts with `change` on them.
fn cut(segment: &Segment, change: fn(&str) -> String) -> (Vec<Segment>, CodedText) {
    let (all, mut parts) = TextParts::of(std::slice::from_ref(segment)).expect("it is long");
    let mut done = None;
    for (index, part) in all.iter().enumerate().skip(1).rev() {
        let outcome = SegmentOutcome::Translated {
            text: part.text.map(change),
            engine: "e".into(),
        };
        assert!(done.is_none(), "more parts come after the last");
        done = parts.take(&all, index, outcome);
    }
    let Some((0, SegmentOutcome::Translated { text, .. })) = done else {
        panic!("{done:?}")
    };
    (all.into_iter().skip(1).collect(), text)
}

#[test]
fn long_texts_are_cut_at_sentences_and_put_together_again() {
    let link = |at: usize| format!("<g id=\"{at}\">the baker</g> opens ");
    for (name, markup) in [
        ("sentences", "The baker opens at seven. ".repeat(2_000)),
        ("no stop", "bread and butter ".repeat(3_000)),
        ("lines", "One line.\n\n  Another one.\n".repeat(2_000)),
        ("no space between", "パンを焼く。".repeat(8_000)),
        ("one word", "bread".repeat(10_000)),
        ("links", (1..4_000).map(link).collect()),
        (
            "one pair around it",
            format!("<g id=\"1\">{}</g> end.", "The baker opens. ".repeat(3_000)),
        ),
        (
            "codes alone",
            format!(
                "a{}",
                (1..30_000)
                    .map(|at| format!("<x id=\"{at}\"/>"))
                    .collect::<String>()
            ),
        ),
        (
            "pairs in pairs",
            (1..9_000)
                .map(|at| format!("<g id=\"{at}\">ab. "))
                .collect::<String>()
                + &"</g>".repeat(8_999),
        ),
    ] {
        let long = segment(markup.trim());
        let (parts, same) = cut(&long, str::to_owned);
        assert!(
            same == long.text,
            "{name}: put together again it is another text"
        );
        for part in &parts {
            let length: usize = part.text.pieces().map(weight).sum();
            assert!(
                length <= LONGEST || name == "one word",
                "{name}: a part of {length}"
            );
            assert!(
                crate::page::check(part, &part.text).is_ok(),
                "{name}: the codes of a part do not fit"
            );
        }
        let (_, changed) = cut(&long, str::to_uppercase);
        assert!(
            crate::page::check(&long, &changed).is_ok(),
            "{name}: the codes of the whole do not fit"
        );
    }
}

#[test]
fn a_part_ends_where_a_sentence_does() {
    let (parts, _) = cut(
        &segment("The baker opens at 7. ".repeat(2_500).trim()),
        str::to_owned,
    );
    assert!(parts.len() < 5, "{} parts", parts.len());
    assert!(
        parts
            .iter()
            .all(|part| part.text.text().ends_with("at 7.") && part.text.text().starts_with("The"))
    );
}

#[test]
fn sentences_from_a_script_without_spaces_get_them_r_w6() {
    for (source, answers, expected) in [
        ("你好。欢迎。", ["Hello.", "Welcome."], "Hello. Welcome."),
        (
            "<g id=\"1\">你好。</g>欢迎。",
            ["Hello.", "Welcome."],
            "<g id=\"1\">Hello.</g> Welcome.",
        ),
        (
            "你好。<g id=\"1\">欢迎。</g>",
            ["Hello.", "Welcome."],
            "Hello. <g id=\"1\">Welcome.</g>",
        ),
        ("你好。 欢迎。", ["Hello.", "Welcome."], "Hello. Welcome."),
        (
            "你好。欢迎。",
            ["こんにちは。", "ようこそ。"],
            "こんにちは。ようこそ。",
        ),
        ("你好。欢迎。", ["你好。", "Welcome."], "你好。Welcome."),
        (
            "Hello.Welcome.",
            ["Hola.", "Bienvenido."],
            "Hola.Bienvenido.",
        ),
    ] {
        let source = segment(source);
        let Some((all, mut parts)) = TextParts::of_sentences(std::slice::from_ref(&source)) else {
            assert_eq!(source.text.text(), "Hello.Welcome.");
            continue;
        };
        let mut done = None;
        for (index, (part, answer)) in all
            .iter()
            .zip([""].iter().chain(&answers))
            .enumerate()
            .skip(1)
        {
            let text = part.text.map(|_| (*answer).to_owned());
            done = parts.take(
                &all,
                index,
                SegmentOutcome::Translated {
                    text,
                    engine: "e".into(),
                },
            );
        }
        let Some((0, SegmentOutcome::Translated { text, .. })) = done else {
            panic!("{done:?}")
        };
        assert_eq!(text.to_markup(), expected);
    }
}

#[test]
fn short_texts_are_not_cut() {
    let at_limit = plain(&"é".repeat(LONGEST));
    assert!(TextParts::of(&[plain("Short."), at_limit]).is_none());
    let (all, parts) = TextParts::of(&[
        plain("Short."),
        plain(&"word ".repeat(5_000)),
        plain("Short."),
    ])
    .unwrap();
    let cut: Vec<bool> = (0..3).map(|index| parts.stands_for(index)).collect();
    assert_eq!((cut, all.len()), (vec![false, true, false], 5));
}

#[test]
fn one_refused_part_has_the_whole_refused() {
    let (all, mut parts) = TextParts::of(&[plain(&"A word. ".repeat(5_000))]).unwrap();
    let refusal = RefusedSegment {
        source: "A word.".into(),
        partly: None,
        reasons: Reasons::default(),
        lasting: true,
        answered: true,
    };
    let mut done = None;
    for index in 1..all.len() {
        let translated = || SegmentOutcome::Translated {
            text: all[index].text.clone(),
            engine: "e".into(),
        };
        let outcome = if index == 1 {
            SegmentOutcome::Refused(refusal.clone())
        } else {
            translated()
        };
        done = parts.take(&all, index, outcome);
    }
    let Some((
        0,
        SegmentOutcome::Refused(RefusedSegment {
            partly,
            reasons,
            lasting,
            answered,
            ..
        }),
    )) = done
    else {
        panic!()
    };
    assert_eq!((reasons, lasting, answered), (refusal.reasons, true, true));
    assert_eq!(
        partly.map(|text| text.text().len()),
        Some(all[0].text.text().len()),
        "the other parts are translated"
    );
}

/// The sentences that engines get of a refused text, and the text with them in capitals.
fn by_sentence(markup: &str) -> (Vec<String>, String) {
    let (all, mut parts) =
        TextParts::of_sentences(&[segment(markup)]).expect("it has two sentences");
    let mut told = None;
    for (index, part) in all.iter().enumerate().skip(1) {
        let text = part.text.map(|text| text.to_uppercase());
        told = parts.take(
            &all,
            index,
            SegmentOutcome::Translated {
                text,
                engine: "e".into(),
            },
        );
    }
    let Some((0, SegmentOutcome::Translated { text, .. })) = told else {
        panic!("{told:?}")
    };
    (
        all.iter()
            .skip(1)
            .map(|part| part.text.to_markup())
            .collect(),
        text.to_markup(),
    )
}

#[test]
fn refused_texts_are_cut_at_each_sentence_r_w6() {
    for (markup, expected) in [
        (
            "It opens. Come in!  Stay.",
            vec!["It opens.", "Come in!", "Stay."],
        ),
        (
            "See <g id=\"1\">the list</g>. Then <g id=\"2\">go</g>.",
            vec!["See <g id=\"1\">the list</g>.", "Then <g id=\"1\">go</g>."],
        ),
        (
            "<g id=\"1\">Note.</g> It opens.",
            vec!["<g id=\"1\">Note.</g>", "It opens."],
        ),
        (
            "<g id=\"1\">It opens. Come in.</g>",
            vec!["It opens.", "Come in."],
        ),
        (
            "See e.<g id=\"1\">g</g>. Fig. 2. Then go.",
            vec!["See e.<g id=\"1\">g</g>. Fig. 2.", "Then go."],
        ),
        (
            "It opens. <x id=\"1\"/>Come in.",
            vec!["It opens.", "Come in."],
        ),
        ("今日は。元気？", vec!["今日は。", "元気？"]),
        (
            "<g id=\"1\">Our house</g><g id=\"2\">Read more</g>",
            vec!["<g id=\"1\">Our house</g>", "<g id=\"1\">Read more</g>"],
        ),
    ] {
        let (parts, whole) = by_sentence(markup);
        assert_eq!(parts, expected, "{markup}");
        assert_eq!(whole.to_lowercase(), markup.to_lowercase());
    }
    for markup in [
        "It opens at 10 a.m. today",
        "No stop",
        "<g id=\"1\">It opens.</g>",
    ] {
        assert!(
            TextParts::of_sentences(&[segment(markup)]).is_none(),
            "{markup}"
        );
    }
}
