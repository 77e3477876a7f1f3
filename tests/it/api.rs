//! The API as its users meet it: the commands of docs/api.md, run as they stand there.
//!
//! One file: the document's commands in their order, with one server.

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{self, Site, copy, repository};

/// The keys of each kind of answer, in the order in which the commands of a first run get them.
const SUMMARY: &str = "createdAt id lastDeploymentAt pagesTranslated pagesUpdated period rangeEnd rangeStart siteId targetLang updatedAt";
const SWITCHED: &str = "activeDeploymentId serveEnabled servingStatus targetLang";

#[track_caller]
fn keys(value: &Value) -> String {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("{value} is no object"));
    object.keys().cloned().collect::<Vec<_>>().join(" ")
}

#[test]
fn switched_off_language_is_gone_with_the_answer_and_from_other_pages_with_its_run_r_c6() {
    let site = Site::fixture("bakery");
    api::give_api(&site, "");
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "bakery");
    let page = |path: &str| support::web::get(&server.address, path);
    assert!(page("/es/").text().contains("hreflang=\"ar\"") && page("/ar/").status == 200);
    let switch =
        |body: &str| server.call("POST", "/api/sites/bakery/locales/ar/serve", &token, body);
    let off = switch("{\"enabled\":false}");
    assert_eq!(
        (
            off.status,
            page("/ar/").status,
            page("/ar/menu.html").status
        ),
        (200, 307, 307)
    );
    let run = server.wait_for(off.header("location").unwrap(), &token);
    assert_eq!(
        (
            &run["status"],
            &run["charactersSent"],
            &run["stages"]["crawl"]["total"]
        ),
        (&"completed".into(), &0.into(), &0.into())
    );
    assert!(
        !page("/es/").text().contains("hreflang=\"ar\"")
            && !page("/es/sitemap.xml").text().contains("/ar/")
    );
    let again = switch("{\"enabled\":false}");
    assert_eq!(
        (again.header("location"), &again.json["activeDeploymentId"]),
        (off.header("location"), &run["deploymentId"])
    );
    // A restart changes nothing.
    server.kill();
    let server = Api::start(site.folder());
    let page = |path: &str| support::web::get(&server.address, path);
    assert_eq!(page("/ar/").status, 307);
    let on = server.call(
        "POST",
        "/api/sites/bakery/locales/ar/serve",
        &token,
        "{\"enabled\":true}",
    );
    let run = server.wait_for(on.header("location").unwrap(), &token);
    assert_eq!(
        (run["status"].as_str(), page("/ar/").status),
        (Some("completed"), 200)
    );
    assert!(page("/es/").text().contains("hreflang=\"ar\""));
}

#[test]
fn selected_pages_change_and_the_others_stay() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("a.html", "<p>One</p>"), ("b/c.html", "<p>Two</p>")],
    );
    api::give_api(&site, "");
    site.build(&[], 0);
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    site.write("source/a.html", "<p>Other</p>");
    site.write("source/b/c.html", "<p>Changed</p>");
    let body = r#"{"targetLangs":["es"],"sourcePaths":["/b/*"]}"#;
    let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, body);
    assert_eq!(
        (ordered.status, &ordered.json["selectedCount"]),
        (202, &1.into())
    );
    let run = server.wait_for(ordered.header("location").unwrap(), &token);
    assert_eq!(run["status"], "completed", "{run}");
    assert!(
        site.read("dist/site/en/a.html").contains("One")
            && site.read("dist/site/en/b/c.html").contains("Changed")
    );
    let body = r#"{"targetLangs":["es"],"pageIds":["/a.html"]}"#;
    let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, body);
    server.wait_for(ordered.header("location").unwrap(), &token);
    assert!(site.read("dist/site/en/a.html").contains("Other"));
}

