//! What is found in a document that is no HTML, and how it says which language it is in.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::edits::SourceEdits;
use crate::find::found::{LangPlace, PageFindings};
use crate::find::link_place::LinkPlace;
use crate::html::writing::ValueWriting;
use crate::{Direction, Locale};

/// How far a file is looked into for what it is.
pub(super) const SNIFFED: usize = 8 << 10;

/// What is found in a document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) texts: PageFindings,
    pub(crate) links: Vec<LinkPlace>,
    /// What says the language of a link's target, by index of the link.
    pub(crate) link_langs: BTreeMap<usize, LangPlace>,
    pub(crate) speech: Vec<LocaleStatement>,
    /// The address against which links count.
    pub(crate) base: Option<String>,
    /// The encoding that an XML declaration names.
    pub(crate) encoding: Option<Range<usize>>,
}

/// A place that says something of the whole document; an empty range where nothing is said yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocaleStatement {
    pub(crate) range: Range<usize>,
    pub(crate) says: LocaleStatementKind,
    pub(crate) writing: ValueWriting,
    /// What goes before and after the word where there was none.
    pub(crate) around: (String, &'static str),
}

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocaleStatementKind {
    Language,
    Direction,
    /// Only said where it is not what readers expect anyway.
    RightToLeft,
}

impl LocaleStatement {
    /// Says it for the locale in which the document is rendered.
    pub(crate) fn speak(&self, target: &Locale, edits: &mut SourceEdits) {
        let direction = target.direction();
        let word = match self.says {
            LocaleStatementKind::Language => target.as_str(),
            LocaleStatementKind::Direction => direction.as_str(),
            LocaleStatementKind::RightToLeft if direction == Direction::Rtl => direction.as_str(),
            LocaleStatementKind::RightToLeft => return,
        };
        let written = self.writing.write(word);
        if self.range.is_empty() {
            edits.insert(
                self.range.start,
                &format!("{}{written}{}", self.around.0, self.around.1),
            );
        } else {
            edits.replace(self.range.clone(), &written);
        }
    }
}
