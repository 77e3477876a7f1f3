//! Search indexes of a site, as generators write them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::cases::{SETTINGS, same};
use super::causes::{page, write};
use super::model::{Model, Page, TEXTS};
use super::{BUILDS, Chance, build, build_both, live};

/// Generator of a search index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Sphinx,
    MkDocs,
    Material,
    MdBook,
    Docusaurus,
    VitePress,
    Theme,
}

impl Search {
    /// All generators, and twice none.
    pub(super) const ALL: [Option<Self>; 9] = [
        None,
        None,
        Some(Self::Sphinx),
        Some(Self::MkDocs),
        Some(Self::Material),
        Some(Self::MdBook),
        Some(Self::Docusaurus),
        Some(Self::VitePress),
        Some(Self::Theme),
    ];

    /// True if the index is localized only with a host for each language.
    pub(super) fn wants_hosts(self) -> bool {
        matches!(self, Self::Docusaurus | Self::VitePress | Self::Theme)
    }

    /// Files of an index of `pages`.
    pub(super) fn files(self, pages: &BTreeMap<&'static str, Page>) -> Vec<(&'static str, String)> {
        let titles: Vec<&str> = pages.values().map(|page| page.title).collect();
        let paths: Vec<String> = pages.keys().map(|path| format!("/{path}")).collect();
        let numbers = || 0..pages.len();
        let empty = || String::from("//");
        match self {
            Self::Sphinx => {
                let names: Vec<&str> = pages
                    .keys()
                    .map(|path| path.trim_end_matches(".html"))
                    .collect();
                let files: Vec<String> = names.iter().map(|name| format!("{name}.rst")).collect();
                let places: Vec<Value> =
                    numbers().map(|number| json!([number, 0, 1, ""])).collect();
                let data = json!({
                    "docnames": names, "filenames": files, "titles": titles, "terms": {}, "titleterms": {},
                    "objects": { "": places }, "objnames": { "0": ["py", "x", "Call us"], "1": ["py", "y", "Home"] },
                });
                vec![
                    ("searchindex.js", format!("Search.setIndex({data})")),
                    ("_static/language_data.js", empty()),
                ]
            }
            Self::MkDocs | Self::Material => {
                let doc = |path: &String| json!({ "location": path[1..], "title": "Home", "text": "", "path": ["Call us"] });
                let docs: Vec<Value> = paths.iter().map(doc).collect();
                let index = json!({ "config": { "lang": ["en"] }, "docs": docs }).to_string();
                let worker = if self == Self::MkDocs {
                    "search/worker.js"
                } else {
                    "assets/javascripts/workers/a.js"
                };
                vec![("search/search_index.json", index), (worker, empty())]
            }
            Self::MdBook => {
                let doc = |number: usize| {
                    let title = titles[number];
                    (
                        number.to_string(),
                        json!({ "title": title, "body": "", "breadcrumbs": format!("Home » {title}") }),
                    )
                };
                let docs: serde_json::Map<String, Value> = numbers().map(doc).collect();
                let urls: Vec<&str> = paths.iter().map(|path| &path[1..]).collect();
                let index =
                    json!({ "doc_urls": urls, "index": { "documentStore": { "docs": docs } } });
                vec![("searchindex.json", index.to_string())]
            }
            Self::Docusaurus => {
                let doc = |number: usize| json!({ "i": number, "t": titles[number], "u": paths[number], "b": ["Home"] });
                let docs: Vec<Value> = numbers().map(doc).collect();
                let kind = json!({ "documents": docs, "index": { "invertedIndex": [] } });
                vec![(
                    "search-index.json",
                    json!([kind, kind, kind, kind, kind]).to_string(),
                )]
            }
            Self::VitePress => {
                let ids: serde_json::Map<String, Value> = numbers()
                    .map(|number| (number.to_string(), json!(paths[number])))
                    .collect();
                let stored: serde_json::Map<String, Value> = numbers()
                    .map(|number| {
                        (
                            number.to_string(),
                            json!({ "title": titles[number], "titles": ["Home"] }),
                        )
                    })
                    .collect();
                let fields = json!({ "title": 0, "titles": 1, "text": 2 });
                let data = format!(
                    "{{\"documentCount\":{},\"nextId\":{0},\"documentIds\":{},\"fieldIds\":{fields},\"storedFields\":{},\
                     \"index\":[],\"serializationVersion\":2}}",
                    pages.len(),
                    Value::Object(ids),
                    Value::Object(stored)
                );
                let data = data.replace('\'', "\\'");
                vec![(
                    "assets/@localSearchIndexroot.a1.js",
                    format!("const e='{data}';export{{e as default}};"),
                )]
            }
            Self::Theme => {
                let entry = |number: usize| json!({ "uri": paths[number], "title": titles[number], "content": "x", "section": "Home" });
                vec![(
                    "index.json",
                    Value::Array(numbers().map(entry).collect()).to_string(),
                )]
            }
        }
    }
}

