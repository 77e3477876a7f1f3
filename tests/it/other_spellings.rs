//! Addresses that mean one page: other spellings of the host (R-S8), queries in another order or spelling (R-S10), and sessions in paths
//! (R-S11).

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::origin::{Origin, Said};
use crate::support::web::Server;
use crate::support::{MARKING, Site};

fn site(origin: &Origin, keys: &str) -> Site {
    let site = Site::new("", &[]);
    let fixed = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_locale = \"en\"\n",
        origin.address
    );
    let keys = format!(
        "{keys}locales = [\"es\"]\nengine = \"marking\"\n[site.crawl]\nallow_private = true\n"
    );
    site.write(
        "latimer.toml",
        &format!("{fixed}{keys}query = [\"page\"]\nmax_pages = 50\n{MARKING}"),
    );
    site.build(&[], 0);
    site
}

#[test]
fn other_parameters_in_any_order_lead_to_the_page_that_a_query_names_r_s10() {
    let origin = Origin::start(|path| match path {
        "/" => Said::page(
            "<title>Home</title><a href='/list?page=2'>two</a><a href='/list?utm_source=mail&page=a%2bb'>plus</a>",
        ),
        "/list" => Said::page("<title>One</title><p>List one"),
        "/list?page=2" => Said::page("<title>Two</title><p>List two"),
        "/list?page=a%2Bb" => Said::page("<title>Plus</title><p>List plus"),
        _ => Said::status(404),
    });
    let site = site(&origin, "");
    let server = Server::start(site.folder());
    for (query, words) in [
        ("?page=2", "List two"),
        ("?page=2&utm_source=x", "List two"),
        ("?utm_source=x&gclid=1&page=2", "List two"),
        ("?page=2&", "List two"),
        ("?page=%32", "List two"),
        ("?p%61ge=a%2bb", "List plus"),
    ] {
        let answer = server.get(&format!("/es/list{query}"));
        assert!(
            answer.status == 200 && answer.text().contains(words),
            "{query}: {} {}",
            answer.status,
            answer.text()
        );
    }
    assert_eq!(server.get("/es/list?page=3").status, 404);
}

#[test]
fn sessions_in_paths_multiply_no_pages_r_s11() {
    static ANSWERS: AtomicUsize = AtomicUsize::new(0);
    let origin = Origin::start(|path| {
        let session = ANSWERS.fetch_add(1, Ordering::Relaxed);
        let link = |path: &str| format!("<a href='{path};jsessionid={session:032X}'>{path}</a>");
        match path.split(';').next().unwrap() {
            "/" => Said::page(format!(
                "<title>Home</title><p>Bread {}{}",
                link("/a"),
                link("/b/c.jsp")
            )),
            "/a" => Said::page(format!("<title>A</title><p>Butter {}", link("/b/c.jsp"))),
            "/b/c.jsp" => Said::page(format!("<title>C</title><p>Tea {}", link("/a"))),
            _ => Said::status(404),
        }
    });
    let site = site(&origin, "");
    let asked = origin.asked();
    assert!(
        asked.len() < 12 && !asked.iter().any(|(path, _)| path.contains(';')),
        "{asked:?}"
    );
    let home = site.read("dist/site/es/index.html");
    assert!(
        home.contains("href='/es/a'") && home.contains("href='/es/b/c.jsp'"),
        "{home}"
    );
}

