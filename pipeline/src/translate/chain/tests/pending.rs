//! Answers to parts of texts outlive a run that is cut off.

use std::collections::{BTreeSet, HashMap};

use futures::FutureExt as _;

use super::*;
use crate::translate::{AskKey, Keep, PendingAnswers, SavedAnswer};

const MARKUP: &str = "I <g id=\"1\">like</g> to <g id=\"2\">drive</g> this car.";
const EXPECTED: &str = "I <g id=\"1\">LIKE</g> TO <g id=\"2\">DRIVE</g> THIS CAR.";

type AnswerRows = Vec<(AskKey, SavedAnswer)>;

/// An engine that is asked for one part after the other.
fn engine(place: EnginePlace) -> Arc<Fake> {
    let Fake { caps, .. } = Arc::into_inner(Fake::new(loud)).unwrap();
    let caps = Caps {
        place,
        max_items: 1,
        parallel: 1,
        unit: TranslationUnit::Block,
        ..caps
    };
    Arc::new(Fake {
        caps,
        answer: loud,
        asked: Mutex::default(),
        translates: true,
    })
}

/// What is kept after each answer, from a run that is not disturbed; and whether the engine was asked meanwhile.
async fn kept(engine: &Arc<Fake>, markup: &str, elements: &[&str]) -> Vec<AnswerRows> {
    let log: Arc<Mutex<Vec<AnswerRows>>> = Arc::default();
    let notes = Arc::clone(&log);
    let asked = Arc::clone(engine);
    let keep: Arc<Keep> = Arc::new(move |answers| {
        let (notes, asked, before) = (
            Arc::clone(&notes),
            Arc::clone(&asked),
            asked.asked.lock().unwrap().len(),
        );
        async move {
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            assert_eq!(
                asked.asked.lock().unwrap().len(),
                before,
                "it is asked for more before this is durable"
            );
            notes.lock().unwrap().push(answers);
        }
        .boxed()
    });
    let chain = Chain::new(vec![("fake".into(), engine.clone() as Arc<dyn Engine>)]);
    let chain = chain.with_pending(PendingAnswers::default().kept_by(keep));
    translated(&chain, &[segment(markup, elements)], "es").await;
    log.lock().unwrap().clone()
}

#[tokio::test]
async fn what_was_answered_before_a_kill_is_not_asked_for_again() {
    let first = engine(EnginePlace::Remote);
    let kept = kept(&first, MARKUP, &["b", "u"]).await;
    let asked: Vec<String> = first.asked.lock().unwrap().clone();
    assert_eq!((kept.len(), asked.len()), (5, 5));
    assert!(
        kept[4].is_empty(),
        "the last answer makes the translation, and that is kept instead"
    );
    for killed_after in 0..5 {
        let known: HashMap<AskKey, SavedAnswer> =
            kept[..killed_after].iter().flatten().cloned().collect();
        let second = engine(EnginePlace::Remote);
        let chain = Chain::new(vec![("fake".into(), second.clone() as Arc<dyn Engine>)]);
        let chain = chain.with_pending(PendingAnswers::known(known));
        let languages = LanguagePair::of_tags("en", "es");
        let costs = chain
            .costs(languages.as_ref(), &[segment(MARKUP, &["b", "u"])])
            .engines;
        assert_eq!(
            costs[0].requests,
            5 - killed_after as u64,
            "what is planned is what is sent"
        );
        let (outcomes, _) = translated(&chain, &[segment(MARKUP, &["b", "u"])], "es").await;
        assert_eq!(outcomes[&0], EXPECTED);
        let again: BTreeSet<String> = second.asked.lock().unwrap().iter().cloned().collect();
        assert_eq!(
            again,
            asked[killed_after..].iter().cloned().collect(),
            "after {killed_after} answers"
        );
    }
}

#[tokio::test]
async fn answers_that_cost_nothing_are_not_kept() {
    assert!(
        kept(&engine(EnginePlace::InProcess), MARKUP, &["b", "u"])
            .await
            .is_empty()
    );
}
