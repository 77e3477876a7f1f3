//! Texts that readers' browsers tell of because no dictionary knows them: what a server takes of strangers, and what the
//! owner makes of it.

use serde_json::{Value, json};

use crate::support::api::{Api, SCOPES, give_api, token};
use crate::support::web::{Server, exchange};
use crate::support::{Site, latimer};

const SHOP: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title>\
    <script src=/app.js defer></script><body><div id=root></div>";

/// A site with one page that its script draws, and a server that takes reports. Readers' addresses come from a proxy.
fn shop() -> Site {
    let keys = "locales = [\"en-XA\"]\nengine = \"pseudo\"\nurl = \"https://{lang}.example.com\"\n\
        translations = \"po/{lang}.po\"\n[site.scripts]\nreport = true\n";
    let site = Site::new(
        keys,
        &[
            ("index.html", SHOP),
            ("app.js", include_str!("support/reporting.js")),
        ],
    );
    give_api(&site, "trusted_proxies = [\"127.0.0.1/32\"]\n");
    site.build(&[], 0);
    site
}

/// What a server answers to a report.
fn send(server: &Api, headers: &str, body: &str) -> u16 {
    let length = body.len();
    let head = format!(
        "POST /_latimer/unknown HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n",
        server.address
    );
    let answer = exchange(&server.address, format!("{head}{body}").as_bytes());
    answer
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("{answer:?}"))
}

/// The same as a browser at an address sends it.
fn tell(server: &Api, reader: &str, texts: &Value) -> u16 {
    let body = json!({ "path": "/en-XA/", "texts": texts }).to_string();
    send(server, &from(server, reader), &body)
}

fn from(server: &Api, reader: &str) -> String {
    format!(
        "Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nX-Forwarded-For: {reader}\r\n",
        server.address
    )
}

fn list(server: &Api, token: &str) -> Value {
    server
        .call("GET", "/api/sites/site/reports", token, "")
        .json["items"]
        .clone()
}

const READERS: [&str; 3] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

#[test]
fn a_taken_text_is_translated_in_the_next_build_and_survives_a_lost_state() {
    let site = shop();
    let server = Api::start(site.folder());
    let token = token(site.folder(), "ana", "site");
    for reader in READERS {
        assert_eq!(list(&server, &token), json!([]));
        assert_eq!(
            tell(
                &server,
                reader,
                &json!(["Your cart is empty", "Not ours <b>&"])
            ),
            204
        );
    }
    let items = list(&server, &token);
    let item = &items[1];
    let other = &items[0];
    assert_eq!(
        [&item["text"], &other["text"]],
        ["Your cart is empty", "Not ours <b>&"],
        "{items:#}"
    );
    assert_eq!(item["status"], "new");
    assert_eq!(
        (&item["path"], &item["targetLangs"], &item["readers"]),
        (&json!("/"), &json!(["en-XA"]), &json!(3))
    );

    // Nothing of it reaches an engine or a page before the owner takes it.
    let run = server.call(
        "POST",
        "/api/sites/site/crawl-translate",
        &token,
        r#"{"targetLangs":["en-XA"]}"#,
    );
    assert_eq!(run.status, 202, "{run:?}");
    assert_eq!(
        server.wait_for(run.header("location").unwrap(), &token)["charactersSent"],
        0
    );
    let settle = |word: &str, text: &str| {
        server.call(
            "POST",
            &format!("/api/sites/site/reports/{word}"),
            &token,
            &json!({ "texts": [text] }).to_string(),
        )
    };
    assert_eq!(
        settle("take", "Your cart is empty").json,
        json!({ "settled": 1, "unknown": [] })
    );
    assert_eq!(
        settle("take", "Nobody said so").json,
        json!({ "settled": 0, "unknown": ["Nobody said so"] })
    );
    assert_eq!(settle("drop", "Not ours <b>&").json["settled"], 1);
    server.stop();

    let listed = site.run(&["reports", "list", "--json"]).json();
    let status = |text: &str| {
        let items = listed["items"].as_array().unwrap();
        items.iter().find(|item| item["text"] == text).unwrap()["status"].clone()
    };
    assert_eq!(
        (status("Your cart is empty"), status("Not ours <b>&")),
        (json!("taken"), json!("dropped"))
    );
    site.build(&["--offline"], 0);
    let report = site.build(&[], 0);
    let words = || {
        let files = site.objects();
        let is_words = |name: &&String| {
            name.starts_with("site/en-XA/_latimer/words.") && name.ends_with(".js")
        };
        let name = files.keys().find(is_words).cloned();
        name.map(|name| String::from_utf8_lossy(&files[&name]).into_owned())
            .unwrap_or_default()
    };
    assert!(
        words().contains("\"Your cart is empty\":") && !words().contains("Not ours"),
        "{report:#} {}",
        words()
    );
    let first = words();
    assert_eq!(site.run(&["export", "--locale", "en-XA"]).code, 0);
    assert!(
        site.read("po/en-XA.po")
            .contains("msgid \"Your cart is empty\"")
    );
    // Another state knows what deployments know.
    std::fs::remove_dir_all(site.path(".latimer")).unwrap();
    site.build(&["--offline"], 0);
    assert_eq!(words(), first);
    site.build(&[], 0);
    assert_eq!(words(), first);
    // What was taken can be dropped, whoever remembers that it was taken.
    let dropped = site.run(&["reports", "drop", "Your cart is empty"]);
    assert_eq!(dropped.code, 0, "{}", dropped.stderr);
    site.build(&[], 0);
    assert!(!words().contains("Your cart"), "{}", words());
    site.run(&["reports", "take", "Nobody said so"])
        .failed(2, &["1 text not in the list", "latimer reports list"]);
}

