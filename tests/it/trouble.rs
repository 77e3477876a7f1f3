//! Trouble never unpublishes: engines that are dead or die, a state and sources that are lost. Readers keep the last
//! version of what cannot be made anew, and it names nothing that is gone.

use std::fs;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::rented::Rented;
use crate::support::s3::Bucket;
use crate::support::web::Server;
use crate::support::{self, Files, Site, files, kept, locale, repository};

const PAGES: usize = 60;

/// A site of so many pages in English, Spanish and French, whose engine does what the file `mood` says.
fn site(keys: &str) -> Site {
    let site = Site::new("", &[]);
    configure(&site, keys);
    site.write("mood", "well");
    (0..PAGES).for_each(|page| write(&site, page, "first"));
    let report = site.build(&[], 0);
    assert_eq!(
        (pages(&site, "es"), pages(&site, "fr")),
        (PAGES, PAGES),
        "{report}"
    );
    site
}

fn configure(site: &Site, keys: &str) {
    let script = repository().join("tests/it/support/moody.py");
    site.configure(&format!(
        "locales = [\"es\", \"fr\"]\nengine = \"moody\"\nurl = \"https://www.example.com/{{lang}}\"\n{keys}\n\
         [engine.moody]\nkind = \"command\"\nprogram = \"python3\"\nargs = [{script:?}, {:?}]",
        site.path("mood")
    ));
}

/// A word for a page; texts that differ in numbers alone would share their translations.
fn word(page: usize) -> String {
    let syllable = |at: usize| ["ba", "de", "fi", "go", "ku", "la", "me", "ni"][at % 8];
    format!("{}{}", syllable(page / 8), syllable(page))
}

/// A page of some texts and two links.
fn write(site: &Site, page: usize, edition: &str) {
    let next = (page + 1) % PAGES;
    let far = (page + 7) % PAGES;
    let word = word(page);
    let html = format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>The page {word}, {edition} edition</title></head>\n\
         <body><h1>All about {word} in the {edition} edition</h1><p>Words of {word}, {edition} edition, then \
         <a href=/{next}.html>the next</a> and <a href={far}.html>a far one</a>.</p></body></html>"
    );
    site.write(&format!("source/{page}.html"), &html);
}

/// How many of the site's own pages readers of a language get.
fn pages(site: &Site, tree: &str) -> usize {
    let is_page = |name: &&String| name.ends_with(".html") && *name != "404.html";
    files(&site.path(&format!("dist/site/{tree}")))
        .keys()
        .filter(is_page)
        .count()
}

fn page(site: &Site, tree: &str, page: usize) -> String {
    site.read(&format!("dist/site/{tree}/{page}.html"))
}

/// What readers without a server get, and what commits name.
fn live(site: &Site) -> Files {
    let mut live = files(&site.path("dist/site"));
    live.retain(|name, _| !name.starts_with("_deployments/") && !name.starts_with("_sources/"));
    live
}

#[test]
fn edited_texts_and_a_dead_engine_leave_the_older_words_and_a_later_build_brings_the_new_ones() {
    let site = site("min_translated = 0.9");
    // One page stays as it is, so that something is translated.
    (1..PAGES).for_each(|page| write(&site, page, "second"));
    site.write("mood", "dead");
    let report = site.build(&[], 6);
    for tag in ["es", "fr"] {
        assert_eq!(
            (pages(&site, tag), kept(&report, tag).len()),
            (PAGES, PAGES - 1),
            "{tag}"
        );
        assert_eq!(locale(&report, tag)["missing"], 0);
    }
    let first = &kept(&report, "es")[0];
    assert_eq!(
        (&first["path"], &first["deployment"], &first["trouble"]),
        (&json!("/1.html"), &json!(1), &json!("engine"))
    );
    assert!(
        first["publishedAt"].as_str().unwrap().ends_with('Z'),
        "{first}"
    );
    assert!(
        page(&site, "en", 1).contains("second edition")
            && page(&site, "es", 1).contains("¡All about bade in the first edition")
    );
    // Offline, with a state that forgot nothing, it stays so; the age does too.
    let report = site.build(&["--offline"], 6);
    assert_eq!(
        (
            kept(&report, "es")[0]["deployment"].clone(),
            kept(&report, "es").len()
        ),
        (json!(1), PAGES - 1)
    );
    let said = site.run(&["explain", "/1.html", "--locale", "es"]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.contains("older version, which was up to date in deployment 1"),
        "{said}"
    );
    site.write("mood", "well");
    let report = site.build(&[], 0);
    assert_eq!((kept(&report, "es").len(), pages(&site, "es")), (0, PAGES));
    assert!(page(&site, "es", 1).contains("¡All about bade in the second edition"));
}

