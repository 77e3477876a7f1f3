//! `init` over small folders: what is seen, and that what is written can be read.

use std::path::Path;

use pipeline::config::Config;
use pipeline::model::Locale;

use super::file::Wishes;
use super::files::relative;
use super::look::SourceFindings;
use super::{file, look};

/// Makes a folder of files, looks at it and gives what is seen after reading the written file back.
fn findings(folder: &Path, files: &[(&str, &str)]) -> SourceFindings {
    for (name, text) in files {
        let path = folder.join("site").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (source, findings) = look(
        folder.join("site").to_str().unwrap(),
        &folder.join("latimer.toml"),
    )
    .unwrap();
    let written = file::write(&source, &findings, &[], &Wishes::default());
    let config = Config::parse(&written, &folder.join("latimer.toml"), &|_| None).expect(&written);
    assert_eq!(config.sites[0].source_locale, findings.source_locale);
    findings
}

fn check(files: &[(&str, &str)], generator: Option<&str>, language: &str, excludes: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let found = findings(folder.path(), files);
    let rules: Vec<_> = found.excludes.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(
        (
            found.generator,
            found.source_locale.as_str(),
            rules.as_slice()
        ),
        (generator, language, excludes)
    );
}

#[test]
fn generators_are_seen_in_their_output() {
    let page = |head: &str| format!("<!doctype html><html lang=\"en\"><head>{head}</head>");
    check(
        &[
            (
                "index.html",
                &page("<meta name=generator content='Hugo 0.150'>"),
            ),
            ("page/1/index.html", ""),
        ],
        Some("Hugo"),
        "en",
        &["/**/page/1/"],
    );
    check(
        &[("index.html", &page("")), ("elasticlunr.min.js", "")],
        Some("Zola"),
        "en",
        &[],
    );
    check(
        &[
            (
                "index.html",
                &page("<meta name=\"generator\" content=\"Docusaurus v3.9\">"),
            ),
            ("search.html", ""),
        ],
        Some("Docusaurus"),
        "en",
        &[],
    );
    check(
        &[
            ("index.html", &page("<!-- Book generated using mdBook -->")),
            ("print.html", ""),
        ],
        Some("mdBook"),
        "en",
        &[],
    );
    check(&[("index.html", &page(""))], None, "en", &[]);
}

#[test]
fn a_project_leads_to_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("book.toml", ""),
        ("book/index.html", "<html lang=de>"),
        ("src/x.html", "<html lang=fr>"),
    ];
    let found = findings(folder.path(), &files);
    assert_eq!(
        (
            found.root.file_name().unwrap().to_str(),
            found.source_locale.as_str()
        ),
        (Some("book"), "de")
    );
    std::fs::remove_dir_all(folder.path().join("site/book")).unwrap();
    let output = tempfile::tempdir().unwrap();
    let found = findings(
        output.path(),
        &[("book.toml", ""), ("index.html", "<html lang=de>")],
    );
    assert_eq!(
        (found.root.file_name().unwrap().to_str(), found.generator),
        (Some("site"), Some("mdBook"))
    );
    assert!(
        SourceFindings::of_folder(&folder.path().join("site"))
            .unwrap_err()
            .to_string()
            .contains("build it first")
    );
}

#[test]
fn languages_that_are_there_are_kept_r_s14() {
    let folder = tempfile::tempdir().unwrap();
    let found = findings(
        folder.path(),
        &[
            (
                "index.html",
                "<html lang=en><link rel=alternate hreflang=zh-Hans href=https://x.example/zh-hans/a>",
            ),
            ("fr/index.html", "<html lang=\"fr\">"),
            ("pt-br/index.html", "<html lang=pt-BR>"),
            ("de/start.html", "<p>ohne lang"),
            ("zh-hans/index.html", "<p>"),
            ("go/index.html", "<html lang=en>"),
            ("img/index.html", "<p>"),
            ("wp-json/index.html", "{}"),
            ("js/app.js", ""),
            ("en/index.html", "<html lang=en>"),
        ],
    );
    // A folder of a language that is wanted has versions that people wrote (R-S15).
    let mut found = found;
    found.propose_for(&[Locale::parse("fr").unwrap()]);
    let rules: Vec<_> = found.keeps.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(
        (rules.as_slice(), found.excludes.len()),
        (["/de/**", "/pt-br/**", "/zh-hans/**"].as_slice(), 0)
    );
    let said = found.to_string();
    assert!(
        said.contains("takes /fr/** for the versions in fr") && said.contains("keeps /de/**"),
        "{said}"
    );
}

