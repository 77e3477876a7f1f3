//! `[api]`: where the server listens, who may use the API and how often.
//!
//! Key files are named here and read by whoever starts the server; a secret may also come from the environment.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use url::Url;

use super::callers::{self, CallerSites};
use super::engine::ConfiguredEngines;
use super::error::ConfigError;
use super::keys;
use super::preview::HostFilter;
use super::reader::{ConfigField, ConfigReader, ConfigTable};

/// `[api]`: the HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiConfig {
    /// The address it listens on.
    pub listen: SocketAddr,
    /// The hosts on which the API answers, and pages do not, in lower case; empty: every host has both.
    pub hosts: Vec<String>,
    /// Whose word about a client's address is taken.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether every request is written to standard error.
    pub access_log: bool,
    /// Where metrics are read, if anywhere.
    pub metrics_listen: Option<SocketAddr>,
    /// How callers of the API prove who they are; without it there is no API.
    pub jwt: Option<JwtConfig>,
    /// Origins of web pages that may call the API.
    pub cors_origins: Vec<String>,
    /// Whether callers may start crawling and translating.
    pub crawl_trigger_enabled: bool,
    /// Whether sites that callers add may lie in private networks.
    pub sites_allow_private: bool,
    /// Hosts that callers may give their sites; without it, all but those that everybody shares.
    pub hosts_allowed: Option<HostFilter>,
    /// Tokens that may order previews, one a line.
    pub preview_tokens: Option<SecretSource>,
    /// A token that may watch every preview.
    pub preview_status_token: Option<SecretSource>,
    /// How often callers may ask.
    pub limits: ApiLimits,
    /// Bytes of pages that are kept in memory.
    pub cache_bytes: usize,
    /// What sites that callers add may use and cost.
    pub sites: CallerSites,
}

/// `jwt`: the tokens that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtConfig {
    /// The one algorithm.
    pub algorithm: JwtAlgorithm,
    /// What signatures are checked with.
    pub key: KeySource,
    /// The issuer that every token must name.
    pub issuer: Option<String>,
    /// The audience that every token must name.
    pub audience: Option<String>,
}

/// Algorithms by which tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwtAlgorithm {
    /// HMAC with SHA-256: whoever checks can also sign.
    Hs256,
    /// RSA with SHA-256.
    Rs256,
    /// ECDSA on P-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

/// Where a key comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A shared secret from the environment.
    Secret(String),
    /// A file that holds a shared secret.
    SecretFile(PathBuf),
    /// A PEM file that holds a public key.
    PublicKeyFile(PathBuf),
    /// A file that holds a set of public keys (RFC 7517).
    JwksFile(PathBuf),
}

/// Where tokens come from.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// The environment.
    Text(String),
    /// A file that holds them.
    File(PathBuf),
}

/// `[api.limits]`: requests that one caller may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiLimits {
    /// Reading, for each token subject.
    pub read: Option<RateLimit>,
    /// Writing, for each token subject.
    pub write: Option<RateLimit>,
    /// Ordering runs, for each site.
    pub crawl_translate: Option<RateLimit>,
    /// Ordering previews, for each token subject or client address.
    pub preview: Option<RateLimit>,
    /// Ordering previews, for each host that they are of.
    pub preview_host: Option<RateLimit>,
    /// Ordering previews that are told of by mail, for each token subject or client address.
    pub preview_mail: Option<RateLimit>,
    /// The same, for all of them together.
    pub preview_mail_all: Option<RateLimit>,
    /// Looking at previews, for each token subject or client address.
    pub preview_status: Option<RateLimit>,
    /// Beginning to follow a run or a preview, for each token subject or client address.
    pub stream: Option<RateLimit>,
    /// Saves of translations, by subject.
    pub edit: Option<RateLimit>,
    /// Requests without a valid token, for each client address and for each wrong token.
    pub failed_logins: Option<RateLimit>,
    /// Connections of one address at the same time; without it, a usual number for addresses of the internet.
    pub connections: Option<u32>,
    /// Streams of one token subject or client address that are open at the same time.
    pub open_streams: u32,
}

/// So many in a time, and so many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The time in which one more is allowed.
    pub interval: Duration,
    /// How many may come at once; at least 1.
    pub burst: u32,
}

/// Pages kept in memory where nothing is said: 256 MiB.
const CACHE_BYTES: usize = 256 << 20;
/// Streams of one caller where nothing is said.
const OPEN_STREAMS: u32 = 32;
/// The variable that holds a shared secret.
const SECRET: &str = "LATIMER_JWT_SECRET";
/// What a listening address looks like, for messages.
pub(super) const LISTEN: &str = "an address and a port such as \"127.0.0.1:8080\"";
const RATE: &str = "a rate such as \"60/min burst 20\" or \"5/s\", or 0 for no limit";
const HOST: &str = "a host such as \"api.example.com\", with a port only if the port counts";
const NETWORK: &str = "an address or a network, such as \"127.0.0.1\" or \"10.0.0.0/8\"";
const ORIGIN: &str = "an origin such as \"https://dashboard.example.com\", without a path";

