//! What a page, a style sheet or the sitemaps of a site name, put together within bounds.

use std::collections::HashSet;

use super::frontier::{Entry, Outcome};
use super::room::{Room, size};
use super::scope::{Role, Verdict};
use crate::model::PagePath;

/// What a page, a style sheet or sitemaps name: each address once, in order, as far as there is room.
#[derive(Debug)]
pub(super) struct Collector {
    room: Room,
    room_for_excluded: Room,
    known: HashSet<(Role, PagePath)>,
    outcome: Outcome,
}

impl Collector {
    pub(super) fn new(room: Room) -> Self {
        Self { room, room_for_excluded: room, known: HashSet::new(), outcome: Outcome::default() }
    }

    /// Takes up what was decided about an address. The path of one that is to be fetched, unless there is no room for it.
    pub(super) fn add(&mut self, verdict: Verdict) -> Option<PagePath> {
        match verdict {
            Verdict::Take(target) => {
                let path = target.path.clone();
                if !self.known.contains(&(target.role, path.clone())) {
                    if !self.room.take(size(&path, &target.url)) {
                        self.outcome.cut = true;
                        return None;
                    }
                    self.known.insert((target.role, path.clone()));
                    self.outcome.found.push(Entry { target, hops: 0, send: true });
                }
                Some(path)
            }
            Verdict::Excluded(path) => {
                // They are only counted, so those beyond the bound are missing in a figure and nowhere else.
                if self.room_for_excluded.take(path.as_str().len()) {
                    self.outcome.excluded.push(path);
                }
                None
            }
            Verdict::Outside => None,
        }
    }

    /// Whether there was too little room: what comes now need not be read.
    pub(super) fn is_full(&self) -> bool {
        self.outcome.cut
    }

    /// Notes that something was left out that is not added.
    pub(super) fn cut(&mut self) {
        self.outcome.cut = true;
    }

    /// What became of it.
    pub(super) fn finish(self) -> Outcome {
        self.outcome
    }
}
