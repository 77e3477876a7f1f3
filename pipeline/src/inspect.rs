//! Looks at a site without publishing anything: where a page's texts come from, how good its engines are, and what its
//! translators have to do.
//!
//! What is said is found out by the functions that a build uses ([`crate::run`]), so it is what a build would do now. A
//! plan is not here: it is a run, ordered and recorded like a build.

mod engine_test;
mod evaluate;
mod explain;
mod export;
mod forget;
mod samples;
mod score;
mod segments;
mod suggest;

pub use engine_test::{EngineTest, KeptParts, test_engine};
pub use evaluate::{Evaluation, Examination, TextScore, examine};
pub use explain::{
    Explained, Explanation, KeptText, NoExplanation, OutdatedText, PageInLocale, PageStanding,
    TextOrigin, TextSource, explain,
};
pub use export::{Untranslated, export_po};
pub use forget::{ForgetError, ForgetSelection, Forgotten, forget};
pub use samples::sample_languages;
pub use score::{Score, chrf};
pub use segments::{
    FoundSegments, LocaleSegments, PageSelection, Replacement, SearchedText, SegmentCode,
    SegmentDetail, SegmentIndexes, SegmentOnPage, SegmentOrder, SegmentOrigin, SegmentQuery,
    SegmentState, SegmentView, SegmentsRevision, SiteSegment, WaitingTranslation, find_in_all,
};
pub use suggest::{SuggestedTerm, suggest_terms, suggested_lines};
