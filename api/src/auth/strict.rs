//! The parts of a token: objects in which no name stands twice.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value};

use crate::http::unique::Unique;

/// The members of such an object.
#[derive(Debug)]
pub(super) struct Strict(Map<String, Value>);

impl Strict {
    /// Reads a part of a token.
    pub(super) fn from_part(part: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Unique::deserialize(deserializer)?.0 {
            Value::Object(members) => Ok(Self(members)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Err(D::Error::custom("it is no object")),
        }
    }
}
