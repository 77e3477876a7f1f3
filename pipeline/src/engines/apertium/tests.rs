//! What Apertium gives is tidied; and the real programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::page::Segment;
use crate::translate::Chain;
use crate::translate::example::{plain, segment, translated};

async fn run(engine: Apertium, segments: &[Segment]) -> BTreeMap<usize, String> {
    translated(
        &Chain::new(vec![("apertium".into(), Arc::new(engine))]),
        segments,
        "es",
    )
    .await
    .0
}

#[test]
fn spaces_and_capitals_are_tidied() {
    for (ask, answer, expected) in [
        ("it's good", " Es bueno", "es bueno"),
        ("It's good", " es  bueno ", "Es bueno"),
        ("is big", "Es grande", "es grande"),
        ("XC1 is open", "XC1 Es abierto", "XC1 es abierto"),
        ("use HTML", "HTML de uso", "HTML de uso"),
        ("what?", "¿Qué?", "¿qué?"),
        (
            "it (it is) so; well",
            "eso ( es) así ; bien",
            "eso (es) así; bien",
        ),
        ("a ; b", "a ; b", "a ; b"),
        ("a", "", ""),
    ] {
        let ask = Ask::plain(ask);
        assert_eq!(read(&ask, answer).text.text(), expected, "{ask:?}");
    }
}

mod needs_apertium {
    use super::*;

    #[tokio::test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    async fn the_pipe_translates_and_keeps_what_is_no_language() {
        let cases = [
            (
                segment("The <g id=\"1\">red house</g> is big.", &["b"]),
                "La <g id=\"1\">casa roja</g> es grande.",
            ),
            (segment("Open <x id=\"1\"/> and read %s", &["code"]), ""),
            (
                segment("<x id=\"1\"/> is open", &["code"]),
                "<x id=\"1\"/> es abierto",
            ),
            (plain("it's"), ""),
            (plain("a [b] {c} ^d$ e/f \\ g@h <i> *star"), ""),
            (
                plain("Write to info@example.com or see https://example.com/a?b=[c]"),
                "",
            ),
            (plain("emoji 🚀 and 漢字"), ""),
            (plain("1,234.56 USD"), ""),
            (plain("42"), "="),
            (
                segment("A <g id=\"1\">red</g> <g id=\"2\">house</g>.", &["b", "i"]),
                "Una <g id=\"2\">casa</g> <g id=\"1\">roja</g>.",
            ),
            (plain("THE HOUSE IS RED"), "LA CASA ES ROJA"),
            // The last word of a text without a full stop.
            (plain("Bread of the day"), "Pan del día"),
            (
                segment("Bread of the <g id=\"1\">day</g>", &["b"]),
                "Pan del <g id=\"1\">día</g>",
            ),
            (plain("Up"), "Arriba"),
            (plain("No"), "No"),
            (plain("Yes or no"), "Sí o no"),
            (plain("The ‘house’ is red"), "La ‘casa’ es roja"),
            (plain("The 'house' isn’t red"), "La 'casa' no es roja"),
        ];
        let segments: Vec<Segment> = cases.iter().map(|(segment, _)| segment.clone()).collect();
        let told = run(Apertium::installed(), &segments).await;
        for (index, (segment, expected)) in cases.iter().enumerate() {
            let text = &told[&index];
            assert!(
                !text.starts_with('!') && !text.contains("  "),
                "{}: {text}",
                segment.text.to_markup()
            );
            assert!(expected.is_empty() || text == expected, "{text}");
        }
        assert!(
            told[&1].contains("<x id=\"1\"/>") && told[&1].contains("%s"),
            "{told:?}"
        );
        assert!(
            told[&5].contains("info@example.com")
                && told[&5].contains("https://example.com/a?b=[c]"),
            "{told:?}"
        );
    }

    #[tokio::test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    async fn texts_do_not_depend_on_their_neighbours() {
        let texts: Vec<Segment> = [
            "Home",
            "Sign up today",
            "The page was not found.",
            "Open the file (see below)",
        ]
        .map(plain)
        .into();
        let together = run(Apertium::installed(), &texts).await;
        for (index, text) in texts.iter().enumerate() {
            let alone = run(Apertium::installed(), std::slice::from_ref(text)).await;
            assert_eq!(alone[&0], together[&index]);
        }
    }

    #[tokio::test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    async fn a_pipeline_that_hangs_is_restarted_and_refuses_only_what_it_lost() {
        // A mode whose first stage eats every text.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("eng-spa.mode"),
            "sleep 1000 | lt-proc $1 '/dev/null'",
        )
        .unwrap();
        let engine = Apertium::in_folder(folder.path(), Duration::from_millis(200));
        let began = std::time::Instant::now();
        let texts: Vec<Segment> = (0..100).map(|n| plain(&format!("text {n}"))).collect();
        let told = run(engine, &texts).await;
        assert!(
            told.len() == 100 && told.values().all(|text| text.starts_with("! apertium: ")),
            "{told:?}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{:?}",
            began.elapsed()
        );
    }
}
