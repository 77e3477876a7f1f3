//! A language model behind the interface that OpenAI's has: hosted, Ollama, llama.cpp, vLLM and many more.
//!
//! Texts go with numbers, and answers are taken by number, so that a lost or invented one harms no other. Services
//! differ in the requests that they accept. The engine tries a JSON schema first, then any JSON object, then the prompt
//! alone, and omits the temperature and the role `system` where they are refused. Parsing is lenient, checking strict:
//! an answer is refused unless it is valid notation with exactly the codes of the source.

mod answer;
mod failure;
mod form;
mod json;
mod message;
mod prompt;
mod usage;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use self::answer::Unanswered;
use self::form::{Cause, CompletionForm, KnownForm, RequestPart};
use self::message::{Completion, CompletionOutcome};
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    KeyHeader, Markup, RequestForm, RequestSettings, ServiceKind, ServiceOption, TranslationUnit,
    posts,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;
use crate::text::{declines, excerpt};

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "openai",
    address: Some("https://api.openai.com/v1"),
    takes_key: true,
    takes_settings: true,
    takes_context: true,
    options: &[ServiceOption {
        name: "model",
        words: &[],
        needed: Some("the model to ask, such as model = \"gpt-4.1-mini\""),
    }],
    start: |service| Ok(Arc::new(OpenAi::new(service)?)),
};

/// Timeout of a hosted model.
const PATIENCE: Duration = Duration::from_secs(60);
/// Timeout of a model on a private network without a key.
const PATIENCE_AT_HOME: Duration = Duration::from_secs(600);

/// The engine that asks a language model.
struct OpenAi {
    http: Http,
    model: String,
    caps: Caps,
    settings: Box<RequestSettings>,
    patience: Duration,
    /// Request form that the service accepts, as far as it is known.
    known: KnownForm,
    /// Request form that the service accepted last.
    taken: Mutex<Option<RequestForm>>,
}

