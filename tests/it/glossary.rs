//! Terms: what a glossary wants stands in the pages, and what does not is listed.

use serde_json::{Value, json};

use crate::support::{Site, locale};

const KEYS: &str = "locales = [\"es\"]\nengine = \"own\"\nmemory = \"{lang}.jsonl\"\n\
                    [engine.own]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"engine.sh\"]\n\
                    [store]\nobjects = \"dist\"\n";
const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Notes</title>\
                    <p>The <b>server</b> of Latimer</p><p>Good day to all</p>";

/// A site with an engine that says "mozo" for "server", and what its script does besides.
fn site(glossary: Option<&str>, script: &str) -> Site {
    let site = Site::new(KEYS, &[("index.html", PAGE)]);
    let words = "s/The/El/; s/server/mozo/; s/ of / de /; s/Good day to all/Buenos días a todos/; s/Notes/Notas/";
    site.write(
        "engine.sh",
        &format!("#!/bin/sh\ntee -a asked | sed -u '{words}{script}'\n"),
    );
    glossary.into_iter().for_each(|text| add(&site, text));
    site
}

fn add(site: &Site, glossary: &str) {
    site.edit(
        "latimer.toml",
        "memory =",
        "glossary = \"terms.csv\"\nmemory =",
    );
    site.write("terms.csv", glossary);
}

fn page(site: &Site) -> String {
    site.read("dist/site/es/index.html")
}

fn sent(report: &Value) -> u64 {
    locale(report, "es")["charactersSent"].as_u64().unwrap()
}

const GLOSSARY: &str = "term,es,translate\nserver|servers,servidor|servidores,\nLatimer,,no\n";

#[test]
fn a_new_glossary_changes_only_what_lacks_its_terms() {
    let site = site(None, "; s/Latimer/Intérprete/");
    let first = site.build(&[], 0);
    assert!(page(&site).contains("El <b>mozo</b> de Intérprete") && sent(&first) > 30);
    add(&site, GLOSSARY);
    // Where nobody may be asked, what is there stays.
    for arguments in [["--offline"], ["--frozen"]] {
        assert_eq!(sent(&site.build(&arguments, 0)), 0);
        assert!(page(&site).contains("El <b>mozo</b> de Intérprete"));
    }
    let plan = site.run(&["plan", "--json", "--quiet"]).json()["sites"][0].clone();
    let planned = locale(&plan, "es");
    assert_eq!(
        (&planned["new"], &planned["memory"]),
        (&json!(1), &json!(2)),
        "{planned:#}"
    );
    let report = site.build(&[], 0);
    assert!(
        page(&site).contains("El <b>servidor</b> de Latimer"),
        "{}",
        page(&site)
    );
    assert_eq!(
        locale(&report, "es")["terms"],
        json!({ "found": 2, "missed": 0 })
    );
    assert_eq!(sent(&site.build(&[], 0)), 0, "nothing is asked twice");
    // A term in another text, or of another language, costs nothing.
    site.write("terms.csv", &format!("{GLOSSARY}morning,mañana,\n"));
    assert_eq!(sent(&site.build(&[], 0)), 0);
}

#[test]
fn a_term_that_cannot_be_had_is_listed_and_loses_nothing() {
    // It cannot keep a code that it did not know before.
    let site = site(Some(GLOSSARY), "; s/<x id=.\"2.\"..//");
    site.edit("source/index.html", " of Latimer", "");
    let report = site.build(&[], 0);
    assert!(page(&site).contains("El <b>mozo</b>"), "{}", page(&site));
    let es = locale(&report, "es");
    assert_eq!(es["terms"], json!({ "found": 1, "missed": 1 }));
    let warned = es["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|warned| warned["check"] == "term")
        .unwrap();
    assert_eq!(
        (&warned["path"], &warned["message"]),
        (&json!("/"), &json!("\"server\" should be \"servidor\""))
    );
    assert_eq!(warned["translation"], json!("El <g id=\"1\">mozo</g>"));
    assert_eq!(sent(&site.build(&[], 0)), 0, "it is not asked for in vain");
    let said = String::from_utf8(site.run(&["build"]).stdout).unwrap();
    assert!(
        said.contains("terms: 0 of 1 in place") && said.contains("term on /: \"server\" should be"),
        "{said}"
    );
}

#[test]
fn what_is_there_stays_where_nothing_better_can_be_had() {
    let site = site(None, "");
    site.build(&[], 0);
    let before = page(&site);
    add(&site, "term,es\nday,jornada\nserver,servidor\n");
    // No engine has the pair any more.
    let config = site.read("latimer.toml");
    site.edit("latimer.toml", "engine = \"own\"", "engine = \"fx\"");
    site.build(&[], 0);
    assert_eq!(page(&site), before);
    // It answers, and wrongly: it is asked once.
    site.write("latimer.toml", &config);
    site.write(
        "engine.sh",
        "#!/bin/sh\ntee -a again | sed -u 's/\"text\":\"/\"text\":\"7 /'\n",
    );
    let report = site.build(&[], 6);
    assert_eq!(page(&site), before);
    assert!(
        sent(&report) > 0
            && locale(&report, "es")["refused"]
                .to_string()
                .contains("[numbers]")
    );
    assert_eq!(sent(&site.build(&[], 0)), 0);
}

#[test]
fn a_text_that_is_nothing_but_a_term_is_its_translation() {
    let site = site(Some(GLOSSARY), "");
    site.write(
        "source/index.html",
        "<!doctype html><html lang=\"en\"><title>Notes</title><button>Server</button><h2>Latimer</h2>",
    );
    let report = site.build(&[], 0);
    assert!(
        page(&site).contains("<button>Servidor</button><h2>Latimer</h2>"),
        "{}",
        page(&site)
    );
    assert_eq!(
        locale(&report, "es")["terms"],
        json!({ "found": 1, "missed": 0 })
    );
}

#[test]
fn asking_again_for_terms_leaves_the_budget_of_other_languages_alone() {
    let site = site(Some(GLOSSARY), "");
    site.edit(
        "latimer.toml",
        "locales = [\"es\"]",
        "locales = [\"es\", \"fr\"]",
    );
    let plan = site.run(&["plan", "--json", "--quiet"]).json()["sites"][0].clone();
    let planned: u64 = ["es", "fr"]
        .map(|tag| locale(&plan, tag)["characters"].as_u64().unwrap())
        .iter()
        .sum();
    let report = site.build(&["--max-chars", &planned.to_string()], 0);
    assert_eq!(locale(&report, "fr")["words"]["untranslated"], 0);
    assert_eq!(
        locale(&report, "es")["terms"]["missed"],
        1,
        "there was nothing left to ask again with"
    );
}

#[test]
fn wrong_glossaries_are_named_before_anything_is_sent() {
    for (text, said) in [
        (
            "term,es\n,x\n",
            "terms.csv:2: the cell of the term is empty",
        ),
        ("x\n", "terms.csv:1: "),
    ] {
        let site = site(Some(text), "");
        site.run(&["build"]).failed(2, &["site: glossary ", said]);
        site.run(&["doctor"]).failed(1, &[]);
        assert!(!site.path("asked").exists());
    }
    let site = site(Some(GLOSSARY), "");
    std::fs::remove_file(site.path("terms.csv")).unwrap();
    site.run(&["build"]).failed(
        2,
        &["cannot read the glossary", "terms.csv", "No such file"],
    );
}
