//! Who calls: a bearer token is checked once, here, and becomes a [`Caller`] or a refusal.
//!
//! One key or key set and one algorithm are configured; a token chooses neither. What the library that checks
//! signatures leaves open is closed here: `crit`, keys that a token brings along, names that stand twice, issuer and
//! audience that are configured but absent, length. No message and no log line holds a token or a part of it.

mod key;
mod mint;
mod secret;
mod session;
mod sign_in;
mod strict;

pub use key::KeyError;
pub use mint::{Grant, MintError};
pub use secret::PreviewKeys;
pub(crate) use session::Sessions;
pub use sign_in::{SignInError, passing_key, write_code};
pub(crate) use sign_in::{codes_of, take_code};

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Validation, decode};
use pipeline::config::{JwtConfig, KeySource};
use pipeline::model::SiteId;
use serde_json::Value;

use crate::http::error::ApiError;
use key::VerificationKeys;
use strict::Strict;

/// Longer tokens are not looked at.
const LONGEST: usize = 8 << 10;
/// Clocks of issuer and server may differ by this many seconds.
const LEEWAY: u64 = 60;
const LONGEST_SUBJECT: usize = 255;
/// Header names by which a token would choose its own key or change how it is to be read.
const REFUSED: [&str; 8] = ["crit", "jku", "jwk", "x5u", "x5c", "b64", "zip", "enc"];
/// Kinds of token that are accepted, where a token says its kind (RFC 9068 has the last two).
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];

/// Checks tokens; [`Self::mint`] makes one where the key allows it.
pub struct Verifier {
    keys: VerificationKeys,
    validation: Validation,
    config: JwtConfig,
    /// The hash of the key and of what tokens must say, so that one knows whether another would take the same tokens.
    mark: [u8; 32],
}

/// Whoever sent a valid token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The token's subject.
    pub(crate) subject: String,
    scopes: BTreeSet<String>,
    sites: GrantedSites,
    /// The address that the token's issuer has verified (OpenID Connect Core 1.0 section 5.1).
    verified_email: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum GrantedSites {
    All,
    These(BTreeSet<String>),
}

/// The hash of everything by which tokens are checked.
fn mark(config: &JwtConfig) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(
        format!(
            "{:?} {:?} {:?}",
            config.algorithm, config.issuer, config.audience
        )
        .as_bytes(),
    );
    match &config.key {
        KeySource::Secret(secret) => hasher.update(secret.as_bytes()),
        KeySource::SecretFile(file)
        | KeySource::PublicKeyFile(file)
        | KeySource::JwksFile(file) => {
            // What cannot be read now was read a moment ago; it counts as another key.
            hasher.update(&std::fs::read(file).unwrap_or_default())
        }
    };
    hasher.finalize().into()
}

impl Verifier {
    /// Reads the configured key.
    ///
    /// # Errors
    /// A [`KeyError`] that says which file is wrong and what to do.
    pub fn new(config: &JwtConfig) -> Result<Self, KeyError> {
        let keys = VerificationKeys::read(config)?;
        let mut validation = Validation::new(key::algorithm(config.algorithm));
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        let mut required = vec!["exp", "sub"];
        if let Some(issuer) = &config.issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        match &config.audience {
            Some(audience) => {
                validation.set_audience(&[audience]);
                required.push("aud");
            }
            // A token that is meant for somebody is not meant for a server without a name.
            None => validation.aud = None,
        }
        validation.set_required_spec_claims(&required);
        Ok(Self {
            keys,
            validation,
            config: config.clone(),
            mark: mark(config),
        })
    }

    /// Whether another one takes the same tokens.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.mark == other.mark
    }

    /// Finds out who calls.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, ApiError> {
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        let value = sent.next().ok_or(ApiError::MissingToken)?;
        if sent.next().is_some() {
            return Err(ApiError::InvalidToken);
        }
        let value = value.to_str().map_err(|_| ApiError::InvalidToken)?;
        match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => self.check(token),
            _ => Err(ApiError::InvalidToken),
        }
    }

    fn check(&self, token: &str) -> Result<Caller, ApiError> {
        self.sign_in(token).map(|(caller, _)| caller)
    }

    /// Finds out who has a token, and when it ends.
    pub(crate) fn sign_in(&self, token: &str) -> Result<(Caller, Option<SystemTime>), ApiError> {
        if token.len() > LONGEST {
            return Err(ApiError::InvalidToken);
        }
        let header = checked_header(token).ok_or(ApiError::InvalidToken)?;
        let key = self
            .keys
            .find(header.key.as_deref())
            .ok_or(ApiError::InvalidToken)?;
        let token =
            decode::<Strict>(token, key, &self.validation).map_err(|error| match error.kind() {
                ErrorKind::ExpiredSignature => ApiError::ExpiredToken,
                _ => ApiError::InvalidToken,
            })?;
        // Seconds since 1970 (RFC 7519). Some issuers write a fraction.
        let end = token
            .claims
            .get("exp")
            .and_then(|end| end.as_u64().or(end.as_f64().map(|end| end as u64)));
        let (caller, end) = Caller::of(&token.claims)
            .zip(end)
            .ok_or(ApiError::InvalidToken)?;
        Ok((caller, UNIX_EPOCH.checked_add(Duration::from_secs(end))))
    }
}

