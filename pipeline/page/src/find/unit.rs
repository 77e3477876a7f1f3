//! Where the texts of a page stand. What they say is read from the page whenever somebody asks: kept beside it, the many
//! short texts of a dense page would take fifty times its size.

use std::ops::Range;
use std::sync::Arc;

use super::part::{BlockPart, coded_text};
use crate::html::element::ElementName;
use crate::html::rules::LocaleFilter;
use crate::html::span::ByteSpan;
use crate::html::writing::{self, ValueWriting};
use crate::text::coded::CodedText;
use crate::text::segment::{Segment, TextClass};

/// A text and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct TextUnit {
    pub(crate) place: UnitPlace,
    class: TextClass,
    pub(crate) keeps_nodes: bool,
    /// It stands in an `<option>` without `value`.
    pub(crate) in_option: bool,
    /// The number of the HTML element that it stands in, if it is one.
    element: u8,
    rare: Option<Arc<Rare>>,
}

const _: () = assert!(
    size_of::<TextUnit>() + size_of::<BlockPart>() == 36,
    "a page may have a text every few bytes"
);

/// Where a unit stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnitPlace {
    /// In a line of text: which of the page's parts are its own.
    Line(ByteSpan),
    /// In a value: of an attribute, of structured data, of an element of a feed.
    Value(ByteSpan, ValueWriting),
    /// In a string of a framework's state, which says the same as a text of the page, letter by letter.
    Twin(ByteSpan, ValueWriting),
}

/// What few texts have.
#[derive(Debug, PartialEq, Eq)]
struct Rare {
    /// What it stands in, where that is no element of HTML.
    origin: Option<Arc<String>>,
    filter: Option<Arc<LocaleFilter>>,
}

/// What a text stands in.
#[derive(Debug)]
pub(crate) struct UnitContext {
    pub(crate) origin: ElementName,
    pub(crate) in_option: bool,
    pub(crate) filter: Option<Arc<LocaleFilter>>,
    pub(crate) keeps_nodes: bool,
}

impl TextUnit {
    pub(crate) fn line(parts: Range<usize>, around: &UnitContext) -> Self {
        Self::new(UnitPlace::Line(parts.into()), TextClass::Prose, around)
    }

    /// A text that stands whole between two marks; its origin is said in words.
    pub(crate) fn value(
        range: Range<usize>,
        writing: ValueWriting,
        class: TextClass,
        origin: String,
        filter: Option<Arc<LocaleFilter>>,
    ) -> Self {
        let around = UnitContext {
            origin: ElementName::Other(Arc::new(origin)),
            in_option: false,
            filter,
            keeps_nodes: false,
        };
        Self::new(UnitPlace::Value(range.into(), writing), class, &around)
    }

    fn new(place: UnitPlace, class: TextClass, around: &UnitContext) -> Self {
        let &UnitContext {
            ref origin,
            in_option,
            ref filter,
            keeps_nodes,
        } = around;
        let element = origin.number().unwrap_or(u8::MAX);
        let rare = Rare {
            origin: origin.clone().other(),
            filter: filter.clone(),
        };
        let is_rare = rare.origin.is_some() || rare.filter.is_some();
        Self {
            place,
            class,
            keeps_nodes,
            in_option,
            element,
            rare: is_rare.then(|| Arc::new(rare)),
        }
    }

    /// Keeps what few texts have together with its neighbour, where that is the same: pictures and JSON come in rows.
    pub(crate) fn sharing(mut self, neighbour: Option<&Self>) -> Self {
        if let Some(neighbour) = neighbour.filter(|neighbour| neighbour.rare == self.rare) {
            self.rare.clone_from(&neighbour.rare);
        }
        self
    }

    /// The same text at another place.
    pub(crate) fn twin(&self, range: Range<usize>, writing: ValueWriting) -> Self {
        Self {
            place: UnitPlace::Twin(range.into(), writing),
            ..self.clone()
        }
    }

    /// True inside one of these elements of HTML.
    pub(crate) fn stands_in(&self, elements: &[&str]) -> bool {
        ElementName::known(self.element).is_some_and(|name| elements.contains(&&*name))
    }

    /// Its parts among those of the page; a value has none.
    pub(crate) fn parts<'p>(&self, parts: &'p [BlockPart]) -> &'p [BlockPart] {
        match self.place {
            UnitPlace::Line(own) => &parts[own.range()],
            UnitPlace::Value(..) | UnitPlace::Twin(..) => &[],
        }
    }

    /// The first byte, by which units are ordered.
    pub(crate) fn start(&self, parts: &[BlockPart]) -> usize {
        match self.place {
            UnitPlace::Line(_) => self
                .parts(parts)
                .first()
                .map_or(0, |part| part.span.start()),
            UnitPlace::Value(span, _) | UnitPlace::Twin(span, _) => span.start(),
        }
    }

    /// Reads what it says; `parts` are those of the page.
    pub(crate) fn segment(&self, source: &[u8], parts: &[BlockPart]) -> Segment {
        let plain = |text: Option<String>| (CodedText::plain(text.unwrap_or_default()), Vec::new());
        let (text, codes) = match self.place {
            UnitPlace::Line(_) => coded_text(source, self.parts(parts)),
            UnitPlace::Value(span, writing) => {
                plain(writing::text_of(&source[span.range()], writing))
            }
            UnitPlace::Twin(span, writing) => plain(writing.read(&source[span.range()])),
        };
        let rare = self.rare.as_deref();
        let other = || {
            rare.and_then(|rare| rare.origin.clone())
                .map(ElementName::Other)
        };
        Segment {
            text,
            codes,
            class: self.class,
            origin: ElementName::known(self.element)
                .or_else(other)
                .map(|name| name.to_cow())
                .unwrap_or_default(),
            filter: rare.and_then(|rare| rare.filter.clone()),
            keeps_nodes: self.keeps_nodes,
        }
    }
}
