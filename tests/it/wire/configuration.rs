//! The keys of `latimer.toml`, by their tables.

use std::collections::{BTreeMap, BTreeSet};

use super::{check_lines, quoted, read};
use crate::support::{Site, repository};

/// Keys that docs/configuration.md names only in the description of others.
const INNER_KEYS: [(&str, &[&str]); 4] = [
    (
        "api.jwt",
        &[
            "algorithm",
            "audience",
            "issuer",
            "jwks_file",
            "public_key_file",
            "secret_file",
        ],
    ),
    ("engine.NAME", &["kind"]),
    ("engine.NAME.price", &["cached", "input", "output"]),
    ("site.html.switcher", &["placement", "template"]),
];

/// A unit test proves that the documentation has all keys; `check_keys` proves that the program has each in its table.
#[test]
fn configuration_keys_stay() {
    let mut tables = documented_keys();
    for (table, keys) in INNER_KEYS {
        tables
            .entry(table.to_owned())
            .or_default()
            .extend(keys.iter().map(ToString::to_string));
    }
    let mut lines = BTreeSet::new();
    for (table, keys) in &tables {
        check_keys(table, keys);
        lines.extend(keys.iter().map(|key| format!("[{table}] {key}")));
    }
    check_lines("configuration_keys.txt", &lines);
}

/// The keys in the tables of docs/configuration.md, by their tables.
fn documented_keys() -> BTreeMap<String, BTreeSet<String>> {
    let text = read(&repository().join("docs/configuration.md"));
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut above = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            above = match quoted(heading).as_slice() {
                [only] => only.trim_matches(['[', ']']).to_owned(),
                // Keys below several headings begin with what tells the tables apart.
                [first, ..] => first
                    .trim_matches(['[', ']'])
                    .rsplit_once('.')
                    .unwrap_or_default()
                    .0
                    .to_owned(),
                [] => String::new(),
            };
        }
        if !line.starts_with("| `") {
            continue;
        }
        let mut table = above.clone();
        for name in quoted(line.split(" | ").next().unwrap()) {
            // The last table is that of environment variables.
            if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                continue;
            }
            let path = match name.strip_prefix('.') {
                Some(key) => format!("{table}.{key}"),
                None if above.is_empty() => name.to_owned(),
                None => format!("{above}.{name}"),
            };
            let (parent, key) = path.rsplit_once('.').unwrap();
            table = parent.to_owned();
            tables
                .entry(table.clone())
                .or_default()
                .insert(key.to_owned());
        }
    }
    tables
}

/// Checks that a table has these keys: the first unknown key, which the program names before it reads any value, is ours.
#[track_caller]
fn check_keys(table: &str, keys: &BTreeSet<String>) {
    let site = Site::new("locales = [\"es\"]", &[]);
    let mut text = site.read("latimer.toml");
    if table == "site" {
        text = "[[site]]\n".to_owned();
    } else {
        if table == "engine.NAME.price" {
            text +=
                "[engine.name]\nkind = \"openai\"\nurl = \"https://a.example/v1\"\nmodel = \"m\"\n";
        }
        text += &format!("[{}]\n", table.replace("NAME", "name").replace("TAG", "es"));
    }
    for key in keys {
        text += &format!("{key} = -1\n");
    }
    site.write("latimer.toml", &format!("{text}no_such_key = 1\n"));
    let ran = site.run(&["token", "mint", "--sub", "ana", "--scope", "sites:read"]);
    assert!(
        ran.stderr.contains("`no_such_key`"),
        "[{table}]: {}",
        ran.stderr
    );
}
