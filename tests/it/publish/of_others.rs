//! What is not ours at a host is never lost, and a host is never believed to hold what it does not.

use std::fs;

use super::{URL, edition, folder, publish, published, site};
use crate::support::files;

#[test]
fn a_place_that_holds_something_else_is_refused() {
    for (to, whose) in [("source", "the source of site"), ("dist/site", "the store"), (".", "")] {
        let site = site(URL, &folder("plain").replace("\"www\"", &format!("\"{to}\"")));
        publish(&site, &[]).failed(2, &["lie in one another", whose]);
    }
    let twice = format!("{}[publish.other]\nkind = \"folder\"\nto = \"www/es\"\n", folder("plain"));
    publish(&site(URL, &twice), &[]).failed(2, &["that of live"]);

    let site = site(URL, &folder("releases"));
    site.build(&[], 0);
    site.write("www/releases/7/index.html", "theirs");
    let said = ["holds releases that this target did not put there"];
    publish(&site, &["--dry-run"]).failed(1, &said);
    publish(&site, &[]).failed(1, &said);
    assert_eq!(site.read("www/releases/7/index.html"), "theirs");
    fs::remove_dir_all(site.path("www")).unwrap();
    published(&site, &[]);
    site.edit("latimer.toml", "[publish.live]", "[publish.else]");
    publish(&site, &[]).failed(1, &["has the releases of the target live of site"]);
}

#[test]
fn rules_of_others_are_not_replaced() {
    let target = folder("plain").replace("nginx", "apache");
    let site = site(URL, &target);
    site.build(&[], 0);
    site.write("www/.htaccess", "Require valid-user\n");
    let said = [".htaccess holds rules that this target did not put there"];
    publish(&site, &["--dry-run"]).failed(1, &said);
    publish(&site, &[]).failed(1, &said);
    assert_eq!(files(&site.path("www/")).len(), 1);
}

#[test]
fn a_program_gets_no_folder_that_is_not_ours() {
    let target =
        "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\nto = \"out\"\ncommand = [\"true\"]\n";
    let site = site(URL, target);
    site.build(&[], 0);
    site.write("out/theirs.txt", "theirs");
    let said = ["out holds files that this target did not put there"];
    publish(&site, &["--dry-run"]).failed(1, &said);
    publish(&site, &[]).failed(1, &said);
    fs::remove_file(site.path("out/theirs.txt")).unwrap();
    published(&site, &[]);
    site.write("out/.netlify/state.json", "theirs");
    edition(&site, 2);
    site.build(&[], 0);
    published(&site, &[]);
    assert_eq!(site.read("out/.netlify/state.json"), "theirs", "what the program keeps there stays");
}

#[test]
fn a_program_that_failed_is_run_again_whatever_is_published_next() {
    let target = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\ncommand = [\"sh\", \"upload.sh\"]\n";
    let site = site(URL, target);
    site.write("upload.sh", "echo run >> runs\n");
    site.build(&[], 0);
    published(&site, &[]);
    edition(&site, 2);
    site.build(&[], 0);
    site.write("upload.sh", "echo run >> runs\nexit 1\n");
    publish(&site, &[]).failed(1, &["sh ended with 1"]);
    site.write("upload.sh", "echo run >> runs\n");
    published(&site, &["--deployment", "1"]);
    assert_eq!(site.read("runs").lines().count(), 3, "nobody knows what the one that failed did");
}

#[test]
fn another_place_gets_everything() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    let first = published(&site, &[]);
    site.edit("latimer.toml", "to = \"www\"", "to = \"elsewhere\"");
    let second = published(&site, &[]);
    assert_eq!((&second["sent"], site.path("elsewhere/index.html").exists()), (&first["sent"], true));
    site.edit("latimer.toml", "\"plain\"", "\"releases\"");
    assert_eq!(published(&site, &[])["sent"], first["sent"]);
}

#[test]
fn a_dry_run_that_verifies_changes_nothing() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    published(&site, &[]);
    // What a publishing at work has there, and what no file is.
    site.write("www/.latimer-new/draft", "half");
    std::os::unix::fs::symlink("/nowhere", site.path("www/link")).unwrap();
    let report = published(&site, &["--dry-run", "--verify"]);
    assert_eq!((&report["sent"], site.read("www/.latimer-new/draft").as_str()), (&0.into(), "half"));
}
