//! `latimer watch`: what is changed is seen, built, served and told to browsers, and the store is as a build leaves it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use crate::support::web::{Loopback, PATIENCE, Reply, Server};
use crate::support::{self, Site};

/// What ends the line of each build.
const BUILT: &str = " s)\n";
const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread</p></html>";
const KEYS: &str = "locales = [\"es\"]\nengine = [\"pseudo\"]\ntranslations = \"po/{lang}.po\"\nmemory = \"memory/{lang}.jsonl\"\n";

fn watch(site: &Site) -> Server {
    Server::start_as(site.folder(), "watch", &[])
}

/// The events of live reload: the data of each.
fn events(address: &str) -> Receiver<String> {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET /_latimer/reload HTTP/1.1\r\nHost: {address}\r\n\r\n"
    )
    .unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        data.filter(|data| data != "{}")
            .map_while(|data| sender.send(data).ok())
            .count()
    });
    receiver
}

/// Sends a request and gives its head and body.
fn ask(address: &str, method: &str, path: &str, headers: &str) -> (String, String) {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n"
    );
    let answer = support::web::exchange(address, request.as_bytes());
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

#[test]
fn changes_of_the_bakery_are_built_as_by_hand_and_browsers_are_told() {
    let site = Site::fixture("bakery");
    let twin = Site::fixture("bakery");
    let server = watch(&site);
    let events = events(&server.address);
    assert_eq!(events.recv_timeout(PATIENCE).unwrap(), "{\"bakery\":1}");
    let same_as_a_build = |change: &dyn Fn(&Site)| {
        change(&twin);
        twin.build(&[], 0);
        // It sweeps later than a build by hand, and writes down when.
        let but_the_sweep = |site: &Site| {
            let mut objects = site.objects();
            objects.retain(|name, _| !name.ends_with("/swept.json"));
            objects
        };
        support::assert_same(&but_the_sweep(&site), &but_the_sweep(&twin));
    };
    same_as_a_build(&|_| ());

    let page = |site: &Site| site.edit("source/about/index.html", "<h1>", "<h1>Truly ");
    page(&site);
    assert_eq!(events.recv_timeout(PATIENCE).unwrap(), "{\"bakery\":2}");
    server.wait_for(BUILT, 2);
    assert!(server.get("/about/").text().contains("<h1>Truly "));
    same_as_a_build(&page);

    let words =
        |site: &Site| site.edit("translations/es.po", "Nuestra historia", "Palabras nuevas");
    words(&site);
    assert_eq!(events.recv_timeout(PATIENCE).unwrap(), "{\"bakery\":3}");
    server.wait_for(BUILT, 3);
    assert!(server.get("/es/").text().contains("Palabras nuevas"));
    same_as_a_build(&words);

    // A configuration that is broken changes nothing; other changes are built as before.
    let good = site.read("latimer.toml");
    site.write(
        "latimer.toml",
        &good.replace("source_locale", "source_local"),
    );
    server.wait_for("unknown key `source_local`", 1);
    let broken = server.get("/es/about/");
    assert_eq!(broken.status, 200);
    page(&site);
    server.wait_for(BUILT, 4);
    same_as_a_build(&page);
    let fewer = |site: &Site| site.write("latimer.toml", &good.replace("\"ja\", ", ""));
    fewer(&site);
    server.wait_for(BUILT, 5);
    assert_eq!(server.get("/ja/").status, 404);
    same_as_a_build(&fewer);

    // Nobody else gets the state meanwhile, and a stop is as orderly as that of `serve`.
    site.run(&["build"])
        .failed(1, &["in use by process", "latimer watch"]);
    let mut server = server;
    server.terminate();
    assert!(server.wait(), "{}", server.said());
}

#[test]
fn search_follows_the_pages() {
    let keys =
        "locales = [\"es\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"\n";
    // Indexes wait only where pages stand.
    let site = Site::new(keys, &[("index.html", PAGE), ("about.html", PAGE)]);
    let index = r#"{"doc_urls":["index.html"],"index":{"documentStore":{"docs":{"0":{"title":"Bread","body":"","breadcrumbs":"Bread"}}}}}"#;
    site.write("source/searchindex.json", index);
    let server = watch(&site);
    server.wait_for(BUILT, 1);
    site.edit(
        "source/index.html",
        "</p>",
        "</p><p translate=no>Sesame</p>",
    );
    server.wait_for(" s); search follows\n", 1);
    assert!(server.get("/es/").text().contains("Sesame"));
    server.wait_for("no page changed, 1 other files did", 1);
    let twin = Site::new(
        keys,
        &[
            ("index.html", &site.read("source/index.html")),
            ("about.html", PAGE),
        ],
    );
    twin.write("source/searchindex.json", index);
    twin.build(&[], 0);
    let made = twin.read("dist/site/es/searchindex.json");
    assert!(
        made.contains("Sesame") && server.get("/es/searchindex.json").text() == made,
        "{made}"
    );
    // A build by hand does what was deferred.
    site.edit("source/index.html", "Sesame", "Poppy");
    server.wait_for(" s); search follows\n", 2);
    drop(server);
    site.build(&[], 0);
    assert!(site.read("dist/site/es/searchindex.json").contains("Poppy"));
}

