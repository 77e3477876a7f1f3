//! Reads the sources and fails when the shape of the project is lost: a library named outside its room, a file
//! that does not say what it is for, a file too large for a repository; files that use each other in a circle
//! (`circles.rs`); a rule that no test cites (`rules.rs`); a long file without a reason (`sizes.rs`).
//!
//! Lines are matched, not parsed: comments may name anything, and a room is a path prefix.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod circles;
mod phrases;
mod rules;
mod sizes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A word that only some files may use, and those files: paths, or prefixes of paths.
const ROOMS: [(&str, &[&str]); 39] = [
    ("lol_html", &["pipeline/page/src/html/scan", "benches/"]),
    ("spider", &["pipeline/src/crawl/web.rs"]),
    (
        "redb",
        &["pipeline/src/state/backend/redb.rs", "tests/it/growth.rs"],
    ),
    (
        "object_store",
        &["pipeline/src/store", "pipeline/tests/two_builders"],
    ),
    (
        "reqwest",
        &[
            "pipeline/src/net/",
            "pipeline/src/engines/http.rs",
            "src/remote.rs",
        ],
    ),
    ("robotstxt", &["pipeline/src/crawl/"]),
    (
        "quick_xml",
        &[
            "pipeline/src/crawl/",
            "pipeline/src/exchange/glossary/",
            "pipeline/page/src/document/",
        ],
    ),
    ("hyper", HTTP),
    ("hyper_util", HTTP),
    ("jsonwebtoken", &["api/src/auth"]),
    (
        "tera",
        &[
            "api/src/admin/templates.rs",
            "pipeline/src/letters",
            "pipeline/src/site_files",
        ],
    ),
    (
        "jiff",
        &[
            "api/src/http/time.rs",
            "pipeline/src/mail/schedule",
            "pipeline/src/model/month.rs",
        ],
    ),
    ("fxtranslate", &["benches/fx.rs", "pipeline/src/engines/fx"]),
    ("icu_calendar", &["pipeline/src/text/values/written.rs"]),
    ("icu_datetime", &["pipeline/src/text/values/written.rs"]),
    (
        "icu_decimal",
        &["pipeline/src/text/values/written/amounts.rs"],
    ),
    (
        "icu_locale",
        &[
            "pipeline/page/src/locale.rs",
            "pipeline/src/text/values/written/numbering.rs",
        ],
    ),
    ("unicode_bidi", &["pipeline/page/src/text/bidi.rs"]),
    ("icu_normalizer", &["pipeline/src/translate/answer.rs"]),
    ("icu_properties", &["pipeline/src/text/script.rs"]),
    ("csv", &["pipeline/src/exchange/"]),
    ("whatlang", &["pipeline/src/text/identify.rs"]),
    ("globset", &["pipeline/src/config/filter.rs"]),
    (
        "regex_automata",
        &[
            "pipeline/src/hosts/htaccess_lines.rs",
            "pipeline/src/text/values.rs",
        ],
    ),
    ("toml", &["pipeline/src/config/reader.rs"]),
    ("psl", &["pipeline/src/config/public_host.rs"]),
    ("zip", &["pipeline/src/models/"]),
    ("tar", &["pipeline/src/models/"]),
    (
        "zstd",
        &[
            "pipeline/src/audit/details.rs",
            "pipeline/src/models/",
            "tests/it/support/registry.rs",
        ],
    ),
    (
        "sha2",
        &[
            "pipeline/page/src/find/sealed.rs",
            "pipeline/src/models/",
            "pipeline/src/site_files/live.rs",
            "pipeline/src/webhooks/secret.rs",
            "tests/it/loaded_files.rs",
            "tests/it/right_to_left.rs",
            "tests/it/support/registry.rs",
        ],
    ),
    ("hmac", &["pipeline/src/webhooks/secret.rs"]),
    ("lettre", &["pipeline/src/mail/"]),
    ("clap", &["src/"]),
    ("notify", &["src/watcher.rs"]),
    ("tracing_subscriber", &["src/log.rs"]),
    ("std::env", OUTSIDE),
    ("env::var", OUTSIDE),
    ("SystemTime::now", CLOCK),
    ("Instant::now", CLOCK),
];

