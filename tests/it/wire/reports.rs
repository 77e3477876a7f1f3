//! The reports that commands print with `--json`: the paths of their keys, and values of fixed sets.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::check_lines;
use crate::support::api::{self, Api};
use crate::support::model::Model;
use crate::support::registry::{Registry, Trouble, rubbish};
use crate::support::{Site, command, web};

/// Keys that are names: languages and engines of the sites below.
const NAMES: [&str; 5] = ["de", "es", "llm", "mine", "pseudo"];
/// Keys whose values are words of a fixed set. `health` is not among them, because it depends on the machine.
const WORDS: [&str; 19] = [
    "basis",
    "cause",
    "change",
    "check",
    "code",
    "error",
    "format",
    "frequency",
    "kind",
    "origin",
    "outcome",
    "reason",
    "renderedBecause",
    "servingStatus",
    "severity",
    "standing",
    "state",
    "status",
    "trouble",
];

/// Paths of the keys in reports of commands, and words of fixed sets among their values.
#[derive(Default)]
struct ReportKeys {
    lines: BTreeSet<String>,
    /// The token for a server.
    token: String,
}

impl ReportKeys {
    /// Runs a command in a site's folder and adds the keys of its report.
    #[track_caller]
    fn run(&mut self, site: &Site, name: &str, arguments: &[&str]) {
        let mut program = command(site.folder());
        program
            .args(name.split(' '))
            .args(arguments)
            .args(["--json", "--quiet"]);
        let output = program
            .env("LATIMER_TOKEN", &self.token)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {said}"));
        assert!(
            report.get("error").is_none(),
            "{name} {arguments:?}: {report}"
        );
        self.add(name, "", &report);
    }

