//! A server that has the state, asked over its API: the only place where the command line is a client.
//!
//! The token comes from `LATIMER_TOKEN` alone, so that no list of processes shows it. `https` is checked like a browser
//! does; redirects are not followed, because they would carry the token elsewhere. Proxies of the environment
//! (`http_proxy`) are used for other machines only.

use std::error::Error;
use std::time::Duration;

use pipeline::model::is_this_machine;
use reqwest::header::{CONTENT_ENCODING, LOCATION, RETRY_AFTER};
use reqwest::{Client, Method, StatusCode};
use serde_json::Value;
use url::Url;

use crate::exit::{CommandFailure, ExitCode};
use crate::progress::CommandProgress;

/// The variable that holds the token.
const TOKEN: &str = "LATIMER_TOKEN";
/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long one may take that is worked out from all pages of a site.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often it is asked how far a run is.
const PACE: Duration = Duration::from_millis(500);
/// The stages of a run, in their order, as the API and as progress names them.
const STAGES: [(&str, &str); 5] = [
    ("crawl", "crawl"),
    ("extract", "read"),
    ("translate", "translate"),
    ("render", "render"),
    ("publish", "publish"),
];

/// A server. It is never printed: it knows the token.
pub(crate) struct Remote {
    client: Client,
    base: Url,
    token: String,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct RemoteReply {
    pub(crate) value: Value,
    /// Where what was begun can be watched.
    pub(crate) location: Option<String>,
}

impl Remote {
    /// The server at an address.
    pub(crate) fn at(base: &Url) -> Result<Self, CommandFailure> {
        let token = std::env::var(TOKEN).unwrap_or_default().trim().to_owned();
        if token.is_empty() {
            return Err(CommandFailure::usage(format!(
                "--server needs a token in {TOKEN}; see `latimer token mint`"
            )));
        }
        // The client asks for no coding and decodes none, whatever features of reqwest other crates switch on.
        let builder = Client::builder()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd();
        let builder = builder.redirect(reqwest::redirect::Policy::none());
        // A proxy of the environment is for other machines, and would read the token of a request in clear.
        let is_here = base.host_str().is_some_and(is_this_machine);
        let builder = if is_here { builder.no_proxy() } else { builder };
        let client = builder.build();
        let client = client
            .map_err(|error| CommandFailure::failed(format!("cannot make a client: {error}")))?;
        Ok(Self {
            client,
            base: base.clone(),
            token,
        })
    }

    /// Asks for something.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, CommandFailure> {
        self.call(Method::GET, path, None)
            .await
            .map(|answer| answer.value)
    }

    /// Asks for all of a list.
    pub(crate) async fn list(&self, path: &str) -> Result<Vec<Value>, CommandFailure> {
        let mut found = Vec::new();
        loop {
            let list = self
                .get(&format!("{path}?limit=200&offset={}", found.len()))
                .await?;
            let items = list["items"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            found.extend(items.iter().cloned());
            if items.is_empty() || list["total"].as_u64() == u64::try_from(found.len()).ok() {
                return Ok(found);
            }
        }
    }

    /// The same for what takes a server minutes, because it reads all pages of a site.
    pub(crate) async fn get_slowly(&self, path: &str) -> Result<Value, CommandFailure> {
        self.call_within(Method::GET, path, None, PATIENCE)
            .await
            .map(|answer| answer.value)
    }

    /// Begins something.
    pub(crate) async fn post(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<RemoteReply, CommandFailure> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Begins something that needs no more words than its path.
    pub(crate) async fn post_path(&self, path: &str) -> Result<RemoteReply, CommandFailure> {
        self.call(Method::POST, path, None).await
    }

    /// Removes something.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), CommandFailure> {
        self.call(Method::DELETE, path, None).await.map(drop)
    }

    /// Follows a run to its end; gives it as it ended.
    pub(crate) async fn follow(
        &self,
        run: &str,
        progress: &CommandProgress,
    ) -> Result<Value, CommandFailure> {
        loop {
            let run = self.get(run).await?;
            let count =
                |stage: &str, what: &str| run["stages"][stage][what].as_u64().map_or(0, whole);
            let begun = STAGES.iter().rfind(|(stage, _)| count(stage, "total") > 0);
            if let Some((stage, name)) = begun {
                progress.report(name, count(stage, "done"), Some(count(stage, "total")));
            }
            if !run["finishedAt"].is_null() {
                progress.finish();
                return Ok(run);
            }
            tokio::time::sleep(PACE).await;
        }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<RemoteReply, CommandFailure> {
        self.call_within(method, path, body, TIMEOUT).await
    }

    async fn call_within(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        timeout: Duration,
    ) -> Result<RemoteReply, CommandFailure> {
        let url = self
            .base
            .join(path)
            .map_err(|error| CommandFailure::usage(format!("{}{path}: {error}", self.base)))?;
        loop {
            let mut request = self
                .client
                .request(method.clone(), url.clone())
                .bearer_auth(&self.token)
                .timeout(timeout);
            if let Some(body) = body {
                request = request
                    .header("content-type", "application/json")
                    .body(body.to_string());
            }
            let response = request
                .send()
                .await
                .map_err(|error| unreachable_server(&self.base, &error))?;
            let header = |name| {
                response
                    .headers()
                    .get(name)
                    .and_then(|value| value.to_str().ok())
                    .map(str::to_owned)
            };
            let status = response.status();
            let location = header(LOCATION);
            let wait = header(RETRY_AFTER);
            if let (StatusCode::TOO_MANY_REQUESTS, Some(seconds)) =
                (status, wait.and_then(|text| text.parse().ok()))
            {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                continue;
            }
            if let Some(coding) = header(CONTENT_ENCODING).filter(|coding| coding != "identity") {
                let text = format!(
                    "{} answers in the content coding {coding:?}, which was not requested",
                    self.base
                );
                return Err(CommandFailure::failed(text));
            }
            let text = response
                .text()
                .await
                .map_err(|error| unreachable_server(&self.base, &error))?;
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            return if status.is_success() && (value.is_object() || status == StatusCode::NO_CONTENT)
            {
                Ok(RemoteReply { value, location })
            } else {
                Err(refused(&self.base, status, &value))
            };
        }
    }
}

fn refused(server: &Url, status: StatusCode, value: &Value) -> CommandFailure {
    let message = match (value["error"].as_str(), value["details"]["code"].as_str()) {
        (Some(text), Some(code)) => format!("{server}: {text} ({code})"),
        _ => format!(
            "{server} answered {status} without an API; check the address, and [api] in its configuration"
        ),
    };
    let code = match status {
        StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND => ExitCode::Usage,
        _ => ExitCode::Failed,
    };
    CommandFailure { code, message }
}

/// The failure of a request to a server, with the last cause, which is the one that helps.
fn unreachable_server(server: &Url, error: &reqwest::Error) -> CommandFailure {
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let advice = if error.is_connect() {
        "; is `latimer serve` running there, with an API?"
    } else {
        ""
    };
    CommandFailure::failed(format!(
        "cannot ask the server at {server}: {cause}{advice}"
    ))
}

fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
