//! Why versions of pages were rendered, as reports say it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{BUILDS, build};

const SETTINGS: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["es"]
url = "https://www.example.com/{lang}"
engine = ["pseudo"]
translations = "{lang}.po"

[store]
objects = "store"
state = "state.redb"
"#;

pub(super) fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

pub(super) fn page(title: &str, body: &str) -> String {
    format!("<!doctype html><html lang=en><title>{title}</title><body>{body}</body></html>")
}

/// A file of people's words.
pub(super) fn words(pairs: &[(&str, &str)]) -> String {
    let head = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n";
    pairs.iter().fold(head.to_owned(), |all, (source, target)| {
        format!("{all}\nmsgid \"{source}\"\nmsgstr \"{target}\"\n")
    })
}

/// Builds; gives how many versions were rendered for which cause, and those with one of their own.
async fn causes(root: &Path, rebuild: bool) -> (String, Vec<String>) {
    let work = build(root, rebuild).await.0.unwrap().work;
    let counts: Vec<String> = work
        .causes
        .iter()
        .map(|(cause, count)| format!("{count} {}", cause.code()))
        .collect();
    let own = work
        .versions
        .iter()
        .map(|one| format!("{} {} {}", one.locale, one.path, one.cause.code()))
        .collect();
    (counts.join(", "), own)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_says_why_each_version_was_rendered() {
    let _others = BUILDS.read().await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    write(
        root,
        "source/index.html",
        &page("Home", "<p>Bread</p><a href=/news.html>News</a>"),
    );
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    let none = Vec::<String>::new;
    assert_eq!(causes(root, false).await, ("4 new".to_owned(), none()));
    assert_eq!(causes(root, false).await, (String::new(), none()));

    write(root, "source/about.html", &page("About", "<p>Butter!</p>"));
    let own = vec![
        "en /about.html source".to_owned(),
        "es /about.html source".to_owned(),
    ];
    assert_eq!(causes(root, false).await, ("2 source".to_owned(), own));

    write(root, "es.po", &words(&[("Bread", "Pan")]));
    assert_eq!(
        causes(root, false).await,
        ("1 words".to_owned(), vec!["es / words".to_owned()])
    );

    // A link that led to nothing leads to a page now, and is another one in Spanish.
    write(root, "source/news.html", &page("News", "<p>Rolls</p>"));
    assert_eq!(
        causes(root, false).await,
        ("2 new, 1 graph".to_owned(), vec!["es / graph".to_owned()])
    );

    write(
        root,
        "latimer.toml",
        &SETTINGS.replace("locales", "missing = \"gone\"\nlocales"),
    );
    assert_eq!(causes(root, false).await, ("6 settings".to_owned(), none()));
    assert_eq!(causes(root, true).await, ("6 rebuild".to_owned(), none()));
    fs::remove_file(root.join("state.redb")).unwrap();
    assert_eq!(causes(root, false).await, ("6 unknown".to_owned(), none()));
}

/// A page of which something has to be said is rendered each time, and said to be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_are_rendered_each_time_are_told() {
    let _others = BUILDS.read().await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    // A part of the switcher that no page in XHTML can take.
    write(
        root,
        "latimer.toml",
        &SETTINGS.replace("locales", "html = { templates = \"parts\" }\nlocales"),
    );
    write(
        root,
        "parts/switcher/disclosure.html",
        "<menu data-latimer-switcher><hr>",
    );
    let xhtml = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Old</title></head><body><p>Rye</p></body></html>";
    write(root, "source/old.xhtml", xhtml);
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    assert_eq!(causes(root, false).await.0, "4 new");
    write(root, "source/about.html", &page("About", "<p>Butter!</p>"));
    let mut own = vec![
        "en /about.html source".to_owned(),
        "es /about.html source".to_owned(),
    ];
    own.extend([
        "en /old.xhtml said".to_owned(),
        "es /old.xhtml said".to_owned(),
    ]);
    assert_eq!(
        causes(root, false).await,
        ("2 said, 2 source".to_owned(), own)
    );
    write(root, "source/old.xhtml", &xhtml.replace("Rye", "Oat"));
    assert_eq!(causes(root, false).await.0, "2 source");
}