/// An edit has its own page and the home page read, and updates the index.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_reads_what_changed() {
    let _others = BUILDS.read().await;
    for search in Search::ALL.into_iter().flatten() {
        let root = TempDir::new().unwrap();
        let mut chance = Chance(1);
        let mut model = Model::default();
        model.search = Some(search);
        model.settings.insert("engine", "[\"pseudo\"]");
        for path in ["index.html", "about.html", "z.html"] {
            let texts = vec![TEXTS[0], TEXTS[6]];
            model.pages.insert(
                path,
                Page {
                    title: TEXTS[13],
                    texts,
                    links: Vec::new(),
                    head: "",
                    kind: "",
                },
            );
        }
        model.write(root.path(), &mut chance);
        let report = build(root.path(), false).await.0.unwrap();
        assert_eq!(report.search.len(), 1, "{search:?}");
        let index = search.files(&model.pages).swap_remove(0).0;
        let made = || {
            let files = live(root.path());
            let is_spanish = |file: &Path| file.starts_with("site/es") && file.ends_with(index);
            let file = files.into_iter().find(|(file, _)| is_spanish(file));
            String::from_utf8(file.unwrap_or_else(|| panic!("{search:?}: no {index}")).1).unwrap()
        };
        assert!(!made().contains("ɱáŕķéţ"), "{search:?}: {}", made());
        model
            .pages
            .get_mut("about.html")
            .unwrap()
            .texts
            .push(TEXTS[12]);
        model.write(root.path(), &mut chance);
        let [work, _] = build_both(root.path(), &format!("{search:?}: a page is edited")).await;
        // The home page is always read.
        assert_eq!((work.read, work.rendered), (2, 4), "{search:?}");
        assert!(made().contains("ɱáŕķéţ"), "{search:?}: {}", made());
        // The row of the edited version is outdated now.
        model.pages.get_mut("about.html").unwrap().texts.pop();
        model.write(root.path(), &mut chance);
        build_both(root.path(), &format!("{search:?}: a page is as before")).await;
        assert!(!made().contains("ɱáŕķéţ"), "{search:?}: {}", made());
    }
}

/// Indexes look up texts of pages that are not read. A filtered text has no translation in the other languages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_asks_for_texts_of_pages_that_stand() {
    let _others = BUILDS.read().await;
    let root = TempDir::new().unwrap();
    let mut chance = Chance(1);
    let mut model = Model::default();
    model.search = Some(Search::Sphinx);
    model.settings.insert("engine", "[\"pseudo\"]");
    let filtered = "<p its-locale-filter-list=de>Call us</p>";
    for (path, kind) in [
        ("index.html", ""),
        ("about.html", "<p>Home</p>"),
        ("z.html", filtered),
    ] {
        model.pages.insert(
            path,
            Page {
                title: TEXTS[0],
                texts: vec![TEXTS[2]],
                links: Vec::new(),
                head: "",
                kind,
            },
        );
    }
    let write = |model: &Model, chance: &mut Chance| {
        model.write(root.path(), chance);
        let words = "msgid \"Call us\"\nmsgstr \"Llama\"\n\nmsgid \"Home\"\nmsgstr \"Casa\"\n";
        fs::write(root.path().join("es.po"), words).unwrap();
    };
    let made = || fs::read_to_string(root.path().join("store/site/es/searchindex.js")).unwrap();
    write(&model, &mut chance);
    build(root.path(), false).await.0.unwrap();
    for page in ["about.html", "z.html"] {
        model.pages.get_mut(page).unwrap().texts.push(TEXTS[12]);
        write(&model, &mut chance);
        build_both(root.path(), &format!("{page} is edited")).await;
        assert!(
            made().contains("\"Casa\"") && !made().contains("\"Llama\""),
            "{}",
            made()
        );
    }
}

