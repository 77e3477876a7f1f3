//! What is known of a fetched page or file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{AddressForms, LinkHeader, PagePath};
use serde::{Deserialize, Serialize};

/// What is known of a site's pages and files, by their paths.
pub type SourceRecords = BTreeMap<PagePath, Arc<SourceRecord>>;

/// What is known of a fetched page or file; its bytes lie in the object store. A large site has a hundred thousand of these in
/// memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Recorded")]
pub struct SourceRecord {
    /// blake3 of its bytes, in hexadecimal.
    pub hash: Arc<str>,
    /// Its media type.
    pub content_type: Box<str>,
    /// The encoding its text is in, where it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<Box<str>>,
    /// What it is.
    pub kind: SourceKind,
    /// Whether its site asks search engines to leave it out.
    pub noindex: bool,
    /// True for a fragment of HTML.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fragment: bool,
    /// Addresses of its frames, as written.
    #[serde(skip_serializing_if = "is_empty")]
    pub frames: Box<[String]>,
    /// How it spells addresses.
    #[serde(skip_serializing_if = "AddressForms::is_default")]
    pub addresses: AddressForms,
    /// Statements of its server to crawlers (`X-Robots-Tag`), joined into one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<Box<str>>,
    /// The addresses that its server named for it (`Link`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Box<LinkHeader>>,
    /// The validator its server sent, for asking whether it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<Box<str>>,
    /// The date its server sent, for the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<Box<str>>,
    /// Its name among the fetched pages of the object store: mostly its hash.
    pub name: Arc<str>,
    /// The policies for content that its server sent with it.
    #[serde(skip_serializing_if = "is_empty")]
    pub policies: Box<[String]>,
    /// What a browser made of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Box<DrawnSource>>,
    /// Texts that readers' browsers told of, and that the site's owner took.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub taken: BTreeSet<String>,
}

/// A record as it lies in the state and in deployments.
#[derive(Deserialize)]
struct Recorded {
    hash: String,
    content_type: Box<str>,
    charset: Option<Box<str>>,
    kind: SourceKind,
    #[serde(default)]
    noindex: bool,
    #[serde(default)]
    fragment: bool,
    #[serde(default)]
    frames: Box<[String]>,
    #[serde(default)]
    addresses: AddressForms,
    robots: Option<Box<str>>,
    links: Option<Box<LinkHeader>>,
    etag: Option<Box<str>>,
    last_modified: Option<Box<str>>,
    name: String,
    #[serde(default)]
    policies: Box<[String]>,
    drawing: Option<Box<DrawnSource>>,
    #[serde(default)]
    taken: BTreeSet<String>,
}

impl From<Recorded> for SourceRecord {
    fn from(recorded: Recorded) -> Self {
        let Recorded {
            hash,
            content_type,
            charset,
            kind,
            noindex,
            fragment,
            frames,
            addresses,
            robots,
            links,
            etag,
            last_modified,
            name,
            policies,
            drawing,
            taken,
        } = recorded;
        let hash: Arc<str> = hash.into();
        let name = if *name == *hash {
            Arc::clone(&hash)
        } else {
            name.into()
        };
        Self {
            hash,
            content_type,
            charset,
            kind,
            noindex,
            fragment,
            frames,
            addresses,
            robots,
            links,
            etag,
            last_modified,
            name,
            policies,
            drawing,
            taken,
        }
    }
}

fn is_empty(list: &[String]) -> bool {
    list.is_empty()
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
        std::iter::once(&*self.name)
            .chain(self.drawing.as_ref().map(|drawing| drawing.name.as_str()))
    }

    /// The same record where it has nothing that [`Self::without_validators`] takes away.
    pub fn plain(record: &Arc<Self>) -> Arc<Self> {
        match record.without_validators() {
            Cow::Owned(record) => Arc::new(record),
            Cow::Borrowed(_) => Arc::clone(record),
        }
    }

    /// The record without what its server says of the copy: equal sources have equal records.
    pub fn without_validators(&self) -> Cow<'_, Self> {
        let has_loaded = self
            .drawing
            .as_ref()
            .is_some_and(|drawing| drawing.loaded.is_some());
        if self.etag.is_none() && self.last_modified.is_none() && !has_loaded {
            return Cow::Borrowed(self);
        }
        let drawing = self.drawing.clone().map(|drawing| {
            Box::new(DrawnSource {
                loaded: None,
                ..*drawing
            })
        });
        Cow::Owned(Self {
            etag: None,
            last_modified: None,
            drawing,
            ..self.clone()
        })
    }
}
