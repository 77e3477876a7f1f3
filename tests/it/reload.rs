//! A running server reads its configuration, keys and sites again: by a signal and over the API, all or nothing.

use serde_json::json;

use crate::support::api::{self, call};
use crate::support::web::{Server, exchange};
use crate::support::{Site, latimer};

const READ: &str = "were read again";
const KEPT: &str = "the settings from before hold";
const SECOND: &str = "\n[[site]]\nid = \"second\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"de\"]\n\
                      engine = [\"pseudo\"]\n";

fn site() -> Site {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>Bread</p>")],
    );
    api::give_api(&site, "");
    site.build(&[], 0);
    site
}

#[test]
fn signal_brings_new_keys_and_sites_and_what_needs_a_restart_is_named() {
    let site = site();
    let server = Server::start_as_service(site.folder());
    let old = api::token(site.folder(), "ana", "*");
    let sites = |token: &str| {
        let answer = call(&server.address, "GET", "/api/sites", token, "").unwrap();
        (answer.status, answer.json["total"].clone())
    };
    assert_eq!(sites(&old), (200, json!(1)));

    let text = site.read("latimer.toml");
    site.write(
        "latimer.toml",
        &format!("{text}listen = \"127.0.0.1:1\"\ncache_bytes = 5\n{SECOND}"),
    );
    site.write("jwt.secret", &"fedcba9876543210".repeat(4));
    let ran = latimer(
        site.folder(),
        &[
            "token",
            "mint",
            "--sub",
            "ana",
            "--scope",
            "sites:read",
            "--site",
            "*",
        ],
        b"",
    );
    let new = String::from_utf8(ran.stdout).unwrap().trim().to_owned();
    assert_eq!(sites(&new).0, 401);
    server.hang_up();
    server.wait_for(READ, 1);
    assert!(
        server.said().contains("restart to change api.cache_bytes"),
        "{}",
        server.said()
    );
    assert_eq!(sites(&new), (200, json!(2)));
    assert_eq!(sites(&old).0, 401);
    // With two sites, a host says which one is meant.
    let request = b"GET /es/ HTTP/1.1\r\nHost: site.localhost\r\nConnection: close\r\n\r\n";
    let page = exchange(&server.address, request);
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");

    // Every kind of wrong file changes nothing.
    for (file, wrong, said) in [
        (
            "latimer.toml",
            format!("{text}listne = 1\n"),
            "latimer.toml:",
        ),
        ("jwt.secret", "short".to_owned(), "the least"),
    ] {
        let right = site.read(file);
        let before = server.said().matches(KEPT).count();
        site.write(file, &wrong);
        server.hang_up();
        server.wait_for(KEPT, before + 1);
        assert!(server.said().contains(said), "{}", server.said());
        assert_eq!(sites(&new), (200, json!(2)));
        site.write(file, &right);
    }
}

#[test]
fn api_reads_again_and_says_where_the_file_is_wrong_without_a_path() {
    let site = site();
    let server = api::Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let reload = || server.call("POST", "/api/reload", &token, "");
    let text = site.read("latimer.toml");
    let total = || server.call("GET", "/api/sites", &token, "").json["total"].clone();

    site.write("latimer.toml", &format!("{SECOND}listne = 1\n{text}"));
    let refused = reload();
    assert_eq!(
        (refused.status, &refused.json["details"]["code"]),
        (409, &json!("wrong_configuration"))
    );
    let error = refused.json["error"].as_str().unwrap();
    assert!(
        error.contains("line 8, column 1: ") && error.contains("listne") && !error.contains('/'),
        "{error}"
    );
    assert_eq!(total(), 1);

    site.write(
        "latimer.toml",
        &format!("{text}access_log = true\n{SECOND}"),
    );
    assert_eq!(reload().json, json!({ "needRestart": ["api.access_log"] }));
    assert_eq!(total(), 2);

    site.write("jwt.secret", "short");
    let refused = reload();
    assert_eq!(refused.status, 409);
    assert!(!refused.json.to_string().contains('/'), "{}", refused.json);
    std::fs::remove_file(site.folder().join("latimer.toml")).unwrap();
    let refused = reload();
    assert!(
        refused.status == 409 && !refused.json.to_string().contains('/'),
        "{}",
        refused.json
    );
    assert_eq!(total(), 2);
}

#[test]
fn run_of_a_site_that_comes_back_begins_again() {
    let site = site();
    let text = site.read("latimer.toml");
    let slow = "[engine.slow]\nkind = \"command\"\nprogram = \"sleep\"\nargs = [\"60\"]\n";
    let server = api::Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    site.write(
        "latimer.toml",
        &format!("{text}{}{slow}", SECOND.replace("pseudo", "slow")),
    );
    assert_eq!(server.call("POST", "/api/reload", &token, "").status, 200);
    let ordered = server.call(
        "POST",
        "/api/sites/second/crawl-translate",
        &token,
        "{\"targetLangs\":[\"de\"]}",
    );
    let run = ordered.header("location").unwrap().to_owned();
    server.wait_until(&run, &token, |run| run["status"] == "in_progress");
    server.kill();

    site.write("latimer.toml", &text);
    let server = api::Api::start(site.folder());
    assert_eq!(server.call("GET", &run, &token, "").status, 404);
    site.write("latimer.toml", &format!("{text}{SECOND}"));
    assert_eq!(server.call("POST", "/api/reload", &token, "").status, 200);
    let ended = server.wait_for(&run, &token);
    assert_eq!(ended["outcome"], "ok", "{ended}");
}