#[test]
fn nothing_is_published_where_nothing_at_all_could_be_translated() {
    let site = site("");
    let before = live(&site);
    (0..PAGES).for_each(|page| write(&site, page, "second"));
    site.write("mood", "dead");
    let report = site.build(&[], 3);
    assert_eq!(
        (&report["deployment"], &report["created"]),
        (&json!(1), &json!(false))
    );
    assert!(live(&site) == before, "readers get something else");
    // So it is with a state that knows nothing.
    fs::remove_dir_all(site.path(".latimer")).unwrap();
    site.build(&[], 3);
    assert!(live(&site) == before, "readers get something else");
    // A switch is obeyed all the same, and what stays says so.
    assert_eq!(
        site.run(&["locale", "site", "fr", "off", "--quiet"]).code,
        0
    );
    assert_eq!(
        (
            pages(&site, "es"),
            page(&site, "es", 3).contains("first edition")
        ),
        (PAGES, true)
    );
    assert!(
        !page(&site, "es", 3).contains("\"fr\"") && page(&site, "en", 3).contains("second edition")
    );
    // A first build whose engine has no words leaves nothing behind.
    let engine = "engine = \"rented\"\n[engine.rented]\nkind = \"deepl\"\n";
    let keys = format!("locales = [\"ca\"]\n{engine}");
    let new = Site::new(
        &keys,
        &[("index.html", "<!doctype html><p>Words without an engine")],
    );
    let report = new.build(&[], 3);
    assert_eq!(
        (
            &report["deployment"],
            new.path("dist/site/index.html").exists()
        ),
        (&json!(0), false)
    );
}

#[test]
fn a_lost_state_and_a_dead_engine_leave_the_published_bytes_with_references_of_today() {
    let site = site("");
    // The words are lost with the state and with the memory that the store keeps. The engine makes something of a few
    // pages before it is given up.
    fs::remove_dir_all(site.path(".latimer")).unwrap();
    fs::remove_dir_all(site.path("dist/site/_deployments/memory")).unwrap();
    site.write("mood", "3");
    fs::remove_file(site.path("source/9.html")).unwrap();
    let report = site.build(&[], 6);
    assert_eq!(
        (pages(&site, "es"), pages(&site, "fr")),
        (PAGES - 1, PAGES - 1)
    );
    let stays = kept(&report, "fr");
    assert!(
        stays.len() >= PAGES - 3 && stays.iter().all(|page| page["asPublished"] == true),
        "{stays:?}"
    );
    // The page that is gone from the source is led to there, as by pages of today.
    assert!(
        page(&site, "fr", 8).contains("href=\"/9.html\"")
            || page(&site, "fr", 8).contains("href=/9.html")
    );
    assert_eq!(
        site.run(&["locale", "site", "fr", "off", "--quiet"]).code,
        0
    );
    assert_eq!(pages(&site, "es"), PAGES - 1);
    for number in (0..PAGES).filter(|number| *number != 9) {
        let html = page(&site, "es", number);
        assert!(
            !html.contains("hreflang=\"fr\"") && html.contains("hreflang=\"es\""),
            "{html}"
        );
        assert!(html.contains("¡"), "{html}");
    }
    // What is the same again is the same to the byte.
    let commits = |site: &Site| {
        fs::read_dir(site.path("dist/site/_deployments"))
            .unwrap()
            .count()
    };
    let count = commits(&site);
    assert_eq!(site.build(&["--offline"], 6)["created"], false);
    assert_eq!(commits(&site), count);
}

