//! Settings that DeepL does not take for a language: varieties and glossaries (R-L22).

use super::super::super::start;
use super::PACE;
use super::server::{EngineServer, ServerReply};
use super::vendors::Vendor;
use crate::translate::Chain;
use crate::translate::example::{plain, translated};

/// Fake DeepL with a German glossary and without regional variants of French.
async fn service() -> EngineServer {
    EngineServer::start(|_, seen| {
        let asked = seen.json();
        let target = asked["target_lang"].as_str().unwrap().to_owned();
        let has_glossary = asked["glossary_id"].is_string();
        if has_glossary && target != "DE" {
            let said = "Bad request. Reason: Invalid or missing glossary: glossary does not support the language pair.";
            return ServerReply::status(400, &serde_json::json!({ "message": said }).to_string());
        }
        if target == "FR-CA" {
            return ServerReply::status(400, r#"{"message": "Value for 'target_lang' not supported."}"#);
        }
        Vendor::Deepl.well(seen)
    })
    .await
}

#[tokio::test]
async fn a_language_that_a_glossary_lacks_goes_without_it_r_l22() {
    let server = service().await;
    let chain = Chain::new(vec![(
        "it".into(),
        start(&Vendor::Deepl.spec(&server.url)).unwrap(),
    )])
    .at_pace(PACE);
    // More texts than one request takes, so that several requests are in flight when the first is refused.
    let texts: Vec<_> = (0..200)
        .map(|number| plain(&format!("word number {number} of them")))
        .collect();
    for (language, targets) in [
        ("es", vec!["ES"]),
        ("fr-CA", vec!["FR-CA", "FR"]),
        ("de", vec!["DE"]),
    ] {
        let before = server.seen().len();
        let (told, _) = translated(&chain, &texts, language).await;
        assert!(
            told.values().all(|text| !text.starts_with('!')),
            "{language}: {told:?}"
        );
        let seen: Vec<_> = server
            .seen()
            .into_iter()
            .skip(before)
            .map(|seen| seen.json()["target_lang"].clone())
            .collect();
        assert!(
            seen.iter()
                .all(|target| targets.contains(&target.as_str().unwrap())),
            "{seen:?}"
        );
        let again = server.seen().len();
        translated(&chain, &[plain("one word more")], language).await;
        assert_eq!(
            server.seen().len(),
            again + 1,
            "{language}: what was given up is not tried again"
        );
    }
    let notices = chain.take_notices();
    assert_eq!(notices.len(), 3, "{notices:?}");
    assert_eq!(
        notices[0],
        "engine it: the glossary g-1 does not have es, which is translated without it"
    );
    assert!(
        notices[1].contains("fr-CA") && chain.take_notices().is_empty(),
        "{notices:?}"
    );
    assert_eq!(
        notices[2],
        "engine it: DeepL does not have fr-CA, which is translated as FR"
    );
}

#[tokio::test]
async fn a_glossary_that_is_not_there_is_said_r_l22() {
    let server = EngineServer::start(|_, _| {
        ServerReply::status(404, r#"{"message": "Glossary not found"}"#)
    })
    .await;
    let chain = Chain::new(vec![(
        "it".into(),
        start(&Vendor::Deepl.spec(&server.url)).unwrap(),
    )])
    .at_pace(PACE);
    let (told, tally) = translated(&chain, &[plain("a word"), plain("two words")], "es").await;
    assert!(
        told[&0].contains("Glossary not found") && told[&0].contains("`glossary_id`"),
        "{told:?}"
    );
    assert_eq!(tally.calls, 1);
}