#[test]
fn pages_are_sent_with_the_script_and_without_what_would_keep_them() {
    let site = Site::new(KEYS, &[("index.html", PAGE), ("404.html", PAGE)]);
    site.write("source/site.css", &"p { color: black }\n".repeat(100));
    let server = watch(&site);
    let tag =
        "<script src=\"/_latimer/reload.js\" data-site=\"site\" data-deployment=\"1\"></script>\n";
    let stored = site.read("dist/site/es/index.html");
    let page = |method: &str, headers: &str| ask(&server.address, method, "/es/", headers);
    let (head, body) = page("GET", "Accept-Encoding: br, gzip\r\nRange: bytes=0-9\r\n");
    assert_eq!(body, format!("{stored}{tag}"));
    assert!(
        head.starts_with("http/1.1 200") && head.contains("cache-control: no-store"),
        "{head}"
    );
    assert!(
        head.contains("content-language: es") && head.contains("content-type: text/html"),
        "{head}"
    );
    for kept in [
        "etag",
        "last-modified",
        "content-encoding",
        "accept-ranges",
        "vary",
    ] {
        assert!(!head.contains(kept), "{kept} is in {head}");
    }
    let lengths = |head: &str| {
        head.lines()
            .find(|line| line.starts_with("content-length"))
            .unwrap()
            .to_owned()
    };
    let (head_only, nothing) = page("HEAD", "");
    assert_eq!(
        (lengths(&head_only), nothing),
        (lengths(&head), String::new())
    );
    let (missing, body) = ask(&server.address, "GET", "/es/none", "");
    assert!(
        missing.starts_with("http/1.1 404") && body.ends_with(tag),
        "{missing}"
    );
    let (css, _) = ask(
        &server.address,
        "GET",
        "/site.css",
        "Accept-Encoding: gzip\r\n",
    );
    assert!(
        css.contains("no-store") && css.contains("content-encoding: gzip"),
        "{css}"
    );
    let (script, body) = ask(&server.address, "GET", "/_latimer/reload.js", "");
    assert!(
        script.contains("text/javascript") && body.contains("EventSource"),
        "{script}"
    );

    // Only `watch` has all that.
    drop(server);
    let server = Server::start(site.folder());
    assert_eq!(server.get("/es/").text(), stored);
    assert_eq!(
        (
            server.get("/_latimer/reload.js").status,
            server.get("/_latimer/reload").status
        ),
        (404, 404)
    );
}

#[test]
fn what_a_build_writes_itself_begins_no_build_and_what_others_write_does() {
    let site = Site::new(KEYS, &[("index.html", PAGE)]);
    let server = watch(&site);
    server.wait_for(BUILT, 1);
    site.edit("source/index.html", "Fresh", "Warm");
    server.wait_for("pages changed: es 1", 2);
    assert!(site.read("memory/es.jsonl").contains("Warm bread"));
    // The folder of the translations is not there yet.
    site.write(
        "po/es.po",
        "msgid \"Warm bread\"\nmsgstr \"Pan caliente\"\n",
    );
    server.wait_for("pages changed: es 1", 3);
    assert!(server.get("/es/").text().contains("Pan caliente"));
    // A page that is saved as most editors do, beside a file of theirs.
    site.write("source/.index.html.swp", "x");
    site.write("source/new", &PAGE.replace("Bread", "Rye"));
    std::fs::rename(site.path("source/new"), site.path("source/index.html")).unwrap();
    server.wait_for("pages changed: es 1", 4);
    let memory = site.read("memory/es.jsonl");
    let line = memory
        .lines()
        .find(|line| line.contains("\"source\":\"Rye\""))
        .unwrap();
    let text: serde_json::Value = serde_json::from_str(line).unwrap();
    let other = line.replace(text["text"].as_str().unwrap(), "Centeno");
    site.edit("memory/es.jsonl", line, &other);
    server.wait_for("pages changed: es 1", 5);
    assert!(server.get("/es/").text().contains("<title>Centeno</title>"));
    assert_eq!(server.said().matches(BUILT).count(), 5, "{}", server.said());
}

