//! Names of a site (R-N2), with the clues of the pages that were read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{NameClue, PagePath};
use crate::text::{KeptName, PlainWords};

/// The names of a site.
#[derive(Debug, Default)]
pub(crate) struct SiteNames {
    /// The clues of pages that were read.
    pub(in crate::run) clues: BTreeMap<PagePath, Box<[NameClue]>>,
    /// The decision, made once all pages are known.
    pub(in crate::run) decided: Vec<KeptName>,
    /// Words of headings that are not names.
    pub(in crate::run) plain: Arc<PlainWords>,
}

impl SiteNames {
    /// Adds the clues of a page.
    pub(in crate::run) fn add(&mut self, path: &PagePath, clues: Box<[NameClue]>) {
        if !clues.is_empty() {
            self.clues.insert(path.clone(), clues);
        }
    }

    /// The clues of a page that was read.
    pub(in crate::run) fn clues(&self, path: &PagePath) -> Box<[NameClue]> {
        self.clues.get(path).cloned().unwrap_or_default()
    }

    /// Fingerprint of the decided names, in letters and digits.
    pub(in crate::run) fn print(&self) -> String {
        blake3::hash(format!("{:?}", self.decided).as_bytes())
            .to_hex()
            .to_string()
    }
}
