//! One visit: who asks for what, and with which words.

use std::net::IpAddr;
use std::time::SystemTime;

use hyper::header::{ACCEPT_LANGUAGE, AUTHORIZATION};
use hyper::{HeaderMap, Method};
use pipeline::config::AdminConfig;
use pipeline::model::{Locale, PagePath, SiteId};
use serde_json::Value;

use super::guard;
use crate::app::{Api, App};
use crate::auth::Caller;
use crate::control::door::{Deed, OperationResult};
use crate::control::operations::OPERATIONS;
use crate::http::error::ApiError;
use crate::http::target::HttpTarget;
use crate::public::language::chosen;

/// The languages of the screen; the first one is that of the templates.
pub(super) const LANGUAGES: [&str; 4] = ["en", "es", "ar", "ja"];
/// A visit.
pub(super) struct Visit<'a> {
    pub(super) app: &'a App,
    pub(super) api: &'a Api,
    pub(super) config: &'a AdminConfig,
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    /// What a form says.
    pub(super) fields: Vec<(String, String)>,
    pub(super) client: IpAddr,
    /// Who is signed in.
    pub(super) caller: Option<Caller>,
    /// What the browser holds, if that signs anybody in.
    pub(super) secret: Option<String>,
    /// The tag of the language in which the screen is shown.
    pub(super) language: &'static str,
}

impl<'a> Visit<'a> {
    pub(super) fn new(
        app: &'a App,
        api: &'a Api,
        config: &'a AdminConfig,
        target: HttpTarget,
        headers: &HeaderMap,
        client: IpAddr,
    ) -> Self {
        let query = form_urlencoded::parse(target.query.as_deref().unwrap_or_default().as_bytes());
        let query = query.into_owned().collect();
        let held = guard::held(config, headers);
        let session = held
            .as_deref()
            .and_then(|secret| api.sessions.find(secret, SystemTime::now()));
        // A proxy that signs people in passes their tokens.
        let passed = || {
            api.settings()
                .verifier
                .caller(headers)
                .ok()
                .filter(|_| headers.contains_key(AUTHORIZATION))
        };
        let secret = held.filter(|_| session.is_some());
        let caller = session.map(|session| session.caller).or_else(passed);
        let language = chosen(headers.get(ACCEPT_LANGUAGE), &LANGUAGES);
        Self {
            app,
            api,
            config,
            path: target.path,
            query,
            fields: Vec::new(),
            client,
            caller,
            secret,
            language,
        }
    }

    /// The first value of a field of the form.
    pub(super) fn field(&self, name: &str) -> &str {
        first(&self.fields, name)
    }

    /// The first value of a parameter of the address.
    pub(super) fn parameter(&self, name: &str) -> &str {
        first(&self.query, name)
    }

    /// Where one signs in, and comes back from.
    pub(super) fn login(&self) -> String {
        if self.path == "/" {
            return "/login".to_owned();
        }
        let next = form_urlencoded::byte_serialize(self.path.as_bytes()).collect::<String>();
        format!("/login?next={next}")
    }

    /// The subject whose sessions a caller may see; all where the caller may see all.
    pub(super) fn only_own<'c>(&self, caller: &'c Caller) -> Option<&'c str> {
        let sees_all = caller.sees_everything() && caller.has("admin:read");
        (!sees_all).then_some(caller.subject.as_str())
    }

    /// Where pages are served.
    pub(super) fn pages_origin(&self) -> String {
        let settings = self.api.settings();
        match settings.config.api.hosts.first() {
            Some(host) => format!("{}://{host}", self.config.url.scheme()),
            None => format!("http://{}", settings.config.api.listen),
        }
    }

    /// Operations that the caller may do, by name with `_` for dots; `site` is the site of the screen.
    pub(super) fn allowed(&self, site: Option<&str>) -> Value {
        let mut config = None;
        if let Some(id) = site.and_then(|site| SiteId::parse(site).ok()) {
            config = self.api.sites().get(&id).map(|known| known.config);
        }
        let mut allowed = serde_json::Map::new();
        for line in &OPERATIONS {
            if self.caller.is_some()
                && self
                    .api
                    .allow(line, self.caller.as_ref(), config.as_deref())
                    .is_ok()
            {
                allowed.insert(line.id.replace('.', "_"), true.into());
            }
        }
        Value::Object(allowed)
    }

    /// Address of a page in a language for readers: the public one, or the one of a server that only this machine reaches.
    pub(super) fn reader_address(&self, site: &str, locale: &str, path: &str) -> Option<String> {
        let id = SiteId::parse(site).ok()?;
        let locale = Locale::parse(locale).ok()?;
        let path = PagePath::parse(path).ok()?;
        let snapshot = self.app.snapshot();
        let settings = snapshot.published(&id)?.settings();
        let local = settings.slugs.local(&locale, &path);
        let config = &self.api.settings().config.api;
        let is_local = config.hosts.is_empty() && config.listen.ip().is_loopback();
        if !is_local && let Some(public) = settings.address(&locale, &local) {
            return Some(public);
        }
        let origin = if self.api.sites().list().len() == 1 {
            self.pages_origin()
        } else if is_local {
            format!("http://{id}.localhost:{}", config.listen.port())
        } else {
            return None;
        };
        Some(format!("{origin}/{}{local}", settings.label(&locale)))
    }

    /// Does one of the API's operations.
    pub(super) async fn perform(&self, deed: Deed<'_>) -> Result<OperationResult, ApiError> {
        let caller = self.caller.as_ref().ok_or(ApiError::MissingToken)?;
        self.api.perform(self.app, caller, self.client, deed).await
    }

    /// Does an operation that changes something.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<OperationResult, ApiError> {
        self.perform(Deed {
            method,
            path,
            query: None,
            body,
            seen: None,
        })
        .await
    }

    /// The same with the method POST, which most have.
    pub(super) async fn post(
        &self,
        path: &str,
        body: Option<Value>,
    ) -> Result<OperationResult, ApiError> {
        self.send(Method::POST, path, body).await
    }

    /// What an operation that reads answers.
    pub(super) async fn get(&self, path: &str) -> Result<Value, ApiError> {
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        let deed = Deed {
            method: Method::GET,
            path,
            query,
            body: None,
            seen: None,
        };
        Ok(self.perform(deed).await?.value)
    }

    /// The same; nothing where the caller may not, or it is not there.
    pub(super) async fn get_if_allowed(&self, path: &str) -> Result<Value, ApiError> {
        match self.get(path).await {
            Err(ApiError::MissingScope(_) | ApiError::SubscriptionNotFound) => Ok(Value::Null),
            got => got,
        }
    }
}

/// The query of an address; a parameter without a value is left out.
pub(super) fn query(parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish()
}

/// The first value of a field.
pub(super) fn first<'v>(pairs: &'v [(String, String)], name: &str) -> &'v str {
    pairs
        .iter()
        .find(|(key, _)| key == name)
        .map_or("", |(_, value)| value)
}
