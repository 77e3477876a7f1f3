//! A `.htaccess` of the site's own: kept and joined with Latimer's for Apache, or refused by its line; seen by nobody else.

use std::fs;

use super::parity::ask;
use super::{URL, publish, published, site, small_site};
use crate::support::web::Server;
use crate::support::{Site, files};

fn target(host: &str) -> String {
    format!(
        "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"www\"\n"
    )
}

/// A small site with a page that its other language lacks, and files for Apache of its own.
fn with_own(host: &str, own: &[(&str, &str)]) -> Site {
    let site = small_site(&target(host));
    site.write(
        "source/only.html",
        "<!doctype html><html lang=en><title>Only</title><p>Only here",
    );
    site.write(
        "source/news/index.html",
        "<!doctype html><html lang=en><title>Home</title><p>Home",
    );
    own.iter()
        .for_each(|(name, text)| site.write(&format!("source/{name}"), text));
    site.build(&[], 0);
    site
}

const MARK: &str = "\n# Below this line: written by `latimer publish`.\n";

#[test]
fn rules_of_the_sites_own_stay_before_ours() {
    let theirs = "# Since 2019\n<IfModule mod_rewrite.c>\nRewriteEngine On\nRewriteCond %{HTTPS} off [OR]\n\
                  RewriteCond %{HTTP_HOST} !^www\\. [NC]\nRewriteRule ^(.*)$ https://www.example.com/$1 [R=301,L]\n\
                  RewriteRule .* - [E=AUTH:%{HTTP:Authorization}]\nRewriteRule ^was/(.*)$ /news/$1 [R=301,L]\n</IfModule>\n\
                  Redirect 301 /old.html /only.html\nRequire valid-user";
    let site = with_own("apache", &[(".htaccess", theirs)]);
    published(&site, &[]);
    let text = site.read("www/.htaccess");
    let ours = text
        .strip_prefix(theirs)
        .and_then(|rest| rest.strip_prefix(MARK))
        .expect("theirs is whole and comes first");
    assert!(
        ours.contains("RewriteRule \"^es/only\\.html$\" \"/only.html\" [R=307,L,NE]"),
        "{ours}"
    );
    // What was published may be the source of the next.
    site.write("source/.htaccess", &text);
    site.build(&[], 0);
    published(&site, &[]);
    assert_eq!(site.read("www/.htaccess"), text);
    // A line that goes on takes none of ours with it.
    site.write(
        "source/.htaccess",
        "Redirect 301 /old.html \\\n /only.html \\\n",
    );
    site.build(&[], 0);
    published(&site, &[]);
    assert!(
        site.read("www/.htaccess")
            .contains(&format!(" \\\n{MARK}# Written by")),
        "{}",
        site.read("www/.htaccess")
    );
}

#[test]
fn what_the_site_says_of_caching_and_errors_is_said_once() {
    let theirs = "ErrorDocument 404 /only.html\nHeader always set Cache-Control no-store\n";
    let site = with_own("apache", &[(".htaccess", theirs)]);
    site.write(
        "source/404.html",
        "<!doctype html><html lang=en><title>Home</title><p>Home",
    );
    site.build(&[], 0);
    published(&site, &[]);
    let text = site.read("www/.htaccess");
    let (_, ours) = text.split_once(MARK).unwrap();
    assert!(
        !ours.contains("Cache-Control") && !ours.contains("ErrorDocument 404"),
        "{ours}"
    );
    assert!(
        ours.contains("ErrorDocument 410 \"/404.html\"")
            && ours.contains("Header set Content-Language"),
        "{ours}"
    );
    let some = "<FilesMatch \"\\.png$\">\nExpiresDefault A60\n</FilesMatch>\n";
    let site = with_own("apache", &[(".htaccess", some)]);
    published(&site, &[]);
    let ours = site
        .read("www/.htaccess")
        .split_once(MARK)
        .unwrap()
        .1
        .to_owned();
    assert_eq!(
        ours.matches("Header set Cache-Control").count(),
        1,
        "for pages, and not for files of theirs: {ours}"
    );
}

