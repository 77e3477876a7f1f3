//! Google Cloud Translation, Basic edition (version 2), which takes a plain API key.
//!
//! The Advanced edition (version 3) takes only tokens that expire within the hour and are made by other software, so it
//! is not offered. Texts travel as HTML with our numbered codes in `<span id>`; its answers have entities where the
//! text needs none, and they are decoded once.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::codes::{chinese, is_european_portuguese};
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    Markup, ServiceKind, TranslationUnit, spans,
};
use crate::model::{LanguagePair, Locale};

const HOST: &str = "https://translation.googleapis.com";

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "google",
    address: None,
    takes_settings: false,
    takes_context: false,
    takes_key: true,
    options: &[],
    start: |service| Ok(Arc::new(Google::new(service)?)),
};

/// The engine that asks Google.
struct Google {
    http: Http,
    caps: Caps,
}

#[derive(Deserialize)]
struct GoogleAnswer {
    data: GoogleAnswerBody,
}

#[derive(Deserialize)]
struct GoogleAnswerBody {
    translations: Vec<GoogleTranslation>,
}

#[derive(Deserialize)]
struct GoogleTranslation {
    #[serde(rename = "translatedText")]
    text: String,
}

impl Google {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let key = service.key.require()?;
        let caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: 40,
            max_chars: 10_000,
            parallel: 4,
            place: EnginePlace::Remote,
            deterministic: false,
            billed: true,
        };
        Ok(Self {
            http: Http::new(service, HOST, Some(key))?,
            caps,
        })
    }

    /// Google says with the same statuses that a key is wrong, that a minute is used up and that a day is.
    fn failure(&self, reply: &HttpReply, request: &EngineRequest<'_>) -> EngineError {
        let value = reply.value();
        let reason = value
            .pointer("/error/errors/0/reason")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let said = reply.message().to_lowercase();
        match reply.status {
            400 if said.contains("api key") => {
                EngineError::Auth(format!("{} answers with status 400", self.http.host()))
            }
            400 if said.contains("language pair") || said.contains("invalid value") => {
                EngineError::Unsupported {
                    pair: request.pair.cloned(),
                    hint: self.http.told(reply),
                }
            }
            403 | 429 if reason.starts_with("dailyLimit") || said.contains("daily limit") => {
                EngineError::Quota(self.http.told(reply))
            }
            403 if reason.ends_with("ateLimitExceeded") || said.contains("rate limit") => {
                EngineError::Limited {
                    after: reply.after(),
                }
            }
            _ => self.http.failure(reply),
        }
    }
}

#[async_trait]
impl Engine for Google {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        format!("google v2 {}", self.http.host())
    }

    /// A request may have 100 kB, and codes are longer as HTML than in the notation.
    fn max_bytes(&self) -> usize {
        25_000
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let texts: Vec<String> = request
            .asks
            .iter()
            .map(|ask| spans::to_html(&ask.text))
            .collect();
        let source = code(request.pair.from);
        let target = code(request.pair.to);
        let body = json!({ "q": texts, "source": source, "target": target, "format": "html" });
        let key = [("x-goog-api-key", self.http.key().to_owned())];
        let reply = self
            .http
            .send(
                "language/translate/v2",
                &key,
                RequestBody::Json(body),
                request.deadline,
            )
            .await?;
        if !reply.is_success() {
            return Err(self.failure(&reply, &request));
        }
        let GoogleAnswer { data } = self.http.read(&reply)?;
        if data.translations.len() != request.asks.len() {
            return Err(EngineError::Bad(format!(
                "{} answers to {} texts",
                data.translations.len(),
                request.asks.len()
            )));
        }
        let pairs = data.translations.iter().zip(request.asks);
        Ok(pairs
            .map(|(answer, ask)| {
                let text = spans::from_html(&answer.text, &ask.text)?;
                Ok(EngineAnswer {
                    text: spans::without_added_spaces(text, &ask.text),
                    links: None,
                })
            })
            .collect())
    }
}

/// Google's names: the script of Chinese by a country, European Portuguese by its own.
fn code(locale: &Locale) -> &str {
    match locale.language() {
        "zh" => chinese(locale, "zh-CN", "zh-TW").unwrap_or("zh-CN"),
        "pt" if is_european_portuguese(locale) => "pt-PT",
        "nb" | "nn" => "no",
        language => language,
    }
}