/// Who answers HTTP: the API, and the servers that tests play.
const HTTP: &[&str] = &[
    "api/",
    "tests/",
    "pipeline/tests/",
    "pipeline/src/store/tests/s3.rs",
    "pipeline/src/store/tests/server.rs",
    "pipeline/src/engines/http/tests/server.rs",
];

/// Who may look at the process's surroundings: the command line, what runs it, and the note that tells another
/// process who has the state open; where folders may lie that other programs read for a while; what programs are given; and which program this is.
const OUTSIDE: &[&str] = &[
    "src/",
    "tests/",
    "benches/",
    "examples/",
    "pipeline/page/tests/",
    "pipeline/tests/",
    "api/tests/",
    "pipeline/src/state/holder.rs",
    "pipeline/src/run/memo/key.rs",
    "pipeline/src/passing.rs",
    "pipeline/src/processes/environment.rs",
    "pipeline/src/engines/fx/tests.rs",
    "pipeline/src/text/facts/tests.rs",
    "pipeline/src/translate/people_tests.rs",
];

/// Who may ask what time it is: shells that wait or record, never the pages.
const CLOCK: &[&str] = &[
    "src/",
    "api/",
    "benches/",
    "tests/",
    "pipeline/tests/",
    "pipeline/src/net/",
    "pipeline/src/engines/",
    "pipeline/src/browser/",
    "pipeline/src/store",
    "pipeline/src/run",
    "pipeline/src/state",
    "pipeline/src/translate/",
];

/// Names every library, in its table.
const THIS_FILE: &str = "tests/tidy/main.rs";

/// How the names begin of what documents lead to.
const FOLDERS: [&str; 8] = [
    "api/",
    "benches/",
    "docs/",
    "fixtures/",
    "pipeline/",
    "src/",
    "templates/switcher",
    "tests/",
];

/// The largest file that a checkout should carry.
const LARGEST: u64 = 1 << 20;

