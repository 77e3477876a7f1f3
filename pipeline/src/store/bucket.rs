//! A bucket, spoken to over HTTP: how it is opened, and what its answers and failures mean.
//!
//! The client underneath tries nothing again: [`super::patience`] does, which knows all requests. Answers that refuse
//! are taken apart here, before the client makes one text of them, so that nobody is shown XML and everybody is told
//! which setting is wrong.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{
    ClientConfigKey, ClientOptions, Error, ObjectStore, ObjectStoreScheme, RetryConfig,
};
use url::Url;

use super::patience::StoreFault;
use crate::causes;
use crate::model::is_this_machine;

/// The longest text of an answer that is shown, in characters.
const LONGEST_TEXT: usize = 200;

/// Opens a bucket of S3, Google Cloud Storage or Azure Blob Storage; the options are those of the `object_store` crate.
pub(super) fn open(
    scheme: &ObjectStoreScheme,
    url: &Url,
    options: &BTreeMap<String, String>,
) -> Result<Arc<dyn ObjectStore>, Error> {
    let retry = RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    };
    match scheme {
        ObjectStoreScheme::GoogleCloudStorage => {
            let builder = GoogleCloudStorageBuilder::new()
                .with_url(url.as_str())
                .with_retry(retry);
            let builder = with_options(builder, options, GoogleCloudStorageBuilder::with_config)?;
            Ok(Arc::new(builder.with_http_connector(Connector).build()?))
        }
        ObjectStoreScheme::MicrosoftAzure => {
            let builder = MicrosoftAzureBuilder::new()
                .with_url(url.as_str())
                .with_retry(retry);
            let builder = with_options(builder, options, MicrosoftAzureBuilder::with_config)?;
            Ok(Arc::new(builder.with_http_connector(Connector).build()?))
        }
        _ => {
            let builder = AmazonS3Builder::new()
                .with_url(url.as_str())
                .with_retry(retry);
            let builder = with_options(builder, options, AmazonS3Builder::with_config)?;
            Ok(Arc::new(builder.with_http_connector(Connector).build()?))
        }
    }
}

/// Sets the options of a bucket.
fn with_options<'o, B, K: FromStr<Err = Error>>(
    mut builder: B,
    options: &'o BTreeMap<String, String>,
    set: impl Fn(B, K, &'o String) -> B,
) -> Result<B, Error> {
    for (name, value) in options {
        builder = set(builder, name.to_ascii_lowercase().parse()?, value);
    }
    Ok(builder)
}

/// Makes clients that read refusals and ask what is near without a proxy.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, Error> {
        let usual = ReqwestConnector::default().connect(options)?;
        // A proxy that excludes every host is how these options say "no proxy, whatever the environment names".
        let direct = options
            .clone()
            .with_proxy_url(UNUSED_PROXY)
            .with_proxy_excludes(EVERY_HOST);
        let is_own = options
            .get_config_value(&ClientConfigKey::ProxyUrl)
            .is_some();
        let direct = if is_own {
            usual.clone()
        } else {
            ReqwestConnector::default().connect(&direct)?
        };
        Ok(HttpClient::new(Client { usual, direct }))
    }
}

const UNUSED_PROXY: &str = "http://127.0.0.1:9";
/// Names, and addresses of both kinds: a star counts for names alone.
const EVERY_HOST: &str = "*,0.0.0.0/0,::/0";