pub(super) fn read(
    root: &ConfigTable<'_>,
    engines: &ConfiguredEngines,
) -> Result<ApiConfig, ConfigError> {
    let table = root.table("api", &keys::API)?;
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let written = get("listen")
        .map(|field| field.parse::<SocketAddr>(LISTEN))
        .transpose()?;
    let reader = root.reader();
    let listen = match reader.environment("LATIMER_LISTEN") {
        Some(text) => text
            .parse()
            .map_err(|_| reader.environment_error("LATIMER_LISTEN", &text, LISTEN))?,
        None => written.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080))),
    };
    Ok(ApiConfig {
        listen,
        hosts: each(get("hosts"), host)?,
        trusted_proxies: each(get("trusted_proxies"), network)?,
        access_log: get("access_log")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(false),
        metrics_listen: get("metrics_listen")
            .map(|field| field.parse(LISTEN))
            .transpose()?,
        jwt: get("jwt")
            .map(|field| jwt(&field.table(&keys::JWT)?))
            .transpose()?,
        cors_origins: each(get("cors_origins"), origin)?,
        crawl_trigger_enabled: get("crawl_trigger_enabled")
            .map_or(Ok(true), |field| field.flag())?,
        sites_allow_private: get("sites_allow_private").map_or(Ok(false), |field| field.flag())?,
        hosts_allowed: get("hosts_allowed")
            .map(|field| HostFilter::read(&field))
            .transpose()?,
        preview_tokens: tokens(reader, get("preview_tokens_file"), "LATIMER_PREVIEW_TOKENS")?,
        preview_status_token: tokens(
            reader,
            get("preview_status_token_file"),
            "LATIMER_PREVIEW_STATUS_TOKEN",
        )?,
        limits: limits(
            get("limits")
                .map(|field| field.table(&keys::LIMITS))
                .transpose()?
                .as_ref(),
        )?,
        sites: callers::read(root, engines)?,
        cache_bytes: get("cache_bytes")
            .map(|field| field.whole(0..=1 << 40))
            .transpose()?
            .unwrap_or(CACHE_BYTES),
    })
}

