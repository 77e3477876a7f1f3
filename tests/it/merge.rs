//! What a builder does that finds the deployment of another one, or a rollback, at an exact moment of its run.
//!
//! Anna and Berta have a source and a state each and one store. Every text says whose it is and of which edition. The
//! service that translates for both writes down what it is sent and stops where a test says.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Stdio};

use pipeline::model::SiteId;
use pipeline::store::{Objects, roll_back};
use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::rented::{Rented, Stops};
use crate::support::{self, Files, Ran, Site, assert_same, kept};

const NAMES: [&str; 6] = ["index", "bread", "rolls", "cakes", "tarts", "pies"];

struct Builders {
    site: Site,
    service: Rented,
}

impl Builders {
    /// Both have built: Berta first, then Anna, who is the site now.
    fn new() -> Self {
        let site = Site::new("", &[]);
        let service = Rented::start();
        let builders = Self { site, service };
        for builder in ["Berta", "Anna"] {
            let keys = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\", \"fr\"]\n\
                        url = \"https://www.example.com/{lang}\"\nmin_translated = 0.9\nengine = \"rented\"\n[store]\nobjects = \"../dist\"\n";
            builders.site.write(
                &format!("{builder}/latimer.toml"),
                &format!("{keys}{}", builders.service.engine()),
            );
            builders.edit(builder, "first");
            builders.build(builder, &[], 0);
        }
        builders
    }

    /// Writes every page of a builder's edition.
    fn edit(&self, builder: &str, edition: &str) {
        for name in NAMES {
            let links: String = NAMES
                .map(|other| format!("<a href=/{other}.html>{other}</a>\n"))
                .concat();
            let html = format!(
                "<!doctype html><html lang=en><title>{name}</title>\n<p>All about {name} by {builder}, {edition} edition\n</p>{links}"
            );
            self.site
                .write(&format!("{builder}/source/{name}.html"), &html);
        }
    }

    fn run(&self, builder: &str, arguments: &[&str]) -> Ran {
        support::latimer(&self.site.path(builder), arguments, b"")
    }

    #[track_caller]
    fn build(&self, builder: &str, arguments: &[&str], code: i32) -> Value {
        let ran = self.run(
            builder,
            &[&["build", "--json", "--quiet"], arguments].concat(),
        );
        assert_eq!(
            ran.code,
            code,
            "{builder}: {} {}",
            ran.stderr,
            String::from_utf8_lossy(&ran.stdout)
        );
        ran.json()["sites"][0].clone()
    }

    /// Begins a build that waits for the first of its words.
    fn begin(&self, builder: &str, stops: &'static str) -> Child {
        self.service.stop(Stops::At(stops));
        let mut command = support::command(&self.site.path(builder));
        let command = command
            .args(["build", "--json", "--quiet"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        self.service.wait_until_stopped();
        child
    }

    /// What readers get without a server.
    fn live(&self) -> Files {
        let mut live = support::files(&self.site.path("dist/site"));
        live.retain(|name, _| !name.starts_with("_deployments/") && !name.starts_with("_sources/"));
        live
    }

    /// Who wrote each page of a language, and of which edition; it must say so in words of that language.
    #[track_caller]
    fn authors(&self, tree: &str) -> BTreeMap<&'static str, String> {
        let author = |name: &'static str| {
            let html = self.site.read(&format!("dist/site/{tree}/{name}.html"));
            let line = html
                .lines()
                .find(|line| line.contains("All about"))
                .unwrap();
            assert_eq!(line.contains("¡All"), tree != "en", "{tree}/{name}: {line}");
            (
                name,
                line.split("by ").nth(1).unwrap().replace(" edition", ""),
            )
        };
        NAMES.map(author).into()
    }

    /// Takes away the memory that the store keeps.
    fn forget_memory(&self) {
        fs::remove_dir_all(self.site.path("dist/site/_deployments/memory")).unwrap();
    }
}

fn end(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr,
    }
}

fn characters(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).sum()
}

/// Gives Berta a server with an API; her token is with it.
fn serve_for_berta(builders: &Builders) -> (Api, String) {
    let folder = builders.site.path("Berta");
    let text = builders.site.read("Berta/latimer.toml");
    builders.site.write(
        "Berta/latimer.toml",
        &format!("{text}{}{}", api::API, api::NO_LIMITS),
    );
    builders
        .site
        .write("Berta/jwt.secret", &"0123456789abcdef".repeat(4));
    let token = api::token(&folder, "berta", "site");
    (Api::start(&folder), token)
}

