//! What the page core costs, beside the least that looking at HTML costs: a lol_html pass without handlers.
//!
//! The pages are those of the fixture sites; `LATIMER_CORPUS` names other folders, separated by colons. Read the
//! figures as ratios of one run: parse, render of one more locale, and the floor, each in bytes of source a second.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/pages.rs"]
mod pages;

use std::fs;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lol_html::{HtmlRewriter, Settings};
use pipeline::model::Locale;
use pipeline::page::{CodedText, Page, PageChanges};

fn pages() -> Vec<Vec<u8>> {
    pages::files()
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .collect()
}

/// Changes every text, so that rendering has everything to do.
fn changed(page: &Page) -> Vec<CodedText> {
    page.segments()
        .map(|segment| segment.text.map(str::to_uppercase))
        .collect()
}

fn pass(html: &[u8]) -> usize {
    let mut length = 0;
    let mut rewriter = HtmlRewriter::new(Settings::new(), |chunk: &[u8]| length += chunk.len());
    if rewriter.write(html).is_ok() {
        let _ = rewriter.end();
    }
    length
}

fn bench(criterion: &mut Criterion) {
    let pages = pages();
    let locale = Locale::parse("en").unwrap();
    let parsed: Vec<Page> = pages
        .iter()
        .map(|html| Page::parse(html, None, &locale))
        .collect();
    let texts: Vec<Vec<CodedText>> = parsed.iter().map(changed).collect();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let mut group = criterion.benchmark_group("page");
    group.throughput(Throughput::Bytes(u64::try_from(bytes).unwrap()));
    group.bench_function("floor: lol_html, no handlers", |bencher| {
        bencher.iter(|| {
            pages
                .iter()
                .map(|html| pass(black_box(html)))
                .sum::<usize>()
        });
    });
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            pages
                .iter()
                .map(|html| {
                    Page::parse(black_box(html), None, &locale)
                        .segments()
                        .count()
                })
                .sum::<usize>()
        });
    });
    group.bench_function("render", |bencher| {
        bencher.iter(|| {
            let render = |(page, texts): (&Page, &Vec<CodedText>)| {
                page.render(|index| texts.get(index), &PageChanges::default())
                    .html
                    .len()
            };
            parsed.iter().zip(&texts).map(render).sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
