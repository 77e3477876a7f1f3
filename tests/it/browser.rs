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

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium, puppeteer-core and axe-core"]
    fn every_link_of_every_language_leads_to_a_page_in_the_language_it_claims() {
        let site = Site::fixture("bakery");
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let seen = drive(&server, "walk", &["/", "/es/", "/ar/", "/ja/", "/en-XA/"]);
        assert_eq!((&seen["wrong"], &seen["errors"]), (&json!([]), &json!([])), "{seen:#}");
        let pages = seen["pages"].as_object().unwrap();
        for (path, lang) in pages {
            let prefix = path.split('/').nth(1).unwrap();
            let expected = if ["es", "ar", "ja", "en-XA"].contains(&prefix) { prefix } else { "en" };
            assert_eq!(lang, expected, "{path}");
        }
        // All but the page for what is not found, to which nothing leads.
        assert_eq!(pages.len(), 5 * 13, "{pages:#?}");
        assert!(seen["clicks"].as_u64().unwrap() > 250, "{}", seen["clicks"]);
        println!("{} links clicked", seen["clicks"]);
    }

    #[test]
    #[ignore = "needs Chromium, puppeteer-core and axe-core"]
    fn languages_are_switched_by_keyboard_alone_and_axe_finds_nothing() {
        for template in ["disclosure", "compact", "tabs", "pill", "inline"] {
            let site = Site::fixture("bakery");
            let html = format!(
                "\n[site.html]\nswitcher = {{ template = \"{template}\", placement = \"body-start\" }}\n\n[store]"
            );
            site.edit("latimer.toml", "[store]", &html);
            site.build(&[], 0);
            let server = Server::start(site.folder());
            let seen = drive(&server, "switchers", &["/menu/", "ar", "ja", "en"]);
            assert_eq!((&seen["found"], &seen["errors"]), (&json!([]), &json!([])), "{template}: {seen:#}");
            for (step, (at, lang)) in
                [("/ar/menu/", "ar"), ("/ja/menu/", "ja"), ("/menu/", "en")].into_iter().enumerate()
            {
                let step = &seen["steps"][step];
                assert_eq!((&step["at"], &step["lang"]), (&json!(at), &json!(lang)), "{template}");
                assert_eq!(step["outline"], "solid", "{template}: the focus is seen");
                let unfolds = ["disclosure", "compact"].contains(&template);
                assert_eq!(step["opened"], if unfolds { json!(true) } else { Value::Null }, "{template}");
            }
        }
    }
}
