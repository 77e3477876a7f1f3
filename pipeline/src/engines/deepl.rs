//! DeepL, version 2 of its interface.
//!
//! Texts travel as strict XML with our numbered codes, which is the notation of [`CodedText`]. Keys that end in `:fx`
//! are of the free plan, which has a host of its own.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::codes::{chinese, is_european_portuguese, region};
use super::context::{Context, joined};
use super::http::{Http, HttpReply, RequestBody};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, HttpService,
    Markup, ServiceKind, ServiceOption, TranslationUnit, posts,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

const HOST: &str = "https://api.deepl.com";
const FREE_HOST: &str = "https://api-free.deepl.com";

/// What the configuration has to know of it.
pub(super) static KIND: ServiceKind = ServiceKind {
    name: "deepl",
    address: None,
    takes_settings: false,
    takes_context: true,
    takes_key: true,
    options: &[
        ServiceOption {
            name: "formality",
            words: &["more", "less", "prefer_more", "prefer_less"],
            needed: None,
        },
        ServiceOption::text("glossary_id"),
    ],
    start: |service| Ok(Arc::new(Deepl::new(service)?)),
};

/// The engine that asks DeepL.
struct Deepl {
    http: Http,
    formality: Option<String>,
    glossary_id: Option<String>,
    takes_context: bool,
    caps: Caps,
    refused: Mutex<RefusedSettings>,
}

/// Settings that the service refused for a language.
#[derive(Default)]
struct RefusedSettings {
    /// Variants that DeepL does not know; requests name the language without a region.
    varieties: BTreeSet<Locale>,
    /// Languages that the glossary lacks.
    glossary: BTreeSet<Locale>,
    notices: Vec<String>,
}

/// Settings of a request that depend on its language.
struct DeeplSettings<'a> {
    target: String,
    glossary: Option<&'a str>,
}

#[derive(Deserialize)]
struct DeeplAnswer {
    translations: Vec<DeeplTranslation>,
}

#[derive(Deserialize)]
struct DeeplTranslation {
    text: String,
}

impl Deepl {
    fn new(service: &HttpService) -> Result<Self, EngineError> {
        let option = |name: &str| service.option(name).map(str::to_owned);
        let formality = option("formality");
        let glossary_id = option("glossary_id");
        let key = service.key.require()?;
        let own = if key.reveal().ends_with(":fx") {
            FREE_HOST
        } else {
            HOST
        };
        let caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: 50,
            max_chars: 20_000,
            parallel: 4,
            place: EnginePlace::Remote,
            deterministic: false,
            billed: true,
        };
        let http = Http::new(service, own, Some(key))?;
        let takes_context = !service.settings.without_context;
        Ok(Self {
            http,
            formality,
            glossary_id,
            takes_context,
            caps,
            refused: Mutex::default(),
        })
    }

    fn refused(&self) -> MutexGuard<'_, RefusedSettings> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settings for a language, without those that the service refused.
    fn settings(&self, locale: &Locale) -> DeeplSettings<'_> {
        let refused = self.refused();
        let is_plain = refused.varieties.contains(locale);
        DeeplSettings {
            target: if is_plain {
                source_code(locale)
            } else {
                target_code(locale)
            },
            glossary: self
                .glossary_id
                .as_deref()
                .filter(|_| !refused.glossary.contains(locale)),
        }
    }

    /// Drops the setting that the service refuses for a language; false if it refuses something else.
    fn give_up(&self, reply: &HttpReply, locale: &Locale, sent: &DeeplSettings<'_>) -> bool {
        let said = reply.message().to_lowercase();
        if reply.status != 400 {
            return false;
        }
        let mut refused = self.refused();
        match sent.glossary {
            Some(id) if said.contains("glossary") => {
                if refused.glossary.insert(locale.clone()) {
                    let notice = format!(
                        "the glossary {id} does not have {locale}, which is translated without it"
                    );
                    refused.notices.push(notice);
                }
                true
            }
            Some(_) | None => {
                let has_plain = takes_plain(locale) && sent.target != source_code(locale);
                // A refusal of the formality names the language, too.
                let is_refused =
                    has_plain && said.contains("target_lang") && !said.contains("formality");
                if is_refused && refused.varieties.insert(locale.clone()) {
                    let plain = source_code(locale);
                    refused.notices.push(format!(
                        "DeepL does not have {locale}, which is translated as {plain}"
                    ));
                }
                is_refused
            }
        }
    }

    async fn ask(
        &self,
        request: &EngineRequest<'_>,
        settings: &DeeplSettings<'_>,
    ) -> Result<HttpReply, EngineError> {
        posts::note();
        let texts: Vec<String> = request
            .asks
            .iter()
            .map(|ask| ask.text.to_markup())
            .collect();
        let mut body = json!({
            "text": texts,
            "source_lang": source_code(request.pair.from),
            "target_lang": settings.target,
            "tag_handling": "xml",
            "tag_handling_version": "v2",
        });
        if let Some(formality) = &self.formality {
            body["formality"] = formality.as_str().into();
        }
        if let Some(id) = settings.glossary {
            body["glossary_id"] = id.into();
        }
        // DeepL reads the context with each text, but does not read the other texts of the request with it.
        let contexts: Vec<&Context> = request
            .asks
            .iter()
            .filter_map(|ask| ask.context.as_deref())
            .collect();
        if let Some(context) = joined(&contexts) {
            body["context"] = context.into();
        }
        let key = [(
            "authorization",
            format!("DeepL-Auth-Key {}", self.http.key()),
        )];
        self.http
            .send(
                "v2/translate",
                &key,
                RequestBody::Json(body),
                request.deadline,
            )
            .await
    }

    fn failure(&self, reply: &HttpReply, request: &EngineRequest<'_>) -> EngineError {
        let said = reply.message();
        let options = [
            "target_lang",
            "source_lang",
            "formality",
            "glossary",
            "not supported",
        ];
        if reply.status == 400 && options.iter().any(|option| said.contains(option)) {
            return EngineError::Unsupported {
                pair: request.pair.cloned(),
                hint: self.http.told(reply),
            };
        }
        if reply.status == 404 && said.to_lowercase().contains("glossary") {
            return EngineError::Absent(format!(
                "`glossary_id` names no glossary: {}",
                self.http.told(reply)
            ));
        }
        self.http.failure(reply)
    }
}

