//! The media type of a published file.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// A media type, as it is sent. Those that most files of large sites have take no room of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct MediaType(Cow<'static, str>);

const COMMON: [&str; 8] = [
    "text/html; charset=utf-8",
    "text/html",
    "application/xhtml+xml; charset=utf-8",
    "image/jpeg",
    "image/png",
    "image/webp",
    "image/svg+xml",
    "application/pdf",
];

impl From<&str> for MediaType {
    fn from(text: &str) -> Self {
        let common = COMMON.into_iter().find(|common| *common == text);
        Self(common.map_or_else(|| Cow::Owned(text.to_owned()), Cow::Borrowed))
    }
}

impl From<String> for MediaType {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

impl Deref for MediaType {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}
