//! One try to bring a message to an endpoint.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{MessageId, WebhookSecret};
use crate::model::{Moment, has_user};
use crate::net::{FetchError, Lookup, PostOptions, Poster};

/// How long connecting may take, and a try as a whole.
const CONNECT: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read, and those that are kept.
const READ: usize = 4 << 10;
const KEPT: usize = 1 << 10;

/// A message for an endpoint.
#[derive(Clone, Debug)]
pub struct WebhookMessage {
    /// Where it goes.
    pub url: String,
    /// Its name, the same in every try.
    pub id: MessageId,
    /// What is said.
    pub body: String,
    /// What it is signed with; two while a secret is replaced.
    pub secrets: Vec<WebhookSecret>,
}

/// What became of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The status, or why there is none.
    pub outcome: Result<u16, AttemptError>,
    /// How long it took.
    pub took: Duration,
    /// How long the answer asks us to wait.
    pub retry_after: Option<Duration>,
    /// The beginning of what was answered.
    pub answer: Option<String>,
}

/// Why a try got no answer. What exactly is in the way stays here: the log of deliveries is no way to look into a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptError {
    /// The address is none that may be connected to.
    BlockedHost,
    /// The host's name is unknown, or the name server was silent.
    DnsFailed,
    /// Nobody accepted the connection, or TLS could not be agreed on.
    ConnectFailed,
    /// It took too long.
    Timeout,
    /// The answer was cut off, or none of HTTP.
    BrokenResponse,
}

impl DeliveryAttempt {
    /// Whether the message arrived.
    pub fn succeeded(&self) -> bool {
        matches!(self.outcome, Ok(200..=299))
    }
}

/// What sends messages.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Without an HTTP client nothing is sent, and each try says so.
    poster: Result<Poster, FetchError>,
    allow_private: bool,
}

impl Sender {
    /// A sender that connects to private networks only where that is allowed.
    pub fn new(allow_private: bool, lookup: Lookup) -> Self {
        let options = PostOptions {
            allow_private,
            lookup,
            connect_timeout: CONNECT,
            timeout: WHOLE,
            most: READ,
        };
        Self {
            poster: Poster::new(options),
            allow_private,
        }
    }

    /// Whether messages can go to an address, as far as can be told without looking up its name.
    ///
    /// # Errors
    /// The reason, for people.
    pub fn accept(&self, url: &Url) -> Result<(), &'static str> {
        match url.scheme() {
            "https" => {}
            "http" if self.allow_private => {}
            _ => return Err("must begin with https://"),
        }
        if has_user(url.as_str()) {
            return Err("holds a name or password; messages are signed instead");
        }
        let is_blocked = self
            .poster
            .as_ref()
            .is_ok_and(|poster| poster.check(url).is_err());
        if is_blocked {
            Err("is no public address; `[webhooks] allow_private` allows others")
        } else {
            Ok(())
        }
    }

    /// Tries once. A redirect is not followed.
    pub async fn attempt(&self, message: &WebhookMessage, now: Moment) -> DeliveryAttempt {
        // Standard Webhooks counts seconds.
        let name = message.id.to_string();
        let time = now.seconds();
        let signatures: Vec<_> = message
            .secrets
            .iter()
            .map(|secret| secret.sign(&name, time, &message.body))
            .collect();
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("webhook-id", name),
            ("webhook-timestamp", time.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ];
        let (posted, took) = match (&self.poster, Url::parse(&message.url)) {
            (Ok(poster), Ok(url)) => poster.post(&url, &headers, message.body.clone()).await,
            (Err(error), _) => (Err(error.clone()), Duration::ZERO),
            (_, Err(error)) => (Err(FetchError::Blocked(error.to_string())), Duration::ZERO),
        };
        match posted {
            Ok(posted) => {
                let answer = readable(&posted.body);
                DeliveryAttempt {
                    outcome: Ok(posted.status),
                    took,
                    retry_after: posted.retry_after,
                    answer,
                }
            }
            Err(error) => DeliveryAttempt {
                outcome: Err(error.into()),
                took,
                retry_after: None,
                answer: None,
            },
        }
    }
}

