//! What pages made to hurt cost: time and memory for each of their bytes, at a size and at four times that size.
//!
//! Each page is read, changed in every text and rendered in a process of its own, so that its memory is known. Words are
//! kept once for each text and not for each place where it stands, as a run keeps them. Beside the shapes stand the pages
//! of the fixture sites, or of the folders that `LATIMER_CORPUS` names. `LATIMER_BYTES` sets the smaller size. Time is
//! time of the processor, which other programs disturb least; read the figures as ratios of one run.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/pages.rs"]
mod pages;

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use hostile::SHAPES;
use pipeline::model::Locale;
use pipeline::page::{CodedText, Page, PageChanges};

/// What one page cost.
struct Cost {
    bytes: f64,
    nanoseconds: f64,
    memory: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, one, shape, bytes] = &arguments[..]
        && one == "one"
    {
        return one_page(shape.parse().unwrap(), bytes.parse().unwrap());
    }
    let bytes: usize =
        std::env::var("LATIMER_BYTES").map_or(500_000, |bytes| bytes.parse().unwrap());
    let usual = usual();
    println!("pages of the corpus: {usual:.0} ns a byte");
    let mut failed = 0;
    for (index, shape) in SHAPES.iter().enumerate() {
        let (Some(small), Some(large)) = (measured(index, bytes), measured(index, bytes * 4))
        else {
            println!("{:48} takes more than two minutes", shape.name);
            failed += 1;
            continue;
        };
        let growth = large.nanoseconds / small.nanoseconds;
        let a_byte = large.nanoseconds / large.bytes;
        let memory = large.memory / large.bytes;
        failed += i32::from(growth > 5.0);
        println!(
            "{:48} growth {growth:4.1}, {a_byte:5.0} ns a byte ({:4.1} times the corpus), memory {memory:5.1} times the page",
            shape.name,
            a_byte / usual
        );
    }
    println!("{failed} of {} grow more than five times", SHAPES.len());
}

fn measured(shape: usize, bytes: usize) -> Option<Cost> {
    let program = std::env::current_exe().unwrap();
    let out = Command::new("timeout")
        .args([
            "120",
            program.to_str().unwrap(),
            "one",
            &shape.to_string(),
            &bytes.to_string(),
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let figures: Vec<f64> = text
        .split_whitespace()
        .map(|figure| figure.parse().unwrap())
        .collect();
    let [bytes, nanoseconds, memory] = figures.try_into().ok()?;
    Some(Cost {
        bytes,
        nanoseconds,
        memory,
    })
}

fn one_page(shape: usize, bytes: usize) {
    let html = SHAPES[shape].page(bytes).into_bytes();
    localize(b"<p>Warm <b>up</b>");
    let before = memory("VmRSS:");
    localize(&html);
    let memory = (memory("VmHWM:") - before) * 1024.0 + html.len() as f64;
    let taken = (0..4).map(|_| repeated(&html)).fold(f64::MAX, f64::min);
    println!("{} {taken} {memory}", html.len());
}

/// Nanoseconds that a page takes: it is done again and again, because the system counts in steps of some milliseconds.
fn repeated(html: &[u8]) -> f64 {
    let started = processor();
    let mut times = 0.0;
    while processor() - started < 5e7 {
        localize(html);
        times += 1.0;
    }
    (processor() - started) / times
}

/// Nanoseconds for a byte of the corpus: the best of three rounds.
fn usual() -> f64 {
    let pages: Vec<Vec<u8>> = pages::files()
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .collect();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let round = |_| {
        let started = processor();
        let times = (4 << 20) / bytes.max(1) + 1;
        (0..times).for_each(|_| pages.iter().for_each(|html| localize(html)));
        (processor() - started) / (bytes * times) as f64
    };
    (0..3).map(round).fold(f64::MAX, f64::min)
}

fn localize(html: &[u8]) {
    let page = Page::parse(html, None, &Locale::parse("en").unwrap());
    let mut texts = Vec::new();
    let mut known = HashMap::new();
    let mut number = |text: CodedText| {
        *known.entry(text).or_insert_with_key(|text: &CodedText| {
            texts.push(text.map(str::to_uppercase));
            texts.len() - 1
        })
    };
    let places: Vec<usize> = page
        .segments()
        .map(|segment| number(segment.text))
        .collect();
    drop(known);
    let german = Locale::parse("de").unwrap();
    let changes = PageChanges {
        speak: Some(&german),
        ..PageChanges::default()
    };
    std::hint::black_box(
        page.render(|index| texts.get(*places.get(index)?), &changes)
            .html
            .len(),
    );
}

/// Nanoseconds that this process has had of a processor.
fn processor() -> f64 {
    fs::read_to_string("/proc/self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// A figure of this process's memory, in KiB.
fn memory(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