#[test]
fn run_that_cannot_be_done_fails_with_a_reason_and_the_site_stays() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, "");
    site.build(&[], 0);
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    std::fs::rename(site.path("source"), site.path("elsewhere")).unwrap();
    let body = r#"{"targetLangs":["es"]}"#;
    let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, body);
    let run = server.wait_for(ordered.header("location").unwrap(), &token);
    assert_eq!(
        (&run["status"], &run["failures"][0]["code"]),
        (&"failed".into(), &"source_failed".into()),
        "{run}"
    );
    assert_eq!(support::web::get(&server.address, "/es/").status, 200);
}

/// A site whose engine reads everything and never answers.
fn site_with_slow_run() -> (Site, String) {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    site.build(&[], 0);
    let slow = "locales = [\"es\"]\nengine = [\"slow\"]\n[engine.slow]\nkind = \"command\"\nprogram = \"sh\"\n\
                args = [\"-c\", \"while read line; do :; done\"]\n";
    site.configure(slow);
    site.write("source/index.html", "<p>Other</p>");
    api::give_api(&site, "");
    let token = api::token(site.folder(), "ana", "site");
    (site, token)
}

/// Orders a run and follows it; the events come when the stream ends.
fn order_and_follow(address: &str, token: &str) -> (String, std::thread::JoinHandle<String>) {
    let order = r#"{"targetLangs":["es"]}"#;
    let ordered = api::call(
        address,
        "POST",
        "/api/sites/site/crawl-translate",
        token,
        order,
    )
    .unwrap();
    let run = ordered.header("location").unwrap().to_owned();
    loop {
        let state = api::call(address, "GET", &run, token, "").unwrap().json;
        if state["stages"]["extract"]["done"] == 1 {
            break;
        }
        api::pause(std::time::Duration::from_millis(20));
    }
    let request = format!(
        "GET {run}/stream HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    let (told, begun) = std::sync::mpsc::channel();
    let address = address.to_owned();
    let following = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(support::web::PATIENCE))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        let mut piece = [0; 4096];
        loop {
            match stream.read(&mut piece).unwrap() {
                0 => return text,
                read => text.push_str(std::str::from_utf8(&piece[..read]).unwrap()),
            }
            if text.contains("event: status") {
                let _ = told.send(());
            }
        }
    });
    begun.recv().unwrap();
    (run, following)
}

