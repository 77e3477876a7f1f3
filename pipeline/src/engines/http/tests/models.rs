//! Language models: answers in the forms that models give them, and requests in the form that services take.

use serde_json::{Value, json};

use super::*;

/// The content of an answer to a request.
type ContentOf = fn(&SeenRequest) -> Value;
/// A translation with what a model says around it.
type WrappedTranslation = fn(&str) -> String;

/// The entries of a good answer to a request.
fn entries(seen: &SeenRequest) -> Vec<Value> {
    let texts = Vendor::OpenAi.texts(seen);
    (1..)
        .zip(texts)
        .map(|(id, text): (usize, String)| json!({ "id": id, "text": loud(&text) }))
        .collect()
}

fn list(seen: &SeenRequest) -> String {
    json!({ "translations": entries(seen) }).to_string()
}

fn say(content: Value) -> ServerReply {
    let message = json!({ "role": "assistant", "content": content });
    ServerReply::ok(
        json!({ "choices": [{ "finish_reason": "stop", "message": message }] }).to_string(),
    )
}

/// Asks for three texts and expects their translations after some number of requests.
async fn check_three(
    name: &str,
    posts: usize,
    told: impl Fn(usize, &SeenRequest) -> ServerReply + Send + Sync + 'static,
) {
    let server = EngineServer::start(told).await;
    let texts = [
        plain("our bread"),
        segment("baked <g id=\"1\">each</g> day", &["b"]),
        plain("come & see"),
    ];
    let (outcomes, _) = run(Vendor::OpenAi, &server, &texts, "es").await;
    assert_eq!(
        outcomes,
        [
            "OUR BREAD",
            "BAKED <g id=\"1\">EACH</g> DAY",
            "COME &amp; SEE"
        ],
        "{name}"
    );
    assert_eq!(server.seen().len(), posts, "{name}");
}

#[tokio::test]
async fn answers_in_other_forms_take_one_request_r_l1() {
    let forms: [(&str, ContentOf); 12] = [
        ("thoughts with a draft", |seen| {
            let draft = list(seen).replace("BREAD", "BRED");
            format!(
                "<think>{draft} too literal {}</think>{}",
                "[x".repeat(200),
                list(seen)
            )
            .into()
        }),
        ("thoughts without a beginning", |seen| {
            format!("Okay {} so\n</think>\n{}", seen.body, list(seen)).into()
        }),
        ("two lists", |seen| {
            format!(
                "{}\nFinal:\n{}",
                list(seen).replace("COME", "CAM"),
                list(seen)
            )
            .into()
        }),
        ("alternatives first", |seen| {
            let alternatives: Vec<_> = (1..4)
                .map(|id| json!({ "id": id, "text": "ALT" }))
                .collect();
            json!({ "alternatives": alternatives, "translations": entries(seen) })
                .to_string()
                .into()
        }),
        ("strings", |seen| {
            let texts: Vec<_> = entries(seen)
                .iter()
                .map(|entry| entry["text"].clone())
                .collect();
            json!({ "translations": texts }).to_string().into()
        }),
        ("another key", |seen| {
            list(seen).replace("\"text\"", "\"translation\"").into()
        }),
        ("numbers with a point", |seen| {
            list(seen).replace("\"id\":2", "\"id\":2.0").into()
        }),
        ("numbers in quotes", |seen| {
            list(seen).replace("\"id\":2", "\"id\":\"2\"").into()
        }),
        ("a comma at the end", |seen| {
            list(seen).replace("}]}", "},]}").into()
        }),
        ("a raw line break", |seen| {
            list(seen).replace("OUR BREAD", "OUR\nBREAD").into()
        }),
        (
            "parts",
            |seen| json!([{ "type": "text", "text": list(seen) }]),
        ),
        ("lines of objects", |seen| {
            entries(seen)
                .iter()
                .map(|entry| format!("{entry}\n"))
                .collect::<String>()
                .into()
        }),
    ];
    for (name, form) in forms {
        check_three(name, 1, move |_, seen| say(form(seen))).await;
    }
    let server = EngineServer::start(|_, seen| say(entries(seen)[0].to_string().into())).await;
    let (outcomes, _) = run(Vendor::OpenAi, &server, &[plain("our bread")], "es").await;
    assert_eq!(
        (outcomes, server.seen().len()),
        (vec!["OUR BREAD".to_owned()], 1)
    );
}

#[tokio::test]
async fn answers_that_cannot_be_told_apart_are_asked_for_alone_r_l2() {
    let several = |seen: &SeenRequest| Vendor::OpenAi.texts(seen).len() > 1;
    check_three("a number too many", 4, move |_, seen| {
        let mut entries = entries(seen);
        if several(seen) {
            entries.push(json!({ "id": 4, "text": "X" }));
        }
        say(json!({ "translations": entries }).to_string().into())
    })
    .await;
    check_three("numbers from zero", 4, move |_, seen| {
        let from_zero = list(seen)
            .replace("\"id\":1", "\"id\":0")
            .replace("\"id\":2", "\"id\":1");
        say(if several(seen) {
            from_zero.into()
        } else {
            list(seen).into()
        })
    })
    .await;
    check_three("one answer for two texts", 3, move |_, seen| {
        let mut entries = entries(seen);
        if several(seen) {
            entries[2]["text"] = "OUR BREAD".into();
        }
        say(json!({ "translations": entries }).to_string().into())
    })
    .await;
    check_three("two texts in one answer", 4, move |_, seen| {
        let mut entries = entries(seen);
        if several(seen) {
            entries[0]["text"] = "OUR BREAD BAKED".into();
            entries[1]["text"] = entries[2]["text"].clone();
        }
        say(json!({ "translations": entries }).to_string().into())
    })
    .await;
}

