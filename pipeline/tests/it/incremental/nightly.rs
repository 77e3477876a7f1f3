//! Whether each input of the keys by which builds pass over things is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use futures::FutureExt as _;
use pipeline::run::KeyInput;

use super::cases::{run_all, run_other_program};
use super::{BUILDS, INPUTS};

/// How a line of the code begins that adds something to a key.
const ADDING: [&str; 6] = [
    "key.add",
    "source.add",
    "words.add",
    "graph.add",
    "program.add",
    "settings.add",
];

/// The lines of the code that add something to keys, by their files.
fn adding() -> BTreeMap<(String, u32), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/run");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.is_file());
    let lines = files.flat_map(|file| {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| line.trim().to_owned()).zip(1..);
        lines
            .map(|(line, number)| ((name.clone(), number), line))
            .collect::<Vec<_>>()
    });
    let is_adding = |line: &str| {
        let words = line.split(|letter: char| letter.is_whitespace() || "|({".contains(letter));
        words
            .into_iter()
            .any(|word| ADDING.iter().any(|adding| word.starts_with(adding)))
    };
    lines.filter(|(_, line)| is_adding(line)).collect()
}

/// The file and the line that add an input.
fn place((file, line, _): KeyInput) -> (String, u32) {
    (
        Path::new(file)
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
        line,
    )
}

/// Each input of each key that decides what a build passes over is left out once; some case then gives another result than a
/// clean build.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a long run: all cases, once for each input"]
async fn every_input_of_every_key_counts() {
    let _alone = BUILDS.write().await;
    let run = async || {
        run_all().await;
        run_other_program().await;
    };
    run().await;
    let lines = adding();
    let seen: Vec<KeyInput> = INPUTS
        .seen()
        .into_iter()
        .filter(|input| !input.0.ends_with("run/memo/key.rs"))
        .collect();
    let places: BTreeSet<(String, u32)> = seen.iter().copied().map(place).collect();
    assert_eq!(
        places,
        lines.keys().cloned().collect(),
        "no build of these adds what some line of the code adds"
    );
    // `LATIMER_INPUTS` limits the run to files or lines: unchanged.rs,carry.rs:63
    let wanted = std::env::var("LATIMER_INPUTS").unwrap_or_default();
    let is_wanted = |input: &&KeyInput| {
        let (file, line) = place(**input);
        wanted.is_empty()
            || wanted
                .split(',')
                .any(|name| name == file || name == format!("{file}:{line}"))
    };
    let mut silent = Vec::new();
    for &input in seen.iter().filter(is_wanted) {
        INPUTS.leave_out([input].into());
        let is_missed = AssertUnwindSafe(run()).catch_unwind().await.is_err();
        INPUTS.leave_out(BTreeSet::new());
        let (file, line) = place(input);
        let said = format!(
            "{file}:{line} {}",
            lines.get(&(file.clone(), line)).map_or("", |code| code)
        );
        silent.extend((!is_missed).then_some(said));
    }
    // So it was what was left out that failed them.
    run().await;
    assert!(
        silent.is_empty(),
        "no case shows that these are missing:\n{}",
        silent.join("\n")
    );
}
