//! Filters of lists and of changes of several texts.

use pipeline::inspect::{PageSelection, SearchedText, SegmentQuery, SegmentState};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::control::form::one;
use crate::http::error::ApiError;

/// Segments by state, text and page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentFilter")]
pub(super) struct Filter {
    /// States, separated by commas (default: all).
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    pub(super) state: Option<String>,
    /// Text to search for, ignoring case.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    pub(super) q: Option<String>,
    /// Texts to search: `source` or `translation` (default: both).
    #[serde(default, rename = "in")]
    pub(super) searched: Option<SearchedWord>,
    /// The source path of a page, or a pattern such as `/docs/**`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 2048))]
    pub(super) page: Option<String>,
}

impl Filter {
    /// The query of the filter, for all segments that it allows; `within` is the path of the filter in errors.
    pub(super) fn read(self, within: &str) -> Result<SegmentQuery, ApiError> {
        let mut states = Vec::new();
        for word in self.state.iter().flat_map(|states| states.split(',')) {
            let state = SegmentState::ALL
                .into_iter()
                .find(|state| state.code() == word);
            let all = SegmentState::ALL.map(SegmentState::code).join(", ");
            let why = format!("names no state; states are {all}");
            states
                .push(state.ok_or_else(|| one(&format!("{within}state"), "invalid_value", &why))?);
        }
        let pages = self.page.as_deref().map(PageSelection::parse).transpose();
        let pages = pages.map_err(|_| {
            let why = "is neither the path of a page nor a pattern such as /docs/**";
            one(&format!("{within}page"), "invalid_value", why)
        })?;
        Ok(SegmentQuery {
            states,
            text: self.q,
            searched: match self.searched {
                Some(SearchedWord::Source) => SearchedText::Source,
                Some(SearchedWord::Translation) => SearchedText::Translation,
                None => SearchedText::Both,
            },
            pages,
            limit: usize::MAX,
            ..SegmentQuery::default()
        })
    }
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentsSearched")]
pub(super) enum SearchedWord {
    Source,
    Translation,
}
