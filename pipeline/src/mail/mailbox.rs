//! Addresses of mail, with a name or without.

use std::fmt;
use std::str::FromStr;

/// An address of mail, such as `Latimer <latimer@example.com>` (RFC 5322 section 3.4). It holds no line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox(pub(super) lettre::message::Mailbox);

/// A text is no address of mail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no address of mail, such as ana@example.com: {0}")]
pub struct MailboxError(String);

impl FromStr for Mailbox {
    type Err = MailboxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains(char::is_control) {
            return Err(MailboxError("it has a control character".to_owned()));
        }
        text.parse()
            .map(Self)
            .map_err(|error: lettre::address::AddressError| MailboxError(error.to_string()))
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_what_would_write_a_header() {
        for text in [
            "ana@example.com",
            "Latimer <latimer@example.com>",
            "ana.b+digest@mail.example.co",
        ] {
            assert_eq!(
                text.parse::<Mailbox>()
                    .map(|mailbox| mailbox.to_string())
                    .as_deref(),
                Ok(text)
            );
        }
        for text in [
            "",
            "ana",
            "@example.com",
            "ana@example.com\r\nBcc: x@example.net",
            "a@b@example.com",
            "A\n <a@b.cc>",
        ] {
            assert!(text.parse::<Mailbox>().is_err(), "{text:?}");
        }
    }
}