#[test]
fn what_is_no_report_of_a_page_here_is_refused_and_changes_nothing() {
    let site = shop();
    let server = Api::start(site.folder());
    let token = token(site.folder(), "ana", "site");
    let good = json!({ "path": "/en-XA/", "texts": ["Your cart is empty"] }).to_string();
    let own = format!("Origin: http://{}\r\n", server.address);
    let typed = format!("{own}Content-Type: application/json\r\n");
    let elsewhere = typed.replace(&server.address, "evil.example");
    for (headers, body, status) in [
        (own.clone(), good.clone(), 415),
        (
            "Content-Type: application/json\r\n".to_owned(),
            good.clone(),
            400,
        ),
        (elsewhere, good.clone(), 400),
        (
            format!("{typed}Sec-Fetch-Site: cross-site\r\n"),
            good.clone(),
            400,
        ),
        (
            format!("{typed}Origin: http://evil.example\r\n"),
            good.clone(),
            400,
        ),
        (
            typed.replace(&format!("http://{}", server.address), "null"),
            good.clone(),
            400,
        ),
        (
            format!("{typed}Transfer-Encoding: chunked\r\n"),
            good.clone(),
            400,
        ),
        (typed.clone(), String::new(), 400),
        (typed.clone(), "[".repeat(4_000), 400),
        (typed.clone(), good.replace("texts", "words"), 400),
        (typed.clone(), good.replace("/en-XA/", "/"), 404),
        (
            typed.clone(),
            good.replace("/en-XA/", "/en-XA/nowhere"),
            404,
        ),
        (
            typed.clone(),
            good.replace("/en-XA/", "/en-XA/../../etc"),
            404,
        ),
        (typed.clone(), good.replace("/en-XA/", "/xx/"), 404),
        (
            typed.clone(),
            json!({ "path": "/en-XA/", "texts": vec!["a"; 21] }).to_string(),
            400,
        ),
        (
            typed.clone(),
            json!({ "path": "/en-XA/", "texts": ["a".repeat(60_000)] }).to_string(),
            413,
        ),
    ] {
        for reader in READERS {
            let from = format!("{headers}X-Forwarded-For: {reader}\r\n");
            assert_eq!(
                send(&server, &from, &body),
                status,
                "{headers} {}",
                &body[..body.len().min(100)]
            );
        }
    }
    // In order, but nothing that may be kept.
    let odd = json!([
        "You ordered 3 loaves",
        "ana@example.com",
        "",
        "—",
        "a\u{0}b",
        "x".repeat(201),
        "\u{202e}٣"
    ]);
    for reader in ["198.51.100.1", "198.51.100.2", "198.51.100.3"] {
        assert_eq!(tell(&server, reader, &odd), 204);
    }
    assert_eq!(list(&server, &token), json!([]));
}

