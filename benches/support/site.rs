//! A site that is made anew each time, the same in every run, with a text of its own in nearly every place.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// How many paragraphs a page has.
pub(crate) const PARAGRAPHS: usize = 90;

/// Writes a page below `source`; with another `edit`, one of its texts is another.
pub(crate) fn write(folder: &Path, page: usize, edit: usize, paragraphs: usize) {
    let section = folder.join(format!("source/s{}", page / 100));
    let mut html = format!(
        "<!DOCTYPE html><html lang=\"en\"><title>Page {}</title><body>",
        words(page, 3)
    );
    let _ = write!(
        html,
        "<nav><a href=\"/s0/p0.html\">Start</a></nav><p>{}.</p>",
        words(page + 7919 * edit, 12)
    );
    // All of them are there once the site is written.
    let near = |seed: usize| (page / 100 * 100 + seed % 97).min(page);
    for paragraph in 0..paragraphs {
        let seed = page * 1000 + paragraph + 1;
        let _ = match paragraph % 7 {
            0 => writeln!(html, "<h2>{}</h2>", words(seed, 4)),
            3 => writeln!(
                html,
                "<p>{} <a href=\"p{}.html\">{}</a>.</p>",
                words(seed, 9),
                near(seed),
                words(seed, 2)
            ),
            5 => writeln!(
                html,
                "<p>{} <b>{}</b> and more.</p>",
                words(seed, 7),
                words(seed, 2)
            ),
            _ => writeln!(html, "<p>{}.</p>", words(seed, 17)),
        };
    }
    fs::create_dir_all(&section).unwrap();
    fs::write(section.join(format!("p{page}.html")), html).unwrap();
}

/// Made-up words, the same for the same seed.
fn words(seed: usize, count: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ke", "lo", "ti", "mu", "ran", "sel", "dor", "vin", "pa", "chi", "nor", "ga", "tes",
        "wil", "er",
    ];
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut word = || {
        (0..=next() % 3)
            .map(|_| SYLLABLES[next() % 16])
            .collect::<String>()
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}
