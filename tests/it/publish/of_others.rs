//! What is not ours at a host is never lost, and a host is never believed to hold what it does not.

use std::fs;

use super::{URL, edition, folder, publish, published, site, small_site};
use crate::support::s3::Bucket;
use crate::support::{Ran, Site, files};

#[test]
fn a_place_that_holds_something_else_is_refused() {
    for (to, whose) in [
        ("source", "the source of site"),
        ("dist/site", "the store"),
        (".", ""),
    ] {
        let site = site(
            URL,
            &folder("plain").replace("\"www\"", &format!("\"{to}\"")),
        );
        publish(&site, &[]).failed(2, &["lie in one another", whose]);
    }
    let twice = format!(
        "{}[publish.other]\nkind = \"folder\"\nto = \"www/es\"\n",
        folder("plain")
    );
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
    publish(&site, &[]).failed(5, &["has the releases of the target live of site"]);
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
    let target = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\nto = \"out\"\ncommand = [\"true\"]\n";
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
    assert_eq!(
        site.read("out/.netlify/state.json"),
        "theirs",
        "what the program keeps there stays"
    );
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
    assert_eq!(
        site.read("runs").lines().count(),
        3,
        "nobody knows what the one that failed did"
    );
}

#[test]
fn another_place_gets_everything() {
    let site = site(URL, &folder("plain"));
    site.build(&[], 0);
    let first = published(&site, &[]);
    site.edit("latimer.toml", "to = \"www\"", "to = \"elsewhere\"");
    let second = published(&site, &[]);
    assert_eq!(
        (&second["sent"], site.path("elsewhere/index.html").exists()),
        (&first["sent"], true)
    );
    site.edit("latimer.toml", "\"plain\"", "\"releases\"");
    // Whose they are lies beside releases, and in a folder of files among them.
    assert_eq!(
        published(&site, &[])["sent"].as_u64().unwrap() + 1,
        first["sent"]
    );
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
    assert_eq!(
        (
            &report["sent"],
            site.read("www/.latimer-new/draft").as_str()
        ),
        (&0.into(), "half")
    );
}

#[test]
fn a_link_in_a_target_leads_no_file_out_of_it() {
    let by_program = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\nto = \"www\"\ncommand = [\"true\"]\n";
    for target in [folder("plain").as_str(), by_program] {
        let site = site(URL, target);
        site.build(&[], 0);
        published(&site, &[]);
        fs::rename(site.path("www/es"), site.path("theirs")).unwrap();
        std::os::unix::fs::symlink(site.path("theirs"), site.path("www/es")).unwrap();
        edition(&site, 2);
        site.build(&[], 0);
        let before = (
            files(&site.path("theirs/")),
            fs::read(site.path("www/index.html")).unwrap(),
        );
        for arguments in [
            &["--dry-run"][..],
            &[],
            &["--verify"],
            &["--verify", "--delete"],
        ] {
            publish(&site, arguments).failed(
                1,
                &["www/es is a symbolic link", "replace the link by a folder"],
            );
            let now = (
                files(&site.path("theirs/")),
                fs::read(site.path("www/index.html")).unwrap(),
            );
            assert!(now == before, "{target} {arguments:?}");
        }
        fs::remove_file(site.path("www/es")).unwrap();
        published(&site, &["--verify"]);
        assert_eq!(files(&site.path("theirs/")), before.0, "{target}");
        // A file may be a link: it is replaced, and what it led to stays.
        site.write("theirs.html", "theirs");
        fs::remove_file(site.path("www/index.html")).unwrap();
        std::os::unix::fs::symlink(site.path("theirs.html"), site.path("www/index.html")).unwrap();
        published(&site, &["--verify"]);
        assert_eq!(site.read("theirs.html"), "theirs");
        assert!(
            fs::symlink_metadata(site.path("www/index.html"))
                .unwrap()
                .is_file(),
            "{target}"
        );
    }
}

