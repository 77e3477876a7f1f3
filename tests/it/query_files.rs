//! Files of a crawled site that only their queries tell apart, and addresses whose path alone answers nothing (R-S10).

use crate::support::origin::{Origin, Said};
use crate::support::pages::attributes;
use crate::support::web::Server;
use crate::support::{MARKING, Site};

fn site(origin: &Origin, keys: &str) -> Site {
    let site = Site::new("", &[]);
    let fixed = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_locale = \"en\"\n",
        origin.address
    );
    let keys = format!(
        "{keys}locales = [\"es\"]\nengine = \"marking\"\n[site.crawl]\nallow_private = true\nmax_pages = 50\n"
    );
    site.write("latimer.toml", &format!("{fixed}{keys}{MARKING}"));
    site
}

fn count(origin: &Origin, path: &str) -> usize {
    origin
        .asked()
        .iter()
        .filter(|(asked, _)| asked.split('?').next() == Some(path))
        .count()
}

const PATH: &str =
    "url = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"\n";

fn gallery(path: &str) -> Said {
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    match plain {
        "/" if query.starts_with("media=") => Said::of_type("image/png", "media"),
        "/" => Said::page(
            "<title>Home</title><link rel=stylesheet href='/css/all.css?ver=6.1'><link rel=stylesheet href='/css/load.php?l=a'>\
             <link rel=stylesheet href='/css/load.php?l=b'><img src='/thumb.php?id=1' alt=one><img src='/thumb.php?id=2' alt=two>\
             <img src='/_next/image?url=%2Fa.png&w=640' srcset='/_next/image?url=%2Fa.png&w=640 1x, /_next/image?url=%2Fa.png&w=1080 2x'>\
             <img src='/logo.png?v=1'><img src='/logo.png?v=2'><img src='/?media=7' alt=m><p>Bread <a href=/more>More</a>",
        ),
        "/more" => {
            Said::page("<title>More</title><p>More bread <img src='thumb.php?id=2#x' alt=two>")
        }
        "/thumb.php" => Said::of_type("image/png", format!("T{query}")),
        "/_next/image" => Said::of_type("image/webp", format!("N{query}")),
        "/logo.png" => Said::of_type("image/png", "logo"),
        "/css/load.php" => Said::css(format!("p{{background:url(../bg-{query}.png)}}")),
        "/css/all.css" => Said::css("p{}"),
        _ if plain.starts_with("/bg-") => Said::of_type("image/png", "bg"),
        _ => Said::status(404),
    }
}

#[test]
fn files_that_only_queries_tell_apart_are_different_files_r_s10() {
    let origin = Origin::start(gallery);
    for url in [
        PATH,
        "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n",
    ] {
        let site = site(&origin, url);
        let report = site.build(&[], 0);
        assert_eq!(report["failures"], serde_json::json!([]), "{url}");
        let home = site.read("dist/site/es/index.html");
        let images = attributes(&home, "img", "src");
        let objects = site.objects();
        let body = |address: &str| {
            let name = address
                .split(['?', '#'])
                .next()
                .unwrap()
                .trim_start_matches('/');
            let found = objects
                .iter()
                .find(|(object, _)| object.ends_with(&format!("/{name}")));
            found
                .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
                .unwrap_or_else(|| panic!("{url} {address}"))
        };
        let wanted = [
            "Tid=1",
            "Tid=2",
            "Nurl=%2Fa.png&w=640",
            "logo",
            "logo",
            "media",
        ];
        for (address, wanted) in images.iter().zip(wanted) {
            assert_eq!(body(address), wanted, "{url} {address}");
        }
        assert!(
            images[0].starts_with("/thumb.q-") && images[0].ends_with(".php"),
            "{images:?}"
        );
        // A query that tells caches apart changes nothing.
        assert!(
            images[3].ends_with("/logo.png?v=1") && images[4].ends_with("/logo.png?v=2"),
            "{images:?}"
        );
        let sheets = attributes(&home, "link[rel=stylesheet]", "href");
        assert!(
            sheets
                .iter()
                .any(|sheet| sheet.ends_with("/css/all.css?ver=6.1")),
            "{sheets:?}"
        );
        let by_query: Vec<&String> = sheets
            .iter()
            .filter(|sheet| sheet.contains("/css/load.q-"))
            .collect();
        assert_eq!(by_query.len(), 2, "{sheets:?}");
        assert!(
            body(by_query[0]).contains("../bg-l=a.png")
                && body(by_query[1]).contains("../bg-l=b.png")
        );
        let set = attributes(&home, "img[srcset]", "srcset").remove(0);
        let second = set
            .split(", ")
            .nth(1)
            .and_then(|one| one.split(' ').next())
            .unwrap()
            .to_owned();
        assert_eq!(body(&second), "Nurl=%2Fa.png&w=1080", "{set}");
        let more = attributes(&site.read("dist/site/es/more.html"), "img", "src").remove(0);
        assert_eq!(more, format!("{}#x", images[1]), "{url}");
        // The next crawl finds the same, and nothing changes.
        let again = site.build(&[], 0);
        assert_eq!(
            (&again["written"], &again["deployment"]),
            (&0.into(), &report["deployment"]),
            "{again}"
        );
    }
}

