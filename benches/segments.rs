//! Cost of listing and searching texts: the first request, which builds the index, beside reading the same rows from the state; and
//! later requests.
//!
//! The site is made here, the same in every run, with a text of its own in nearly every place: 3,300 pages with 300,000 texts,
//! or as many pages as LATIMER_PAGES says. The program builds it; the index is made in this process. Times are wall time.
//!
//! `cargo bench --bench segments`

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/settings.rs"]
mod settings;
#[path = "support/site.rs"]
mod site;

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pipeline::config::Config;
use pipeline::inspect::{
    LocaleSegments, PageSelection, SegmentIndexes, SegmentOrder, SegmentQuery, SegmentState,
};
use pipeline::run::{BuildOptions, Stores};
use pipeline::state::State;
use pipeline::store::{Objects, Published};
use tempfile::TempDir;

const PAGES: usize = 3300;
/// Repetitions of each query.
const ROUNDS: usize = 40;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let pages =
        std::env::var("LATIMER_PAGES").map_or(PAGES, |pages| pages.parse().expect("a number"));
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let file = folder.join("latimer.toml");
    fs::write(&file, settings::CONFIG).unwrap();
    (0..pages).for_each(|page| site::write(folder, page, 0, site::PARAGRAPHS));
    let built = Command::new(env!("CARGO_BIN_EXE_latimer"))
        .args(["build", "-q"])
        .current_dir(folder)
        .status();
    assert!(built.unwrap().success(), "the build fails");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(folder, &file));
}

async fn measure(folder: &std::path::Path, file: &std::path::Path) {
    let config = Config::parse(&fs::read_to_string(file).unwrap(), file, &|_| None).unwrap();
    let site = Arc::new(config.sites.into_iter().next().unwrap());
    let stores = Stores {
        objects: Objects::folder(&folder.join("dist")).unwrap(),
        state: Arc::new(State::open(&folder.join(".latimer/state.redb")).unwrap()),
    };
    let published = Published::newest(&stores.objects, &site.id, None)
        .await
        .unwrap()
        .unwrap();
    let begin = Instant::now();
    let mut texts = 0;
    let mut bytes = 0;
    stores
        .state
        .site_texts(&site.id, |_, found| {
            for text in found.into_iter().filter_map(|(_, text)| text) {
                texts += 1;
                bytes += text.text.to_markup().len();
            }
        })
        .unwrap();
    let rows = begin.elapsed();
    let indexes = SegmentIndexes::default();
    let options = BuildOptions::default();
    let begin = Instant::now();
    let made = indexes
        .make(&site, &stores, &options, &published, &site.locales)
        .await
        .unwrap();
    let first = begin.elapsed();
    let segments = made.first().unwrap();
    let all = segments.find(&SegmentQuery {
        limit: usize::MAX,
        ..SegmentQuery::default()
    });
    let translations = all
        .items
        .iter()
        .map(|segment| segment.translation.map_or(0, str::len));
    let bytes = bytes + translations.sum::<usize>();
    let allowed = 2 * bytes + 100 * texts;
    println!(
        "{texts} texts: first use {:.2} s, {:.1} times reading the rows ({:.2} s); memory {} MB, {:.2} of what is allowed ({} MB)",
        first.as_secs_f64(),
        first.as_secs_f64() / rows.as_secs_f64(),
        rows.as_secs_f64(),
        indexes.bytes() >> 20,
        share(indexes.bytes(), allowed),
        allowed >> 20,
    );
    let query = || SegmentQuery {
        limit: 50,
        ..SegmentQuery::default()
    };
    let text = |text: &str| SegmentQuery {
        text: Some(text.to_owned()),
        ..query()
    };
    for (name, query) in [
        ("all", query()),
        (
            "machine",
            SegmentQuery {
                states: vec![SegmentState::Machine],
                ..query()
            },
        ),
        (
            "far behind",
            SegmentQuery {
                offset: texts / 2,
                ..query()
            },
        ),
        ("a rare word", text("Wilvinchi bake")),
        ("a word that most have", text("BA")),
        ("no word", text("zzz")),
        (
            "pages of a folder",
            SegmentQuery {
                pages: Some(PageSelection::parse("/s1/**").unwrap()),
                ..query()
            },
        ),
        (
            "by the alphabet",
            SegmentQuery {
                order: SegmentOrder::Source,
                ..query()
            },
        ),
    ] {
        let (total, slowest) = ask(segments, &query);
        println!(
            "{name:24}{total:>8} found, 95 of 100 within {:.1} ms",
            slowest.as_secs_f64() * 1000.0
        );
    }
    let begin = Instant::now();
    let again = indexes
        .current(&site, &stores, &published, &site.locales)
        .await
        .unwrap();
    assert!(again.is_some());
    println!(
        "the look whether it is current: {:.2} ms",
        begin.elapsed().as_secs_f64() * 1000.0
    );
}

/// Repeats a query; returns its number of results and the 95th percentile of its time.
fn ask(segments: &Arc<LocaleSegments>, query: &SegmentQuery) -> (usize, Duration) {
    let mut total = 0;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        total = std::hint::black_box(segments.find(query)).total;
        times.push(begin.elapsed());
    }
    // The first one may sort all texts.
    times.remove(0);
    times.sort_unstable();
    (total, times[times.len() * 95 / 100])
}

#[expect(
    clippy::cast_precision_loss,
    reason = "bytes of memory are fewer than 2^52"
)]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
