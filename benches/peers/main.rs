//! What localizing pages costs beside the least and the usual: passes of lol_html, and translate-toolkit's html2po and
//! po2html, on the same pages in one run.
//!
//! Everything runs on one core, one page after the other, read into memory before. Latimer parses a page, takes every
//! text's translation from a warm memory and renders one locale; the toolkit writes a PO file of the page and merges the
//! translated one, in one Python process, so that its start is not counted. Figures are of processor time; those of
//! Latimer and lol_html are medians over the rounds. Only the ratios mean anything on another machine.
//!
//! `LATIMER_CORPUS` names folders of pages; of large ones an evenly spread sample is taken. The toolkit is installed
//! from PyPI into `target/peers`; when that fails, its part says NOT RUN. Pages that it cannot convert are left out for
//! all.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "../support/pages.rs"]
mod pages;
mod toolkit;

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lol_html::html_content::TextChunk;
use lol_html::{HtmlRewriter, Settings, doc_text};
use pipeline::model::{Locale, SegmentKey};
use pipeline::page::{CodedText, Page, PageChanges, TextPiece};

const ROUNDS: usize = 7;
/// How long a pass is repeated, so that a clock of 100 ticks a second is fine enough.
const LONG: Duration = Duration::from_millis(700);
/// About how many bytes of pages are taken: the toolkit needs a minute for them.
const SAMPLE: u64 = 16_000_000;

/// Time of one pass over all pages.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    cpu: Duration,
    wall: Duration,
}

/// What is done to one page; gives a number that keeps the work from being left out.
type Pass<'w> = &'w dyn Fn(&[u8]) -> usize;

/// Translations of all pages by segment key.
type Memory = HashMap<SegmentKey, CodedText>;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut files = sample();
    let peer = toolkit::run(&files);
    if let Ok(costs) = &peer {
        let mut converted = costs.iter().map(Option::is_some);
        files.retain(|_| converted.next().unwrap_or(false));
    }
    let pages: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let bytes = pages.iter().map(Vec::len).sum::<usize>();
    let english = Locale::parse("en").unwrap();
    let memory = learn(&pages, &english);
    println!(
        "{} pages, {:.1} MB, {} texts\n",
        pages.len(),
        megabytes(bytes),
        memory.len()
    );
    println!(
        "{:44}{:>12}{:>12}{:>10}",
        "", "CPU ms/MB", "wall ms/MB", "MB/s CPU"
    );

    let passes: [(&str, Pass<'_>); 4] = [
        ("lol_html, no handler", &|html| pass(html, Settings::new())),
        ("lol_html, text handler", &|html| {
            pass(
                html,
                Settings::new().append_document_content_handler(looking()),
            )
        }),
        ("Latimer: parse", &|html| {
            Page::parse(html, None, &english).segments().count()
        }),
        ("Latimer: parse, memory, render", &|html| {
            localize(html, &english, &memory)
        }),
    ];
    let mut rounds = passes.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((_, work), costs) in passes.iter().zip(&mut rounds) {
            costs.push(measure(|| {
                pages.iter().map(|html| work(black_box(html))).sum()
            }));
        }
    }
    let [bare, text, parse, whole] = rounds.map(median);
    for ((name, _), cost) in passes.iter().zip([bare, text, parse, whole]) {
        print(name, cost, bytes);
    }
    println!(
        "\nLatimer's CPU is {:.2} times that of lol_html with a text handler (at most 3)",
        cpu_ratio(whole, text)
    );
    match peer {
        Ok(costs) => compare(costs.into_iter().flatten().collect(), whole, bytes),
        Err(reason) => println!("NOT RUN: the comparison with translate-toolkit ({reason})"),
    }
}

