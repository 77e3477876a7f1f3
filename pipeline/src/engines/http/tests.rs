//! Every engine that is a service, against a server of ours that plays its documented answers and errors.
//!
//! One file: one server that plays every service.

mod context;
mod deepl;
mod faults;
mod lasting;
mod models;
mod server;
mod settings;
mod tokens;
mod vendors;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::server::{EngineServer, SeenRequest, ServerReply};
use self::vendors::{KEY, Vendor, completion, languages, loud};
use super::super::{Ask, Engine, EngineAnswer, EngineError, EngineRequest, start};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, Segment, check};
use crate::translate::EnginePace;
use crate::translate::example::{plain, segment, translated};
use crate::translate::{Chain, Tally};

/// Fast, but slow enough for a busy machine.
const PACE: EnginePace = EnginePace {
    deadline: Duration::from_secs(2),
    pause: Duration::from_millis(5),
};

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

/// What became of each text: its translation, or the reason after a `!`. No translation may be broken.
async fn run(
    vendor: Vendor,
    server: &EngineServer,
    segments: &[Segment],
    target: &str,
) -> (Vec<String>, Tally) {
    let engine = start(&vendor.spec(&server.url)).unwrap();
    let chain = Chain::new(vec![("it".into(), engine)]).at_pace(PACE);
    let (told, tally) = translated(&chain, segments, target).await;
    for (segment, told) in segments.iter().zip(told.values()) {
        assert!(
            !told.contains(KEY) && !told.starts_with(['=', '?']),
            "{told}"
        );
        if !told.starts_with('!') {
            let text = CodedText::from_markup(told).unwrap();
            assert_eq!(check(segment, &text), Ok(()), "a broken placeholder passed");
        }
    }
    (told.into_values().collect(), tally)
}

/// Asks an engine once for two texts.
async fn ask(
    vendor: Vendor,
    server: &EngineServer,
) -> Result<Vec<Result<EngineAnswer, crate::engines::AskError>>, EngineError> {
    let engine: Arc<dyn Engine> = start(&vendor.spec(&server.url)).unwrap();
    let languages = LanguagePair::of_tags("en", "es");
    let asks = ["one", "two"].map(Ask::plain);
    let asks = &asks[..if vendor == Vendor::Apy { 1 } else { 2 }];
    let request = EngineRequest {
        pair: languages.as_ref(),
        asks,
        deadline: Duration::from_secs(2),
    };
    let answer = engine.translate(request).await;
    for shown in [
        format!("{answer:?}"),
        engine.fingerprint(request.pair),
        format!("{:?}", vendor.spec(&server.url)),
    ] {
        assert!(!shown.contains(KEY), "{shown}");
    }
    answer
}

#[tokio::test]
async fn texts_with_codes_and_entities_come_back_whole_from_every_service() {
    let texts = [
        segment(
            "Save <g id=\"1\">big &amp; small</g> &lt;b&gt; <x id=\"2\"/> now",
            &["a", "code"],
        ),
        plain("Bread &amp; butter"),
        plain("C'est \"tout\""),
        segment("A <g id=\"2\">b <g id=\"1\">c</g></g> here", &["b", "i"]),
    ];
    for vendor in Vendor::ALL {
        let server = EngineServer::start(move |_, seen| vendor.well(seen)).await;
        let (outcomes, _) = run(vendor, &server, &texts[..], "es").await;
        let mut expected = texts
            .iter()
            .map(|text| loud(&text.text.to_markup()))
            .collect::<Vec<_>>();
        if vendor == Vendor::Libre {
            expected[1] = "! it: LibreTranslate would decode the character references in it".into();
        }
        assert_eq!(outcomes, expected, "{vendor:?}");
    }
}

/// What the one request looks like that asks for a heading with a link and a piece of code.
async fn shape(vendor: Vendor, target: &str) -> SeenRequest {
    let server = EngineServer::start(move |_, seen| vendor.well(seen)).await;
    let mut heading = segment(
        "Read <g id=\"1\">this</g> or <x id=\"2\"/> now",
        &["a", "code"],
    );
    heading.origin = "h1".into();
    let (outcomes, _) = run(vendor, &server, &[heading], target).await;
    assert!(!outcomes[0].starts_with('!'), "{outcomes:?}");
    server
        .seen()
        .into_iter()
        .find(|seen| vendor.is_asked(seen))
        .unwrap()
}

