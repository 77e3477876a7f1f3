//! Settings of requests to language models, as the service gets them (R-L16, R-L17).

use std::time::{Duration, Instant};

use super::super::super::service::{KeyHeader, RequestSettings};
use super::super::super::{ApiKey, EnginePlace, EngineSpec, HttpService, Secret, services, start};
use super::server::{EngineServer, SeenRequest, ServerReply};
use super::vendors::{KEY, Vendor};
use super::{Chain, PACE, plain, translated};
use crate::model::LanguagePair;

fn spec(server: &EngineServer, key: Option<&str>, settings: RequestSettings) -> EngineSpec {
    let key = key.map_or(ApiKey::Unset("NONE".into()), |key| {
        ApiKey::Text(Secret::new(key))
    });
    let options = [("model", "parrot-1".to_owned())].into();
    let service = HttpService {
        url: Some(server.url.clone()),
        key,
        allow_private: true,
        options,
        settings: Box::new(settings),
    };
    EngineSpec::Service(
        services().find(|known| known.name == "openai").unwrap(),
        service,
    )
}

/// The requests for some texts.
async fn requests(key: Option<&str>, settings: RequestSettings, texts: usize) -> Vec<SeenRequest> {
    let server = EngineServer::start(|_, seen| Vendor::OpenAi.well(seen)).await;
    let chain = Chain::new(vec![(
        "it".into(),
        start(&spec(&server, key, settings)).unwrap(),
    )])
    .at_pace(PACE);
    let texts: Vec<_> = (0..texts)
        .map(|number| plain(&format!("text {number} of them")))
        .collect();
    let (told, _) = translated(&chain, &texts, "es").await;
    assert!(told.values().all(|text| !text.starts_with('!')), "{told:?}");
    server.seen()
}

#[tokio::test]
async fn requests_have_the_members_query_and_headers_that_are_set_r_l17() {
    let folder = tempfile::TempDir::new().unwrap();
    let headers_file = folder.path().join("headers");
    std::fs::write(
        &headers_file,
        "X-Title: A site\n\nHTTP-Referer: https://example.com/\n",
    )
    .unwrap();
    let params =
        serde_json::json!({ "temperature": false, "seed": 7, "reasoning": { "effort": "low" } });
    let settings = RequestSettings {
        params: params.as_object().unwrap().clone(),
        query: Some("api-version=2024-10-21".into()),
        auth: KeyHeader::ApiKey,
        headers_file: Some(headers_file),
        ..RequestSettings::default()
    };
    let seen = requests(Some(KEY), settings, 1).await.remove(0);
    assert_eq!(seen.line, "POST /chat/completions?api-version=2024-10-21");
    let header = |name: &str| seen.headers.get(name).map(String::as_str);
    assert_eq!(
        (header("api-key"), header("authorization")),
        (Some(KEY), None)
    );
    assert_eq!(
        (header("x-title"), header("http-referer")),
        (Some("A site"), Some("https://example.com/"))
    );
    let body = seen.json();
    assert_eq!(
        (&body["seed"], &body["reasoning"]["effort"]),
        (&7.into(), &"low".into())
    );
    assert!(
        body.get("temperature").is_none() && body.get("model").is_some(),
        "{body}"
    );
    let plainly = requests(Some(KEY), RequestSettings::default(), 1)
        .await
        .remove(0);
    assert_eq!(
        plainly.headers.get("authorization"),
        Some(&format!("Bearer {KEY}"))
    );
    assert_eq!(plainly.json()["temperature"], 0);
}

#[tokio::test]
async fn requests_are_as_large_and_as_many_as_is_set_r_l16() {
    assert_eq!(
        requests(Some(KEY), RequestSettings::default(), 61)
            .await
            .len(),
        5
    );
    let settings = RequestSettings {
        batch: Some(4),
        ..RequestSettings::default()
    };
    assert_eq!(requests(Some(KEY), settings, 61).await.len(), 16);
    let server = EngineServer::start(|_, seen| Vendor::OpenAi.well(seen)).await;
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    for (key, settings, parallel, patience) in [
        (Some(KEY), RequestSettings::default(), 4, 60),
        (None, RequestSettings::default(), 1, 600),
        (
            None,
            RequestSettings {
                timeout: Some(Duration::from_secs(5)),
                parallel: Some(3),
                ..RequestSettings::default()
            },
            3,
            5,
        ),
    ] {
        let engine = start(&spec(&server, key, settings)).unwrap();
        assert_eq!(
            (engine.caps().parallel, engine.patience()),
            (parallel, Some(Duration::from_secs(patience)))
        );
        assert_eq!(engine.caps().place, EnginePlace::Remote);
        assert!(engine.fingerprint(pair).starts_with("openai "));
    }
}

#[tokio::test]
async fn a_server_is_waited_for_as_long_as_is_set_r_l16() {
    let server = EngineServer::start(|_, _| ServerReply::Silence).await;
    let settings = RequestSettings {
        timeout: Some(Duration::from_millis(300)),
        ..RequestSettings::default()
    };
    let chain = Chain::new(vec![(
        "it".into(),
        start(&spec(&server, None, settings)).unwrap(),
    )])
    .at_pace(PACE);
    let began = Instant::now();
    let (told, tally) = translated(&chain, &[plain("our bread")], "es").await;
    // Retries, as for every service, and a longer timeout than the two seconds of the other tests.
    assert!(
        began.elapsed() < PACE.deadline * tally.calls.try_into().unwrap(),
        "{:?}: {told:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn instructions_stand_in_the_prompt_and_in_its_mark_r_l18() {
    let settings = |words: &str| RequestSettings {
        instructions: Some(words.into()),
        ..RequestSettings::default()
    };
    let seen = requests(Some(KEY), settings("Say vous, never tu."), 1)
        .await
        .remove(0);
    let prompt = seen.json()["messages"][0]["content"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        prompt.starts_with("You translate texts of a website")
            && prompt.ends_with("Say vous, never tu."),
        "{prompt}"
    );
    let server = EngineServer::start(|_, seen| Vendor::OpenAi.well(seen)).await;
    let languages = LanguagePair::of_tags("en", "es");
    let pair = languages.as_ref();
    let marks = [RequestSettings::default(), settings("a"), settings("b")].map(|settings| {
        start(&spec(&server, None, settings))
            .unwrap()
            .fingerprint(pair)
    });
    assert!(marks[0] != marks[1] && marks[1] != marks[2], "{marks:?}");
}
