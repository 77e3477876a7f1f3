//! Sites over the API: what a dashboard shows of them.

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{self, Site, assert_same};

#[track_caller]
fn keys(value: &Value) -> String {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("{value} is no object"));
    object.keys().cloned().collect::<Vec<_>>().join(" ")
}

#[test]
fn dashboard_gets_exactly_these_keys_and_true_figures() {
    let site = Site::new(
        "locales = [\"es\", \"de\"]\nengine = [\"none\"]\ntranslations = \"{lang}.po\"\nmin_translated = 0.9\n\
         [engine.none]\nkind = \"command\"\nprogram = \"false\"",
        &[
            ("index.html", "<p>One two three.</p>"),
            ("a.html", "<p>One two three.</p><p>Four.</p>"),
        ],
    );
    site.write(
        "es.po",
        "msgid \"\"\nmsgstr \"Language: es\\n\"\n\nmsgid \"One two three.\"\nmsgstr \"Uno dos tres.\"\n",
    );
    api::give_api(&site, "");
    site.build(&[], 6);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let get = |path: &str| server.call("GET", path, &token, "").json;

    let list = get("/api/sites");
    assert_eq!(keys(&list), "items total");
    let one = get("/api/sites/site");
    assert_eq!(list["items"], json!([one]));
    assert_eq!(
        keys(&one),
        "activeDeploymentId enabled lastRun locales managedBy siteId source sourceLocale"
    );
    assert_eq!(one["source"], json!({ "kind": "folder" }));
    assert_eq!(
        keys(&one["locales"][0]),
        "completeness editsToPublish serveEnabled servingStatus targetLang toReview words"
    );
    let figures = |discovered: u64, translated: u64, percentage: f64, status: &str| {
        json!({ "discoveredPages": discovered, "translatedPages": translated, "pendingPages": discovered - translated,
                "percentage": percentage, "status": status })
    };
    assert_eq!(
        one["locales"][0]["completeness"],
        figures(2, 1, 85.7, "partial")
    );
    assert_eq!(
        one["locales"][1]["completeness"],
        figures(2, 0, 0.0, "not_started")
    );

    assert_eq!(
        (&one["locales"][0]["words"], &one["locales"][0]["toReview"]),
        (
            &json!({ "people": 6, "machine": 0, "untranslated": 1 }),
            &json!(0)
        )
    );

    let pages = get("/api/sites/site/pages");
    assert_eq!(
        (keys(&pages), &pages["total"]),
        ("items total".into(), &json!(2))
    );
    let [a, home] = pages["items"].as_array().unwrap().as_slice() else {
        panic!("{pages}")
    };
    let (a, home) = if a["path"] == "/" {
        (home, a)
    } else {
        (a, home)
    };
    assert_eq!(
        (keys(a), &a["sourceStatus"]),
        ("locales path sourceStatus".into(), &json!("fetched"))
    );
    assert_eq!(keys(&a["locales"]["es"]), "publishedAt translated");
    assert_eq!(
        a["locales"]["es"],
        json!({ "translated": 0.75, "publishedAt": null })
    );
    assert_eq!(home["locales"]["es"]["translated"], 1.0);
    assert!(
        home["locales"]["es"]["publishedAt"]
            .as_str()
            .unwrap()
            .ends_with('Z'),
        "{home}"
    );
    assert_eq!(
        home["locales"]["de"],
        json!({ "translated": 0.0, "publishedAt": null })
    );
    assert_eq!(
        get("/api/sites/site/pages?limit=1&offset=1")["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let deployments = get("/api/sites/site/deployments");
    assert_eq!(
        (keys(&deployments), &deployments["total"]),
        ("items total".into(), &json!(1))
    );
    let first = &deployments["items"][0];
    assert_eq!(keys(first), "active createdAt deploymentId locales objects");
    assert_eq!(
        (&first["active"], &first["locales"]),
        (&json!(true), &json!(["de", "es"]))
    );
    assert_eq!(first["deploymentId"], one["activeDeploymentId"]);
    assert_eq!(
        first["deploymentId"],
        get("/api/sites/site/runs")["items"][0]["deploymentId"]
    );
    assert!(first["objects"].as_u64().unwrap() >= 3, "{first}");

    let languages = server.call("GET", "/api/meta/languages", "", "").json;
    assert_eq!(keys(&languages), "languages");
    let arabic = languages["languages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|language| language["tag"] == "ar")
        .unwrap();
    let expected = json!({ "tag": "ar", "englishName": "Arabic", "nativeName": "العربية", "direction": "rtl" });
    assert_eq!(arabic, &expected);
}

#[test]
fn damaged_files_make_a_language_degraded_until_they_are_whole() {
    let pages = [
        ("index.html", "<html lang=en><p>One</p>"),
        ("a.html", "<html lang=en><p>Two</p>"),
    ];
    let site = Site::new("locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]", &pages);
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    let file = stored(&site, "es/a.html");
    let good = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let get = |query: &str| {
        server
            .call("GET", &format!("/api/sites/site{query}"), &token, "")
            .json
    };
    let statuses = |one: &Value| {
        let of = |index: usize| {
            one["locales"][index]["servingStatus"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        (of(0), of(1))
    };
    let stands = |es: &str, de: &str| (es.to_owned(), de.to_owned());
    // What the server looked for at its start.
    let deadline = std::time::Instant::now() + support::web::PATIENCE;
    while statuses(&get("")) != stands("degraded", "serving") {
        assert!(std::time::Instant::now() < deadline, "{}", get(""));
        api::pause(std::time::Duration::from_millis(20));
    }
    let switched = server.call(
        "POST",
        "/api/sites/site/locales/es/serve",
        &token,
        "{\"enabled\":true}",
    );
    assert_eq!(switched.json["servingStatus"], "degraded");
    let sizes = get("?verify=sizes");
    assert_eq!(
        sizes["damaged"],
        json!([{ "path": "/a.html", "targetLang": "es", "flaw": "missing" }])
    );

    // The same length, another text: sizes say nothing, bytes do.
    let text = String::from_utf8(good.clone()).unwrap();
    std::fs::write(&file, text.replace("<p>", "<P>")).unwrap();
    let sizes = get("?verify=sizes");
    assert_eq!(
        (statuses(&sizes), &sizes["damaged"]),
        (stands("serving", "serving"), &json!([]))
    );
    let bytes = get("?verify=bytes");
    assert_eq!(
        bytes["damaged"][0],
        json!({ "path": "/a.html", "targetLang": "es", "flaw": "bytes" })
    );
    assert_eq!(statuses(&get("")), stands("degraded", "serving"));

    // The next deployment is whole: what is damaged is written anew, though nothing changed.
    let body = "{\"targetLangs\":[\"es\",\"de\"]}";
    let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, body);
    assert_eq!(
        server.wait_for(ordered.header("location").unwrap(), &token)["status"],
        "completed"
    );
    let bytes = get("?verify=bytes");
    assert_eq!(
        (statuses(&bytes), &bytes["damaged"]),
        (stands("serving", "serving"), &json!([]))
    );
    assert_eq!(
        server
            .call("GET", "/api/sites/site?verify=all", &token, "")
            .status,
        400
    );

    assert_eq!(std::fs::read(&file).unwrap(), good);
    server.kill();
}

#[test]
fn doctor_says_which_files_are_damaged_and_the_next_build_mends_them() {
    let pages = [
        ("index.html", "<html lang=en><p>One</p>"),
        ("a.html", "<html lang=en><p>Two</p>"),
    ];
    let site = Site::new("locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]", &pages);
    site.build(&[], 0);
    let whole = site.objects();
    let missing = stored(&site, "es/a.html");
    let wrong = stored(&site, "de/index.html");
    std::fs::remove_file(&missing).unwrap();
    let text = std::fs::read_to_string(&wrong).unwrap();
    std::fs::write(&wrong, text.replace("<p>", "<P>")).unwrap();
    let doctor = site.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    for expected in [
        "/a.html in es is not there",
        "/ in de has other bytes",
        "`latimer build` writes them anew",
    ] {
        assert!(said.contains(expected), "{expected:?} is not in: {said}");
    }
    let report = site.build(&[], 0);
    assert_eq!(
        (&report["created"], &report["written"]),
        (&json!(false), &json!(2))
    );
    assert!(
        report["notices"]
            .to_string()
            .contains("2 published files were damaged"),
        "{report}"
    );
    assert_same(&site.objects(), &whole);
    assert_eq!(site.run(&["doctor"]).code, 0);
}

/// Where the store has the bytes of a file of the live tree.
fn stored(site: &Site, live: &str) -> std::path::PathBuf {
    let bytes = std::fs::read(site.path(&format!("dist/site/{live}"))).unwrap();
    let objects = support::files(&site.path("dist/site/_deployments/objects"));
    let (name, _) = objects
        .into_iter()
        .find(|(_, object)| *object == bytes)
        .unwrap();
    site.path(&format!("dist/site/_deployments/objects/{name}"))
}

const ORDER: &str = "{\"targetLangs\":[\"es\"]}";

#[test]
fn added_site_is_crawled_served_kept_and_removed_and_private_networks_are_the_owners_choice() {
    let origin = Site::new(
        "locales = []",
        &[
            (
                "index.html",
                "<p>Fresh bread</p><a href='menu.html'>Menu</a>",
            ),
            ("menu.html", "<p>Menu</p>"),
        ],
    );
    origin.build(&[], 0);
    let origin = support::web::Server::start(origin.folder());
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, "");
    site.build(&[], 0);
    let token = api::token(site.folder(), "ana", "*");
    let run = |server: &Api| {
        let ordered = server.call("POST", "/api/sites/other/crawl-translate", &token, ORDER);
        assert_eq!(ordered.status, 202, "{:?}", ordered.json);
        server.wait_for(ordered.header("location").unwrap(), &token)
    };
    let page = |server: &Api, host: &str| {
        let ask =
            format!("GET /es/menu.html HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = support::web::exchange(&server.address, ask.as_bytes());
        answer.split(' ').nth(1).unwrap().to_owned()
    };

    let server = Api::start(site.folder());
    let body = json!({ "sourceUrl": format!("http://{}/", origin.address), "sourceLocale": "en", "targetLangs": ["es"],
                       "engines": ["pseudo"] });
    let created = server.call("PUT", "/api/sites/other", &token, &body.to_string());
    assert_eq!(
        (created.status, created.header("location")),
        (201, Some("/api/sites/other")),
        "{:?}",
        created.json
    );
    let refused = run(&server);
    assert_eq!(
        (&refused["status"], &refused["failures"][0]["code"]),
        (&json!("failed"), &json!("blocked_host"))
    );

    // A restart keeps the site; now its owner allows what the API never does.
    server.kill();
    site.edit(
        "latimer.toml",
        "[api]\n",
        "[api]\nsites_allow_private = true\n",
    );
    let server = Api::start(site.folder());
    let kept = server.call("GET", "/api/sites/other", &token, "").json;
    assert_eq!(
        (&kept["settings"], &kept["managedBy"]),
        (&body, &json!("api"))
    );
    let done = run(&server);
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(page(&server, "other.localhost"), "200");
    let shown = server.call("GET", "/api/sites/other", &token, "").json;
    assert_eq!(
        shown["locales"][0]["completeness"]["status"], "complete",
        "{shown}"
    );
    // The site of the file is where it was, though there are two now.
    assert_eq!(support::web::get(&server.address, "/es/").status, 200);

    let removed = server.call("DELETE", "/api/sites/other", &token, "");
    assert_eq!(
        (removed.status, page(&server, "other.localhost").as_str()),
        (204, "404")
    );
    server.kill();
    let server = Api::start(site.folder());
    assert_eq!(
        server.call("GET", "/api/sites/other", &token, "").status,
        404
    );
    assert_eq!(page(&server, "other.localhost"), "404");

    // It comes back with everything it had, and nothing is translated again.
    assert_eq!(
        server
            .call("PUT", "/api/sites/other", &token, &body.to_string())
            .status,
        201
    );
    assert_eq!(page(&server, "other.localhost"), "200");
    let again = run(&server);
    assert_eq!(
        (&again["status"], &again["charactersSent"]),
        (&json!("completed"), &json!(0))
    );
}

#[test]
fn run_of_a_removed_site_is_cancelled_while_it_works() {
    let origin = Site::new("locales = []", &[("index.html", "<p>Fresh bread</p>")]);
    origin.build(&[], 0);
    let origin = support::web::Server::start(origin.folder());
    // It never answers, and is given up only after seconds.
    let slow = "locales = [\"es\"]\nengine = [\"pseudo\"]\n[engine.slow]\nkind = \"command\"\nprogram = \"sleep\"\n\
                args = [\"600\"]";
    let site = Site::new(slow, &[("index.html", "<p>One</p>")]);
    api::give_api(&site, "sites_allow_private = true\n");
    let token = api::token(site.folder(), "ana", "*");
    let server = Api::start(site.folder());
    let body = json!({ "sourceUrl": format!("http://{}/", origin.address), "sourceLocale": "en", "targetLangs": ["es"],
                       "engines": ["slow"] });
    let put = || {
        server
            .call("PUT", "/api/sites/other", &token, &body.to_string())
            .status
    };
    assert_eq!(put(), 201);
    let ordered = server.call("POST", "/api/sites/other/crawl-translate", &token, ORDER);
    let run = ordered.header("location").unwrap();
    let deadline = std::time::Instant::now() + support::web::PATIENCE;
    while server.call("GET", run, &token, "").json["stages"]["extract"]["done"] != 1 {
        assert!(std::time::Instant::now() < deadline);
        api::pause(std::time::Duration::from_millis(20));
    }
    assert_eq!(
        server.call("DELETE", "/api/sites/other", &token, "").status,
        204
    );
    assert_eq!(put(), 201);
    assert_eq!(server.wait_for(run, &token)["status"], "cancelled");
}

/// A token can be there before its site, and a running server need not be asked; what is added is not lost when its
/// address comes into the file.
#[test]
fn token_for_a_site_that_is_not_there_yet_adds_it() {
    let site = Site::new(
        "locales = [\"es\"]",
        &[("index.html", "<p>One two three.</p>")],
    );
    api::give_api(&site, "");
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "added");
    let body = r#"{"sourceUrl":"https://www.shop.test/","sourceLocale":"en","targetLangs":["es"],"url":"https://{lang}.shop.test"}"#;
    let put = |site: &str| server.call("PUT", &format!("/api/sites/{site}"), &token, body);
    assert_eq!(
        (
            put("added").status,
            put("added").status,
            put("other").status
        ),
        (201, 200, 404)
    );
    server.kill();
    let text = site.read("latimer.toml");
    site.write(
        "latimer.toml",
        &text.replacen(
            "locales = ",
            "url = \"https://de.shop.test/{lang}\"\nlocales = ",
            1,
        ),
    );
    let doctor = site.run(&["doctor"]);
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(
        doctor.code == 1
            && said.contains(
                "added was added over the API and is not served: its `url` belongs to site"
            ),
        "{said}"
    );
    let server = Api::start(site.folder());
    let known = server.call("GET", "/api/sites/added", &token, "").json;
    assert_eq!(
        known["locales"][0]["servingStatus"], "needs_domain",
        "{known}"
    );
    assert_eq!(known["settings"]["url"], "https://{lang}.shop.test");
}
