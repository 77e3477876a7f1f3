//! Sites on the web: their pages, headers and limits, and the addresses that are never asked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use crate::support;
use crate::support::origin::{Origin, Said};
use crate::support::web::{Loopback, Reply};

/// Serves the files of a folder, as a static host does, with headers for some of them.
fn host(folder: PathBuf, headers: BTreeMap<String, String>) -> String {
    let server = Loopback::start(move |request| answer(&request.path, &folder, &headers));
    server.address
}

fn answer(path: &str, folder: &Path, headers: &BTreeMap<String, String>) -> Reply {
    let names = [
        format!("{path}index.html"),
        path.to_owned(),
        format!("{path}.html"),
    ];
    let name = names
        .iter()
        .find(|name| folder.join(name.trim_start_matches('/')).is_file());
    let moved = folder
        .join(format!("{}/index.html", path.trim_start_matches('/')))
        .is_file();
    match name {
        Some(name) => {
            let kind = match name.rsplit('.').next() {
                Some("html") => "text/html; charset=utf-8",
                Some("xml") => "application/xml",
                _ => "text/plain",
            };
            let body = std::fs::read(folder.join(name.trim_start_matches('/'))).unwrap();
            let reply = Reply::new(200, body).with(&format!("content-type: {kind}"));
            match headers.get(path) {
                Some(header) => reply.with(header),
                None => reply,
            }
        }
        None if moved && !path.ends_with('/') => {
            Reply::status(301).with(&format!("location: {path}/"))
        }
        None => Reply::status(404).with("content-type: text/plain"),
    }
}

/// The clean site with a defect in it, served, with the server's own address in its pages.
fn serve(case: &Case, headers: &[(&str, &str)]) -> (TempDir, String) {
    let folder = plant(case);
    let headers = headers
        .iter()
        .map(|(path, header)| ((*path).to_owned(), (*header).to_owned()))
        .collect();
    let address = host(folder.path().to_owned(), headers);
    let files = support::files(folder.path());
    for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with(".css")) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            std::fs::write(
                folder.path().join(name),
                text.replace("https://loaf.example", &address),
            )
            .unwrap();
        }
    }
    (folder, address)
}

#[test]
fn a_site_on_the_web_is_audited_like_a_folder() {
    let (_folder, address) = serve(&Case::default(), &[]);
    let (given, report) = found(&format!("{address}/"), &[]);
    assert_eq!(given, Vec::<String>::new(), "{report:#}");
    assert_eq!(
        (&report["pages"], &report["sitemaps"]),
        (&6.into(), &1.into()),
        "nothing leads to the search page"
    );
    // What cannot be told on the web: nothing leads to this page; a style sheet is not asked for.
    let only_folders = [
        "lang-missing",
        "lang-invalid",
        "encoding-broken",
        "hreflang-outside-head",
        "hreflang-relative",
        "canonical-lost",
        "fragment-changed",
        "robots-lost",
        "rtl-offscreen",
        "rtl-physical",
        "rtl-letter-spacing",
    ];
    for case in planted()
        .into_iter()
        .filter(|case| !only_folders.contains(&case.rule.as_str()))
    {
        let (_folder, address) = serve(&case, &[]);
        let (given, report) = found(&format!("{address}/"), &[]);
        let rules: BTreeSet<&str> = given
            .iter()
            .map(|found| found.rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(rules, [case.rule.as_str()].into(), "{report:#}");
        assert_eq!(given.len(), case.found.len(), "{given:?}");
    }
}

#[test]
fn headers_count_like_the_head_r_c1() {
    let link = |host: &str| {
        format!("Link: <{host}/de>; rel=\"alternate\"; hreflang=\"de\"\r\nX-Robots-Tag: noindex")
    };
    let (_folder, address) = serve(
        &Case::default(),
        &[("/about", &link("https://loaf.example"))],
    );
    let (given, _) = found(&format!("{address}/"), &["--allow", "sitemap-noindex"]);
    let lost = ["ar", "es"].map(|locale| {
        ["hreflang-lost", "robots-lost"].map(|rule| format!("{address}/{locale}/about {rule}"))
    });
    let contradiction = format!("{address}/about noindex-contradiction");
    assert_eq!(given, [&[contradiction], lost.concat().as_slice()].concat());
    let (_folder, address) = serve(
        &Case::default(),
        &[("/about", "Link: </de>; rel=alternate; hreflang=de")],
    );
    let (given, _) = found(&format!("{address}/"), &[]);
    assert_eq!(
        given,
        ["hreflang-relative", "hreflang-target-missing"]
            .map(|rule| format!("{address}/about {rule}"))
    );
}

#[test]
fn a_site_is_read_as_far_as_robots_and_the_limit_let_us() {
    let (folder, address) = serve(&Case::default(), &[]);
    let (_, report) = found(&format!("{address}/"), &["--max-pages", "2"]);
    assert_eq!(
        (&report["pages"], &report["truncated"]),
        (&2.into(), &true.into())
    );
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /es/\n",
    )
    .unwrap();
    let (given, report) = found(&format!("{address}/"), &[]);
    assert_eq!(
        (given.len(), &report["pages"]),
        (0, &4.into()),
        "{report:#}"
    );
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /\n",
    )
    .unwrap();
    let output = audit(folder.path(), &[&format!("{address}/")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("robots.txt of the site forbids it"));
}

#[test]
fn private_addresses_are_read_at_the_named_host_and_port_alone() {
    let canary = Origin::start(|_| Said::page("<!doctype html><title>Bread</title><p>Bread"));
    let page = canary.address.clone();
    let port = page.rsplit(':').next().unwrap().to_owned();
    let named = Origin::start(|_| Said::status(404));
    let own = named.address.clone();
    named.answer(move |path| match path {
        "/robots.txt" => Said::css(format!("Sitemap: {page}sitemap.xml\nSitemap: {own}away.xml\n")),
        "/" => Said::page(format!(
            "<!doctype html><html lang=en><link rel=alternate hreflang=es href={page}es/><link rel=canonical href={page}>\
             <link rel=alternate hreflang=fr href=http://localhost:{port}fr/><title>Bread</title><a href=/moved>Bread</a>"
        )),
        _ => Said::redirect(&page),
    });
    found(&named.address, &[]);
    let asked: Vec<String> = named.asked().into_iter().map(|(path, _)| path).collect();
    for path in ["/", "/away.xml", "/moved", "/robots.txt"] {
        assert!(asked.contains(&path.to_owned()), "{path}: {asked:?}");
    }
    assert_eq!(canary.asked(), []);
}
