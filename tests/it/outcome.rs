//! What a run says of its end: to callers of the API, in lists of sites, in metrics, and by the exit code.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{self, Site, web};

/// Builds through the server, as a command line elsewhere would; gives the exit code.
fn build(server: &Api, token: &str) -> i32 {
    let elsewhere = tempfile::TempDir::new().unwrap();
    let mut command = support::command(elsewhere.path());
    command
        .args(["build", "--server", &format!("http://{}", server.address)])
        .env("LATIMER_TOKEN", token);
    command
        .stdin(Stdio::null())
        .output()
        .unwrap()
        .status
        .code()
        .unwrap()
}

fn newest(server: &Api, token: &str) -> Value {
    server
        .call("GET", "/api/sites/site/runs?limit=1", token, "")
        .json["items"][0]
        .clone()
}

#[test]
fn a_run_without_a_working_engine_says_so_everywhere() {
    let keys = "locales = [\"es\"]\nengine = \"rented\"\nmin_translated = 0\n[engine.rented]\nkind = \"deepl\"\n";
    let site = Site::new(
        keys,
        &[
            ("index.html", "<p>The house</p>"),
            ("a.html", "<p>The tree</p>"),
        ],
    );
    let metrics = api::free_address();
    api::give_api(
        &site,
        &format!("metrics_listen = {metrics:?}\n{}", api::NO_LIMITS),
    );
    let doctor = site.run(&["doctor"]);
    assert!(doctor.code == 1 && String::from_utf8_lossy(&doctor.stdout).contains("engine rented"));

    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    assert!(server.call("GET", "/api/sites", &token, "").json["items"][0]["lastRun"].is_null());
    assert_eq!(build(&server, &token), 3);
    let run = newest(&server, &token);
    assert_eq!(
        (&run["status"], &run["outcome"]),
        (&json!("completed"), &json!("nothing_translated"))
    );
    assert_eq!(
        (&run["kind"], &run["origin"], &run["orderedBy"]),
        (&json!("build"), &json!("api"), &json!("ana"))
    );
    assert!(
        run["queuedAt"].is_string() && !run.to_string().contains(&token),
        "{run}"
    );
    let warnings: Vec<_> = run["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["code"], &one["targetLang"]))
        .collect();
    let es = json!("es");
    let whole = Value::Null;
    let codes = ["engine_absent", "nothing_translated", "no_engine"].map(|code| json!(code));
    assert_eq!(
        warnings,
        [(&codes[0], &whole), (&codes[1], &es), (&codes[2], &es)]
    );
    assert_eq!(
        run["stages"]["translate"],
        json!({ "total": 2, "done": 0, "failed": 2 })
    );

    let listed = server.call("GET", "/api/sites", &token, "").json["items"][0]["lastRun"].clone();
    assert_eq!(
        (&listed["runId"], &listed["outcome"]),
        (&run["runId"], &json!("nothing_translated"))
    );
    let summaries = server
        .call("GET", "/api/sites/site/translation-summaries", &token, "")
        .json;
    assert_eq!(summaries["summaries"][0]["pagesTranslated"], 0);
    let text = String::from_utf8(web::get(&metrics, "/_metrics").body).unwrap();
    assert!(
        text.contains("latimer_engine_up{engine=\"rented\"} 0\n"),
        "{text}"
    );
}

#[test]
fn a_switch_of_one_language_changes_no_words_of_another() {
    let pages: Vec<(String, String)> = (0..8)
        .map(|page| {
            (
                format!("{page}.html"),
                format!("<p>Page {page} has words</p>"),
            )
        })
        .collect();
    let mut pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (&**name, &**html))
        .collect();
    pages.push(("index.html", "<p>Home</p>"));
    let keys = "locales = [\"es\", \"fr\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";
    let site = Site::new(keys, &pages);
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let figures = || {
        let all = server
            .call("GET", "/api/sites/site/translation-summaries", &token, "")
            .json["summaries"]
            .clone();
        let fr = all
            .as_array()
            .unwrap()
            .iter()
            .find(|summary| summary["targetLang"] == "fr")
            .unwrap()
            .clone();
        (
            fr["pagesTranslated"].as_u64().unwrap(),
            fr["pagesUpdated"].as_u64().unwrap(),
        )
    };
    let deployment =
        || server.call("GET", "/api/sites/site", &token, "").json["activeDeploymentId"].clone();
    assert_eq!(build(&server, &token), 0);
    assert_eq!(figures(), (9, 9));
    let first = deployment();
    for on in [false, true, false, true] {
        let body = json!({ "enabled": on }).to_string();
        let turned = server.call("POST", "/api/sites/site/locales/es/serve", &token, &body);
        let run = server.wait_for(turned.header("location").unwrap(), &token);
        assert_eq!(
            (&run["kind"], &run["outcome"]),
            (&json!("render"), &json!("ok")),
            "{run}"
        );
    }
    assert_ne!(deployment(), first);
    assert_eq!(figures(), (9, 9));
    site.write("source/0.html", "<p>Quite other words</p>");
    assert_eq!(build(&server, &token), 0);
    assert_eq!(figures(), (9, 10));
}

#[test]
fn a_broken_words_file_keeps_its_language_and_stops_no_other() {
    let table =
        "locales = [\"es\", \"en-XA\"]\nengine = \"pseudo\"\ntranslations = \"po/{lang}.po\"";
    let table = format!("{table}\nurl = \"https://www.example.com/{{lang}}\"");
    let site = Site::new(&table, &[("index.html", "<p>Fresh bread</p>")]);
    let good = "msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n";
    site.write("po/es.po", good);
    api::give_api(&site, api::NO_LIMITS);
    assert_eq!(site.run(&["build", "-q"]).code, 0);
    let token = api::owners_token(site.folder(), "ana");
    let server = Api::start(site.folder());
    let order = json!({ "targetLangs": ["es", "en-XA"] }).to_string();
    let run = || {
        let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, &order);
        server.wait_for(ordered.header("location").unwrap(), &token)
    };
    let page = |lang: &str| {
        web::exchange(
            &server.address,
            format!("GET /{lang}/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        )
    };
    let broken = format!("{good}<<<<<<< HEAD\n");
    for (source, sent) in [
        ("<p>Fresh bread</p><p>Warm rolls</p>", 10),
        ("<p>Fresh bread</p><p>Cold milk</p>", 9),
    ] {
        site.write("po/es.po", &broken);
        site.write("source/index.html", source);
        let partial = run();
        let failure = &partial["failures"][0];
        let sentence = "es: es.po:3: a merge left conflict markers here; resolve the conflict and save the file";
        assert_eq!(
            (&partial["outcome"], &failure["code"], &failure["message"]),
            (
                &json!("partial"),
                &json!("translations_file"),
                &json!(sentence)
            ),
            "{partial:#}"
        );
        assert_eq!(
            partial["charactersSent"], sent,
            "engines are asked for the other language alone"
        );
        assert!(page("es").contains("Pan fresco"), "{}", page("es"));
        let word = if sent == 9 { "ɱîļķ" } else { "ŕöļļš" };
        assert!(page("en-XA").contains(word), "{}", page("en-XA"));
    }
    site.write("po/es.po", good);
    assert_eq!(run()["failures"], json!([]));
    // The command line ends as before, whatever the other languages have.
    drop(server);
    site.write("po/es.po", &broken);
    site.run(&["build", "-q"])
        .failed(2, &["po/es.po:3: a merge left conflict markers here"]);
}
