//! Against a real model: `LATIMER_TEST_MODELS` names a folder with one for en to pt.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::Ask;
use super::*;
use crate::page::Segment;
use crate::translate::example::{plain, segment, translated};
use crate::translate::{Chain, Matching, SegmentOutcome, Term, Terms};

/// `tests/run` says where the models are.
fn models() -> PathBuf {
    std::env::var_os("LATIMER_TEST_MODELS")
        .expect("a folder with a model for en to pt")
        .into()
}

async fn run(engine: Fx, segments: &[Segment]) -> BTreeMap<usize, String> {
    let languages = LanguagePair::of_tags("en", "pt-BR");
    let chain = Chain::new(vec![("fx".into(), Arc::new(engine))]);
    assert_eq!(
        chain.hints(languages.as_ref()),
        Vec::<String>::new(),
        "the folder holds a model for en to pt"
    );
    translated(&chain, segments, "pt-BR").await.0
}

#[tokio::test]
async fn broken_model_files_are_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["model.enpt.bin", "vocab.enpt.spm", "lex.50.50.enpt.s2t.bin"] {
        std::fs::write(folder.path().join(file), b"no model").unwrap();
    }
    let told = run(
        Fx::below(folder.path()),
        &[plain("text one"), plain("text two")],
    )
    .await;
    assert!(
        told.values().all(|text| text.starts_with("! fx: ")),
        "{told:?}"
    );
}

#[test]
fn what_a_processor_lacks_is_named() {
    assert_eq!(lack(true, "i8mm"), None);
    let expected = "this processor lacks the instructions i8mm, which the neural engine needs";
    assert_eq!(lack(false, "i8mm").as_deref(), Some(expected));
}

mod needs_models {
    use std::time::Duration;

    use super::*;

