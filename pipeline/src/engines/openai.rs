//! A language model behind the interface that OpenAI's has: hosted, Ollama, llama.cpp, vLLM and many more.
//!
//! Texts go with numbers, and answers are taken by number, so that a lost or invented one harms no other. Services
//! differ in how they can be held to a form: a JSON schema is asked for first, then any JSON object, then words alone;
//! what a service once took is asked for from then on. Parsed leniently, checked strictly: what is no text in our
//! notation with just the source's codes is refused, whatever the model says about it.

mod answer;
mod failure;
mod json;
mod message;
mod prompt;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use self::answer::Unanswered;
use self::message::Completion;
use super::http::{Body, Http, Reply};
use super::{
    AskError, Caps, Done, Engine, EngineError, KeyHeader, Markup, Place, Request, RequestSettings, Service,
    ServiceKind, ServiceOption, Unit,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "openai",
    address: Some("https://api.openai.com/v1"),
    takes_key: true,
    takes_settings: true,
    options: &[ServiceOption {
        name: "model",
        words: &[],
        needed: Some("the model to ask, such as model = \"gpt-4.1-mini\""),
    }],
    start: |service| Ok(Arc::new(OpenAi::new(service)?)),
};

/// How long a hosted model may stay silent.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same for a model without a key in a private network.
const PATIENCE_AT_HOME: Duration = Duration::from_secs(600);

/// The engine that asks a language model.
struct OpenAi {
    http: Http,
    model: String,
    caps: Caps,
    settings: RequestSettings,
    patience: Duration,
    /// How many of [`Manner::ALL`] the service is known not to take.
    refused: AtomicUsize,
    /// Whether the model is known to have a temperature of its own and to take no other.
    has_own_temperature: AtomicBool,
}

/// How the service is held to a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// By a JSON schema.
    Schema,
    /// By asking for a JSON object.
    Object,
    /// By the prompt alone.
    Plain,
}

impl Manner {
    const ALL: [Self; 3] = [Self::Schema, Self::Object, Self::Plain];

    fn response_format(self) -> Option<Value> {
        match self {
            Self::Schema => Some(json!({ "type": "json_schema", "json_schema": prompt::schema() })),
            Self::Object => Some(json!({ "type": "json_object" })),
            Self::Plain => None,
        }
    }
}

impl OpenAi {
    fn new(service: &Service) -> Result<Self, EngineError> {
        let model = service.option("model").unwrap_or_default();
        let key = service.key.read()?;
        let settings = service.settings.clone();
        // A server of one's own has one worker, mostly, and takes its time.
        let is_own = service.allow_private && key.is_none();
        let patience = settings.timeout.unwrap_or(if is_own { PATIENCE_AT_HOME } else { PATIENCE });
        let caps = Caps {
            markup: Markup::Codes,
            unit: Unit::Block,
            max_items: settings.batch.unwrap_or(15),
            max_chars: 6_000,
            parallel: settings.parallel.unwrap_or(if is_own { 1 } else { 4 }),
            place: Place::Remote,
            deterministic: false,
            billed: key.is_some(),
        };
        let (http, (refused, has_own_temperature)) = (Http::new(service, "", key)?, Default::default());
        Ok(Self { http, model: model.to_owned(), caps, settings, patience, refused, has_own_temperature })
    }

    /// Asks in the manner that the service takes; what it refuses for another reason it refuses in every manner.
    async fn complete(&self, messages: Value, deadline: Duration) -> Result<Reply, EngineError> {
        let mut failure = None;
        for (at, manner) in Manner::ALL.into_iter().enumerate().skip(self.refused.load(Ordering::Relaxed)) {
            let mut reply = self.post(&messages, manner, deadline).await?;
            if reply.status == 400 && reply.message().contains("temperature") {
                self.has_own_temperature.store(true, Ordering::Relaxed);
                reply = self.post(&messages, manner, deadline).await?;
            }
            if reply.is_success() {
                self.refused.fetch_max(at, Ordering::Relaxed);
                return Ok(reply);
            }
            let error = self.failure(&reply);
            if !matches!(error, EngineError::Rejected(_)) || is_about_size(&reply) {
                return Err(error);
            }
            failure = Some(error);
        }
        Err(failure.unwrap_or_else(|| EngineError::Bad("it takes no manner of asking".into())))
    }

    async fn post(&self, messages: &Value, manner: Manner, deadline: Duration) -> Result<Reply, EngineError> {
        let mut body = json!({ "model": self.model, "messages": messages });
        if !self.has_own_temperature.load(Ordering::Relaxed) {
            body["temperature"] = 0.into();
        }
        if let Some(format) = manner.response_format() {
            body["response_format"] = format;
        }
        for (name, value) in &self.settings.params {
            match value {
                Value::Bool(false) => drop(body.as_object_mut().and_then(|body| body.remove(name))),
                value => body[name] = value.clone(),
            }
        }
        let key = Some(self.http.key()).filter(|key| !key.is_empty());
        let header = |key: &str| match self.settings.auth {
            KeyHeader::Bearer => ("authorization", format!("Bearer {key}")),
            KeyHeader::ApiKey => ("api-key", key.to_owned()),
        };
        let headers: Vec<_> = key.map(header).into_iter().collect();
        let reply = self.http.send("chat/completions", &headers, Body::Json(body), deadline).await?;
        let failure = if reply.is_success() { failure::in_success(&reply) } else { None };
        Ok(failure.unwrap_or(reply))
    }

    fn failure(&self, reply: &Reply) -> EngineError {
        failure::of(&self.http, reply)
    }
}

#[async_trait]
impl Engine for OpenAi {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.patience)
    }

    fn reads_together(&self) -> bool {
        true
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        let params = match self.settings.params.is_empty() {
            true => String::new(),
            false => {
                let text = Value::Object(self.settings.params.clone()).to_string();
                format!(" params {}", &blake3::hash(text.as_bytes()).to_hex()[..8])
            }
        };
        format!(
            "openai {} {} prompt {}{params}",
            self.http.host(),
            self.model,
            prompt::version(self.settings.instructions.as_deref())
        )
    }

    /// About as much as a model answers at once without being cut off.
    fn max_bytes(&self) -> usize {
        12_000
    }

    async fn translate(&self, request: Request<'_>) -> Result<Vec<Result<Done, AskError>>, EngineError> {
        let reply =
            self.complete(prompt::messages(&request, self.settings.instructions.as_deref()), request.deadline).await?;
        let completion: Completion = self.http.read(&reply)?;
        let choice =
            completion.choices.into_iter().next().ok_or_else(|| EngineError::Bad("it chose nothing".into()))?;
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(EngineError::Cut);
        }
        let sources: Vec<String> = request.asks.iter().map(|ask| ask.text.to_markup()).collect();
        let answers = answer::read(&choice.message.words(), &sources);
        let answers = answers.ok_or_else(|| EngineError::Bad("it holds no translations in JSON".into()))?;
        let done = |answer: Result<String, Unanswered>| {
            let answer = answer.map_err(|unanswered| AskError::Refused(unanswered.to_string()))?;
            let text = CodedText::from_markup(&answer)?;
            Ok(Done { text, links: None })
        };
        Ok(answers.into_iter().map(done).collect())
    }
}

/// Whether a smaller request would have been taken; another manner would not help then.
fn is_about_size(reply: &Reply) -> bool {
    let said = reply.message().to_lowercase();
    reply.status == 413
        || ["context length", "context_length", "context size", "too long", "too large", "max_tokens"]
            .iter()
            .any(|words| said.contains(words))
}
