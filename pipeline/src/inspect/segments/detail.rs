//! Surroundings of one segment: its codes, and the texts before and after it on its pages.

use super::index::{LocaleSegments, SegmentView};
use crate::model::{PagePath, SegmentKey, SiteId};
use crate::page::{CodeKind, Segment};
use crate::run::{BuildError, Stores};
use crate::state::State;

/// Most pages of a segment that are named.
const MOST_PAGES: usize = 20;

/// A segment with its surroundings.
#[derive(Clone, Debug)]
pub struct SegmentDetail {
    /// The codes of the source text, in the order of their numbers.
    pub codes: Vec<SegmentCode>,
    /// The first pages of the segment.
    pub pages: Vec<SegmentOnPage>,
}

/// An inline code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentCode {
    /// Its number in the notation.
    pub id: usize,
    /// Its kind.
    pub kind: CodeKind,
    /// Its element.
    pub element: String,
}

/// A page of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentOnPage {
    /// The page.
    pub path: PagePath,
    /// The text before it, in the notation.
    pub previous: Option<String>,
    /// The text behind it, in the notation.
    pub next: Option<String>,
}

impl LocaleSegments {
    /// The surroundings of a segment.
    ///
    /// # Errors
    /// A [`BuildError`] if the state cannot be read.
    pub async fn detail(
        &self,
        stores: &Stores,
        site: &SiteId,
        segment: &SegmentView<'_>,
    ) -> Result<SegmentDetail, BuildError> {
        let key = segment.key;
        let index = self.source.find(key).unwrap_or(usize::MAX);
        let numbers = self.source.pages(index).iter().take(MOST_PAGES);
        let paths = numbers.filter_map(|page| self.source.pages.get(*page as usize));
        let paths: Vec<PagePath> = paths.cloned().collect();
        let id = site.clone();
        let read = move |state: &State| {
            let mut pages = Vec::new();
            for path in paths {
                let keys = state.page_texts(&id, &path)?;
                pages.push((path, keys));
            }
            Ok((state.site_text(&id, key)?, pages))
        };
        let (text, pages) = stores.with_state(read).await?;
        let pages = pages.into_iter().map(|(path, keys)| {
            let at = keys.iter().position(|found| *found == key);
            let beside = |place: Option<usize>| self.source_of(*keys.get(place?)?);
            SegmentOnPage {
                path,
                previous: beside(at.and_then(|at| at.checked_sub(1))),
                next: beside(at.map(|at| at + 1)),
            }
        });
        Ok(SegmentDetail {
            pages: pages.collect(),
            codes: text.as_ref().map(codes).unwrap_or_default(),
        })
    }

    fn source_of(&self, key: SegmentKey) -> Option<String> {
        let index = self.source.find(key)?;
        Some(self.source.markup.get(index).to_owned())
    }
}

fn codes(segment: &Segment) -> Vec<SegmentCode> {
    let codes = (1..).zip(segment.codes.iter());
    codes
        .map(|(id, code)| SegmentCode {
            id,
            kind: code.kind,
            element: code.element().to_owned(),
        })
        .collect()
}
