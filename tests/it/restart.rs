//! A server that is killed during a run, a preview and the streams that follow them: the next one goes on with both, and
//! whoever asks again with `Last-Event-ID` learns the rest.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Site;
use crate::support::api::{self, Api};
use crate::support::web::PATIENCE;

/// An engine that gives texts back, but not while a file is there.
const ENGINE: &str =
    "while read -r line; do while [ -e slow ]; do sleep 0.05; done; printf '%s\\n' \"$line\"; done";

#[test]
fn callers_learn_the_rest_after_a_restart() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One text</p>")],
    );
    site.build(&[], 0);
    let engine = format!("cd '{}'; {ENGINE}", site.folder().display());
    let engine = format!(
        "[engine.slow]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"-c\", {}]\n",
        json!(engine)
    );
    site.configure(&format!(
        "locales = [\"es\"]\nengine = [\"slow\"]\n{engine}[preview]\nengine = [\"slow\"]\nallow_private = true\n"
    ));
    api::give_api(&site, "");
    site.write("source/index.html", "<p>Another text</p>");
    site.write("slow", "");
    let token = api::token(site.folder(), "ana", "site");
    let address = api::free_address();
    let server = Api::start_at(site.folder(), &address);
    let run = server.call(
        "POST",
        "/api/sites/site/crawl-translate",
        &token,
        r#"{"targetLangs":["es"]}"#,
    );
    let run = run.header("location").unwrap().to_owned();
    let wanted = json!({ "sourceUrl": format!("http://{address}/"), "sourceLang": "en", "targetLang": "es" });
    let preview = server
        .call("POST", "/api/previews", &token, &wanted.to_string())
        .json;
    let preview = format!("/api/previews/{}", preview["previewId"].as_str().unwrap());
    let authorization = format!("Authorization: Bearer {token}\r\n");
    let streams = [&run, &preview].map(|path| {
        let address = address.clone();
        let path = format!("{path}/stream");
        let headers = authorization.clone();
        std::thread::spawn(move || api::follow(&address, &path, &headers))
    });
    let started = Instant::now();
    let works = |path: &str, field: &str, stage: &str| {
        server.call("GET", path, &token, "").json[field]
            .to_string()
            .contains(stage)
    };
    while !(works(&run, "status", "in_progress") && works(&preview, "stage", "translating")) {
        assert!(started.elapsed() < PATIENCE);
        api::pause(Duration::from_millis(20));
    }
    server.kill();
    let broken = streams.map(|stream| stream.join().unwrap());
    std::fs::remove_file(site.path("slow")).unwrap();
    let server = Api::start_at(site.folder(), &address);
    for (path, (before, end)) in [&run, &preview]
        .iter()
        .zip(broken.iter().zip(["completed", "ready"]))
    {
        assert!(
            before.contains("event: status") && !before.contains("event: complete"),
            "{before}"
        );
        let last = ids(before).pop().expect("every event has an id");
        let headers = format!("{authorization}Last-Event-ID: {last}\r\n");
        let after = api::follow(&address, &format!("{path}/stream"), &headers);
        assert!(
            ids(&after).into_iter().all(|id| id > last),
            "after {last}: {after}"
        );
        assert!(
            after.contains("event: complete") && after.contains(&format!("\"status\":\"{end}\"")),
            "{after}"
        );
    }
    assert!(
        site.read("dist/site/es/index.html")
            .contains("Another text")
    );
    drop(server);
}

fn ids(events: &str) -> Vec<u64> {
    events
        .lines()
        .filter_map(|line| line.strip_prefix("id: ")?.trim().parse().ok())
        .collect()
}

#[test]
fn run_that_was_cut_off_twice_is_not_begun_a_third_time_by_itself() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One text</p>")],
    );
    site.build(&[], 0);
    let engine = format!("cd '{}'; {ENGINE}", site.folder().display());
    let engine = format!(
        "[engine.slow]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"-c\", {}]\n",
        json!(engine)
    );
    site.configure(&format!(
        "locales = [\"es\"]\nengine = [\"slow\"]\n{engine}"
    ));
    api::give_api(&site, "");
    site.write("source/index.html", "<p>Another text</p>");
    site.write("slow", "");
    let token = api::token(site.folder(), "ana", "site");
    let address = api::free_address();
    let order = |server: &Api| {
        let run = server.call(
            "POST",
            "/api/sites/site/crawl-translate",
            &token,
            r#"{"targetLangs":["es"]}"#,
        );
        run.header("location").unwrap().to_owned()
    };
    let works = |run: &Value| run["stage"] == "translate" || run["status"] == "in_progress";
    let server = Api::start_at(site.folder(), &address);
    let run = order(&server);
    server.wait_until(&run, &token, works);
    server.kill();
    // A stop in good order between the two does not count.
    for _ in 0..3 {
        let server = Api::start_at(site.folder(), &address);
        server.wait_until(&run, &token, works);
        server.stop();
    }
    let server = Api::start_at(site.folder(), &address);
    server.wait_until(&run, &token, works);
    server.kill();
    let server = Api::start_at(site.folder(), &address);
    let ended = server.wait_for(&run, &token);
    assert_eq!(
        (&ended["status"], &ended["outcome"]),
        (&json!("failed"), &json!("failed")),
        "{ended}"
    );
    let failure = ended["failures"].to_string() + &ended["error"].to_string();
    assert!(
        failure.contains("the process ended 2 times while this run was working"),
        "{ended}"
    );
    std::fs::remove_file(site.path("slow")).unwrap();
    let again = order(&server);
    assert_ne!(run, again);
    assert_eq!(server.wait_for(&again, &token)["status"], "completed");
}