/// Two clients, because the choice of a proxy belongs to a client and not to a request.
#[derive(Debug)]
struct Client {
    /// Goes by the proxies of the environment or of the options.
    usual: HttpClient,
    /// Asks this machine, and a cloud's own address for credentials, which a proxy must not read.
    direct: HttpClient,
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let host = request.uri().host().unwrap_or_default();
        let is_for_credentials = CREDENTIAL_HOSTS.contains(&host);
        let client = if is_for_credentials || is_this_machine(host) {
            &self.direct
        } else {
            &self.usual
        };
        let refused = |refusal| HttpError::new(HttpErrorKind::Unknown, refusal);
        let response = match client.execute(request).await {
            Ok(response) => response,
            Err(_) if is_for_credentials => return Err(refused(BucketRefusal::no_credentials())),
            Err(error) => return Err(error),
        };
        let status = response.status().as_u16();
        // What is not there, did not change or is there already are answers that the client knows.
        if response.status().is_success() || matches!(status, 304 | 412) {
            return Ok(response);
        }
        if is_for_credentials {
            return Err(refused(BucketRefusal::no_credentials()));
        }
        let (parts, body) = response.into_parts();
        let text = body.bytes().await?;
        let refusal = BucketRefusal::of(status, &String::from_utf8_lossy(&text));
        if status == 404 && refusal.code != "NoSuchBucket" {
            return Ok(HttpResponse::from_parts(parts, text.into()));
        }
        Err(refused(refusal))
    }
}

/// Where machines of a cloud are asked for credentials when nobody gave any.
const CREDENTIAL_HOSTS: [&str; 3] = [
    "169.254.169.254",
    "169.254.170.2",
    "metadata.google.internal",
];

/// An answer that refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BucketRefusal {
    status: u16,
    code: String,
    message: String,
}

impl StdError for BucketRefusal {}

impl fmt::Display for BucketRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            status,
            code,
            message,
        } = self;
        match (code.as_str(), message.as_str()) {
            ("", "") => write!(formatter, "it answered {status}"),
            (code, "") => write!(formatter, "it answered {status} ({code})"),
            ("", message) => write!(formatter, "it answered {status}: {message}"),
            (code, message) => write!(formatter, "it answered {status} ({code}): {message}"),
        }
    }
}

impl BucketRefusal {
    fn of(status: u16, text: &str) -> Self {
        let code = element(text, "Code").unwrap_or_default().to_owned();
        Self {
            status,
            code,
            message: plain(text),
        }
    }

    fn no_credentials() -> Self {
        Self {
            status: 401,
            code: NO_CREDENTIALS.to_owned(),
            message: String::new(),
        }
    }

    fn fault(&self) -> StoreFault {
        match self.status {
            408 | 425 | 429 | 500.. => StoreFault::Passing(self.to_string()),
            409 => StoreFault::Busy(self.to_string()),
            // A client that is slow to send is told so with a status of its own fault.
            400 if matches!(self.code.as_str(), "RequestTimeout" | "IncompleteBody") => {
                StoreFault::Passing(self.to_string())
            }
            _ => StoreFault::Final,
        }
    }

    /// What to do about it, where that is known.
    fn remedy(&self) -> Option<&'static str> {
        let by_code = REMEDIES
            .iter()
            .find(|(code, _)| *code == self.code)
            .map(|(_, remedy)| *remedy);
        by_code.or(match self.status {
            401 => Some(CREDENTIALS),
            403 => Some(RIGHTS),
            301 | 307 => Some(REGION),
            _ => None,
        })
    }
}

const NO_CREDENTIALS: &str = "NoCredentials";
const CREDENTIALS: &str =
    "the store does not accept the credentials; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
const RIGHTS: &str = "these credentials may not do that; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that \
                      the bucket lets them list, read, write and delete";
const REGION: &str =
    "the bucket is in another region; set AWS_REGION, or aws_region in [store.options]";
const TOKEN: &str =
    "the session token is wrong or has expired; set a new AWS_SESSION_TOKEN with its keys";

