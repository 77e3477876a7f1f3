//! What a build costs when little changed, as a share of a build of everything, beside rsync copying the same pages.
//!
//! The site is made here, the same in every run, with a text of its own in nearly every place: 1,000 pages, or as many as
//! LATIMER_PAGES says. Figures are processor time, user and system, of three rounds each the smallest. Only the shares mean
//! anything on another machine.
//!
//! `cargo bench --bench rebuild`. Without bash it says NOT RUN and succeeds; without rsync its column is empty.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const ROUNDS: u32 = 3;
const PARAGRAPHS: usize = 90;
const CONFIG: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["en-XA"]
engine = "pseudo"
url = "https://www.example.com/{lang}"
"#;
/// What changes, and on how many of a thousand pages.
const CASES: [(&str, usize); 4] =
    [("nothing", 0), ("one page", 1), ("1 % of the pages", 10), ("10 % of the pages", 100)];

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if processor_time(Path::new("."), &["true"]).is_none() {
        println!("NOT RUN: the benchmark of builds needs bash");
        return;
    }
    let pages = std::env::var("LATIMER_PAGES").map_or(1000, |pages| pages.parse().expect("a number of pages"));
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("latimer.toml"), CONFIG).unwrap();
    (0..pages).for_each(|page| write(folder, page, 0));
    let latimer = || processor_time(folder, &[env!("CARGO_BIN_EXE_latimer"), "build"]).expect("the build fails");
    let rsync = || processor_time(folder, &["rsync", "-a", "--checksum", "source/", "copy"]);
    let full = (0..ROUNDS).map(|_| {
        ["dist", "copy"].iter().for_each(|made| drop(fs::remove_dir_all(folder.join(made))));
        (latimer(), rsync())
    });
    let (full, copied) = full.reduce(smaller).unwrap();
    println!("{pages} pages, all of them: {full:.2} s; share of that{:>24}{:>10}", "latimer", "rsync");
    let mut edit = 0;
    for (name, of_thousand) in CASES {
        let changed = if of_thousand == 1 { 1 } else { pages * of_thousand / 1000 };
        let rounds = (0..ROUNDS).map(|_| {
            edit += 1;
            (0..changed).for_each(|page| write(folder, page * (pages / changed.max(1)), edit));
            (latimer(), rsync())
        });
        let (built, again) = rounds.reduce(smaller).unwrap();
        let peer =
            again.zip(copied).map_or_else(String::new, |(again, copied)| format!("{:.1} %", 100.0 * again / copied));
        println!("{name:48}{:>8.1} %{peer:>10}", 100.0 * built / full);
    }
}

type Round = (f64, Option<f64>);

fn smaller(one: Round, other: Round) -> Round {
    (one.0.min(other.0), one.1.zip(other.1).map(|(one, other)| one.min(other)))
}

/// Seconds of processor time that a program takes, user and system; nothing where it fails or is not there.
fn processor_time(folder: &Path, command: &[&str]) -> Option<f64> {
    let timed = "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>&1 || exit";
    let mut bash = Command::new("bash");
    let bash = bash.args(["-c", timed, "bash"]).args(command).current_dir(folder).env("LC_ALL", "C");
    let output = bash.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    let said = String::from_utf8(output.stderr).ok()?;
    Some(said.split_whitespace().map(|seconds| seconds.parse::<f64>().unwrap()).sum())
}

/// Writes a page; with another `edit`, one of its texts is another.
fn write(folder: &Path, page: usize, edit: usize) {
    let section = folder.join(format!("source/s{}", page / 100));
    let mut html = format!("<!DOCTYPE html><html lang=\"en\"><title>Page {}</title><body>", words(page, 3));
    let _ = write!(html, "<nav><a href=\"/s0/p0.html\">Start</a></nav><p>{}.</p>", words(page + 7919 * edit, 12));
    for paragraph in 0..PARAGRAPHS {
        let seed = page * 1000 + paragraph + 1;
        let _ = match paragraph % 7 {
            0 => writeln!(html, "<h2>{}</h2>", words(seed, 4)),
            3 => writeln!(html, "<p>{} <a href=\"p{}.html\">{}</a>.</p>", words(seed, 9), seed % 97, words(seed, 2)),
            5 => writeln!(html, "<p>{} <b>{}</b> and more.</p>", words(seed, 7), words(seed, 2)),
            _ => writeln!(html, "<p>{}.</p>", words(seed, 17)),
        };
    }
    fs::create_dir_all(&section).unwrap();
    fs::write(section.join(format!("p{page}.html")), html).unwrap();
}

/// Made-up words, the same for the same seed.
fn words(seed: usize, count: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ke", "lo", "ti", "mu", "ran", "sel", "dor", "vin", "pa", "chi", "nor", "ga", "tes", "wil", "er"];
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut word = || (0..=next() % 3).map(|_| SYLLABLES[next() % 16]).collect::<String>();
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}