fn compare(costs: Vec<toolkit::Costs>, latimer: Cost, bytes: usize) {
    let sum = |part: fn(&toolkit::Costs) -> Cost| {
        costs
            .iter()
            .map(part)
            .fold(Cost::default(), |sum, cost| sum + cost)
    };
    let extract = sum(|costs| costs.extract);
    let merge = sum(|costs| costs.merge);
    print("translate-toolkit: html2po", extract, bytes);
    print("translate-toolkit: po2html", merge, bytes);
    print("translate-toolkit: both", extract + merge, bytes);
    println!(
        "\nLatimer's throughput is {:.1} times that of both (at least 40)",
        cpu_ratio(extract + merge, latimer)
    );
}

/// An evenly spread sample of the pages.
fn sample() -> Vec<PathBuf> {
    let files = pages::files();
    let bytes: u64 = files
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|file| file.len())
        .sum();
    let step = usize::try_from(bytes.div_ceil(SAMPLE)).unwrap().max(1);
    files.into_iter().step_by(step).collect()
}

/// Translates every text of every page by marking it.
fn learn(pages: &[Vec<u8>], english: &Locale) -> Memory {
    let translate = |text: &CodedText| -> CodedText {
        [TextPiece::Text("\u{27e6}")]
            .into_iter()
            .chain(text.pieces())
            .chain([TextPiece::Text("\u{27e7}")])
            .collect()
    };
    let mut memory = Memory::new();
    for html in pages {
        let page = Page::parse(html, None, english);
        memory.extend(
            page.segments()
                .map(|segment| (segment.key(english), translate(&segment.text))),
        );
    }
    memory
}

/// Localizes one page from the memory and gives its length.
fn localize(html: &[u8], english: &Locale, memory: &Memory) -> usize {
    let page = Page::parse(html, None, english);
    let texts: Vec<Option<&CodedText>> = page
        .segments()
        .map(|segment| memory.get(&segment.key(english)))
        .collect();
    page.render(
        |index| texts.get(index).copied().flatten(),
        &PageChanges::default(),
    )
    .html
    .len()
}

fn looking<'h>() -> lol_html::DocumentContentHandlers<'h> {
    doc_text!(|chunk: &mut TextChunk<'_>| {
        black_box(chunk.as_str());
        Ok(())
    })
}

/// Lets lol_html read and write a page.
fn pass(html: &[u8], settings: Settings<'_, '_>) -> usize {
    let mut length = 0;
    let mut rewriter = HtmlRewriter::new(settings.with_strict(false), |chunk: &[u8]| {
        length += chunk.len()
    });
    if rewriter.write(html).is_ok() {
        let _ = rewriter.end();
    }
    length
}

/// Repeats a pass for a while and gives what one costs.
fn measure(work: impl Fn() -> usize) -> Cost {
    let cpu = processor_time();
    let wall = Instant::now();
    let mut times = 0;
    while wall.elapsed() < LONG {
        black_box(work());
        times += 1;
    }
    Cost {
        cpu: (processor_time() - cpu) / times,
        wall: wall.elapsed() / times,
    }
}

/// Time for which this process had a processor, as Linux counts it in ticks of 10 ms.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("this benchmark runs on Linux");
    let after_name = &stat[stat.rfind(')').unwrap()..];
    let ticks = after_name
        .split(' ')
        .skip(12)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum::<u64>();
    Duration::from_millis(ticks * 10)
}

fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by_key(|cost| cost.cpu);
    costs[costs.len() / 2]
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
        }
    }
}

fn cpu_ratio(cost: Cost, other: Cost) -> f64 {
    cost.cpu.as_secs_f64() / other.cpu.as_secs_f64()
}

fn print(name: &str, cost: Cost, bytes: usize) {
    let each = |time: Duration| time.as_secs_f64() * 1e3 / megabytes(bytes);
    let rate = megabytes(bytes) / cost.cpu.as_secs_f64();
    println!(
        "{name:44}{:12.2}{:12.2}{rate:10.1}",
        each(cost.cpu),
        each(cost.wall)
    );
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
