//! Pages of a source that are not in its language stay as they are, unless there are too many of them to be believed.

use crate::model::{Locale, PagePath};
use crate::page::Segment;
use crate::text::MOST_ELSEWHERE as MOST;

/// A page that is in another language, and its texts, until it is known how many of them there are.
pub(super) struct Other {
    pub(super) path: PagePath,
    pub(super) language: Locale,
    pub(super) segments: Vec<Segment>,
    pub(super) found: Vec<Segment>,
}

/// What is to be said of such pages; each is named with its language.
pub(super) fn notice(others: &str, source: &Locale, is_mistake: bool) -> String {
    match is_mistake {
        true => format!(
            "more than {MOST} % of the pages say that they are in another language and read like it; they are translated \
             from {source} all the same, because `source_locale` says so: {others}"
        ),
        false => format!(
            "pages in another language than {source}, by their lang and their words, stay as they are: {others}"
        ),
    }
}