/// What is kept of an answer; nothing of one that is no text.
fn readable(body: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        // It was cut inside of a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(body.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let end = text.floor_char_boundary(KEPT);
    let plain = |c: char| {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            '\u{FFFD}'
        } else {
            c
        }
    };
    (!text.is_empty()).then(|| text[..end].chars().map(plain).collect())
}

impl From<FetchError> for AttemptError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Blocked(_) => Self::BlockedHost,
            FetchError::DnsFailed(_) | FetchError::DnsTimeout(_) => Self::DnsFailed,
            FetchError::Timeout { .. } => Self::Timeout,
            FetchError::Connect(_) | FetchError::Client(_) => Self::ConnectFailed,
            FetchError::TooLarge(_)
            | FetchError::Status { .. }
            | FetchError::KeepsWaiting { .. }
            | FetchError::Broken(_)
            | FetchError::WrongSize { .. }
            | FetchError::Unwritable(_)
            | FetchError::BadRedirect(_)
            | FetchError::TooManyRedirects(_)
            | FetchError::BadHeader(_) => Self::BrokenResponse,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::net::TcpListener;

    use super::*;

    fn message(url: String) -> WebhookMessage {
        WebhookMessage {
            url,
            id: MessageId::new(),
            body: "{}".to_owned(),
            secrets: vec![WebhookSecret::new()],
        }
    }

    /// Where no message may go: as an address, in every spelling of one, and as a name that leads there.
    const PRIVATE: [&str; 22] = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fe80::1]",
    ];

    #[tokio::test]
    async fn no_message_goes_into_a_private_network() {
        let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = canary.local_addr().unwrap().port();
        for host in PRIVATE {
            let url = format!("https://{host}:{port}/hook");
            let sender = Sender::new(false, Lookup::System);
            let attempt = sender
                .attempt(&message(url.clone()), Moment::default())
                .await;
            assert_eq!(
                (attempt.outcome, attempt.answer),
                (Err(AttemptError::BlockedHost), None),
                "{url}"
            );
            assert!(sender.accept(&Url::parse(&url).unwrap()).is_err(), "{url}");
            let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else {
                continue;
            };
            let lookup = Lookup::By(Arc::new(move |_| {
                Box::pin(std::future::ready(Ok(vec![address])))
            }));
            let named = message(format!("https://hooks.example:{port}/"));
            let attempt = Sender::new(false, lookup)
                .attempt(&named, Moment::default())
                .await;
            assert_eq!(
                attempt.outcome,
                Err(AttemptError::BlockedHost),
                "a name that leads to {host}"
            );
        }
        let visited = tokio::time::timeout(Duration::from_millis(50), canary.accept()).await;
        assert!(visited.is_err(), "somebody connected");
    }

    /// A name is looked up for each try, so one that moves into a private network is found out.
    #[tokio::test]
    async fn a_name_is_looked_up_at_each_try() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let lookup = Lookup::By(Arc::new(move |_| {
            let answer = match counter.fetch_add(1, Ordering::SeqCst) {
                0 => Err(io::Error::other("no answer")),
                _ => Ok(vec![[127, 0, 0, 1].into()]),
            };
            Box::pin(std::future::ready(answer))
        }));
        let (sender, message) = (
            Sender::new(false, lookup),
            message("https://hooks.example/".to_owned()),
        );
        for expected in [
            AttemptError::DnsFailed,
            AttemptError::BlockedHost,
            AttemptError::BlockedHost,
        ] {
            assert_eq!(
                sender.attempt(&message, Moment::default()).await.outcome,
                Err(expected)
            );
        }
        assert_eq!(asked.load(Ordering::SeqCst), 3);
    }
}
