//! `latimer doctor`: what is wrong is found before a build finds it, and nothing is changed by looking.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::s3::{self, Bucket, Refuses};
use crate::support::web::listen;
use crate::support::{Site, assert_same, files};

/// What doctor says about something.
fn said(report: &Value, what: &str) -> (String, String) {
    let findings = report["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["what"] == what)
        .unwrap_or_else(|| panic!("{what}: {report:#}"));
    (
        found["health"].as_str().unwrap().to_owned(),
        found["found"].as_str().unwrap().to_owned(),
    )
}

/// Checks the health of each named finding, and a part of its text.
#[track_caller]
fn check(report: &Value, findings: &[(&str, &str, &str)]) {
    for (what, health, part) in findings {
        let (found, text) = said(report, what);
        assert!(
            found == *health && text.contains(part),
            "{what}: {found}: {text}"
        );
    }
}

#[test]
fn a_good_site_is_good_and_nothing_is_changed() {
    let site = Site::fixture("bakery");
    let before = files(site.folder());
    let ran = site.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for what in [
        "configuration",
        "bakery: source",
        "bakery: translations in es",
        "object store",
        "state",
    ] {
        assert_eq!(said(&ran.json(), what).0, "good", "{what}");
    }
    assert_same(&files(site.folder()), &before);
    site.build(&[], 0);
    let store = said(&site.run(&["doctor", "--json"]).json(), "object store").1;
    assert!(store.ends_with("deployment 1 of bakery"), "{store}");
}

#[test]
fn what_does_not_work_is_named_with_what_to_do() {
    let keys = "locales = [\"es\"]\nengine = [\"deepl\", \"fx\"]\ntranslations = \"{lang}.po\"\nmemory = \"{lang}.jsonl\"\n\
                [engine.deepl]\nkind = \"deepl\"\nkey_file = \"gone.key\"";
    let site = Site::new(keys, &[("about.html", "<p>Hello</p>")]);
    site.write("es.po", "msgid \"a\"\nmsgstr nothing\n");
    site.write("es.jsonl", "{\n");
    let ran = site.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    check(
        &report,
        &[
            ("site: source", "poor", "has no index.html"),
            ("engine deepl", "bad", "gone.key"),
            ("site: translations in es", "bad", "es.po:2"),
            ("site: memory in es", "bad", "1 lines are broken"),
            ("site: en to es", "poor", "only people and the memory; fx: "),
        ],
    );
    site.run(&["doctor", "--server", "http://127.0.0.1:1"])
        .failed(2, &["also while a server runs"]);
}

#[test]
fn key_files_are_read_and_are_their_owners_alone() {
    let keys = "locales = [\"es\"]\nengine = [\"none\"]\n[site.crawl]\nheaders_file = \"headers.txt\"\n\
                [engine.none]\nkind = \"deepl\"\nkey_file = \"deepl.key\"\n\
                [api]\njwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }\npreview_tokens_file = \"tokens\"";
    let site = Site::new(keys, &[("index.html", "<p>Hello</p>")]);
    let set = |name: &str, text: &str, mode: u32| {
        site.write(name, text);
        std::fs::set_permissions(site.path(name), Permissions::from_mode(mode)).unwrap();
    };
    set("jwt.secret", "too short", 0o600);
    set("deepl.key", "hush", 0o644);
    set("tokens", &"t".repeat(32), 0o620);
    let report = site.run(&["doctor", "--json"]).json();
    check(
        &report,
        &[
            ("key of tokens", "bad", "jwt.secret"),
            ("secret_file of api.jwt", "good", "jwt.secret"),
            ("preview tokens", "good", "can be used"),
            (
                "api.preview_tokens_file",
                "poor",
                "its group may change it (mode 620); run `chmod 600 ",
            ),
            (
                "key_file of engine none",
                "poor",
                "everybody on this machine may read or change it (mode 644)",
            ),
            ("headers_file of site", "bad", "headers.txt"),
        ],
    );
}

#[test]
fn targets_of_publishing_are_tried() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let targets = "[publish.pages]\nkind = \"folder\"\nhost = \"github-pages\"\nto = \"www\"\n\
                   [publish.program]\nkind = \"command\"\ncommand = [\"no-such-program\", \"{dir}\"]\n";
    let keys = "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{lang}.po\"\nurl = \"https://www.example.com/{lang}\"\n";
    let pages = [
        ("index.html", "<html lang=en><p>Home"),
        ("other.html", "<html lang=en><p>Other"),
    ];
    let site = Site::new(
        &format!("{keys}{targets}{}", bucket.target("plain")),
        &pages,
    );
    site.write(
        "es.po",
        "msgid \"\"\nmsgstr \"\"\n\"Language: es\\n\"\n\nmsgid \"Home\"\nmsgstr \"Inicio\"\n",
    );
    site.build(&[], 0);
    let report = site.run(&["doctor", "--json"]).json();
    check(
        &report,
        &[
            ("publish pages", "good", "www"),
            (
                "publish pages: github-pages",
                "bad",
                "1 page is missing in es (307)",
            ),
            (
                "publish program",
                "bad",
                "there is no program no-such-program",
            ),
            ("publish live", "good", "where a file was put and removed"),
        ],
    );
    assert_eq!(
        files(&folder.path().join("pages")).len(),
        0,
        "nothing stays"
    );
}

