//! Arbitrary bytes as a page: whatever they are, the laws hold and nothing panics. `tests/fuzz` runs this.

#![no_main]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what is looked for is a panic")]

#[path = "../../tests/it/laws/mod.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| laws::check_input(input));
