//! Published sites in a browser: every link clicked, languages switched by keyboard alone, and what axe says of the
//! switchers. `tests/run` installs puppeteer-core and axe-core, which drive Debian's Chromium.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::web::Server;
use crate::support::{Site, repository, tool};

/// What a task saw.
fn drive(server: &Server, task: &str, arguments: &[&str]) -> Value {
    let mut node = Command::new("node");
    node.arg(repository().join("tests/it/support/browser.mjs"))
        .arg(task)
        .arg(format!("http://{}", server.address));
    let output = node
        .args(arguments)
        .env("NODE_PATH", tool("LATIMER_TEST_BROWSER"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{task}: {error}: {said}"))
}

/// Clicks the links of the bakery, beginning at these homes, on so many pages.
fn walk(most: usize, homes: &[&str]) {
    let site = Site::fixture("bakery");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    let seen = drive(
        &server,
        "walk",
        &[&[most.to_string().as_str()], homes].concat(),
    );
    assert_eq!(
        (&seen["wrong"], &seen["errors"]),
        (&json!([]), &json!([])),
        "{seen:#}"
    );
    let pages = seen["pages"].as_object().unwrap();
    for (path, lang) in pages {
        let prefix = path.split('/').nth(1).unwrap();
        let expected = if ["es", "ar", "ja", "en-XA"].contains(&prefix) {
            prefix
        } else {
            "en"
        };
        assert_eq!(lang, expected, "{path}");
    }
    assert_eq!(pages.len(), most, "{pages:#?}");
    assert!(
        seen["clicks"].as_u64().unwrap() > 4 * most as u64 - 10,
        "{}",
        seen["clicks"]
    );
    println!("{} links clicked", seen["clicks"]);
}

/// Goes through three languages by keyboard, with each of these switchers.
fn switch_by_keyboard(templates: &[&str]) {
    for template in templates {
        let site = Site::fixture("bakery");
        let html = format!(
            "\n[site.html]\nswitcher = {{ template = \"{template}\", placement = \"body-start\" }}\n\n[store]"
        );
        site.edit("latimer.toml", "[store]", &html);
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let seen = drive(
            &server,
            "switchers",
            &["/menu/?q=rye%20bread#rolls", "ar", "ja", "en"],
        );
        assert_eq!(
            (&seen["found"], &seen["errors"]),
            (&json!([]), &json!([])),
            "{template}: {seen:#}"
        );
        for (step, (at, lang)) in [("/ar/menu/", "ar"), ("/ja/menu/", "ja"), ("/menu/", "en")]
            .into_iter()
            .enumerate()
        {
            let step = &seen["steps"][step];
            assert_eq!(
                (&step["at"], &step["lang"]),
                (&json!(at), &json!(lang)),
                "{template}"
            );
            assert_eq!(step["place"], "?q=rye%20bread#rolls", "{template}: R-S13");
            assert_eq!(step["outline"], "solid", "{template}: the focus is seen");
            let unfolds = ["disclosure", "compact"].contains(template);
            assert_eq!(
                step["opened"],
                if unfolds { json!(true) } else { Value::Null },
                "{template}"
            );
        }
    }
}

/// A page whose root font is small, and whose last line is at its very end, or in a footer of a body that is a column.
fn long_page(root: &str, body: &str, footer: &str) -> String {
    let lines = "<p>Flour, water, salt and time are all it takes.</p>".repeat(40);
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Bread</title><style>html{{font-size:{root}}}body{{{body}}}\
         summary,a{{font-size:3rem}}</style><body>{lines}<{footer} id=last>The last words</{footer}></body></html>"
    )
}

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium, puppeteer-core and axe-core"]
    fn switchers_are_readable_on_any_page_and_never_over_its_last_line() {
        let book = long_page("62.5%", "margin:0;font-size:1.6rem", "p");
        let manual = long_page(
            "137.5%",
            "margin:0;display:flex;flex-direction:column;min-height:100%",
            "footer",
        );
        let keys = "locales = [\"es\", \"pt-BR\", \"ar\"]\nengine = \"pseudo\"\nmin_translated = 0.0\n\
            url = \"https://www.example.com/{lang}\"\n";
        let site = Site::new(
            keys,
            &[
                ("index.html", &book),
                ("manual.html", &manual),
                ("favicon.ico", ""),
            ],
        );
        site.build(&[], 0);
        let server = Server::start(site.folder());
        let paths = [
            "/",
            "/ar/",
            "/manual.html",
            "/ar/manual.html",
            "/es/404.html",
        ];
        let seen = drive(&server, "measure", &paths);
        assert_eq!(seen["errors"], json!([]), "{seen:#}");
        for path in paths {
            let [light, dark, print] =
                ["light", "dark", "print"].map(|look| &seen["pages"][path][look]);
            assert_eq!(light["size"], "16px", "{path}: {light:#}");
            let heights = light["heights"].as_array().unwrap();
            assert!(
                heights
                    .iter()
                    .all(|height| height.as_f64().unwrap() >= 44.0),
                "{path}: {light:#}"
            );
            assert!(
                path.contains("404") || light["free"] == true,
                "{path}: {light:#}"
            );
            assert_eq!(
                light["names"],
                json!(["English", "العربية", "Español", "Português"]),
                "{path}"
            );
            assert!(
                light["color"] != dark["color"],
                "{path}: {light:#} {dark:#}"
            );
            assert_eq!(
                (&print["shown"], &print["room"]),
                (&json!(false), &json!("0px")),
                "{path}: {print:#}"
            );
        }
    }

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
