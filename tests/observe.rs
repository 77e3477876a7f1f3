//! What a server says of itself to those who run it: its metrics and its log.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;
use support::api::{self, Api};
use support::{Site, web};

fn metrics(address: &str) -> String {
    String::from_utf8(web::get(address, "/_metrics").body).unwrap()
}

/// Reads metrics until they have a line: an answer may come a moment before it is counted.
#[track_caller]
fn wait_for(address: &str, line: &str) {
    let deadline = Instant::now() + web::PATIENCE;
    while !metrics(address).contains(&format!("{line}\n")) {
        assert!(Instant::now() < deadline, "{line} is not in:\n{}", metrics(address));
        api::pause(std::time::Duration::from_millis(20));
    }
}

/// `tests/run` fetches promtool from Debian's package and says where in LATIMER_TEST_PROMTOOL.
fn judge(text: &str) {
    let Some(promtool) = std::env::var_os("LATIMER_TEST_PROMTOOL") else {
        println!("NOT RUN: LATIMER_TEST_PROMTOOL does not name promtool");
        return;
    };
    let mut command = Command::new(promtool);
    command.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.is_empty(), "{said}\n{text}");
}

#[test]
fn metrics_tell_of_runs_previews_and_engines() {
    let keys = "locales = [\"es\"]\nengine = [\"rented\", \"pseudo\"]\nmin_translated = 0\n[engine.rented]\nkind = \"deepl\"\n";
    let site = Site::new(keys, &[("index.html", "<p>The house</p>"), ("a.html", "<p>The tree</p>")]);
    let scraped = api::free_address();
    api::give_api(&site, &format!("metrics_listen = {scraped:?}\n{}", api::NO_LIMITS));
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    judge(&metrics(&scraped));
    let order = json!({ "targetLangs": ["es"] }).to_string();
    let run = server.call("POST", "/api/sites/site/crawl-translate", &token, &order);
    assert_eq!(run.status, 202, "{run:?}");
    let run = run.header("location").unwrap().to_owned();
    server.wait_for(&run, &token);
    api::follow(&server.address, &format!("{run}/stream"), &format!("Authorization: Bearer {token}\r\n"));
    let order = json!({ "sourceUrl": "http://127.0.0.1:1/", "sourceLang": "en", "targetLang": "es" }).to_string();
    assert_eq!(server.call("POST", "/api/previews", &token, &order).status, 202);
    for line in [
        concat!("latimer_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
        "latimer_ready 1",
        "latimer_runs_total{kind=\"build\",outcome=\"ok\"} 1",
        "latimer_runs_total{kind=\"build\",outcome=\"failed\"} 0",
        "latimer_run_duration_seconds_count{kind=\"build\"} 1",
        "latimer_run_duration_seconds_count{kind=\"render\"} 0",
        "latimer_runs_waiting 0",
        "latimer_runs_working 0",
        "latimer_previews_total{outcome=\"blocked_host\"} 1",
        "latimer_previews_total{outcome=\"ready\"} 0",
        "latimer_previews_waiting 0",
        "latimer_engine_up{engine=\"rented\"} 0",
        "latimer_engine_up{engine=\"pseudo\"} 1",
        "latimer_engine_requests_total{engine=\"pseudo\"} 1",
        "latimer_engine_request_failures_total{engine=\"pseudo\"} 0",
        "latimer_engine_characters_total{engine=\"pseudo\"} 17",
        "latimer_engine_refusals_total{engine=\"pseudo\"} 0",
        "latimer_http_requests_total{kind=\"stream\",status=\"2xx\"} 1",
        "latimer_http_stream_duration_seconds_count 1",
        "latimer_http_streams 0",
        "latimer_state_errors_total{operation=\"write\"} 0",
        "latimer_store_errors_total 0",
    ] {
        wait_for(&scraped, line);
    }
    let text = metrics(&scraped);
    for secret in ["ana", "127.0.0.1", "\"site\"", run.rsplit('/').next().unwrap()] {
        assert!(!text.contains(secret), "{secret} is in:\n{text}");
    }
    judge(&text);
}
