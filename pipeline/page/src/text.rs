//! What is translated: segments, their text with inline codes and their keys, and whether a translation can stand for one.

pub(crate) mod arrow;
pub(crate) mod bidi;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod coded;
pub(crate) mod key;
pub(crate) mod segment;
