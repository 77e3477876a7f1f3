//! Versions that the author wrote (R-S15), pages of the source below the prefix of a language (R-S16), and pages that one language
//! lacks.

use crate::support::pages::{attribute, attributes};
use crate::support::{MARKING, Site, locale};

const PATH: &str = "https://www.example.com/{lang}";
const HOST: &str = "https://{lang}.example.com";
const SPANISH: &str = "Nuestra panadería hornea cada noche el pan de la mañana, y la masa reposa durante muchas horas antes de entrar en el horno.";
const ENGLISH: &str =
    "We bake every loaf by hand and let it rise for a whole night before it goes into the oven.";

fn page(lang: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang={lang}><head><title>{lang}</title>{head}</head><body><p>{body}</p></body></html>"
    )
}

fn alternate(lang: &str, path: &str) -> String {
    format!("<link rel=alternate hreflang={lang} href=https://www.example.com{path}>")
}

/// A bakery whose author wrote Spanish versions of some pages, in the manner of different generators.
fn pages() -> Vec<(&'static str, String)> {
    vec![
        (
            "index.html",
            page(
                "en",
                "",
                "Welcome <a href=/es/>Español</a> <a href=/es/sobre/>Nuestra historia</a>",
            ),
        ),
        (
            "about/index.html",
            page("en", &alternate("es", "/es/sobre/"), "About the bakery"),
        ),
        ("contact.html", page("en", "", "Write to the bakery")),
        ("hours.html", page("en", "", "Open from six to noon")),
        ("team.html", page("en", "", "The bakers")),
        ("prices.html", page("en", "", "The prices of bread")),
        // Named by the path, by alternates of the other page, and by its own.
        (
            "es/index.html",
            page(
                "es",
                "",
                &format!("{SPANISH} <a href=../>English</a> <a href=contact.html>Contacto</a>"),
            ),
        ),
        (
            "es/sobre/index.html",
            page("es", "", &format!("{SPANISH} <a href=/team.html>Gente</a>")),
        ),
        (
            "es/horario.html",
            page("es-ES", &alternate("en", "/hours.html"), SPANISH),
        ),
        // A theme leaves the language of the source, and a page has few words.
        ("es/team.html", page("en", "", SPANISH)),
        ("es/prices.html", page("en", "", "Precios")),
        // No page in English has its path.
        ("es/fiesta.html", page("es", "", SPANISH)),
    ]
}

