//! The names of endpoints and of messages.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names an endpoint of a site: a UUID of version 7 (RFC 9562), so that later ones sort after earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WebhookId(Uuid);

/// Names a message, whoever gets it and however often: `msg_` and a UUID of version 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(Uuid);

const MESSAGE: &str = "msg_";

impl WebhookId {
    /// A new id; two are never the same.
    #[expect(clippy::new_without_default, reason = "no id is the usual one")]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Reads an id; `None` for what is not written as we write it.
    pub fn parse(text: &str) -> Option<Self> {
        plain(text).map(Self)
    }
}

impl MessageId {
    /// A new id; two are never the same.
    #[expect(clippy::new_without_default, reason = "no id is the usual one")]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Reads an id; `None` for what is not written as we write it.
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix(MESSAGE).and_then(plain).map(Self)
    }
}

fn plain(text: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(text).ok()?;
    (id.hyphenated().to_string() == text).then_some(id)
}

impl fmt::Display for WebhookId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(formatter)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{MESSAGE}{}", self.0.hyphenated())
    }
}

impl TryFrom<String> for MessageId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no name of a message"))
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_spelling() {
        let message = MessageId::new();
        let webhook = WebhookId::new();
        assert_eq!(MessageId::parse(&message.to_string()), Some(message));
        assert_eq!(WebhookId::parse(&webhook.to_string()), Some(webhook));
        for text in [
            String::new(),
            webhook.to_string(),
            message.to_string().to_uppercase(),
            format!("{message} "),
        ] {
            assert_eq!(MessageId::parse(&text), None, "{text}");
        }
        assert_eq!(
            WebhookId::parse(&webhook.to_string().replace('-', "")),
            None
        );
    }
}
