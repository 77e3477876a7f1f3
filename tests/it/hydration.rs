//! Pages that scripts draw again, in a browser: three small sites by React, Vue and Svelte, and pages by hand whose
//! scripts do what the live script must live with. `tests/run` installs what makes and what visits them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::web::Server;
use crate::support::{Site, copy, repository, tool};

const FRAMEWORKS: [&str; 3] = ["react", "vue", "svelte"];

/// Each address pattern, by the name that `visit.mjs` has for it.
const PATTERNS: [(&str, &str); 2] = [
    ("host", "https://{lang}.example.com"),
    ("path", "https://www.example.com/{lang}"),
];

/// What a program of `tests/it/support/hydration` printed.
fn node(program: &str, modules: &Path, arguments: &[&str]) -> Vec<u8> {
    let path = repository()
        .join("tests/it/support/hydration")
        .join(program);
    let output = Command::new("node")
        .arg(path)
        .args(arguments)
        .env("NODE_PATH", modules)
        .output()
        .unwrap();
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program}");
    output.stdout
}

/// Makes the three sites, localizes them at both patterns, and visits them in a language.
fn visit(locale: &str, pace: &str) {
    let all = Site::new("", &[]);
    let root = all.folder().to_str().unwrap();
    node("bundle.mjs", &tool("LATIMER_TEST_HYDRATION"), &[root]);
    for name in FRAMEWORKS {
        for (pattern, url) in PATTERNS {
            let folder = format!("{name}/{pattern}");
            let keys = "source = \"../source\"\nsource_locale = \"en\"\nlocales = [\"en-XA\", \"ar-XB\"]\nengine = \"pseudo\"";
            let texts = "translations = \"../../texts/{lang}.po\"";
            let toml = format!("[[site]]\nid = \"site\"\n{keys}\n{texts}\nurl = \"{url}\"\n");
            all.write(&format!("{folder}/latimer.toml"), &toml);
            let ran = all.run(&[
                "build",
                "--quiet",
                "--config",
                &format!("{folder}/latimer.toml"),
            ]);
            assert_eq!(ran.code, 0, "{folder}: {}", ran.stderr);
        }
    }
    let toml = "[[site]]\nid = \"site\"\nsource = \"../source\"\nsource_locale = \"en\"\nlocales = [\"en-XA\", \"ar-XB\"]\n\
        engine = \"pseudo\"\nurl = \"https://{lang}.example.com\"\nslugs = \"{lang}.csv\"\n";
    all.write("react/renamed/latimer.toml", toml);
    all.write(
        &format!("react/renamed/{locale}.csv"),
        "/menu.html,/karta.html\n",
    );
    let ran = all.run(&["build", "--quiet", "--config", "react/renamed/latimer.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let seen = node(
        "visit.mjs",
        &tool("LATIMER_TEST_BROWSER"),
        &[root, locale, pace],
    );
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    // A page with a path of its own is loaded where a router shows the path of the source, and so is the one before it.
    let renamed = &seen["renamed"];
    assert_eq!(
        [&renamed["link"][0], &renamed["back"][0]],
        [&json!("/karta.html"), &json!("/")],
        "{renamed:#}"
    );
    assert!(
        renamed["link"][1] != renamed["back"][1] && renamed["home"][1] == renamed["back"][1],
        "{renamed:#}"
    );
    for name in FRAMEWORKS {
        for (pattern, _) in PATTERNS {
            let one = &seen[name][pattern];
            assert_eq!(
                (&one["wrong"], &one["errors"]),
                (&json!({}), &json!([])),
                "{name} {pattern}: {one:#}"
            );
            assert_eq!(
                (&one["sourceErrors"], &one["sourceFaults"]),
                (&json!([]), &json!([])),
                "{name}: {one:#}"
            );
            assert_eq!(one["isGood"], true, "{name} {pattern}: {one:#}");
            assert!(
                one["atLoad"][1].as_u64().unwrap() >= 30,
                "{name} {pattern}: {one:#}"
            );
        }
    }
}

/// The pages by hand, localized with the language in the path.
fn by_hand() -> Site {
    by_hand_at("https://www.example.com/{lang}")
}

fn by_hand_at(url: &str) -> Site {
    // Scripts and their worker name pages by their files.
    let url = format!("addresses = \"file\"\nurl = \"{url}\"");
    let keys = format!("locales = [\"en-XA\"]\n{url}\nengine = \"pseudo\"\nmin_translated = 0.0\n");
    let site = Site::new(
        &format!("{keys}translations = \"{{lang}}.po\"\n"),
        &[("many.html", &many()), ("still.js", "")],
    );
    let texts = "msgid \"Next to come: {news}\"\nmsgstr \"⟦Ñéẋţ ţö çöɱé: ⟧{news}\"\n\n\
        msgid \"Page Not Found\"\nmsgstr \"⟦Þáĝé ñöţ ƒöüñð⟧\"\n";
    site.write("en-XA.po", texts);
    copy(
        &repository().join("tests/it/support/hydration/pages"),
        &site.path("source"),
        &|_| true,
    );
    site
}

/// A page that hydrates, of 300 texts.
fn many() -> String {
    let texts: String = (0..300)
        .map(|n| format!("<p>Loaf {n} has <b>a crust</b></p>"))
        .collect();
    let head = "<!doctype html><html lang=en><meta charset=utf-8><title>Loaves</title><script src=/still.js></script>";
    format!("{head}<div id=root><!--$-->{texts}<!--/$--></div>")
}

/// An application of 200 pages with words of their own, so many on each, whose router draws them from a script.
fn with_a_router(texts: usize) -> Site {
    let mut pages = serde_json::Map::new();
    let keys = "url = \"https://{lang}.example.com\"\nlocales = [\"en-XA\"]\nengine = \"pseudo\"\nmin_translated = 0.0\n";
    let site = Site::new(
        keys,
        &[("icon.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")],
    );
    for page in 0..200 {
        let letters = |number: usize| {
            [
                "oat", "rye", "fig", "nut", "egg", "tea", "jam", "pie", "bun", "ale",
            ][number % 10]
        };
        let name = format!(
            "{}{}{}",
            letters(page),
            letters(page / 10),
            letters(page / 100 + 3)
        );
        let said: Vec<String> = (0..texts)
            .map(|text| format!("Baked {name} with {}{}", letters(text), letters(text / 10)))
            .collect();
        let next = (page + 1) % 200;
        let body = format!(
            "<h1>All about {name}</h1><p>{}</p><a id=next href=/p{next}>Another page than {name}</a>",
            said.join("</p><p>")
        );
        let head = "<!doctype html><html lang=en><meta charset=utf-8><link rel=icon href=/icon.svg><title>Bread</title>";
        let html = format!(
            "{head}<script src=/app.js defer></script><div id=root><!--$-->{body}<!--/$--></div>"
        );
        site.write(&format!("source/p{page}.html"), &html);
        pages.insert(format!("/p{page}"), json!(body));
    }
    let router = "const root = document.getElementById('root');\n\
        const draw = () => { root.innerHTML = pages[location.pathname.replace('.html', '')] ?? 'Page Not Found'; };\n\
        root.addEventListener('click', (event) => {\n  event.preventDefault();\n\
        history.pushState(null, '', event.target.closest('a').getAttribute('href'));\n  draw();\n});\n";
    site.write(
        "source/app.js",
        &format!(
            "const pages = {};\n{router}",
            serde_json::Value::Object(pages)
        ),
    );
    site
}

/// What a visit to a page by hand saw, on the source and in the language.
fn look(site: &Site, task: &str) -> Value {
    let server = Server::start(site.folder());
    let address = format!("http://{}", server.address);
    serde_json::from_slice(&node(
        "by_hand.mjs",
        &tool("LATIMER_TEST_BROWSER"),
        &[task, &address],
    ))
    .unwrap()
}

/// A page by hand that works in the language as on the source, without a plain word.
fn works(task: &str) -> Value {
    works_on(&by_hand(), "/en-XA", task)
}

fn works_on(site: &Site, prefix: &str, task: &str) -> Value {
    site.build(&[], 0);
    let seen = look(site, task);
    let [source, localized] = [&seen["source"], &seen["localized"]];
    assert_eq!(
        (&source["errors"], &localized["errors"]),
        (&json!([]), &json!([])),
        "{task}: {seen:#}"
    );
    assert_eq!(seen["plain"], json!([]), "{task}: {seen:#}");
    assert_eq!(
        (&localized["lang"], &localized["switcher"]),
        (&json!("en-XA"), &json!(1)),
        "{task}: {seen:#}"
    );
    let path = source["at"].as_str().unwrap();
    assert_eq!(
        localized["at"],
        format!("{prefix}{path}"),
        "{task}: {seen:#}"
    );
    seen
}

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_policy_that_allows_scripts_of_the_site_lets_ours_work() {
        works("policy");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_policy_that_forbids_scripts_is_respected_and_noticed() {
        let site = by_hand();
        let report = site.build(&[], 0);
        let notice = "the policy `script-src 'none'` forbids the live script";
        assert!(report["notices"].to_string().contains(notice), "{report:#}");
        assert!(
            !site
                .read("dist/site/en-XA/forbidden.html")
                .contains("/_latimer/live.")
        );
        let seen = look(&site, "forbidden");
        assert_eq!(
            seen["localized"]["errors"], seen["source"]["errors"],
            "{seen:#}"
        );
        assert_eq!(
            seen["plain"],
            json!([]),
            "without scripts the words stay: {seen:#}"
        );
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn scripts_take_out_and_put_back_the_text_nodes_they_keep() {
        let seen = works("nodes");
        let texts = seen["localized"]["texts"].as_array().unwrap();
        assert_eq!(texts.len(), 7, "{seen:#}");
        assert!(
            texts.contains(&json!("⟦Ñéẋţ ţö çöɱé: ⟧⟦Ṁéššáğéš öƒ ţĥé öṽéñ öñé⟧")),
            "{seen:#}"
        );
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn scripts_that_read_texts_see_what_readers_see() {
        let seen = works("tools");
        for side in ["source", "localized"] {
            for (name, found) in seen[side]["found"].as_object().unwrap() {
                assert_eq!(found[0], found[1], "{side} {name}: {seen:#}");
            }
        }
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_script_that_goes_to_another_page_gets_it_in_the_language() {
        works("leave");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_page_is_in_the_language_while_an_image_is_ten_seconds_late() {
        let seen = works("image");
        let [source, localized] = ["source", "localized"].map(|side| &seen[side]["found"]);
        assert_eq!(
            [&source["first"], &localized["first"]],
            [&json!("/router.html"); 2],
            "{seen:#}"
        );
        assert_eq!(localized["plain"], json!([]), "{seen:#}");
        works("early");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_site_with_a_host_for_each_language_works_below_a_prefix_on_this_machine() {
        let seen = works_on(
            &by_hand_at("https://{lang}.example.com"),
            "/en-XA",
            "prefix",
        );
        assert_eq!(seen["localized"]["found"], "/router.html", "{seen:#}");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn a_service_worker_of_the_site_answers_in_the_language_of_its_host() {
        let seen = works_on(&by_hand_at("https://{lang}.example.com"), "", "worker");
        assert_eq!(
            seen["source"]["found"], "Page Not Found",
            "the shell, which knows no page here: {seen:#}"
        );
    }

    /// With few words a router goes on, with many it loads the next page: either way it is in the language.
    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn pages_with_words_of_their_own_are_in_the_language_after_a_link() {
        for (texts, are_documents) in [(2, false), (40, true)] {
            let site = with_a_router(texts);
            site.build(&[], 0);
            let html = site.read("dist/site/en-XA/p7.html");
            assert!(
                html.contains(&format!("\"documents\":{are_documents}")),
                "{html}"
            );
            let seen = look(&site, "far");
            let [source, localized] = [&seen["source"], &seen["localized"]];
            assert_eq!(
                (&source["errors"], &localized["errors"]),
                (&json!([]), &json!([])),
                "{seen:#}"
            );
            assert_eq!(seen["plain"], json!([]), "{seen:#}");
            let texts = |side: &Value| side["texts"].as_array().unwrap().len();
            assert_eq!(
                (texts(source), source["at"].as_str()),
                (texts(localized), Some("/p8")),
                "{seen:#}"
            );
            assert_eq!(
                localized["at"].as_str().unwrap().trim_end_matches(".html"),
                "/p8",
                "{seen:#}"
            );
        }
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn below_what_the_owner_skips_scripts_write_as_on_the_source() {
        let site = by_hand();
        site.edit(
            "latimer.toml",
            "engine = \"pseudo\"",
            "engine = \"pseudo\"\nhtml.skip = [\".as-is\"]",
        );
        site.build(&[], 0);
        let seen = look(&site, "skipped");
        assert_eq!(
            seen["source"]["texts"].as_array().unwrap()[1..3],
            [json!("Bread of the day"), json!("Bread of the day")]
        );
        let texts = seen["localized"]["texts"].as_array().unwrap();
        assert_eq!(texts[1], "Bread of the day", "{seen:#}");
        assert!(texts[0] == texts[2] && texts[0] != texts[1], "{seen:#}");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn where_the_live_script_cannot_work_the_page_is_as_it_was_served() {
        let site = by_hand();
        site.build(&[], 0);
        let seen = look(&site, "throwing");
        let served = &seen["served"];
        for (name, page) in seen.as_object().unwrap() {
            assert_eq!(page, served, "{name}");
        }
        assert_eq!(served["at"], json!("/en-XA/policy.html"), "{served:#}");
    }

    #[test]
    #[ignore = "needs Chromium, npm packages"]
    fn how_long_the_live_script_takes_for_300_texts() {
        let site = by_hand();
        site.build(&[], 0);
        let seen = look(&site, "time");
        println!(
            "scripts ran {} ms on the source, {} ms with the live script",
            seen["source"], seen["localized"]
        );
    }

    mod needs_frameworks {
        use super::super::*;

        #[test]
        #[ignore = "needs Chromium, npm packages"]
        fn pages_by_react_vue_and_svelte_keep_their_language() {
            visit("en-XA", "early");
        }

        mod nightly {
            use super::*;

            #[test]
            #[ignore = "takes a minute, and needs Chromium, npm packages"]
            fn pages_by_frameworks_keep_their_language_from_right_to_left_and_with_late_scripts() {
                visit("ar-XB", "late");
            }
        }
    }
}