fn site(url: &str, keys: &str, pages: Vec<(&'static str, String)>) -> Site {
    let source = "source_url = \"https://www.example.com\"\n";
    let keys = format!(
        "url = \"{url}\"\n{source}locales = [\"es\", \"fr\"]\nengine = \"marking\"\n{keys}{MARKING}"
    );
    let site = Site::new(&keys, &[]);
    for (name, html) in pages {
        site.write(&format!("source/{name}"), &html);
    }
    site
}

fn object(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

#[test]
fn versions_that_the_author_wrote_are_those_of_the_site_r_s15() {
    for (url, prefix) in [
        (PATH, "https://www.example.com/es"),
        (HOST, "https://es.example.com"),
    ] {
        let site = site(url, "", pages());
        let report = site.build(&[], 0);
        let objects = site.objects();
        let written = [
            ("index", "/", "/"),
            ("sobre/index", "/about/", "/sobre/"),
            ("horario", "/hours.html", "/horario.html"),
        ];
        let same_path = [
            ("team", "/team.html", "/team.html"),
            ("prices", "/prices.html", "/prices.html"),
        ];
        for (name, page, local) in written.into_iter().chain(same_path) {
            let html = object(&site, &format!("es/{name}.html"));
            let source = site.read(&format!("source/es/{name}.html"));
            let words = source
                .split("<p>")
                .nth(1)
                .and_then(|body| body.split(['<', '&']).next())
                .unwrap();
            assert!(
                html.contains(words) && !html.contains('¡'),
                "{url} {name}: {html}"
            );
            assert!(
                attribute(&html, "html", "lang").unwrap().starts_with("es"),
                "{url} {name}"
            );
            let own = format!("{prefix}{local}");
            assert_eq!(
                attribute(&html, "link[rel=canonical]", "href").as_deref(),
                Some(own.as_str()),
                "{url} {name}"
            );
            assert!(html.contains("latimer-switcher"), "{url} {name}: {html}");
            // All versions name each other.
            let english = object(&site, &format!("en{}", file(page)));
            for html in [
                &html,
                &english,
                &object(&site, &format!("fr{}", file(page))),
            ] {
                let spanish = attribute(html, "link[rel=alternate][hreflang=es]", "href");
                assert_eq!(spanish.as_deref(), Some(own.as_str()), "{url} {name}");
                let english = attribute(html, "link[rel=alternate][hreflang=en]", "href");
                assert_eq!(
                    english,
                    Some(format!("https://www.example.com{page}")),
                    "{url} {name}"
                );
            }
            assert!(
                !objects.contains_key(&format!("site/en/es/{name}.html")),
                "{url} {name} is in one place"
            );
        }
        let contact = object(&site, "es/contact.html");
        assert!(contact.contains("¡Write to the bakery"), "{contact}");
        assert!(
            !objects
                .keys()
                .any(|name| name.starts_with("site/fr/es/") || name.starts_with("site/es/es/"))
        );
        // Links lead to the versions.
        let link = |html: &str, at: usize| attributes(html, "p a", "href")[at].clone();
        let home = object(&site, "fr/index.html");
        let story = if url == PATH {
            "/es/sobre/"
        } else {
            "https://es.example.com/sobre/"
        };
        assert_eq!(link(&home, 1), story, "{home}");
        let spanish = object(&site, "es/index.html");
        let english = if url == PATH {
            "../"
        } else {
            "https://www.example.com/"
        };
        assert_eq!(
            (link(&spanish, 0).as_str(), link(&spanish, 1).as_str()),
            (english, "contact.html"),
            "{spanish}"
        );
        let team = if url == PATH {
            "/es/team.html"
        } else {
            "/team.html"
        };
        assert_eq!(link(&object(&site, "es/sobre/index.html"), 0), team);
        // A page that no other has for its version stays as it is.
        assert_eq!(
            object(&site, "en/es/fiesta.html"),
            site.read("source/es/fiesta.html")
        );
        let notices = report["notices"].to_string();
        assert!(
            notices.contains("/es/sobre/ (of /about/)") && notices.contains("1 in es"),
            "{notices}"
        );
        let spanish = locale(&report, "es");
        assert_eq!(
            (&spanish["pages"], &spanish["missing"]),
            (&6.into(), &0.into()),
            "{spanish}"
        );
    }
}

fn file(path: &str) -> String {
    if path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    }
}

#[test]
fn nobody_is_paid_for_what_the_author_wrote_r_s15() {
    let site = site(PATH, "", pages());
    let report = site.build(&[], 0);
    let sent = |tag| locale(&report, tag)["charactersSent"].as_u64().unwrap();
    assert!(
        sent("es") * 2 < sent("fr"),
        "{} of {}",
        sent("es"),
        sent("fr")
    );
    let spanish = &locale(&report, "es")["words"];
    assert!(
        spanish["person"].as_u64().unwrap() > 0 && spanish["untranslated"] == 0,
        "{spanish}"
    );
    // The page of the author goes, and the page has its words from an engine.
    std::fs::remove_file(site.path("source/es/team.html")).unwrap();
    site.build(&[], 0);
    assert!(object(&site, "es/team.html").contains("¡The bakers"));
    site.write("source/es/team.html", &page("es", "", SPANISH));
    site.build(&[], 0);
    assert!(object(&site, "es/team.html").contains(SPANISH));
}

#[test]
fn versions_that_the_author_wrote_go_with_their_language_r_s15() {
    let site = site(HOST, "", pages());
    site.build(&[], 0);
    site.run(&["publish", "--to", "out", "--target", "netlify"])
        .failed(0, &[]);
    let redirects = site.read("out/en/_redirects");
    assert!(
        redirects
            .lines()
            .any(|line| line.contains("/es/sobre/ ")
                && line.contains("https://es.example.com/sobre/")),
        "{redirects}"
    );
    site.run(&["locale", "site", "es", "off"]).failed(0, &[]);
    site.build(&[], 0);
    site.run(&["publish", "--to", "out", "--target", "netlify"])
        .failed(0, &[]);
    assert!(
        !site.path("out/es/sobre/index.html").exists()
            && site.path("out/en/about/index.html").exists()
    );
    assert!(!object(&site, "en/about/index.html").contains("hreflang=\"es\""));
}

/// Pages in English below the prefix of Italian.
fn office(it: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "index.html",
            page("en", "", "Welcome <a href=/it/>IT department</a>"),
        ),
        ("help.html", page("en", "", "Help")),
        ("it/index.html", page("en", "", ENGLISH)),
        (
            if it.is_empty() {
                "it/printers.html"
            } else {
                "it/help.html"
            },
            page("en", "", ENGLISH),
        ),
    ]
}

