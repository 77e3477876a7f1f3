//! What a build costs when little changed on sites that nobody here wrote: manuals of Debian's packages.
//!
//! Each manual that is installed is built in Spanish and Arabic by the engine `pseudo`, again with nothing changed, with a sentence more on
//! one page, on 1 % and on 10 % of the pages. Figures are processor time, user and system, of one round (LATIMER_BENCH_ROUNDS)
//! each the smallest, the most memory that a build took, and the share of the first build's time. Only the shares mean anything
//! on another machine.
//!
//! `apt install linux-doc-6.1 python3.11-doc apache2-doc rust-doc`, then `cargo bench --bench manuals`. LATIMER_MANUALS names other
//! folders: `name=/path,other=/path`. What is not there is NOT RUN, and that succeeds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/cost.rs"]
mod cost;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use cost::{Cost, cost};

const ROUNDS: usize = 1;
/// The manuals, each with its generator, and where Debian has it.
const MANUALS: [(&str, &str); 4] = [
    ("Linux kernel (Sphinx)", "/usr/share/doc/linux-doc-6.1/html"),
    ("Python (Sphinx)", "/usr/share/doc/python3.11/html"),
    ("Apache httpd", "/usr/share/doc/apache2-doc/manual"),
    ("Rust (mdBook, rustdoc)", "/usr/share/doc/rust-doc/html"),
];
/// What changes, and on how many of a thousand pages.
const CASES: [(&str, usize); 4] =
    [("nothing", 0), ("one page", 1), ("1 % of the pages", 10), ("10 % of the pages", 100)];
const CONFIG: &str = r#"
[[site]]
id = "manual"
source = "source"
source_locale = "en"
locales = ["es", "ar"]
engine = "pseudo"
url = "https://docs.example.com/{lang}"
min_translated = 0.0
crawl = { max_pages = 1000000 }
"#;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if cost(Path::new("."), &["true"]).is_none() {
        println!("NOT RUN: the benchmark of manuals needs bash");
        return;
    }
    let rounds = std::env::var("LATIMER_BENCH_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    let named = std::env::var("LATIMER_MANUALS").unwrap_or_default();
    let mut manuals: Vec<(&str, &str)> = named.split(',').filter_map(|manual| manual.split_once('=')).collect();
    if named.is_empty() {
        manuals.extend(MANUALS);
    }
    for (name, folder) in manuals {
        match Path::new(folder).is_dir() {
            true => measure(name, Path::new(folder), rounds),
            false => println!("NOT RUN: {name}: there is no {folder}"),
        }
    }
}

fn measure(name: &str, manual: &Path, rounds: usize) {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let copied = cost(folder, &["cp", "-rL", &manual.display().to_string(), "source"]);
    copied.expect("the manual cannot be copied");
    fs::write(folder.join("latimer.toml"), CONFIG).unwrap();
    let mut pages = Vec::new();
    find_pages(&folder.join("source"), &mut pages);
    pages.sort();
    let latimer = || cost(folder, &[env!("CARGO_BIN_EXE_latimer"), "build", "--quiet"]);
    let first = (0..rounds).map(|_| {
        ["dist", ".latimer"].iter().for_each(|made| drop(fs::remove_dir_all(folder.join(made))));
        latimer().expect("the build fails")
    });
    let (first, memory) = first.reduce(smaller).unwrap();
    println!("{name}: {} pages, all of them: {first:.2} s, {}", pages.len(), mib(memory));
    let mut edit = 0;
    for (case, of_thousand) in CASES {
        let changed = if of_thousand == 1 { 1 } else { pages.len() * of_thousand / 1000 };
        let rounds = (0..rounds).map(|_| {
            edit += 1;
            let places = (0..changed).map(|number| number * (pages.len() / changed.max(1)));
            places.for_each(|place| add_sentence(&pages[place], edit));
            latimer().expect("the build fails")
        });
        let (built, memory) = rounds.reduce(smaller).unwrap();
        println!("  {case:28}{built:>8.2} s{:>10}{:>8.1} %", mib(memory), 100.0 * built / first);
    }
}

fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            find_pages(&entry, pages);
        } else if entry.extension().is_some_and(|extension| extension == "html") && has_paragraph(&entry) {
            pages.push(entry);
        }
    }
}

fn has_paragraph(page: &Path) -> bool {
    fs::read_to_string(page).is_ok_and(|html| html.contains("<p>"))
}

/// Adds a sentence to the first paragraph of a page.
fn add_sentence(page: &Path, edit: usize) {
    let html = fs::read_to_string(page).unwrap();
    fs::write(page, html.replacen("<p>", &format!("<p>This sentence is of edit {edit}. "), 1)).unwrap();
}

fn smaller(one: Cost, other: Cost) -> Cost {
    (one.0.min(other.0), one.1.max(other.1))
}

fn mib(kib: u64) -> String {
    if kib == 0 { String::new() } else { format!("{} MiB", kib >> 10) }
}