/// Damaged bytes of a file that belongs to an index take it from no reader, and the next build makes the index anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_beside_an_index_survives_damage() {
    let _others = BUILDS.read().await;
    let root = TempDir::new().unwrap();
    let mut chance = Chance(1);
    let mut model = Model::default();
    model.search = Some(Search::MkDocs);
    model.settings.insert("engine", "[\"pseudo\"]");
    for path in ["index.html", "about.html"] {
        model.pages.insert(
            path,
            Page {
                title: TEXTS[13],
                texts: vec![TEXTS[0]],
                links: Vec::new(),
                head: "",
                kind: "",
            },
        );
    }
    model.write(root.path(), &mut chance);
    build(root.path(), false).await.0.unwrap();
    let worker = root.path().join("store/site/es/search/worker.js");
    let published = fs::read(&worker).unwrap();
    let mut damaged = 0;
    for file in fs::read_dir(root.path().join("store/site/_sources")).unwrap() {
        let file = file.unwrap().path();
        if fs::read(&file).unwrap() == published {
            fs::write(&file, "xx").unwrap();
            damaged += 1;
        }
    }
    assert_eq!(damaged, 1);
    let about =
        |model: &mut Model, text| model.pages.get_mut("about.html").unwrap().texts.push(text);
    about(&mut model, TEXTS[6]);
    model.write(root.path(), &mut chance);
    // Killed before it is recorded, as far as the state knows.
    let state = root.path().join("state.redb");
    let before = fs::read(&state).unwrap();
    build_both(root.path(), "bytes of the worker are damaged").await;
    assert_eq!(fs::read(&worker).unwrap(), published);
    for (what, is_recorded) in [
        ("the next build", true),
        ("the next build of an older state", false),
    ] {
        if !is_recorded {
            fs::write(&state, &before).unwrap();
        }
        build_both(root.path(), what).await;
        assert_eq!(fs::read(&worker).unwrap(), published, "{what}");
    }
}

/// Pages, the source's index and functions for a language change, each alone.
pub(super) async fn run_all() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &SETTINGS.replace("www.example.com/{lang}", "{lang}.example.com"),
    );
    for name in ["index", "a", "b"] {
        write(
            root,
            &format!("source/{name}.html"),
            &page(name, "<h1>Bread</h1><p>Rolls</p>"),
        );
    }
    let index = |separator: &str| {
        let docs = ["index", "a", "b"]
            .map(|name| format!(r#"{{"location":"{name}.html","title":"Bread","text":"x"}}"#));
        let config = format!(r#"{{"lang":["en"],"separator":"{separator}"}}"#);
        let text = format!(r#"{{"config":{config},"docs":[{}]}}"#, docs.join(","));
        write(root, "source/search/search_index.json", &text);
    };
    index("-");
    same(root, "the first").await;
    write(
        root,
        "source/a.html",
        &page("a", "<h1>Bread</h1><p>Buns</p>"),
    );
    same(root, "a page").await;
    index("_");
    same(root, "the source's index").await;
    for name in ["lunr.stemmer.support", "lunr.es"] {
        write(
            root,
            &format!("source/assets/javascripts/lunr/min/{name}.min.js"),
            "//",
        );
    }
    same(root, "functions for a language").await;
    let made = fs::read_to_string(root.join("store/site/es/search/search_index.json")).unwrap();
    assert!(made.contains(r#""lang":["es"]"#), "{made}");
}
