//! Search in every language: what a build makes of the indexes of generators. The sources in
//! `fixtures/search` are what these programs wrote, cut down to two pages.

mod drawn;
mod mdbook;
mod needs_pagefind;

use serde_json::{Map, Value, json};

use crate::support::{self, Site, repository};

const PO: &str = "msgid \"Bakery\"\nmsgstr \"Panadería\"\n\nmsgid \"Bread\"\nmsgstr \"Pan\"\n\n\
    msgid \"Welcome to the bakery.\"\nmsgstr \"Hola, ¡pasa a la panadería!\"\n\n\
    msgid \"Bread needs flour & water.\"\nmsgstr \"El pan lleva harina & agua.\"\n\n\
    msgid \"Templates save time.\"\nmsgstr \"Las plantillas ahorran tiempo.\"\n\n\
    msgid \"Templates &lt;T&gt;\"\nmsgstr \"Plantillas &lt;T&gt;\"\n\n\
    msgid \"Templates <x id=\\\"1\\\"/>\"\nmsgstr \"Plantillas <x id=\\\"1\\\"/>\"\n\n\
    msgid \"Templates save time. <x id=\\\"1\\\"/> bakes a loaf.\"\n\
    msgstr \"Las plantillas ahorran tiempo. <x id=\\\"1\\\"/> hornea una barra.\"\n";

/// A site by one of the generators, with people's words; without `url` in the keys, each language has a host of its own.
fn site(generator: &str, locales: &str, keys: &str) -> Site {
    let url = if keys.contains("url") {
        ""
    } else {
        "url = \"https://{lang}.example.com\"\n"
    };
    let fixed = "engine = \"fx\"\ntranslations = \"{lang}.po\"\n";
    let least = if keys.contains("min_translated") {
        ""
    } else {
        "min_translated = 0.0\n"
    };
    let site = Site::new(
        &format!("locales = {locales}\n{fixed}{url}{least}{keys}"),
        &[],
    );
    support::copy(
        &repository().join("fixtures/search").join(generator),
        &site.path("source"),
        &|_| true,
    );
    site.write("es.po", PO);
    site
}

fn read(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/es/{name}"))
}

/// The object that a program hands over between two of its pieces.
#[track_caller]
fn object(text: &str, before: &str, after: &str) -> Map<String, Value> {
    let json = text
        .split_once(before)
        .and_then(|(_, rest)| rest.rsplit_once(after))
        .expect(text)
        .0;
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn sphinx_index(text: &str) -> Map<String, Value> {
    object(text, "Search.setIndex(", ")")
}

/// What mdBook's index says; its JSON stands in a string of a program.
fn mdbook_index(text: &str) -> Map<String, Value> {
    let string = text
        .split_once("JSON.parse('")
        .and_then(|(_, rest)| rest.split_once("'));"))
        .expect(text)
        .0;
    serde_json::from_str(&string.replace("\\'", "'").replace("\\\\", "\\")).unwrap()
}

/// The entry of a word in an index of elasticlunr.
fn word<'a>(index: &'a Map<String, Value>, field: &str, word: &str) -> &'a Value {
    word.chars()
        .fold(&index["index"]["index"][field]["root"], |node, letter| {
            &node[letter.to_string()]
        })
}

fn notices(report: &Value) -> String {
    report["notices"].to_string()
}

