//! What a server said of a page or file beside its bytes, so that it can be asked whether anything changed.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::Moment;

/// The most bytes that are kept of one head.
const LARGEST: usize = 4096;

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
    /// The links of the Link headers that name canonical addresses and versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// The values of the Content-Security-Policy headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// The ETag, as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The Date of the answer, as sent; nothing where it served its purpose.
    #[serde(skip)]
    pub date: Option<String>,
    /// Whether nobody can tell by the ETag or date whether the bytes changed, so that the server is not asked by them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
}

/// An answer of which the bytes are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// What was said beside them.
    #[serde(flatten)]
    pub head: AnswerHead,
    /// blake3 of the bytes, in hexadecimal.
    pub hash: String,
    /// When they were sent.
    pub sent: Moment,
    /// What a sitemap said of their last change (`lastmod`), as written, where that can tell whether they changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lastmod: Option<String>,
}

impl AnswerHead {
    /// What is kept of it. What is unusually large is not kept.
    pub fn kept(self) -> Option<Self> {
        let texts = [
            &self.content_type,
            &self.charset,
            &self.etag,
            &self.last_modified,
        ]
        .into_iter()
        .flatten();
        let size: usize = texts
            .chain(&self.robots_tags)
            .chain(&self.links)
            .chain(&self.policies)
            .map(String::len)
            .sum();
        let silent = !self.tells_of_changes();
        (size <= LARGEST).then_some(Self {
            date: None,
            silent,
            ..self
        })
    }

    /// Dates are whole seconds, and many servers make their ETags of them, so what had just changed when it was sent may change
    /// again without a sign (RFC 9110, section 8.8.2.2).
    fn tells_of_changes(&self) -> bool {
        let date = |text: &Option<String>| {
            text.as_deref()
                .and_then(|text| httpdate::parse_http_date(text).ok())
        };
        match (&self.etag, date(&self.last_modified), date(&self.date)) {
            (_, Some(changed), Some(sent)) => is_settled(changed, sent),
            (etag, None, _) => etag.is_some(),
            (_, Some(_), None) => false,
        }
    }

    /// Whether what a server says is unchanged is what it said this of. Where it names another ETag or date, it is not (RFC 9111,
    /// section 4.3.4): some servers hold dates against each other by size, and know nothing of files that became older.
    pub fn is_meant_by(&self, said: &Self) -> bool {
        let same = |said: &Option<String>, known: &Option<String>| said.is_none() || said == known;
        let strong = |etag: &Option<String>| {
            etag.as_deref()
                .map(|etag| etag.trim_start_matches("W/").to_owned())
        };
        same(&strong(&said.etag), &strong(&self.etag))
            && same(&said.last_modified, &self.last_modified)
    }

    /// What is true of the bytes when the server says that they are the same: what it says anew counts (RFC 9111, section 3.2).
    #[must_use]
    pub fn renewed_by(&self, said: &Self) -> Self {
        let one = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
        let list = |new: &[String], old: &[String]| {
            if new.is_empty() {
                old.to_vec()
            } else {
                new.to_vec()
            }
        };
        Self {
            content_type: one(&said.content_type, &self.content_type),
            charset: if said.content_type.is_some() {
                said.charset.clone()
            } else {
                self.charset.clone()
            },
            robots_tags: list(&said.robots_tags, &self.robots_tags),
            links: list(&said.links, &self.links),
            policies: list(&said.policies, &self.policies),
            ..self.clone()
        }
    }

    /// Whether a server says other things of its pages than it said of this one, beside their bytes: it was configured anew.
    pub fn differs_beside_bytes(&self, now: &Self) -> bool {
        (
            &self.content_type,
            &self.charset,
            &self.robots_tags,
            &self.links,
            &self.policies,
        ) != (
            &now.content_type,
            &now.charset,
            &now.robots_tags,
            &now.links,
            &now.policies,
        )
    }
}

fn is_settled(changed: SystemTime, sent: SystemTime) -> bool {
    sent.duration_since(changed)
        .is_ok_and(|age| age >= Duration::from_secs(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changed_is_said_of_the_answer_that_is_known_or_not_at_all() {
        let head = |etag: &str, last_modified: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            AnswerHead {
                etag: some(etag),
                last_modified: some(last_modified),
                ..AnswerHead::default()
            }
        };
        let known = head("\"1\"", "Wed, 25 Nov 2026 10:00:00 GMT");
        for (etag, last_modified, is_meant) in [
            ("", "", true),
            ("\"1\"", "", true),
            ("W/\"1\"", "Wed, 25 Nov 2026 10:00:00 GMT", true),
            ("\"2\"", "", false),
            // A file that became older: Go's file server answers so.
            ("", "Tue, 24 Nov 2026 10:00:00 GMT", false),
        ] {
            assert_eq!(
                known.is_meant_by(&head(etag, last_modified)),
                is_meant,
                "{etag} {last_modified}"
            );
        }
        let said = AnswerHead {
            robots_tags: vec!["noindex".to_owned()],
            ..AnswerHead::default()
        };
        let renewed = known.renewed_by(&said);
        assert_eq!(
            (renewed.robots_tags, renewed.etag),
            (said.robots_tags, known.etag)
        );
    }

    #[test]
    fn servers_are_asked_by_what_had_not_just_changed() {
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
            assert_eq!(
                head(etag, last_modified, date)
                    .kept()
                    .map(|head| !head.silent),
                Some(can),
                "{etag} {last_modified} {date}"
            );
        }
    }
}