#[tokio::test]
async fn what_a_model_says_around_a_translation_goes_r_l3() {
    let ways: [(&str, WrappedTranslation); 8] = [
        ("introduction", |text| {
            format!("Here is the translation: {text}")
        }),
        ("another introduction", |text| {
            format!("Sure! Traducción: {text}")
        }),
        ("quotation marks", |text| format!("\"{text}\"")),
        ("bold face", |text| format!("**{text}**")),
        ("note", |text| format!("{text} (Note: formal register)")),
        ("line breaks in letters", |text| format!("{text}\\n")),
        ("both", |text| {
            format!("Translation:\n\n“{text}”\n\nNote: formal.")
        }),
        ("invisible signs", |text| {
            format!("\u{feff}\u{200b}{text}\u{2060}\u{202e}\u{e0041}")
        }),
    ];
    for (name, way) in ways {
        check_three(name, 1, move |_, seen| {
            let mut entries = entries(seen);
            for entry in &mut entries {
                entry["text"] = way(entry["text"].as_str().unwrap()).into();
            }
            say(json!({ "translations": entries }).to_string().into())
        })
        .await;
    }
}

#[tokio::test]
async fn what_is_no_translation_is_refused_r_l3_r_l4() {
    for (target, answer, check) in [
        ("es", "I'm sorry, but I can't help with that.", "[talk]"),
        ("es", "Lo siento, pero no puedo ayudar con eso.", "[talk]"),
        ("fr", "En tant qu'IA, je n'ai pas d'avis.", "[talk]"),
        ("es", "As an AI language model, I have no bread.", "[talk]"),
        ("es", "这是一个中文句子", "[script]"),
        ("ru", "Ouro breado iso fresho", "[script]"),
        (
            "ja",
            "我们的面包每天都是新鲜的欢迎来到我们的面包店品尝",
            "[script]",
        ),
        (
            "es",
            "Paaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaan",
            "[repetition]",
        ),
    ] {
        let server = EngineServer::start(move |_, _| {
            say(json!({ "translations": [{ "id": 1, "text": answer }] })
                .to_string()
                .into())
        })
        .await;
        let (outcomes, _) = run(
            Vendor::OpenAi,
            &server,
            &[plain("our bread is fresh")],
            target,
        )
        .await;
        assert!(
            outcomes[0].starts_with("! it: ") && outcomes[0].contains(check),
            "{target} {answer}: {outcomes:?}"
        );
    }
}

/// Asks for one text after the other, so that the first teaches the rest; returns the form of each request.
async fn asked_in_turn(rounds: usize, server: &EngineServer) -> Vec<String> {
    let engine = start(&Vendor::OpenAi.spec(&server.url)).unwrap();
    for _ in 0..rounds {
        let asks = [Ask::plain("our bread")];
        let languages = LanguagePair::of_tags("en", "es");
        let request = EngineRequest {
            pair: languages.as_ref(),
            asks: &asks,
            deadline: PACE.deadline,
        };
        // The chain retries server failures.
        let mut answer = engine.translate(request).await;
        for _ in 0..2 {
            if matches!(answer, Err(EngineError::Transport(_))) {
                answer = engine.translate(request).await;
            }
        }
        assert_eq!(
            answer.unwrap()[0].as_ref().unwrap().text.text(),
            "OUR BREAD"
        );
    }
    server
        .seen()
        .iter()
        .map(|seen| form(&seen.json()))
        .collect()
}

/// The parts of a request that services may refuse: `schema temperature system`.
fn form(body: &Value) -> String {
    let format = match body["response_format"]["type"].as_str() {
        Some("json_schema") => "schema ",
        Some(_) => "object ",
        None => "",
    };
    let temperature = if body.get("temperature").is_some() {
        "temperature "
    } else {
        ""
    };
    format!(
        "{format}{temperature}{}",
        body["messages"][0]["role"].as_str().unwrap()
    )
}

