//! Arbitrary bytes as a page: whatever they are, the laws hold and nothing panics.
//!
//! The first byte chooses what the HTTP header declares; the page follows. `tests/fuzz` runs this.

#![no_main]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what is looked for is a panic")]

#[path = "../../tests/laws/mod.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

/// Every kind of encoding that has a way of its own through the code, and none: most pages are to be UTF-8.
const CHARSETS: [&str; 7] = ["windows-1252", "euc-kr", "shift_jis", "iso-2022-jp", "gb18030", "utf-16le", "utf-16be"];

fuzz_target!(|input: &[u8]| {
    let Some((first, page)) = input.split_first() else { return };
    let charset = CHARSETS.get(usize::from(*first)).copied();
    // In a frameset browsers ignore a title's tags but lol_html still reads markup after them as text.
    let html = std::str::from_utf8(page).ok().filter(|html| charset.is_none() && !html.contains("frameset"));
    laws::check(page, charset, html, &String::from_utf8_lossy(page));
});
