//! Equal texts whose codes stand for other elements on other pages.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{BUILDS, build_both};

const SETTINGS: &str = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
                        engine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n\
                        [store]\nstate = \"state.redb\"\nobjects = \"store\"\n";

fn write(root: &Path, name: &str, texts: &str) {
    let title = format!("<title>Page {name}</title>");
    let html = format!("<!doctype html><html lang=en><head>{title}</head><body><h1>{name}</h1>{texts}</body></html>");
    fs::write(root.join(format!("source/{name}.html")), html).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_with_mixed_texts_are_read_only_if_their_first_place_changes() {
    let _others = BUILDS.read().await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("source")).unwrap();
    fs::write(root.join("latimer.toml"), SETTINGS).unwrap();
    let [bold, italic] = ["<p>Read <b>this</b> first</p>", "<p>Read <i>this</i> first</p>"];
    for (name, texts) in [("index", ""), ("a", bold), ("b", italic), ("c", bold), ("d", "<p>Rolls</p>")] {
        write(root, name, texts);
    }
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