#[test]
fn the_file_does_not_lie_in_its_source() {
    let folder = tempfile::tempdir().unwrap();
    findings(folder.path(), &[("index.html", "")]);
    let inside = folder.path().join("site");
    let failure = look(inside.to_str().unwrap(), &inside.join("latimer.toml")).unwrap_err();
    assert!(
        failure.message.contains("inside its own source"),
        "{}",
        failure.message
    );
}

#[test]
fn an_address_is_written_down_unseen() {
    let (source, findings) =
        look("https://www.Example.com/docs/", Path::new("latimer.toml")).unwrap();
    let written = file::write(
        &source,
        &findings,
        &[Locale::parse("es").unwrap()],
        &Wishes::default(),
    );
    let config = Config::parse(&written, Path::new("latimer.toml"), &|_| None).expect(&written);
    let site = &config.sites[0];
    assert_eq!(
        (site.id.as_str(), site.locales[0].as_str()),
        ("example-com", "es")
    );
    assert_eq!(site.source_url.as_deref(), Some("https://www.example.com"));
    assert!(look("ftp://example.com/", Path::new("latimer.toml")).is_err());
}

#[test]
fn folders_are_named_from_the_file() {
    for (to, from, expected) in [
        ("/a/b/c", "/a", "b/c"),
        ("/a/b", "/a/c/d", "../../b"),
        ("/a", "/a", "."),
    ] {
        assert_eq!(
            relative(Path::new(to), Path::new(from)),
            Path::new(expected)
        );
    }
}

#[test]
fn sites_with_a_router_get_a_host_for_each_language() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<html lang=en><div id=__next>words</div><script src=/_next/static/a.js></script>";
    let found = findings(folder.path(), &[("index.html", page)]);
    assert_eq!(found.generator, Some("Next.js"));
    assert!(found.to_string().contains("a host of its own"), "{found}");
    let written = file::write("site", &found, &[], &Wishes::default());
    assert!(
        written.contains("# url = \"https://{lang}.example.com\" # the public address: a host"),
        "{written}"
    );
}

#[test]
fn the_public_address_is_the_one_that_pages_name() {
    let router = "<div id=__next>words</div><script src=/_next/static/a.js></script>";
    let canonical =
        |address: &str| format!("<html lang=en><link rel='canonical' href=\"{address}\"><p>Words");
    let sitemap = "<urlset><url><loc> https://www.example.org/docs/a.html </loc></url></urlset>";
    for (page, sitemap, url, source_url) in [
        (
            canonical("https://www.example.com/"),
            "",
            "https://www.example.com/{lang}",
            "https://www.example.com",
        ),
        (
            canonical("https://example.com/docs/index.html"),
            "",
            "https://example.com/docs/{lang}",
            "https://example.com/docs",
        ),
        (
            canonical("/"),
            sitemap,
            "https://www.example.org/{lang}",
            "https://www.example.org",
        ),
        (
            "<html lang=en>".to_owned(),
            sitemap,
            "https://www.example.org/{lang}",
            "https://www.example.org",
        ),
        (
            "<meta property=og:url content=https://a.example/>".to_owned(),
            "",
            "https://a.example/{lang}",
            "https://a.example",
        ),
        (
            canonical("https://www.example.com/") + router,
            "",
            "https://{lang}.example.com",
            "https://www.example.com",
        ),
        (
            canonical("https://ana.github.io/") + router,
            "",
            "https://ana.github.io/{lang}",
            "https://ana.github.io",
        ),
        (canonical("http://localhost:1313/"), "", "", ""),
        (canonical("http://127.0.0.1/"), "", "", ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let files = [("index.html", page.as_str()), ("sitemap.xml", sitemap)];
        let files = if sitemap.is_empty() {
            &files[..1]
        } else {
            &files[..]
        };
        let found = findings(folder.path(), files);
        let written = file::write("site", &found, &[], &Wishes::default());
        let config = Config::parse(&written, &folder.path().join("latimer.toml"), &|_| None)
            .expect(&written);
        let site = &config.sites[0];
        let named = site
            .url
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert_eq!(
            (
                named.as_str(),
                site.source_url.as_deref().unwrap_or_default()
            ),
            (url, source_url),
            "{page}"
        );
    }
}
