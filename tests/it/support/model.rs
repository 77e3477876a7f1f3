//! A language model on the loopback interface. It answers in capitals and counts the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Requests and their characters and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub requests: u64,
    pub characters: u64,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
}

/// Status and body for a request. The arguments are its number from 0, its body and a good answer to it.
pub type Says = dyn Fn(usize, &Value, Value) -> (u16, Value) + Send + Sync;

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

    /// Starts a model with other answers.
    pub fn saying(says: impl Fn(usize, &Value, Value) -> (u16, Value) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let counted = Arc::<Mutex<Counted>>::default();
        let (shared, says): (_, Arc<Says>) = (Arc::clone(&counted), Arc::new(says));
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let (counted, says) = (Arc::clone(&shared), Arc::clone(&says));
                std::thread::spawn(move || while answer(&stream, &counted, &says).is_some() {});
            }
        });
        Self { address, counted }
    }

    /// Configuration table of the model, named `llm`.
    pub fn engine(&self, more: &str) -> String {
        let url = &self.address;
        format!("[engine.llm]\nkind = \"openai\"\nurl = {url:?}\nmodel = \"parrot-1\"\nallow_private = true\n{more}\n")
    }

    /// Counts so far.
    pub fn counted(&self) -> Counted {
        *self.counted.lock().unwrap()
    }
}

/// Answers one request; `None` at the end of the connection.
fn answer(mut stream: &TcpStream, counted: &Mutex<Counted>, says: &Arc<Says>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let messages = asked["messages"].as_array().unwrap();
    let texts: Value = serde_json::from_str(messages.last().unwrap()["content"].as_str().unwrap()).unwrap();
    let texts: Vec<&str> =
        texts["texts"].as_array().unwrap().iter().map(|text| text["text"].as_str().unwrap()).collect();
    let number = counted.lock().unwrap().requests as usize;
    let (status, told) = says(number, &asked, good(&texts));
    {
        let mut counted = counted.lock().unwrap();
        counted.requests += 1;
        counted.characters += texts.iter().map(|text| plain(text).chars().count() as u64).sum::<u64>();
        counted.input += told["usage"]["prompt_tokens"].as_u64().unwrap_or_default();
        counted.output += told["usage"]["completion_tokens"].as_u64().unwrap_or_default();
        counted.cached += told["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or_default();
    }
    let told = told.to_string();
    write!(stream, "HTTP/1.1 {status} OK\r\ncontent-length: {}\r\n\r\n{told}", told.len()).ok()
}

/// A completion with all texts in capitals and its tokens.
fn good(texts: &[&str]) -> Value {
    let entries: Vec<Value> =
        (1..).zip(texts).map(|(id, text): (u32, _)| json!({ "id": id, "text": loud(text) })).collect();
    let letters: usize = texts.iter().map(|text| text.len()).sum();
    let message = json!({ "role": "assistant", "content": json!({ "translations": entries }).to_string() });
    let usage = json!({ "prompt_tokens": 200 + letters, "completion_tokens": letters,
                        "prompt_tokens_details": { "cached_tokens": 128 } });
    json!({ "choices": [{ "finish_reason": "stop", "message": message }], "usage": usage })
}

/// The text in capitals, without its tags, placeholders and entities.
fn loud(text: &str) -> String {
    let mut depth = 0;
    let raise = |one: char| {
        depth += i32::from(matches!(one, '<' | '{' | '&')) - i32::from(matches!(one, '>' | '}' | ';') && depth > 0);
        if depth > 0 { one } else { one.to_ascii_uppercase() }
    };
    text.chars().map(raise).collect()
}

/// The text without codes.
fn plain(text: &str) -> String {
    scraper::Html::parse_fragment(text).root_element().text().collect()
}