/// All pages by one author, but for these.
fn all_by(author: &str, others: &[(&'static str, &str)]) -> BTreeMap<&'static str, String> {
    let mut authors: BTreeMap<&str, String> = NAMES.map(|name| (name, author.to_owned())).into();
    authors.extend(
        others
            .iter()
            .map(|(name, author)| (*name, (*author).to_owned())),
    );
    authors
}

#[test]
fn a_rollback_during_a_build_stays_and_what_was_paid_for_is_kept() {
    let builders = Builders::new();
    builders.edit("Anna", "second");
    let before = builders.live();
    let standing = builders.build("Anna", &[], 0)["deployment"]
        .as_u64()
        .unwrap();
    builders.edit("Anna", "third");
    builders.service.sent();
    let build = builders.begin("Anna", "third");
    let objects = Objects::folder(&builders.site.path("dist")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let back = runtime
        .block_on(roll_back(
            &objects,
            &SiteId::parse("site").unwrap(),
            standing - 1,
        ))
        .unwrap();
    builders.service.stop(Stops::Never);
    let said = format!("deployment {back} brought an earlier one back");
    end(build).failed(1, &[&said, "nothing was published", "build again"]);
    let of_readers = |builders: &Builders| {
        let server = support::web::Server::start(&builders.site.path("Berta"));
        server.get("/es/bread.html").text().to_owned()
    };
    assert!(
        of_readers(&builders).as_bytes() == before["es/bread.html"],
        "{}",
        of_readers(&builders)
    );
    let paid = builders.service.sent();
    assert_eq!(paid.len(), 2 * NAMES.len(), "{paid:?}");
    // Whoever builds next, with whichever state, pays nothing again; a build that begins after the rollback replaces it.
    fs::remove_dir_all(builders.site.path("Anna/.latimer")).unwrap();
    builders.build("Anna", &[], 0);
    assert_eq!(
        (builders.service.sent(), builders.authors("es")),
        (Vec::new(), all_by("Anna, third", &[]))
    );
}

#[test]
fn pages_that_did_not_change_are_those_of_this_builder_also_where_another_publishes_meanwhile() {
    let builders = Builders::new();
    let edit = |to: &str| {
        let html = builders.site.read("Anna/source/index.html");
        let before = html.find("Anna, ").unwrap() + 6;
        let after = html.find(" edition").unwrap();
        builders.site.write(
            "Anna/source/index.html",
            &format!("{}{to}{}", &html[..before], &html[after..]),
        );
    };
    edit("early");
    builders.build("Anna", &[], 0);
    edit("second");
    let build = builders.begin("Anna", "second");
    builders.edit("Berta", "third");
    builders.build("Berta", &[], 0);
    assert_eq!(builders.authors("es"), all_by("Berta, third", &[]));
    builders.service.stop(Stops::Never);
    assert_eq!(end(build).code, 0);
    let by_anna = all_by("Anna, first", &[("index", "Anna, second")]);
    assert_eq!(
        (builders.authors("en"), builders.authors("es")),
        (by_anna.clone(), by_anna.clone())
    );
    builders.build("Anna", &[], 0);
    assert_eq!(
        (builders.authors("en"), builders.authors("es")),
        (by_anna.clone(), by_anna)
    );
}

#[test]
fn an_offline_build_with_an_older_state_keeps_the_pages_and_words_of_the_other_builder() {
    for remembers in [true, false] {
        let builders = Builders::new();
        let before = builders.live();
        builders.edit("Berta", "second");
        builders.service.sent();
        // Without the memory in the store, nobody but Anna's state has her words; readers keep them all the same.
        let code = if remembers { 0 } else { 6 };
        if !remembers {
            builders.forget_memory();
        }
        let report = builders.build("Berta", &["--offline"], code);
        assert_same(&builders.live(), &before);
        assert_eq!(
            kept(&report, "es").len(),
            if remembers { 0 } else { NAMES.len() },
            "{report}"
        );
        let ran = builders.run("Berta", &["locale", "site", "fr", "off", "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let live = builders.live();
        assert!(
            live.keys().all(|name| !name.starts_with("fr/")),
            "{:?}",
            live.keys()
        );
        assert_eq!(
            (builders.authors("es"), builders.authors("en")),
            (all_by("Anna, first", &[]), all_by("Anna, first", &[]))
        );
        let names_fr = |html: &[u8]| String::from_utf8_lossy(html).contains("hreflang=\"fr\"");
        let naming: Vec<_> = live
            .iter()
            .filter(|(_, html)| names_fr(html))
            .map(|(name, _)| name)
            .collect();
        assert!(naming.is_empty(), "{naming:?}");
        assert_eq!(builders.service.sent(), Vec::<String>::new());
        // Anna obeys the switch that Berta turned.
        builders.build("Anna", &[], 0);
        assert!(builders.live().keys().all(|name| !name.starts_with("fr/")));
        assert_eq!(builders.authors("es"), all_by("Anna, first", &[]));
    }
}

#[test]
fn pages_that_were_not_selected_are_those_of_the_other_builder_and_no_engine_is_asked_for_them() {
    let builders = Builders::new();
    let (server, token) = serve_for_berta(&builders);
    let order = |path: &str| {
        let body = json!({ "targetLangs": ["es", "fr"], "sourcePaths": [path] }).to_string();
        let answer = server.call("POST", "/api/sites/site/crawl-translate", &token, &body);
        answer
            .header("location")
            .unwrap_or_else(|| panic!("{}", answer.json))
            .to_owned()
    };
    // Anna's deployment is there before the run.
    builders.edit("Berta", "second");
    builders.service.sent();
    let run = server.wait_for(&order("/bread.html"), &token);
    assert_eq!(run["status"], "completed", "{run}");
    for tree in ["en", "es", "fr"] {
        assert_eq!(
            builders.authors(tree),
            all_by("Anna, first", &[("bread", "Berta, second")]),
            "{tree}"
        );
    }
    assert_eq!(builders.service.sent().len(), 2);
    // Anna's deployment comes while the run works, and the memory in the store does not have its words.
    builders.edit("Berta", "third");
    builders.service.stop(Stops::At("by Berta, third"));
    let location = order("/rolls.html");
    builders.service.wait_until_stopped();
    builders.edit("Anna", "second");
    builders.build("Anna", &[], 0);
    builders.forget_memory();
    let sent = builders.service.sent();
    assert_eq!(
        sent.iter()
            .filter(|text| text.contains("Anna, second"))
            .count(),
        2 * NAMES.len()
    );
    builders.service.stop(Stops::Never);
    let run = server.wait_for(&location, &token);
    assert_eq!(run["status"], "completed", "{run}");
    for tree in ["en", "es", "fr"] {
        assert_eq!(
            builders.authors(tree),
            all_by("Anna, second", &[("rolls", "Berta, third")]),
            "{tree}"
        );
    }
    // The run paid for its own page and for nothing else, and says so.
    let sent: Vec<String> = sent
        .into_iter()
        .chain(builders.service.sent())
        .filter(|text| text.contains("Berta"))
        .collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert_eq!(run["charactersSent"], characters(&sent), "{run}");
}

#[test]
fn a_server_shows_the_switch_that_another_builder_turned_and_turns_it_back() {
    let builders = Builders::new();
    let (server, token) = serve_for_berta(&builders);
    let before = builders.live();
    // Both states know a switch from before.
    for on in [false, true] {
        let answer = server.call(
            "POST",
            "/api/sites/site/locales/fr/serve",
            &token,
            &json!({ "enabled": on }).to_string(),
        );
        server.wait_for(answer.header("location").unwrap(), &token);
    }
    let ran = builders.run("Anna", &["locale", "site", "fr", "off", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let fr = |site: &Value| {
        site["locales"]
            .as_array()
            .unwrap()
            .iter()
            .find(|locale| locale["targetLang"] == "fr")
            .cloned()
            .unwrap()
    };
    let site = server.wait_until("/api/sites/site", &token, |site| {
        fr(site)["serveEnabled"] == false
    });
    assert_eq!(fr(&site)["servingStatus"], "disabled", "{site}");
    assert_eq!(
        fr(&server.call("GET", "/api/sites", &token, "").json["items"][0])["serveEnabled"],
        false
    );
    let answer = server.call(
        "POST",
        "/api/sites/site/locales/fr/serve",
        &token,
        r#"{"enabled":true}"#,
    );
    assert_eq!(answer.status, 200, "{}", answer.json);
    server.wait_for(
        answer
            .header("location")
            .expect("a run brings the pages back"),
        &token,
    );
    assert_same(&builders.live(), &before);
}