/// The path of a report is cut at the site's own folder: here inside of a character, with a forged line behind it.
#[test]
fn a_path_that_is_cut_inside_of_a_character_is_no_page() {
    let site = shop();
    site.edit(
        "latimer.toml",
        "https://{lang}.example.com",
        "https://www.example.com/docs/{lang}",
    );
    site.build(&[], 0);
    let server = Server::start_with(site.folder(), &[]);
    for path in [
        "/doc\u{e9}\nlatimer: forged\u{1b}[2J",
        "/\u{20ac}\u{20ac}",
        "/docs/en-X\u{e9}",
        "docs",
        "",
    ] {
        let body = json!({ "path": path, "texts": ["Your cart is empty"] }).to_string();
        let head = format!(
            "POST /_latimer/unknown HTTP/1.1\r\nHost: www.example.com\r\nOrigin: https://www.example.com\r\n\
             Connection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = exchange(&server.address, format!("{head}{body}").as_bytes());
        let status = if path.starts_with('/') {
            "HTTP/1.1 404 "
        } else {
            "HTTP/1.1 400 "
        };
        assert!(answer.starts_with(status), "{path:?}: {answer}");
    }
    let said = server.said();
    assert!(
        !said.contains("panicked") && !said.contains("forged"),
        "{said}"
    );
}

#[test]
fn a_flood_is_limited_by_address_and_keeps_at_most_two_thousand_texts() {
    let site = shop();
    let server = Api::start(site.folder());
    let token = token(site.folder(), "ana", "site");
    let words = |from: usize| -> Value {
        let word = |n: usize| {
            n.to_string()
                .bytes()
                .map(|digit| char::from(digit + 49))
                .collect::<String>()
        };
        (from..from + 20).map(word).collect()
    };
    let statuses: Vec<u16> = (0..12)
        .map(|n| tell(&server, "203.0.113.1", &words(n * 20)))
        .collect();
    assert!(
        statuses[..10].iter().all(|status| *status == 204) && statuses[10..].contains(&429),
        "{statuses:?}"
    );
    server.stop();
    let state = pipeline::state::State::open(&site.path(".latimer/state.redb")).unwrap();
    let id = pipeline::model::SiteId::parse("site").unwrap();
    let moment = pipeline::model::Moment::of_millis;
    let told = |text: &str| pipeline::state::Reported {
        text: pipeline::model::ReportedText::parse(text).unwrap(),
        page: pipeline::model::PagePath::parse("/").unwrap(),
        locales: [pipeline::model::Locale::parse("en-XA").unwrap()].into(),
        readers: 3,
    };
    let all: Vec<_> = (0..110)
        .flat_map(|n| words(n * 20).as_array().unwrap().clone())
        .collect();
    let all: Vec<_> = all
        .iter()
        .map(|word| told(word.as_str().unwrap()))
        .collect();
    assert_eq!(state.keep_reports(&id, &all, moment(1)).unwrap(), 200);
    assert_eq!(state.reports(&id).unwrap().len(), 2_000);
    // What was dropped makes room, and stays dropped as long as there is some.
    let first = all[0].text.as_str().to_owned();
    state
        .settle_reports(
            &id,
            std::slice::from_ref(&first),
            pipeline::state::ReportStanding::Dropped,
            moment(2),
        )
        .unwrap();
    assert_eq!(state.keep_reports(&id, &all[..1], moment(3)).unwrap(), 0);
    assert_eq!(
        state.reports(&id).unwrap()[&first].standing,
        pipeline::state::ReportStanding::Dropped
    );
    assert_eq!(
        state
            .keep_reports(&id, &[told("One more")], moment(4))
            .unwrap(),
        0
    );
    let kept = state.reports(&id).unwrap();
    assert!(kept.len() == 2_000 && kept.contains_key("One more") && !kept.contains_key(&first));
    drop(token);
}

#[test]
fn without_the_setting_there_is_neither_script_nor_address() {
    let site = shop();
    assert!(
        site.read("dist/site/en-XA/index.html")
            .contains("/_latimer/report.")
    );
    site.edit("latimer.toml", "report = true", "report = false");
    site.build(&[], 0);
    assert!(
        !site
            .read("dist/site/en-XA/index.html")
            .contains("/_latimer/report.")
    );
    let server = Api::start(site.folder());
    assert_eq!(
        tell(&server, "192.0.2.1", &json!(["Your cart is empty"])),
        404
    );
    let scopes = SCOPES.replace("crawl:write ", "");
    let minted = latimer(
        site.folder(),
        &[
            "token", "mint", "--sub", "b", "--scope", &scopes, "--site", "site",
        ],
        b"",
    );
    let token = String::from_utf8(minted.stdout).unwrap();
    let refused = server.call(
        "POST",
        "/api/sites/site/reports/take",
        token.trim(),
        r#"{"texts":["a"]}"#,
    );
    assert_eq!(
        (refused.status, &refused.json["details"]["code"]),
        (403, &json!("missing_scope"))
    );
}

mod needs_chromium {
    use std::process::Command;

    use super::*;
    use crate::support::{repository, tool};

    /// What three readers' browsers sent while they looked at a page, as lists of texts.
    fn visit(address: &str) -> Value {
        let program = repository().join("tests/it/support/reporting.mjs");
        let output = Command::new("node")
            .args([
                program.to_str().unwrap(),
                &format!("http://{address}/en-XA/"),
            ])
            .args(READERS)
            .env("NODE_PATH", tool("LATIMER_TEST_BROWSER"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn browsers_tell_what_scripts_put_in_and_nothing_else() {
        let site = shop();
        let server = Api::start(site.folder());
        let token = token(site.folder(), "ana", "site");
        let seen = visit(&server.address);
        assert_eq!(seen["errors"], json!([]), "{seen:#}");
        let expected = json!([
            "Your cart is empty",
            "Open the cart",
            "Late news",
            "Later news"
        ]);
        assert_eq!(
            seen["told"],
            json!([expected, expected, expected]),
            "{seen:#}"
        );
        assert_eq!(seen["cookies"], json!(false), "{seen:#}");
        let items = list(&server, &token);
        let texts: Vec<_> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["text"].as_str().unwrap())
            .collect();
        assert_eq!(
            texts,
            [
                "Late news",
                "Later news",
                "Open the cart",
                "Your cart is empty"
            ],
            "{items:#}"
        );
        server.stop();
        assert_eq!(site.run(&["reports", "take", "--all"]).code, 0);
        site.build(&[], 0);
        // What is known now is not told of again.
        let server = Api::start(site.folder());
        let seen = visit(&server.address);
        assert_eq!(seen["told"], json!([[], [], []]), "{seen:#}");
        assert!(
            seen["text"].as_str().unwrap().contains("Ýöûŕ çáŕţ"),
            "{seen:#}"
        );
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_server_that_takes_no_reports_is_asked_once() {
        let site = shop();
        site.edit("latimer.toml", "report = true", "report = false");
        // The pages were built with the script; the server says no.
        let server = Api::start(site.folder());
        let seen = visit(&server.address);
        assert_eq!(seen["requests"], json!([1, 1, 1]), "{seen:#}");
    }
}
