//! What a build costs when little changed, as a share of a build of everything, beside rsync copying the same pages.
//!
//! The site is made here, the same in every run, with a text of its own in nearly every place: 1,000 pages, or as many as
//! LATIMER_PAGES says. Figures are processor time, user and system, of three rounds (LATIMER_BENCH_ROUNDS) each the smallest, and
//! the most memory that a build took in any of them. Only the shares mean anything on another machine. At the end stands how large the
//! state became.
//!
//! `cargo bench --bench rebuild`; `tests/run --nightly` does it with 50,000 pages, and with 100,000 small ones that no engine
//! changes and nobody compresses (LATIMER_SMALL=1). Without bash it says NOT RUN and succeeds; without
//! rsync its column is empty, and outside of Linux that of memory.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/cost.rs"]
mod cost;
#[path = "support/settings.rs"]
mod settings;
#[path = "support/share.rs"]
mod share;
#[path = "support/site.rs"]
mod site;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use cost::{Cost, cost};
use settings::CONFIG;
use share::{CASES, edited, mib};
use site::{PARAGRAPHS, write};

const ROUNDS: usize = 3;
/// Of small pages, of which most of the cost is that there are so many.
const SMALL: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["es"]
engine = "identity"
url = "https://www.example.com/{lang}"
min_translated = 0.0
crawl = { max_pages = 1000000 }

[engine.identity]
kind = "identity"

[store]
variants = []
"#;
const SMALL_PARAGRAPHS: usize = 4;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if cost(Path::new("."), &["true"]).is_none() {
        println!("NOT RUN: the benchmark of builds needs bash");
        return;
    }
    let number =
        |name, usual| std::env::var(name).map_or(usual, |number| number.parse().expect("a number"));
    let pages = number("LATIMER_PAGES", 1000);
    let rounds = number("LATIMER_BENCH_ROUNDS", ROUNDS);
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let (config, paragraphs) = if number("LATIMER_SMALL", 0) > 0 {
        (SMALL, SMALL_PARAGRAPHS)
    } else {
        (CONFIG, PARAGRAPHS)
    };
    fs::write(folder.join("latimer.toml"), config).unwrap();
    (0..pages).for_each(|page| write(folder, page, 0, paragraphs));
    let latimer =
        || cost(folder, &[env!("CARGO_BIN_EXE_latimer"), "build"]).expect("the build fails");
    let rsync = || cost(folder, &["rsync", "-a", "--checksum", "source/", "copy"]);
    let full = (0..rounds).map(|_| {
        ["dist", "copy"]
            .iter()
            .for_each(|made| drop(fs::remove_dir_all(folder.join(made))));
        (latimer(), rsync())
    });
    let (full, copied) = full.reduce(smaller).unwrap();
    let (full, memory) = full;
    let copied = copied.map(|(copied, _)| copied);
    println!(
        "{pages} pages, all of them: {full:.2} s, {}; share of that{:>16}{:>10}",
        mib(memory),
        "latimer",
        "rsync"
    );
    let state = || fs::metadata(folder.join(".latimer/state.redb")).map_or(0, |state| state.len());
    let mut edit = 0;
    let before = state();
    for (name, of_thousand) in CASES {
        let changed = edited(pages, of_thousand);
        let rounds = (0..rounds).map(|_| {
            edit += 1;
            (0..changed)
                .for_each(|page| write(folder, page * (pages / changed.max(1)), edit, paragraphs));
            (latimer(), rsync())
        });
        let ((built, memory), again) = rounds.reduce(smaller).unwrap();
        let share = |(again, _): (f64, u64)| Some(format!("{:.1} %", 100.0 * again / copied?));
        let peer = again.and_then(share).unwrap_or_default();
        println!(
            "{name:28}{built:>8.2} s{:>10}{:>8.1} %{peer:>10}",
            mib(memory),
            100.0 * built / full
        );
    }
    println!(
        "the state: {} after the first build, {} after all",
        mib(before >> 10),
        mib(state() >> 10)
    );
}

type Round = (Cost, Option<Cost>);

fn smaller(one: Round, other: Round) -> Round {
    let least = |one: Cost, other: Cost| (one.0.min(other.0), one.1.max(other.1));
    (
        least(one.0, other.0),
        one.1.zip(other.1).map(|(one, other)| least(one, other)),
    )
}
