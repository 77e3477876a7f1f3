//! What calls leave behind: no table of the state grows with their number.
//!
//! What is kept of calls has bounds, such as the last 200 runs of a site. So the state is filled first, and then come twice as
//! many calls again, or more. The file's size would say little: redb takes room in large pieces and keeps what it had for a
//! moment. What the tables hold is counted in bytes.
//!
//! `LATIMER_CALLS=2000` for as many calls of each kind; `tests/run --nightly` makes 100,000.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTableMetadata, TableHandle};
use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{self, Site, at_strength};

/// Calls of each kind.
const CALLS: u32 = 120;
/// At most so many calls of each kind fill the state; in the usual run a third of all do.
const FIRST: usize = 1000;
/// Tables that need more calls than the usual run makes to have all that they may have, and how many bytes that is: 1,000 keys,
/// the figures of 1,000 runs, and the previews of a caller with those that had to make room lately.
const SLOW: [(&str, u64); 3] = [
    ("idempotency", 256 << 10),
    ("locale_runs", 128 << 10),
    ("previews", 256 << 10),
];
/// What may come to a table by chance.
const SLACK: u64 = 4 << 10;
/// Callers at the same time.
const CALLERS: usize = 4;

const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread</p>";

/// A client that keeps its connection.
struct Client<'a> {
    stream: BufReader<TcpStream>,
    address: &'a str,
    token: &'a str,
}

impl<'a> Client<'a> {
    fn new(address: &'a str, token: &'a str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(support::web::PATIENCE))
            .unwrap();
        Self {
            stream: BufReader::new(stream),
            address,
            token,
        }
    }

    /// Sends a request with one header line more, and gives the answer.
    fn call(&mut self, method: &str, path: &str, header: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let kind = if body.is_empty() {
            ""
        } else {
            "Content-Type: application/json\r\n"
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{header}{kind}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut status = 0;
        let mut length = 0;
        let mut line = String::new();
        while self.stream.read_line(&mut line).unwrap() > 2 {
            if status == 0 {
                status = line.split(' ').nth(1).unwrap().parse().unwrap();
            } else if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// One call of each kind that changes something, and every tenth time of each that does not.
    fn round(&mut self, number: usize) {
        let mut expect = |statuses: &[u16], method: &str, path: &str, header: &str, body: Value| {
            let (status, answer) = self.call(method, path, header, &body);
            assert!(
                statuses.contains(&status),
                "{method} {path}: {status} {answer}"
            );
            answer
        };
        let summary = json!({ "frequency": "daily", "summary": { "headline": format!("Headline {number}") } });
        expect(
            &[200],
            "PUT",
            "/api/sites/site/locales/es/translation-summary",
            "",
            summary,
        );
        let digest = json!({ "email": format!("ana{number}@example.com"), "frequency": "weekly" });
        expect(&[200], "PUT", "/api/digests/subscription", "", digest);
        let order = json!({ "targetLangs": ["es"], "sourcePaths": [format!("/{number}/*")] });
        let key = format!("Idempotency-Key: key-of-an-order-{number}\r\n");
        let ordered = expect(
            &[202, 429],
            "POST",
            "/api/sites/site/crawl-translate",
            &key,
            order,
        );
        if let Some(run) = ordered["crawlId"].as_str() {
            expect(
                &[200, 409],
                "POST",
                &format!("/api/sites/site/runs/{run}/cancel"),
                "",
                Value::Null,
            );
            expect(
                &[409],
                "POST",
                &format!("/api/sites/site/runs/{run}/accept"),
                "",
                Value::Null,
            );
            expect(
                &[200, 404],
                "GET",
                &format!("/api/sites/site/runs/{run}"),
                "",
                Value::Null,
            );
        }
        let planned =
            json!({ "targetLangs": ["es"], "sourcePaths": [format!("/planned/{number}/*")] });
        let planned = expect(
            &[202, 429],
            "POST",
            "/api/sites/site/plan",
            &key.replace("order", "plan"),
            planned,
        );
        if let Some(run) = planned["runId"].as_str() {
            expect(
                &[200, 409],
                "POST",
                &format!("/api/sites/site/runs/{run}/cancel"),
                "",
                Value::Null,
            );
        }
        let turn = json!({ "enabled": number % 2 == 1 });
        expect(&[200], "POST", "/api/sites/site/locales/es/serve", "", turn);
        let added = format!("/api/sites/added-{number}");
        let settings = json!({ "sourceUrl": "http://127.0.0.1:9/", "sourceLocale": "en", "targetLangs": ["es"] });
        expect(&[201], "PUT", &added, "", settings);
        let order = json!({ "targetLangs": ["es"] });
        expect(
            &[202],
            "POST",
            &format!("{added}/crawl-translate"),
            &key,
            order,
        );
        expect(&[204], "DELETE", &added, "", Value::Null);
        let page = json!({ "sourceUrl": "https://www.example.com/", "sourceLang": "en", "targetLang": "es" });
        let ordered = expect(&[202, 429], "POST", "/api/previews", "", page);
        if let Some(preview) = ordered["previewId"].as_str() {
            expect(
                &[200],
                "GET",
                &format!("/api/previews/{preview}"),
                "",
                Value::Null,
            );
        }
        if number.is_multiple_of(10) {
            for path in [
                "",
                "/site",
                "/site/runs",
                "/site/pages",
                "/site/deployments",
                "/site/translation-summaries",
            ] {
                expect(
                    &[200, 404],
                    "GET",
                    &format!("/api/sites{path}"),
                    "",
                    Value::Null,
                );
            }
            for path in [
                "/engines",
                "/me",
                "/digests/subscription",
                "/digests/next",
                "/previews",
            ] {
                expect(&[200], "GET", &format!("/api{path}"), "", Value::Null);
            }
            expect(&[200], "POST", "/api/reload", "", Value::Null);
        }
    }
}

/// Makes a round of calls for each number, with several callers at the same time.
fn call_each(server: &Api, token: &str, numbers: Range<usize>) {
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let numbers = numbers.clone();
            scope.spawn(move || {
                let mut client = Client::new(&server.address, token);
                numbers
                    .filter(|number| number % CALLERS == caller)
                    .for_each(|number| client.round(number));
            });
        }
    });
}

