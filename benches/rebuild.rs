//! What a build costs when little changed, as a share of a build of everything, beside rsync copying the same pages.
//!
//! The site is made here, the same in every run, with a text of its own in nearly every place: 1,000 pages, or as many as
//! LATIMER_PAGES says. Figures are processor time, user and system, of three rounds (LATIMER_BENCH_ROUNDS) each the smallest, and
//! the most memory that a build took in any of them. Only the shares mean anything on another machine.
//!
//! `cargo bench --bench rebuild`; `tests/run --nightly` does it with 50,000 pages. Without bash it says NOT RUN and succeeds; without
//! rsync its column is empty, and outside of Linux that of memory.

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
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

const ROUNDS: usize = 3;
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
    if cost(Path::new("."), &["true"]).is_none() {
        println!("NOT RUN: the benchmark of builds needs bash");
        return;
    }
    let number = |name, usual| std::env::var(name).map_or(usual, |number| number.parse().expect("a number"));
    let (pages, rounds) = (number("LATIMER_PAGES", 1000), number("LATIMER_BENCH_ROUNDS", ROUNDS));
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("latimer.toml"), CONFIG).unwrap();
    (0..pages).for_each(|page| write(folder, page, 0));
    let latimer = || cost(folder, &[env!("CARGO_BIN_EXE_latimer"), "build"]).expect("the build fails");
    let rsync = || cost(folder, &["rsync", "-a", "--checksum", "source/", "copy"]);
    let full = (0..rounds).map(|_| {
        ["dist", "copy"].iter().for_each(|made| drop(fs::remove_dir_all(folder.join(made))));
        (latimer(), rsync())
    });
    let (full, copied) = full.reduce(smaller).unwrap();
    let (full, memory) = full;
    let copied = copied.map(|(copied, _)| copied);
    println!("{pages} pages, all of them: {full:.2} s, {}; share of that{:>16}{:>10}", mib(memory), "latimer", "rsync");
    let mut edit = 0;
    for (name, of_thousand) in CASES {
        let changed = if of_thousand == 1 { 1 } else { pages * of_thousand / 1000 };
        let rounds = (0..rounds).map(|_| {
            edit += 1;
            (0..changed).for_each(|page| write(folder, page * (pages / changed.max(1)), edit));
            (latimer(), rsync())
        });
        let ((built, memory), again) = rounds.reduce(smaller).unwrap();
        let share = |(again, _): (f64, u64)| Some(format!("{:.1} %", 100.0 * again / copied?));
        let peer = again.and_then(share).unwrap_or_default();
        println!("{name:38}{:>10}{:>8.1} %{peer:>10}", mib(memory), 100.0 * built / full);
    }
}

/// Seconds of processor time, and the most memory in KiB.
type Cost = (f64, u64);

type Round = (Cost, Option<Cost>);

fn smaller(one: Round, other: Round) -> Round {
    let least = |one: Cost, other: Cost| (one.0.min(other.0), one.1.max(other.1));
    (least(one.0, other.0), one.1.zip(other.1).map(|(one, other)| least(one, other)))
}

fn mib(kib: u64) -> String {
    if kib == 0 { String::new() } else { format!("{} MiB", kib >> 10) }
}

/// What a program takes, user and system; nothing where it fails or is not there.
fn cost(folder: &Path, command: &[&str]) -> Option<Cost> {
    let timed = "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>&1 || exit";
    let mut bash = Command::new("bash");
    let bash = bash.args(["-c", timed, "bash"]).args(command).current_dir(folder).env("LC_ALL", "C");
    let child = bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()?;
    let id = child.id();
    let waiting = thread::spawn(move || child.wait_with_output());
    let mut most = 0;
    while !waiting.is_finished() {
        most = most.max(peak(id).unwrap_or_default());
        thread::park_timeout(Duration::from_millis(5));
    }
    let output = waiting.join().unwrap().ok().filter(|output| output.status.success())?;
    let said = String::from_utf8(output.stderr).ok()?;
    Some((said.split_whitespace().map(|seconds| seconds.parse::<f64>().unwrap()).sum(), most))
}

/// The most memory that the program of a shell has taken so far, in KiB.
fn peak(shell: u32) -> Option<u64> {
    let child = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).ok()?;
    let status = fs::read_to_string(format!("/proc/{}/status", child.split_whitespace().next()?)).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok())
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