/// A site whose store is a bucket behind an endpoint, and which is brought to another one there.
fn in_bucket(endpoint: &str) -> Site {
    let options = s3::options(endpoint);
    let keys = format!(
        "locales = [\"es\"]\n[publish.live]\nkind = \"s3\"\nto = \"s3://gone/www\"\noptions = {options}\n\
         [store]\nobjects = \"s3://gone/site\"\noptions = {options}"
    );
    Site::new(&keys, &[("index.html", "<p>Hello")])
}

#[test]
fn a_bucket_that_does_not_answer_is_said_in_seconds() {
    // One refuses connections, one accepts them and says nothing, one has a name that nobody knows.
    let (_listener, address) = listen();
    let silent = format!("http://{address}");
    for endpoint in ["http://127.0.0.1:1", &silent, "http://no-such-host.invalid"] {
        let site = in_bucket(endpoint);
        let began = Instant::now();
        let ran = site.run(&["doctor", "--json"]);
        let took = began.elapsed();
        eprintln!("{endpoint}: {took:?}");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        for what in ["object store", "publish live"] {
            let (health, found) = said(&ran.json(), what);
            assert!(
                health == "bad" && !found.is_empty(),
                "{endpoint}: {what}: {health}: {found}"
            );
        }
        // Ten seconds for each bucket, and a busy machine.
        assert!(took < Duration::from_secs(40), "{endpoint}: {took:?}");
    }
}

#[test]
fn a_store_that_is_not_there_or_may_not_be_written_is_not_called_good() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = Site::new(
        &format!("locales = [\"es\"]\n[store]\n{}", bucket.store()),
        &[("index.html", "<p>Hello")],
    );
    let (health, found) = said(&site.run(&["doctor", "--json"]).json(), "object store");
    assert!(
        health == "good" && found.ends_with("nothing is published yet"),
        "{health}: {found}"
    );
    assert_eq!(
        files(&folder.path().join("pages")).len(),
        0,
        "nothing stays"
    );

    bucket.refuse(Refuses::Writing);
    let (health, found) = said(&site.run(&["doctor", "--json"]).json(), "object store");
    assert!(
        health == "poor"
            && found.contains("serve --pages-only")
            && found.contains("may not do that"),
        "{found}"
    );

    bucket.refuse(Refuses::Everything);
    let ran = site.run(&["doctor", "--json"]);
    let (health, found) = said(&ran.json(), "object store");
    assert!(
        ran.code == 1 && health == "bad" && found.contains("there is no such bucket"),
        "{health}: {found}"
    );
    let findings = ran.json()["findings"].as_array().unwrap().clone();
    let stores = findings
        .iter()
        .filter(|finding| finding["what"] == "object store")
        .count();
    assert_eq!(stores, 1, "{findings:?}");
}

#[test]
fn nothing_is_made_before_the_first_build() {
    let keys = "locales = [\"es\"]\nmemory = \"latimer.toml/{lang}.jsonl\"\n[engine.mine]\nkind = \"command\"\n\
                program = \"no-such-program\"\n[store]\nobjects = \"var/site\"\nstate = \"var/state.redb\"";
    let keys = keys.replacen("locales", "engine = \"mine\"\nlocales", 1);
    let site = Site::new(&keys, &[("index.html", "<p>Hello")]);
    let report = site.run(&["doctor", "--json"]).json();
    check(
        &report,
        &[
            (
                "object store",
                "good",
                "var/site, which the first build makes",
            ),
            (
                "state",
                "good",
                "var/state.redb, which the first build makes",
            ),
            ("site: memory in es", "bad", "cannot write in "),
            ("engine mine", "bad", "there is no program no-such-program"),
        ],
    );
    assert!(!site.path("var").exists());
}