#[tokio::test]
async fn requests_have_their_documented_shape() {
    let header =
        |seen: &SeenRequest, name: &str| seen.headers.get(name).cloned().unwrap_or_default();

    let seen = shape(Vendor::Deepl, "pt-BR").await;
    assert_eq!(
        (seen.line.as_str(), header(&seen, "authorization")),
        ("POST /v2/translate", format!("DeepL-Auth-Key {KEY}"))
    );
    let expected = serde_json::json!({
        "text": ["Read <g id=\"1\">this</g> or <x id=\"2\"/> now"], "source_lang": "EN", "target_lang": "PT-BR",
        "tag_handling": "xml", "tag_handling_version": "v2", "formality": "prefer_more", "glossary_id": "g-1"
    });
    assert_eq!(seen.json(), expected);

    let html = "Read <span id=\"1\">this</span> or <span id=\"2\" translate=\"no\">XC2</span> now";
    let seen = shape(Vendor::Google, "zh-TW").await;
    assert_eq!(
        (seen.line.as_str(), header(&seen, "x-goog-api-key")),
        ("POST /language/translate/v2", KEY.into())
    );
    assert_eq!(
        seen.json(),
        serde_json::json!({ "q": [html], "source": "en", "target": "zh-TW", "format": "html" })
    );

    let seen = shape(Vendor::Azure, "zh-TW").await;
    assert_eq!(
        seen.line,
        "POST /translate?api-version=3.0&from=en&to=zh-Hant&textType=html"
    );
    assert_eq!(header(&seen, "ocp-apim-subscription-key"), KEY);
    assert_eq!(header(&seen, "ocp-apim-subscription-region"), "westeurope");
    assert_eq!(seen.json(), serde_json::json!([{ "Text": html }]));

    let seen = shape(Vendor::OpenAi, "pt-BR").await;
    assert_eq!(
        (seen.line.as_str(), header(&seen, "authorization")),
        ("POST /chat/completions", format!("Bearer {KEY}"))
    );
    let body = seen.json();
    assert_eq!(
        (&body["model"], &body["temperature"]),
        (&"parrot-1".into(), &0.into())
    );
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    let instruction = body["messages"][0]["content"].as_str().unwrap();
    assert!(
        instruction.contains("from English (en) to Brazilian Portuguese (pt-BR)"),
        "{instruction}"
    );
    let sent = "{\"texts\":[{\"id\":1,\"kind\":\"h1\",\"text\":\"Read <g id=\\\"1\\\">this</g> or <x id=\\\"2\\\"/> now\"}]}";
    assert_eq!(body["messages"][1]["content"], sent);

    let seen = shape(Vendor::Libre, "pt-BR").await;
    let body = seen.json();
    assert_eq!(
        (&body["format"], &body["target"], &body["api_key"]),
        (&"text".into(), &"pt-BR".into(), &KEY.into())
    );
    assert!(
        !seen.body.contains('<') && !body["q"].to_string().contains("id="),
        "{}",
        seen.body
    );

    let seen = shape(Vendor::Apy, "pt-BR").await;
    assert!(
        seen.body.starts_with("langpair=en%7Cpt_BR&q=")
            && seen.body.ends_with("&format=txt&markUnknown=no"),
        "{}",
        seen.body
    );
    assert!(!seen.body.contains(KEY) && !format!("{:?}", seen.headers).contains(KEY));
}

