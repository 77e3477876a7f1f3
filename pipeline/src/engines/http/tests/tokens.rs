//! Tokens in the report, compared with those that the service counted, for good and failed requests.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::config::NamedEngine;
use crate::engines::TokenUsage;
use crate::inspect::{EngineTest, KeptParts, test_engine};

/// Status and content of an answer to the request with this number.
type ReplyFunction = fn(usize, &SeenRequest) -> (u16, String);

/// A good list of translations.
fn list(seen: &SeenRequest) -> String {
    let entries = (1..)
        .zip(Vendor::OpenAi.done(seen))
        .map(|(id, text): (u32, _)| json!({ "id": id, "text": text }));
    json!({ "translations": entries.collect::<Vec<_>>() }).to_string()
}

/// Tokens that a service charges for an answer; the characters are those of the texts without codes.
fn charged(number: usize, seen: &SeenRequest) -> TokenUsage {
    let characters = Vendor::OpenAi.texts(seen).into_iter().map(|text| {
        let text = CodedText::from_markup(&text).unwrap();
        text.text().chars().count()
    });
    let number = number as u64;
    TokenUsage {
        input: 100 + number,
        output: 50 + 2 * number,
        cached: 10 + number,
        requests: 1,
        characters: characters.sum::<usize>() as u64,
    }
}

/// A server that reports the tokens of every answer, and their sum.
async fn counting(says: ReplyFunction) -> (EngineServer, Arc<Mutex<TokenUsage>>) {
    let sum = Arc::<Mutex<TokenUsage>>::default();
    let shared = Arc::clone(&sum);
    let server = EngineServer::start(move |number, seen| {
        let tokens = charged(number, seen);
        shared.lock().unwrap().add(tokens);
        let (status, content) = says(number, seen);
        let mut body = match status {
            200 => completion(
                &content,
                if content.ends_with("…") {
                    "length"
                } else {
                    "stop"
                },
            ),
            _ => json!({ "error": { "message": content } }),
        };
        body["usage"] = json!({
            "prompt_tokens": tokens.input,
            "completion_tokens": tokens.output,
            "prompt_tokens_details": { "cached_tokens": tokens.cached },
        });
        ServerReply::status(status, &body.to_string())
    })
    .await;
    (server, sum)
}

fn named(url: &url::Url) -> NamedEngine {
    NamedEngine::unpriced("it", Vendor::OpenAi.spec(url))
}

#[tokio::test]
async fn tokens_of_all_requests_are_added_up_r_l20() {
    let ways: [(&str, ReplyFunction); 7] = [
        ("good answers", |_, seen| (200, list(seen))),
        ("a form that is refused", |_, seen| {
            match seen.body.contains("json_schema") {
                true => (400, "response_format is unavailable".into()),
                false => (200, list(seen)),
            }
        }),
        ("a failure that passes", |number, seen| {
            if number < 2 {
                (500, "busy".into())
            } else {
                (200, list(seen))
            }
        }),
        ("rubbish", |number, seen| {
            (
                200,
                if number == 0 {
                    "no list".into()
                } else {
                    list(seen)
                },
            )
        }),
        ("answers that are cut", |_, seen| {
            match Vendor::OpenAi.texts(seen).len() {
                1 => (200, list(seen)),
                _ => (200, "{\"translations\": [{…".into()),
            }
        }),
        ("texts that come back as they were", |_, seen| {
            (
                200,
                list(seen).replace("OUR BREAD IS FRESH", "our bread is fresh"),
            )
        }),
        ("a spent account", |_, _| {
            (402, "Insufficient balance".into())
        }),
    ];
    let texts = [
        plain("our bread is fresh"),
        segment("baked <g id=\"1\">each</g> day", &["b"]),
        plain("come in"),
    ];
    for (name, says) in ways {
        let (server, sum) = counting(says).await;
        let (outcomes, tally) = run(Vendor::OpenAi, &server, &texts, "es").await;
        assert_eq!(tally.tokens(), *sum.lock().unwrap(), "{name}: {outcomes:?}");
        assert_eq!(
            (tally.tokens().requests, tally.calls),
            (server.seen().len() as u64, tally.calls),
            "{name}"
        );
        assert_eq!(tally.tokens().characters, tally.characters, "{name}");
    }
}

#[tokio::test]
async fn services_that_report_no_tokens_count_none_r_l20() {
    for vendor in Vendor::ALL {
        let server = EngineServer::start(move |_, seen| vendor.well(seen)).await;
        let (_, tally) = run(vendor, &server, &[plain("our bread")], "es").await;
        assert_eq!(tally.tokens().named(), None, "{vendor:?}");
    }
}

