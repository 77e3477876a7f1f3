//! Reviewed translations as examples for a language model (R-L25).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::model::Model;
use crate::support::{Site, locale};

const PAGE: &str = "<!doctype html><html lang=en><title>Our bakery</title><p>We bake <b>warm bread</b> each morning.</p>\
    <p>We bake <b>warm rolls</b> each morning.</p><p>Closed on public holidays</p>";
const PEOPLE: &str = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
    msgid \"We bake <g id=\\\"1\\\">warm rolls</g> each morning.\"\n\
    msgstr \"Horneamos <g id=\\\"1\\\">panecillos</g> cada día.\"\n\n\
    #, fuzzy\nmsgid \"We bake fine bread each morning.\"\nmsgstr \"Nadie lo revisó.\"\n";

/// Starts a model that keeps the texts of all requests.
fn model() -> (Model, Arc<Mutex<Vec<Value>>>) {
    let asked = Arc::<Mutex<Vec<Value>>>::default();
    let shared = Arc::clone(&asked);
    let model = Model::saying(move |_, body, good| {
        let content = body["messages"].as_array().unwrap().last().unwrap()["content"]
            .as_str()
            .unwrap();
        let question: Value = serde_json::from_str(content).unwrap();
        shared
            .lock()
            .unwrap()
            .extend(question["texts"].as_array().unwrap().iter().cloned());
        (200, good)
    });
    (model, asked)
}

fn site(model: &Model, more: &str) -> Site {
    let keys = format!(
        "locales = [\"es\"]\ntranslations = \"{{lang}}.po\"\nengine = \"llm\"\n{}",
        model.engine(more)
    );
    let site = Site::new(&keys, &[("index.html", PAGE)]);
    site.write("es.po", PEOPLE);
    site
}

#[test]
fn similar_reviewed_texts_go_along_and_count_in_the_plan_r_l25() {
    let (model, asked) = model();
    let site = site(&model, "examples = 3");
    let plan = site.run(&["plan", "--json", "--quiet"]).json()["sites"][0].clone();
    let report = site.build(&[], 0);
    let texts = std::mem::take(&mut *asked.lock().unwrap());
    let example = json!([{ "source": "We bake warm rolls each morning.", "translation": "Horneamos panecillos cada día." }]);
    for text in &texts {
        let is_similar = text["text"].as_str().unwrap().starts_with("We bake");
        assert_eq!(
            text.get("examples"),
            if is_similar { Some(&example) } else { None },
            "{text}"
        );
    }
    assert_eq!(texts.len(), 3, "{texts:?}");
    let sent = &locale(&report, "es")["charactersSent"];
    assert_eq!(&plan["locales"][0]["characters"], sent);
    assert_eq!(*sent, model.counted().characters);

    // A newly reviewed translation asks nothing again.
    let more = "\nmsgid \"Closed on public holidays\"\nmsgstr \"Cerrado en festivos\"\n";
    site.write("es.po", &format!("{PEOPLE}{more}"));
    site.build(&[], 0);
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn texts_go_without_examples_by_default_r_l25() {
    let (model, asked) = model();
    site(&model, "").build(&[], 0);
    let texts = asked.lock().unwrap();
    assert!(
        !texts.is_empty() && texts.iter().all(|text| text.get("examples").is_none()),
        "{texts:?}"
    );
}

#[test]
fn declined_texts_are_asked_again_without_examples_r_l25() {
    let shared = Arc::<Mutex<Vec<usize>>>::default();
    let counts = Arc::clone(&shared);
    let model = Model::saying(move |_, body, good| {
        let content = body["messages"].as_array().unwrap().last().unwrap()["content"]
            .as_str()
            .unwrap();
        let examples = content.matches("\"examples\"").count();
        counts.lock().unwrap().push(examples);
        if examples == 0 {
            return (200, good);
        }
        let message = json!({ "role": "assistant", "content": null, "refusal": "no" });
        (
            200,
            json!({ "choices": [{ "finish_reason": "stop", "message": message }] }),
        )
    });
    let site = site(&model, "examples = 5");
    let report = site.build(&[], 0);
    assert!(site.read("dist/site/es/index.html").contains("WARM BREAD"));
    assert_eq!(
        locale(&report, "es")["charactersSent"],
        model.counted().characters
    );
    assert_eq!(shared.lock().unwrap()[..2], [1, 0]);
}