#[test]
fn source_that_is_removed_and_made_again_is_built_again() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]\n",
        &[("a/index.html", PAGE)],
    );
    let server = watch(&site);
    std::fs::remove_dir_all(site.path("source")).unwrap();
    server.wait_for("the pages from before stay", 1);
    assert_eq!(server.get("/es/a/").status, 200);
    site.write("source/b/index.html", PAGE);
    server.wait_for("pages changed: es 1", 2);
    assert_eq!(
        (server.get("/es/a/").status, server.get("/es/b/").status),
        (404, 200)
    );
    site.write("source/b/c/index.html", PAGE);
    server.wait_for("pages changed: es", 3);
    assert_eq!(server.get("/es/b/c/").status, 200);
    // A template that is wrong stops a build; one that is mended lets it go on.
    site.configure(
        "locales = [\"es\"]\nengine = [\"pseudo\"]\n[site.html]\ntemplates = \"templates\"",
    );
    server.wait_for("cannot read the templates", 1);
    site.write("templates/notice.html", "{{ nothing");
    server.wait_for("Unexpected end of input", 1);
    site.write("templates/notice.html", "<p>notice</p>");
    server.wait_for(BUILT, 4);
}

#[test]
fn site_on_the_web_is_fetched_once() {
    let origin = Site::new("locales = []", &[("index.html", PAGE)]);
    origin.build(&[], 0);
    let web = Server::start(origin.folder());
    let site = Site::new(KEYS, &[]);
    let settings = site
        .read("latimer.toml")
        .replace("\"source\"", &format!("\"http://{}/\"", web.address));
    site.write(
        "latimer.toml",
        &format!("{settings}[site.crawl]\nallow_private = true\n"),
    );
    let server = watch(&site);
    assert!(
        server.said().contains("is crawled once"),
        "{}",
        server.said()
    );
    origin.write("source/index.html", &PAGE.replace("Bread", "Rye"));
    origin.build(&[], 0);
    while !web.get("/").text().contains("Rye") {
        support::api::pause(std::time::Duration::from_millis(20));
    }
    site.write("po/es.po", "msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n");
    server.wait_for("pages changed: es 1", 2);
    let page = server.get("/es/").text().to_owned();
    assert!(
        page.contains("Pan fresco") && !page.contains("Rye"),
        "{page}"
    );
    // With other settings it is fetched anew.
    site.write(
        "latimer.toml",
        &format!("{settings}[site.crawl]\nallow_private = true\nmax_pages = 9\n"),
    );
    server.wait_for("pages changed: es 1", 3);
    assert!(server.get("/es/").text().contains("Pan fresco"));
}

mod needs_chromium {
    use super::*;

    /// The browser asks this test for an image that only the newest page names; the page's policy allows its own scripts.
    #[test]
    #[ignore = "needs Chromium"]
    fn browser_shows_a_page_again_when_it_changed() {
        let (sender, asked) = channel();
        let server = Loopback::start(move |request| {
            sender.send(request.path.clone()).unwrap();
            Reply::status(204)
        });
        let beacon = server.address;
        let policy = format!("default-src 'self'; img-src {beacon}");
        let page = |name: &str| {
            format!(
                "<!doctype html><html lang=en><head><meta http-equiv=Content-Security-Policy content=\"{policy}\">\
                 <base href=\"https://www.example.com/\"><title>Bread</title></head>\
                 <body><p>Fresh bread<img src=\"{beacon}/{name}\" alt=\"\"></body></html>"
            )
        };
        let site = Site::new(
            "locales = [\"es\"]\nengine = [\"pseudo\"]\n",
            &[("index.html", &page("one"))],
        );
        let server = watch(&site);
        let profile = tempfile::TempDir::new().unwrap();
        let mut browser = Command::new("chromium");
        browser.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ]);
        browser.args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]);
        browser.args([
            "--remote-debugging-port=0",
            &format!("--user-data-dir={}", profile.path().display()),
        ]);
        browser.arg(format!("http://{}/es/", server.address));
        let mut browser = browser
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let seen: Vec<_> = ["one", "two", "three"]
            .into_iter()
            .map_while(|name| {
                if name != "one" {
                    site.write("source/index.html", &page(name));
                }
                let asked = asked.recv_timeout(PATIENCE).ok()?;
                Some((asked == format!("/{name}"), asked))
            })
            .collect();
        browser.kill().unwrap();
        browser.wait().unwrap();
        assert!(
            seen.len() == 3 && seen.iter().all(|(is_right, _)| *is_right),
            "{seen:?}: {}",
            server.said()
        );
    }
}
