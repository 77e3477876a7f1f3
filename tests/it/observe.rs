//! What a server says of itself to those who run it: its metrics and its log.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::web::Server;
use crate::support::{Site, tool, web};

fn metrics(address: &str) -> String {
    String::from_utf8(web::get(address, "/_metrics").body).unwrap()
}

/// Reads metrics until they have a line: an answer may come a moment before it is counted.
#[track_caller]
fn wait_for(address: &str, line: &str) {
    let deadline = Instant::now() + web::PATIENCE;
    while !metrics(address).contains(&format!("{line}\n")) {
        assert!(
            Instant::now() < deadline,
            "{line} is not in:\n{}",
            metrics(address)
        );
        api::pause(std::time::Duration::from_millis(20));
    }
}

/// Runs, previews and engines at work; `judge` gets all metrics before and after.
fn observe(judge: impl Fn(&str)) {
    let keys = "locales = [\"es\"]\nengine = [\"rented\", \"pseudo\"]\nmin_translated = 0\n[engine.rented]\nkind = \"deepl\"\n";
    let site = Site::new(
        keys,
        &[
            ("index.html", "<p>The house</p>"),
            ("a.html", "<p>The tree</p>"),
        ],
    );
    let scraped = api::free_address();
    api::give_api(
        &site,
        &format!("metrics_listen = {scraped:?}\n{}", api::NO_LIMITS),
    );
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    judge(&metrics(&scraped));
    let order = json!({ "targetLangs": ["es"] }).to_string();
    let run = server.call("POST", "/api/sites/site/crawl-translate", &token, &order);
    assert_eq!(run.status, 202, "{run:?}");
    let run = run.header("location").unwrap().to_owned();
    server.wait_for(&run, &token);
    api::follow(
        &server.address,
        &format!("{run}/stream"),
        &format!("Authorization: Bearer {token}\r\n"),
    );
    let order =
        json!({ "sourceUrl": "http://127.0.0.1:1/", "sourceLang": "en", "targetLang": "es" })
            .to_string();
    assert_eq!(
        server.call("POST", "/api/previews", &token, &order).status,
        202
    );
    for line in [
        concat!(
            "latimer_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
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
    for secret in [
        "ana",
        "127.0.0.1",
        "\"site\"",
        run.rsplit('/').next().unwrap(),
    ] {
        assert!(!text.contains(secret), "{secret} is in:\n{text}");
    }
    judge(&text);
}

#[test]
fn metrics_tell_of_runs_previews_and_engines() {
    observe(|_| {});
}

/// The log's lines; each must be an object with these keys.
#[track_caller]
fn lines(said: &str) -> Vec<Value> {
    let lines = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    let lines: Vec<Value> = lines.collect();
    for line in &lines {
        assert!(
            line["timestamp"]
                .as_str()
                .is_some_and(|time| time.ends_with('Z')),
            "{line}"
        );
        assert!(
            ["ERROR", "WARN", "INFO", "DEBUG"].contains(&line["level"].as_str().unwrap()),
            "{line}"
        );
        assert!(line["message"].is_string(), "{line}");
    }
    lines
}

/// A site that may be previewed and whose log is JSON.
fn logged(level: &str, pages: &[(&str, &str)]) -> Site {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"rented\", \"pseudo\"]\n[engine.rented]\nkind = \"deepl\"\n",
        pages,
    );
    let log = format!("[log]\nformat = \"json\"\nlevel = {level:?}\n");
    api::give_api(&site, &format!("{}{log}", api::NO_LIMITS));
    site
}

#[test]
fn each_line_of_the_log_is_json_and_names_its_request_or_run() {
    let site = logged("debug", &[("index.html", "<p>The house</p>")]);
    let token = api::token(site.folder(), "ana", "*");
    let mut server = Server::start_with(site.folder(), &["--build"]);
    let call = |method: &str, path: &str, body: &str| {
        api::call(&server.address, method, path, &token, body)
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    };
    let listed = call("GET", "/api/sites?limit=1", "");
    let request = listed.header("x-request-id").unwrap().to_owned();
    let ordered = call(
        "POST",
        "/api/sites/site/crawl-translate",
        &json!({ "targetLangs": ["es"] }).to_string(),
    );
    let run = ordered.json["crawlId"].as_str().unwrap().to_owned();
    server.wait_for(&format!("run {run} of site ended: "), 1);
    server.terminate();
    assert!(server.wait());
    let lines = lines(&server.said());
    let of = |key: &str, id: &str| {
        lines
            .iter()
            .filter(|line| line["span"][key] == id)
            .collect::<Vec<_>>()
    };
    let own = of("requestId", &request);
    assert!(
        own.iter()
            .any(|line| line["message"] == "GET /api/sites: 200"),
        "{lines:?}"
    );
    let own = of("run", &run);
    assert!(
        own.iter().all(|line| line["span"]["site"] == "site"),
        "{own:?}"
    );
    let says = |text: &str| {
        own.iter()
            .any(|line| line["message"].as_str().unwrap().contains(text))
    };
    assert!(
        says("ended: ok") && says("continued without engine rented"),
        "{own:?}"
    );
    // What a build says on the way is there too.
    assert!(
        lines
            .iter()
            .any(|line| line["message"].as_str().unwrap().starts_with("render ")),
        "{lines:?}"
    );
}

#[test]
fn failure_to_start_is_a_line_of_the_log() {
    let site = logged("error", &[("index.html", "<p>The house</p>")]);
    let (_taken, address) = web::listen();
    let ran = site.run(&["serve", "--listen", &address]);
    assert_eq!(ran.code, 1);
    let lines = lines(&ran.stderr);
    assert!(
        lines.len() == 1 && lines[0]["level"] == "ERROR",
        "{}",
        ran.stderr
    );
    assert!(
        lines[0]["message"]
            .as_str()
            .unwrap()
            .contains("cannot listen on"),
        "{}",
        ran.stderr
    );
}

/// Whatever callers and pages send, it begins no line of the log, and no escape reaches a terminal.
#[test]
fn nobody_outside_writes_a_line_of_the_log() {
    const FORGED: &str = "{\"level\":\"FORGED\",\"message\":\"x\",\"timestamp\":\"Z\"}";
    for format in ["json", "text"] {
        let site = logged("debug", &[("index.html", "<p>The house</p>")]);
        site.edit("latimer.toml", "\"json\"", &format!("{format:?}"));
        let token = api::token(site.folder(), "ana", "*");
        let mut server = Server::start_with(site.folder(), &["--build"]);
        let escaped = "%0a%0d%1b[2J".to_owned() + &FORGED.replace('"', "%22");
        for path in [
            format!("/api/sites/{escaped}"),
            format!("/es/{escaped}"),
            format!("/_preview/{escaped}"),
        ] {
            api::call(&server.address, "GET", &path, &token, "");
        }
        let named = format!(
            "GET /api/sites HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: \u{1b}[2J{FORGED}\r\n\r\n"
        );
        web::exchange(
            &server.address,
            named
                .replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        );
        let blocked = format!("http://127.0.0.1/{escaped}");
        for url in [
            format!("http://127.0.0.1/\n{FORGED}"),
            format!("\n{FORGED}\u{1b}[2J"),
            blocked,
        ] {
            let order = json!({ "sourceUrl": url, "sourceLang": "en", "targetLang": "es" });
            api::call(
                &server.address,
                "POST",
                "/api/previews",
                &token,
                &order.to_string(),
            );
        }
        server.wait_for("a preview failed", 1);
        server.terminate();
        assert!(server.wait());
        let said = server.said();
        assert!(
            !said.contains('\u{1b}') && said.contains("GET /api/sites/"),
            "{said}"
        );
        match format {
            "json" => assert!(
                lines(&said).iter().all(|line| line["level"] != "FORGED"),
                "{said}"
            ),
            _ => assert!(
                said.lines()
                    .all(|line| !line.trim_start_matches("latimer: ").starts_with('{')),
                "{said}"
            ),
        }
    }
}

/// A full disk below standard output is where the program panics.
#[test]
fn a_panic_is_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = crate::support::command(folder.path());
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    command
        .env_remove("RUST_BACKTRACE")
        .args(["--json", "build"]);
    let output = command
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("latimer: a defect, please report it: panicked at ")
            && said.lines().count() == 1,
        "{said}"
    );
}

mod needs_promtool {
    use super::*;

    fn judge(text: &str) {
        let mut command = Command::new(tool("LATIMER_TEST_PROMTOOL"));
        command
            .args(["check", "metrics"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success() && said.is_empty(), "{said}\n{text}");
    }

    #[test]
    #[ignore = "needs Prometheus' promtool"]
    fn promtool_is_content() {
        observe(judge);
    }
}
