//! Sites that callers add: what they may cost, whom they keep waiting, and how long their runs may take.

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::origin::{Origin, Said};
use crate::support::web::listen;
use crate::support::{self, Site};

const ORDER: &str = "{\"targetLangs\":[\"es\"],\"force\":true}";

/// A server with a site of its own, and `more` in its configuration.
fn serve(more: &str) -> (Site, Api) {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(
        &site,
        &format!("sites_allow_private = true\n{}\n{more}", api::NO_LIMITS),
    );
    site.build(&[], 0);
    let server = Api::start(site.folder());
    (site, server)
}

fn settings(address: &str, more: Value) -> String {
    let source = format!("http://{address}/");
    let mut body = json!({ "sourceUrl": source, "sourceLocale": "en", "targetLangs": ["es"], "engines": ["pseudo"] });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    body.to_string()
}

fn order(server: &Api, site: &str, token: &str) -> String {
    let ordered = server.call(
        "POST",
        &format!("/api/sites/{site}/crawl-translate"),
        token,
        ORDER,
    );
    ordered
        .header("location")
        .unwrap_or_else(|| panic!("{:?}", ordered.json))
        .to_owned()
}

#[test]
fn callers_spend_no_more_than_the_file_allows_whatever_they_remove_and_put_again() {
    let origin = Site::new("locales = []", &[("index.html", "<p>Fresh bread</p>")]);
    origin.build(&[], 0);
    let origin = support::web::Server::start(origin.folder());
    let (site, server) = serve(
        "[api.sites]\nengines = [\"pseudo\"]\nmax_chars_per_month = 20\n[preview]\nengine = \"pseudo\"\nallow_private = true",
    );
    let [ana, eve] = ["ana", "eve"].map(|name| api::token(site.folder(), name, "*"));
    let put = |id: &str, token: &str, more: Value| {
        let put = server.call(
            "PUT",
            &format!("/api/sites/{id}"),
            token,
            &settings(&origin.address, more),
        );
        (put.status, put.json["details"]["code"].clone())
    };
    let run = |id: &str, token: &str| {
        let run = server.wait_for(&order(&server, id, token), token);
        (
            run["outcome"].as_str().unwrap().to_owned(),
            run["charactersSent"].as_u64().unwrap(),
        )
    };
    assert_eq!(
        put("one", &ana, json!({ "engines": ["identity"] })),
        (404, json!("engine_not_found"))
    );
    assert_eq!(
        put("one", &ana, json!({ "maxCharsPerMonth": 21 })),
        (400, json!("invalid_value"))
    );
    assert_eq!(put("one", &ana, json!({ "maxCharsPerMonth": 10 })).0, 201);
    let over = ("over_budget".to_owned(), 0);
    assert_eq!(run("one", &ana), over);
    assert_eq!(put("one", &ana, json!({})).0, 200);
    assert_eq!(run("one", &ana), ("ok".to_owned(), 11));
    // Nine are left: of the site, whoever puts it, and of the caller, whatever he puts.
    assert_eq!(
        server.call("DELETE", "/api/sites/one", &ana, "").status,
        204
    );
    assert_eq!(put("one", &eve, json!({})).0, 201);
    assert_eq!(run("one", &eve), over);
    assert_eq!(put("two", &ana, json!({})).0, 201);
    assert_eq!(run("two", &ana), over);
    assert_eq!(put("three", &eve, json!({})).0, 201);
    assert_eq!(run("three", &eve), ("ok".to_owned(), 11));
    for token in [&ana, &eve] {
        let page = format!("http://{}/", origin.address);
        let wanted =
            json!({ "sourceUrl": page, "sourceLang": "en", "targetLang": "fr" }).to_string();
        let ordered = server.call("POST", "/api/previews", token, &wanted);
        let is_over =
            |preview: &Value| matches!(preview["status"].as_str(), Some("ready" | "failed"));
        let preview = server.wait_until(ordered.header("location").unwrap(), token, is_over);
        assert_eq!(preview["status"], "failed", "{preview}");
    }
}

#[test]
fn slow_crawls_of_one_tenant_keep_no_switch_of_another_waiting() {
    // An origin that takes connections and never answers.
    let (_origin, address) = listen();
    let (site, server) = serve("");
    let token = api::token(site.folder(), "ana", "*");
    for id in ["slow-1", "slow-2", "slow-3"] {
        assert_eq!(
            server
                .call(
                    "PUT",
                    &format!("/api/sites/{id}"),
                    &token,
                    &settings(&address, json!({}))
                )
                .status,
            201
        );
    }
    let [one, two] = ["slow-1", "slow-2"].map(|id| order(&server, id, &token));
    let is_working = |run: &Value| run["status"] == "in_progress";
    let working = [&one, &two].map(|run| server.wait_until(run, &token, is_working));
    assert!(
        working.iter().all(|run| run["outcome"].is_null()),
        "{working:?}"
    );
    let three = order(&server, "slow-3", &token);
    assert_eq!(
        server.call("GET", &three, &token, "").json["status"],
        "queued"
    );
    let turned = server.call(
        "POST",
        "/api/sites/site/locales/es/serve",
        &token,
        "{\"enabled\":false}",
    );
    let render = server.wait_for(turned.header("location").unwrap(), &token);
    assert_eq!(
        (&render["kind"], &render["outcome"]),
        (&json!("render"), &json!("ok"))
    );
    assert_eq!(
        server.call("GET", &one, &token, "").json["status"],
        "in_progress"
    );
}