/// Checked header of a token.
struct TokenHeader {
    /// The name of its key (`kid`).
    key: Option<String>,
}

/// Reads a token's header; `None` if a field of it is refused.
fn checked_header(token: &str) -> Option<TokenHeader> {
    let header = Strict::from_part(token.split('.').next()?)?;
    if token.split('.').count() != 3 || REFUSED.iter().any(|name| header.get(name).is_some()) {
        return None;
    }
    match header.get("typ") {
        None => {}
        Some(Value::String(kind)) if TYPES.contains(&kind.to_ascii_lowercase().as_str()) => {}
        Some(_) => return None,
    }
    match header.get("kid") {
        None => Some(TokenHeader { key: None }),
        Some(Value::String(kid)) => Some(TokenHeader {
            key: Some(kid.clone()),
        }),
        Some(_) => None,
    }
}

impl Caller {
    /// Reads claims whose signature and times are checked.
    fn of(claims: &Strict) -> Option<Self> {
        let subject = claims.get("sub")?.as_str()?.to_owned();
        if subject.is_empty()
            || subject.len() > LONGEST_SUBJECT
            || subject.chars().any(char::is_control)
        {
            return None;
        }
        // An issuer is one; the library would also take a list that has it somewhere.
        if claims.get("iss").is_some_and(|issuer| !issuer.is_string()) {
            return None;
        }
        let scopes = match claims.get("scope") {
            None => BTreeSet::new(),
            Some(scope) => scope
                .as_str()?
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect(),
        };
        let sites: BTreeSet<String> = match claims.get("sites") {
            None => BTreeSet::new(),
            Some(sites) => sites
                .as_array()?
                .iter()
                .map(|site| site.as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
        };
        let sites = if sites.contains("*") {
            GrantedSites::All
        } else {
            GrantedSites::These(sites)
        };
        let is_verified = claims.get("email_verified").and_then(Value::as_bool) == Some(true);
        let email = claims
            .get("email")
            .and_then(Value::as_str)
            .filter(|_| is_verified);
        Some(Self {
            subject,
            scopes,
            sites,
            verified_email: email.map(str::to_owned),
        })
    }

    /// Whoever was granted something without a token.
    pub(crate) fn granted(grant: &Grant) -> Self {
        let scopes = grant
            .scope
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect();
        let sites: BTreeSet<String> = grant.sites.iter().cloned().collect();
        let sites = if sites.contains("*") {
            GrantedSites::All
        } else {
            GrantedSites::These(sites)
        };
        Self {
            subject: grant.subject.clone(),
            scopes,
            sites,
            verified_email: None,
        }
    }

    /// Whether this caller may know of a site at all.
    pub(crate) fn sees(&self, site: &SiteId) -> bool {
        match &self.sites {
            GrantedSites::All => true,
            GrantedSites::These(sites) => sites.contains(site.as_str()),
        }
    }

    /// Whether this caller may know of every site.
    pub(crate) fn sees_everything(&self) -> bool {
        self.sites == GrantedSites::All
    }

    /// Whether this caller may know of all that another may, whose [`Self::sites`] these are.
    pub(crate) fn sees_all(&self, sites: &[String]) -> bool {
        match &self.sites {
            GrantedSites::All => true,
            GrantedSites::These(own) => sites.iter().all(|site| own.contains(site)),
        }
    }

    /// The sites that this caller may know of; `*` stands for all.
    pub(crate) fn sites(&self) -> Vec<String> {
        match &self.sites {
            GrantedSites::All => vec!["*".to_owned()],
            GrantedSites::These(sites) => sites.iter().cloned().collect(),
        }
    }

    /// Whether the token's issuer has verified that this caller has an address.
    pub(crate) fn has_address(&self, email: &str) -> bool {
        self.verified_email.as_deref() == Some(email)
    }

    /// The token's scopes, sorted.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(String::as_str)
    }

    /// Whether the token has a scope.
    pub(crate) fn has(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}

/// Prints what is configured, never a key.
impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Verifier")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
