//! Equal texts whose codes stand for other elements on other pages.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{BUILDS, build_both};

const SETTINGS: &str = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
                        engine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";

fn write(root: &Path, name: &str, texts: &str) {
    let title = format!("<title>Page {name}</title>");
    let html = format!(
        "<!doctype html><html lang=en><head>{title}</head><body><h1>{name}</h1>{texts}</body></html>"
    );
    fs::write(root.join(format!("source/{name}.html")), html).unwrap();
}

/// A folder with a site of these pages.
fn site(settings: &str, pages: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("source")).unwrap();
    fs::write(root.join("latimer.toml"), format!("{SETTINGS}{settings}")).unwrap();
    fs::write(root.join("terms.csv"), "source,es\nsourdough,masa\n").unwrap();
    pages
        .iter()
        .for_each(|(name, texts)| write(root, name, texts));
    folder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_with_mixed_texts_are_read_only_if_their_first_place_changes() {
    let _others = BUILDS.read().await;
    let [bold, italic] = [
        "<p>Read <b>this</b> first</p>",
        "<p>Read <i>this</i> first</p>",
    ];
    let folder = site(
        "",
        &[
            ("index", ""),
            ("a", bold),
            ("b", italic),
            ("c", bold),
            ("d", "<p>Rolls</p>"),
        ],
    );
    let root = folder.path();
    build_both(root, "the first").await;
    let edits = [
        // An edit has the page and the home page read.
        ("b", format!("{italic}<p>Buns</p>"), 2),
        ("c", format!("{bold}<p>Buns</p>"), 2),
        // The first place stays as it is.
        ("a", format!("{bold}<p>Buns</p>"), 2),
        // The first place has other codes, so all pages with the text are read.
        ("a", format!("{italic}<p>Buns</p>"), 4),
        ("a", "<p>Buns</p>".to_owned(), 4),
        // The text leaves a page that is not its first place, and comes back.
        ("c", "<p>Buns</p>".to_owned(), 2),
        ("c", format!("<p>Buns</p>{italic}"), 2),
        // Another page becomes the first place.
        ("a", bold.to_owned(), 4),
    ];
    for (number, (name, texts, read)) in edits.into_iter().enumerate() {
        write(root, name, &texts);
        let said = format!("edit {number}");
        let [work, _] = build_both(root, &said).await;
        assert_eq!(work.read, read, "{said}");
    }
}

/// Words are checked against the first place, so another one may change what is said of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_place_on_a_page_that_never_stands_may_go() {
    let _others = BUILDS.read().await;
    let [joined, parted] = [
        "<p>Our sour<wbr>dough bread</p>",
        "<p>Our sour<br>dough bread</p>",
    ];
    let everywhere = "<p>Fresh rolls</p>";
    let filtered = "<p its-locale-filter-list=de>Fresh rolls</p>";
    for (first, others) in [(joined, parted), (everywhere, filtered)] {
        let pages = [
            ("index", first),
            ("b", others),
            ("c", others),
            ("d", "<p>Buns</p>"),
        ];
        let folder = site("glossary = \"terms.csv\"\n", &pages);
        let root = folder.path();
        build_both(root, "the first").await;
        write(root, "d", "<p>Loaves</p>");
        build_both(root, "another page").await;
        write(root, "index", "");
        build_both(root, "the first place goes").await;
        write(root, "c", "<p>Buns</p>");
        build_both(root, "another place goes").await;
        write(root, "index", first);
        build_both(root, "the first place comes back").await;
    }
}
