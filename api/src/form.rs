//! The body of a request: JSON, read field by field; every field that is wrong is named, not only the first.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::error::{ApiError, FieldError};

/// Longest piece of a client's own text that an answer repeats.
const LONGEST_NAME: usize = 64;
/// The largest whole number that every reader of JSON holds exactly.
const LARGEST: u64 = 1 << 53;

/// An object whose members are taken one by one; what nobody takes is unknown.
#[derive(Debug)]
pub(crate) struct Form {
    members: Map<String, Value>,
    prefix: &'static str,
    errors: Vec<FieldError>,
}

impl Form {
    /// Reads a body.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(members)) => Ok(Self { members, prefix: "", errors: Vec::new() }),
            Ok(_) => Err(one("", "wrong_type", "the body is not a JSON object")),
            Err(_) => Err(one("", "malformed_json", "the body is not JSON")),
        }
    }

    /// Takes the object under a name; its own mistakes are handed back with [`Self::join`].
    pub(crate) fn object(&mut self, name: &'static str, prefix: &'static str) -> Option<Self> {
        match self.members.remove(name)? {
            Value::Object(members) => Some(Self { members, prefix, errors: Vec::new() }),
            _ => self.wrong(name, "wrong_type", "must be an object"),
        }
    }

    /// Takes over what is wrong with a part.
    pub(crate) fn join(&mut self, part: Self) {
        if let Err(errors) = part.finish() {
            self.errors.extend(errors);
        }
    }

    /// Takes a text of a length in characters.
    pub(crate) fn text(&mut self, name: &str, longest: usize) -> Option<String> {
        match self.members.remove(name)? {
            Value::String(text) if !text.is_empty() && text.chars().count() <= longest => Some(text),
            Value::String(_) => self.wrong(name, "wrong_length", &format!("must have 1 to {longest} characters")),
            _ => self.wrong(name, "wrong_type", "must be a text"),
        }
    }

    /// Takes one of a closed set of words.
    pub(crate) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let value = self.members.remove(name)?;
        let found = words.iter().find(|(word, _)| value.as_str() == Some(word)).map(|(_, value)| *value);
        let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        found.or_else(|| self.wrong(name, "unknown_value", &format!("must be one of {}", names.join(", "))))
    }

    /// Takes a whole number from 0.
    pub(crate) fn count(&mut self, name: &str) -> Option<u64> {
        let value = self.members.remove(name)?;
        let found = value.as_u64().filter(|number| *number <= LARGEST);
        found.or_else(|| self.wrong(name, "wrong_type", "must be a whole number from 0"))
    }

    /// Takes a time, in milliseconds since 1970.
    pub(crate) fn time(&mut self, name: &str) -> Option<u64> {
        let value = self.members.remove(name)?;
        let time = value.as_str().and_then(|text| humantime::parse_rfc3339(text).ok()).and_then(millis);
        time.or_else(|| self.wrong(name, "invalid_time", "must be a time such as 2026-11-21T07:00:00Z"))
    }

    /// Notes that a member is missing, if nothing else is wrong with it.
    pub(crate) fn require(&mut self, name: &str, is_there: bool) {
        let path = format!("{}{name}", self.prefix);
        if !is_there && self.errors.iter().all(|error| error.path != path) {
            self.wrong::<()>(name, "required", "must be there");
        }
    }

    /// Notes a mistake.
    pub(crate) fn wrong<T>(&mut self, name: &str, code: &'static str, message: &str) -> Option<T> {
        let path = format!("{}{name}", self.prefix);
        self.errors.push(FieldError { message: format!("`{path}` {message}"), path, code });
        None
    }

    /// Says what is wrong, with what nobody took.
    pub(crate) fn finish(mut self) -> Result<(), Vec<FieldError>> {
        let left: Vec<String> = self.members.keys().cloned().collect();
        for name in left {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            self.wrong::<()>(&name, "unknown_field", "is not known here");
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }
}

/// A refusal for one field.
pub(crate) fn one(path: &str, code: &'static str, message: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError { path: path.to_owned(), code, message: message.to_owned() }])
}

/// Refuses every parameter of a query; no operation takes one.
pub(crate) fn no_query(query: Option<&str>) -> Result<(), ApiError> {
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(()) };
    let unknown = |parameter: &str| {
        let name: String = parameter.split('=').next().unwrap_or_default().chars().take(LONGEST_NAME).collect();
        let message = "no parameter in the address is known here".to_owned();
        FieldError { path: format!("?{name}"), code: "unknown_field", message }
    };
    Err(ApiError::Invalid(query.split('&').take(16).map(unknown).collect()))
}

/// A time as the state keeps it.
pub(crate) fn millis(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
