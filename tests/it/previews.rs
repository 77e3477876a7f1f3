//! Previews: one page at the command line, and what a stranger's page may do in a reader's browser.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::origin::{Origin, Said};
use crate::support::{self, Site};

const KEYS: &str =
    "locales = [\"es\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"\n";
const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread</p><a href=menu.html>Menu</a></html>";

#[test]
fn one_page_is_printed_and_leaves_nothing_behind() {
    let site = Site::new(KEYS, &[("a/index.html", PAGE)]);
    let before = support::files(site.folder());
    let ran = site.run(&["preview", "https://www.example.com/a/", "--locale", "es"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let html = String::from_utf8(ran.stdout).unwrap();
    assert!(
        html.contains("lang=es") && !html.contains("Fresh bread"),
        "{html}"
    );
    assert!(
        html.contains("https://www.example.com/a/menu.html"),
        "{html}"
    );
    support::assert_same(&support::files(site.folder()), &before);
    let ran = site.run(&[
        "preview",
        "https://www.example.com/a/",
        "--locale",
        "es",
        "--out",
        "es.html",
    ]);
    assert_eq!(
        (ran.code, ran.stdout.len(), site.read("es.html")),
        (0, 0, html)
    );
    for (url, said) in [
        ("https://www.example.com/none", "the site has no such page"),
        ("http://127.0.0.1:9/", "not a public address"),
        ("http://169.254.169.254/", "not a public address"),
        (
            "ftp://www.example.com/",
            "not an http:// or https:// address",
        ),
    ] {
        site.run(&["preview", url, "--locale", "es"])
            .failed(1, &[said]);
    }
}

#[test]
fn an_engine_that_cannot_start_is_named() {
    let keys = "locales = [\"es\"]\nurl = \"https://www.example.com/{lang}\"\nengine = \"deepl\"\n\
                [engine.deepl]\nkind = \"deepl\"\nkey_file = \"gone.key\"";
    let site = Site::new(keys, &[("index.html", PAGE)]);
    let ran = site.run(&["preview", "https://www.example.com/", "--locale", "es"]);
    ran.failed(1, &["deepl cannot be started", "latimer doctor"]);
    assert!(
        !ran.stderr.contains("gone.key"),
        "files of this machine are nobody's business: {}",
        ran.stderr
    );
}

#[test]
fn a_refused_sentence_stays_in_the_source_language_as_in_a_build() {
    let sentence = "We bake fresh bread here every morning.";
    let keys = "locales = [\"es\"]\nurl = \"https://www.example.com/{lang}\"\nengine = \"copies\"\n\
                [engine.copies]\nkind = \"command\"\nprogram = \"cat\"";
    let page = format!("<!doctype html><html lang=en><p>{sentence}</p></html>");
    let site = Site::new(keys, &[("index.html", &page)]);
    let ran = site.run(&["preview", "https://www.example.com/", "--locale", "es"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(String::from_utf8(ran.stdout).unwrap().contains(sentence));
    assert!(
        ran.stderr.contains(sentence) && ran.stderr.contains("copies"),
        "{}",
        ran.stderr
    );
    let report = site
        .run(&[
            "preview",
            "https://www.example.com/",
            "--locale",
            "es",
            "--json",
        ])
        .json();
    assert_eq!(report["untranslated"][0]["source"], sentence, "{report}");
    // An engine that gives no answer at all makes no preview.
    site.edit("latimer.toml", "program = \"cat\"", "program = \"false\"");
    site.run(&["preview", "https://www.example.com/", "--locale", "es"])
        .failed(1, &["copies"]);
}

/// Previews that are ordered at the same time.
const AT_ONCE: usize = 8;

/// A page of so many bytes, with few texts that many elements repeat.
fn large_page(bytes: usize) -> String {
    let text =
        "Bread is baked with care every morning, and sold until there is none left. ".repeat(4);
    let mut html = String::from("<!doctype html><html lang=en><title>Bread</title>");
    for number in 0.. {
        if html.len() >= bytes {
            break;
        }
        html.push_str(&format!(
            "<div class=loaf><p id=p{number}>{}: <b>new</b> {text}</p></div>\n",
            number % 20
        ));
    }
    html
}

#[test]
fn many_large_previews_take_little_memory() {
    let bytes =
        std::env::var("LATIMER_PREVIEW_BYTES").map_or(2 << 20, |bytes| bytes.parse().unwrap());
    let page = large_page(bytes);
    let origin = Origin::start(move |path| {
        Said::page(if path == "/" {
            PAGE.to_owned()
        } else {
            page.clone()
        })
    });
    let site = Site::new(KEYS, &[("index.html", PAGE)]);
    api::give_api(
        &site,
        &format!(
            "{}[preview]\nengine = \"pseudo\"\nallow_private = true",
            api::NO_LIMITS
        ),
    );
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let order = |path: &str| {
        let body = json!({ "sourceUrl": format!("{}{path}", origin.address), "sourceLang": "en", "targetLang": "es" });
        let ordered = server.call("POST", "/api/previews", &token, &body.to_string());
        assert_eq!(ordered.status, 202, "{}", ordered.json);
        ordered.header("location").unwrap().to_owned()
    };
    let end = |location: &String| {
        let is_over =
            |preview: &Value| matches!(preview["status"].as_str(), Some("ready" | "failed"));
        let preview = server.wait_until(location, &token, is_over);
        assert_eq!(preview["status"], "ready", "{preview:#}");
    };
    end(&order(""));
    let before = server.memory("VmRSS");
    let ordered: Vec<String> = (0..AT_ONCE)
        .map(|number| order(&format!("large/{number}")))
        .collect();
    ordered.iter().for_each(end);
    let peak = server.memory("VmHWM") - before;
    let after = server.memory("VmRSS").saturating_sub(before);
    let pages = u64::try_from(AT_ONCE * bytes / 1024).unwrap();
    println!(
        "{AT_ONCE} previews of {bytes} bytes: {peak} KiB more at most, {after} KiB more after them"
    );
    let most = 64 * 1024;
    assert!(
        peak <= pages + most,
        "{peak} KiB more than before, and the pages have {pages}"
    );
    assert!(after <= most, "{after} KiB are kept");
}

mod needs_chromium {
    use super::*;

    /// D5: a script of a previewed page has an origin of its own and cannot reach the API.
    #[test]
    #[ignore = "needs Chromium"]
    fn script_in_a_preview_is_nobody_here() {
        let script = "<script>const say = (id, text) => document.getElementById(id).textContent = text;\n\
                      say('origin', self.origin);\n\
                      try { document.cookie = 'a=1'; say('cookie', 'set') } catch { say('cookie', 'refused') }\n\
                      fetch('/api/openapi.json').then(answer => say('api', 'read'), () => say('api', 'refused'));</script>";
        let html = format!(
            "<!doctype html><html lang=en><p id=origin>-</p><p id=cookie>-</p><p id=api>-</p>{script}</html>"
        );
        let site = Site::new(KEYS, &[("index.html", &html)]);
        api::give_api(&site, "");
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        let body =
            r#"{"sourceUrl":"https://www.example.com/","sourceLang":"en","targetLang":"es"}"#;
        let ordered = server.call("POST", "/api/previews", &token, body);
        assert_eq!(ordered.status, 202, "{}", ordered.json);
        let location = ordered.header("location").unwrap();
        while server.call("GET", location, &token, "").json["status"] != "ready" {
            api::pause(std::time::Duration::from_millis(20));
        }
        let address = format!(
            "http://{}{}",
            server.address,
            ordered.json["previewUrl"].as_str().unwrap()
        );
        let profile = format!("--user-data-dir={}", site.path("profile").display());
        let mut chromium = Command::new("chromium");
        chromium.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ]);
        let output = chromium
            .arg(&profile)
            .arg(&address)
            .stderr(Stdio::null())
            .output()
            .unwrap();
        let seen = String::from_utf8_lossy(&output.stdout);
        for expected in [
            "id=\"origin\">null<",
            "id=\"cookie\">refused<",
            "id=\"api\">refused<",
        ] {
            assert!(seen.contains(expected), "{expected} is not in {seen}");
        }
    }
}
