//! Texts that a model or its filter declines (R-L12).

use super::*;

fn decline(text: &str) -> Result<String, EngineError> {
    if text.contains("weapon") {
        Err(EngineError::Declined("no".into()))
    } else {
        loud(text)
    }
}

/// Number of requests to a hosted model for these texts, and the outcome of each text.
async fn asked(texts: &[&str]) -> (u64, BTreeMap<usize, String>) {
    let mut fake = Fake::new(decline);
    let own = Arc::get_mut(&mut fake).unwrap();
    own.caps = Caps {
        place: EnginePlace::Remote,
        max_items: 5,
        parallel: 1,
        deterministic: false,
        unit: TranslationUnit::Block,
        ..own.caps.clone()
    };
    let chain = Chain::new(vec![("fake".into(), fake)]);
    let segments: Vec<Segment> = texts.iter().copied().map(plain).collect();
    let (outcomes, tally) = translated(&chain, &segments, "es").await;
    (tally.engines["fake"].calls, outcomes)
}

#[tokio::test]
async fn a_declined_text_is_found_by_halving_and_not_asked_again_r_l12() {
    for blamed in 0..5 {
        let mut texts = ["One. Two.", "Bread and rolls", "Cakes", "Coffee", "Tea"];
        texts[blamed] = "A weapon. And more.";
        let (requests, outcomes) = asked(&texts).await;
        assert!(requests <= 7, "{requests} requests for text {blamed}");
        let refused: Vec<usize> = outcomes
            .iter()
            .filter(|(_, text)| text.starts_with("! "))
            .map(|(at, _)| *at)
            .collect();
        assert_eq!(refused, [blamed], "{outcomes:?}");
        assert!(
            outcomes[&blamed].contains("declines the texts: no [talk]"),
            "{outcomes:?}"
        );
    }
}

#[tokio::test]
async fn a_request_of_declined_texts_is_halved_to_its_end_r_l12() {
    let (requests, outcomes) = asked(&["A weapon.", "Two weapons.", "More weapons."]).await;
    assert_eq!(requests, 5);
    assert!(
        outcomes
            .values()
            .all(|text| text.contains("declines the texts: no [talk]")),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn an_engine_that_answers_other_texts_is_not_given_up_r_l12() {
    for (bread, expected) in [(0, "BREAD"), (11, "BREAD"), (20, "?")] {
        let texts: Vec<String> = (0..21)
            .map(|at| {
                if at == bread {
                    "Bread".into()
                } else {
                    format!("A weapon: {at}")
                }
            })
            .collect();
        let (_, outcomes) = asked(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
        assert!(
            outcomes[&bread].starts_with(expected) || outcomes[&bread].contains("given up"),
            "{bread}: {outcomes:?}"
        );
        assert_eq!(
            outcomes[&bread] == "BREAD",
            expected == "BREAD",
            "{bread}: {outcomes:?}"
        );
    }
}

#[tokio::test]
async fn texts_that_could_not_be_halved_are_not_declined_for_good_r_l12() {
    let mut fake = Fake::new(decline);
    let own = Arc::get_mut(&mut fake).unwrap();
    own.caps = Caps {
        place: EnginePlace::Remote,
        max_items: 5,
        parallel: 1,
        unit: TranslationUnit::Block,
        ..own.caps.clone()
    };
    let texts = ["A weapon.", "Good bread"].map(plain);
    let chain =
        Chain::new(vec![("fake".into(), fake)]).within(Arc::new(CharacterBudget::new(Some(19))));
    let (outcomes, _) = translated(&chain, &texts, "es").await;
    assert!(
        outcomes.values().all(|text| !text.contains("[talk]")),
        "{outcomes:?}"
    );
}

fn cut(text: &str) -> Result<String, EngineError> {
    if text.len() > 20 {
        Err(EngineError::Cut)
    } else {
        loud(text)
    }
}

#[tokio::test]
async fn a_text_whose_answer_is_cut_is_asked_for_in_parts_r_l15() {
    let mut fake = Fake::new(cut);
    let own = Arc::get_mut(&mut fake).unwrap();
    own.caps = Caps {
        place: EnginePlace::Remote,
        deterministic: false,
        unit: TranslationUnit::Block,
        max_items: 1,
        ..own.caps.clone()
    };
    let chain = Chain::new(vec![("fake".into(), fake)]);
    let (outcomes, _) =
        translated(&chain, &[plain("We bake bread. It is good bread.")], "es").await;
    assert_eq!(outcomes[&0], "WE BAKE BREAD. IT IS GOOD BREAD.");
}