    fn add(&mut self, name: &str, path: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let is_name = NAMES.contains(&key.as_str()) || key.contains(['/', '-']);
                    let key = if is_name { "{}" } else { key.as_str() };
                    let below = if path.is_empty() {
                        key.to_owned()
                    } else {
                        format!("{path}.{key}")
                    };
                    self.lines.insert(format!("{name}: {below}"));
                    self.add(name, &below, member);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.add(name, &format!("{path}[]"), item);
                }
            }
            Value::String(text) => {
                let key = path.rsplit('.').next().unwrap_or_default();
                let is_word = text
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                if is_word && WORDS.contains(&key) {
                    self.lines.insert(format!("{name}: {path} = {text}"));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

const SITE: &str = r#"locales = ["es", "de"]
url = "https://www.example.com/{lang}"
translations = "po/{lang}.po"
glossary = "glossary.csv"
exclude = ["/internal/**"]
min_translated = 0.8
max_chars_per_month = 100000
"#;
/// `rented` has no key. `mine` spoils one text and returns the others as they are.
const TABLES: &str = r#"
[site.checks]
numbers = "warn"
[site.crawl]
max_lost = 1
[engine.rented]
kind = "deepl"
[engine.mine]
kind = "command"
program = "sed"
args = ["-u", "s/oven/9/"]
[publish.www]
kind = "folder"
host = "nginx"
to = "www"
"#;
/// A text for each entry of a report: carried, outdated and refused translations, a changed number, a name, a kept text.
const PAGE: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Fresh bread</title><h1>Warm rolls</h1>\
    <p>Read <a href=/>our story</a> now</p><p>We bake 7 loaves, and Heron Rye sells them.</p>\
    <p>Do not touch the oven</p><p>Skip to the content.</p><p translate=no>Acme Mills</p>\
    <p>Our friends call the Sourdough Club each day.</p><p>You find the Sourdough Club here.</p>";
/// The same page with texts that nobody has translated.
const OTHER_PAGE: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Fresh bread</title>\
    <h1>Cold cakes and many other things to eat</h1>\
    <p>Nothing that stood here before is said again today, and so much more of it.</p><p>Skip to the content.</p>";
const DRAWN_PAGE: &str = "<!doctype html><html lang=en><title>Shop</title><div id=__next><p>Home of bread</p></div>\
    <script id=__NEXT_DATA__ type=application/json>{\"props\":{\"title\":\"Home of bread\"}}</script>";
const SEARCH_INDEX: &str = r#"{"config":{"lang":["en"]},"docs":[{"location":"","title":"Fresh bread","text":"Warm rolls"}]}"#;
const PO: &str = r#"msgid "Fresh bread"
msgstr "Pan fresco"

msgid "Read <g id=\"1\">our story</g> now"
msgstr "Lea nuestra historia"

msgid "Do touch the oven"
msgstr "Toque el horno"

msgid "Skip to the content"
msgstr "Saltar al contenido"

msgid "Nobody says this any more"
msgstr "Nadie lo dice"
"#;
const BAD_PAGE: &str = "<html lang=en><title>Bread</title><link rel=alternate hreflang=xx-yy-zz href=/none/>\
    <p>Bread</p><a href=/nowhere>Rolls</a>";

/// The configuration of a site with these engines.
fn settings(engines: &str, model: &Model) -> String {
    let price = "price = { input = 2, output = 10, cached = 0.5 }";
    format!("{SITE}engine = {engines}\n{TABLES}{}", model.engine(price))
}

#[test]
fn reports_of_commands_keep_their_keys() {
    let mut keys = ReportKeys::default();
    add_reports_of_a_site(&mut keys);
    add_reports_of_a_registry(&mut keys);
    add_reports_through_a_server(&mut keys);
    check_lines("json_keys.txt", &keys.lines);
}

/// Reports about one site, at first healthy, then without its engines, then without its source.
fn add_reports_of_a_site(keys: &mut ReportKeys) {
    let model = Model::saying(|_, _, good| {
        let spoiled = good.to_string().replace("7 LOAVES", "8 LOAVES");
        (200, serde_json::from_str(&spoiled).unwrap())
    });
    let pages = [
        ("index.html", PAGE),
        ("internal/index.html", "<p>Internal</p>"),
        ("shop.html", DRAWN_PAGE),
        ("search/search_index.json", SEARCH_INDEX),
    ];
    let site = Site::new(&settings(r#"["rented", "llm"]"#, &model), &pages);
    site.write(
        "glossary.csv",
        "term,es,de\nWarm rolls,panecillos,Semmeln\n",
    );
    site.write("po/es.po", PO);
    site.write("bad/index.html", BAD_PAGE);
    site.write("models/enpt/model.enpt.intgemm.alphas.bin", "no network");
    site.write("models/enpt/vocab.enpt.spm", "no words");
    keys.run(&site, "plan", &[]);
    keys.run(&site, "build", &[]);
    keys.run(&site, "plan", &["--force"]);
    keys.run(&site, "explain", &["/es/"]);
    keys.run(&site, "explain", &["/internal/"]);
    keys.run(&site, "terms suggest", &[]);
    keys.run(&site, "eval", &["--locale", "es", "--engine", "mine"]);
    keys.run(&site, "engine test", &["llm", "--locale", "es"]);
    keys.run(&site, "export", &["--locale", "es", "out.po"]);
    keys.run(
        &site,
        "preview",
        &["https://www.example.com/", "--locale", "es"],
    );
    keys.run(&site, "publish", &["--dry-run"]);
    keys.run(&site, "publish", &[]);
    keys.run(&site, "doctor", &[]);
    let engine = "command:sed -u s/oven/9/";
    keys.run(
        &site,
        "render",
        &[
            "--engine", engine, "--from", "en", "--to", "es", "source", "rendered",
        ],
    );
    keys.run(
        &site,
        "audit",
        &["bad", "--base", "https://www.example.com/"],
    );
    keys.run(&site, "models list", &[]);
    keys.run(
        &site,
        "init",
        &[
            "bad",
            "--locale",
            "es",
            "--host",
            "netlify",
            "--ci",
            "github",
            "-c",
            "other.toml",
        ],
    );
    keys.run(&site, "init --host", &["nginx", "-c", "other.toml"]);
    // Pages stay in an older version, and a host has what nobody published.
    site.configure(&settings(r#"["rented"]"#, &model));
    site.write("source/index.html", OTHER_PAGE);
    fs::remove_file(site.path("source/shop.html")).unwrap();
    site.write("www/current/foreign.txt", "foreign");
    keys.run(&site, "build", &[]);
    keys.run(&site, "explain", &["/"]);
    keys.run(&site, "publish", &["--verify", "--delete"]);
    site.configure(&settings(r#"["pseudo"]"#, &model));
    keys.run(&site, "plan", &[]);
    // The source is suspect, then its stored bytes are missing.
    fs::remove_file(site.path("source/index.html")).unwrap();
    keys.run(&site, "build", &[]);
    fs::remove_dir_all(site.path("dist/site/_sources")).unwrap();
    keys.run(&site, "locale", &["site", "de", "off"]);
    keys.run(&site, "memory forget", &["--locale", "es"]);
    keys.run(&site, "state compact", &[]);
    keys.run(&site, "state rebuild", &["--force"]);
    keys.add(
        "a command that fails",
        "",
        &site.run(&["build", "other", "--json"]).json(),
    );
}

fn add_reports_of_a_registry(keys: &mut ReportKeys) {
    let registry = Registry::serve(&[["en", "de"]], &rubbish(), Trouble::None, 0);
    let site = Site::new(
        &format!("locales = [\"de\"]\n{}", registry.table()),
        &[("index.html", "<p>One</p>")],
    );
    keys.run(&site, "models list --available", &[]);
    keys.run(&site, "models add --print", &["en", "de"]);
}

/// Reports that a server makes for the command line, and reports about records that only callers of a server create.
fn add_reports_through_a_server(keys: &mut ReportKeys) {
    let table = "locales = [\"en-XA\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n\
                 max_chars_per_month = 100000\n[site.scripts]\nreport = true\n";
    let shop = "<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title>\
                <script src=/app.js defer></script><body><div id=root></div>";
    let about = "<!doctype html><html lang=en><title>About</title><p>The house is red.</p>";
    let site = Site::new(
        table,
        &[("index.html", shop), ("app.js", ""), ("about.html", about)],
    );
    let proxies = "trusted_proxies = [\"127.0.0.1/32\"]\n";
    api::give_api(
        &site,
        &format!(
            "{proxies}{}\n[webhooks]\nallow_private = true\n",
            api::NO_LIMITS
        ),
    );
    keys.token = api::owners_token(site.folder(), "ana");
    keys.run(
        &site,
        "token mint",
        &["--sub", "ana", "--scope", "sites:read"],
    );
    keys.run(&site, "admin login", &[]);
    let server = Api::start(site.folder());
    let address: &str = &format!("http://{}", server.address);
    let wanted = json!({ "email": "ana@example.com", "frequency": "daily" }).to_string();
    let answer = server.call("PUT", "/api/digests/subscription", &keys.token, &wanted);
    assert_eq!(answer.status, 200, "{answer:?}");
    let summary = json!({ "headline": "New bread", "notes": "From today on." });
    let summary = json!({ "frequency": "daily", "summary": summary }).to_string();
    let path = "/api/sites/site/locales/en-XA/translation-summary";
    let answer = server.call("PUT", path, &keys.token, &summary);
    assert_eq!(answer.status, 200, "{answer:?}");
    keys.run(&site, "plan --server", &[address]);
    keys.run(&site, "build --server", &[address]);
    keys.run(&site, "explain --server", &[address, "/about.html"]);
    keys.run(&site, "digest show --server", &[address]);
    keys.run(
        &site,
        "export --server",
        &[address, "--locale", "en-XA", "there.po"],
    );
    keys.run(
        &site,
        "webhooks add --server",
        &[address, "http://127.0.0.1:9/"],
    );
    keys.run(&site, "webhooks test --server", &[address]);
    for reader in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        report_text(&server, reader);
    }
    keys.run(&site, "reports list --server", &[address]);
    keys.run(&site, "locale --server", &[address, "site", "en-XA", "off"]);
    server.stop();
    keys.run(&site, "reports list", &[]);
    keys.run(&site, "reports take", &["Your cart is empty"]);
    keys.run(&site, "reports drop", &["Your cart is empty"]);
    keys.run(&site, "webhooks list", &[]);
    keys.run(&site, "webhooks deliveries", &[]);
    keys.run(&site, "webhooks redeliver", &[]);
    keys.run(&site, "webhooks remove", &[]);
    keys.run(&site, "webhooks add", &["http://127.0.0.1:9/"]);
    keys.run(&site, "webhooks test", &[]);
    keys.run(&site, "digest show", &[]);
}

/// Reports an untranslated text, as the browser of a reader at this address does.
#[track_caller]
fn report_text(server: &Api, reader: &str) {
    let address = &server.address;
    let body = json!({ "path": "/en-XA/", "texts": ["Your cart is empty"] }).to_string();
    let request = format!(
        "POST /_latimer/unknown HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/json\r\nOrigin: http://{address}\r\nSec-Fetch-Site: same-origin\r\n\
         X-Forwarded-For: {reader}\r\n\r\n{body}",
        body.len()
    );
    let answer = web::exchange(address, request.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
}
