//! Folders: what they hold, the switch from release to release, and the files of others in them.

use super::*;
use crate::support::files;

#[test]
fn a_folder_holds_the_site_and_nothing_of_ours() {
    let site = site(URL, &folder("releases"));
    site.build(&[], 0);
    let dry = published(&site, &["--dry-run"]);
    assert!(!site.path("www").exists(), "a dry run changes nothing");
    let first = published(&site, &[]);
    assert_eq!(
        (&first["sent"], &first["changes"]),
        (&dry["sent"], &dry["changes"])
    );
    let tree = files(&site.path("www/current/"));
    for name in [
        "index.html",
        "es/quiénes/somos/index.html",
        "x.png",
        "docs/tarta de maíz.html",
        "es/404.html",
    ] {
        assert!(tree.contains_key(name), "{name}");
    }
    let ours = tree
        .keys()
        .filter(|name| name.starts_with("_deployments") || name.starts_with("_sources"));
    assert_eq!(ours.count(), 0);
    let not_public = tree
        .keys()
        .filter(|name| name.starts_with("en-XA/") || name.starts_with("en/"));
    assert_eq!(
        not_public.count(),
        0,
        "neither pseudo-locales nor a folder of the source language"
    );
    let second = published(&site, &[]);
    assert_eq!(
        (&second["sent"], &second["removed"]),
        (&0.into(), &0.into())
    );
    assert!(
        !site.path("www/releases/2").exists(),
        "what is there already is no new release"
    );
}

#[test]
fn a_release_is_switched_as_a_whole_and_an_earlier_one_comes_back() {
    let site = site(URL, &folder("releases"));
    site.build(&[], 0);
    published(&site, &[]);
    let first = files(&site.path("www/current/"));
    site.write(
        "source/plain.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>We bake bread</p>",
    );
    fs::remove_file(site.path("source/news/one.html")).unwrap();
    fs::remove_file(site.path("source/app.3f2a9b1c.js")).unwrap();
    site.build(&[], 0);
    let report = published(&site, &[]);
    let second = files(&site.path("www/current/"));
    assert!(
        !second.contains_key("news/one.html"),
        "a page that is gone is gone"
    );
    assert!(
        second.contains_key("app.3f2a9b1c.js"),
        "a file stays for open pages"
    );
    assert_eq!(report["leaving"], 1);
    assert_eq!(
        fs::read_link(site.path("www/current")).unwrap().to_str(),
        Some("releases/2")
    );
    published(&site, &["--deployment", "1"]);
    assert_eq!(files(&site.path("www/current/")), first);
    publish(&site, &["--deployment", "77"]).failed(2, &["site has no deployment 77; kept are 2 ("]);
}

#[test]
fn what_others_put_there_stays_unless_it_is_to_go() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    site.write("www/theirs.txt", "theirs");
    published(&site, &[]);
    site.write("www/plain.html", "changed by others");
    let report = published(&site, &[]);
    assert_eq!(report["sent"], 0, "what is remembered is believed");
    let report = published(&site, &["--verify"]);
    assert_eq!(
        (&report["sent"], &report["foreign"][0]),
        (&1.into(), &"theirs.txt".into())
    );
    assert!(site.read("www/plain.html").contains("A plain page"));
    assert_eq!(site.read("www/theirs.txt"), "theirs");
    published(&site, &["--verify", "--delete"]);
    assert!(!site.path("www/theirs.txt").exists());
}