/// What to do about answers that have a name.
const REMEDIES: [(&str, &str); 11] = [
    (
        NO_CREDENTIALS,
        "no credentials are set; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    (
        "InvalidAccessKeyId",
        "the store does not know the access key; check AWS_ACCESS_KEY_ID",
    ),
    (
        "SignatureDoesNotMatch",
        "the secret is not that of the access key; check AWS_SECRET_ACCESS_KEY",
    ),
    ("ExpiredToken", TOKEN),
    ("InvalidToken", TOKEN),
    (
        "NoSuchBucket",
        "there is no such bucket; check `objects` in [store], and AWS_ENDPOINT_URL or aws_endpoint in [store.options]",
    ),
    (
        "InvalidBucketName",
        "that is no name of a bucket; check `objects` in [store]",
    ),
    (
        "RequestTimeTooSkewed",
        "the clock of this machine is wrong; set it",
    ),
    ("PermanentRedirect", REGION),
    ("AuthorizationHeaderMalformed", REGION),
    ("IllegalLocationConstraintException", REGION),
];

/// What a failure of the client means.
pub(super) fn judge(error: &Error) -> StoreFault {
    match error {
        Error::NotFound { .. }
        | Error::AlreadyExists { .. }
        | Error::Precondition { .. }
        | Error::NotModified { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::InvalidPath { .. }
        | Error::PermissionDenied { .. }
        | Error::Unauthenticated { .. }
        | Error::UnknownConfigurationKey { .. } => return StoreFault::Final,
        _ => {}
    }
    if let Some(refusal) = find::<BucketRefusal>(error) {
        return refusal.fault();
    }
    let Some(failure) = find::<HttpError>(error) else {
        return StoreFault::Unclear(plain(&error.to_string()));
    };
    let cause = innermost(failure);
    match failure.kind() {
        HttpErrorKind::Connect if is_about_certificates(&cause) => StoreFault::Final,
        HttpErrorKind::Connect if is_about_names(failure) => StoreFault::NoSuchHost(cause),
        HttpErrorKind::Timeout => StoreFault::Passing("it did not answer in time".to_owned()),
        _ if cause.contains("scheme is not allowed") => StoreFault::Final,
        _ => StoreFault::Passing(cause),
    }
}

/// A failure that will not pass, for people: what is wrong, and the setting that rights it.
pub(super) fn explain(error: &Error) -> String {
    if let Some(refusal) = find::<BucketRefusal>(error) {
        return match refusal.remedy() {
            Some(remedy) if refusal.code.is_empty() || refusal.code == NO_CREDENTIALS => {
                remedy.to_owned()
            }
            Some(remedy) => format!("{remedy} ({})", refusal.code),
            None => refusal.to_string(),
        };
    }
    let Some(failure) = find::<HttpError>(error) else {
        return plain(&error.to_string());
    };
    let cause = innermost(failure);
    if cause.contains("scheme is not allowed") {
        return "the endpoint is http://; if that is intended, set AWS_ALLOW_HTTP=true".to_owned();
    }
    match failure.kind() {
        HttpErrorKind::Connect => {
            format!("{cause}; check AWS_ENDPOINT_URL, or aws_endpoint in [store.options]")
        }
        _ => cause,
    }
}

fn find<T: StdError + 'static>(error: &Error) -> Option<&T> {
    causes::of(error).find_map(|error| error.downcast_ref())
}

/// What is behind all the layers, as the system says it.
fn innermost(error: &HttpError) -> String {
    let texts = causes::of(error).map(ToString::to_string);
    plain(&texts.last().unwrap_or_default())
}

/// Resolving a name has no kind of its own among the errors of the client.
fn is_about_names(error: &HttpError) -> bool {
    causes::of(error).any(|error| error.to_string().contains("dns error"))
}

fn is_about_certificates(cause: &str) -> bool {
    cause.contains("certificate")
}

/// The text of an answer without markup, and not all of a long one.
fn plain(text: &str) -> String {
    let message = match element(text, "Message") {
        Some(message) => message,
        None => text.split('<').next().unwrap_or_default().trim(),
    };
    let short: String = message
        .chars()
        .filter(|letter| !letter.is_control())
        .take(LONGEST_TEXT)
        .collect();
    short.trim().to_owned()
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>"))
        .map(|(inner, _)| inner.trim())
}
