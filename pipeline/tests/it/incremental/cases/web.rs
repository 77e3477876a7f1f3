//! Sites of the web, and sitemaps.

use std::sync::{Arc, Mutex};

use super::*;
use crate::crawl::origin::Answer;

/// A site of the web: where its paths lead, and who asks for them.
pub(super) async fn run_web() {
    let answers = |to: &str| {
        let page = |text: &str| {
            Answer::page(page(
                text,
                "<a href=/old>Old</a> <a href=/a>A</a> <a href=/b>B</a>",
            ))
            .with("etag", "\"1\"")
        };
        let pages = ["/", "/a", "/b"].map(|path| (path.to_owned(), page(path)));
        pages
            .into_iter()
            .chain([("/old".to_owned(), Answer::redirect(301, to))])
            .collect::<BTreeMap<_, _>>()
    };
    let said = Arc::new(Mutex::new(answers("/a")));
    let origin = relations::origin_of(&said).await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.replace("\"source\"", &format!("\"{}\"", origin.url));
    let settings = settings + "crawl.allow_private = true\ncrawl.headers_file = \"headers\"\n";
    write(root, "latimer.toml", &settings);
    write(root, "headers", "X-Edition: first\n");
    same(root, "the first").await;
    *said.lock().unwrap() = answers("/b");
    same(root, "a path leads elsewhere").await;
    for (pages, date) in [
        (["/", "/a", "/b"], "2024-05-01"),
        (["/", "/a", "/b"], "2024-05-02"),
        (["/", "/a", "/"], "2024-05-02"),
    ] {
        said.lock().unwrap().insert(
            "/sitemap.xml".to_owned(),
            Answer::page(sitemap(&pages, date)),
        );
        same(root, "a sitemap").await;
    }
    // Whoever asks as somebody else hears nothing of what was heard before.
    let conditions = async || {
        let before = origin.asked().len();
        build(root, false).await.0.unwrap();
        origin
            .asked()
            .iter()
            .skip(before)
            .filter(|asked| asked.headers.contains_key("if-none-match"))
            .count()
    };
    assert_ne!(conditions().await, 0);
    write(root, "headers", "X-Edition: second\n");
    assert_eq!(conditions().await, 0, "with other headers");
    assert_ne!(conditions().await, 0);
    write(
        root,
        "latimer.toml",
        &(settings + "crawl.user_agent = \"Other/1\"\n"),
    );
    assert_eq!(conditions().await, 0, "under another name");
    assert_ne!(conditions().await, 0);
    let _other = OtherProgram::runs();
    assert_eq!(conditions().await, 0, "by another program");
}

fn sitemap(pages: &[&str], date: &str) -> String {
    let entry = |page: &&str| format!("<url><loc>{page}</loc><lastmod>{date}</lastmod></url>");
    format!(
        "<urlset>{}</urlset>",
        pages.iter().map(entry).collect::<String>()
    )
}

/// The sitemap of a folder says something else, or names other pages.
pub(super) async fn run_sitemaps() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    for name in ["index.html", "a.html", "b.html"] {
        write(
            root,
            &format!("source/{name}"),
            &format!("<!doctype html><html lang=en><p>Bread of {name}</p>"),
        );
    }
    for (pages, date) in [
        (vec!["/", "/a.html"], "2024-05-01"),
        (vec!["/", "/a.html"], "2024-05-02"),
        (vec!["/a.html", "/b.html"], "2024-05-02"),
        (vec![], ""),
    ] {
        write(root, "source/sitemap.xml", &sitemap(&pages, date));
        same(root, "a sitemap").await;
    }
}
