//! How much of a site a build worked on, and why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Locale, PagePath, RenderCause};

/// How many versions a report names.
const MOST_VERSIONS: usize = 1000;

/// How much of a site a build worked on; the rest came out as it was, and was passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildWork {
    /// Pages that were read for their texts.
    pub read: usize,
    /// Versions of pages that were rendered, the source's own among them.
    pub rendered: usize,
    /// Versions that were carried over as they are.
    pub carried: usize,
    /// Why versions were rendered, and how many.
    #[serde(default)]
    pub causes: BTreeMap<RenderCause, usize>,
    /// The first thousand that were rendered for a reason of their own, which is none of the whole site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<RenderedVersion>,
}

/// A version of a page that was rendered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderedVersion {
    /// The page.
    pub path: PagePath,
    /// Its language.
    pub locale: Locale,
    /// Why it was rendered.
    pub cause: RenderCause,
}

impl BuildWork {
    /// Counts a version.
    pub(in crate::run) fn count(
        &mut self,
        path: &PagePath,
        locale: &Locale,
        cause: Option<RenderCause>,
    ) {
        let Some(cause) = cause else {
            self.carried += 1;
            return;
        };
        self.rendered += 1;
        *self.causes.entry(cause).or_default() += 1;
        if cause.is_of_one_page() && self.versions.len() < MOST_VERSIONS {
            self.versions.push(RenderedVersion {
                path: path.clone(),
                locale: locale.clone(),
                cause,
            });
        }
    }
}