/// Tests an engine against a server with these answers; returns the number of requests, too.
async fn tested(says: ReplyFunction) -> (EngineTest, usize) {
    let (server, _) = counting(says).await;
    let languages = LanguagePair::of_tags("en", "es");
    let test = test_engine(&named(&server.url), languages.as_ref())
        .await
        .unwrap();
    assert!(!format!("{test:?}").contains(KEY), "{test:?}");
    (test, server.seen().len())
}

#[tokio::test]
async fn an_engine_that_works_is_asked_once_r_l21() {
    let (test, posts) = tested(|_, seen| (200, list(seen).replace("{NAME}", "{name}"))).await;
    assert_eq!(
        (test.ok, posts, test.requests, test.problems),
        (true, 1, 1, vec![])
    );
    assert_eq!(
        test.kept,
        Some(KeptParts {
            code: true,
            number: true,
            placeholder: true
        })
    );
    assert_eq!(
        test.tokens
            .map(|tokens| (tokens.input, tokens.output, tokens.cached)),
        Some((100, 50, 10))
    );
    let form = json!({ "format": "schema", "temperature": 0.0, "system": true });
    assert_eq!(json!(test.form), form);
    assert!(test.time_ms.is_some() && test.answer.unwrap().starts_with("HELLO {name}"));
}

#[tokio::test]
async fn a_test_shows_the_form_that_the_service_accepts_r_l21() {
    let (test, posts) = tested(|_, seen| match seen.json() {
        body if body["response_format"]["type"] == "json_schema" => {
            (400, "response_format is unavailable".into())
        }
        body if body.get("temperature").is_some() => (422, "temperature is unsupported".into()),
        body if body["messages"][0]["role"] == "system" => {
            (400, "system role not supported".into())
        }
        _ => (200, list(seen).replace("{NAME}", "{name}")),
    })
    .await;
    assert_eq!((test.ok, posts, test.requests), (true, 4, 4), "{test:?}");
    assert_eq!(
        json!(test.form),
        json!({ "format": "object", "temperature": null, "system": false })
    );
}

#[tokio::test]
async fn a_test_names_what_is_wrong_and_does_not_ask_again_r_l21() {
    let parts = |code, number, placeholder| {
        Some(KeptParts {
            code,
            number,
            placeholder,
        })
    };
    let ways: [(ReplyFunction, Option<KeptParts>, &str); 9] = [
        (
            |_, seen| (200, list(seen)),
            parts(true, true, false),
            "[placeholder]",
        ),
        (
            |_, seen| {
                (
                    200,
                    list(seen).replace("{NAME}", "{name}").replace("42", "43"),
                )
            },
            parts(true, false, true),
            "[numbers]",
        ),
        (
            |_, seen| {
                (
                    200,
                    list(seen)
                        .replace("{NAME}", "{name}")
                        .replace("</g>", "")
                        .replace("<g id=\\\"1\\\">", ""),
                )
            },
            parts(false, true, true),
            "[markup]",
        ),
        (|_, seen| (200, list(seen).replace("</g>", "")), None, ""),
        (|_, _| (200, "I cannot".into()), None, ""),
        (|_, _| (429, "slow down".into()), None, "rate-limited"),
        (|_, _| (500, "oops".into()), None, "oops"),
        (
            |_, _| (404, "model not found".into()),
            None,
            "no such service or model",
        ),
        (
            |_, _| (401, "who are you".into()),
            None,
            "refuses our credentials",
        ),
    ];
    for (at, (says, kept, problem)) in ways.into_iter().enumerate() {
        let (test, posts) = tested(says).await;
        assert_eq!(
            (test.ok, test.kept, posts),
            (false, kept, 1),
            "{at}: {test:?}"
        );
        assert!(
            test.problems.len() == 1 && test.problems[0].contains(problem),
            "{at}: {test:?}"
        );
    }
}

#[tokio::test]
async fn every_service_can_be_tested_r_l21() {
    let languages = LanguagePair::of_tags("en", "es");
    for vendor in Vendor::ALL {
        let server = EngineServer::start(move |_, seen| vendor.well(seen)).await;
        let engine = NamedEngine::unpriced("it", vendor.spec(&server.url));
        let test = test_engine(&engine, languages.as_ref()).await.unwrap();
        assert!(
            test.answer.is_some() && test.kept.is_some_and(|kept| kept.code && kept.number),
            "{vendor:?}: {test:?}"
        );
    }
}