#[test]
fn queries_that_only_tell_caches_apart_are_not_all_asked_for_r_s10() {
    let origin = Origin::start(|path| {
        let (plain, query) = path.split_once('?').unwrap_or((path, ""));
        let links: String = (0..30)
            .map(|page| format!("<a href=/p{page}>{page}</a>"))
            .collect();
        match plain {
            "/site.css" => Said::css("p{}"),
            "/" => Said::page(format!(
                "<title>Home</title><link rel=stylesheet href='/site.css?t=0'><p>Bread {links}"
            )),
            _ if plain.starts_with("/p") => Said::page(format!(
                "<title>Bread {plain}</title><link rel=stylesheet href='/site.css?t={plain}'><p>Bread {query}"
            )),
            _ => Said::status(404),
        }
    });
    let site = site(&origin, PATH);
    site.build(&[], 0);
    assert!(
        count(&origin, "/site.css") <= 8,
        "{}",
        count(&origin, "/site.css")
    );
    let sheet = attributes(
        &site.read("dist/site/es/p7.html"),
        "link[rel=stylesheet]",
        "href",
    );
    assert!(
        sheet.iter().any(|sheet| sheet.ends_with("/site.css?t=/p7")),
        "{sheet:?}"
    );
}

#[test]
fn an_address_is_asked_for_as_written_if_its_path_alone_answers_nothing_r_s10() {
    let origin = Origin::start(|path| match path {
        "/" => Said::page(
            "<title>Home</title><p>Bread <a href='/download?file=list.pdf'>List</a><a href='/get?id=1'>1</a><a href='/get?id=2'>2</a>\
             <a href='/cart?add-to-cart=7'>Buy</a><a rel=nofollow href='/hidden?x=1'>Hidden</a><a href='/page?from=home'>Page</a>\
             <a href='/soft?id=1'>Soft</a><a href='/none?id=1'>None</a>",
        ),
        "/download?file=list.pdf" => Said::of_type("application/pdf", "%PDF"),
        "/get?id=1" => Said::of_type("application/zip", "one"),
        "/get?id=2" => Said::of_type("application/zip", "two"),
        "/page" => Said::page("<title>Page</title><p>A page"),
        "/soft?id=1" => Said::page("<title>Soft</title><p>A page by its query"),
        _ => Said::status(404),
    });
    let site = site(&origin, PATH);
    let report = site.build(&[], 6);
    let asked: Vec<String> = origin.asked().into_iter().map(|(path, _)| path).collect();
    for never in ["/cart?add-to-cart=7", "/hidden?x=1", "/page?from=home"] {
        assert!(!asked.contains(&never.to_owned()), "{never} was asked for");
    }
    let failed = report["failures"].to_string();
    assert!(
        !failed.contains("/download") && !failed.contains("/get"),
        "{failed}"
    );
    assert!(
        failed.contains("/cart") && failed.contains("/none"),
        "{failed}"
    );
    let server = Server::start(site.folder());
    let links = attributes(&site.read("dist/site/es/index.html"), "p a", "href");
    for (link, wanted) in links.iter().zip(["%PDF", "one", "two"]) {
        let answer = server.get(link);
        assert_eq!((answer.status, answer.text()), (200, wanted), "{link}");
    }
    assert!(
        !site.objects().keys().any(|name| name.contains("soft")),
        "a page by its query is none without `query`"
    );
}

#[test]
fn a_file_that_fails_once_stays_published_r_s10() {
    let origin = Origin::start(gallery);
    let site = site(&origin, PATH);
    site.build(&[], 0);
    let before = site.read("dist/site/es/index.html");
    origin.answer(|path| {
        if path.starts_with("/logo") || path == "/thumb.php?id=2" {
            Said::status(503)
        } else {
            gallery(path)
        }
    });
    site.build(&[], 6);
    assert_eq!(site.read("dist/site/es/index.html"), before);
    assert_eq!(site.read("dist/site/logo.png"), "logo");
}
