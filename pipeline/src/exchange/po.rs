//! GNU PO files: reviewed human translations, the truth for human text.
//!
//! `msgid` and `msgstr` hold the notation of [`crate::page::CodedText::to_markup`]; the context is absent for prose and
//! `label` for labels, and a label without an entry of its own takes the one without context. Fuzzy, empty and plural
//! entries translate nothing; obsolete ones translate their text where it stands on the site again. An update keeps
//! everything people wrote: their order, comments, flags and header, and texts that have vanished from the site, which
//! become obsolete and come back when the text does.

mod catalogue;
mod error;
mod header;
mod overlay;
mod quoted;
mod read;
mod write;

pub use catalogue::{Catalogue, Vanished, WaitingWords};
pub use error::PoError;
pub use overlay::{Decision, OverlaidWords};
pub use write::{Detail, InheritedTranslation, Use};

#[cfg(test)]
mod tests;
