//! Published sites in a browser: every link clicked, languages switched by keyboard alone, and what axe says of the
//! switchers. `tests/run` installs puppeteer-core and axe-core, which drive Debian's Chromium.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::web::Server;
use crate::support::{Site, repository, tool};

/// What a task saw.
fn drive(server: &Server, task: &str, arguments: &[&str]) -> Value {
    let mut node = Command::new("node");
    node.arg(repository().join("tests/it/support/browser.mjs")).arg(task).arg(format!("http://{}", server.address));
    let output = node.args(arguments).env("NODE_PATH", tool("LATIMER_TEST_BROWSER")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{task}: {error}: {said}"))
}

/// Clicks the links of the bakery, beginning at these homes, on so many pages.
fn walk(most: usize, homes: &[&str]) {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let seen = drive(&server, "walk", &[&[most.to_string().as_str()], homes].concat());
    assert_eq!((&seen["wrong"], &seen["errors"]), (&json!([]), &json!([])), "{seen:#}");
    let pages = seen["pages"].as_object().unwrap();
    for (path, lang) in pages {
        let prefix = path.split('/').nth(1).unwrap();
        let expected = if ["es", "ar", "ja", "en-XA"].contains(&prefix) { prefix } else { "en" };
        assert_eq!(lang, expected, "{path}");
    }
    assert_eq!(pages.len(), most, "{pages:#?}");
    assert!(seen["clicks"].as_u64().unwrap() > 4 * most as u64 - 10, "{}", seen["clicks"]);
    println!("{} links clicked", seen["clicks"]);
}

/// Goes through three languages by keyboard, with each of these switchers.
fn switch_by_keyboard(templates: &[&str]) {
    for template in templates {
        let site = Site::fixture("bakery");
        let html =
            format!("\n[site.html]\nswitcher = {{ template = \"{template}\", placement = \"body-start\" }}\n\n[store]");
        site.edit("latimer.toml", "[store]", &html);
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let seen = drive(&server, "switchers", &["/menu/", "ar", "ja", "en"]);
        assert_eq!((&seen["found"], &seen["errors"]), (&json!([]), &json!([])), "{template}: {seen:#}");
        for (step, (at, lang)) in [("/ar/menu/", "ar"), ("/ja/menu/", "ja"), ("/menu/", "en")].into_iter().enumerate() {
            let step = &seen["steps"][step];
            assert_eq!((&step["at"], &step["lang"]), (&json!(at), &json!(lang)), "{template}");
            assert_eq!(step["outline"], "solid", "{template}: the focus is seen");
            let unfolds = ["disclosure", "compact"].contains(template);
            assert_eq!(step["opened"], if unfolds { json!(true) } else { Value::Null }, "{template}");
        }
    }
}

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium, puppeteer-core and axe-core"]
    fn links_of_pages_lead_to_pages_in_the_language_they_claim() {
        walk(8, &["/", "/ar/"]);
    }

    #[test]
    #[ignore = "needs Chromium, puppeteer-core and axe-core"]
    fn languages_are_switched_by_keyboard_alone_and_axe_finds_nothing() {
        switch_by_keyboard(&["disclosure", "inline"]);
    }

    mod nightly {
        use super::*;

        #[test]
        #[ignore = "takes minutes, and needs Chromium, puppeteer-core and axe-core"]
        fn every_link_of_every_language_leads_to_a_page_in_the_language_it_claims() {
            // All but the page for what is not found, to which nothing leads.
            walk(5 * 13, &["/", "/es/", "/ar/", "/ja/", "/en-XA/"]);
        }

        #[test]
        #[ignore = "takes minutes, and needs Chromium, puppeteer-core and axe-core"]
        fn every_switcher_is_used_by_keyboard_alone() {
            switch_by_keyboard(&["compact", "tabs", "pill"]);
        }
    }
}