#[tokio::test]
async fn a_service_is_asked_without_what_it_does_not_take_r_l7() {
    let full = "schema temperature system";
    for (part, status, said, expected) in [
        (
            "temperature",
            400,
            r#"{"error":{"message":"'temperature' does not support 0","param":"temperature"}}"#,
            vec![full, "schema system", "schema system"],
        ),
        (
            "temperature",
            422,
            r#"{"detail":[{"loc":["body","temperature"],"msg":"Extra inputs"}]}"#,
            vec![full, "schema system", "schema system"],
        ),
        (
            "temperature",
            500,
            r#"{"error":"temperature must be positive"}"#,
            vec![full, "schema system", "schema system"],
        ),
        (
            "system",
            400,
            r#"{"error":{"message":"'messages[0].role' does not support 'system'"}}"#,
            vec![full, "schema temperature user", "schema temperature user"],
        ),
        (
            "system",
            500,
            r#"{"error":{"message":"Jinja Exception: System role not supported"}}"#,
            vec![full, "schema temperature user", "schema temperature user"],
        ),
        (
            "system",
            422,
            r#"{"message":"Developer instruction is not enabled"}"#,
            vec![full, "schema temperature user", "schema temperature user"],
        ),
        (
            "schema",
            422,
            r#"{"error":{"message":"unknown variant `json_schema`"}}"#,
            vec![
                full,
                "object temperature system",
                "object temperature system",
            ],
        ),
        (
            "schema object",
            404,
            r#"{"error":{"message":"No endpoints found that can handle the requested parameters"}}"#,
            vec![
                full,
                "object temperature system",
                "temperature system",
                "temperature system",
            ],
        ),
        (
            "schema object",
            500,
            r#"{"error":"failed to parse grammar"}"#,
            vec![
                full,
                "object temperature system",
                "temperature system",
                "temperature system",
            ],
        ),
        (
            "temperature",
            400,
            r#"{"error":"what?"}"#,
            vec![
                full,
                "object temperature system",
                "temperature system",
                "schema system",
                "schema system",
            ],
        ),
        (
            "schema",
            500,
            "oops",
            vec![
                full,
                full,
                "object temperature system",
                "object temperature system",
            ],
        ),
    ] {
        let server = EngineServer::start(move |_, seen| {
            let asked = form(&seen.json());
            let is_refused = asked
                .split(' ')
                .any(|word| part.split(' ').any(|refused| refused == word));
            if is_refused {
                ServerReply::status(status, said)
            } else {
                Vendor::OpenAi.well(seen)
            }
        })
        .await;
        assert_eq!(
            asked_in_turn(2, &server).await,
            expected,
            "{part} {status} {said}"
        );
    }
}

#[tokio::test]
async fn several_parts_are_left_out_one_by_one_r_l7() {
    let server = EngineServer::start(|_, seen| match form(&seen.json()).as_str() {
        asked if asked.contains("temperature") => {
            ServerReply::status(400, r#"{"error":"temperature is not supported"}"#)
        }
        asked if asked.contains("system") => {
            ServerReply::status(400, r#"{"error":"system role not supported"}"#)
        }
        asked if asked.contains("schema") => {
            ServerReply::status(422, r#"{"error":"json_schema is unavailable"}"#)
        }
        _ => Vendor::OpenAi.well(seen),
    })
    .await;
    let asked = asked_in_turn(2, &server).await;
    assert_eq!(
        asked,
        [
            "schema temperature system",
            "schema system",
            "schema user",
            "object user",
            "object user"
        ]
    );
}

#[tokio::test]
async fn a_failure_of_one_answer_changes_nothing_later_r_l7() {
    let full = "schema temperature system";
    let failed = r#"{"error":{"message":"Failed to generate JSON","code":"json_validate_failed","failed_generation":"{"}}"#;
    for (number, said) in [(0, failed), (1, failed), (1, r#"{"error":"what?"}"#)] {
        let server = EngineServer::start(move |at, seen| match at {
            at if at == number => ServerReply::status(400, said),
            _ => Vendor::OpenAi.well(seen),
        })
        .await;
        let engine = start(&Vendor::OpenAi.spec(&server.url)).unwrap();
        let chain = Chain::new(vec![("it".into(), engine)]).at_pace(PACE);
        for text in ["one day", "two days", "six days"] {
            let (told, _) = translated(&chain, &[plain(text)], "es").await;
            assert_eq!(told[&0], text.to_uppercase(), "{number} {said}");
        }
        let asked: Vec<String> = server
            .seen()
            .iter()
            .map(|seen| form(&seen.json()))
            .collect();
        assert_eq!(asked.len(), 4, "{asked:?}");
        assert_eq!(
            asked.iter().filter(|form| *form == full).count(),
            if said == failed { 3 } else { 4 }
        );
        assert_eq!(asked[3], full);
    }
    // A content filter rejects texts, not forms: they are asked for one by one, in the same form.
    let filtered = r#"{"error":{"code":"content_filter","message":"The response was filtered"}}"#;
    let server = EngineServer::start(move |_, seen| {
        match Vendor::OpenAi
            .texts(seen)
            .iter()
            .any(|text| text == "bad text")
        {
            true => ServerReply::status(400, filtered),
            false => Vendor::OpenAi.well(seen),
        }
    })
    .await;
    let (outcomes, _) = run(
        Vendor::OpenAi,
        &server,
        &[plain("bad text"), plain("good text")],
        "es",
    )
    .await;
    assert!(
        outcomes[0].starts_with("! it: ") && outcomes[1] == "GOOD TEXT",
        "{outcomes:?}"
    );
    assert!(server.seen().iter().all(|seen| form(&seen.json()) == full));
}
