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
    assert!(
        site.path("out put/es/index.html").exists() && site.path("out put/_redirects").exists()
    );
    assert_eq!(
        published(&site, &to)["sent"],
        0,
        "what lies there is remembered"
    );
    fs::remove_file(site.path("source/plain.html")).unwrap();
    site.build(&[], 0);
    published(&site, &to);
    assert!(!site.path("out put/plain.html").exists());
}

#[test]
fn a_place_without_a_table_is_checked_like_one_with_a_table() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    publish(&site, &["--to", "source"]).failed(
        2,
        &[
            "--to source --target plain",
            "the source of site lie in one another",
        ],
    );
    publish(&site, &["--to", "www"]).failed(2, &["that of live lie in one another"]);
    publish(&site, &["--to", "ftp://example.com/"]).failed(2, &["`to` is no bucket"]);
    publish(&site, &["--to", "out", "--target", "netlfy"])
        .failed(2, &["there is no host \"netlfy\"", "netlify"]);
    publish(&site, &["--to", "out", "--site", "other"]).failed(2, &["there is no site \"other\""]);
    publish(&site, &["--to", "out", "--target", "github-pages"])
        .failed(5, &["github-pages cannot redirect"]);
    publish(&site, &["--target", "netlify"]).failed(2, &["--to"]);
    publish(&site, &["live", "--to", "out"]).failed(2, &["cannot be used with"]);
    assert!(!site.path("out").exists());
}

#[test]
fn no_spelling_of_a_place_leads_past_the_check() {
    let site = site(URL, "");
    site.build(&[], 0);
    std::os::unix::fs::symlink("source", site.path("link")).unwrap();
    let before = site.read("source/index.html");
    for to in [
        "link",
        "link/inner",
        "nowhere/../source",
        "nowhere/../nowhere/../dist",
    ] {
        publish(&site, &["--to", to]).failed(2, &["lie in one another"]);
    }
    assert_eq!(site.read("source/index.html"), before);
    let sent = |to: &[&str]| {
        published(&site, &[to, &["--target", "cloudflare-pages"]].concat())["sent"].clone()
    };
    assert_eq!(sent(&["--to", "out"]), sent(&["--to", "fresh/"]));
    assert_eq!(sent(&["--to", "out/"]), 0, "the same place");
}

#[test]
fn files_of_others_stay_until_somebody_says_otherwise() {
    let site = site(URL, "");
    site.build(&[], 0);
    site.write("out/index.html", "theirs");
    let said = ["other files of the same names (which --verify replaces)"];
    let to = ["--to", "out", "--target", "cloudflare-pages"];
    publish(&site, &[&to[..], &["--dry-run"]].concat()).failed(1, &said);
    publish(&site, &to).failed(1, &said);
    assert_eq!(site.read("out/index.html"), "theirs");
    published(&site, &[&to[..], &["--verify"]].concat());
    assert_ne!(site.read("out/index.html"), "theirs");
}
