//! The translation memory in a build: looked up, kept as engines answer, and shared with other builders.
//!
//! A memory has three copies. The state has its rows (`state/memory.rs`), and everything else is made equal to them: files of
//! the object store (`store/memory.rs`), which other builders read, and the owner's file beside the configuration. The formats
//! of both are in `exchange/memory_rows.rs` and `exchange/memory_lines.rs`.

pub(in crate::run) mod keeper;
pub(in crate::run) mod lines;
pub(in crate::run) mod new_rows;
pub(crate) mod recall;
pub(crate) mod store_files;
