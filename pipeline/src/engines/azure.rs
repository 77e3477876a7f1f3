//! Azure AI Translator, version 3.0 of its interface.
//!
//! Texts travel as HTML with our numbered codes in `<span id>`; the six digits of its error codes say more than the
//! statuses do.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::codes::{chinese, is_european_portuguese, names_script};
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    Markup, ServiceKind, ServiceOption, TranslationUnit, spans,
};
use crate::model::{LanguagePair, Locale};

const HOST: &str = "https://api.cognitive.microsofttranslator.com";

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "azure",
    address: None,
    takes_settings: false,
    takes_context: false,
    takes_key: true,
    options: &[ServiceOption::text("region")],
    start: |service| Ok(Arc::new(Azure::new(service)?)),
};

/// The engine that asks Azure.
struct Azure {
    http: Http,
    region: Option<String>,
    caps: Caps,
}

#[derive(Deserialize)]
struct AzureAnswer {
    translations: Vec<AzureTranslation>,
}

#[derive(Deserialize)]
struct AzureTranslation {
    text: String,
}

impl Azure {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let region = service.option("region").map(str::to_owned);
        let key = service.key.require()?;
        let caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: 100,
            max_chars: 10_000,
            parallel: 4,
            place: EnginePlace::Remote,
            deterministic: false,
            billed: true,
        };
        Ok(Self {
            http: Http::new(service, HOST, Some(key))?,
            region,
            caps,
        })
    }

    fn failure(&self, reply: &HttpReply, request: &EngineRequest<'_>) -> EngineError {
        let code = reply
            .value()
            .pointer("/error/code")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        match code {
            400_018 | 400_019 | 400_023 | 400_035 | 400_036 => EngineError::Unsupported {
                pair: request.pair.cloned(),
                hint: self.http.told(reply),
            },
            403_001 => EngineError::Quota(self.http.told(reply)),
            _ => self.http.failure(reply),
        }
    }
}

#[async_trait]
impl Engine for Azure {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        format!("azure 3.0 {}", self.http.host())
    }

    /// A request may have 50,000 characters, and codes are longer as HTML than in the notation.
    fn max_bytes(&self) -> usize {
        25_000
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let text = |html: String| json!({ "Text": html });
        let body: Vec<Value> = request
            .asks
            .iter()
            .map(|ask| text(spans::to_html(&ask.text)))
            .collect();
        let source = code(request.pair.from);
        let target = code(request.pair.to);
        let path = format!("translate?api-version=3.0&from={source}&to={target}&textType=html");
        let mut headers = vec![("ocp-apim-subscription-key", self.http.key().to_owned())];
        headers.extend(
            self.region
                .clone()
                .map(|region| ("ocp-apim-subscription-region", region)),
        );
        let reply = self
            .http
            .send(
                &path,
                &headers,
                RequestBody::Json(body.into()),
                request.deadline,
            )
            .await?;
        if !reply.is_success() {
            return Err(self.failure(&reply, &request));
        }
        let answers: Vec<AzureAnswer> = self.http.read(&reply)?;
        if answers.len() != request.asks.len() {
            return Err(EngineError::Bad(format!(
                "{} answers to {} texts",
                answers.len(),
                request.asks.len()
            )));
        }
        let done = |(answer, ask): (AzureAnswer, &super::Ask)| match answer.translations.as_slice()
        {
            [AzureTranslation { text }] => Ok(EngineAnswer {
                text: spans::from_html(text, &ask.text)?,
                links: None,
            }),
            other => Err(AskError::Refused(format!(
                "it got {} translations",
                other.len()
            ))),
        };
        Ok(answers.into_iter().zip(request.asks).map(done).collect())
    }
}

/// Azure's names: scripts where a language has two, European Portuguese and Canadian French by their own.
fn code(locale: &Locale) -> &str {
    match locale.language() {
        "zh" => chinese(locale, "zh-Hans", "zh-Hant").unwrap_or("zh-Hans"),
        "pt" if is_european_portuguese(locale) => "pt-pt",
        "fr" if locale.as_str() == "fr-CA" => "fr-ca",
        "sr" if names_script(locale, "Latn") => "sr-Latn",
        "sr" => "sr-Cyrl",
        "mn" => "mn-Cyrl",
        "no" | "nn" => "nb",
        language => language,
    }
}
