//! What a crawl takes of a folder.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{collect, names, options};
use pipeline::config::{PathFilter, SourceLocation};
use pipeline::crawl::{CrawlOptions, Crawled};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

async fn check(folder: &Path, options: &CrawlOptions, expected: &[&str]) -> Crawled {
    let (crawled, taken) = collect(&SourceLocation::Folder(folder.to_owned()), options).await;
    assert_eq!(names(&taken), expected);
    crawled.unwrap()
}

#[tokio::test]
async fn files_become_pages_and_files() {
    let folder = folder(&[
        ("index.html", "<p>home"),
        ("about/index.html", "<meta name=robots content=noindex>"),
        ("a b/über.htm", "<p>x"),
        ("css/site.css", "p{}"),
        ("CNAME", "x"),
        (".git/config", "x"),
        (".DS_Store", "x"),
        (".well-known/security.txt", "x"),
    ]);
    let expected = [
        "page /",
        "file /.well-known/security.txt",
        "file /CNAME",
        "page /a%20b/%C3%BCber.htm",
        "page /about/",
        "file /css/site.css",
    ];
    let crawled = check(folder.path(), &options(), &expected).await;
    assert_eq!(
        (crawled.pages, crawled.files, crawled.failures.len()),
        (3, 3, 0)
    );
    let (_, taken) = collect(
        &SourceLocation::Folder(folder.path().to_owned()),
        &options(),
    )
    .await;
    let types: Vec<&str> = taken
        .values()
        .map(|resource| resource.content_type.as_str())
        .collect();
    let html = "text/html";
    assert_eq!(
        types,
        [
            html,
            "text/plain",
            "application/octet-stream",
            html,
            html,
            "text/css"
        ]
    );
    assert!(taken["/about/"].noindex && !taken["/"].noindex);
}

#[tokio::test]
async fn the_filter_and_our_own_output_keep_files_out() {
    let folder = folder(&[
        ("a.html", "<p>"),
        ("es/a.html", ""),
        ("drafts/b.html", ""),
        ("i.png", ""),
        ("z.html", ""),
    ]);
    let filter = PathFilter::new(&[], &["/drafts/**".to_owned()]).unwrap();
    let options = CrawlOptions {
        filter,
        translated: vec!["/es/".to_owned()],
        max_pages: 1,
        ..options()
    };
    let crawled = check(folder.path(), &options, &["page /a.html", "file /i.png"]).await;
    assert_eq!((crawled.excluded, crawled.truncated), (1, true));
}

#[cfg(unix)]
#[tokio::test]
async fn links_out_of_the_folder_are_refused_d8() {
    use std::os::unix::fs::symlink;
    let secret = folder(&[("secret.html", "secret")]);
    let folder = folder(&[("real/a.html", "<p>x")]);
    let link = |target: &Path, name: &str| symlink(target, folder.path().join(name)).unwrap();
    link(&secret.path().join("secret.html"), "out.html");
    link(secret.path(), "out");
    link(&folder.path().join("real"), "alias");
    link(folder.path(), "real/circle");
    link(Path::new("missing"), "dangling.html");
    let crawled = check(
        folder.path(),
        &options(),
        &["page /alias/a.html", "page /real/a.html"],
    )
    .await;
    let codes: Vec<(&str, &str)> = crawled
        .failures
        .iter()
        .map(|failure| (failure.path.as_str(), failure.code))
        .collect();
    assert_eq!(
        codes,
        [
            ("/dangling.html", "unreadable"),
            ("/out", "outside_folder"),
            ("/out.html", "outside_folder")
        ]
    );
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let empty = folder(&[]);
    for (folder, part) in [
        (
            empty.path().join("no"),
            "there is none; check the path and its permissions",
        ),
        (
            empty.path().join("www.example.com"),
            "a site on the network is source = \"https://www.example.com\"",
        ),
        (empty.path().to_owned(), "nothing to take"),
    ] {
        let error = collect(&SourceLocation::Folder(folder), &options())
            .await
            .0
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// A file that changed right before it was read may change again at what the disk calls the same time, so what the disk says of it
/// is nothing to go by; to put the time of its last change back does not help.
#[tokio::test]
async fn what_the_disk_says_counts_of_files_that_have_settled() {
    let folder = folder(&[("a.html", "<p>x"), ("b.html", "<p>x")]);
    let b = fs::File::options()
        .append(true)
        .open(folder.path().join("b.html"))
        .unwrap();
    b.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let now = SystemTime::now();
    let minute = Duration::from_secs(60);
    for (settled, known) in [(now - minute, 0), (now + minute, 2)] {
        let options = CrawlOptions {
            settled,
            ..options()
        };
        let crawled = check(folder.path(), &options, &["page /a.html", "page /b.html"]).await;
        assert_eq!(crawled.stats.len(), known);
    }
}
