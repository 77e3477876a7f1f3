//! Tests of `spelling.rs`.

use proptest::prelude::*;

use super::*;

/// Input of a network from English to Portuguese.
fn reads(character: char) -> bool {
    (character.is_ascii() && !"#<@\\^`{}~".contains(character))
        || "áàâãéêíóôõúç".contains(character)
}

fn spelled(text: &str) -> SpelledText {
    SpelledText::new(text, &reads)
}

#[test]
fn texts_are_sent_as_the_network_reads_them_and_come_back_as_people_write() {
    for (text, sent, answer, expected) in [
        (
            "Press “Save” – now…",
            "Press \"Save\" - now...",
            "Prima \"Salvar\" - agora...",
            "Prima “Salvar” – agora…",
        ),
        ("It’s his", "It's his", "d'água", "d’água"),
        (
            "users’ ‘x’ isn’t",
            "users' \"x\" isn't",
            "\"x\" d'os",
            "‘x’ d’os",
        ),
        ("a ‘b’ c", "a \"b\" c", "\"b\" a c", "‘b’ a c"),
        ("« Oui »", "\"Oui\"", "\"Yes\"", "« Yes »"),
        (
            "word—word",
            "word - word",
            "palavra - palavra",
            "palavra—palavra",
        ),
        ("pages 10–20 of x", "pages 10-20 of x", "x 10-20", "x 10–20"),
        (
            "say \"yes\" to “no”",
            "say \"yes\" to \"no\"",
            "\"sim\" \"não\"",
            "\"sim\" “não”",
        ),
        // Not as many: they stay plain.
        ("“a” and “b”", "\"a\" and \"b\"", "\"a e b\"", "\"a e b\""),
        (
            "the 'best' ’90s",
            "the \"best\" '90s",
            "os '90s \"best\"",
            "os ’90s 'best'",
        ),
        (
            "the ‘90s and boys’ club",
            "the '90s and boys' club",
            "clube dos '90s",
            "clube dos '90s",
        ),
        ("Get ‘em ‚now‘", "Get 'em \"now\"", "\"já\"", "‚já‘"),
        ("« Back", "XC1 Back", "XC1 Voltar", "« Voltar"),
        (
            "a 15\" “Retina” and a \"MP3\"",
            "a XC1 \"Retina\" and a \"MP3\"",
            "\"Retina\" XC1, \"MP3\"",
            "“Retina” 15\", \"MP3\"",
        ),
        // A dash or space at a number goes where the number goes.
        (
            "the 1939–1945 T-34",
            "the 1939-1945 T-34",
            "o T-34 de 1939-1945.",
            "o T-34 de 1939–1945.",
        ),
        (
            "5\u{a0}km in 123‑4567 or 10 km",
            "5 km in 123-4567 or 10 km",
            "10 km, 5 km, 123-4567",
            "10 km, 5\u{a0}km, 123‑4567",
        ),
        (
            "Müller lives in Łódź",
            "Muller lives in Lodz",
            "Muller vive em Lodz",
            "Müller vive em Łódź",
        ),
        ("in Zürich", "in Zurich", "em Zurique", "em Zurique"),
        ("so naïve", "so naive", "tão ingênuo", "tão ingênuo"),
        (
            "café Žižek's",
            "café Zizek's",
            "Zizek do café",
            "Žižek do café",
        ),
        ("in Łó\u{ad}dź", "in Lodz", "em Lodz", "em Łódź"),
        // Short names would be words.
        (
            "2.5 Å in Åre für",
            "2.5 XC1 in XC2 XC3",
            "A XC3 de 2.5 XC1 em XC2",
            "A für de 2.5 Å em Åre",
        ),
        ("It costs £20.", "It costs XC1.", "Custa XC1.", "Custa £20."),
        (
            "C# and F#, not #1 or x^2",
            "XC1 and XC2, not XC3 or XC4",
            "XC1 e XC2, não XC3 ou XC4",
            "C# e F#, não #1 ou x^2",
        ),
        (
            "a trademark™ of us",
            "a trademark XC1 of us",
            "uma marca XC1 nossa",
            "uma marca™ nossa",
        ),
        (
            "employees² in m²",
            "employees XC1 in XC2",
            "funcionários XC1 em XC2",
            "funcionários² em m²",
        ),
        (
            "±1,234.56£ off",
            "XC1 off",
            "desconto de XC1",
            "desconto de ±1,234.56£",
        ),
        (
            "see 東京 and XC1",
            "see XQ1 and XC1",
            "XQ1 e XC1",
            "東京 e XC1",
        ),
        (
            "the XĆ sign and £20",
            "the XQ1 sign and XQ2",
            "o sinal XQ1 e XQ2",
            "o sinal XĆ e £20",
        ),
        (
            "the ﬁnal soft\u{ad}ly non\u{2011}stop",
            "the final softly non-stop",
            "x",
            "x",
        ),
        (
            "FREE SHIPPING TODAY",
            "Free Shipping Today",
            "Frete Grátis Hoje",
            "FRETE GRÁTIS HOJE",
        ),
        (
            "WE CAN’T DO IT WITHOUT YOU.",
            "We can't do it without you.",
            "Não podemos.",
            "NÃO PODEMOS.",
        ),
        (
            "HOW TO ADD A £20 “MP3”",
            "How To Add A XC1 \"MP3\"",
            "Como \"MP3\" de XC1",
            "COMO “MP3” DE £20",
        ),
        (
            "5-STAR HOTEL IN THE UK",
            "5-Star Hotel In The UK",
            "Hotel 5 estrelas no UK",
            "HOTEL 5 ESTRELAS NO UK",
        ),
        ("NASA", "NASA", "NASA", "NASA"),
        ("USB HD", "USB HD", "HD USB", "HD USB"),
        ("A Test OF CAPITALS", "A Test OF CAPITALS", "x", "x"),
    ] {
        let spelled = spelled(text);
        assert_eq!(spelled.text(), sent, "{text}");
        assert_eq!(
            spelled.restore(answer, Vec::new()).unwrap().0,
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_lost_or_doubled_word_is_an_error() {
    let spelled = spelled("It costs £20 or €20.");
    assert_eq!(spelled.text(), "It costs XC1 or XC2.");
    for (answer, problem) in [
        ("Custa XC1.", "it loses \"€20\""),
        ("XC1 XC2 XC2", "it doubles \"€20\""),
        ("XC1 XC2 XC3", "it invents \"XC3\""),
        ("XC1 XC2 XC", "it invents \"XC\""),
    ] {
        assert_eq!(
            spelled.restore(answer, Vec::new()).unwrap_err().to_string(),
            problem,
            "{answer}"
        );
    }
}

#[test]
fn links_lead_from_what_people_read_to_what_they_wrote() {
    let text = "OPEN “ŁÓDŹ” FOR £20";
    let spelled = spelled(text);
    assert_eq!(spelled.text(), "Open \"Lodz\" For XC1");
    let answer = "XC1: abra \"Lodz\"";
    let link = |target: &str, source: &str| {
        let at = |text: &str, part: &str| text.find(part).map(|at| at..at + part.len()).unwrap();
        WordLink {
            target: at(answer, target),
            sources: std::iter::once(at(spelled.text(), source)).collect(),
        }
    };
    let links = vec![
        link("XC1", "XC1"),
        link("Lodz", "Lodz"),
        link("abra", "Open"),
    ];
    let (restored, links) = spelled.restore(answer, links).unwrap();
    assert_eq!(restored, "£20: ABRA “ŁÓDŹ”");
    let found: Vec<_> = links
        .iter()
        .map(|link| {
            (
                &restored[link.target.clone()],
                &text[link.sources[0].clone()],
            )
        })
        .collect();
    assert_eq!(found, [("£20", "£20"), ("ŁÓDŹ", "ŁÓDŹ"), ("ABRA", "OPEN")]);
}

proptest! {
    /// Unchanged texts come back whole.
    #[test]
    fn what_comes_back_unchanged_is_the_text(text in "([a-zA-Z0-9£©#ł“”«»—…’ÖŻ東^<,;()]{1,6} ){1,6}[A-Z]{0,3}") {
        let spelled = spelled(&text);
        prop_assert!(spelled.text().chars().all(reads), "{:?}", spelled.text());
        let (restored, _) = spelled.restore(spelled.text(), Vec::new()).unwrap();
        prop_assert_eq!(restored, text);
    }
}
