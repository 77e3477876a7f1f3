//! What a memory of many texts costs a build that changes nothing, and a start. With a million texts, for figures:
//!
//! ```sh
//! LATIMER_LARGE_MEMORY=1000000 cargo test --workspace --release --test it -- --ignored --nocapture large_memory::
//! ```

use std::fs;
use std::time::Instant;

use pipeline::model::{Locale, SegmentKey};
use pipeline::state::State;

use crate::support::{Site, at_strength};

const KEYS: &str = "locales = [\"es\"]\nmemory = \"{lang}.jsonl\"\nengine = [\"pseudo\"]";

/// Seconds of processor time that all programs run by this test have used.
fn processor_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let of = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or_default()
    };
    (of(13) + of(14)) / 100.0
}

/// A memory file with so many texts that no page has.
fn lines(count: usize) -> String {
    let en = Locale::parse("en").unwrap();
    let mut lines: Vec<String> = (0..count)
        .map(|number| {
            let source = format!("Text number {number} of a large site, which says something about {}", number * 7919);
            let key = SegmentKey::new(&en, "text", &source);
            format!("{{\"key\":\"{key}\",\"source\":\"{source}\",\"text\":\"¡{source}\",\"engine\":\"other 1\"}}\n")
        })
        .collect();
    lines.sort();
    lines.concat()
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "says figures instead of right or wrong"]
    fn a_large_memory_costs_nothing_where_nothing_changed() {
        let count = at_strength("LATIMER_LARGE_MEMORY", 20_000) as usize;
        let line =
            |text: usize| format!("<p>Paragraph {text} of this page has {} loaves\n", text * 3);
        let page: String = (0..200).map(line).collect();
        for texts in [0, count] {
            let site = Site::new(KEYS, &[("index.html", &page)]);
            site.write("es.jsonl", &lines(texts));
            for build in ["first", "second", "third"] {
                let start = Instant::now();
                let before = processor_time();
                let report = site.build(&[], 0);
                let time = start.elapsed();
                let used = processor_time() - before;
                eprintln!(
                    "{texts} texts, {build} build: {time:.2?}, {used:.2} s of processor time, {}",
                    report["notices"]
                );
            }
            let path = site.path(".latimer/state.redb");
            let start = Instant::now();
            let state = State::open(&path).unwrap();
            let time = start.elapsed();
            drop(state);
            let size = fs::metadata(&path).unwrap().len() >> 20;
            eprintln!("{texts} texts: the state of {size} MiB opens in {time:.2?}");
            site.forget();
            fs::remove_file(site.path("es.jsonl")).unwrap();
        }
    }
}