#[test]
fn sphinx_finds_words_of_the_language() {
    let site = site("sphinx", "[\"es\"]", "");
    let report = site.build(&[], 0);
    assert_eq!(
        report["search"],
        json!([{"path": "/searchindex.js", "generator": "Sphinx", "entries": 2}])
    );
    let said = String::from_utf8(site.run(&["build"]).stdout).unwrap();
    assert!(
        said.contains("search in every language: /searchindex.js (Sphinx)"),
        "{said}"
    );
    let own = sphinx_index(&site.read("source/searchindex.js"));
    let index = sphinx_index(&read(&site, "searchindex.js"));
    for same in [
        "docnames",
        "filenames",
        "envversion",
        "objects",
        "objnames",
        "objtypes",
        "indexentries",
    ] {
        assert_eq!(index[same], own[same], "{same}");
    }
    assert_eq!(index["titles"], json!(["Pan", "Panadería"]));
    // The site's script takes titles for HTML.
    assert_eq!(
        index["alltitles"],
        json!({"Pan": [[0, null]], "Panadería": [[1, null]], "Plantillas &lt;T&gt;": [[0, "templates-t"]]})
    );
    assert_eq!(
        index["titleterms"],
        json!({"pan": 0, "panadería": 1, "plantillas": 0, "t": 0})
    );
    for (word, pages) in [
        ("harina", json!(0)),
        ("pasa", json!(1)),
        ("loaf", json!(0)),
        ("plantillas", Value::Null),
        ("save", Value::Null),
    ] {
        assert_eq!(
            index["terms"].get(word).unwrap_or(&Value::Null),
            &pages,
            "{word}"
        );
    }
    // A query is cut as the index was, whatever the source's own file says.
    let language = read(&site, "_static/language_data.js");
    assert!(
        language.contains("var splitQuery =") && !language.contains("EnglishStemmer"),
        "{language}"
    );
    assert!(read(&site, "search.html").contains("<script src=\"searchindex.js\">"));
    assert_eq!(
        site.read("dist/site/en/searchindex.js"),
        site.read("source/searchindex.js"),
        "the source keeps its own"
    );
}

#[test]
fn pages_that_a_language_lacks_are_in_no_index() {
    let site = site(
        "sphinx",
        "[\"es\"]",
        "min_translated = 0.5\nmissing = \"not_found\"\n",
    );
    for words in [
        "El pan lleva harina & agua.",
        "Las plantillas ahorran tiempo.",
    ] {
        site.edit("es.po", &format!("msgstr \"{words}\""), "msgstr \"\"");
    }
    site.build(&[], 0);
    let index = sphinx_index(&read(&site, "searchindex.js"));
    assert_eq!(
        [&index["docnames"], &index["titles"]],
        [&json!(["index"]), &json!(["Panadería"])]
    );
    assert_eq!(
        [&index["objects"], &index["indexentries"]],
        [&json!({}), &json!({})]
    );
    assert_eq!(index["terms"]["pasa"], json!(0), "pages have other numbers");
}

#[test]
fn material_finds_words_of_the_language() {
    let site = site(
        "material",
        "[\"es\", \"ja\"]",
        "url = \"https://www.example.com/{lang}\"\n",
    );
    let report = site.build(&[], 0);
    assert_eq!(report["search"][0]["generator"], "MkDocs Material");
    let index: Value = serde_json::from_str(&read(&site, "search/search_index.json")).unwrap();
    assert_eq!(
        index["docs"],
        json!([
            {"location": "", "title": "Panadería", "text": "Hola, ¡pasa a la panadería!"},
            {"location": "bread/", "title": "Pan", "text": "El pan lleva harina &amp; agua."},
            {"location": "bread/#templates-t", "title": "Plantillas T",
             "text": "Las plantillas ahorran tiempo. bake(loaf) hornea una barra."},
        ])
    );
    assert_eq!(
        [&index["config"]["lang"], &index["config"]["pipeline"]],
        [&json!(["es"]), &json!(["stopWordFilter"])]
    );
    // Its pages look for these beside themselves.
    for beside in [
        "assets/javascripts/workers/search.a7633da7.min.js",
        "assets/javascripts/lunr/min/lunr.es.min.js",
    ] {
        assert_eq!(read(&site, beside), site.read(&format!("source/{beside}")));
    }
    // There are no functions for Japanese on this site.
    let japanese: Value =
        serde_json::from_str(&site.read("dist/site/ja/search/search_index.json")).unwrap();
    assert_eq!(
        [&japanese["config"]["lang"], &japanese["config"]["pipeline"]],
        [&json!(["en"]), &json!([])]
    );
    assert!(
        notices(&report).contains("search finds little in ja"),
        "{}",
        notices(&report)
    );
}

