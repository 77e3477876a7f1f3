//! A language model on the loopback interface. It answers in capitals and counts the requests.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::web::serve_json;

/// Requests and their characters and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub requests: u64,
    pub characters: u64,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
}

/// The running model; it ends with the process.
pub struct Model {
    pub address: String,
    counted: Arc<Mutex<Counted>>,
}

impl Model {
    /// Starts a model with good answers.
    pub fn start() -> Self {
        Self::saying(|_, _, good| (200, good))
    }

    /// Starts a model with other answers: a function of the number of a request from 0, its body and a good answer to it.
    pub fn saying(
        says: impl Fn(usize, &Value, Value) -> (u16, Value) + Send + Sync + 'static,
    ) -> Self {
        let counted = Arc::<Mutex<Counted>>::default();
        let shared = Arc::clone(&counted);
        let address = serve_json(move |_, asked| {
            let messages = asked["messages"].as_array().unwrap();
            let question: Value =
                serde_json::from_str(messages.last().unwrap()["content"].as_str().unwrap())
                    .unwrap();
            let texts: Vec<&str> = question["texts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|text| text["text"].as_str().unwrap())
                .collect();
            let number = shared.lock().unwrap().requests as usize;
            let (status, told) = says(number, asked, good(&texts));
            let usage = &told["usage"];
            let mut counted = shared.lock().unwrap();
            counted.requests += 1;
            counted.characters +=
                texts.iter().map(|text| length(&plain(text))).sum::<u64>() + examples(&question);
            counted.input += usage["prompt_tokens"].as_u64().unwrap_or_default();
            counted.output += usage["completion_tokens"].as_u64().unwrap_or_default();
            counted.cached += usage["prompt_tokens_details"]["cached_tokens"]
                .as_u64()
                .unwrap_or_default();
            (status, told)
        });
        Self {
            address: format!("{address}/v1"),
            counted,
        }
    }

    /// Configuration table of the model, named `llm`.
    pub fn engine(&self, more: &str) -> String {
        let url = &self.address;
        format!(
            "[engine.llm]\nkind = \"openai\"\nurl = {url:?}\nmodel = \"parrot-1\"\nallow_private = true\n{more}\n"
        )
    }

    /// Counts so far.
    pub fn counted(&self) -> Counted {
        *self.counted.lock().unwrap()
    }
}

/// A completion with all texts in capitals and its tokens.
fn good(texts: &[&str]) -> Value {
    let entries: Vec<Value> = (1..)
        .zip(texts)
        .map(|(id, text): (u32, _)| json!({ "id": id, "text": loud(text) }))
        .collect();
    let letters: usize = texts.iter().map(|text| text.len()).sum();
    let message =
        json!({ "role": "assistant", "content": json!({ "translations": entries }).to_string() });
    let usage = json!({ "prompt_tokens": 200 + letters, "completion_tokens": letters,
                        "prompt_tokens_details": { "cached_tokens": 128 } });
    json!({ "choices": [{ "finish_reason": "stop", "message": message }], "usage": usage })
}

/// The text in capitals, without its tags, placeholders and entities.
fn loud(text: &str) -> String {
    let mut depth = 0;
    let raise = |one: char| {
        depth += i32::from(matches!(one, '<' | '{' | '&'))
            - i32::from(matches!(one, '>' | '}' | ';') && depth > 0);
        if depth > 0 {
            one
        } else {
            one.to_ascii_uppercase()
        }
    };
    text.chars().map(raise).collect()
}

/// Characters of the examples of all texts.
fn examples(question: &Value) -> u64 {
    let mut characters = 0;
    for example in question["texts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|text| text["examples"].as_array())
        .flatten()
    {
        for member in ["source", "translation"] {
            characters += length(example[member].as_str().unwrap());
        }
    }
    characters
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The text without codes.
fn plain(text: &str) -> String {
    scraper::Html::parse_fragment(text)
        .root_element()
        .text()
        .collect()
}
