//! Publishing by a server: ordered over the API, and after each run.

use super::{URL, folder, site};
use crate::support::api::{Api, NO_LIMITS, give_api, token};

#[test]
fn a_server_publishes_when_it_is_told_and_after_each_run() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    give_api(&site, NO_LIMITS);
    let token = token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    let ordered = server.call("POST", "/api/sites/site/publish/live", &token, "");
    assert_eq!(ordered.status, 202, "{}", ordered.json);
    let run = server.wait_for(ordered.header("location").unwrap(), &token);
    assert_eq!(
        (&run["kind"], &run["outcome"], &run["status"]),
        (&"publish".into(), &"ok".into(), &"completed".into())
    );
    assert!(
        run["stages"]["publish"]["done"].as_u64().unwrap() > 10,
        "{run}"
    );
    assert!(site.path("www/es/index.html").exists());
    let last = server.call("GET", "/api/sites/site", &token, "").json;
    assert_eq!(last["lastRun"]["kind"], "publish", "{last}");
    let nowhere = server.call("POST", "/api/sites/site/publish/nowhere", &token, "");
    assert_eq!(
        (nowhere.status, &nowhere.json["details"]["code"]),
        (404, &"target_not_found".into())
    );
    server.stop();

    site.edit(
        "latimer.toml",
        "[publish.live]",
        "[publish.live]\nafter_run = true",
    );
    site.write(
        "source/plain.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>We bake bread</p>",
    );
    let server = Api::start(site.folder());
    let ordered = server.call(
        "POST",
        "/api/sites/site/crawl-translate",
        &token,
        "{\"targetLangs\":[\"es\"]}",
    );
    server.wait_for(ordered.header("location").unwrap(), &token);
    let list = server.wait_until("/api/sites/site/runs", &token, |list| {
        list["items"][0]["kind"] == "publish"
            && !list["items"][0]["finishedAt"].is_null()
            && list["total"] == 4
    });
    assert_eq!(list["items"][0]["outcome"], "ok", "{list}");
    assert!(site.read("www/plain.html").contains("We bake bread"));
    server.stop();
}
