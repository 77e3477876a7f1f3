//! What is put into a draft, and what putting it and finishing the draft did.

use std::sync::Arc;

use bytes::Bytes;

use crate::model::PagePath;

/// A file to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name in its tree, as [`crate::model::object_name`] makes them.
    pub name: Arc<str>,
    /// The path it answers to.
    pub path: PagePath,
    /// Its media type, as it is sent.
    pub content_type: String,
    /// Its bytes.
    pub body: Bytes,
    /// The address it was made from.
    pub source: Option<String>,
    /// Whether search engines are asked to leave it out.
    pub noindex: bool,
    /// Statements of its source to crawlers (`X-Robots-Tag`).
    pub robots: Option<String>,
    /// The HTTP `Link` header that it is sent with.
    pub link: Option<String>,
}

impl Object {
    /// A file that search engines may know, without a header of its own.
    pub fn new(
        name: impl Into<Arc<str>>,
        path: PagePath,
        content_type: &str,
        body: impl Into<Bytes>,
    ) -> Self {
        let name = name.into();
        let content_type = content_type.to_owned();
        let body = body.into();
        Self {
            name,
            path,
            content_type,
            body,
            source: None,
            noindex: false,
            robots: None,
            link: None,
        }
    }
}

/// What putting a file did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It is new or changed and was written.
    Written,
    /// The previous deployment has the same bytes.
    Unchanged,
    /// The previous deployment names the same bytes, but they were damaged; they were written anew.
    Mended,
    /// It is new or changed, and an earlier deployment that is kept has the same bytes; nothing was written.
    Recalled,
}

/// What a finished deployment changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedDraft {
    /// The deployment that is the site now.
    pub deployment: u64,
    /// Files written.
    pub written: u64,
    /// Files of the previous deployment that are gone.
    pub removed: u64,
    /// Files that stayed as they were.
    pub unchanged: u64,
    /// Whether there is a new deployment; without any change there is none.
    pub created: bool,
}
