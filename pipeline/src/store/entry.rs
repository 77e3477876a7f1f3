//! One file of a deployment, as manifests record it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use super::{ContentHash, MediaType};
use crate::model::PagePath;
use crate::page::{RobotsRules, RobotsStatement};

/// One published file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The deployment that wrote it.
    pub deployment: u64,
    /// The deployment that brought it back, where it had been away since it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// The draft that keeps this copy of the bytes apart: the key of the bytes alone was old and named by nobody, so that
    /// a sweep may be about to delete it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Box<str>>,
    /// Its length.
    pub size: u64,
    /// Its media type, as it is sent.
    pub content_type: MediaType,
    /// Its compressed variants.
    #[serde(default, skip_serializing_if = "Encodings::is_empty")]
    pub encodings: Encodings,
    /// The path it answers to.
    pub path: PagePath,
    /// The address it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<str>>,
    /// Whether search engines are asked to leave it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noindex: bool,
    /// Statements of its source to crawlers (`X-Robots-Tag`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robots: Option<Box<str>>,
    /// The HTTP `Link` header that it is sent with (RFC 8288).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Box<str>>,
}

/// A file's bytes, compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The hash of the compressed bytes.
    pub hash: ContentHash,
    /// The draft that keeps this copy of them apart, see [`ManifestEntry::copy`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Box<str>>,
    /// Their length.
    pub size: u64,
}

/// A compression in which files are stored beside the plain bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Brotli (RFC 7932).
    Brotli,
    /// gzip (RFC 1952).
    Gzip,
}

impl Encoding {
    /// All of them: the variants that a store has where nobody says otherwise.
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// The ending of a variant's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    /// The name in HTTP's `Content-Encoding`.
    pub fn token(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

impl ManifestEntry {
    /// The HTTP `X-Robots-Tag` header that it is sent with.
    pub fn robots_tag(&self) -> Option<Cow<'_, str>> {
        let Some(robots) = self.robots.as_deref() else {
            return self.noindex.then_some("noindex".into());
        };
        for statement in RobotsStatement::read(robots) {
            if statement.crawler.is_none() && RobotsRules::read(&statement.rules).noindex {
                return Some(robots.into());
            }
        }
        if !self.noindex {
            return Some(robots.into());
        }
        // After the name of a crawler it would be a rule for that one.
        Some(format!("noindex, {robots}").into())
    }

    /// The file and its variants, with their lengths.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Option<Encoding>, u64)> {
        let variants = self
            .encodings
            .iter()
            .map(|(encoding, variant)| (Some(encoding), variant.size));
        std::iter::once((None, self.size)).chain(variants)
    }
}

/// A file's variants, each in the place of its encoding; many files of a large site have both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<Encoding, Variant>")]
pub struct Encodings(Option<Box<[Option<Variant>; Encoding::ALL.len()]>>);

impl Encodings {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The variant in an encoding.
    pub fn get(&self, encoding: Encoding) -> Option<&Variant> {
        self.iter()
            .find(|(there, _)| *there == encoding)
            .map(|(_, variant)| variant)
    }

    /// All of them, in the order of encodings.
    pub fn iter(&self) -> impl Iterator<Item = (Encoding, &Variant)> {
        let variants = self
            .0
            .iter()
            .flat_map(|variants| Encoding::ALL.into_iter().zip(variants.iter()));
        variants.filter_map(|(encoding, variant)| Some((encoding, variant.as_ref()?)))
    }
}

impl From<BTreeMap<Encoding, Variant>> for Encodings {
    fn from(mut variants: BTreeMap<Encoding, Variant>) -> Self {
        Self(
            (!variants.is_empty())
                .then(|| Box::new(Encoding::ALL.map(|encoding| variants.remove(&encoding)))),
        )
    }
}

impl Serialize for Encodings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