#[test]
fn a_line_that_would_hide_or_switch_off_ours_is_refused_by_its_number() {
    for (line, why) in [
        (
            "RewriteRule . /index.html [L]",
            "would hide what Latimer's .htaccess says below it of /es",
        ),
        (
            "RewriteRule ^(.*)\\.html$ /$1 [R=301,L]",
            "would hide what Latimer's .htaccess says below it of /es",
        ),
        (
            "RewriteRule ^(?!news) /x",
            "has a pattern that Latimer cannot read",
        ),
        ("RewriteRule ^ - [L]", "would hide"),
        ("RewriteRule ^x$ - [S=3]", "skips lines that follow"),
        (
            "RewriteRule ^x$ /y [C]",
            "would count for Latimer's first rule below it",
        ),
        (
            "RewriteCond %{REQUEST_FILENAME} !-f",
            "would count for Latimer's first rule below it",
        ),
        (
            "RewriteEngine off",
            "would switch off Latimer's rules below it",
        ),
        ("Options None", "they need FollowSymLinks"),
        (
            "Redirect 302 /es https://elsewhere.example/",
            "would hide what Latimer's .htaccess says below it of /es",
        ),
        ("RedirectMatch ^/e(.*) /$1", "would hide"),
        ("ForceType text/plain", "would be said of every page"),
        (
            "<Files only.html>",
            "begins a section <files> that does not end",
        ),
    ] {
        let site = with_own("apache", &[(".htaccess", &format!("# theirs\n{line}\n"))]);
        let said = [
            ".htaccess",
            "line 2",
            why,
            "leave the file out with `exclude`",
        ];
        publish(&site, &["--dry-run"]).failed(5, &said);
        publish(&site, &[]).failed(5, &said);
        assert!(!site.path("www").exists(), "{line}");
    }
    let inside = "<FilesMatch \"html$\">\nRewriteRule ^x$ /y\n</FilesMatch>\n";
    publish(&with_own("apache", &[(".htaccess", inside)]), &[])
        .failed(5, &["line 2", "is in a section for some files"]);
}

#[test]
fn what_is_left_out_is_neither_joined_nor_refused() {
    let site = with_own(
        "apache",
        &[(".htaccess", "RewriteRule . /index.html [L]\n")],
    );
    site.edit(
        "latimer.toml",
        "locales = ",
        "exclude = [\"/.htaccess\"]\nlocales = ",
    );
    site.build(&[], 0);
    published(&site, &[]);
    assert!(site.read("www/.htaccess").starts_with("# Written by"));
}

#[test]
fn a_file_of_a_folder_goes_with_the_folder_into_each_language() {
    let theirs =
        "Require valid-user\nErrorDocument 401 \\\n /news/who.html\nHeader set X-Of news\n";
    let site = with_own(
        "apache",
        &[
            ("news/.htaccess", theirs),
            ("only-here/.htaccess", "Require all denied\n"),
        ],
    );
    published(&site, &[]);
    assert_eq!(site.read("www/news/.htaccess"), theirs);
    assert_eq!(
        site.read("www/es/news/.htaccess"),
        "Require valid-user\nHeader set X-Of news\n",
        "no page in English"
    );
    assert_eq!(site.read("www/only-here/.htaccess"), "Require all denied\n");
    assert!(!site.path("www/es/only-here").exists());
    let site = with_own("apache", &[("news/.htaccess", "RewriteEngine On\n")]);
    let said = [
        "line 1 of the site's news/.htaccess",
        "would switch off the rules of Latimer's .htaccess in that folder",
    ];
    publish(&site, &[]).failed(5, &said);
}

#[test]
fn a_lock_that_pages_with_paths_of_their_own_would_escape_is_refused() {
    let locked = |name: &str, text: &str| {
        let site = site(URL, &target("apache"));
        site.write(&format!("source/{name}"), text);
        site.build(&[], 0);
        publish(&site, &[])
    };
    let why = "is a lock, and /about/ would lie outside of it in es";
    locked("about/.htaccess", "Require valid-user\n")
        .failed(5, &["line 1 of the site's about/.htaccess", why]);
    let some = "<Files \"index.html\">\nRequire all denied\n</Files>\n";
    locked(".htaccess", some).failed(5, &["line 2 of the site's .htaccess", why]);
    assert_eq!(
        locked("news/.htaccess", "Require valid-user\n").code,
        0,
        "its pages have the paths of the source"
    );
    assert_eq!(
        locked(".htaccess", "Require valid-user\n").code,
        0,
        "a lock on everything"
    );
}

#[test]
fn nobody_but_apache_is_shown_it_and_no_build_forgets_it() {
    let site = with_own(
        "apache",
        &[(".htaccess", "# a secret\nRequire valid-user\n")],
    );
    let has_secret = |folder: &str| {
        let tree = files(&site.path(folder));
        tree.iter().any(|(name, text)| {
            !name.contains("_deployments/") && String::from_utf8_lossy(text).contains("a secret")
        })
    };
    assert!(
        !has_secret("dist/site/"),
        "neither the live tree nor the sources"
    );
    let server = Server::start(site.folder());
    for path in ["/.htaccess", "/es/.htaccess", "/_latimer/.htaccess"] {
        assert_eq!(
            ask(&server.address, "www.example.com", "GET", path, "").status,
            404,
            "{path}"
        );
    }
    drop(server);
    for host in ["nginx", "netlify", "plain"] {
        site.edit(
            "latimer.toml",
            "host = \"apache\"",
            &format!("host = \"{host}\"\nredirects = \"pages\""),
        );
        published(&site, &["--verify"]);
        assert!(!has_secret("www/"), "{host}");
        fs::remove_dir_all(site.path("www")).unwrap();
        site.edit(
            "latimer.toml",
            &format!("host = \"{host}\"\nredirects = \"pages\""),
            "host = \"apache\"",
        );
    }
    fs::remove_dir_all(site.path("source")).unwrap();
    site.build(&["--offline"], 0);
    published(&site, &["--verify"]);
    assert!(site.read("www/.htaccess").starts_with("# a secret"));
}