#[test]
fn mkdocs_finds_words_of_the_language() {
    let site = site("mkdocs", "[\"es\"]", "");
    site.build(&[], 0);
    let index: Value = serde_json::from_str(&read(&site, "search/search_index.json")).unwrap();
    let entry = |number: usize| {
        [
            &index["docs"][number]["location"],
            &index["docs"][number]["text"],
        ]
    };
    // A page's own entry has the words of its sections, as in the source's index.
    assert_eq!(
        entry(2),
        [
            &json!("bread/"),
            &json!(
                "El pan lleva harina & agua. Plantillas T Las plantillas ahorran tiempo. bake(loaf) hornea una barra."
            )
        ]
    );
    assert_eq!(
        entry(3),
        [
            &json!("bread/#bread"),
            &json!("El pan lleva harina & agua.")
        ]
    );
    // lunr's own functions would take letters away, so it gets a finished index.
    assert_eq!(index["index"]["pipeline"], json!([]));
    let inverted = index["index"]["invertedIndex"].as_array().unwrap();
    let found = inverted
        .iter()
        .find(|entry| entry[0] == "panadería")
        .unwrap();
    assert_eq!(found[1]["title"], json!({"": {}, "#bakery": {}}));
    assert!(!dist_has(&site, "es/search/worker.js.html"));
}

fn dist_has(site: &Site, name: &str) -> bool {
    site.path(&format!("dist/site/{name}")).exists()
}

#[test]
fn an_index_of_a_theme_is_written_where_every_entry_is_a_page() {
    let site = site("mdbook", "[\"es\"]", "");
    let entry = |url: &str| json!({"doc": "Bread", "title": "Templates T", "content": "Templates save time.", "tags": ["a"], "url": url});
    let own =
        json!({"0": entry("https://www.example.com/bread.html#templates-t"), "1": entry("/")});
    site.write("source/assets/js/search-data.json", &own.to_string());
    site.write(
        "source/index.json",
        &json!([entry("/bread.html"), {"title": "x"}]).to_string(),
    );
    site.write(
        "source/search.json",
        &json!([entry("/bread.html"), entry("/nowhere")]).to_string(),
    );
    let report = site.build(&[], 0);
    let made: Value = serde_json::from_str(&read(&site, "assets/js/search-data.json")).unwrap();
    assert_eq!(
        made["0"],
        json!({"doc": "Pan", "title": "Plantillas T", "content": "Las plantillas ahorran tiempo. bake(loaf) hornea una barra.",
               "tags": ["a"], "url": "/bread.html#templates-t"})
    );
    assert_eq!(made["1"]["content"], "Hola, ¡pasa a la panadería!");
    let said = notices(&report);
    assert!(
        said.contains("/search.json (a search index)") && !said.contains("index.json ("),
        "{said}"
    );
}

