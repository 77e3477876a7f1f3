//! What is known of a fetched page or file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// What is known of a fetched page or file; its bytes lie in the object store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// blake3 of its bytes, in hexadecimal.
    pub hash: String,
    /// Its media type.
    pub content_type: String,
    /// The encoding its text is in, where it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// What it is.
    pub kind: SourceKind,
    /// Whether its site asks search engines to leave it out.
    #[serde(default)]
    pub noindex: bool,
    /// The validator its server sent, for asking whether it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The date its server sent, for the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Its name among the fetched pages of the object store.
    pub name: String,
    /// The policies for content that its server sent with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// What a browser made of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<DrawnSource>,
    /// Texts that readers' browsers told of, and that the site's owner took.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub taken: BTreeSet<String>,
}

/// A page as its scripts left it in a browser; its bytes lie beside the fetched ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnSource {
    /// Its name among the fetched pages, which is the blake3 of its bytes in hexadecimal.
    pub name: String,
    /// The hash of the page that was drawn.
    pub of: String,
    /// What decided the words beside the page itself, scripts above all: addresses with the hashes of what they held.
    /// Nobody knows any more where only a deployment remembers the page: it changes while the words stay the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<BTreeMap<String, String>>,
}

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// HTML, to be translated.
    Page,
    /// A feed or web manifest, published as it is and translated beside that.
    Document,
    /// Anything else, published as it is.
    File,
}

impl SourceRecord {
    /// The names of its bytes, and of what a browser made of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.drawing.as_ref().map(|drawing| drawing.name.as_str()))
    }

    /// The record without what its server says of the copy: equal sources have equal records.
    #[must_use]
    pub fn without_validators(&self) -> Self {
        let drawing = self.drawing.clone().map(|drawing| DrawnSource { loaded: None, ..drawing });
        Self { etag: None, last_modified: None, drawing, ..self.clone() }
    }
}
