//! Pages that scripts draw. The words that all of them share are in one file unless they are too many.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::{BUILDS, all_files, build_both};

const SETTINGS: &str = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\", \"ar\"]\n\
                        engine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";
const PAGES: [&str; 6] = ["index", "a", "b", "c", "d", "e"];

/// A text of a page; three of them are more than the limit of shared words.
fn bread(name: &str) -> String {
    format!("<p>Bread {name} from our oven, fresh every morning</p>")
}

fn write(root: &Path, name: &str, head: &str, texts: &str) {
    let html = format!(
        "<!doctype html><html lang=en><head><title>{name}</title>{head}</head><body><div id=__next>{texts}</div>\
         <script src=/_next/static/a.js></script></body></html>"
    );
    fs::write(root.join(format!("source/{name}.html")), html).unwrap();
}

fn site(texts: impl Fn(&str) -> String) -> TempDir {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("source")).unwrap();
    fs::write(root.join("latimer.toml"), SETTINGS).unwrap();
    PAGES
        .iter()
        .for_each(|name| write(root, name, "", &texts(name)));
    folder
}

/// Writes an index that names the titles of all pages.
fn write_index(root: &Path) {
    let mut documents = Vec::new();
    for (number, name) in PAGES.iter().enumerate() {
        let path = if *name == "index" {
            "/".to_owned()
        } else {
            format!("/{name}.html")
        };
        documents.push(json!({ "i": number, "t": name, "u": path, "b": ["index"] }));
    }
    let kind = json!({ "documents": documents, "index": { "invertedIndex": [] } });
    fs::write(
        root.join("source/search-index.json"),
        json!([kind, kind, kind, kind, kind]).to_string(),
    )
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drawn_pages_stand_while_their_words_are_too_many_to_share() {
    let _others = BUILDS.read().await;
    let folder = site(bread);
    let root = folder.path();
    write_index(root);
    build_both(root, "the first").await;
    // The home page is read by every build.
    for (number, (name, texts, read)) in [
        ("a", bread("one"), 2),
        ("b", bread("two"), 2),
        // The lower bound falls to the limit, so all words are counted again.
        ("a", bread("three"), 6),
        ("a", bread("four"), 2),
        ("index", "<p>Buns</p>".to_owned(), 1),
    ]
    .into_iter()
    .enumerate()
    {
        write(root, name, "", &texts);
        let [work, _] = build_both(root, name).await;
        assert_eq!(work.read, read, "edit {number}");
    }
    // Words that become few are shared.
    for name in ["a", "b", "c", "d"] {
        write(root, name, "", "<p>Buns</p>");
        build_both(root, name).await;
    }
    write(root, "e", "", "<p>Rolls</p>");
    let [work, _] = build_both(root, "few words").await;
    assert_eq!(work.read, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drawn_pages_are_read_while_their_words_are_shared() {
    let _others = BUILDS.read().await;
    let folder = site(|_| "<p>Buns</p>".to_owned());
    let root = folder.path();
    build_both(root, "the first").await;
    for texts in [
        "<p>Rolls</p>".to_owned(),
        bread("one"),
        bread("one") + &bread("two") + &bread("three"),
    ] {
        write(root, "d", "", &texts);
        let [work, _] = build_both(root, &texts).await;
        assert_eq!(work.read, 6, "{texts}");
    }
}

/// The home page is read by every build and has no row, so the lower bound must not include its words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_the_home_page_keep_no_page_standing() {
    let _others = BUILDS.read().await;
    let folder = site(|_| "<p>Buns</p>".to_owned());
    let root = folder.path();
    let many: Vec<String> = ["one", "two", "three"]
        .iter()
        .map(|name| bread(name))
        .collect();
    write(root, "index", "", &many.concat());
    build_both(root, "the first").await;
    write(root, "index", "", "<p>Buns</p>");
    build_both(root, "few words").await;
    write(root, "index", "", &many.concat());
    build_both(root, "many words").await;
    write(root, "a", "", "<p>Rolls</p>");
    let [work, _] = build_both(root, "another page").await;
    assert_eq!(work.read, 6);
}

/// People's words for texts on no page are shared in any case.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_for_texts_on_no_page_are_shared() {
    let _others = BUILDS.read().await;
    let folder = site(bread);
    let root = folder.path();
    fs::write(
        root.join("es.po"),
        "msgid \"Sold out\"\nmsgstr \"Agotado\"\n\nmsgid \"Buns\"\nmsgstr \"Bollos\"\n",
    )
    .unwrap();
    fs::write(
        root.join("latimer.toml"),
        format!("{SETTINGS}translations = \"{{lang}}.po\"\n"),
    )
    .unwrap();
    build_both(root, "the first").await;
    for (name, texts) in [
        ("a", "<p>Buns</p>"),
        ("b", "<p>Sold out</p>"),
        ("a", "<p>Rolls</p>"),
        ("b", "<p>Rolls</p>"),
    ] {
        write(root, name, "", &format!("{}{texts}", bread(name)));
        build_both(root, texts).await;
    }
}

/// Pages without the live script never stand, since scripts replace their words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drawn_pages_that_forbid_the_script_are_read() {
    let _others = BUILDS.read().await;
    let folder = site(bread);
    let root = folder.path();
    let policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">";
    write(root, "c", policy, &bread("c"));
    build_both(root, "the first").await;
    write(root, "a", "", "<p>Buns</p>");
    let [work, _] = build_both(root, "another page").await;
    assert_eq!(work.read, 3);
    write(root, "c", "", &bread("c"));
    build_both(root, "no policy").await;
    write(root, "c", policy, &bread("c"));
    build_both(root, "the policy again").await;
}

/// Frameworks repeat titles in structured data, where no script compares nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_without_codes_are_the_same_in_nodes_and_in_structured_data() {
    let _others = BUILDS.read().await;
    let folder = site(bread);
    let root = folder.path();
    let write_named = |name: &str, texts: &str| {
        let names = json!({ "@type": "ListItem", "name": "All about bread" });
        let head = format!("<script type=\"application/ld+json\">{names}</script>");
        write(
            root,
            name,
            &head,
            &format!("<h1>All about bread</h1>{texts}"),
        );
    };
    PAGES
        .iter()
        .for_each(|name| write_named(name, &bread(name)));
    build_both(root, "the first").await;
    write_named("c", &bread("one"));
    let [work, _] = build_both(root, "another text").await;
    assert_eq!(work.read, 2);
}

/// A page with many texts brings them along in a file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_bring_a_file_along_are_carried_over() {
    let _others = BUILDS.read().await;
    let folder = site(bread);
    let root = folder.path();
    fs::write(
        root.join("latimer.toml"),
        format!("{SETTINGS}[site.scripts]\nwords = 100\n"),
    )
    .unwrap();
    build_both(root, "the first").await;
    let files = || {
        all_files(&root.join("store"))
            .iter()
            .filter(|file| file.to_string_lossy().contains("page."))
            .count()
    };
    assert!(files() > 0, "no page brings a file");
    for texts in [
        bread("one"),
        bread("two") + &bread("three"),
        "<p>Buns</p>".to_owned(),
        bread("c"),
    ] {
        write(root, "c", "", &texts);
        let [work, _] = build_both(root, &texts).await;
        assert_eq!(work.rendered, 3, "{texts}");
    }
}