impl OpenAi {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let model = service.option("model").unwrap_or_default();
        let key = service.key.read()?;
        let settings = service.settings.clone();
        // A self-hosted server usually has one worker and is slow.
        let is_own = service.allow_private && key.is_none();
        let patience = settings
            .timeout
            .unwrap_or(if is_own { PATIENCE_AT_HOME } else { PATIENCE });
        let caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: settings.batch.unwrap_or(15),
            max_chars: 6_000,
            parallel: settings.parallel.unwrap_or(if is_own { 1 } else { 4 }),
            place: EnginePlace::Remote,
            deterministic: false,
            billed: key.is_some(),
        };
        let http = Http::new(service, "", key)?;
        Ok(Self {
            http,
            model: model.to_owned(),
            caps,
            settings,
            patience,
            known: KnownForm::default(),
            taken: Mutex::default(),
        })
    }

    /// Sends the request in the known form, and again without each part that the service refuses.
    async fn complete(
        &self,
        messages: &[Value; 2],
        deadline: Duration,
    ) -> Result<HttpReply, EngineError> {
        let first = self.known.form();
        let refused = self.post(messages, first, deadline).await?;
        if refused.is_success() {
            self.known.learn(first, None);
            return Ok(refused);
        }
        if failure::is_lasting(&refused) {
            return Err(self.failure(&refused));
        }
        let cause = self.known.cause(&refused);
        let answered = match cause {
            Cause::Other => None,
            Cause::Answer => {
                let plain: Vec<CompletionForm> = first.plain().into_iter().collect();
                self.first_taken(messages, &plain, cause, deadline).await?
            }
            Cause::Unknown => {
                let _searching = self.known.searching.lock().await;
                let found = self.known.form();
                let forms = if found == first {
                    first.others()
                } else {
                    vec![found]
                };
                let forms = if self.known.is_in_vain(&refused) {
                    Vec::new()
                } else {
                    forms
                };
                let taken = self.first_taken(messages, &forms, cause, deadline).await?;
                if taken.is_none() && found == first {
                    self.known.give_up(&refused);
                }
                taken
            }
            Cause::Part(part) => {
                return self
                    .without(messages, (first, part), refused, deadline)
                    .await;
            }
        };
        answered.ok_or_else(|| self.failure(&refused))
    }

    /// Answer to the first form that the service accepts; `None` if it accepts none.
    async fn first_taken(
        &self,
        messages: &[Value; 2],
        forms: &[CompletionForm],
        cause: Cause,
        deadline: Duration,
    ) -> Result<Option<HttpReply>, EngineError> {
        for form in forms {
            let reply = self.post(messages, *form, deadline).await?;
            if reply.is_success() {
                self.known.learn(*form, Some(cause));
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// Omits the refused parts one by one, as the service names them.
    async fn without(
        &self,
        messages: &[Value; 2],
        (mut form, mut part): (CompletionForm, RequestPart),
        mut refused: HttpReply,
        deadline: Duration,
    ) -> Result<HttpReply, EngineError> {
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
                    // The service accepts this form; only this answer failed in it.
                    self.known.learn(form, Some(Cause::Part(part)));
                    let plain: Vec<CompletionForm> = form.plain().into_iter().collect();
                    let taken = self
                        .first_taken(messages, &plain, Cause::Answer, deadline)
                        .await?;
                    return taken.ok_or_else(|| self.failure(&refused));
                }
                Cause::Unknown | Cause::Other => break,
            }
        }
        Err(self.failure(&refused))
    }

    async fn post(
        &self,
        messages: &[Value; 2],
        form: CompletionForm,
        deadline: Duration,
    ) -> Result<HttpReply, EngineError> {
        posts::note();
        let mut body = form.body(&self.model, messages);
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
        let form = RequestForm::of(&body);
        let reply = self
            .http
            .send(
                "chat/completions",
                &headers,
                RequestBody::Json(body),
                deadline,
            )
            .await?;
        // Services charge for failures that report tokens, too.
        if let Some(tokens) = usage::tokens(&reply.value()) {
            posts::note_tokens(tokens);
        }
        let failure = if reply.is_success() {
            failure::in_success(&reply)
        } else {
            None
        };
        let reply = failure.unwrap_or(reply);
        if reply.is_success() {
            *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(form);
        }
        Ok(reply)
    }

    fn failure(&self, reply: &HttpReply) -> EngineError {
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

    fn form(&self) -> Option<RequestForm> {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reads_together(&self) -> bool {
        true
    }

    fn takes_context(&self) -> bool {
        !self.settings.without_context
    }

    fn max_examples(&self) -> usize {
        self.settings.examples
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        let params = match self.settings.params.is_empty() {
            true => String::new(),
            false => {
                let text = Value::Object(self.settings.params.clone()).to_string();
                format!(" params {}", &blake3::hash(text.as_bytes()).to_hex()[..8])
            }
        };
        let prompt = prompt::version(&self.settings);
        format!(
            "openai {} {} prompt {prompt}{params}",
            self.http.host(),
            self.model
        )
    }

    /// About as much as a model answers at once without being cut off.
    fn max_bytes(&self) -> usize {
        12_000
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let reply = self
            .complete(
                &prompt::messages(&request, &self.settings),
                request.deadline,
            )
            .await?;
        let completion: Completion = self.http.read(&reply)?;
        let words = match completion.said() {
            CompletionOutcome::Words(words) => words,
            CompletionOutcome::Cut => return Err(EngineError::Cut),
            CompletionOutcome::Declined(reason) => return Err(EngineError::Declined(reason)),
        };
        let sources: Vec<String> = request
            .asks
            .iter()
            .map(|ask| ask.text.to_markup())
            .collect();
        let Some(answers) = answer::read(&words, &sources) else {
            return Err(match declines(&words) {
                true => EngineError::Declined(format!("{:?}", excerpt(&words))),
                false => EngineError::Bad("it holds no translations in JSON".into()),
            });
        };
        let done = |answer: Result<String, Unanswered>| {
            let answer = answer.map_err(|unanswered| AskError::Refused(unanswered.to_string()))?;
            let text = CodedText::from_markup(&answer)?;
            Ok(EngineAnswer { text, links: None })
        };
        Ok(answers.into_iter().map(done).collect())
    }
}
