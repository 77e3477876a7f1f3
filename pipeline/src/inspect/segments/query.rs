//! Lists and searches of segments.

use std::sync::Arc;

use super::index::{LocaleSegments, SegmentState, SegmentView, SourceSegments, folded};
use crate::config::{FilterError, PathFilter};
use crate::model::{PagePath, SegmentKey};

/// Texts that a search looks through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchedText {
    /// Source texts and translations.
    #[default]
    Both,
    /// Source texts.
    Source,
    /// The words that readers get.
    Translation,
}

/// Order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SegmentOrder {
    /// By the first page of each, then by its place there.
    #[default]
    Page,
    /// By the source text.
    Source,
}

/// Pages by their path, or by a pattern.
#[derive(Clone, Debug)]
pub struct PageSelection {
    written: String,
    filter: PathFilter,
}

impl PageSelection {
    /// Reads the path of a page, or a pattern of `include` ([`PathFilter`]).
    ///
    /// # Errors
    /// A [`FilterError`] if the text is no pattern.
    pub fn parse(written: &str) -> Result<Self, FilterError> {
        Ok(Self {
            written: written.to_owned(),
            filter: PathFilter::new(&[written.to_owned()], &[])?,
        })
    }

    /// Returns for each page whether it is selected. A text that is the path of one of them selects no other.
    fn select(&self, pages: &[PagePath]) -> Vec<bool> {
        let is_path = pages.iter().any(|page| page.as_str() == self.written);
        let is_selected = |page: &PagePath| {
            if is_path {
                page.as_str() == self.written
            } else {
                self.filter.allows_page(page)
            }
        };
        pages.iter().map(is_selected).collect()
    }
}

/// Segments that a list wants.
#[derive(Clone, Debug, Default)]
pub struct SegmentQuery {
    /// States; all of them if there is none.
    pub states: Vec<SegmentState>,
    /// A text that they contain, in any case of letters.
    pub text: Option<String>,
    /// Texts to search.
    pub searched: SearchedText,
    /// Pages that they stand on.
    pub pages: Option<PageSelection>,
    /// Their order.
    pub order: SegmentOrder,
    /// The segment that the list begins behind.
    pub after: Option<SegmentKey>,
    /// Number of segments that are passed over.
    pub offset: usize,
    /// Most segments of the answer.
    pub limit: usize,
}

impl SegmentQuery {
    /// True if the query wants segments in a state; `None` is that of a text that needs no words.
    fn wants(&self, state: Option<SegmentState>) -> bool {
        state.is_some_and(|state| self.states.is_empty() || self.states.contains(&state))
    }
}

/// A part of a list of segments.
#[derive(Clone, Debug)]
pub struct FoundSegments<'a> {
    /// The segments.
    pub items: Vec<SegmentView<'a>>,
    /// Number of all that the query wants.
    pub total: usize,
    /// Number of segments of each state, in the order of [`SegmentState::ALL`], whatever states the query wants.
    pub counts: [usize; SegmentState::ALL.len()],
}

/// A text of a site in all its locales.
#[derive(Clone, Debug)]
pub struct SiteSegment<'a> {
    /// Its key.
    pub key: SegmentKey,
    /// The source text, in the notation.
    pub source: &'a str,
    /// Its first page.
    pub page: Option<&'a PagePath>,
    /// Number of its pages.
    pub pages: usize,
    /// The segment in each locale, in the order of the locales that were asked; `None` where a locale needs no words.
    pub locales: Vec<Option<SegmentView<'a>>>,
}

/// The texts that a query allows, before states count.
struct Selection(Vec<bool>);

