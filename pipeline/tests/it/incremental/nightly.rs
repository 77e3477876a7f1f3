//! Whether each input of the keys by which builds pass over things is needed.

use std::collections::BTreeSet;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use futures::FutureExt as _;
use pipeline::run::inputs;

use super::{BUILDS, STEPS, run_rare, run_sequence};

/// Sequences that are tried until one shows that an input is missing.
const MOST: u64 = 25;
/// Inputs that cannot change while a process runs.
const CONSTANT: [&str; 5] = ["add_program", "ground.program", "FORM", "month()", "max_page_bytes"];

/// Inputs that no sequence of these misses, by words of their lines, and why.
const SILENT: [(&str, &str); 12] = [
    ("site.name(locale, path)", "a version is known by its locale, and held against the published record of its name"),
    ("site.is_translated(locale, path)", "what paths were asked for says the same of them"),
    ("self.about(site", "what paths were asked for says the same of them"),
    ("site.switcher_links(locale", "what paths were asked for says the same of them"),
    ("ground.settings", "no page stands when settings change"),
    ("served_policies", "no page stands on which scripts count"),
    ("named.value()", "what is known of paths has them"),
    ("add(&reads.graph)", "none of what it is made of is missed alone"),
    ("add_debug(&sent)", "the key of a version has all of it"),
    ("add_json(&sources.redirects)", "a folder has only those of pages that are twice there, which are sources"),
    ("add_json(crawled)", "what a crawl of a folder says comes from its files and settings"),
    ("file.name, file.size", "a file that is new in the store has the build do everything before it is an input"),
];

/// Inputs that say the same, by words of their lines: none of them is missed where the others are there, so they are left out together.
const TOGETHER: [&[&str]; 2] =
    [&["newest.deployment()", "newest.commit()"], &["add_json(&sources.rules)", "\".htaccess\""]];

/// The line of the code that adds an input.
fn code((file, line, _): inputs::Input) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join(file)).unwrap();
    text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().trim().to_owned()
}

/// Each input of each key that decides what a build passes over is left out once, with those that say the same; some sequence then
/// gives another result than a clean build.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half an hour"]
async fn every_input_of_every_key_counts() {
    let _alone = BUILDS.write().await;
    run_rare().await;
    for seed in 1..=6 {
        run_sequence(seed, STEPS, None).await;
    }
    // Those of some files or lines alone, where `LATIMER_INPUTS` names them: whole.rs,carry.rs:63
    let wanted = std::env::var("LATIMER_INPUTS").unwrap_or_default();
    let is_wanted = |(file, line, _): &inputs::Input| {
        let place = format!("{file}:{line}");
        let is_named = |name| file.ends_with(name) || place.ends_with(name);
        !file.ends_with("key.rs") && (wanted.is_empty() || wanted.split(',').any(is_named))
    };
    let seen = inputs::seen().into_iter().filter(is_wanted);
    let mut silent = Vec::new();
    for input in seen.filter(|input| !CONSTANT.iter().any(|word| code(*input).contains(word))) {
        let said = code(input);
        let group = TOGETHER.iter().find(|group| group.iter().any(|words| said.contains(words)));
        let is_of_group =
            |other: &inputs::Input| group.is_some_and(|group| group.iter().any(|words| code(*other).contains(words)));
        inputs::leave_out(inputs::seen().into_iter().filter(|other| *other == input || is_of_group(other)).collect());
        let mut sequences = 0..=MOST;
        let shown = loop {
            let Some(seed) = sequences.next() else { break None };
            let run = async { if seed == 0 { run_rare().await } else { drop(run_sequence(seed, STEPS, None).await) } };
            if AssertUnwindSafe(run).catch_unwind().await.is_err() {
                break Some(seed);
            }
        };
        inputs::leave_out(BTreeSet::new());
        println!("{}:{} {said} {shown:?}", input.0, input.1);
        let is_known = SILENT.iter().any(|(words, _)| said.contains(words));
        let is_silent = shown.is_none() && !is_known;
        silent.extend(is_silent.then(|| format!("{}:{} {said}", input.0, input.1)));
    }
    assert!(silent.is_empty(), "no sequence shows that these are missing:\n{}", silent.join("\n"));
}