/// Another site of a store of its own, brought to a place.
fn another(target: &str) -> Site {
    let site = small_site(target);
    site.edit("latimer.toml", "id = \"site\"", "id = \"other\"");
    let ran = site.run(&["build", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    site
}

#[track_caller]
fn is_refused(ran: &Ran, whose: &str) {
    ran.failed(
        5,
        &[
            whose,
            "give each target a place of its own",
            ".latimer-target",
        ],
    );
}

#[test]
fn a_folder_that_another_site_has_is_refused_and_stays_as_it_is() {
    let ours = site(URL, &folder("plain"));
    ours.build(&[], 0);
    published(&ours, &[]);
    assert_eq!(
        ours.read("www/.latimer-target"),
        "live of site at https://www.example.com/{lang}\n"
    );
    let before = files(&ours.path("www/"));
    let to = |inside: &str| format!("to = \"{}\"", ours.path(&format!("www{inside}")).display());
    for (inside, layout) in [
        ("", "plain"),
        ("/below/it", "plain"),
        ("/below", "releases"),
    ] {
        let theirs = another(&folder(layout).replace("to = \"www\"", &to(inside)));
        for arguments in [
            &["--dry-run"][..],
            &[],
            &["--verify"],
            &["--verify", "--delete"],
        ] {
            is_refused(
                &publish(&theirs, arguments),
                "has the files of the target live of site",
            );
        }
    }
    assert_eq!(files(&ours.path("www/")), before);
    // The same site from a store that remembers nothing, as in CI after its cache was lost.
    let again = site(URL, &folder("plain").replace("to = \"www\"", &to("")));
    again.build(&[], 0);
    published(&again, &[]);
    // The same name at other addresses is another site.
    let same_name = site(
        "url = \"https://www.example.org/{lang}\"",
        &folder("plain").replace("to = \"www\"", &to("")),
    );
    same_name.build(&[], 0);
    is_refused(
        &publish(&same_name, &[]),
        "live of site at https://www.example.com/",
    );
    // A site may move.
    again.edit("latimer.toml", "www.example.com", "www.example.net");
    again.build(&[], 0);
    published(&again, &[]);
    assert_eq!(
        ours.read("www/.latimer-target"),
        "live of site at https://www.example.net/{lang}\n"
    );
}

#[test]
fn what_another_site_has_below_a_place_is_not_deleted() {
    let ours = site(URL, &folder("plain"));
    ours.build(&[], 0);
    published(&ours, &[]);
    // Put there by somebody who did not look around.
    ours.write("www/theirs/.latimer-target", "live of other\n");
    ours.write("www/theirs/page.html", "theirs");
    is_refused(
        &publish(&ours, &["--verify", "--delete"]),
        "theirs/.latimer-target has the files of the target",
    );
    assert_eq!(ours.read("www/theirs/page.html"), "theirs");
    fs::remove_dir_all(ours.path("dist/site/_deployments/targets")).unwrap();
    is_refused(
        &publish(&ours, &[]),
        "theirs has the files of the target live of other",
    );
}

#[test]
fn a_bucket_that_another_site_has_is_refused_and_stays_as_it_is() {
    let there = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(there.path());
    let ours = site(
        URL,
        &bucket
            .target("plain")
            .replace("plain\"", "plain\"\nredirects = \"pages\""),
    );
    ours.build(&[], 0);
    published(&ours, &[]);
    let before = files(&there.path().join("pages"));
    assert!(before.contains_key("www/.latimer-target"));
    for prefix in ["www", "www/below", ""] {
        let target = bucket
            .target("plain")
            .replace("pages/www", &format!("pages/{prefix}"));
        let theirs = another(&target);
        for arguments in [&[][..], &["--verify", "--delete"]] {
            is_refused(
                &publish(&theirs, arguments),
                "live of site at https://www.example.com/",
            );
        }
    }
    assert_eq!(files(&there.path().join("pages")), before);
}

#[test]
fn a_folder_for_a_program_is_one_sites() {
    let ours = another("[publish.live]\nkind = \"command\"\nto = \"out\"\ncommand = [\"true\"]\n");
    published(&ours, &[]);
    let to = format!("to = \"{}\"", ours.path("out").display());
    let theirs = small_site(&format!(
        "[publish.live]\nkind = \"command\"\n{to}\ncommand = [\"true\"]\n"
    ));
    theirs.build(&[], 0);
    is_refused(
        &publish(&theirs, &[]),
        "has the files of the target live of other",
    );
    published(&ours, &[]);
}
