//! Translations as files that people and their tools keep: PO for human text, sorted JSON lines for machine text.
//!
//! PO files are primary data: an update never loses a reviewed translation. The JSON lines only save a fresh checkout from
//! paying again; broken lines are reported and skipped.

mod glossary;
mod memory_lines;
mod memory_rows;
mod po;
mod row_lines;
mod slugs;

pub use glossary::{Glossary, GlossaryError, SuggestedLine, glossary_lines};
pub use memory_lines::{BrokenLine, MemoryLines, MemoryLinesError};
pub use memory_rows::{MemoryRow, MemoryRows, MemoryRowsError};
pub use po::{
    Catalogue, Decision, Detail, InheritedTranslation, OverlaidWords, PoError, Use, Vanished,
    WaitingWords,
};
pub use row_lines::RowLinesError;
pub(crate) use row_lines::{RowReader, RowWriter, check_form};
pub use slugs::{Slug, SlugFile, SlugsError};
