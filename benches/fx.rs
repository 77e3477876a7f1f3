//! What the whole pipeline adds to neural translation: `latimer build` with the engine `fx`, beside the crate that does
//! the translating, alone, on the same texts.
//!
//! Both load the model, use as many threads as there are processors, and get the texts in batches sorted by length. The
//! crate gets plain sentences, each text once; the build reads pages, asks with markup, checks, remembers, renders and
//! publishes. Rounds alternate; only the ratio of the medians means anything on another machine.
//!
//! `LATIMER_TEST_MODELS` is a folder with the models of a pair (`tests/run` gets one from English to Portuguese);
//! `LATIMER_CORPUS` names folders of pages, of which an evenly spread sample is taken.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/pages.rs"]
mod pages;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use fxtranslate::engine::Engine;
use fxtranslate::segment::{BasicSegmenter, Segmenter as _};
use fxtranslate::shortlist::Shortlist;
use pipeline::model::Locale;
use pipeline::page::Page;

const ROUNDS: usize = 3;
/// About how many words are translated in a round.
const SAMPLE: usize = 30_000;
/// Sentences in one batch of the crate.
const BATCH: usize = 64;

fn main() {
    let Some(models) = std::env::var_os("LATIMER_TEST_MODELS").map(PathBuf::from) else {
        println!("NOT RUN: benchmark of fx (LATIMER_TEST_MODELS names no folder of models)");
        return;
    };
    let site = tempfile::tempdir().unwrap();
    let texts = sample(site.path());
    let words: usize = texts
        .iter()
        .map(|text| text.split_whitespace().count())
        .sum();
    println!(
        "{words} words in {} texts, {} processors",
        texts.len(),
        processors()
    );
    let mut alone = Vec::new();
    let mut whole = Vec::new();
    for _ in 0..ROUNDS {
        alone.push(seconds(|| crate_alone(&models, &texts)));
        whole.push(seconds(|| build(site.path(), &models)));
        println!(
            "crate {:.1} s, build {:.1} s",
            alone.last().unwrap(),
            whole.last().unwrap()
        );
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sample has fewer than 2^52 words"
    )]
    let [alone, whole] = [alone, whole].map(|times| words as f64 / median(times));
    println!(
        "crate alone {alone:.0} words/s, whole build {whole:.0} words/s: ratio {:.2}",
        whole / alone
    );
}

/// Copies a sample of pages into a site, and gives their different texts.
fn sample(site: &Path) -> Vec<String> {
    let locale = Locale::parse("en").unwrap();
    let files = pages::files();
    let texts = |html: &[u8]| -> Vec<String> {
        Page::parse(html, None, &locale)
            .segments()
            .map(|segment| segment.text.into_text())
            .collect()
    };
    let all: usize = files
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|data| data.len() as usize / 12)
        .sum();
    let step = (all / SAMPLE).max(1);
    let mut found = BTreeSet::new();
    let mut words = 0;
    fs::create_dir(site.join("source")).unwrap();
    for (number, file) in files.iter().step_by(step).enumerate() {
        let html = fs::read(file).unwrap();
        for text in texts(&html) {
            let more = text.split_whitespace().count();
            words += if found.insert(text) { more } else { 0 };
        }
        fs::write(site.join(format!("source/{number}.html")), html).unwrap();
        if words > SAMPLE {
            break;
        }
    }
    found.into_iter().collect()
}

/// Translates sentences with the crate alone.
fn crate_alone(models: &Path, texts: &[String]) {
    let file = |start: &str| {
        find(models, start).unwrap_or_else(|| panic!("no {start}… of English to Portuguese"))
    };
    let model = file("model.enpt");
    let vocabulary = file("vocab.enpt");
    let engine = Engine::load(&model, &vocabulary, &vocabulary).unwrap();
    let engine = match find(models, "lex.50.50.enpt") {
        Some(list) => engine.with_shortlist(Shortlist::load(&list).unwrap()),
        None => engine,
    };
    let mut sentences: Vec<&str> = Vec::new();
    for text in texts {
        sentences.extend(
            BasicSegmenter
                .sentences(text)
                .iter()
                .map(|span| span.of(text)),
        );
    }
    sentences.sort_by_key(|sentence| sentence.len());
    let batches = Mutex::new(sentences.chunks(BATCH));
    thread::scope(|scope| {
        for _ in 0..processors() {
            scope.spawn(|| {
                loop {
                    let Some(batch) = batches.lock().unwrap().next() else {
                        break;
                    };
                    assert_eq!(engine.translate_batch(batch).len(), batch.len());
                }
            });
        }
    });
}

/// Builds the site from nothing.
fn build(site: &Path, models: &Path) {
    for made in ["dist", "state"] {
        let _ = fs::remove_dir_all(site.join(made));
    }
    let config = format!(
        "[[site]]\nid = \"s\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"pt-BR\"]\nengine = \"fx\"\n\
         [engine.fx]\nkind = \"fx\"\nmodels = {models:?}\n[store]\nobjects = \"dist\"\nstate = \"state/s.redb\"\n"
    );
    fs::write(site.join("latimer.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_latimer"));
    let output = command
        .args(["build", "--quiet"])
        .current_dir(site)
        .output()
        .unwrap();
    assert!(
        matches!(output.status.code(), Some(0 | 6)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn find(folder: &Path, start: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    entries.into_iter().find_map(|path| {
        let is_it = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(start));
        if path.is_dir() {
            find(&path, start)
        } else {
            Some(path).filter(|_| is_it)
        }
    })
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
