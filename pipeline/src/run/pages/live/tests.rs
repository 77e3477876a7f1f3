//! Tests of `live.rs`.

use super::*;

#[test]
fn links_keep_the_spelling_that_routers_know() {
    for (written, address, expected) in [
        ("/menu", "/es/menu.html", "/es/menu"),
        ("/menu.html#a", "/es/menu.html#a", "/es/menu.html#a"),
        ("guide/", "/es/guide/", "/es/guide/"),
        ("/guide?b#c", "/es/guide/?b#c", "/es/guide?b#c"),
        ("/", "/es/", "/es/"),
        (
            "/bakery",
            "https://es.example.com/panaderia.html",
            "https://es.example.com/panaderia",
        ),
        ("/", "/", "/"),
        ("index.html", "/es/", "/es/"),
        ("..", "/es/", "/es/"),
        ("guide/index.html", "/es/guide/", "/es/guide/"),
        ("../a.css", "/a.css", "/a.css"),
    ] {
        assert_eq!(
            spelled_like(written, address.to_owned()),
            expected,
            "{written}"
        );
    }
}

#[test]
fn endings_of_paths_that_hosts_leave_out_are_no_difference() {
    for (path, expected) in [
        ("/", ""),
        ("/index.html", ""),
        ("/a/", "/a"),
        ("/a/index.html", "/a"),
        ("/a.html", "/a"),
        ("/a.pdf", "/a.pdf"),
    ] {
        assert_eq!(bare(path), expected);
    }
}
