//! Commands with their options and arguments, and the environment variables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{check_lines, read};
use crate::support::{latimer, repository};

/// The short help of every command, by the words of the command.
fn helps() -> BTreeMap<String, String> {
    let mut helps = BTreeMap::new();
    let mut waiting = vec!["latimer".to_owned()];
    while let Some(command) = waiting.pop() {
        let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
        arguments.push("-h");
        let ran = latimer(repository(), &arguments, b"");
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        let help = String::from_utf8(ran.stdout).unwrap();
        for name in commands(&help) {
            waiting.push(format!("{command} {name}"));
        }
        helps.insert(command, help);
    }
    assert!(helps.len() > 40, "{:?}", helps.keys());
    helps
}

/// The commands that a help text lists, under one heading or in groups.
fn commands(help: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for line in help.lines().take_while(|line| *line != "Options:") {
        let is_entry = line.starts_with("  ") && !line.starts_with("   ");
        let name = line.split_whitespace().next().unwrap_or_default();
        if is_entry && name != "help" && !name.starts_with(['<', '[']) {
            names.push(name);
        }
    }
    names
}

/// The entries of a help text below a heading, a line each.
fn entries(help: &str, heading: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    let mut is_below = false;
    for line in help.lines().filter(|line| !line.is_empty()) {
        let text = line.trim_start();
        match line.len() - text.len() {
            0 => is_below = line == heading,
            _ if !is_below => {}
            1..=6 => entries.push(text.to_owned()),
            // A description goes on further to the right.
            _ => *entries.last_mut().unwrap() += &format!(" {text}"),
        }
    }
    entries
}

/// The default, the possible values and the variable that an entry names.
fn notes(entry: &str) -> String {
    let mut notes = String::new();
    for part in entry.split('[').skip(1) {
        let note = part.split(']').next().unwrap_or_default();
        if ["default: ", "possible values: ", "env: "]
            .iter()
            .any(|kind| note.starts_with(kind))
        {
            notes += &format!(" [{note}]");
        }
    }
    notes
}

#[test]
fn commands_keep_their_options() {
    let mut lines = BTreeSet::new();
    for (command, help) in helps() {
        for entry in entries(&help, "Options:") {
            let form = entry.split("  ").next().unwrap_or_default();
            let mut names = String::new();
            for name in form.split([' ', ',']).filter(|name| name.starts_with('-')) {
                names += &format!(" {name}");
            }
            let value = if form.contains('<') { " VALUE" } else { "" };
            lines.insert(format!("{command}{names}{value}{}", notes(&entry)));
        }
        for (place, entry) in (1..).zip(entries(&help, "Arguments:")) {
            lines.insert(format!("{command} ARGUMENT {place}{}", notes(&entry)));
        }
    }
    check_lines("options.txt", &lines);
}

/// Folders without code of the program. Files and folders with `tests` in their names are left out, too.
const NO_CODE: [&str; 6] = [
    "benches",
    "fixtures",
    "fuzz",
    "node_modules",
    "spider_fingerprint",
    "target",
];

/// Environment variables, each with where it is named: in the code, the documentation and the help.
#[test]
fn environment_variables_stay() {
    let mut places: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut code = Vec::new();
    read_all(repository(), "rs", &mut code);
    for text in &code {
        let without_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
        add_variables(without_tests.split('"'), "code", &mut places);
    }
    let mut documents = vec![read(&repository().join("README.md"))];
    read_all(&repository().join("docs"), "md", &mut documents);
    for text in &documents {
        add_variables(text.split('`'), "docs", &mut places);
    }
    for help in helps().values() {
        let words = help.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        add_variables(words, "help", &mut places);
    }
    let mut lines = BTreeSet::new();
    for (name, places) in places {
        lines.insert(format!(
            "{name}: {}",
            places.into_iter().collect::<Vec<_>>().join(" ")
        ));
    }
    check_lines("environment.txt", &lines);
}

/// Reads all files with this extension below a folder.
fn read_all(folder: &Path, extension: &str, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if name.starts_with('.') || name.contains("tests") || NO_CODE.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            read_all(&path, extension, texts);
        } else if path.extension().is_some_and(|known| known == extension) {
            texts.push(read(&path));
        }
    }
}

/// Adds the words that have the form of a variable: capitals with an underscore, where `{}` or `<…>` stands for a name.
fn add_variables<'t>(
    words: impl Iterator<Item = &'t str>,
    place: &'static str,
    places: &mut BTreeMap<String, BTreeSet<&'static str>>,
) {
    for word in words {
        let has_form = word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.contains('_')
            && word.chars().all(
                |letter| matches!(letter, 'A'..='Z' | '0'..='9' | '_' | '<' | '>' | '{' | '}'),
            );
        // Cargo sets these while the program is compiled.
        if has_form && !word.starts_with("CARGO_") {
            places
                .entry(word.replace("{}", "<NAME>"))
                .or_default()
                .insert(place);
        }
    }
}