/// The values of a list; without the list, none.
pub(super) fn each<T>(
    field: Option<ConfigField<'_>>,
    read: impl Fn(&ConfigField<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<T>, ConfigError> {
    field.map_or_else(
        || Ok(Vec::new()),
        |field| field.list()?.iter().map(read).collect(),
    )
}

pub(super) fn host(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?.to_ascii_lowercase();
    let url = Url::parse(&format!("http://{text}")).map_err(|_| field.must_be(HOST))?;
    let port = url.host_str().and_then(|host| text.strip_prefix(host));
    let is_host = port.is_some_and(|port| {
        port.is_empty()
            || port
                .strip_prefix(':')
                .is_some_and(|port| port.parse::<u16>().is_ok())
    });
    if is_host {
        Ok(text)
    } else {
        Err(field.must_be(HOST))
    }
}

fn network(field: &ConfigField<'_>) -> Result<IpNet, ConfigError> {
    let text = field.text()?;
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address
        .or_else(|_| text.parse())
        .map_err(|_| field.must_be(NETWORK))
}

fn jwt(table: &ConfigTable<'_>) -> Result<JwtConfig, ConfigError> {
    let algorithm = table
        .required("algorithm", "one, such as algorithm = \"HS256\"")?
        .one_of(&[
            ("HS256", JwtAlgorithm::Hs256),
            ("RS256", JwtAlgorithm::Rs256),
            ("ES256", JwtAlgorithm::Es256),
            ("EdDSA", JwtAlgorithm::EdDsa),
        ])?;
    let text = |key| {
        table
            .get(key)
            .map(|field| field.text().map(str::to_owned))
            .transpose()
    };
    Ok(JwtConfig {
        algorithm,
        key: key(table, algorithm)?,
        issuer: text("issuer")?,
        audience: text("audience")?,
    })
}

/// The key that fits the algorithm; a key of the other kind is an error rather than unused.
fn key(table: &ConfigTable<'_>, algorithm: JwtAlgorithm) -> Result<KeySource, ConfigError> {
    let symmetric = algorithm == JwtAlgorithm::Hs256;
    let files = ["secret_file", "public_key_file", "jwks_file"]
        .into_iter()
        .filter_map(|name| table.get(name));
    let files: Vec<ConfigField<'_>> = files.collect();
    if let Some(stray) = files
        .iter()
        .find(|field| (field.key() == "secret_file") != symmetric)
    {
        let fitting = if symmetric {
            "`secret_file`"
        } else {
            "`public_key_file` or `jwks_file`"
        };
        return Err(stray.error(format!(
            "`{}` does not fit the algorithm; it needs {fitting}",
            stray.key()
        )));
    }
    if let [_, second, ..] = files.as_slice() {
        return Err(second.error(
            "one of `public_key_file` and `jwks_file` is enough; remove the other".to_owned(),
        ));
    }
    if let Some(secret) = table.reader().environment(SECRET).filter(|_| symmetric) {
        return Ok(KeySource::Secret(secret));
    }
    match files.first() {
        Some(field) if field.key() == "secret_file" => Ok(KeySource::SecretFile(field.path()?)),
        Some(field) if field.key() == "jwks_file" => Ok(KeySource::JwksFile(field.path()?)),
        Some(field) => Ok(KeySource::PublicKeyFile(field.path()?)),
        None if symmetric => Err(table.error(format!(
            "`jwt` has no secret; add secret_file = \"jwt.secret\" (write the file with `openssl rand -hex 32`), or \
             set {SECRET} in the environment"
        ))),
        None => Err(table.error("`jwt` has no key; add public_key_file = \"issuer.pem\" or jwks_file".to_owned())),
    }
}

/// Tokens from the environment, else from the file that is named.
fn tokens(
    reader: &ConfigReader<'_>,
    file: Option<ConfigField<'_>>,
    variable: &str,
) -> Result<Option<SecretSource>, ConfigError> {
    if let Some(text) = reader.environment(variable) {
        return Ok(Some(SecretSource::Text(text)));
    }
    file.map(|field| field.path().map(SecretSource::File))
        .transpose()
}

fn origin(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?;
    let url = Url::parse(text).map_err(|_| field.must_be(ORIGIN))?;
    let origin = url.origin().ascii_serialization();
    if matches!(url.scheme(), "http" | "https")
        && text.trim_end_matches('/').eq_ignore_ascii_case(&origin)
    {
        return Ok(origin);
    }
    Err(field.must_be(ORIGIN))
}

fn limits(table: Option<&ConfigTable<'_>>) -> Result<ApiLimits, ConfigError> {
    let rate = |key: &str, default: RateLimit| match table.and_then(|table| table.get(key)) {
        None => Ok(Some(default)),
        Some(field) => match field.scalar()?.as_str() {
            "0" => Ok(None),
            text => text.parse().map(Some).map_err(|()| field.must_be(RATE)),
        },
    };
    let count = |key| {
        table
            .and_then(|table| table.get(key))
            .map(|field| field.whole(1..=100_000))
            .transpose()
    };
    let whole = |number: usize| u32::try_from(number).ok();
    Ok(ApiLimits {
        read: rate("read", RateLimit::a_minute(300, 60))?,
        write: rate("write", RateLimit::a_minute(60, 20))?,
        crawl_translate: rate("crawl_translate", RateLimit::a_minute(12, 4))?,
        preview: rate("preview", RateLimit::a_minute(20, 20))?,
        preview_host: rate("preview_host", RateLimit::a_minute(10, 10))?,
        preview_mail: rate("preview_mail", RateLimit::an_hour(20))?,
        preview_mail_all: rate("preview_mail_all", RateLimit::an_hour(200))?,
        preview_status: rate("preview_status", RateLimit::a_minute(120, 120))?,
        edit: rate("edit", RateLimit::a_minute(240, 60))?,
        stream: rate("stream", RateLimit::a_minute(30, 30))?,
        failed_logins: rate("failed_logins", RateLimit::a_minute(20, 20))?,
        connections: count("connections")?.and_then(whole),
        open_streams: count("open_streams")?
            .and_then(whole)
            .unwrap_or(OPEN_STREAMS),
    })
}

impl RateLimit {
    const fn a_minute(count: u32, burst: u32) -> Self {
        Self {
            interval: Duration::from_nanos(60_000_000_000 / count as u64),
            burst,
        }
    }

    const fn an_hour(count: u32) -> Self {
        Self {
            interval: Duration::from_nanos(3_600_000_000_000 / count as u64),
            burst: count,
        }
    }
}

impl FromStr for RateLimit {
    type Err = ();

    /// Reads `60/min burst 20`; without a burst, all of a time's requests may come at once.
    fn from_str(text: &str) -> Result<Self, ()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (rate, burst) = match words.as_slice() {
            [rate] => (rate, None),
            [rate, "burst", burst] => (rate, Some(burst)),
            _ => return Err(()),
        };
        let (count, unit) = rate.split_once('/').ok_or(())?;
        let time = match unit {
            "s" => Duration::from_secs(1),
            "min" => Duration::from_secs(60),
            "h" => Duration::from_secs(3600),
            _ => return Err(()),
        };
        let whole = |text: &str| {
            text.parse::<u32>()
                .ok()
                .filter(|number| (1..=1_000_000).contains(number))
                .ok_or(())
        };
        let count = whole(count)?;
        Ok(Self {
            interval: time / count,
            burst: burst.map_or(Ok(count), |burst| whole(burst))?,
        })
    }
}

/// Prints where a key comes from, never the key.
impl fmt::Debug for KeySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(_) => formatter.write_str(SECRET),
            Self::SecretFile(path) | Self::PublicKeyFile(path) | Self::JwksFile(path) => {
                path.fmt(formatter)
            }
        }
    }
}

/// Prints where tokens come from, never a token.
impl fmt::Debug for SecretSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => formatter.write_str("the environment"),
            Self::File(path) => path.fmt(formatter),
        }
    }
}