#[test]
fn libraries_stay_in_their_rooms() {
    let mut found = Vec::new();
    for path in sources().into_iter().filter(|path| path != THIS_FILE) {
        let text = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
        for (number, line) in code_lines(&text) {
            for (word, rooms) in ROOMS {
                if uses(line, word) && !rooms.iter().any(|room| path.starts_with(room)) {
                    found.push(format!(
                        "{path}:{number}: `{word}` belongs in {}",
                        rooms.join(", ")
                    ));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let silent = |path: &String| {
        let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        !text.trim().is_empty() && !text.starts_with("//!")
    };
    let found: Vec<_> = sources().into_iter().filter(silent).collect();
    assert!(
        found.is_empty(),
        "these do not open with `//!`:\n{}",
        found.join("\n")
    );
}

/// What no `mod` names is compiled by nobody: it tests nothing, and nobody misses it.
#[test]
fn every_source_file_belongs_to_a_program() {
    let read = |path: &Path| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let sources = sources();
    let by_path: BTreeSet<PathBuf> = sources
        .iter()
        .flat_map(|path| named_by_path(path, &read(Path::new(path))))
        .collect();
    let is_named = |path: &String| {
        let file = Path::new(path);
        let is_root = ["main.rs", "lib.rs"]
            .iter()
            .any(|root| file.ends_with(root));
        let is_program = file.parent().is_some_and(|folder| {
            ["benches", "examples"]
                .iter()
                .any(|name| folder == Path::new(name))
                || folder.ends_with("fuzz_targets")
        });
        let module = if file.ends_with("mod.rs") {
            file.parent().unwrap_or(file)
        } else {
            file
        };
        let name = module.file_stem().unwrap_or_default();
        let folder = module.parent().unwrap_or(module);
        let parents = [
            folder.with_extension("rs"),
            folder.join("mod.rs"),
            folder.join("lib.rs"),
            folder.join("main.rs"),
        ];
        let name = format!("mod {}", name.to_string_lossy());
        is_root
            || is_program
            || by_path.contains(file)
            || parents
                .iter()
                .any(|parent| read(parent).contains(&format!("{name};")))
    };
    let found: Vec<_> = sources
        .iter()
        .filter(|path| !is_named(path))
        .cloned()
        .collect();
    assert!(
        found.is_empty(),
        "no module names these:\n{}",
        found.join("\n")
    );
}

/// The files that `#[path]` names in a file.
fn named_by_path(file: &str, text: &str) -> Vec<PathBuf> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let names = text
        .split("#[path = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let plain = |path: PathBuf| {
        path.components()
            .fold(PathBuf::new(), |path, part| match part {
                std::path::Component::ParentDir => {
                    path.parent().unwrap_or(Path::new("")).to_path_buf()
                }
                part => path.join(part),
            })
    };
    names.map(|name| plain(folder.join(name))).collect()
}

#[test]
fn no_tracked_file_is_larger_than_a_mebibyte() {
    let large = |path: &String| {
        root()
            .join(path)
            .metadata()
            .is_ok_and(|file| file.len() > LARGEST)
    };
    let found: Vec<_> = tracked().into_iter().filter(large).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Who looks for a file by a document finds it.
#[test]
fn documents_name_files_that_are_there() {
    let tracked = tracked();
    let mut missing = Vec::new();
    let is_there = |name: &str| {
        let [file, module, folder] =
            ["", ".rs", "/"].map(|end| format!("/{}{end}", name.trim_end_matches('/')));
        let is_it =
            |path: &str| path.ends_with(&file) || path.ends_with(&module) || path.contains(&folder);
        tracked.iter().any(|path| is_it(&format!("/{path}")))
    };
    let is_document = |path: &&String| {
        let is_design = path.starts_with("docs/design/");
        is_design
            || ["ARCHITECTURE.md", "CONTRIBUTING.md", "benches/RESULTS.md"].contains(&path.as_str())
    };
    for document in tracked.iter().filter(is_document) {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let names = text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| !name.contains([' ', '*', '{', '…', '<', ':']));
        let ours = |name: &&str| {
            name.ends_with(".rs") || FOLDERS.iter().any(|folder| name.starts_with(folder))
        };
        missing.extend(
            names
                .filter(ours)
                .filter(|name| !is_there(name))
                .map(|name| format!("{document}: {name}")),
        );
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn words_are_found_where_they_are_used() {
    for (line, word, expected) in [
        ("use redb::Database;", "redb", true),
        ("let x: redb::Error;", "redb", true),
        ("use {std::fmt, hyper as h};", "hyper", true),
        ("use hyper_util::rt;", "hyper", false),
        ("criteria::x()", "tera", false),
        ("SystemTime::now()", "SystemTime::now", true),
        ("crate::state::redb()", "redb", false),
        ("let toml = 1;", "toml", false),
        ("\"toml::x\"", "toml", false),
    ] {
        assert_eq!(uses(line, word), expected, "{line}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Our own Rust files; the patched crate is not ours.
fn sources() -> Vec<String> {
    let ours =
        |path: &String| path.ends_with(".rs") && !path.starts_with("pipeline/spider_fingerprint/");
    tracked()
        .into_iter()
        .filter(ours)
        .filter(|path| root().join(path).exists())
        .collect()
}

/// Every file that git knows; without git (a source archive), every file outside `target`.
fn tracked() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output();
    match listed {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            String::from_utf8_lossy(&output.stdout)
                .split_terminator('\0')
                .map(str::to_owned)
                .collect()
        }
        _ => walk(root()),
    }
}

fn walk(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path
                .strip_prefix(root())
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && name != "target" && name != ".git" {
                waiting.push(path);
            } else if path.is_file() {
                files.push(name);
            }
        }
    }
    files
}

/// Numbered lines without comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a line uses a crate (`word::`, `use word`) or names a path such as `std::env`.
fn uses(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = &line[..at];
        let after = &line[at + word.len()..];
        let begins = !before.ends_with(|last: char| {
            last.is_alphanumeric() || matches!(last, '_' | ':' | '"' | '`')
        });
        let whole = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let import =
            line.trim_start().starts_with("use ") || line.trim_start().starts_with("pub use ");
        begins && whole && (after.starts_with("::") || import || word.contains("::"))
    })
}
