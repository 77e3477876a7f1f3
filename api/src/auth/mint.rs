//! Makes a token where the server itself has the secret to sign one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use pipeline::config::{JwtAlgorithm, JwtConfig};
use serde_json::json;

use super::Verifier;
use super::key::{self, KeyError};

/// What a token grants.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Who is to use it.
    pub subject: String,
    /// Scopes, separated by spaces.
    pub scope: String,
    /// Ids of sites, or `*` for all.
    pub sites: Vec<String>,
    /// How long it is valid.
    pub ttl: Duration,
}

/// Why no token was made.
#[derive(Debug, thiserror::Error)]
pub enum MintError {
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Only the issuer has the key that signs.
    #[error(
        "tokens are signed with {0:?} here and only the issuer has the private key; let the issuer mint the token"
    )]
    PublicKey(Algorithm),
    /// The library failed.
    #[error("the token cannot be signed: {0}")]
    Signing(#[from] jsonwebtoken::errors::Error),
}

impl Verifier {
    /// Signs a token with the configured secret.
    ///
    /// # Errors
    /// A [`MintError`], above all where only a public key is configured.
    pub fn mint(config: &JwtConfig, grant: &Grant, now: SystemTime) -> Result<String, MintError> {
        if config.algorithm != JwtAlgorithm::Hs256 {
            return Err(MintError::PublicKey(key::algorithm(config.algorithm)));
        }
        let key = EncodingKey::from_secret(&key::secret(&config.key)?);
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut claims = json!({
            "sub": grant.subject,
            "scope": grant.scope,
            "sites": grant.sites,
            "iat": now.as_secs(),
            "exp": now.saturating_add(grant.ttl).as_secs(),
        });
        for (name, value) in [("iss", &config.issuer), ("aud", &config.audience)] {
            if let Some(value) = value {
                claims[name] = json!(value);
            }
        }
        Ok(encode(&Header::new(Algorithm::HS256), &claims, &key)?)
    }
}
