//! The library from outside: crawls, and builds that pass over what did not change.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod crawl;
mod incremental;
