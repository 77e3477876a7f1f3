//! Addresses that pages name for programs: JSON-LD, microdata and `<meta>` elements (R-S6).

use serde_json::{Value, json};

use crate::support::Site;
use crate::support::origin::{Origin, Said};
use crate::support::pages::{attribute, attributes};

const PATH: &str = "url = \"https://www.example.com/{lang}\"\n";
const HOST: &str =
    "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";

fn page(head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</p>{body}"
    )
}

fn structured(value: &Value) -> String {
    format!("<script type=\"application/ld+json\">{value}</script>")
}

/// The JSON-LD of a published page.
#[track_caller]
fn published(html: &str) -> Value {
    let (_, rest) = html
        .split_once("application/ld+json\">")
        .expect("the page has JSON-LD");
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn folder(address: &str, head: &str) -> Site {
    let keys = format!("locales = [\"es\"]\nengine = \"pseudo\"\nmin_translated = 0\n{address}");
    let site = Site::new(&keys, &[]);
    site.write("source/index.html", &page(head, ""));
    for name in ["search/index.html", "bread/index.html", "menu/index.html"] {
        site.write(&format!("source/{name}"), &page("", ""));
    }
    for name in ["og.png", "logo.png"] {
        site.write(&format!("source/{name}"), "png");
    }
    site.build(&[], 0);
    site
}

#[test]
fn structured_data_leads_to_versions_r_s6() {
    let data = json!({"@context": "https://schema.org", "@graph": [
        {
            "@type": "WebSite", "@id": "https://www.example.com/#site",
            "potentialAction": [
                {"target": {"urlTemplate": "https://www.example.com/search/?q={search_term_string}"}},
                {"target": "https://www.example.com/search/{q}", "query-input": "required name=q"},
                {"target": "/search/?q={q}&lang={l}#top"},
            ],
        },
        {"@type": "BreadcrumbList", "itemListElement": [
            {"item": {"@id": "https://www.example.com/bread/", "name": "Bread"}},
            {"item": {"@id": "https://www.example.com/menu/"}},
        ]},
        {"@type": "WebPage", "@id": "https://www.example.com/menu/", "license": "https://www.example.com/bread/"},
        {"@type": "Article", "mainEntityOfPage": {"@type": "WebPage", "@id": "https://www.example.com/bread/"}},
        {
            "@type": "Restaurant", "hasMenu": "https://www.example.com/menu/", "license": "MIT", "sameAs": "https://www.example.com/bread/",
            "logo": {"@type": "ImageObject", "url": "https://www.example.com/logo.png"}, "image": ["og.png"],
        },
    ]});
    let site = folder(PATH, &structured(&data));
    let graph = &published(&site.read("dist/site/es/index.html"))["@graph"];
    for (pointer, expected) in [
        ("/0/@id", "https://www.example.com/#site"),
        (
            "/0/potentialAction/0/target/urlTemplate",
            "https://www.example.com/es/search/?q={search_term_string}",
        ),
        // No page is at this address, so only the source can answer it.
        (
            "/0/potentialAction/1/target",
            "https://www.example.com/search/{q}",
        ),
        ("/0/potentialAction/1/query-input", "required name=q"),
        (
            "/0/potentialAction/2/target",
            "/es/search/?q={q}&lang={l}#top",
        ),
        (
            "/1/itemListElement/0/item/@id",
            "https://www.example.com/es/bread/",
        ),
        // Another node of the script goes by this identifier.
        (
            "/1/itemListElement/1/item/@id",
            "https://www.example.com/menu/",
        ),
        ("/2/@id", "https://www.example.com/menu/"),
        ("/2/license", "https://www.example.com/es/bread/"),
        (
            "/3/mainEntityOfPage/@id",
            "https://www.example.com/es/bread/",
        ),
        ("/4/hasMenu", "https://www.example.com/es/menu/"),
        ("/4/license", "MIT"),
        ("/4/sameAs", "https://www.example.com/bread/"),
        ("/4/logo/url", "https://www.example.com/logo.png"),
        ("/4/image/0", "/og.png"),
    ] {
        assert_eq!(
            graph.pointer(pointer).and_then(Value::as_str),
            Some(expected),
            "{pointer} in {graph}"
        );
    }
    assert_eq!(
        published(&site.read("dist/site/en/index.html")),
        data,
        "the source page is as its author wrote it"
    );
}

#[test]
fn meta_elements_lead_to_versions_and_files_r_s6() {
    let head = "<meta property=og:image content=https://www.example.com/og.png>\
        <meta property=og:see_also content='https://www.example.com/bread/?a=1&amp;b=2'>\
        <meta name=twitter:image content=og.png><meta property=article:author content='Jane Doe'>\
        <meta name=msapplication-config content=none>\
        <link itemprop=url href=/bread/><meta itemprop='url' content=\"https://www.example.com/bread/\">";
    for (address, image, other) in [
        (
            PATH,
            "https://www.example.com/og.png",
            "https://www.example.com/es",
        ),
        (
            HOST,
            "https://es.example.com/og.png",
            "https://es.example.com",
        ),
    ] {
        let site = folder(address, head);
        let html = site.read("dist/site/es/index.html");
        let content = |selector: &str| attribute(&html, selector, "content").unwrap();
        assert_eq!(content("meta[property='og:image']"), image);
        assert_eq!(
            content("meta[property='og:see_also']"),
            format!("{other}/bread/?a=1&b=2")
        );
        assert_eq!(
            content("meta[name='twitter:image']"),
            if address == PATH { "/og.png" } else { "og.png" }
        );
        assert_eq!(content("meta[property='article:author']"), "Jane Doe");
        assert_eq!(content("meta[name=msapplication-config]"), "none");
        assert_eq!(content("meta[itemprop=url]"), format!("{other}/bread/"));
        let link = attribute(&html, "link[itemprop=url]", "href").unwrap();
        assert_eq!(
            link,
            if address == PATH {
                "/es/bread/"
            } else {
                "/bread/"
            }
        );
    }
}

/// A site that is crawled at an address of its own, with or without a public one.
fn crawled(source_url: &str) -> (Site, Origin) {
    let origin = Origin::start(|_| Said::status(404));
    let at = origin.address.trim_end_matches('/').to_owned();
    let data = json!({
        "@id": format!("{at}/#site"), "sameAs": [format!("{at}/bread/"), format!("{at}5/")], "url": format!("{at}/bread/"),
        "image": {"url": format!("{at}/photo?id=3")}, "hasMenu": format!("{at}/menu.pdf"), "isPartOf": format!("{at}/not-a-page/"),
    });
    let head = format!(
        "<meta property=og:image content={at}/og.png><meta name=twitter:image content=/tw.png>\
         <meta name=msapplication-TileImage content=/tile.png><meta property=og:see_also content={at}/unlinked/>\
         <meta itemprop=image content={at}/item.png><link itemprop=logo href=/logo.png>\
         <meta property=og:url content={at}/>{}",
        structured(&data)
    );
    origin.answer(move |path| match path {
        "/" => Said::page(page(
            &head,
            "<a href=/bread/>Bread</a><a href=/404.html>Lost</a>",
        )),
        "/404.html" => Said::page(page(&head, "")),
        "/bread/" | "/unlinked/" => Said::page(page("", "")),
        "/og.png" | "/tw.png" | "/tile.png" | "/item.png" | "/logo.png" | "/photo?id=3" => {
            Said::of_type("image/png", "png")
        }
        "/menu.pdf" => Said::of_type("application/pdf", "%PDF"),
        _ => Said::status(404),
    });
    let site = Site::new("", &[]);
    site.write(
        "latimer.toml",
        &format!(
            "[[site]]\nid = \"site\"\nsource = {:?}\n{source_url}source_locale = \"en\"\nlocales = [\"es\"]\n\
             engine = \"pseudo\"\nmin_translated = 0\nurl = \"https://www.example.com/{{lang}}\"\n[site.crawl]\nallow_private = true\n",
            origin.address
        ),
    );
    site.build(&[], 0);
    (site, origin)
}

#[test]
fn a_crawl_takes_the_files_and_publishes_no_address_of_its_origin_r_s6() {
    let (site, origin) = crawled("source_url = \"https://www.example.com\"\n");
    let objects = site.objects();
    for file in [
        "og.png", "tw.png", "tile.png", "item.png", "logo.png", "photo", "menu.pdf",
    ] {
        assert!(
            objects.contains_key(&format!("site/{file}")),
            "{file} in {:?}",
            objects.keys()
        );
    }
    assert!(
        !objects.keys().any(|name| name.contains("unlinked")),
        "a page that no link leads to was taken"
    );
    let host = origin
        .address
        .trim_start_matches("http://")
        .trim_end_matches('/');
    for name in ["es/index.html", "es/404.html"] {
        let html = site.read(&format!("dist/site/{name}"));
        // Another port is another origin.
        assert_eq!(html.matches(host).count(), 1, "{host} in {html}");
        assert!(html.contains(&format!("{host}5/")), "{html}");
        let data = published(&html);
        assert_eq!(data["@id"], "https://www.example.com/#site");
        assert_eq!(data["sameAs"][0], "https://www.example.com/bread/");
        assert_eq!(data["url"], "https://www.example.com/es/bread/");
        assert_eq!(data["image"]["url"], "https://www.example.com/photo?id=3");
        assert_eq!(data["hasMenu"], "https://www.example.com/menu.pdf");
        let images = attributes(&html, "meta[property='og:image']", "content");
        assert_eq!(images, ["https://www.example.com/og.png"]);
    }
    let shared = attribute(
        &site.read("dist/site/es/index.html"),
        "meta[property='og:url']",
        "content",
    );
    assert_eq!(shared.as_deref(), Some("https://www.example.com/es/"));
}