#[tokio::test]
async fn statuses_mean_what_is_documented_and_no_error_holds_the_key() {
    let google = |reason: &str, said: &str| {
        format!(
            "{{\"error\":{{\"code\":403,\"message\":\"{said} {KEY}\",\"errors\":[{{\"reason\":\"{reason}\"}}]}}}}"
        )
    };
    let azure = |code: u32| format!("{{\"error\":{{\"code\":{code},\"message\":\"no {KEY}\"}}}}");
    let openai = |code: &str| {
        format!(
            "{{\"error\":{{\"message\":\"no {KEY}\",\"type\":\"{code}\",\"code\":\"{code}\"}}}}"
        )
    };
    let said = |text: &str| format!("{{\"error\":\"{text} {KEY}\"}}");
    for (vendor, status, body, expected) in [
        (
            Vendor::Deepl,
            456,
            "{\"message\":\"Quota Exceeded\"}".into(),
            "quota is used up: 127.0.0.1",
        ),
        (
            Vendor::Deepl,
            400,
            "{\"message\":\"Value for 'target_lang' not supported.\"}".into(),
            "the engine has no en to es; ",
        ),
        (
            Vendor::Deepl,
            400,
            "{\"message\":\"Tag handling parsing failed\"}".into(),
            "does not take the request",
        ),
        (Vendor::Deepl, 529, String::new(), "rate-limited"),
        (
            Vendor::Google,
            403,
            google("userRateLimitExceeded", "User Rate Limit Exceeded"),
            "rate-limited",
        ),
        (
            Vendor::Google,
            403,
            google("dailyLimitExceeded", "Daily Limit Exceeded"),
            "quota is used up",
        ),
        (
            Vendor::Google,
            403,
            google("forbidden", "The caller does not have permission"),
            "refuses our credentials",
        ),
        (
            Vendor::Google,
            400,
            google(
                "badRequest",
                "API key not valid. Please pass a valid API key.",
            ),
            "refuses our credentials",
        ),
        (
            Vendor::Google,
            400,
            google("invalid", "Bad language pair: en|xx"),
            "the engine has no en to es",
        ),
        (
            Vendor::Azure,
            401,
            azure(401_000),
            "refuses our credentials",
        ),
        (Vendor::Azure, 403, azure(403_001), "quota is used up"),
        (
            Vendor::Azure,
            400,
            azure(400_036),
            "the engine has no en to es",
        ),
        (
            Vendor::Azure,
            400,
            azure(400_077),
            "does not take the request",
        ),
        (Vendor::Azure, 429, azure(429_001), "rate-limited"),
        (
            Vendor::OpenAi,
            429,
            openai("insufficient_quota"),
            "quota is used up",
        ),
        (
            Vendor::OpenAi,
            429,
            openai("rate_limit_exceeded"),
            "rate-limited",
        ),
        (
            Vendor::OpenAi,
            404,
            openai("model_not_found"),
            "no such service or model",
        ),
        (
            Vendor::Libre,
            403,
            said("Invalid API key"),
            "refuses our credentials",
        ),
        (
            Vendor::Libre,
            429,
            said("Slowdown: 30 per 1 minute"),
            "rate-limited",
        ),
        (
            Vendor::Libre,
            400,
            said("request (9) exceeds text limit (2)"),
            "does not take the request",
        ),
        (
            Vendor::Libre,
            400,
            said("xx is not supported"),
            "the engine has no en to es",
        ),
        (
            Vendor::Apy,
            400,
            "{\"message\":\"Bad Request\",\"explanation\":\"That pair is not installed\"}".into(),
            "That pair is not installed",
        ),
        (Vendor::Apy, 503, String::new(), "rate-limited"),
    ] {
        let answer = ServerReply::status(status, &body);
        let server = EngineServer::start(move |_, seen| {
            if vendor.is_asked(seen) {
                answer.clone()
            } else {
                languages()
            }
        })
        .await;
        let error = ask(vendor, &server).await.unwrap_err().to_string();
        assert!(
            error.contains(expected) && !error.contains(KEY),
            "{vendor:?} {status} {body}: {error}"
        );
    }
    for vendor in Vendor::ALL {
        for (status, expected) in [
            (401, "refuses our credentials"),
            (302, "redirects (status 302), and a key does not follow"),
            (500, "cannot be reached: 127.0.0.1"),
            (413, "does not take the request"),
            (503, "rate-limited"),
        ] {
            let headers = vec![("location", format!("http://127.0.0.1:1/{KEY}"))];
            // apy knows no key that it could repeat.
            let said = if vendor == Vendor::Apy { "oh" } else { KEY };
            let answer = ServerReply::Answer(
                status,
                headers,
                format!("<h1>{said} {}</h1>", said.repeat(50)),
            );
            let server = EngineServer::start(move |_, seen| {
                if vendor.is_asked(seen) {
                    answer.clone()
                } else {
                    languages()
                }
            })
            .await;
            let error = ask(vendor, &server).await.unwrap_err().to_string();
            assert!(
                error.contains(expected) && !error.contains(KEY),
                "{vendor:?} {status}: {error}"
            );
            let asked = server
                .seen()
                .iter()
                .filter(|seen| vendor.is_asked(seen))
                .count();
            assert!(asked <= 3, "{vendor:?} was asked {asked} times");
        }
    }
}

#[tokio::test]
async fn entities_of_html_answers_are_decoded_once() {
    for vendor in [Vendor::Google, Vendor::Azure] {
        let answer =
            "L&#39;&eacute;t&eacute; &amp;lt;b&amp;gt; <span id='1'>&quot;ici&quot;</span>"
                .to_owned();
        let server =
            EngineServer::start(move |_, _| vendor.answer(std::slice::from_ref(&answer))).await;
        let (outcomes, _) = run(
            vendor,
            &server,
            &[segment("Here <g id=\"1\">it is</g>", &["a"])],
            "fr",
        )
        .await;
        assert_eq!(
            outcomes,
            ["L'été &amp;lt;b&amp;gt; <g id=\"1\">\"ici\"</g>"],
            "{vendor:?}"
        );
    }
}

