//! Pages with paths of their own: where they lie, what leads there, and what becomes of paths they had before.

use crate::support::Site;
use crate::support::pages::{attribute, attributes};
use crate::support::web::Server;

const KEYS: &str = "locales = [\"es\", \"fr\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n\
                    slugs = \"slugs/{lang}.csv\"\n";

fn site(slugs: &str) -> Site {
    let about = "<!doctype html><html lang=en><title>About us</title><body><p>We bake <a href=../>home</a> \
                 <a href=team/>our team</a> <a href=\"#more\">more</a> <img src=../x.png alt=Bread></p>";
    let pages = [
        (
            "index.html",
            "<!doctype html><html lang=en><title>Home</title><body><p>See <a href=/about/>about us</a>",
        ),
        ("about/index.html", about),
        (
            "about/team/index.html",
            "<!doctype html><html lang=en><title>Team</title><body><p>Up <a href=../>to us</a>",
        ),
        ("x.png", "x"),
    ];
    let site = Site::new(KEYS, &pages);
    site.write("slugs/es.csv", slugs);
    site
}

fn location(server: &Server, path: &str) -> (u16, Option<String>) {
    let answer = server.get(path);
    (answer.status, answer.headers.get("location").cloned())
}

#[test]
fn a_page_lies_at_its_own_path_and_everything_leads_there() {
    let site = site("path,slug\n/about/,/quiénes/somos/\n");
    site.build(&[], 0);
    let own = "https://www.example.com/es/qui%C3%A9nes/somos/";
    let html = site.read("dist/site/es/quiénes/somos/index.html");
    assert_eq!(
        attribute(&html, "link[rel=canonical]", "href").as_deref(),
        Some(own)
    );
    assert_eq!(
        attributes(&html, "p > a, p > img", "href"),
        ["/es/", "/es/about/team/", "#more"],
        "what is written relative to the source's path leads on to the same pages"
    );
    assert_eq!(attributes(&html, "p > img", "src"), ["/x.png"]);
    for tree in ["en/about", "fr/about", "es/quiénes/somos"] {
        let html = site.read(&format!("dist/site/{tree}/index.html"));
        let alternates = attributes(&html, "link[hreflang]", "href");
        assert_eq!(
            alternates,
            [
                "https://www.example.com/about/",
                own,
                "https://www.example.com/fr/about/"
            ],
            "{tree}"
        );
        assert_eq!(
            attribute(&html, "nav a[hreflang=es]", "href").as_deref(),
            Some("/es/qui%C3%A9nes/somos/"),
            "{tree}"
        );
    }
    assert_eq!(
        attribute(&site.read("dist/site/es/index.html"), "p > a", "href").as_deref(),
        Some("/es/qui%C3%A9nes/somos/")
    );
    let team = site.read("dist/site/es/about/team/index.html");
    assert_eq!(
        attribute(&team, "p > a", "href").as_deref(),
        Some("/es/qui%C3%A9nes/somos/")
    );
    assert_eq!(
        site.read("dist/site/es/sitemap.xml")
            .matches(&format!("<loc>{own}</loc>"))
            .count(),
        1
    );
    assert!(!site.path("dist/site/es/about/index.html").exists());
}

#[test]
fn other_paths_of_a_page_lead_to_its_own() {
    let site = site("/about/,/sobre/\n/about/,/antes/\n");
    site.build(&[], 0);
    site.write("slugs/es.csv", "/about/,/nosotros/\n/about/,/antes/\n");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    for path in [
        "/es/about/",
        "/es/about",
        "/es/about/index.html",
        "/es/sobre/",
        "/es/sobre",
        "/es/antes/",
        "/es/nosotros",
    ] {
        assert_eq!(
            location(&server, path),
            (308, Some("/es/nosotros/".to_owned())),
            "{path}"
        );
    }
    assert_eq!(
        location(&server, "/es/about/?x=1"),
        (308, Some("/es/nosotros/?x=1".to_owned()))
    );
    assert_eq!(location(&server, "/es/nosotros/"), (200, None));
    assert_eq!(location(&server, "/about/"), (200, None));
    assert_eq!(location(&server, "/fr/nosotros/").0, 404);
    drop(server);
    assert_eq!(site.run(&["locale", "site", "es", "off"]).code, 0);
    let server = Server::start(site.folder());
    for path in ["/es/nosotros/", "/es/sobre/", "/es/about/"] {
        assert_eq!(
            location(&server, path),
            (307, Some("/about/".to_owned())),
            "{path}"
        );
    }
}

#[test]
fn paths_can_be_swapped_and_given_up() {
    let site = site("/about/,/about/team/\n/about/team/,/about/\n");
    site.build(&[], 0);
    assert!(
        site.read("dist/site/es/about/index.html")
            .contains("canonical\" href=\"https://www.example.com/es/about/\"")
    );
    let team = site.read("dist/site/es/about/team/index.html");
    assert_eq!(
        attribute(&team, "link[hreflang=en]", "href").as_deref(),
        Some("https://www.example.com/about/")
    );
    site.write("slugs/es.csv", "/about/,/x/\n");
    site.build(&[], 0);
    site.write("slugs/es.csv", "");
    site.build(&[], 0);
    let server = Server::start(site.folder());
    assert_eq!(
        location(&server, "/es/x/"),
        (308, Some("/es/about/".to_owned()))
    );
    assert_eq!(location(&server, "/es/about/team/"), (200, None));
}

#[test]
fn wrong_paths_are_said_before_any_engine_is_asked() {
    for (slugs, said) in [
        (
            "/about/,sobre\n",
            "es.csv:1: \"sobre\" is not a path on a site",
        ),
        (
            "/about/,/sobre/\n/about/team/,/sobre/\n",
            "es.csv:2: /sobre/ is the path of /about/ already (line 1)",
        ),
        (
            "# paths\n/about/,/about/team/\n",
            "es.csv:2: /about/team/ is a page of the site already",
        ),
    ] {
        let site = site(slugs);
        let ran = site.run(&["build"]);
        ran.failed(2, &[said]);
        assert!(
            !ran.stderr.contains("translate"),
            "no engine is asked before: {}",
            ran.stderr
        );
        assert!(!site.path("dist/site/es").exists());
    }
    let site = site("/gone/,/ido/\n");
    let notices = site.build(&[], 0)["notices"].to_string();
    assert!(
        notices.contains("1 path is for a page that the site does not have, such as /gone/"),
        "{notices}"
    );
}