#[test]
fn an_engine_that_dies_half_way_leaves_old_and_new_pages_that_name_each_other() {
    let site = site("");
    (0..PAGES).for_each(|page| write(&site, page, "second"));
    site.write("mood", "20");
    let report = site.build(&[], 6);
    for tag in ["es", "fr"] {
        assert_eq!(
            (pages(&site, tag), &locale(&report, tag)["missing"]),
            (PAGES, &json!(0)),
            "{tag}"
        );
    }
    let new = (0..PAGES)
        .filter(|number| page(&site, "es", *number).contains("second edition"))
        .count();
    assert!(0 < new && new < PAGES, "{new} pages are new");
    assert_eq!(kept(&report, "es").len(), PAGES - new);
    for number in 0..PAGES {
        let html = page(&site, "es", number);
        let alternates = html.matches("rel=\"alternate\"").count();
        assert_eq!(alternates, 3, "{html}");
        assert!(
            html.contains(&format!("/es/{}.html>", (number + 1) % PAGES)),
            "{html}"
        );
    }
}

#[test]
fn missing_sources_keep_their_pages_and_a_build_mends_them() {
    let site = site("");
    let before = live(&site);
    let folder = site.path("dist/site/_sources");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    assert_eq!(names.len(), PAGES);
    names[..9]
        .iter()
        .for_each(|name| fs::remove_file(name).unwrap());
    // Wrong bytes are as good as none.
    fs::write(&names[9], "rubbish").unwrap();
    let ran = site.run(&["locale", "site", "fr", "off", "--json", "--quiet"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    let report = ran.json()["sites"][0].clone();
    check_missing(&report);
    assert_eq!((pages(&site, "es"), pages(&site, "en")), (PAGES, PAGES));
    for number in 0..PAGES {
        let html = page(&site, "es", number);
        assert!(
            html.contains("¡") && !html.contains("hreflang=\"fr\""),
            "{html}"
        );
    }
    check_missing(&site.build(&["--offline"], 6));
    assert_eq!(
        site.run(&["locale", "site", "fr", "on", "--json", "--quiet"])
            .code,
        6
    );
    let report = site.build(&[], 0);
    assert_eq!(
        (
            pages(&site, "es"),
            pages(&site, "fr"),
            kept(&report, "es").len()
        ),
        (PAGES, PAGES, 0)
    );
    assert!(live(&site) == before, "the site is not as it was");
}

fn check_missing(report: &Value) {
    let failures = report["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 10, "{failures:?}");
    assert!(
        failures
            .iter()
            .all(|failure| failure["code"] == "source_missing" && failure["kept"] == true),
        "{failures:?}"
    );
    assert_eq!(kept(report, "es").len(), 10);
}

#[test]
fn a_budget_that_ends_while_texts_are_asked_again_takes_no_page_away() {
    let service = Rented::start();
    let keys = "locales = [\"es\"]\nengine = \"rented\"\nmin_translated = 0.9\nurl = \"https://www.example.com/{lang}\"";
    let site = Site::new(&format!("{keys}\n{}", service.engine()), &[]);
    (0..PAGES).for_each(|page| write(&site, page, "first"));
    site.build(&[], 0);
    // The engine loses the code of some texts, which are then asked again in parts.
    for page in 0..PAGES {
        write(&site, page, "second");
        if page % 2 == 0 {
            let more = format!(
                "<p>The {} recipe loses <code>x</code> and more than a few words",
                word(page)
            );
            site.edit(&format!("source/{page}.html"), "</body>", &more);
        }
    }
    let before = live(&site);
    let plan = site.run(&["plan", "--json", "--quiet"]).json();
    let planned = plan["sites"][0]["locales"][0]["characters"]
        .as_u64()
        .unwrap();
    service.sent();
    let ran = site.run(&[
        "build",
        "--max-chars",
        &(planned - 1).to_string(),
        "--quiet",
    ]);
    ran.failed(
        4,
        &[
            &format!("engines would get {planned} characters"),
            "nothing was sent",
        ],
    );
    assert!(service.sent().is_empty() && live(&site) == before);
    // There is enough to ask for each text once and for a part of what has to be asked again.
    let allowed = planned + 400;
    let report = site.build(&["--max-chars", &allowed.to_string()], 6);
    let sent: usize = service.sent().iter().map(|text| text.chars().count()).sum();
    assert_eq!(locale(&report, "es")["charactersSent"], sent);
    assert!(
        u64::try_from(sent).unwrap() <= allowed,
        "{sent} of {allowed}"
    );
    assert_eq!(
        (pages(&site, "es"), &locale(&report, "es")["missing"]),
        (PAGES, &json!(0))
    );
    let old: Vec<usize> = (0..PAGES)
        .filter(|number| page(&site, "es", *number).contains("first edition"))
        .collect();
    assert!(!old.is_empty() && old.len() < PAGES / 2, "{old:?} are old");
    let listed: Vec<&str> = kept(&report, "es")
        .iter()
        .map(|page| page["path"].as_str().unwrap())
        .collect();
    let mut wanted: Vec<String> = old.iter().map(|number| format!("/{number}.html")).collect();
    wanted.sort();
    assert_eq!(listed, wanted);
    assert!(
        kept(&report, "es")
            .iter()
            .all(|page| page["trouble"] == "engine"),
        "{report}"
    );
    // With more, the rest is asked for and nothing else.
    let report = site.build(&[], 0);
    assert!(kept(&report, "es").is_empty() && page(&site, "es", old[0]).contains("second edition"));
    let again = service.sent();
    assert!(
        again
            .iter()
            .all(|text| text.contains("recipe") || text.contains("more than")),
        "{again:?}"
    );
}

#[test]
fn a_server_whose_bucket_is_away_serves_what_it_has_and_asks_for_patience() {
    let site = Site::new("", &[]);
    let bucket = Bucket::start(&site.path("bucket"));
    site.configure(&format!(
        "locales = [\"es\"]\nengine = \"pseudo\"\n[store]\nstate = \"state.redb\"\n{}",
        bucket.store()
    ));
    (0..3).for_each(|page| write(&site, page, "first"));
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let known = server.get("/es/0.html");
    assert_eq!(known.status, 200);
    bucket.go_away(true);
    for _ in 0..2 {
        let answer = server.get("/es/1.html");
        assert_eq!(answer.status, 503, "{}", answer.text());
        let wait = answer
            .headers
            .get("retry-after")
            .and_then(|wait| wait.parse::<u32>().ok());
        assert!(wait.is_some_and(|wait| wait > 0), "{:?}", answer.headers);
        assert!(
            !answer.text().contains("<Error>") && !answer.text().contains("127.0.0.1"),
            "{}",
            answer.text()
        );
        let again = server.get("/es/0.html");
        assert_eq!((again.status, &again.body), (200, &known.body));
    }
    bucket.go_away(false);
    // Whoever asks while the server waits for its turn to ask the bucket is told to come again.
    let began = std::time::Instant::now();
    while server.get("/es/1.html").status != 200 {
        assert!(
            began.elapsed() < std::time::Duration::from_secs(60),
            "the server does not see that the bucket is back"
        );
        support::api::pause(std::time::Duration::from_millis(100));
    }
}

#[test]
fn a_store_that_is_taken_away_is_said_and_never_made_again() {
    let site = Site::new("locales = [\"es\"]\nengine = \"pseudo\"", &[]);
    api::give_api(&site, api::NO_LIMITS);
    (0..3).for_each(|page| write(&site, page, "first"));
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let get = |path: &str| api::follow(&server.address, path, "");
    let status = |path: &str| get(path).split(' ').nth(1).unwrap().parse::<u16>().unwrap();
    assert_eq!((status("/es/0.html"), status("/_health/ready")), (200, 200));

    fs::rename(site.path("dist"), site.path("elsewhere")).unwrap();
    assert_eq!(status("/_health/ready"), 503);
    assert!(
        get("/_health/ready").ends_with("\r\n\r\nnot ready: the folder of the store is gone\n")
    );
    assert_eq!((status("/es/0.html"), status("/es/1.html")), (200, 503));
    write(&site, 3, "first");
    let ordered = server.call(
        "POST",
        "/api/sites/site/crawl-translate",
        &token,
        "{\"targetLangs\":[\"es\"],\"force\":true}",
    );
    let run = ordered.header("location").unwrap().to_owned();
    server.wait_until(&run, &token, |run| run["status"] == "in_progress");
    // It is tried again each two seconds.
    api::pause(std::time::Duration::from_secs(3));
    assert!(!site.path("dist").exists(), "the folder was made again");
    assert_eq!(
        server.call("GET", &run, &token, "").json["status"],
        "in_progress"
    );

    fs::rename(site.path("elsewhere"), site.path("dist")).unwrap();
    assert_eq!(status("/_health/ready"), 200);
    let ended = server.wait_for(&run, &token);
    assert_eq!(ended["outcome"], "ok", "{ended}");
    assert_eq!(pages(&site, "es"), 4);
}
