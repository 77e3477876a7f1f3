//! Publishing to a place that no table of the configuration names.

use std::fs;

use super::{URL, folder, publish, published, site};

#[test]
fn a_folder_is_published_to_without_a_table() {
    let site = site(URL, "");
    site.build(&[], 0);
    let to = ["--to", "out put", "--target", "cloudflare-pages"];
    let first = published(&site, &to);
    assert!(first["sent"].as_u64().unwrap() > 10, "{first}");
    assert!(site.path("out put/es/index.html").exists() && site.path("out put/_redirects").exists());
    assert_eq!(published(&site, &to)["sent"], 0, "what lies there is remembered");
    fs::remove_file(site.path("source/plain.html")).unwrap();
    site.build(&[], 0);
    published(&site, &to);
    assert!(!site.path("out put/plain.html").exists());
}

#[test]
fn a_place_without_a_table_is_checked_like_one_with_a_table() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    publish(&site, &["--to", "source"])
        .failed(2, &["--to source --target plain", "the source of site lie in one another"]);
    publish(&site, &["--to", "www"]).failed(2, &["that of live lie in one another"]);
    publish(&site, &["--to", "ftp://example.com/"]).failed(2, &["`to` is no bucket"]);
    publish(&site, &["--to", "out", "--target", "netlfy"]).failed(2, &["there is no host \"netlfy\"", "netlify"]);
    publish(&site, &["--to", "out", "--site", "other"]).failed(2, &["there is no site \"other\""]);
    publish(&site, &["--to", "out", "--target", "github-pages"]).failed(5, &["github-pages cannot redirect"]);
    publish(&site, &["--target", "netlify"]).failed(2, &["--to"]);
    publish(&site, &["live", "--to", "out"]).failed(2, &["cannot be used with"]);
    assert!(!site.path("out").exists());
}
