//! What is found in a page: its texts, and what else may change with them.

use std::ops::Range;
use std::sync::Arc;

use super::limits::Excess;
use super::option::OptionValue;
use super::part::Part;
use super::rules::LocaleFilter;
use super::unit::Unit;
use super::writing::Writing;

/// What the walk finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The units, in the order in which they stand.
    pub(super) units: Vec<Unit>,
    /// The parts of the units that stand in lines, those of each together.
    pub(super) parts: Vec<Part>,
    /// Inner `lang` attributes that name the page's own language.
    pub(super) langs: Vec<LangPlace>,
    /// Elements that are not there for every locale.
    pub(super) filtered: Vec<(Range<usize>, Arc<LocaleFilter>)>,
    /// Where elements that hold code can be given a direction: the byte after the name of each.
    pub(super) code: Vec<usize>,
    /// What options without `value` send, in order.
    pub(super) options: Vec<OptionValue>,
    /// Pages inside values: `srcdoc` attributes, HTML in structured data and feeds.
    pub(super) inner: Vec<InnerPlace>,
    /// How many steps it took.
    pub(super) steps: u64,
    /// Why the walk was given up.
    pub(super) excess: Option<Excess>,
}

impl Found {
    /// Adds the unit of a value.
    pub(super) fn push_value(&mut self, unit: Unit) {
        let unit = unit.sharing(self.units.last());
        self.units.push(unit);
    }

    /// Brings the units into the order in which they stand.
    pub(super) fn sort(&mut self) {
        self.units.sort_by_key(|unit| unit.start(&self.parts));
    }
}

/// A page inside a value.
#[derive(Debug)]
pub(super) struct InnerPlace {
    pub(super) value: Range<usize>,
    pub(super) writing: Writing,
    pub(super) html: String,
    /// The address against which its links count, where that is not the outer page's.
    pub(super) base: Option<Arc<str>>,
}

/// An inner `lang` that names the page's own language: its value and how it is written.
pub(super) type LangPlace = (Range<usize>, Writing);