/// Rows and bytes of each table.
fn tables(state: &Path) -> BTreeMap<String, (u64, u64)> {
    let database = Database::open(state).unwrap();
    let transaction = database.begin_read().unwrap();
    let sizes = transaction.list_tables().unwrap().map(|table| {
        let name = table.name().to_owned();
        let table = transaction.open_untyped_table(table).unwrap();
        (
            name,
            (table.len().unwrap(), table.stats().unwrap().stored_bytes()),
        )
    });
    sizes.collect()
}

#[test]
fn state_does_not_grow_with_the_number_of_calls() {
    let calls = at_strength("LATIMER_CALLS", CALLS) as usize;
    let filling = FIRST.min(calls / 3);
    let keys =
        "locales = [\"es\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"";
    let site = Site::new(keys, &[("index.html", PAGE)]);
    api::give_api(
        &site,
        &format!("sites_allow_private = true\n{}", api::NO_LIMITS),
    );
    site.build(&[], 0);
    let token = api::token(site.folder(), "ana", "*");
    let state = site.path(".latimer/state.redb");

    let server = Api::start(site.folder());
    call_each(&server, &token, 0..filling);
    server.kill();
    let first = tables(&state);
    let server = Api::start(site.folder());
    call_each(&server, &token, filling..calls);
    server.kill();
    let last = tables(&state);

    for (name, (rows, bytes)) in &last {
        let (rows_before, bytes_before) = first.get(name).copied().unwrap_or_default();
        println!(
            "{name}: {rows_before} rows, {bytes_before} bytes after {filling} calls; {rows}, {bytes} after {calls}"
        );
        let slow = SLOW
            .iter()
            .find(|(slow, _)| slow == name)
            .map_or(0, |(_, most)| *most);
        assert!(
            *bytes <= slow.max(2 * bytes_before + SLACK),
            "{name} grows: {bytes_before} bytes became {bytes}"
        );
    }
    let total = |tables: &BTreeMap<String, (u64, u64)>| {
        tables.values().map(|(_, bytes)| bytes).sum::<u64>()
    };
    let first = total(&first);
    let last = total(&last);
    let file = std::fs::metadata(&state).unwrap().len();
    println!(
        "{first} bytes after {filling} calls of each kind, {last} after {calls}; the file has {file}"
    );
    // Fewer calls leave the slow tables half empty.
    let is_full = calls >= 2000;
    assert!(
        last <= 2 * first || !is_full,
        "{first} bytes after {filling} calls of each kind grew to {last} after {calls}"
    );
}
