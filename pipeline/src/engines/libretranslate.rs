//! LibreTranslate: a server of one's own, or a rented one.
//!
//! Always asked in its text format. Its HTML format decodes the finished page once more, so that a page that shows
//! `&lt;script&gt;` would come back with a live one. The text format does the same to character references that stand
//! in the text itself; such texts are not sent. Which codes a server has for a language depends on its models, so it is
//! asked for them once.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::OnceCell;

use super::codes::chinese;
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    Markup, ServiceKind, TranslationUnit,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "libretranslate",
    address: Some("http://127.0.0.1:5000"),
    takes_settings: false,
    takes_context: false,
    takes_key: true,
    options: &[],
    start: |service| Ok(Arc::new(LibreTranslate::new(service)?)),
};

/// The engine that asks LibreTranslate.
struct LibreTranslate {
    http: Http,
    caps: Caps,
    languages: OnceCell<Vec<LibreTranslateLanguage>>,
}

/// A language that a server has, and those into which it translates it; older servers do not say them.
#[derive(Deserialize)]
struct LibreTranslateLanguage {
    code: String,
    #[serde(default)]
    targets: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct LibreTranslateAnswer {
    #[serde(rename = "translatedText")]
    texts: Vec<String>,
}

impl LibreTranslate {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let key = service.key.read()?;
        let caps = Caps {
            markup: Markup::None,
            unit: TranslationUnit::Block,
            max_items: 25,
            max_chars: 5_000,
            parallel: 2,
            place: EnginePlace::Remote,
            deterministic: false,
            billed: key.is_some(),
        };
        Ok(Self {
            http: Http::new(service, "", key)?,
            caps,
            languages: OnceCell::new(),
        })
    }

    /// The server's own codes for a pair.
    async fn pair(&self, request: &EngineRequest<'_>) -> Result<(&str, &str), EngineError> {
        let languages = self
            .languages
            .get_or_try_init(|| self.ask_languages(request))
            .await?;
        let source = codes(request.pair.from)
            .into_iter()
            .find_map(|code| languages.iter().find(|own| own.code == code));
        let offered = |code: &String| match source.and_then(|source| source.targets.as_ref()) {
            Some(targets) => targets.contains(code),
            None => true,
        };
        let known = |code: &String| languages.iter().find(|own| own.code == *code);
        let target = codes(request.pair.to)
            .iter()
            .filter(|code| offered(code))
            .find_map(known);
        match (source, target) {
            (Some(source), Some(target)) => Ok((&source.code, &target.code)),
            (None, _) | (_, None) => Err(unsupported(
                request,
                "install that model on the server".into(),
            )),
        }
    }

    async fn ask_languages(
        &self,
        request: &EngineRequest<'_>,
    ) -> Result<Vec<LibreTranslateLanguage>, EngineError> {
        let reply = self
            .http
            .send("languages", &[], RequestBody::Nothing, request.deadline)
            .await?;
        if reply.is_success() {
            self.http.read(&reply)
        } else {
            Err(self.http.failure(&reply))
        }
    }

    fn failure(&self, reply: &HttpReply, request: &EngineRequest<'_>) -> EngineError {
        let said = reply.message();
        if reply.status == 400 && (said.contains("not supported") || said.contains("not available"))
        {
            return unsupported(request, self.http.told(reply));
        }
        self.http.failure(reply)
    }
}

#[async_trait]
impl Engine for LibreTranslate {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        format!("libretranslate {}", self.http.host())
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let texts: Vec<&str> = request.asks.iter().map(|ask| ask.text.text()).collect();
        let sent: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|text| !holds_references(text))
            .collect();
        let mut answers = if sent.is_empty() {
            Vec::new()
        } else {
            self.ask(&sent, &request).await?
        }
        .into_iter();
        let done = texts.iter().map(|text| {
            if holds_references(text) {
                return Err(AskError::Refused(
                    "LibreTranslate would decode the character references in it".into(),
                ));
            }
            let text = answers
                .next()
                .ok_or_else(|| AskError::Refused("it got no answer".into()))?;
            Ok(EngineAnswer {
                text: CodedText::plain(text),
                links: None,
            })
        });
        Ok(done.collect())
    }
}

impl LibreTranslate {
    async fn ask(
        &self,
        texts: &[&str],
        request: &EngineRequest<'_>,
    ) -> Result<Vec<String>, EngineError> {
        let (source, target) = self.pair(request).await?;
        let mut body = json!({ "q": texts, "source": source, "target": target, "format": "text" });
        if !self.http.key().is_empty() {
            body["api_key"] = self.http.key().into();
        }
        let reply = self
            .http
            .send("translate", &[], RequestBody::Json(body), request.deadline)
            .await?;
        if !reply.is_success() {
            return Err(self.failure(&reply, request));
        }
        let LibreTranslateAnswer { texts: answers } = self.http.read(&reply)?;
        if answers.len() == texts.len() {
            return Ok(answers);
        }
        Err(EngineError::Bad(format!(
            "{} answers to {} texts",
            answers.len(),
            texts.len()
        )))
    }
}

fn unsupported(request: &EngineRequest<'_>, hint: String) -> EngineError {
    EngineError::Unsupported {
        pair: request.pair.cloned(),
        hint,
    }
}

/// Whether decoding character references would change the text.
fn holds_references(text: &str) -> bool {
    htmlize::unescape(text) != text
}

/// What servers call a language, the most exact name first.
fn codes(locale: &Locale) -> Vec<String> {
    let known: &[&str] = match (locale.language(), chinese(locale, "zh-Hans", "zh-Hant")) {
        (_, Some("zh-Hant")) => &["zh-Hant", "zt"],
        (_, Some(_)) => &["zh-Hans", "zh"],
        ("pt", None) if locale.as_str() == "pt-BR" => &["pt-BR", "pb", "pt"],
        ("nb" | "no", None) => &["nb", "no"],
        (language, None) => &[locale.as_str(), language],
    };
    known.iter().map(|code| (*code).to_owned()).collect()
}
