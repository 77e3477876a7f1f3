//! The names of a site (R-N2), with what the pages that were read say of them.

use std::collections::BTreeMap;

use crate::model::{NameClue, PagePath};
use crate::text::Name;

/// The names of a site.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The clues of pages that were read.
    pub(super) clues: BTreeMap<PagePath, Box<[NameClue]>>,
    /// The decision that was made when all pages were known.
    pub(super) decided: Vec<Name>,
}

impl Names {
    /// Takes in the clues of a page.
    pub(super) fn add(&mut self, path: &PagePath, clues: Box<[NameClue]>) {
        if !clues.is_empty() {
            self.clues.insert(path.clone(), clues);
        }
    }

    /// The clues of a page that was read.
    pub(super) fn clues(&self, path: &PagePath) -> Box<[NameClue]> {
        self.clues.get(path).cloned().unwrap_or_default()
    }

    /// Signs for the decided names, in letters and digits.
    pub(super) fn print(&self) -> String {
        blake3::hash(format!("{:?}", self.decided).as_bytes()).to_hex().to_string()
    }
}
