//! Refused texts, asked again sentence by sentence (R-W6).

use super::*;

/// Says other numbers wherever some stand.
fn miscount(text: &str) -> Result<String, EngineError> {
    Ok(text.to_uppercase().replace('7', "8"))
}

#[tokio::test]
async fn one_refused_sentence_keeps_only_itself_r_w6() {
    for (markup, expected) in [
        (
            "We bake bread. It takes 7 hours. Come in.",
            "~ WE BAKE BREAD. It takes 7 hours. COME IN.",
        ),
        (
            "We <g id=\"1\">bake. Take 7</g> of them.",
            "~ WE <g id=\"1\">BAKE. Take 7</g> OF THEM.",
        ),
    ] {
        check_answer(miscount, markup, &["b"], expected).await;
    }
    let fake = Fake::new(miscount);
    let chain = Chain::new(vec![("fake".into(), fake.clone())]);
    let texts = [
        "We bake. It takes 7 hours.",
        "In 7 days",
        "Take 7. Give 7.",
        "Good day",
    ]
    .map(plain);
    let (outcomes, tally) = translated(&chain, &texts, "es").await;
    assert_eq!(outcomes[&0], "~ WE BAKE. It takes 7 hours.");
    assert!(
        outcomes[&1].starts_with("! fake: ") && outcomes[&2].starts_with("! fake: "),
        "{outcomes:?}"
    );
    assert_eq!(
        (
            tally.translated,
            tally.refused,
            tally.engines["fake"].translated
        ),
        (1, 3, 1)
    );
}

#[tokio::test]
async fn good_parts_of_a_refused_text_are_not_asked_for_again_r_w6() {
    let fake = Fake::new(miscount);
    let chain = Chain::new(vec![("fake".into(), fake.clone())]);
    let text = segment(
        "<g id=\"1\">In 7 days</g><g id=\"2\">Read more</g>",
        &["a", "a"],
    );
    let (outcomes, _) = translated(&chain, &[text], "es").await;
    assert_eq!(
        outcomes[&0],
        "~ <g id=\"1\">In 7 days</g><g id=\"2\">READ MORE</g>"
    );
    assert_eq!(*fake.asked.lock().unwrap(), ["In 7 days", "Read more"]);
}

#[tokio::test]
async fn sentences_are_asked_for_again_out_of_what_is_not_set_aside_r_w6() {
    let fake = Fake::new(miscount);
    let budget = Arc::new(CharacterBudget::new(Some(30)));
    let chain = Chain::new(vec![("fake".into(), fake.clone())]).within(Arc::clone(&budget));
    assert!(budget.reserve(26));
    let (outcomes, _) = translated(&chain, &[plain("We bake. It takes 7 hours.")], "es").await;
    assert!(outcomes[&0].starts_with("! fake: "), "{outcomes:?}");
}
