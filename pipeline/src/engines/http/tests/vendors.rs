//! The documented requests and answers of each kind of service, played with upper case for a translation.

use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded;

use super::server::{SeenRequest, ServerReply};
use crate::engines::{ApiKey, EngineSpec, HttpService, Secret, services};

/// The key of every engine here; nobody may ever read it.
pub(super) const KEY: &str = "hush-hush-7";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vendor {
    Libre,
    Deepl,
    Google,
    Azure,
    OpenAi,
    Apy,
}

impl Vendor {
    pub(super) const ALL: [Self; 6] = [
        Self::Libre,
        Self::Deepl,
        Self::Google,
        Self::Azure,
        Self::OpenAi,
        Self::Apy,
    ];

    pub(super) fn spec(self, url: &Url) -> EngineSpec {
        let key = ApiKey::Text(Secret::new(KEY));
        let (kind, options): (_, &[(&str, &str)]) = match self {
            Self::Libre => ("libretranslate", &[]),
            Self::Deepl => (
                "deepl",
                &[("formality", "prefer_more"), ("glossary_id", "g-1")],
            ),
            Self::Google => ("google", &[]),
            Self::Azure => ("azure", &[("region", "westeurope")]),
            Self::OpenAi => ("openai", &[("model", "parrot-1")]),
            Self::Apy => ("apertium_apy", &[]),
        };
        let options = options
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let service = HttpService {
            url: Some(url.clone()),
            key,
            allow_private: true,
            options,
            settings: Default::default(),
        };
        EngineSpec::Service(
            services().find(|known| known.name == kind).unwrap(),
            service,
        )
    }

    /// Whether a request asks for translations; LibreTranslate is asked for its languages first.
    pub(super) fn is_asked(self, seen: &SeenRequest) -> bool {
        seen.line.starts_with("POST ")
    }

    /// The texts that a request asks for.
    pub(super) fn texts(self, seen: &SeenRequest) -> Vec<String> {
        let body = seen.json();
        let strings = |value: &Value| -> Vec<String> {
            value
                .as_array()
                .unwrap()
                .iter()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect()
        };
        match self {
            Self::Libre | Self::Google => strings(&body["q"]),
            Self::Deepl => strings(&body["text"]),
            Self::Azure => body
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["Text"].as_str().unwrap().to_owned())
                .collect(),
            Self::OpenAi => {
                let last = body["messages"].as_array().unwrap().last().unwrap();
                let content: Value =
                    serde_json::from_str(last["content"].as_str().unwrap()).unwrap();
                let texts = content["texts"].as_array().unwrap().iter();
                texts
                    .map(|one| one["text"].as_str().unwrap().to_owned())
                    .collect()
            }
            Self::Apy => {
                let fields = form_urlencoded::parse(seen.body.as_bytes());
                fields
                    .filter(|(name, _)| name == "q")
                    .map(|(_, text)| text.into_owned())
                    .collect()
            }
        }
    }

    /// The answer in which these texts are the translations.
    pub(super) fn answer(self, texts: &[String]) -> ServerReply {
        let each = |entry: fn(&String) -> Value| texts.iter().map(entry).collect::<Vec<_>>();
        let body = match self {
            Self::Libre => json!({ "translatedText": texts }),
            Self::Deepl => json!({
                "translations": each(|text| json!({ "detected_source_language": "EN", "text": text }))
            }),
            Self::Google => {
                json!({ "data": { "translations": each(|text| json!({ "translatedText": text })) } })
            }
            Self::Azure => json!(each(
                |text| json!({ "translations": [{ "text": text, "to": "es" }] })
            )),
            Self::OpenAi => {
                let entries = (1..)
                    .zip(texts)
                    .map(|(id, text)| json!({ "id": id, "text": text }));
                let content = json!({ "translations": entries.collect::<Vec<_>>() }).to_string();
                completion(&content, "stop")
            }
            Self::Apy => {
                json!({ "responseData": { "translatedText": texts[0] }, "responseStatus": 200 })
            }
        };
        ServerReply::ok(body.to_string())
    }

    /// What a service that works says to a request.
    pub(super) fn well(self, seen: &SeenRequest) -> ServerReply {
        if self.is_asked(seen) {
            self.answer(&self.done(seen))
        } else {
            languages()
        }
    }

    /// The translations of the texts that a request asks for.
    pub(super) fn done(self, seen: &SeenRequest) -> Vec<String> {
        let texts = self.texts(seen).into_iter();
        match self {
            Self::Libre | Self::Apy => texts.map(|text| text.to_ascii_uppercase()).collect(),
            Self::Deepl | Self::Google | Self::Azure | Self::OpenAi => {
                texts.map(|text| loud(&text)).collect()
            }
        }
    }
}

/// The list of languages of a LibreTranslate server.
pub(super) fn languages() -> ServerReply {
    let language =
        |code: &str| json!({ "code": code, "name": code, "targets": ["en", "es", "pt-BR"] });
    ServerReply::ok(
        json!([
            language("en"),
            language("es"),
            language("pt-BR"),
            language("zh-Hans")
        ])
        .to_string(),
    )
}

/// An answer of chat/completions.
pub(super) fn completion(content: &str, reason: &str) -> Value {
    let message = json!({ "role": "assistant", "content": content });
    json!({ "choices": [{ "index": 0, "finish_reason": reason, "message": message }] })
}

/// Upper case outside tags and character references.
pub(super) fn loud(text: &str) -> String {
    let mut inside = None;
    let change = |one: char| {
        match (inside, one) {
            (None, '<') => inside = Some('>'),
            (None, '&') => inside = Some(';'),
            (Some(end), one) if one == end => inside = None,
            _ => {}
        }
        if inside.is_some() {
            one
        } else {
            one.to_ascii_uppercase()
        }
    };
    text.chars().map(change).collect()
}
