//! Language models: answers in the forms that models give them, and requests in the form that services take.

use serde_json::{Value, json};

use super::*;

/// The entries of a good answer to a request.
fn entries(seen: &Seen) -> Vec<Value> {
    let texts = Vendor::OpenAi.texts(seen);
    (1..).zip(texts).map(|(id, text): (usize, String)| json!({ "id": id, "text": loud(&text) })).collect()
}

fn list(seen: &Seen) -> String {
    json!({ "translations": entries(seen) }).to_string()
}

fn say(content: Value) -> Told {
    let message = json!({ "role": "assistant", "content": content });
    Told::ok(json!({ "choices": [{ "finish_reason": "stop", "message": message }] }).to_string())
}

/// Asks for three texts and expects their translations after some number of requests.
async fn check_three(name: &str, posts: usize, told: impl Fn(usize, &Seen) -> Told + Send + Sync + 'static) {
    let server = Server::start(told).await;
    let texts = [plain("our bread"), segment("baked <g id=\"1\">each</g> day", &["b"]), plain("come & see")];
    let (outcomes, _) = run(Vendor::OpenAi, &server, &texts, "es").await;
    assert_eq!(outcomes, ["OUR BREAD", "BAKED <g id=\"1\">EACH</g> DAY", "COME &amp; SEE"], "{name}");
    assert_eq!(server.seen().len(), posts, "{name}");
}

#[tokio::test]
async fn answers_in_other_forms_take_one_request_r_l1() {
    let forms: [(&str, fn(&Seen) -> Value); 12] = [
        ("thoughts with a draft", |seen| {
            let draft = list(seen).replace("BREAD", "BRED");
            format!("<think>{draft} too literal {}</think>{}", "[x".repeat(200), list(seen)).into()
        }),
        ("thoughts without a beginning", |seen| format!("Okay {} so\n</think>\n{}", seen.body, list(seen)).into()),
        ("two lists", |seen| format!("{}\nFinal:\n{}", list(seen).replace("COME", "CAM"), list(seen)).into()),
        ("alternatives first", |seen| {
            let alternatives: Vec<_> = (1..4).map(|id| json!({ "id": id, "text": "ALT" })).collect();
            json!({ "alternatives": alternatives, "translations": entries(seen) }).to_string().into()
        }),
        ("strings", |seen| {
            let texts: Vec<_> = entries(seen).iter().map(|entry| entry["text"].clone()).collect();
            json!({ "translations": texts }).to_string().into()
        }),
        ("another key", |seen| list(seen).replace("\"text\"", "\"translation\"").into()),
        ("numbers with a point", |seen| list(seen).replace("\"id\":2", "\"id\":2.0").into()),
        ("numbers in quotes", |seen| list(seen).replace("\"id\":2", "\"id\":\"2\"").into()),
        ("a comma at the end", |seen| list(seen).replace("}]}", "},]}").into()),
        ("a raw line break", |seen| list(seen).replace("OUR BREAD", "OUR\nBREAD").into()),
        ("parts", |seen| json!([{ "type": "text", "text": list(seen) }])),
        ("lines of objects", |seen| entries(seen).iter().map(|entry| format!("{entry}\n")).collect::<String>().into()),
    ];
    for (name, form) in forms {
        check_three(name, 1, move |_, seen| say(form(seen))).await;
    }
    let server = Server::start(|_, seen| say(entries(seen)[0].to_string().into())).await;
    let (outcomes, _) = run(Vendor::OpenAi, &server, &[plain("our bread")], "es").await;
    assert_eq!((outcomes, server.seen().len()), (vec!["OUR BREAD".to_owned()], 1));
}

#[tokio::test]
async fn answers_that_cannot_be_told_apart_are_asked_for_alone_r_l2() {
    let several = |seen: &Seen| Vendor::OpenAi.texts(seen).len() > 1;
    check_three("a number too many", 4, move |_, seen| {
        let mut entries = entries(seen);
        if several(seen) {
            entries.push(json!({ "id": 4, "text": "X" }));
        }
        say(json!({ "translations": entries }).to_string().into())
    })
    .await;
    check_three("numbers from zero", 4, move |_, seen| {
        let from_zero = list(seen).replace("\"id\":1", "\"id\":0").replace("\"id\":2", "\"id\":1");
        say(if several(seen) { from_zero.into() } else { list(seen).into() })
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
