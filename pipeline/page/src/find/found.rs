//! What is found in a page: its texts, and what else may change with them.

use std::ops::Range;
use std::sync::Arc;

use super::option::OptionValue;
use super::part::BlockPart;
use super::unit::TextUnit;
use crate::html::limits::ExceededLimit;
use crate::html::rules::LocaleFilter;
use crate::html::span::ByteSpan;
use crate::html::writing::ValueWriting;

/// What the walk finds.
#[derive(Debug, Default)]
pub(crate) struct PageFindings {
    /// The units, in the order in which they stand.
    pub(crate) units: Vec<TextUnit>,
    /// The parts of the units that stand in lines, those of each together.
    pub(crate) parts: Vec<BlockPart>,
    /// Inner `lang` attributes that name the page's own language.
    pub(crate) langs: Vec<LangPlace>,
    /// Elements that are not there for every locale.
    pub(crate) filtered: Vec<(Range<usize>, Arc<LocaleFilter>)>,
    /// Where elements that hold code can be given a direction: the byte after the name of each.
    pub(crate) code: Vec<usize>,
    /// Blocks that say the direction of the page's script.
    pub(crate) directions: Vec<DirectionPlace>,
    /// Untranslated texts whose order depends on the text around them.
    pub(crate) numbers: Vec<NumberPlace>,
    /// What options without `value` send, in order.
    pub(crate) options: Vec<OptionValue>,
    /// Pages inside values: `srcdoc` attributes, HTML in structured data and feeds.
    pub(crate) inner: Vec<InnerPlace>,
    /// Letters that stand one by one in blocks were left out.
    pub(crate) has_letters: bool,
    /// How many steps it took.
    pub(crate) steps: u64,
    /// Why the walk was given up.
    pub(crate) excess: Option<ExceededLimit>,
}

impl PageFindings {
    /// Nothing yet, with room for what so many tokens mostly hold.
    pub(crate) fn with_capacity(tokens: usize) -> Self {
        Self {
            units: Vec::with_capacity(tokens / 8),
            parts: Vec::with_capacity(tokens / 2),
            ..Self::default()
        }
    }

    /// Adds the unit of a value.
    pub(crate) fn push_value(&mut self, unit: TextUnit) {
        let unit = unit.sharing(self.units.last());
        self.units.push(unit);
    }

    /// Brings the units into the order in which they stand.
    pub(crate) fn sort(&mut self) {
        self.units.sort_by_key(|unit| unit.start(&self.parts));
    }
}

/// A block of text that says the direction of the source's script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionPlace {
    /// From its first to its last byte.
    pub(crate) element: ByteSpan,
    /// The value of `dir`.
    pub(crate) value: ByteSpan,
    pub(crate) quote: Option<u8>,
}

/// An untranslated text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberPlace {
    pub(crate) text: ByteSpan,
    /// The byte at which the inline element takes `dir` that holds this text alone.
    pub(crate) holder: Option<u32>,
}

/// A page inside a value.
#[derive(Debug)]
pub(crate) struct InnerPlace {
    pub(crate) value: Range<usize>,
    pub(crate) writing: ValueWriting,
    pub(crate) html: String,
    /// The address against which its links count, where that is not the outer page's.
    pub(crate) base: Option<Arc<str>>,
}

/// An inner `lang` that names the page's own language: its value and how it is written.
pub(crate) type LangPlace = (Range<usize>, ValueWriting);