#[test]
fn run_in_progress_stops_within_two_seconds_and_publishes_nothing() {
    let (site, token) = site_with_slow_run();
    let server = Api::start(site.folder());
    let before = site.objects();
    let (run, following) = order_and_follow(&server.address, &token);
    let started = std::time::Instant::now();
    let cancelled = server.call("POST", &format!("{run}/cancel"), &token, "");
    assert_eq!(
        (cancelled.status, &cancelled.json["status"]),
        (200, &"cancelled".into()),
        "{}",
        cancelled.json
    );
    assert!(
        started.elapsed() < std::time::Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    let events = following.join().unwrap();
    assert!(
        events.contains("event: complete") && events.contains("\"status\":\"cancelled\""),
        "{events}"
    );
    let is_published = |name: &&String| !name.contains("/_sources/");
    let after = site.objects();
    assert!(
        before
            .keys()
            .filter(is_published)
            .eq(after.keys().filter(is_published))
    );
    assert!(site.read("dist/site/en/index.html").contains("One"));
    let again = server.call("POST", &format!("{run}/cancel"), &token, "");
    assert_eq!(
        (again.status, &again.json["details"]["code"]),
        (409, &"run_is_over".into())
    );
}

#[test]
fn stream_does_not_keep_the_server_from_ending() {
    let (site, token) = site_with_slow_run();
    let mut server = support::web::Server::start_with(site.folder(), &[]);
    let (_, following) = order_and_follow(&server.address, &token);
    let started = std::time::Instant::now();
    server.terminate();
    assert!(server.wait());
    assert!(
        started.elapsed() < std::time::Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
    let events = following.join().unwrap();
    assert!(
        events.contains("event: status") && !events.contains("event: complete"),
        "{events}"
    );
    assert!(
        events.ends_with("0\r\n\r\n"),
        "the answer ends as HTTP wants: {events}"
    );
}

#[test]
fn plan_counts_what_the_run_after_it_sends_and_sends_nothing() {
    let keys = "locales = [\"es\"]\nengine = [\"pseudo\"]\nmax_chars_per_month = 40";
    let site = Site::new(keys, &[("index.html", "<p>Fresh bread</p><p>Tea</p>")]);
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let order = |path: &str| {
        let ordered = server.call("POST", path, &token, "{\"targetLangs\":[\"es\"]}");
        assert_eq!(ordered.status, 202, "{}", ordered.json);
        server.wait_for(ordered.header("location").unwrap(), &token)
    };
    let plan = order("/api/sites/site/plan");
    assert_eq!(
        (&plan["kind"], &plan["outcome"], &plan["charactersSent"]),
        (&json!("plan"), &json!("ok"), &json!(0))
    );
    let engines = json!([{ "engine": "pseudo", "texts": 2, "requests": 1, "characters": 14 }]);
    let language = json!({ "targetLang": "es", "people": 0, "memory": 0, "new": 2, "unavailable": 0, "characters": 14,
                           "engines": engines });
    let expected = json!({ "pages": 1, "texts": 2, "characters": 14, "charactersLeft": 40, "locales": [language] });
    assert_eq!(plan["plan"], expected);
    assert!(
        plan["deploymentId"].is_null() && !site.path("dist/site/es").exists(),
        "{plan}"
    );
    let run = order("/api/sites/site/crawl-translate");
    assert_eq!(
        (&run["charactersSent"], &run["outcome"]),
        (&json!(14), &json!("ok"))
    );
    assert_eq!(order("/api/sites/site/plan")["plan"]["characters"], 0);
    let usage = server.call("GET", "/api/sites/site/usage", &token, "").json;
    assert_eq!(usage["current"]["charactersLeft"], 26, "{usage}");
}

#[test]
fn earlier_deployment_is_made_active_and_switches_hold() {
    let site = Site::new(
        "locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>First</p>")],
    );
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    site.write("source/index.html", "<p>Second</p>");
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let page = |path: &str| api::follow(&server.address, path, "");
    assert!(page("/index.html").contains("Second") || page("/").contains("Second"));
    let off = server.call(
        "POST",
        "/api/sites/site/locales/de/serve",
        &token,
        "{\"enabled\":false}",
    );
    server.wait_for(off.header("location").unwrap(), &token);
    let list = || {
        server
            .call("GET", "/api/sites/site/deployments", &token, "")
            .json["items"]
            .clone()
    };
    let before = list();
    let first = before.as_array().unwrap().last().unwrap()["deploymentId"]
        .as_str()
        .unwrap()
        .to_owned();
    let activate = |id: &str| {
        server.call(
            "POST",
            &format!("/api/sites/site/deployments/{id}/activate"),
            &token,
            "",
        )
    };
    let done = activate(&first);
    assert_eq!(
        (done.status, &done.json["active"]),
        (200, &json!(true)),
        "{}",
        done.json
    );
    assert!(page("/").contains("First") && !page("/").contains("Second"));
    assert!(
        page("/de/").starts_with("HTTP/1.1 307"),
        "a language that was switched off stays off"
    );
    let now = list();
    assert_eq!(
        (now[0]["deploymentId"].clone(), now[0]["active"].clone()),
        (done.json["deploymentId"].clone(), json!(true))
    );
    assert_eq!(
        activate(now[0]["deploymentId"].as_str().unwrap()).json,
        now[0],
        "what is active stays as it is"
    );
    assert_eq!(
        activate("01939f1c-0000-7000-8000-000000000000").json["details"]["code"],
        "deployment_not_found"
    );
}

mod needs_curl {
    use super::*;