#[test]
fn zensical_finds_words_of_the_language() {
    let site = site("material", "[\"es\"]", "");
    let entry = json!({"location": "bread/", "level": 1, "title": "Bread", "text": "x", "path": ["Bread"], "tags": []});
    let index = json!({"config": {"lang": ["en"], "separator": "[\\s]+"}, "items": [entry]});
    site.write("source/search.json", &index.to_string());
    site.build(&[], 0);
    let made: Value = serde_json::from_str(&read(&site, "search.json")).unwrap();
    assert_eq!(
        [&made["items"][0]["title"], &made["items"][0]["path"]],
        [&json!("Pan"), &json!(["Pan"])]
    );
    assert!(
        made["items"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("El pan lleva harina &amp; agua."),
        "{made}"
    );
}

#[test]
fn a_service_worker_with_a_list_of_pages_is_named() {
    let site = site(
        "mdbook",
        "[\"es\"]",
        "url = \"https://www.example.com/{lang}\"\n",
    );
    site.write(
        "source/sw.js",
        "precacheAndRoute([{url:\"index.html\",revision:\"0a\"}])",
    );
    let said = notices(&site.build(&[], 0));
    assert!(
        said.contains("/sw.js") && !said.contains("one page"),
        "{said}"
    );
    site.write(
        "source/sw.js",
        "registerRoute(new NavigationRoute(createHandlerBoundToURL(\"index.html\")))",
    );
    let shell = "one page, from a reader's second visit on: /sw.js; it is one for all languages";
    assert!(notices(&site.build(&[], 0)).contains(shell));
    site.edit(
        "latimer.toml",
        "https://www.example.com/{lang}",
        "https://{lang}.example.com",
    );
    assert!(
        !notices(&site.build(&[], 0)).contains(shell),
        "each language has its own page there"
    );
}

#[test]
fn an_index_is_the_same_in_every_run_and_comes_back_with_its_language() {
    let site = site("sphinx", "[\"es\"]", "");
    assert_eq!(site.build(&[], 0)["created"], true);
    let first = read(&site, "searchindex.js");
    assert_eq!(site.build(&["--jobs", "1"], 0)["created"], false);
    for (arguments, there) in [
        (["locale", "site", "es", "off"], false),
        (["locale", "site", "es", "on"], true),
    ] {
        let ran = site.run(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        site.build(&["--offline"], 0);
        assert_eq!(dist_has(&site, "es/searchindex.js"), there);
    }
    assert_eq!(read(&site, "searchindex.js"), first);
}

#[test]
fn a_folder_that_is_rendered_gets_its_index() {
    let site = site("mdbook", "[\"es\"]", "");
    let ran = site.run(&[
        "render",
        "source",
        "out",
        "--from",
        "en",
        "--to",
        "es",
        "--engine",
        "identity",
        "--translations",
        "es.po",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let index = mdbook_index(&site.read("out/searchindex-8eddf3e3.js"));
    assert_eq!(word(&index, "body", "plantillas")["df"], json!(1));
    assert_eq!(
        index["index"]["documentStore"]["docs"]["1"]["breadcrumbs"],
        "Panadería » Pan » Pan"
    );
}

#[test]
fn an_index_that_nobody_can_write_is_named() {
    let site = site("sphinx", "[\"es\"]", "");
    site.write("source/searchindex.js", "Search.setIndex({\"docnames\":");
    site.write(
        "source/pagefind/pagefind-entry.json",
        "{\"version\": \"1.6.0\", \"languages\": {\"en\": {\"page_count\": 2}}}",
    );
    site.write("source/other/pagefind/pagefind-entry.json", "{}");
    site.write("source/assets/search-data.json", "[]");
    let report = site.build(&[], 0);
    let said = notices(&report);
    for path in [
        "/searchindex.js",
        "/other/pagefind/pagefind-entry.json",
        "/assets/search-data.json",
    ] {
        assert!(said.contains(path), "{said}");
    }
    let way_out = "/pagefind/pagefind-entry.json (an index of Pagefind with 2 pages; `pagefind` in [site.search] names the program";
    assert!(said.contains(way_out), "{said}");
    assert_eq!(report["search"], Value::Null);
    assert_eq!(
        read(&site, "searchindex.js"),
        site.read("source/searchindex.js"),
        "it stays as it is"
    );
}

#[test]
fn without_its_program_the_index_of_pagefind_stays_and_the_build_goes_on() {
    let site = site(
        "mkdocs",
        "[\"es\"]",
        "[site.search]\npagefind = [\"no-such-program\"]\n",
    );
    let entry = "{\"version\":\"1.6.0\",\"languages\":{\"en\":{\"page_count\":2}}}";
    site.write("source/pagefind/pagefind-entry.json", entry);
    let report = site.build(&[], 0);
    assert!(
        notices(&report).contains("no-such-program could not be started"),
        "{report}"
    );
    assert_eq!(
        site.read("dist/site/es/pagefind/pagefind-entry.json"),
        entry
    );
    assert!(
        notices(&site.build(&[], 0)).contains("no-such-program"),
        "it is tried again"
    );
    let doctor = site.run(&["doctor"]);
    assert!(
        String::from_utf8_lossy(&doctor.stdout)
            .contains("site: Pagefind: no-such-program could not be started")
    );
    for (list, said) in [
        ("[]", "`pagefind` names no program"),
        (
            "[\"pagefind\", \"--site\", \"x\"]",
            "`--site` is up to Latimer",
        ),
    ] {
        site.edit("latimer.toml", "[\"no-such-program\"]", list);
        let ran = site.run(&["build"]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        site.edit("latimer.toml", list, "[\"no-such-program\"]");
    }
}
