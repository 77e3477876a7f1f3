//! A language model behind the interface that OpenAI's has: hosted, Ollama, llama.cpp, vLLM and many more.
//!
//! Texts go with numbers, and answers are taken by number, so that a lost or invented one harms no other. Services
//! differ in the requests that they take: a JSON schema is asked for first, then any JSON object, then words alone, and
//! the temperature and the role `system` are left out where they are refused. Parsed leniently, checked strictly: what is no text in our
//! notation with just the source's codes is refused, whatever the model says about it.

mod answer;
mod form;
mod json;
mod message;
mod prompt;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use self::answer::Unanswered;
use self::form::{Cause, Form, Known, Part};
use self::message::Completion;
use super::http::{Body, Http, Reply};
use super::{
    AskError, Caps, Done, Engine, EngineError, Markup, Place, Request, Service, ServiceKind, ServiceOption, Unit,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "openai",
    address: Some("https://api.openai.com/v1"),
    takes_key: true,
    options: &[ServiceOption {
        name: "model",
        words: &[],
        needed: Some("the model to ask, such as model = \"gpt-4.1-mini\""),
    }],
    start: |service| Ok(Arc::new(OpenAi::new(service)?)),
};

/// The engine that asks a language model.
struct OpenAi {
    http: Http,
    model: String,
    caps: Caps,
    /// The form of request that the service takes, as far as it is known.
    known: Known,
}

impl OpenAi {
    fn new(service: &Service) -> Result<Self, EngineError> {
        let model = service.option("model").unwrap_or_default();
        let key = service.key.read()?;
        let caps = Caps {
            markup: Markup::Codes,
            unit: Unit::Block,
            max_items: 15,
            max_chars: 6_000,
            parallel: 4,
            place: Place::Remote,
            deterministic: false,
            billed: key.is_some(),
        };
        let http = Http::new(service, "", key)?;
        Ok(Self { http, model: model.to_owned(), caps, known: Known::default() })
    }

    /// Asks in the form that the service takes, and without a part of it where that is refused.
    async fn complete(&self, messages: &[Value; 2], deadline: Duration) -> Result<Reply, EngineError> {
        let first = self.known.form();
        let refused = self.post(messages, first, deadline).await?;
        if refused.is_success() {
            self.known.learn(first, None);
            return Ok(refused);
        }
        let cause = self.known.cause(&refused);
        let answered = match cause {
            Cause::Other => None,
            Cause::Answer => {
                let plain: Vec<Form> = first.plain().into_iter().collect();
                self.first_taken(messages, &plain, cause, deadline).await?
            }
            Cause::Unknown => {
                let taken = self.first_taken(messages, &first.others(), cause, deadline).await?;
                if taken.is_none() {
                    self.known.give_up(&refused);
                }
                taken
            }
            Cause::Part(part) => return self.without(messages, (first, part), refused, deadline).await,
        };
        answered.ok_or_else(|| self.failure(&refused))
    }

    /// The answer in the first of some forms that the service takes; `None` if it takes none.
    async fn first_taken(
        &self,
        messages: &[Value; 2],
        forms: &[Form],
        cause: Cause,
        deadline: Duration,
    ) -> Result<Option<Reply>, EngineError> {
        for form in forms {
            let reply = self.post(messages, *form, deadline).await?;
            if reply.is_success() {
                self.known.learn(*form, Some(cause));
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// Leaves out one part after the other, as the service names them.
    async fn without(
        &self,
        messages: &[Value; 2],
        (mut form, mut part): (Form, Part),
        mut refused: Reply,
        deadline: Duration,
    ) -> Result<Reply, EngineError> {
        while let Some(less) = form.without(part) {
            form = less;
            let reply = self.post(messages, form, deadline).await?;
            if reply.is_success() {
                self.known.learn(form, Some(Cause::Part(part)));
                return Ok(reply);
            }
            refused = reply;
            match self.known.cause(&refused) {
                Cause::Part(next) => part = next,
                Cause::Answer => {
                    // The service takes this form; only this answer failed in it.
                    self.known.learn(form, Some(Cause::Part(part)));
                    let plain: Vec<Form> = form.plain().into_iter().collect();
                    let taken = self.first_taken(messages, &plain, Cause::Answer, deadline).await?;
                    return taken.ok_or_else(|| self.failure(&refused));
                }
                Cause::Unknown | Cause::Other => break,
            }
        }
        Err(self.failure(&refused))
    }

    async fn post(&self, messages: &[Value; 2], form: Form, deadline: Duration) -> Result<Reply, EngineError> {
        let key = Some(self.http.key()).filter(|key| !key.is_empty());
        let headers: Vec<_> = key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect();
        let body = form.body(&self.model, messages);
        self.http.send("chat/completions", &headers, Body::Json(body), deadline).await
    }

    /// Too many requests and an account without money have the same status.
    fn failure(&self, reply: &Reply) -> EngineError {
        let value = reply.value();
        let is = |place: &str| value.pointer(place).and_then(Value::as_str) == Some("insufficient_quota");
        if is("/error/code") || is("/error/type") {
            return EngineError::Quota(self.http.told(reply));
        }
        self.http.failure(reply)
    }
}

#[async_trait]
impl Engine for OpenAi {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        format!("openai {} {} prompt {}", self.http.host(), self.model, prompt::version())
    }

    /// About as much as a model answers at once without being cut off.
    fn max_bytes(&self) -> usize {
        12_000
    }

    async fn translate(&self, request: Request<'_>) -> Result<Vec<Result<Done, AskError>>, EngineError> {
        let reply = self.complete(&prompt::messages(&request), request.deadline).await?;
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
