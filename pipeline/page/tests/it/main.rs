//! The page core from outside: its laws, on fixtures, on hostile pages and on what people and fuzzing made.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod directions;
mod encodings;
mod hostile_pages;
mod laws;
mod markup;
mod pages;
mod structure;
mod texts;
mod tree_construction;
mod untranslated;
mod words;
