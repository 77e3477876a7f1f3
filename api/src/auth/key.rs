//! The keys by which signatures are checked, read once at the start.

use std::path::{Path, PathBuf};

use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use pipeline::config::{JwtAlgorithm, JwtConfig, KeySource};

/// The shortest secret, in bytes: as long as the hash that it keys (RFC 7518 section 3.2).
const SHORTEST_SECRET: usize = 32;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read {path}, which [api] names: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// The secret can be guessed.
    #[error(
        "the secret in {place} has {length} bytes, and {SHORTEST_SECRET} are the least; make one with \
         `openssl rand -hex 32`"
    )]
    Short {
        /// Where it comes from.
        place: String,
        /// Its length.
        length: usize,
    },
    /// The file holds no key of the algorithm.
    #[error("{path} holds no public key for {algorithm:?}: {reason}", path = path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The algorithm.
        algorithm: Algorithm,
        /// What is wrong.
        reason: String,
    },
}

/// The keys.
pub(super) enum VerificationKeys {
    /// One key for every token.
    One(DecodingKey),
    /// Keys that tokens name.
    Set(Vec<(Option<String>, DecodingKey)>),
}

impl VerificationKeys {
    pub(super) fn read(config: &JwtConfig) -> Result<Self, KeyError> {
        let algorithm = algorithm(config.algorithm);
        let unusable = |path: &Path, reason: String| KeyError::Unusable {
            path: path.to_path_buf(),
            algorithm,
            reason,
        };
        match &config.key {
            KeySource::Secret(_) | KeySource::SecretFile(_) => {
                Ok(Self::One(DecodingKey::from_secret(&secret(&config.key)?)))
            }
            KeySource::PublicKeyFile(path) => {
                let pem = read(path)?;
                let key = match config.algorithm {
                    JwtAlgorithm::Rs256 => DecodingKey::from_rsa_pem(&pem),
                    JwtAlgorithm::Es256 => DecodingKey::from_ec_pem(&pem),
                    JwtAlgorithm::EdDsa | JwtAlgorithm::Hs256 => DecodingKey::from_ed_pem(&pem),
                };
                key.map(Self::One)
                    .map_err(|error| unusable(path, error.to_string()))
            }
            KeySource::JwksFile(path) => {
                let set: JwkSet = serde_json::from_slice(&read(path)?)
                    .map_err(|error| unusable(path, format!("it is no key set ({error})")))?;
                let keys: Vec<_> = set
                    .keys
                    .iter()
                    .filter_map(|jwk| usable(jwk, algorithm))
                    .collect();
                if keys.is_empty() {
                    return Err(unusable(
                        path,
                        "none of its keys is of that kind".to_owned(),
                    ));
                }
                Ok(Self::Set(keys))
            }
        }
    }

    /// The key of a token that names one, or does not.
    pub(super) fn find(&self, kid: Option<&str>) -> Option<&DecodingKey> {
        match (self, kid) {
            (Self::One(key), _) => Some(key),
            (Self::Set(keys), Some(kid)) => keys
                .iter()
                .find(|(name, _)| name.as_deref() == Some(kid))
                .map(|(_, key)| key),
            (Self::Set(keys), None) => match keys.as_slice() {
                [(_, key)] => Some(key),
                _ => None,
            },
        }
    }
}

/// A shared secret.
pub(super) fn secret(source: &KeySource) -> Result<Vec<u8>, KeyError> {
    let (place, secret) = match source {
        KeySource::Secret(text) => (
            "the environment".to_owned(),
            text.trim().as_bytes().to_vec(),
        ),
        KeySource::SecretFile(path)
        | KeySource::PublicKeyFile(path)
        | KeySource::JwksFile(path) => (
            path.display().to_string(),
            read(path)?.trim_ascii().to_vec(),
        ),
    };
    long_enough(&secret, &place)?;
    Ok(secret)
}

/// Refuses what can be guessed.
pub(super) fn long_enough(secret: &[u8], place: &str) -> Result<(), KeyError> {
    if secret.len() < SHORTEST_SECRET {
        return Err(KeyError::Short {
            place: place.to_owned(),
            length: secret.len(),
        });
    }
    Ok(())
}

pub(super) fn algorithm(configured: JwtAlgorithm) -> Algorithm {
    match configured {
        JwtAlgorithm::Hs256 => Algorithm::HS256,
        JwtAlgorithm::Rs256 => Algorithm::RS256,
        JwtAlgorithm::Es256 => Algorithm::ES256,
        JwtAlgorithm::EdDsa => Algorithm::EdDSA,
    }
}

/// A public key of a set, if it signs by the algorithm.
fn usable(jwk: &Jwk, algorithm: Algorithm) -> Option<(Option<String>, DecodingKey)> {
    let signs = matches!(
        jwk.common.public_key_use,
        None | Some(PublicKeyUse::Signature)
    );
    let named = jwk
        .common
        .key_algorithm
        .as_ref()
        .is_none_or(|named| named.to_string() == format!("{algorithm:?}"));
    let key = DecodingKey::from_jwk(jwk)
        .ok()
        .filter(|key| key.family() == algorithm.family());
    key.filter(|_| signs && named)
        .map(|key| (jwk.common.key_id.clone(), key))
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, KeyError> {
    std::fs::read(path).map_err(|source| KeyError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}