    /// A folder in which the same model has ten names, and those names.
    fn ten_names() -> (tempfile::TempDir, [&'static str; 10]) {
        const NAMES: [&str; 10] = ["de", "fr", "es", "it", "nl", "pl", "cs", "sv", "da", "fi"];
        let folder = tempfile::tempdir().unwrap();
        let all = crate::engines::ModelFiles::below(&models());
        let model = all.iter().find(|model| model.code == "enpt").unwrap();
        for target in NAMES {
            for file in model.files() {
                let name = file
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace("enpt", &format!("en{target}"));
                std::os::unix::fs::symlink(file, folder.path().join(name)).unwrap();
            }
        }
        (folder, NAMES)
    }

    async fn ask(engine: &Fx, target: &str) -> String {
        let [en, to] = ["en", target].map(|tag| Locale::parse(tag).unwrap());
        let asks = [Ask::plain("The house is red.")];
        let pair = LanguagePair { from: &en, to: &to };
        let request = EngineRequest {
            pair,
            asks: &asks,
            deadline: Duration::from_secs(60),
        };
        engine.translate(request).await.unwrap()[0]
            .as_ref()
            .unwrap()
            .text
            .text()
            .to_owned()
    }

    #[tokio::test]
    #[ignore = "needs neural models"]
    async fn ten_models_take_turns_in_two_places() {
        let (folder, names) = ten_names();
        // A turn of no time: each job of a model that waits takes the place of another.
        for turn in [Duration::ZERO, Duration::from_secs(60)] {
            let engine = Fx {
                pool: Arc::new(pool::Pool::start(turn)),
                ..Fx::below(folder.path())
            };
            for round in 0..2 {
                for target in names {
                    assert_eq!(
                        ask(&engine, target).await,
                        "A casa é vermelha.",
                        "{round} {target}"
                    );
                }
            }
            let in_turn = engine.pool.loads();
            assert_eq!(
                (in_turn.most, in_turn.all),
                (2, 20),
                "each of ten is loaded again after eight others"
            );
            let pivot = [
                ask(&engine, "fi").await,
                ask(&engine, "da").await,
                ask(&engine, "fi").await,
            ];
            assert!(pivot.iter().all(|text| text == "A casa é vermelha."));
            assert_eq!(
                engine.pool.loads().all,
                20,
                "the two that were used last are still there"
            );
            let together =
                futures::future::join_all(names.iter().map(|target| ask(&engine, target))).await;
            assert!(
                together.iter().all(|text| text == "A casa é vermelha."),
                "{together:?}"
            );
            assert_eq!(engine.pool.loads().most, 2);
        }
    }

    #[tokio::test]
    #[ignore = "needs neural models"]
    async fn engines_share_a_pool_that_goes_with_the_last_of_them() {
        let (folder, _) = ten_names();
        let first = Fx::below(folder.path());
        let second = Fx::below(folder.path());
        assert!(Arc::ptr_eq(&first.pool, &second.pool));
        assert_eq!(ask(&first, "de").await, ask(&second, "de").await);
        drop(first);
        let pool = Arc::downgrade(&second.pool);
        drop(second);
        assert!(
            pool.upgrade()
                .is_none_or(|pool| Arc::strong_count(&pool) > 1),
            "other tests may use it"
        );
    }

    #[tokio::test]
    #[ignore = "needs neural models"]
    async fn the_network_translates_and_what_it_would_spoil_is_kept_from_it() {
        let folder = models();
        let long = format!("The house is {}red.", "very big and ".repeat(120));
        for (source, expected) in [
            (plain("The house is red."), "A casa é vermelha."),
            (plain("{{name}} has %s items"), "{{name}} tem"),
            (
                segment("The <g id=\"1\">house</g> is red.", &["b"]),
                "<g id=\"1\">",
            ),
            (
                segment("Type <x id=\"1\"/> in the box", &["code"]),
                "<x id=\"1\"/>",
            ),
            (plain("404"), "="),
            (plain("user@example.com"), "="),
            (plain("你好，世界 🚀"), "="),
            (
                plain("Rule No. 1. Write to user@example.com."),
                "user@example.com",
            ),
            (plain("B.4.5. Rights Management"), "B.4.5."),
            (plain("It costs £20 or ¥2000 per month."), "£20 ou ¥2000"),
            (plain("C# and F# developers"), "C# e F#"),
            (plain("Škoda met Müller in Łódź."), "Łódź"),
            (
                segment("Open “<g id=\"1\">Settings</g>” now — it’s easy", &["b"]),
                "“<g id=\"1\">Configurações</g>”",
            ),
            (plain("FREQUENTLY ASKED QUESTIONS"), "PERGUNTAS FREQUENTES"),
            (plain("WE CAN’T ACCEPT RETURNS"), "NÃO PODEMOS"),
            (
                segment("The unit is <g id=\"1\">m³</g>.", &["i"]),
                "<g id=\"1\">m³</g>.",
            ),
            (
                segment(
                    "A <g id=\"1\">big success</g>—<g id=\"2\">read more</g>.",
                    &["b", "a"],
                ),
                "</g>—<g",
            ),
            (
                plain(&"x".repeat(70)),
                "! fx: it has a word of more than 60 letters",
            ),
            (plain(&long), ""),
        ] {
            let told = run(Fx::below(&folder), std::slice::from_ref(&source)).await;
            let text = &told[&0];
            assert!(
                text.contains(expected) && !text.contains("em inglês"),
                "{}: {text}",
                source.text.to_markup()
            );
            assert_eq!(text.starts_with('!'), expected.starts_with('!'), "{text}");
        }
    }

    #[tokio::test]
    #[ignore = "needs neural models"]
    async fn words_are_followed_only_where_a_term_is_missing() {
        let folder = models();
        let languages = LanguagePair::of_tags("en", "pt-BR");
        let ask = |wanted: &str, only: bool| Ask {
            marks: std::iter::once(4..9).collect(),
            terms: vec![("house".into(), wanted.into())],
            marks_terms_only: only,
            ..Ask::plain("The house is red.")
        };
        let asks = [ask("casa", true), ask("moradia", true), ask("casa", false)];
        let request = EngineRequest {
            pair: languages.as_ref(),
            asks: &asks,
            deadline: std::time::Duration::from_secs(60),
        };
        let answers = Fx::below(&folder).translate(request).await.unwrap();
        let linked: Vec<bool> = answers
            .iter()
            .map(|answer| answer.as_ref().unwrap().links.is_some())
            .collect();
        assert_eq!(linked, [false, true, true]);
        let term = Term {
            source: vec!["house".into()],
            target: vec!["moradia".into()],
            keeps_case: false,
            matching: Matching::Word,
            is_name: false,
        };
        let chain = Chain::new(vec![("fx".into(), Arc::new(Fx::below(&folder)))])
            .with_terms(Terms::new(vec![term]));
        let mut told = Vec::new();
        let texts = [plain("The house is red.")];
        let tally = chain
            .translate(languages.as_ref(), &texts, &mut |_, outcome| {
                told.push(outcome)
            })
            .await;
        assert!(
            matches!(&told[..], [SegmentOutcome::Translated { text, engine }]
                if text.text() == "A moradia é vermelha." && engine.starts_with("fx 0.5.0-2 en-pt ")),
            "{told:?}"
        );
        assert_eq!(
            tally.calls, 1,
            "the words are replaced, and nothing is asked twice"
        );
    }

    #[tokio::test]
    #[ignore = "needs neural models"]
    async fn a_sentence_does_not_depend_on_its_batch() {
        let folder = models();
        let texts: Vec<Segment> = (0..70)
            .map(|n| {
                plain(&format!(
                    "Open the {} and choose file number {n}.",
                    ["menu", "page of this site", "door"][n % 3]
                ))
            })
            .collect();
        let together = run(Fx::below(&folder), &texts).await;
        for index in [0, 33, 69] {
            let alone = run(Fx::below(&folder), &texts[index..=index]).await;
            assert_eq!(alone[&0], together[&index]);
        }
    }
}
