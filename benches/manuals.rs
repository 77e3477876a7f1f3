//! Cost of incremental builds of real manuals, from Debian's packages.
//!
//! Builds each installed manual in Spanish and Arabic with the engine `pseudo`, then again after no edit and after edits of one page,
//! 1 % and 10 % of the pages. Prints processor time (user and system, the smallest of LATIMER_BENCH_ROUNDS rounds), peak memory and
//! the share of the first build's time. Only the shares are comparable between machines.
//!
//! `apt install linux-doc-6.1 python3.11-doc apache2-doc rust-doc`, then `cargo bench --bench manuals`. LATIMER_MANUALS names other
//! folders: `name=/path,other=/path`. A missing folder is reported as NOT RUN, and the benchmark succeeds.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/cost.rs"]
mod cost;
#[path = "support/share.rs"]
mod share;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use cost::{Cost, cost};
use share::{CASES, edited, mib};

const ROUNDS: usize = 1;
/// Manuals with their generators and the folders of their Debian packages.
const MANUALS: [(&str, &str); 4] = [
    ("Linux kernel (Sphinx)", "/usr/share/doc/linux-doc-6.1/html"),
    ("Python (Sphinx)", "/usr/share/doc/python3.11/html"),
    ("Apache httpd", "/usr/share/doc/apache2-doc/manual/en"),
    ("Rust (mdBook, rustdoc)", "/usr/share/doc/rust-doc/html"),
];
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
    let rounds = std::env::var("LATIMER_BENCH_ROUNDS")
        .map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    let named = std::env::var("LATIMER_MANUALS").unwrap_or_default();
    let mut manuals: Vec<(&str, &str)> = named
        .split(',')
        .filter_map(|manual| manual.split_once('='))
        .collect();
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
    // Links into packages that are not installed lead nowhere.
    let copy = Command::new("cp")
        .arg("-rL")
        .arg(manual)
        .arg("source")
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    copy.expect("the manual cannot be copied");
    fs::write(folder.join("latimer.toml"), CONFIG).unwrap();
    let mut pages = Vec::new();
    find_pages(&folder.join("source"), &mut pages);
    pages.sort();
    let first = (0..rounds).map(|_| {
        ["dist", ".latimer"]
            .iter()
            .for_each(|made| drop(fs::remove_dir_all(folder.join(made))));
        build(folder)
    });
    let (first, memory) = first.reduce(smaller).unwrap();
    println!(
        "{name}: {} pages, all of them: {first:.2} s, {}",
        pages.len(),
        mib(memory)
    );
    let mut edit = 0;
    for (case, of_thousand) in CASES {
        let changed = edited(pages.len(), of_thousand);
        let rounds = (0..rounds).map(|_| {
            edit += 1;
            let places = (0..changed).map(|number| number * (pages.len() / changed.max(1)));
            places.for_each(|place| add_sentence(&pages[place], edit));
            build(folder)
        });
        let (built, memory) = rounds.reduce(smaller).unwrap();
        println!(
            "  {case:28}{built:>8.2} s{:>10}{:>8.1} %",
            mib(memory),
            100.0 * built / first
        );
    }
}

fn build(folder: &Path) -> Cost {
    cost(folder, &[env!("CARGO_BIN_EXE_latimer"), "build", "--quiet"]).expect("the build fails")
}

fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            find_pages(&entry, pages);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "html")
            && has_paragraph(&entry)
        {
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
    fs::write(
        page,
        html.replacen("<p>", &format!("<p>This sentence is of edit {edit}. "), 1),
    )
    .unwrap();
}

fn smaller(one: Cost, other: Cost) -> Cost {
    (one.0.min(other.0), one.1.max(other.1))
}