#[test]
fn a_router_that_answers_every_path_with_one_page_ends_r_s11() {
    let shells = ["/app/a/", "/app/b/", "/app/c/", "/app/d/", "/app/e/"];
    let origin = Origin::start(move |path| match path {
        "/" => Said::page(
            "<title>Home</title><p>Bread <a href=/deep/>Deep</a><a href=/s/0a/>Session</a><a href=/app/a/>App</a>",
        ),
        "/sitemap.xml" => Said::xml("<urlset><url><loc>/deep/x/x/x/x/x/x/x/</loc></url></urlset>"),
        path if path.starts_with("/deep/") => Said::page(format!(
            "<title>Deep {}</title><a href=x/>x</a><a href=y/>y</a><a href=z/>z</a>",
            path.len()
        )),
        path if path.starts_with("/s/") => {
            let next = &path[3..].bytes().fold(7u64, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(byte.into())
            });
            Said::page(format!(
                "<title>Session</title><a href=/s/{next:x}0/>On</a>"
            ))
        }
        path if path.starts_with("/app/") => {
            let links: String = shells
                .iter()
                .map(|route| format!("<a href={route}>Route</a>"))
                .collect();
            Said::page(format!("<title>App</title><div id=app></div>{links}"))
        }
        _ => Said::status(404),
    });
    let site = Site::new("", &[]);
    let keys = "locales = [\"es\"]\nengine = \"marking\"\n[site.crawl]\nallow_private = true\nmax_pages = 500\n";
    let fixed = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_locale = \"en\"\n",
        origin.address
    );
    site.write("latimer.toml", &format!("{fixed}{keys}{MARKING}"));
    let report = site.build(&[], 0);
    let asked: Vec<String> = origin.asked().into_iter().map(|(path, _)| path).collect();
    let count = |folder: &str| asked.iter().filter(|path| path.starts_with(folder)).count();
    assert!(
        count("/deep/") < 100 && count("/s/") < 12,
        "{} and {}",
        count("/deep/"),
        count("/s/")
    );
    assert_eq!(
        count("/app/"),
        shells.len(),
        "shells of a one-page application stay"
    );
    assert!(
        asked.contains(&"/deep/x/x/x/x/x/x/x/".to_owned()),
        "a sitemap names it"
    );
    let traps = report["traps"].to_string();
    assert!(
        traps.contains("/deep/**") && traps.contains("/s/**"),
        "{traps}"
    );
}

#[test]
fn a_crawl_follows_links_to_the_public_address_of_what_it_crawls_r_s8() {
    let public = "https://www.example.com";
    let origin = Origin::start(|path| match path {
        "/" => Said::page(
            "<title>Home</title><p>Bread <a href='https://www.example.com/about/'>about</a><img src='https://www.example.com/a.png'>",
        ),
        "/about/" => {
            Said::page("<title>About</title><p>Butter <a href='http://example.com/team/'>team</a>")
        }
        "/team/" => Said::page(
            "<title>Team</title><p>Tea <a href='https://other.example.com/team/'>other</a>",
        ),
        "/a.png" => Said::of_type("image/png", "x"),
        _ => Said::status(404),
    });
    let site = site(
        &origin,
        &format!("source_url = \"{public}\"\nurl = \"{public}/{{lang}}\"\n"),
    );
    let asked: Vec<String> = origin.asked().into_iter().map(|(path, _)| path).collect();
    for path in ["/about/", "/team/", "/a.png"] {
        assert!(asked.iter().any(|asked| asked == path), "{asked:?}");
    }
    let about = site.read("dist/site/es/about/index.html");
    assert!(about.contains("<a href='/es/team/'>"), "{about}");
}

#[test]
fn links_to_another_spelling_of_the_host_lead_to_the_version_r_s8() {
    let links = [
        "http://www.example.com/about.html",
        "https://example.com/about.html",
        "HTTPS://WWW.EXAMPLE.COM:443/about.html#b",
    ];
    let links: String = links
        .map(|link| format!("<a href=\"{link}\">x</a>"))
        .concat();
    let others = "<a href=\"https://blog.example.com/about.html\">y</a><a href=\"https://www.example.com:8443/about.html\">z</a>";
    let home = format!("<!doctype html><title>Home</title><p>Bread {links}{others}");
    let pages = [
        ("index.html", home.as_str()),
        ("about.html", "<!doctype html><title>About</title><p>Butter"),
    ];
    let keys =
        "url = \"https://www.example.com/{lang}\"\nlocales = [\"es\"]\nengine = \"marking\"\n";
    let site = Site::new(&format!("{keys}{MARKING}"), &pages);
    site.build(&[], 0);
    let home = site.read("dist/site/es/index.html");
    assert_eq!(home.matches("/es/about.html").count(), 3, "{home}");
    assert!(
        home.contains("blog.example.com/about") && home.contains(":8443/about"),
        "{home}"
    );
}