#[test]
fn run_of_a_callers_site_ends_after_its_longest_time() {
    // An origin that takes connections and never answers.
    let (_origin, address) = listen();
    let (site, server) = serve("[api.sites]\nmax_run = \"1s\"");
    let token = api::token(site.folder(), "ana", "*");
    assert_eq!(
        server
            .call(
                "PUT",
                "/api/sites/slow",
                &token,
                &settings(&address, json!({}))
            )
            .status,
        201
    );
    let run = server.wait_for(&order(&server, "slow", &token), &token);
    assert_eq!(
        (&run["status"], &run["outcome"]),
        (&json!("cancelled"), &json!("timed_out")),
        "{run}"
    );
    assert_eq!(run["failures"][0]["code"], "timed_out", "{run}");
    assert!(
        run["failures"][0]["message"]
            .as_str()
            .unwrap()
            .contains("longer than 1s"),
        "{run}"
    );
}

#[test]
fn what_was_paid_before_the_longest_time_is_kept() {
    let syllable = |at: u8| char::from(b'a' + at);
    let word = |at: u8| format!("<p>{}{}ing</p>", syllable(at / 26), syllable(at % 26));
    let page: String = (0..130).map(word).collect();
    let origin = Site::new("locales = []", &[("index.html", &page)]);
    origin.build(&[], 0);
    let origin = support::web::Server::start(origin.folder());
    let script = support::repository().join("tests/it/support/moody.py");
    let mood = Site::new("", &[]);
    mood.write("mood", "100 wait");
    let engine = format!(
        "[api.sites]\nmax_run = \"2s\"\n[engine.moody]\nkind = \"command\"\nprogram = \"python3\"\nargs = [{script:?}, {:?}]",
        mood.path("mood")
    );
    let (site, server) = serve(&engine);
    let token = api::token(site.folder(), "ana", "*");
    let body = settings(&origin.address, json!({ "engines": ["moody"] }));
    assert_eq!(
        server.call("PUT", "/api/sites/slow", &token, &body).status,
        201
    );
    let run = server.wait_for(&order(&server, "slow", &token), &token);
    assert_eq!(run["outcome"], "timed_out", "{run}");
    mood.write("mood", "well");
    let again = "{\"targetLangs\":[\"es\"]}";
    let ordered = server.call("POST", "/api/sites/slow/crawl-translate", &token, again);
    let run = server.wait_for(ordered.header("location").unwrap(), &token);
    // Of a request that was under way when the time was over, nothing is kept.
    let sent = run["charactersSent"].as_u64().unwrap();
    let answered = 50 * 5;
    assert_eq!(run["outcome"], "ok", "{run}");
    assert!((30 * 5..=130 * 5 - answered).contains(&sent), "{run}");
}

#[test]
fn what_callers_take_on_the_disk_is_bounded() {
    let large = |html: &str| format!("{html}<!-- {} -->", "x".repeat(700_000));
    let origin = Origin::start(move |path| match path {
        "/" => Said::page(
            "<p>One</p><link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css>",
        ),
        "/a.css" | "/b.css" => Said::css(format!("/* {path} {} */", "x".repeat(700_000))),
        "/large" => Said::page(large("<p>Two</p>")),
        _ => Said::status(404),
    });
    let (site, server) = serve(
        "[api.sites]\nmax_bytes = 1048576\n[preview]\nengine = \"pseudo\"\nallow_private = true\nmax_bytes = 1048576",
    );
    let token = api::token(site.folder(), "ana", "*");
    let address = origin
        .address
        .trim_start_matches("http://")
        .trim_end_matches('/');
    assert_eq!(
        server
            .call(
                "PUT",
                "/api/sites/large",
                &token,
                &settings(address, json!({}))
            )
            .status,
        201
    );
    let run = server.wait_for(&order(&server, "large", &token), &token);
    assert_eq!(
        (&run["outcome"], &run["failures"][0]["code"]),
        (&json!("failed"), &json!("over_quota")),
        "{run}"
    );
    assert!(
        run["failures"][0]["message"]
            .as_str()
            .unwrap()
            .contains("max_bytes in [api.sites]"),
        "{run}"
    );
    let taken: usize = support::files(&site.path("dist/large"))
        .values()
        .map(Vec::len)
        .sum();
    assert!(
        (700_000..1_048_576).contains(&taken),
        "{taken} bytes lie there"
    );
    let preview = |lang: &str| {
        let page = format!("{}large", origin.address);
        let wanted =
            json!({ "sourceUrl": page, "sourceLang": "en", "targetLang": lang }).to_string();
        let ordered = server.call("POST", "/api/previews", &token, &wanted);
        let is_over =
            |preview: &Value| matches!(preview["status"].as_str(), Some("ready" | "failed"));
        let ended = server.wait_until(ordered.header("location").unwrap(), &token, is_over);
        (ended["status"].clone(), ended["errorCode"].clone())
    };
    assert_eq!(preview("fr"), (json!("ready"), Value::Null));
    assert_eq!(preview("de"), (json!("failed"), json!("storage_failed")));
}
