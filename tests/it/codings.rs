//! Content codings of each HTTP client: the client decodes those that it asks for (`Accept-Encoding`) and refuses every other one,
//! whatever features of the HTTP library other crates switch on.
//!
//! These are all of them: the fetcher (crawl, audit, previews, the browser's requests), the download of models, engines, webhooks, the
//! client of `--server`, and the object store's own client, which talks to buckets alone and switches every coding off itself.

use std::process::Command;

use crate::support::web::{Loopback, Reply};
use crate::support::{self, Site, files, repository};

/// 100 times the letter A, as zstd.
const ZSTD: [u8; 10] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, 0x23, 0x03, 0x00, 0x41];

/// Answers everything but robots.txt and sitemaps with a body in a coding.
fn coded(coding: &'static str) -> Loopback {
    Loopback::start(move |request| match request.path.as_str() {
        "/robots.txt" | "/sitemap.xml" => Reply::status(404),
        _ => Reply::new(200, ZSTD)
            .with("Content-Type: text/html")
            .with(&format!("Content-Encoding: {coding}")),
    })
}

/// Runs the program against an origin that answers in a coding; checks what it asked for and what it said.
#[track_caller]
fn check(coding: &'static str, accepts: &str, said: &str, run: &dyn Fn(&str) -> String) {
    let server = coded(coding);
    let heard = run(&server.address);
    assert!(heard.contains(said), "{coding}: {heard}");
    let requests = server.requests();
    let asked: Vec<&str> = requests
        .iter()
        .map(|request| request.header("accept-encoding").unwrap_or("nothing"))
        .collect();
    assert!(
        !asked.is_empty() && asked.iter().all(|one| *one == accepts),
        "{coding}: {asked:?}"
    );
}

fn text(output: &std::process::Output) -> String {
    assert!(!output.status.success());
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn every_client_refuses_codings_that_it_did_not_ask_for() {
    let crawl = |address: &str| {
        let site = Site::new("", &[]);
        site.write(
            "latimer.toml",
            &format!(
                "[[site]]\nid = \"site\"\nsource = {address:?}\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = \"pseudo\"\n\
                 [site.crawl]\nallow_private = true\n"
            ),
        );
        let said = text(
            &support::command(site.folder())
                .arg("build")
                .output()
                .unwrap(),
        );
        let stored = files(&site.path("dist"));
        assert!(
            stored.keys().all(|name| !name.contains("_sources")),
            "nothing is stored: {:?}",
            stored.keys()
        );
        said
    };
    let models = |address: &str| {
        let site = Site::new(
            "locales = [\"pt\"]\nengine = \"fx\"",
            &[("index.html", "<p>One")],
        );
        let address = format!("{address}/model.tar");
        let added = [
            "models",
            "add",
            "en",
            "pt",
            "--from",
            &address,
            "--allow-private",
        ];
        text(
            &support::command(site.folder())
                .args(added)
                .output()
                .unwrap(),
        )
    };
    let engine = |address: &str| {
        let engine = format!(
            "[engine.rented]\nkind = \"libretranslate\"\nurl = {address:?}\nallow_private = true\n"
        );
        let site = Site::new(
            &format!("locales = [\"es\"]\nengine = [\"rented\"]\n{engine}"),
            &[("index.html", "<p>One")],
        );
        text(
            &support::command(site.folder())
                .arg("build")
                .output()
                .unwrap(),
        )
    };
    let server = |address: &str| {
        let elsewhere = tempfile::TempDir::new().unwrap();
        let mut command = support::command(elsewhere.path());
        command
            .args(["build", "--server", address])
            .env("LATIMER_TOKEN", "x.y.z");
        text(&command.output().unwrap())
    };
    for coding in ["zstd", "deflate", "compress", "gzip, zstd"] {
        let said = format!("the content coding \"{coding}\", which was not requested");
        check(coding, "gzip, br", &said, &crawl);
    }
    for coding in ["zstd", "gzip", "br", "deflate"] {
        let said = format!("the content coding \"{coding}\", which was not requested");
        check(coding, "identity", &said, &models);
        check(coding, "nothing", &said, &server);
        check(
            coding,
            "nothing",
            "compresses what it says without being asked",
            &engine,
        );
    }
}

/// A new client needs its place in the list above.
#[test]
fn clients_are_made_in_three_places() {
    let listed = Command::new("grep")
        .args([
            "-rlE",
            r"Client::(builder|new)\(|ClientBuilder|reqwest.{2}get\(",
        ])
        .args(["src", "api/src", "pipeline/src"])
        .current_dir(repository())
        .output();
    let mut places: Vec<String> = String::from_utf8(listed.unwrap().stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    places.sort();
    // The third one is the object store's own, with its switches.
    assert_eq!(
        places,
        [
            "pipeline/src/net/address.rs",
            "pipeline/src/store/bucket.rs",
            "src/remote.rs"
        ]
    );
}
