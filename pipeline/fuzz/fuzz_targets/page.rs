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
    let html = std::str::from_utf8(page).ok().filter(|html| charset.is_none() && is_judged(html));
    laws::check(page, charset, html, &String::from_utf8_lossy(page));
});

/// Whether it is certain how a browser reads a page in UTF-8. Not when it declares something else; and in a frameset
/// browsers ignore a title's tags, but lol_html still reads markup after them as text.
fn is_judged(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    let is_utf_8 = |declared: &str| ["=utf-8", "=\"utf-8"].iter().any(|utf_8| declared.starts_with(utf_8));
    html.split("charset").skip(1).all(is_utf_8) && !html.contains("frameset")
}