#[tokio::test]
async fn private_addresses_are_asked_only_where_that_is_allowed() {
    use crate::engines::{ApiKey, EngineSpec, HttpService, services};
    let server = EngineServer::start(|_, _| ServerReply::ok("{}".into())).await;
    let by_name = server.url.as_str().replace("127.0.0.1", "localhost");
    for url in [server.url.as_str(), by_name.as_str()] {
        let key = ApiKey::Unset("X".into());
        let options = [("model", "m".to_owned())].into();
        let service = HttpService {
            url: Some(url::Url::parse(url).unwrap()),
            key,
            allow_private: false,
            options,
            settings: Default::default(),
        };
        let kind = services().find(|kind| kind.name == "openai").unwrap();
        let engine = start(&EngineSpec::Service(kind, service)).unwrap();
        let languages = LanguagePair::of_tags("en", "es");
        let asks = [Ask::plain("one")];
        let request = EngineRequest {
            pair: languages.as_ref(),
            asks: &asks,
            deadline: Duration::from_secs(5),
        };
        let error = engine.translate(request).await.unwrap_err();
        assert!(
            matches!(&error, EngineError::Absent(reason) if reason.contains("allow_private")),
            "{error}"
        );
    }
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn retry_after_is_obeyed_as_seconds_and_as_a_date() {
    for headers in [
        vec![("retry-after", "1".to_owned())],
        vec![
            ("retry-after", "Sat, 21 Nov 2026 05:00:01 GMT".to_owned()),
            ("date", "Sat, 21 Nov 2026 05:00:00 GMT".to_owned()),
        ],
    ] {
        let server = EngineServer::start(move |number, seen| match number {
            0 => ServerReply::Answer(429, headers.clone(), String::new()),
            _ => Vendor::Deepl.well(seen),
        })
        .await;
        let began = Instant::now();
        let (outcomes, _) = run(Vendor::Deepl, &server, &[plain("hello")], "es").await;
        assert_eq!((outcomes, server.seen().len()), (vec!["HELLO".into()], 2));
        assert!(
            began.elapsed() >= Duration::from_secs(1),
            "{:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn language_models_are_asked_in_the_manner_they_take() {
    for (refuses, rounds, formats) in [
        (
            vec!["json_schema"],
            2,
            vec!["json_schema", "json_object", "json_object"],
        ),
        (
            vec!["json_schema", "json_object"],
            3,
            vec!["json_schema", "json_object", "", "", ""],
        ),
    ] {
        let server = EngineServer::start(move |_, seen| {
            let format = seen.json()["response_format"]["type"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let refused = refuses.contains(&format.as_str());
            if refused {
                ServerReply::status(400, "{\"error\":\"what?\"}")
            } else {
                Vendor::OpenAi.well(seen)
            }
        })
        .await;
        // One after the other, so that the first teaches the rest.
        let engine = start(&Vendor::OpenAi.spec(&server.url)).unwrap();
        for _ in 0..rounds {
            let asks = [Ask::plain("one")];
            let languages = LanguagePair::of_tags("en", "es");
            let request = EngineRequest {
                pair: languages.as_ref(),
                asks: &asks,
                deadline: PACE.deadline,
            };
            assert!(
                engine
                    .translate(request)
                    .await
                    .unwrap()
                    .iter()
                    .all(Result::is_ok)
            );
        }
        let asked: Vec<String> = server
            .seen()
            .iter()
            .map(|seen| {
                seen.json()["response_format"]["type"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        assert_eq!(asked, formats);
    }
}

#[tokio::test]
async fn models_with_a_temperature_of_their_own_keep_it() {
    let server = EngineServer::start(|_, seen| match seen.json().get("temperature") {
        Some(_) => ServerReply::status(
            400,
            "{\"error\":{\"message\":\"'temperature' does not support 0 with this model\"}}",
        ),
        None => Vendor::OpenAi.well(seen),
    })
    .await;
    let (outcomes, _) = run(Vendor::OpenAi, &server, &[plain("one day")], "es").await;
    assert_eq!((outcomes, server.seen().len()), (vec!["ONE DAY".into()], 2));
    assert_eq!(
        server.seen()[1].json()["response_format"]["type"],
        "json_schema"
    );
}

#[tokio::test]
async fn an_answer_that_grew_too_long_is_asked_for_in_halves() {
    let server = EngineServer::start(|_, seen| {
        let texts = Vendor::OpenAi.texts(seen);
        if texts.len() > 4 || texts.contains(&"endless".to_owned()) {
            return ServerReply::ok(
                completion("{\"translations\":[{\"id\":1,\"te", "length").to_string(),
            );
        }
        Vendor::OpenAi.well(seen)
    })
    .await;
    let texts: Vec<Segment> = (0..10)
        .map(|n| {
            plain(if n == 7 {
                "endless"
            } else {
                ["a b", "c d"][n % 2]
            })
        })
        .collect();
    let (outcomes, _) = run(Vendor::OpenAi, &server, &texts, "es").await;
    for (n, outcome) in outcomes.iter().enumerate() {
        let expected = if n == 7 {
            "! it: the engine's answer is cut off, for it grew too long"
        } else {
            ["A B", "C D"][n % 2]
        };
        assert_eq!(outcome, expected, "{n}");
    }
}