#[async_trait]
impl Engine for Deepl {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// True with context: a request has one context for all its texts, so they must be of the same pages.
    fn reads_together(&self) -> bool {
        self.takes_context
    }

    fn takes_context(&self) -> bool {
        self.takes_context
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        let formality = self
            .formality
            .as_ref()
            .map(|formality| format!(" formality {formality}"));
        let glossary = self
            .glossary_id
            .as_ref()
            .map(|id| format!(" glossary {id}"));
        let options = [formality, glossary]
            .into_iter()
            .flatten()
            .collect::<String>();
        format!("deepl {}{options}", self.http.host())
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.refused().notices)
    }

    /// A request may have 128 KiB; quotation marks and line breaks grow when they become JSON.
    fn max_bytes(&self) -> usize {
        90_000
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let mut settings = self.settings(request.pair.to);
        let mut reply = self.ask(&request, &settings).await?;
        // Each setting is dropped only once.
        while !reply.is_success() {
            if !self.give_up(&reply, request.pair.to, &settings) {
                return Err(self.failure(&reply, &request));
            }
            settings = self.settings(request.pair.to);
            reply = self.ask(&request, &settings).await?;
        }
        let DeeplAnswer { translations } = self.http.read(&reply)?;
        let done = |answer: DeeplTranslation| {
            Ok(EngineAnswer {
                text: CodedText::from_markup(&answer.text)?,
                links: None,
            })
        };
        Ok(translations.into_iter().map(done).collect())
    }
}

/// DeepL knows source languages without their varieties.
fn source_code(locale: &Locale) -> String {
    match locale.language() {
        "no" | "nn" => "NB".into(),
        language => language.to_uppercase(),
    }
}

/// Target languages have the varieties that DeepL tells apart; English alone is American, Portuguese alone Brazilian.
fn target_code(locale: &Locale) -> String {
    if let Some(code) = chinese(locale, "ZH-HANS", "ZH-HANT") {
        return code.into();
    }
    match (locale.language(), region(locale)) {
        ("en", None | Some("US" | "PH" | "PR")) => "EN-US".into(),
        ("en", Some(_)) => "EN-GB".into(),
        ("pt", _) if is_european_portuguese(locale) => "PT-PT".into(),
        ("pt", _) => "PT-BR".into(),
        ("es", Some("419")) => "ES-419".into(),
        ("fr", Some("CA")) => "FR-CA".into(),
        ("de", Some("CH")) => "DE-CH".into(),
        _ => source_code(locale),
    }
}

/// True for languages that DeepL takes without a region.
fn takes_plain(locale: &Locale) -> bool {
    !matches!(locale.language(), "en" | "pt" | "zh")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varieties_are_told_apart_in_targets_only() {
        for (tag, source, target) in [
            ("en", "EN", "EN-US"),
            ("en-AU", "EN", "EN-GB"),
            ("pt", "PT", "PT-BR"),
            ("pt-PT", "PT", "PT-PT"),
            ("zh", "ZH", "ZH-HANS"),
            ("zh-HK", "ZH", "ZH-HANT"),
            ("es-419", "ES", "ES-419"),
            ("es-MX", "ES", "ES"),
            ("no", "NB", "NB"),
            ("de-AT", "DE", "DE"),
            ("de-CH", "DE", "DE-CH"),
            ("fr-CA", "FR", "FR-CA"),
            ("fr-BE", "FR", "FR"),
        ] {
            let locale = Locale::parse(tag).unwrap();
            assert_eq!(
                (source_code(&locale).as_str(), target_code(&locale).as_str()),
                (source, target),
                "{tag}"
            );
        }
    }
}
