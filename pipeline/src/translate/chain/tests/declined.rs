//! Texts that a model or its filter declines (R-L12).

use super::*;

fn decline(text: &str) -> Result<String, EngineError> {
    if text.contains("weapon") { Err(EngineError::Declined("no".into())) } else { loud(text) }
}

/// Requests of a hosted model over these texts, and what became of each.
async fn asked(texts: &[&str]) -> (u64, BTreeMap<usize, String>) {
    let mut fake = Fake::new(decline);
    let own = Arc::get_mut(&mut fake).unwrap();
    own.caps = Caps {
        place: Place::Remote,
        max_items: 5,
        parallel: 1,
        deterministic: false,
        unit: Unit::Block,
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
        let refused: Vec<usize> =
            outcomes.iter().filter(|(_, text)| text.starts_with("! ")).map(|(at, _)| *at).collect();
        assert_eq!(refused, [blamed], "{outcomes:?}");
        assert!(outcomes[&blamed].contains("declines the texts: no [talk]"), "{outcomes:?}");
    }
}

#[tokio::test]
async fn declined_texts_give_up_no_engine_that_answers_to_others_r_l12() {
    let mut texts = vec!["A weapon."; 11];
    texts.push("Bread");
    let texts: Vec<String> = texts.iter().enumerate().map(|(at, text)| format!("{text} Number {at}")).collect();
    let (_, outcomes) = asked(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(outcomes[&11], "BREAD NUMBER 11");
}
