//! Builds in the store of a test.
