//! Tokens that are no JWT: kept as hashes, compared in a time that says nothing about them.

use pipeline::config::{ApiConfig, SecretSource};

use super::key::{self, KeyError};

/// The tokens that previews know, beside bearer tokens.
#[derive(Debug, Default)]
pub struct PreviewKeys {
    /// Those that order previews.
    pub(crate) order: Secrets,
    /// One that watches every preview.
    pub(crate) status: Secrets,
}

/// Hashes of tokens.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Vec<blake3::Hash>);

impl PreviewKeys {
    /// Reads the configured tokens.
    ///
    /// # Errors
    /// A [`KeyError`] that says which file is wrong and what to do.
    pub fn read(config: &ApiConfig) -> Result<Self, KeyError> {
        Ok(Self {
            order: Secrets::read(config.preview_tokens.as_ref())?,
            status: Secrets::read(config.preview_status_token.as_ref())?,
        })
    }
}

impl Secrets {
    /// One token a line.
    fn read(source: Option<&SecretSource>) -> Result<Self, KeyError> {
        let (place, text) = match source {
            None => return Ok(Self::default()),
            Some(SecretSource::Text(text)) => {
                ("the environment".to_owned(), text.clone().into_bytes())
            }
            Some(SecretSource::File(path)) => (path.display().to_string(), key::read(path)?),
        };
        let tokens = text
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .filter(|token| !token.is_empty());
        let hash = |token: &[u8]| key::long_enough(token, &place).map(|()| blake3::hash(token));
        tokens.map(hash).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a token is one of these; every one is compared, and comparing two hashes always takes the same time.
    pub(crate) fn have(&self, given: &blake3::Hash) -> bool {
        self.0
            .iter()
            .fold(false, |found, known| found | (known == given))
    }
}
