//! Names that others read, compared with the files in `tests/wire`: the API's document and error codes, keys of reports,
//! metrics, fields of the log, configuration keys, environment variables and options.
//!
//! The tests name no type of the program, so a renamed type changes none of the files. `UPDATE=1` rewrites them; read the
//! difference before you commit it.

mod command_line;
mod configuration;
mod error_codes;
mod openapi;
mod reports;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::web::{self, Server};
use crate::support::{Site, repository};

/// Lines of each version that a failure shows.
const SHOWN: usize = 6;

/// Compares a text with the committed file, or rewrites the file if `UPDATE` is set.
#[track_caller]
fn check(name: &str, text: &str) {
    let path = repository().join("tests/wire").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed == text {
        return;
    }
    let mut same = 0;
    for (old, new) in committed.lines().zip(text.lines()) {
        if old != new {
            break;
        }
        same += 1;
    }
    panic!(
        "tests/wire/{name} differs from line {} on.\n\nCommitted:\n{}\n\nNow:\n{}\n\n\
         Others read these names. If the change is meant, rewrite the files: UPDATE=1 cargo test --test it wire::",
        same + 1,
        lines_from(&committed, same),
        lines_from(text, same)
    );
}

/// Up to [`SHOWN`] lines, from this one on.
fn lines_from(text: &str, first: usize) -> String {
    let lines: Vec<&str> = text.lines().skip(first).take(SHOWN).collect();
    lines.join("\n")
}

/// Compares a sorted list with the committed file of one entry a line.
#[track_caller]
fn check_lines(name: &str, lines: &BTreeSet<String>) {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    check(name, &text);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The parts of a Markdown text between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Labels whose values are not of a fixed set.
const OPEN_LABELS: [&str; 3] = ["engine", "le", "version"];

#[test]
fn metrics_keep_their_names_types_and_labels() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>The house</p>")],
    );
    let scraped = api::free_address();
    api::give_api(
        &site,
        &format!("metrics_listen = {scraped:?}\n{}", api::NO_LIMITS),
    );
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let order = json!({ "targetLangs": ["es"] }).to_string();
    let run = server.call("POST", "/api/sites/site/crawl-translate", &token, &order);
    server.wait_for(run.header("location").unwrap(), &token);
    let text = metrics_with(&scraped, "latimer_engine_up{");
    let mut lines = BTreeSet::new();
    let mut family = "";
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("# TYPE ") {
            lines.insert(declared.to_owned());
            family = declared.split(' ').next().unwrap();
        } else if let Some((name, labels)) = line.split_once('{') {
            assert!(name.starts_with(family), "{name} is not of {family}");
            let pieces: Vec<&str> = labels.split('"').collect();
            for pair in pieces.chunks_exact(2) {
                let label = pair[0].trim_matches([',', '=']);
                let value = if OPEN_LABELS.contains(&label) {
                    "…"
                } else {
                    pair[1]
                };
                lines.insert(format!("{family} {label}={value}"));
            }
        }
    }
    check_lines("metrics.txt", &lines);
}

/// Reads metrics until they contain a text, because an engine may be counted a moment after its run ended.
#[track_caller]
fn metrics_with(address: &str, wanted: &str) -> String {
    let deadline = Instant::now() + web::PATIENCE;
    loop {
        let text = String::from_utf8(web::get(address, "/_metrics").body).unwrap();
        if text.contains(wanted) {
            return text;
        }
        assert!(Instant::now() < deadline, "{wanted} is not in:\n{text}");
        api::pause(Duration::from_millis(20));
    }
}

#[test]
fn lines_of_the_log_keep_their_fields() {
    let table = "locales = [\"es\"]\nengine = [\"rented\", \"pseudo\"]\n[engine.rented]\nkind = \"deepl\"\n";
    let site = Site::new(table, &[("index.html", "<p>The house</p>")]);
    let log = "[log]\nformat = \"json\"\nlevel = \"debug\"\n";
    api::give_api(
        &site,
        &format!("access_log = true\n{}{log}", api::NO_LIMITS),
    );
    let token = api::token(site.folder(), "ana", "*");
    let mut server = Server::start_with(site.folder(), &["--build"]);
    assert_eq!(server.get("/es/").status, 200);
    let order = json!({ "targetLangs": ["es"] }).to_string();
    let path = "/api/sites/site/crawl-translate";
    let ordered = api::call(&server.address, "POST", path, &token, &order).unwrap();
    assert_eq!(ordered.status, 202, "{ordered:?}");
    server.wait_for("\"name\":\"run\"", 1);
    server.terminate();
    assert!(server.wait());
    let mut lines = BTreeSet::new();
    for line in server.said().lines() {
        let event: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let kind = match (&event["message"], &event["span"]["name"]) {
            (Value::Null, _) => "access log".to_owned(),
            (_, Value::String(span)) => format!("event of a {span}"),
            (_, _) => "event".to_owned(),
        };
        for (field, value) in event.as_object().unwrap() {
            if let Some(inner) = value.as_object() {
                lines.extend(inner.keys().map(|name| format!("{kind}: {field}.{name}")));
            } else {
                lines.insert(format!("{kind}: {field}"));
            }
        }
    }
    check_lines("log_fields.txt", &lines);
}
