//! What a server said of a page or file beside its bytes, so that it can be asked whether anything changed.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// What a server said of a page or file beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerHead {
    /// The address that was asked for.
    pub url: String,
    /// The media type in lower case, without parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The charset that the Content-Type header declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// The values of the X-Robots-Tag headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots_tags: Vec<String>,
    /// The values of the Content-Security-Policy headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// The values of the Link headers (RFC 8288).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// The ETag, as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The Date of the answer, as sent; nothing where it served its purpose.
    #[serde(skip)]
    pub date: Option<String>,
}

/// An answer of which the bytes are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// What was said beside them.
    #[serde(flatten)]
    pub head: AnswerHead,
    /// blake3 of the bytes, in hexadecimal.
    pub hash: String,
}

impl AnswerHead {
    /// What is kept of it, where its server can tell by what it sent whether the bytes changed since.
    pub fn kept(self) -> Option<Self> {
        self.tells_of_changes().then_some(Self { date: None, ..self })
    }

    /// Dates are whole seconds, and many servers make their ETags of them, so what had just changed when it was sent may change
    /// again without a sign (RFC 9110, section 8.8.2.2).
    fn tells_of_changes(&self) -> bool {
        let date = |text: &Option<String>| text.as_deref().and_then(|text| httpdate::parse_http_date(text).ok());
        match (&self.etag, date(&self.last_modified), date(&self.date)) {
            (_, Some(changed), Some(sent)) => is_settled(changed, sent),
            (etag, None, _) => etag.is_some(),
            (_, Some(_), None) => false,
        }
    }

    /// What is true of the bytes when the server says that they are the same: what it says anew counts.
    #[must_use]
    pub fn renewed_by(&self, said: &Self) -> Self {
        let one = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
        let list = |new: &[String], old: &[String]| if new.is_empty() { old.to_vec() } else { new.to_vec() };
        Self {
            url: self.url.clone(),
            content_type: self.content_type.clone(),
            charset: self.charset.clone(),
            robots_tags: list(&said.robots_tags, &self.robots_tags),
            policies: list(&said.policies, &self.policies),
            links: list(&said.links, &self.links),
            etag: one(&said.etag, &self.etag),
            last_modified: one(&said.last_modified, &self.last_modified),
            date: said.date.clone(),
        }
    }
}

fn is_settled(changed: SystemTime, sent: SystemTime) -> bool {
    sent.duration_since(changed).is_ok_and(|age| age >= Duration::from_secs(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_had_not_just_changed_is_kept() {
        let head = |etag: &str, last_modified: &str, date: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            AnswerHead {
                etag: some(etag),
                last_modified: some(last_modified),
                date: some(date),
                ..AnswerHead::default()
            }
        };
        let at = |second: u64| format!("Wed, 25 Nov 2026 10:00:{second:02} GMT");
        for (etag, last_modified, date, can) in [
            ("\"1\"", "", "", true),
            ("", "", &*at(9), false),
            ("", &*at(0), &*at(9), true),
            ("\"1\"", &*at(0), &*at(9), true),
            ("\"1\"", &*at(8), &*at(9), false),
            ("\"1\"", &*at(9), &*at(8), false),
            ("", &*at(0), "", false),
            ("", "yesterday", &*at(9), false),
        ] {
            assert_eq!(head(etag, last_modified, date).kept().is_some(), can, "{etag} {last_modified} {date}");
        }
    }
}
