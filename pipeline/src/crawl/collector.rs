//! Collects the addresses that a page, a style sheet or sitemaps name, within bounds.

use std::collections::HashSet;

use super::entry::{FrontierEntry, NamedBy};
use super::frontier::AddressOutcome;
use super::room::{AddressBudget, size};
use super::scope::{LinkRole, ScopeVerdict};
use crate::model::PagePath;

/// The collected addresses: each once, in order, as far as there is room.
#[derive(Debug)]
pub(super) struct Collector {
    room: AddressBudget,
    room_for_excluded: AddressBudget,
    /// Known addresses, with the query that a link to a page has and the page is not told by.
    known: HashSet<(LinkRole, PagePath, Option<Box<str>>)>,
    outcome: AddressOutcome,
}

impl Collector {
    pub(super) fn new(room: AddressBudget) -> Self {
        Self {
            room,
            room_for_excluded: room,
            known: HashSet::new(),
            outcome: AddressOutcome::default(),
        }
    }

    /// Adds an address by its verdict. Returns the path of an address to fetch, if there is room for it.
    pub(super) fn add(&mut self, verdict: ScopeVerdict) -> Option<PagePath> {
        self.add_named_by(verdict, NamedBy::Page)
    }

    /// Adds an address that somebody named.
    pub(super) fn add_named_by(
        &mut self,
        verdict: ScopeVerdict,
        named_by: NamedBy,
    ) -> Option<PagePath> {
        match verdict {
            ScopeVerdict::Take(target) => {
                let path = target.path.clone();
                let known = (target.role, path.clone(), target.dropped.clone());
                if !self.known.contains(&known) {
                    if !self.room.take(size(&path, &target.url)) {
                        self.outcome.cut = true;
                        return None;
                    }
                    self.known.insert(known);
                    self.outcome.found.push(FrontierEntry {
                        target,
                        hops: 0,
                        send: true,
                        named_by,
                    });
                }
                Some(path)
            }
            ScopeVerdict::Excluded(path) => {
                // Excluded paths are only counted, so a path beyond the bound is missing in a figure and nowhere else.
                if self.room_for_excluded.take(path.as_str().len()) {
                    self.outcome.excluded.push(path);
                }
                None
            }
            ScopeVerdict::Outside => None,
        }
    }

    /// True if the room is used up: the rest need not be read.
    pub(super) fn is_full(&self) -> bool {
        self.outcome.cut
    }

    /// Records that a program computes the name of a file, of which only the beginning is known.
    pub(super) fn note_computed(&mut self, program: &PagePath, head: String) {
        self.outcome.unfollowed.note_computed(program, head);
    }

    /// Records that an address was left out.
    pub(super) fn cut(&mut self) {
        self.outcome.cut = true;
    }

    /// The outcome with everything that was collected.
    pub(super) fn finish(self) -> AddressOutcome {
        self.outcome
    }
}
