//! What the documents say: every link in them leads somewhere, and every command and option is in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{latimer, repository};

/// The documents for people.
fn documents() -> Vec<PathBuf> {
    let in_folder = |folder: &Path| {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let folders =
        ["", "docs", "docs/engines", "docs/hosts"].map(|folder| repository().join(folder));
    let all = folders.iter().flat_map(|folder| in_folder(folder));
    all.filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchors of a document's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| -> String {
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| {
            if c == ' ' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut links = 0;
    for document in documents() {
        let text = read(&document);
        let targets = prose(&text)
            .flat_map(|line| line.split("](").skip(1))
            .filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                document.clone()
            } else {
                document.parent().unwrap().join(file)
            };
            assert!(file.exists(), "{} leads to {target}", document.display());
            let is_there = anchor.is_empty() || anchors(&read(&file)).contains(anchor);
            assert!(
                is_there,
                "{} leads to {target}: no such heading",
                document.display()
            );
            links += 1;
        }
    }
    assert!(links > 80, "{links} links");
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = read(&repository().join("docs/SUMMARY.md"));
    let docs = repository().join("docs");
    for document in documents() {
        let Ok(name) = document.strip_prefix(&docs) else {
            continue;
        };
        let name = name.to_str().unwrap();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("]({name})")),
            "{name}"
        );
    }
}

/// The commands that a help text lists, under one heading or in groups.
fn commands(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| !line.ends_with(':'))
        .take_while(|line| *line != "Options:");
    // A description goes on further to the right.
    let lines = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help" && !name.starts_with(['<', '[']))
        .map(str::to_owned)
        .collect()
}

/// The options of a command alone.
fn options(help: &str) -> Vec<&str> {
    const OF_ALL: [&str; 6] = [
        "--config",
        "--json",
        "--server",
        "--quiet",
        "--help",
        "--version",
    ];
    let lines = help.lines().skip_while(|line| *line != "Options:").skip(1);
    let lines = lines
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'));
    let names =
        lines.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    names.filter(|name| !OF_ALL.contains(name)).collect()
}

#[test]
fn every_command_and_every_option_is_in_the_documentation() {
    let text = read(&repository().join("docs/commands.md"));
    let help = |command: &[&str]| {
        let ran = latimer(repository(), &[command, &["--help"]].concat(), b"");
        String::from_utf8(ran.stdout).unwrap()
    };
    let mut checked = 0;
    let mut missing = Vec::new();
    for command in commands(&help(&[])) {
        let mut rows = vec![vec![command.as_str()]];
        let below = commands(&help(&[&command]));
        if !below.is_empty() {
            rows = below
                .iter()
                .map(|below| vec![command.as_str(), below])
                .collect();
        }
        for command in rows {
            let begin = format!("| `latimer {}", command.join(" "));
            let row = text
                .lines()
                .find(|line| line.starts_with(&begin))
                .unwrap_or_else(|| panic!("no row {begin}"));
            for option in options(&help(&command)) {
                if !row.contains(option) {
                    missing.push(format!("{} {option}", command.join(" ")));
                }
                checked += 1;
            }
        }
    }
    assert!(missing.is_empty(), "docs/commands.md lacks {missing:?}");
    assert!(checked > 80, "{checked} options");
}