    #[test]
    #[ignore = "needs curl"]
    fn a_first_run_gets_answers_with_exactly_the_documented_keys() {
        let folder = tempfile::TempDir::new().unwrap();
        let to = folder.path().join("fixtures/sites/bakery");
        copy(&repository().join("fixtures/sites/bakery"), &to, &|name| {
            !matches!(name, "dist" | ".latimer")
        });
        let document = std::fs::read_to_string(repository().join("docs/api.md")).unwrap();
        let script = api::commands_after(&document, "## A first run");
        let script = format!("trap 'kill $(jobs -p)' EXIT\n{script}");
        let output = api::shell(folder.path(), &script, &api::free_address());
        let said = String::from_utf8_lossy(&output.stdout);
        let trouble = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{trouble}");
        // The server says what it built among the answers.
        let answers: Vec<Value> = said
            .lines()
            .filter(|line| line.starts_with('{'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let [ordered, off, on, put, listed, snippets, digest] = answers.as_slice() else {
            panic!("{said}")
        };
        assert_eq!(
            keys(ordered),
            "crawlId enqueuedCount force selectedCount targetLangs"
        );
        assert_eq!(
            (ordered["enqueuedCount"].as_u64(), &ordered["selectedCount"]),
            (Some(14), &14.into())
        );
        assert_eq!(
            (keys(off), off["servingStatus"].as_str()),
            (SWITCHED.to_owned(), Some("disabled"))
        );
        assert_eq!(
            (keys(on), on["serveEnabled"].as_bool()),
            (SWITCHED.to_owned(), Some(true))
        );
        assert_eq!(keys(put), "preference summary");
        assert_eq!(
            keys(&put["preference"]),
            "createdAt frequency siteId targetLang updatedAt"
        );
        assert_eq!(keys(&put["summary"]), SUMMARY);
        assert_eq!(keys(listed), "summaries");
        let summaries = listed["summaries"].as_array().unwrap();
        summaries
            .iter()
            .for_each(|summary| assert_eq!(keys(summary), SUMMARY));
        let tags: Vec<_> = summaries
            .iter()
            .map(|summary| summary["targetLang"].as_str().unwrap())
            .collect();
        assert_eq!(tags, ["ar", "en-XA", "es", "ja"]);
        assert_eq!(
            keys(snippets),
            "currentLang fallbackIds marker path siteId snippets"
        );
        let given = snippets["snippets"].as_array().unwrap().iter();
        let names: Vec<_> = given
            .map(|one| one["templateId"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "inline",
                "disclosure",
                "pill",
                "tabs",
                "compact",
                "headless"
            ]
        );
        assert_eq!(keys(&snippets["snippets"][0]), "html templateId");
        assert_eq!(
            keys(&digest["subscription"]),
            "accountId createdAt email frequency id updatedAt"
        );
    }

    #[test]
    #[ignore = "needs curl"]
    fn every_curl_line_of_the_documentation_works() {
        let site = Site::fixture("bakery");
        let key = "preview-preview-preview-preview-preview";
        site.write("preview.tokens", key);
        let preview = "preview_tokens_file = \"preview.tokens\"\n[preview]\nengine = \"pseudo\"\nallow_private = true\n\
                       [webhooks]\nallow_private = true\n";
        api::give_api(&site, &format!("{preview}{}", api::NO_LIMITS));
        let text = site.read("latimer.toml");
        site.write(
            "latimer.toml",
            &format!("{text}[publish.live]\nkind = \"folder\"\nhost = \"nginx\"\nto = \"www\"\n"),
        );
        site.build(&[], 0);
        let server = Api::start(site.folder());
        let token = api::owners_token(site.folder(), "ana");
        let page = format!("http://{}/", server.address);
        let wanted =
            format!("{{\"sourceUrl\":\"{page}\",\"sourceLang\":\"en\",\"targetLang\":\"es\"}}");
        let ordered = server.call("POST", "/api/previews", &token, &wanted).json;
        let preview = ordered["previewId"].as_str().unwrap();
        let watch = ordered["statusToken"].as_str().unwrap();
        let runs = server
            .call("GET", "/api/sites/bakery/runs", &token, "")
            .json;
        let run = runs["items"][0]["runId"].as_str().unwrap();
        let deployments = server
            .call("GET", "/api/sites/bakery/deployments", &token, "")
            .json;
        let deployment = deployments["items"][0]["deploymentId"].as_str().unwrap();
        let hooks = "/api/sites/bakery/webhooks";
        let added = server
            .call("POST", hooks, &token, r#"{"url":"http://127.0.0.1:1/"}"#)
            .json;
        let webhook = added["webhookId"].as_str().unwrap();
        // Nothing listens there, which the answer says.
        let tried = server
            .call("POST", &format!("{hooks}/{webhook}/test"), &token, "")
            .json;
        assert_eq!(
            (&tried["status"], &tried["attempts"][0]["error"]),
            (&json!("failed"), &json!("connect_failed"))
        );
        let delivery = tried["deliveryId"].as_str().unwrap();
        let segments = "/api/sites/bakery/locales/es/segments";
        let list = server.call("GET", segments, &token, "").json;
        let listed = list["items"].as_array().unwrap();
        let plain = listed.iter().find(|text| {
            let source = text["source"].as_str().unwrap();
            !source.contains('<')
        });
        let segment = plain.unwrap()["segmentId"].as_str().unwrap();
        let one = server.call("GET", &format!("{segments}/{segment}"), &token, "");
        let revision = one.json["revision"].as_str().unwrap();
        let text = std::fs::read_to_string(repository().join("docs/api.md")).unwrap();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("curl "))
            .collect();
        let document = server.call("GET", "/api/openapi.json", "", "").json;
        let operations: usize = document["paths"]
            .as_object()
            .unwrap()
            .values()
            .map(|path| path.as_object().unwrap().len())
            .sum();
        assert_eq!(
            lines.len(),
            operations,
            "docs/api.md has one line for each operation"
        );
        let page = || support::web::get(&server.address, &format!("/_preview/{preview}"));
        for line in lines {
            if line.contains("-X DELETE") && line.contains("$PREVIEW") {
                let page = page();
                assert_eq!(
                    (
                        page.status,
                        page.headers["content-security-policy"].as_str()
                    ),
                    (200, "sandbox allow-scripts")
                );
            }
            let line = line.replacen("curl ", "curl -sS --fail-with-body ", 1);
            let known = format!(
                "TOKEN={token} RUN={run} DEPLOYMENT={deployment} PREVIEW_TOKEN={key} PREVIEW={preview} STATUS_TOKEN={watch} \
                 WEBHOOK={webhook} DELIVERY={delivery} SEGMENT={segment} REVISION={revision}"
            );
            let script = format!("{known}\n{line}");
            let output = api::shell(site.folder(), &script, &server.address);
            let said = String::from_utf8_lossy(&output.stdout);
            // The run that the lines speak of ended long ago, and its source was in order.
            let is_over = line.contains("/cancel") && said.contains("run_is_over");
            let is_in_order = line.contains("/accept") && said.contains("run_not_suspect");
            // The audit that the line before orders may work still.
            let is_early = line.contains("/audit?") && said.contains("audit_not_found");
            assert!(
                output.status.success() || is_over || is_in_order || is_early,
                "{line}: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            );
            if line.contains("/stream") {
                // What it follows is over before long, and so is the stream.
                assert!(
                    said.contains("event: status\n") && said.contains("event: complete\n"),
                    "{line}: {said}"
                );
            } else {
                assert!(
                    said.is_empty() || serde_json::from_str::<Value>(&said).is_ok(),
                    "{line}: {said}"
                );
            }
        }
        assert_eq!(page().status, 404, "the preview was deleted");
    }
}
