//! Permanent failures of language models: their cost and their message (R-L10, R-L11).

use std::time::{Duration, Instant};

use super::server::{EngineServer, ServerReply};
use super::vendors::Vendor;
use super::{Chain, EnginePace, PACE, plain, start, translated};

#[tokio::test]
async fn a_failure_that_lasts_costs_one_request_and_is_told_r_l10() {
    for (status, body, told) in [
        (
            429,
            r#"{"error":{"message":"You have exceeded your monthly spend limit","code":"billing_hard_limit_reached"}}"#,
            "monthly spend limit",
        ),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota. limit: 250, PerDay","status":"RESOURCE_EXHAUSTED"}}]"#,
            "limit: 250, PerDay",
        ),
        (
            429,
            r#"{"error":{"message":"Rate limit exceeded: free-models-per-day","code":429}}"#,
            "free-models-per-day",
        ),
        (
            429,
            r#"{"error":{"message":"Limit reached: 200 requests per day (RPD)"}}"#,
            "requests per day",
        ),
        (
            400,
            r#"{"error":{"message":"Your credit balance is too low to access the API"}}"#,
            "credit balance is too low",
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance"}}"#,
            "Insufficient Balance",
        ),
        (
            200,
            r#"{"error":{"message":"Insufficient credits. Add more","code":402}}"#,
            "Insufficient credits",
        ),
        (
            200,
            r#"{"choices":[{"error":{"message":"Insufficient credits","code":"402"}}]}"#,
            "Insufficient credits",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#,
            "API key is not valid",
        ),
        (
            400,
            r#"{"error":{"message":"Incorrect API key provided"}}"#,
            "API key is not valid",
        ),
        (
            403,
            r#"{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}"#,
            "Country, region, or territory not supported",
        ),
        (
            400,
            r#"{"error":{"message":"User location is not supported for the API use."}}"#,
            "location is not supported",
        ),
    ] {
        let server = EngineServer::start(move |_, _| ServerReply::status(status, body)).await;
        let chain = Chain::new(vec![(
            "it".into(),
            start(&Vendor::OpenAi.spec(&server.url)).unwrap(),
        )])
        .at_pace(PACE);
        let texts: Vec<_> = (0..12)
            .map(|number| plain(&format!("text {number} of them")))
            .collect();
        let (outcomes, tally) = translated(&chain, &texts, "es").await;
        assert!(outcomes[&0].contains(told), "{body}: {}", outcomes[&0]);
        assert_eq!((server.seen().len(), tally.calls), (1, 1), "{body}");
        if status == 403 {
            assert!(!outcomes[&0].contains("key"), "{}", outcomes[&0]);
        }
    }
}

#[tokio::test]
async fn a_text_that_a_filter_stops_is_named_and_closes_no_engine_r_l12() {
    for (status, body) in [
        (
            403,
            r#"{"error":{"code":403,"message":"m requires moderation. Your input was flagged for \"harassment\"."}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"content_filter","message":"The response was filtered"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"invalid_prompt","message":"Invalid prompt: limited access for safety reasons."}}"#,
        ),
    ] {
        let server = EngineServer::start(move |_, seen| match seen.body.contains("a weapon") {
            true => ServerReply::status(status, body),
            false => Vendor::OpenAi.well(seen),
        })
        .await;
        let chain = Chain::new(vec![(
            "it".into(),
            start(&Vendor::OpenAi.spec(&server.url)).unwrap(),
        )])
        .at_pace(PACE);
        let texts = [
            "one text",
            "a weapon",
            "two texts",
            "three texts",
            "four texts",
        ]
        .map(plain);
        let (outcomes, _) = translated(&chain, &texts, "es").await;
        assert!(
            outcomes[&1].contains("declines the texts") && outcomes[&1].ends_with("[talk]"),
            "{}",
            outcomes[&1]
        );
        assert!(
            [0, 2, 3, 4].iter().all(|at| !outcomes[at].starts_with('!')),
            "{outcomes:?}"
        );
        assert!(server.seen().len() <= 7, "{body}: {}", server.seen().len());
    }
}

#[tokio::test]
async fn too_much_to_do_closes_the_engine_after_its_waits_r_l11() {
    let limited = r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#;
    let server = EngineServer::start(move |_, _| ServerReply::status(429, limited)).await;
    let pace = EnginePace {
        deadline: PACE.deadline,
        pause: Duration::from_millis(20),
    };
    let chain = Chain::new(vec![(
        "it".into(),
        start(&Vendor::OpenAi.spec(&server.url)).unwrap(),
    )])
    .at_pace(pace);
    let texts: Vec<_> = (0..120)
        .map(|number| plain(&format!("text {number} of them")))
        .collect();
    let began = Instant::now();
    let (outcomes, tally) = translated(&chain, &texts, "es").await;
    // Waits of 40, 80, 160, 320 and 640 ms, for four requests at once; at the default pace these add up to a minute.
    assert!(
        began.elapsed() < Duration::from_millis(2_500),
        "{:?}",
        began.elapsed()
    );
    assert!(tally.calls <= 4 * 6, "{}", tally.calls);
    assert!(
        outcomes.values().all(|text| text.starts_with('!')),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn reports_count_what_the_service_gets_r_l14() {
    // A service without schema support that takes five texts at most.
    let server = EngineServer::start(|_, seen| {
        if seen.json()["response_format"]["type"] == "json_schema" {
            return ServerReply::status(
                422,
                r#"{"error":{"message":"response_format: `json_schema` is unavailable now"}}"#,
            );
        }
        if Vendor::OpenAi.texts(seen).len() > 5 {
            return ServerReply::status(
                400,
                r#"{"error":{"message":"maximum context length is 4096 tokens"}}"#,
            );
        }
        Vendor::OpenAi.well(seen)
    })
    .await;
    let chain = Chain::new(vec![(
        "it".into(),
        start(&Vendor::OpenAi.spec(&server.url)).unwrap(),
    )])
    .at_pace(PACE);
    let texts: Vec<_> = (0..30)
        .map(|number| plain(&format!("text {number} of them")))
        .collect();
    let (outcomes, tally) = translated(&chain, &texts, "es").await;
    assert!(
        outcomes.values().all(|text| !text.starts_with('!')),
        "{outcomes:?}"
    );
    let seen = server.seen();
    let characters: usize = seen
        .iter()
        .flat_map(|seen| Vendor::OpenAi.texts(seen))
        .map(|text| text.chars().count())
        .sum();
    assert_eq!(
        (tally.calls, tally.characters),
        (seen.len() as u64, characters as u64)
    );
}
