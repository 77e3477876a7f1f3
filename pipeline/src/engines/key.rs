//! The keys of engines: where they come from, and a type that never prints one.

use std::fmt;
use std::path::PathBuf;

use super::EngineError;

/// A text that stands in no output: not in an error, a log, a fingerprint or what `{:?}` prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Where an engine's key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiKey {
    /// The environment.
    Text(Secret),
    /// A file that holds nothing else; it is read when the engine is started.
    File(PathBuf),
    /// Nowhere; this environment variable would give one.
    Unset(String),
}

impl Secret {
    /// Takes a key; white space around it is no part of it.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key itself, for the request that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with every copy of the key taken out.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            text.to_owned()
        } else {
            text.replace(&self.0, "…")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl ApiKey {
    /// The key, if there is one.
    ///
    /// # Errors
    /// [`EngineError::Absent`] for a file that cannot be read or holds no key.
    pub(super) fn read(&self) -> Result<Option<Secret>, EngineError> {
        let (place, secret) = match self {
            Self::Unset(_) => return Ok(None),
            Self::Text(secret) => ("the environment".to_owned(), secret.clone()),
            Self::File(path) => {
                let place = path.display().to_string();
                let text = std::fs::read_to_string(path).map_err(|error| {
                    EngineError::Absent(format!("cannot read its key from {place}: {error}"))
                })?;
                (place, Secret::new(&text))
            }
        };
        if !secret.0.is_empty() && secret.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Some(secret));
        }
        Err(EngineError::Absent(format!(
            "{place} holds no key: one word of letters, digits and signs is wanted"
        )))
    }

    /// The key of an engine that does nothing without one.
    ///
    /// # Errors
    /// [`EngineError::Absent`] that says where to put a key.
    pub(super) fn require(&self) -> Result<Secret, EngineError> {
        self.read()?.ok_or_else(|| {
            let advice = match self {
                Self::Unset(variable) => format!("set {variable}, or key_file in its table"),
                Self::Text(_) | Self::File(_) => "give it one".to_owned(),
            };
            EngineError::Absent(format!("it has no key; {advice}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed_and_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, " hush-hush\r\n").unwrap();
        for key in [
            ApiKey::Text(Secret::new("hush-hush\n")),
            ApiKey::File(file.clone()),
        ] {
            let secret = key.require().unwrap();
            assert_eq!(
                (secret.reveal(), secret.redact("no hush-hush, please")),
                ("hush-hush", "no …, please".into())
            );
            assert!(!format!("{key:?} {secret:?}").contains("hush-hush"));
        }
        for (text, reason) in [
            ("", "holds no key"),
            (" \n", "holds no key"),
            ("hush hush", "holds no key"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = ApiKey::File(file.clone())
                .require()
                .unwrap_err()
                .to_string();
            assert!(error.contains(reason) && !error.contains("hush"), "{error}");
        }
        let missing = ApiKey::File(folder.path().join("none"))
            .require()
            .unwrap_err()
            .to_string();
        assert!(missing.contains("cannot read its key from"), "{missing}");
        let unset = ApiKey::Unset("LATIMER_ENGINE_D_KEY".into());
        assert_eq!(unset.read(), Ok(None));
        assert!(
            unset
                .require()
                .unwrap_err()
                .to_string()
                .contains("set LATIMER_ENGINE_D_KEY, or key_file")
        );
    }
}
