//! The library from outside: the page core and its laws, and crawls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod crawl;
mod encodings;
mod hostile_pages;
mod laws;
mod markup;
mod pages;
mod structure;
mod tree_construction;
