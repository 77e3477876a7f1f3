//! Secrets and signatures, as Standard Webhooks 1.0 has them: `v1,` and the HMAC-SHA256 of name, time and body.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

/// Prefix of the textual form, as Standard Webhooks has it.
const PREFIX: &str = "whsec_";

/// Key of 32 bytes that signs the webhook messages to one endpoint. `Debug` hides it; serialization writes it in full, as `whsec_` and
/// Base64. Parsing refuses other prefixes and lengths.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// Makes a secret from random bytes of the system.
    #[expect(clippy::new_without_default, reason = "no secret is the usual one")]
    pub fn new() -> Self {
        // Three times 122 random bits.
        let mut hasher = blake3::Hasher::new();
        for _ in 0..3 {
            hasher.update(Uuid::new_v4().as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The secret, for the one answer that gives it out.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The signature of a body that is sent under a name at a time, in seconds since 1970.
    pub fn sign(&self, name: &str, time: u64, body: &str) -> String {
        // A key of any length is one.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return String::new();
        };
        mac.update(format!("{name}.{time}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl TryFrom<String> for WebhookSecret {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bytes = text
            .strip_prefix(PREFIX)
            .and_then(|text| STANDARD.decode(text).ok());
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            .ok_or("a secret of webhooks is damaged")
    }
}

impl From<WebhookSecret> for String {
    fn from(secret: WebhookSecret) -> Self {
        secret.reveal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What OpenSSL makes of the same: `printf 'msg_1.1700000000.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:07…`.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let secret = WebhookSecret([7; 32]);
        let expected = "v1,nuLLyheCKcS2N8JNOFt5stk98R+umYWr26/ZTfdtGM8=";
        assert_eq!(secret.sign("msg_1", 1_700_000_000, "{}"), expected);
        assert_eq!(WebhookSecret::try_from(secret.reveal()), Ok(secret));
    }

    #[test]
    fn secrets_are_random_and_are_not_shown() {
        assert_ne!(WebhookSecret::new(), WebhookSecret::new());
        assert_eq!(format!("{:?}", WebhookSecret::new()), "Secret");
        assert!(WebhookSecret::try_from("whsec_AAAA".to_owned()).is_err());
    }
}