#[test]
fn no_version_takes_the_address_of_a_page_r_s16() {
    let keys =
        "locales = [\"it\"]\nurl = \"https://www.example.com/{lang}\"\nengine = \"marking\"\n";
    let configure = |site: &Site, more: &str| site.configure(&format!("{keys}{more}{MARKING}"));
    let site = site(PATH, "", office("help"));
    configure(&site, "");
    site.run(&["build"]).failed(
        1,
        &[
            "/it/ (the version of / in it)",
            "/it/help.html",
            "alias",
            "keep",
        ],
    );
    assert!(
        !site.path("dist/site").join("it").exists(),
        "nothing is published"
    );
    configure(&site, "keep = [\"/it/**\"]\n");
    site.build(&[], 0);
    assert!(object(&site, "en/it/index.html").contains(ENGLISH));
    assert!(!site.objects().contains_key("site/it/index.html"));
    configure(&site, "[site.locale.it]\nalias = \"italiano\"\n");
    site.build(&[], 0);
    assert!(object(&site, "it/index.html").contains("¡Welcome"));
    assert!(object(&site, "it/it/help.html").contains('¡'));
}

#[test]
fn pages_with_addresses_of_their_own_are_no_trouble_r_s16() {
    let mut pages = office("");
    pages.retain(|(name, _)| *name != "it/index.html");
    let site = site(PATH, "", pages);
    site.configure(&format!(
        "locales = [\"it\"]\nurl = \"https://www.example.com/{{lang}}\"\nengine = \"marking\"\n{MARKING}"
    ));
    site.build(&[], 0);
    assert!(object(&site, "en/it/printers.html").contains(ENGLISH));
    assert!(object(&site, "it/it/printers.html").contains('¡'));
    site.run(&["publish", "--to", "out", "--target", "plain"])
        .failed(0, &[]);
    assert!(
        site.read("out/it/printers.html").contains(ENGLISH)
            && site.read("out/it/index.html").contains('¡')
    );
}

#[test]
fn a_language_lacks_what_the_owner_leaves_out() {
    let pages = vec![
        (
            "index.html",
            page("en", "", "Welcome <a href=/jobs/>Jobs</a> Everything fresh"),
        ),
        ("jobs/index.html", page("en", "", "We look for bakers")),
        (
            "jobs/night.html",
            page("en", "", "Work at night <a href=./>All</a>"),
        ),
    ];
    let site = site(
        PATH,
        "[site.locale.es]\nexclude = [\"/jobs/**\", \"!/jobs/night.html\"]\n",
        pages,
    );
    let report = site.build(&[], 0);
    let objects = site.objects();
    assert!(
        !objects.contains_key("site/es/jobs/index.html")
            && objects.contains_key("site/fr/jobs/index.html")
    );
    assert_eq!(
        attributes(&object(&site, "es/index.html"), "p a", "href"),
        ["/jobs/"]
    );
    assert_eq!(
        attributes(&object(&site, "fr/index.html"), "p a", "href"),
        ["/fr/jobs/"]
    );
    assert_eq!(
        attributes(&object(&site, "es/jobs/night.html"), "p a", "href"),
        ["/jobs/"]
    );
    let english = object(&site, "en/jobs/index.html");
    assert_eq!(
        attribute(&english, "link[rel=alternate][hreflang=es]", "href"),
        None,
        "{english}"
    );
    let spanish = locale(&report, "es");
    assert_eq!(
        (&spanish["pages"], &spanish["missing"]),
        (&2.into(), &0.into()),
        "{spanish}"
    );
    assert!(spanish["charactersSent"].as_u64() < locale(&report, "fr")["charactersSent"].as_u64());
    // A plain host needs no redirect, since the language lacks the page for good.
    site.run(&["publish", "--to", "out", "--target", "plain"])
        .failed(0, &[]);
    assert!(
        !site.path("out/es/jobs/index.html").exists() && site.path("out/jobs/index.html").exists()
    );
    let said =
        String::from_utf8(site.run(&["explain", "/jobs/", "--locale", "es"]).stdout).unwrap();
    assert!(
        said.contains("[site.locale.es]") && said.contains("/jobs/**"),
        "{said}"
    );
    site.edit(
        "latimer.toml",
        "exclude = [\"/jobs/**\"",
        "exclud = [\"/jobs/**\"",
    );
    site.run(&["build"])
        .failed(2, &["latimer.toml", "exclud", "`exclude`"]);
}
