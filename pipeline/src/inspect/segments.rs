//! Segments of a site to list, search and look at: each text once, with its translation in a locale and its state.
//!
//! An index in memory answers. It is made from what the last build kept ([`crate::run::corpus::stored_texts`]) and from the words
//! that people and the memory have now, by the functions that a build uses; no page is read, and no engine is asked. An index is
//! current as long as its stamp is; [`SegmentIndexes`] keeps those that were used last.

mod detail;
mod index;
mod indexes;
mod load;
mod query;
mod replace;
mod stamp;
mod strings;

pub use detail::{SegmentCode, SegmentDetail, SegmentOnPage};
pub use index::{
    LocaleSegments, SegmentOrigin, SegmentState, SegmentView, SegmentsRevision, WaitingTranslation,
};
pub use indexes::SegmentIndexes;
pub use query::{
    FoundSegments, PageSelection, SearchedText, SegmentOrder, SegmentQuery, SiteSegment,
    find_in_all,
};
pub use replace::Replacement;
