//! Apertium behind apy, its HTTP service, for those who run one already.
//!
//! It takes one text a request and cuts long ones off without a word, so only short ones are sent. It takes the stars
//! away with which it would mark unknown words, and with them stars of the text before a word; such texts are not sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::Deserialize;

use super::codes::region;
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    Markup, ServiceKind, TranslationUnit,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "apertium_apy",
    address: Some("http://127.0.0.1:2737"),
    takes_settings: false,
    takes_context: false,
    takes_key: false,
    options: &[],
    start: |service| Ok(Arc::new(ApertiumApy::new(service)?)),
};

/// The engine that asks apy.
struct ApertiumApy {
    http: Http,
    caps: Caps,
    /// The service's names for the pairs that it translated.
    known: Mutex<HashMap<LanguagePair, String>>,
}

#[derive(Deserialize)]
struct ApyAnswer {
    #[serde(rename = "responseData")]
    data: ApyAnswerBody,
}

#[derive(Deserialize)]
struct ApyAnswerBody {
    #[serde(rename = "translatedText")]
    text: String,
}

impl ApertiumApy {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let caps = Caps {
            markup: Markup::None,
            unit: TranslationUnit::Block,
            max_items: 1,
            max_chars: 900,
            parallel: 2,
            place: EnginePlace::Remote,
            deterministic: true,
            billed: false,
        };
        Ok(Self {
            http: Http::new(service, "", None)?,
            caps,
            known: Mutex::default(),
        })
    }

    async fn ask(&self, text: &str, request: &EngineRequest<'_>) -> Result<String, EngineError> {
        let pair = request.pair.cloned();
        let known = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&pair)
            .cloned();
        let names = known.map_or_else(|| names(request.pair), |name| vec![name]);
        let mut hint = String::new();
        for name in names {
            let fields = vec![
                ("langpair", name.clone()),
                ("q", text.to_owned()),
                ("format", "txt".to_owned()),
                ("markUnknown", "no".to_owned()),
            ];
            let reply = self
                .http
                .send(
                    "translate",
                    &[],
                    RequestBody::Form(fields),
                    request.deadline,
                )
                .await?;
            if reply.is_success() {
                let ApyAnswer { data } = self.http.read(&reply)?;
                self.known
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(pair, name);
                return Ok(data.text);
            }
            if !is_missing_pair(&reply) {
                return Err(self.http.failure(&reply));
            }
            hint = self.http.told(&reply);
        }
        Err(EngineError::Unsupported { pair, hint })
    }
}

#[async_trait]
impl Engine for ApertiumApy {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        format!("apertium_apy {}", self.http.host())
    }

    fn reads_sentence_case(&self) -> bool {
        true
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let mut done = Vec::with_capacity(request.asks.len());
        for ask in request.asks {
            let text = ask.text.text();
            done.push(if holds_stars(text) {
                Err(AskError::Refused("apy would take a star out of it".into()))
            } else {
                Ok(EngineAnswer {
                    text: CodedText::plain(self.ask(text, &request).await?),
                    links: None,
                })
            });
        }
        Ok(done)
    }
}

/// Whether a star stands before a word, as apy's own marks do.
fn holds_stars(text: &str) -> bool {
    text.split('*')
        .skip(1)
        .any(|after| after.starts_with(|next: char| !next.is_whitespace()))
}

fn is_missing_pair(reply: &HttpReply) -> bool {
    let said = reply.message().to_lowercase();
    reply.status == 400 && (said.contains("pair") || said.contains("not installed"))
}

/// What apy may call a pair: with the country of the target, which some have, then without.
fn names(pair: LanguagePair<&Locale>) -> Vec<String> {
    let LanguagePair { from, to } = pair.languages();
    let exact = region(pair.to).map(|region| format!("{from}|{to}_{region}"));
    exact.into_iter().chain([format!("{from}|{to}")]).collect()
}