impl Selection {
    fn of(query: &SegmentQuery, source: &SourceSegments, locales: &[Arc<LocaleSegments>]) -> Self {
        let text = query.text.as_deref().map(|text| folded(text.trim()));
        let text = text.filter(|text| !text.is_empty());
        let mut allowed = vec![text.is_none(); source.len()];
        if let Some(text) = &text {
            let mut matches = Vec::new();
            if query.searched != SearchedText::Translation {
                source.read.search(text, |index| matches.push(index));
            }
            if query.searched != SearchedText::Source {
                for locale in locales {
                    locale.search(text, |index| matches.push(index));
                }
            }
            for index in matches {
                if let Some(place) = allowed.get_mut(index) {
                    *place = true;
                }
            }
        }
        if let Some(filter) = &query.pages {
            let pages = filter.select(&source.pages);
            for (index, place) in allowed.iter_mut().enumerate() {
                let mut of_text = source.pages(index).iter();
                *place = *place && of_text.any(|page| pages.get(*page as usize) == Some(&true));
            }
        }
        Self(allowed)
    }

    fn has(&self, index: usize) -> bool {
        self.0.get(index) == Some(&true)
    }
}

/// A part of a list that goes on behind a segment or an offset.
struct Part<'q> {
    query: &'q SegmentQuery,
    after: Option<usize>,
    indices: Vec<usize>,
    total: usize,
    passed: usize,
}

impl<'q> Part<'q> {
    fn of(query: &'q SegmentQuery, source: &SourceSegments) -> Self {
        Self {
            query,
            after: query.after.and_then(|key| source.find(key)),
            indices: Vec::new(),
            total: 0,
            passed: 0,
        }
    }

    /// Counts the next text in the order of the list, and adds it if it is within the part. The text that the part follows may itself
    /// not match.
    fn meet(&mut self, index: usize, is_wanted: bool) {
        if self.after == Some(index) {
            self.after = None;
            self.total += usize::from(is_wanted);
            return;
        }
        if !is_wanted {
            return;
        }
        self.total += 1;
        if self.after.is_some() {
            return;
        }
        if self.passed < self.query.offset {
            self.passed += 1;
        } else if self.indices.len() < self.query.limit {
            self.indices.push(index);
        }
    }
}

/// Numbers of all texts in the order of a list.
fn ordered(source: &SourceSegments, order: SegmentOrder) -> Box<dyn Iterator<Item = usize> + '_> {
    match order {
        SegmentOrder::Page => Box::new(0..source.len()),
        SegmentOrder::Source => Box::new(source.sorted().iter().map(|&index| index as usize)),
    }
}

impl LocaleSegments {
    /// Finds segments of this locale.
    pub fn find(self: &Arc<Self>, query: &SegmentQuery) -> FoundSegments<'_> {
        let selection = Selection::of(query, &self.source, std::slice::from_ref(self));
        let mut part = Part::of(query, &self.source);
        let mut counts = [0; SegmentState::ALL.len()];
        for index in ordered(&self.source, query.order) {
            let state = self.state(index);
            let state = state.filter(|_| selection.has(index));
            if let Some(state) = state {
                counts[state as usize] += 1;
            }
            part.meet(index, query.wants(state));
        }
        let views = part.indices.iter().filter_map(|&index| self.view(index));
        FoundSegments {
            items: views.collect(),
            total: part.total,
            counts,
        }
    }
}

/// Finds texts in several locales of a site, and says how many there are. A state counts if the text has it in one of them.
pub fn find_in_all<'a>(
    locales: &'a [Arc<LocaleSegments>],
    query: &SegmentQuery,
) -> (Vec<SiteSegment<'a>>, usize) {
    let Some(first) = locales.first() else {
        return (Vec::new(), 0);
    };
    let source = &first.source;
    let selection = Selection::of(query, source, locales);
    let mut part = Part::of(query, source);
    for index in ordered(source, query.order) {
        let mut states = locales.iter().map(|locale| locale.state(index));
        let is_wanted = selection.has(index) && states.any(|state| query.wants(state));
        part.meet(index, is_wanted);
    }
    let mut items = Vec::new();
    for &index in &part.indices {
        let Some(key) = source.keys.get(index) else {
            continue;
        };
        let pages = source.pages(index);
        let page = pages
            .first()
            .and_then(|page| source.pages.get(*page as usize));
        items.push(SiteSegment {
            key: *key,
            source: source.markup.get(index),
            page,
            pages: pages.len(),
            locales: locales.iter().map(|locale| locale.view(index)).collect(),
        });
    }
    (items, part.total)
}
