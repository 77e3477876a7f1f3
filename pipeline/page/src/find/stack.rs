//! The open elements of a walk. Each knows the next one of its name below it, so that a tag finds what it ends in one
//! step, however deep the page is.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::inherit::InheritedState;
use crate::html::element::{ElementFlow, ElementName, KINDS};
use crate::html::rules::LocaleFilter;

/// How far up the stack is looked; deeper pages exist only to hurt.
const DEEP: usize = 512;

/// An open element.
pub(crate) struct OpenElement {
    pub(crate) name: ElementName,
    pub(crate) state: Rc<InheritedState>,
    pub(crate) flow: ElementFlow,
    /// Where the element starts, if it opened a frame.
    pub(crate) frame: Option<usize>,
    /// The `<option>` without `value` that it is or stands in, by its number among those of the page.
    pub(crate) option: Option<u32>,
    /// Where it starts, if it is not there for every locale.
    pub(crate) filtered: Option<(usize, Arc<LocaleFilter>)>,
}

/// An open element and what is nearest below it: levels, counted from 1; 0 is none.
struct Level {
    open: OpenElement,
    /// The one of its name below it.
    same: usize,
    /// The innermost block, itself counted.
    block: usize,
    /// The innermost that is not inline, itself counted.
    apart: usize,
}

/// The open elements, the innermost last.
#[derive(Default)]
pub(crate) struct Stack {
    levels: Vec<Level>,
    nearest: Nearest,
}

impl Stack {
    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn last(&self) -> Option<&OpenElement> {
        self.levels.last().map(|level| &level.open)
    }

    /// The open element with so many inside of it.
    pub(crate) fn inner(&self, inside: usize) -> Option<&OpenElement> {
        let at = self.levels.len().checked_sub(inside + 1)?;
        self.levels.get(at).map(|level| &level.open)
    }

    pub(crate) fn push(&mut self, open: OpenElement) {
        let level = self.levels.len() + 1;
        let (block, apart) = self
            .levels
            .last()
            .map_or((0, 0), |outer| (outer.block, outer.apart));
        self.levels.push(Level {
            same: self.nearest.enter(&open.name, level),
            block: if open.flow == ElementFlow::Block {
                level
            } else {
                block
            },
            apart: if open.flow == ElementFlow::Inline {
                apart
            } else {
                level
            },
            open,
        });
    }

    pub(crate) fn pop(&mut self) -> Option<OpenElement> {
        let Level { open, same, .. } = self.levels.pop()?;
        self.nearest.leave(&open.name, same);
        Some(open)
    }

    /// The depth of the innermost open element that a start tag of this name ends.
    pub(crate) fn ended_by(&self, name: &ElementName) -> Option<usize> {
        let (ended, scope) = name.ends_before();
        let found = self.nearest.of_any(ended);
        if found == 0 || found < self.nearest.of_any(scope) {
            None
        } else {
            self.depth(found)
        }
    }

    /// The depth of the element that an end tag of this name ends; an inline one does not end the blocks around it.
    pub(crate) fn closed_by(&self, name: &ElementName, inline: bool) -> Option<usize> {
        let found = self.nearest.of(name);
        let block = self.levels.last().map_or(0, |level| level.block);
        let is_out = found < self.nearest.of_any(name.scope_of_end()) || (inline && found < block);
        if found == 0 || is_out {
            None
        } else {
            self.depth(found)
        }
    }

    /// The innermost open element that is not inline.
    pub(crate) fn apart(&self) -> Option<&OpenElement> {
        let depth = self.depth(self.levels.last()?.apart)?;
        self.levels.get(depth).map(|level| &level.open)
    }

    /// The depth of a level, where it is not too far away.
    fn depth(&self, level: usize) -> Option<usize> {
        level
            .checked_sub(1)
            .filter(|depth| depth + DEEP >= self.levels.len())
    }
}

/// For each name the innermost place, counted from 1, at which it stands; 0 is none.
pub(crate) struct Nearest {
    known: [u32; KINDS],
    other: HashMap<Arc<String>, usize>,
}

impl Default for Nearest {
    fn default() -> Self {
        Self {
            known: [0; KINDS],
            other: HashMap::new(),
        }
    }
}

impl Nearest {
    pub(crate) fn of(&self, name: &ElementName) -> usize {
        match name {
            ElementName::Known(known) => self
                .known
                .get(known.id())
                .map_or(0, |&place| place as usize),
            ElementName::Other(name) => self.other.get(name).copied().unwrap_or_default(),
        }
    }

    fn of_any(&self, ids: &[u8]) -> usize {
        let places = ids.iter().filter_map(|&id| self.known.get(usize::from(id)));
        places.max().map_or(0, |&place| place as usize)
    }

    /// Takes note of a place; gives the one that was innermost before.
    pub(crate) fn enter(&mut self, name: &ElementName, place: usize) -> usize {
        let before = self.of(name);
        self.set(name, place);
        before
    }

    /// Forgets the innermost place; `before` is what [`Nearest::enter`] gave.
    pub(crate) fn leave(&mut self, name: &ElementName, before: usize) {
        self.set(name, before);
    }

    fn set(&mut self, name: &ElementName, place: usize) {
        match name {
            ElementName::Known(known) => {
                if let Some(entry) = self.known.get_mut(known.id()) {
                    *entry = u32::try_from(place).unwrap_or(u32::MAX);
                }
            }
            ElementName::Other(name) if place == 0 => drop(self.other.remove(name)),
            ElementName::Other(name) => drop(self.other.insert(name.clone(), place)),
        }
    }
}
