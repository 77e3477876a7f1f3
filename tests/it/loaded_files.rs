//! Files that scripts, attributes and style sheets of a page load (R-S22), and what its policies allow by a hash (R-S23).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::support::Site;
use crate::support::origin::{self, Origin, Said};
use crate::support::pages::{attribute, attributes};

const PATH: &str = "url = \"https://www.example.com/{lang}\"\n";
const BESIDE: &str =
    "url = \"https://www.example.com/{lang}\"\nsource_url = \"https://www.example.com\"\n";
const HOST: &str =
    "url = \"https://{lang}.example.com\"\nsource_url = \"https://www.example.com\"\n";
const NOWHERE: &str = "";

fn page(head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Home</title>{head}</head><body><p>Bread and butter</p>{body}"
    )
}

/// A folder of some pages and files.
fn folder(keys: &str, files: &[(&str, &str)]) -> (Site, Value) {
    let site = Site::new(
        &format!("locales = [\"es\"]\nengine = \"pseudo\"\nmin_translated = 0\n{keys}"),
        &[],
    );
    site.write("source/index.html", &page("", ""));
    for (name, text) in files {
        site.write(&format!("source/{name}"), text);
    }
    let report = site.build(&[], 0);
    (site, report)
}

fn version(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/es/{name}"))
}

fn between<'h>(html: &'h str, start: &str, end: &str) -> &'h str {
    html.split_once(start)
        .expect(start)
        .1
        .split_once(end)
        .expect(end)
        .0
}

fn is_there(site: &Site, name: &str) -> bool {
    site.path(&format!("dist/site/{name}")).exists()
}

fn notices(report: &Value) -> Vec<&str> {
    report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

#[test]
fn import_maps_lead_to_the_files_r_s22() {
    let map = r#"{"imports":{"app":"./js/app.js","lib/":"../lib/","up":"..\/lib\/x.js","abs":"/lib/x.js","react":"https://cdn.example/r.js","./js/app.js":"./js/app.js","gone":"./gone.js","bare":"x"},"scopes":{"./js/":{"a":"./js/app.js"}},"integrity":{"./js/app.js":"sha384-x"}}"#;
    let head = format!("<script type=\"importmap\">{map}</script>");
    let files = [
        ("bread/index.html", &*page(&head, "")),
        ("bread/js/app.js", "//"),
        ("lib/x.js", "//"),
    ];
    let expected = r#"{"imports":{"app":"/bread/js/app.js","lib/":"/lib/","up":"/lib/x.js","abs":"/lib/x.js","react":"https://cdn.example/r.js","/bread/js/app.js":"/bread/js/app.js","gone":"./gone.js","bare":"x"},"scopes":{"/bread/js/":{"a":"/bread/js/app.js"}},"integrity":{"/bread/js/app.js":"sha384-x"}}"#;
    for (address, expected) in [
        (PATH, expected),
        (BESIDE, expected),
        (NOWHERE, expected),
        (HOST, map),
    ] {
        let (site, _) = folder(address, &files);
        let html = version(&site, "bread/index.html");
        assert_eq!(
            between(&html, "importmap\">", "</script>"),
            expected,
            "{address}"
        );
    }
    let (site, _) = folder(
        BESIDE,
        &[
            (
                "bread/index.html",
                &page(&format!("<base href=/lib/>{head}"), ""),
            ),
            files[2],
        ],
    );
    let html = version(&site, "bread/index.html");
    assert!(
        html.contains(r#""lib/":"../lib/""#),
        "it counts from the base in every language: {html}"
    );
}

#[test]
fn speculation_rules_lead_to_versions_r_s22() {
    let rules = r#"{"prerender":[{"source":"list","urls":["/bread/","cake/","/bread/?a=1#b","https://www.example.com/bread/","/data.json","https://other.example/"]}],"prefetch":[{"where":{"and":[{"href_matches":"/*"},{"not":{"href_matches":["\/cart\/*","/*\\?(.+)","cake/*"]}}]}}]}"#;
    let head = format!("<script type=speculationrules>{rules}</script>");
    let files = [
        ("index.html", &*page(&head, "")),
        ("bread/index.html", &page("", "")),
        ("cake/index.html", &page("", "")),
        ("data.json", "{}"),
    ];
    let (site, _) = folder(BESIDE, &files);
    let written: Value = serde_json::from_str(between(
        &version(&site, "index.html"),
        "speculationrules>",
        "</script>",
    ))
    .unwrap();
    let urls: Vec<&str> = written["prerender"][0]["urls"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let there = "https://www.example.com/es/bread/";
    assert_eq!(
        urls,
        [
            "/es/bread/",
            "cake/",
            "/es/bread/?a=1#b",
            there,
            "/data.json",
            "https://other.example/"
        ]
    );
    let patterns = json!({"and": [{"href_matches": "/*"}, {"not": {"href_matches": ["{/es}?/cart/*", "/*\\?(.+)", "cake/*"]}}]});
    assert_eq!(written["prefetch"][0]["where"], patterns);
    assert!(
        site.read("dist/site/en/index.html").contains(rules),
        "the source is as it was"
    );
}

#[test]
fn programs_of_a_page_lead_to_files_r_s22() {
    let program = "import a, {b} from './a.js'; import \"../lib/x.js\"; import 'react'; export * from './gone.js'; // './a.js'\n\
        const p = () => import(`./a.js`); new Worker(new URL(\"w.js\", import.meta.url)); fetch('data.json', {}); fetch('/bread/part.html'); fetch('part.html');\
        fetch('/data/' + id); const s = './a.js', t = /import '.\\/a.js'/;";
    let expected = program
        .replace("from './a.js'", "from '/bread/a.js'")
        .replace("../lib", "/lib")
        .replace("`./a.js`", "`/bread/a.js`")
        .replace("\"w.js\"", "\"/bread/w.js\"")
        .replace("'data.json'", "'/bread/data.json'")
        .replace("'/bread/part", "'/es/bread/part");
    let body = format!("<script type=\"module\">{program}</script>");
    let files = [
        ("bread/index.html", &*page("", &body)),
        ("bread/a.js", "//"),
        ("bread/w.js", "//"),
        ("bread/data.json", "{}"),
        ("bread/part.html", "<p>A part</p>"),
        ("lib/x.js", "//"),
    ];
    let (site, _) = folder(BESIDE, &files);
    assert_eq!(
        between(
            &version(&site, "bread/index.html"),
            "\"module\">",
            "</script>"
        ),
        expected
    );
    assert!(site.read("dist/site/en/bread/index.html").contains(program));
    let (site, _) = folder(HOST, &files);
    let html = version(&site, "bread/index.html");
    assert!(
        html.contains("from './a.js'"),
        "it leads there already: {html}"
    );
}

#[test]
fn lazy_attributes_and_escapes_lead_to_files_r_s22() {
    let body = r#"<div data-bg="url('../img/a.png')" style="background:url(&quot;../img/b(1).png&quot;)"></div>
        <p style='background-image: url( ../img/a\ b.png )'>x</p><amp-img src=../img/a.png></amp-img><a data-href="../img/a.png">x</a>
        <a data-href="example.com" data-image="no file.png">x</a><x-video poster=../img/a.png></x-video>
        <style>.a{background:image-set("../img/a.png" 1x, url( "../img/b\(1\).png" ) 2x)}</style>"#;
    let files = [
        ("bread/index.html", &*page("", body)),
        ("img/a.png", "x"),
        ("img/b(1).png", "x"),
        ("img/a b.png", "x"),
    ];
    for address in [PATH, BESIDE, NOWHERE] {
        let (site, _) = folder(address, &files);
        let html = version(&site, "bread/index.html");
        for expected in [
            "data-bg=\"url('/img/a.png')\"",
            "url(&quot;/img/b(1).png&quot;)",
            "url( /img/a\\ b.png )",
            "amp-img src=/img/a.png",
            "data-href=\"/img/a.png\"",
            "data-href=\"example.com\"",
            "poster=/img/a.png",
            "image-set(\"/img/a.png\" 1x, url( \"/img/b\\(1\\).png\" ) 2x)",
        ] {
            assert!(html.contains(expected), "{address}: {expected} in {html}");
        }
    }
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[test]
fn what_a_policy_allows_by_its_hash_stays_and_finds_its_files_r_s23() {
    let style = "@import \"css/s.css\";h1{background:url(img/a.png)}";
    let script = "import './js/app.js'; fetch('data.json')";
    let data = r#"{"@context":"https://schema.org","@type":"Article","headline":"The bread","image":"img/a.png"}"#;
    let value = "background:url(img/a.png)";
    let long = format!(
        "'sha512-{}'",
        BASE64_STANDARD.encode(Sha512::digest(script))
    );
    let policy = format!(
        "default-src 'self'; style-src 'self' 'unsafe-hashes' {} {}; script-src {long} {}",
        hash(style),
        hash(value),
        hash(data)
    );
    let elements = format!(
        "<style>{style}</style><script type=module>{script}</script><script type=\"application/ld+json\">{data}</script>\
         <style>h2{{background:url(img/b.png)}}</style>"
    );
    let body = format!("<h1 style=\"{value}\">Bread</h1><p style=\"color:red;{value}\">x</p>");
    let meta = format!("<meta http-equiv=Content-Security-Policy content=\"{policy}\">");
    let headers = format!("/*\n  Content-Security-Policy: {policy}\n");
    let of_page = page(&(meta + &elements), &body);
    let of_host = page(&elements, &body);
    for (html, headers) in [(&of_page, ""), (&of_host, &*headers)] {
        let files = [
            ("bread/index.html", html.as_str()),
            ("_headers", headers),
            (
                "bread/css/s.css",
                "@import 't.css'; a{background:url(../img/c.png)}",
            ),
            ("bread/css/t.css", "b{background:url(../../top.png)}"),
            (
                "bread/js/app.js",
                "import './util.js'; import 'util.js'; new URL('w.wasm', import.meta.url)",
            ),
            ("bread/js/util.js", "import './app.js'"),
            ("bread/js/w.wasm", "x"),
            ("bread/js/other.js", "x"),
            ("bread/data.json", "{}"),
            ("bread/img/a.png", "a"),
            ("bread/img/b.png", "b"),
            ("bread/img/c.png", "c"),
            ("top.png", "top"),
        ];
        let (site, _) = folder(BESIDE, &files);
        let html = version(&site, "bread/index.html");
        for kept in [style, script, data, &format!("<h1 style=\"{value}\"")] {
            assert!(html.contains(kept), "{kept} in {html}");
        }
        assert!(
            html.contains("h2{background:url(/bread/img/b.png)}")
                && html.contains("red;background:url(/bread/img/a.png)")
        );
        for name in [
            "css/s.css",
            "css/t.css",
            "js/app.js",
            "js/util.js",
            "js/w.wasm",
            "data.json",
            "img/a.png",
            "img/c.png",
            "../top.png",
        ] {
            let copy = site.read(&format!("dist/site/es/bread/{name}"));
            assert_eq!(copy, site.read(&format!("source/bread/{name}")), "{name}");
        }
        assert!(!is_there(&site, "es/bread/img/b.png") && !is_there(&site, "es/bread/js/other.js"));
        let (site, _) = folder(HOST, &files);
        assert!(version(&site, "bread/index.html").contains(style));
    }
}

#[test]
fn nonces_and_other_hashes_change_nothing_r_s23() {
    let style = "h1{background:url(img/a.png)}";
    for policy in [
        "style-src 'self' 'nonce-abc'",
        "script-src 'strict-dynamic' 'nonce-abc'; style-src 'self'",
        "style-src 'self' 'unsafe-inline' 'sha256-abc'",
        "style-src 'self' 'unsafe-hashes'",
    ] {
        let head = format!(
            "<meta http-equiv=content-security-policy content=\"{policy}\"><style nonce=abc>{style}</style>"
        );
        let (site, report) = folder(
            BESIDE,
            &[
                ("bread/index.html", &page(&head, "")),
                ("bread/img/a.png", "a"),
            ],
        );
        assert!(
            version(&site, "bread/index.html").contains("url(/bread/img/a.png)"),
            "{policy}"
        );
        assert!(!is_there(&site, "es/bread/img/a.png"));
        assert!(
            !notices(&report)
                .iter()
                .any(|notice| notice.contains("Content-Security-Policy")),
            "{report}"
        );
    }
}

#[test]
fn a_sealed_import_map_finds_its_folders_r_s23() {
    let map = r#"{"imports":{"app":"./js/app.js","lib/":"./lib/"}}"#;
    let head = format!(
        "<meta http-equiv=Content-Security-Policy content=\"script-src {} 'self'\"><script type=importmap>{map}</script>",
        hash(map)
    );
    let files = [
        ("index.html", &*page(&head, "")),
        ("js/app.js", "//"),
        ("lib/a.js", "//"),
        ("lib/b/c.js", "//"),
    ];
    let (site, _) = folder(BESIDE, &files);
    assert!(version(&site, "index.html").contains(map));
    for name in ["js/app.js", "lib/a.js", "lib/b/c.js"] {
        assert_eq!(version(&site, name), "//", "{name}");
    }
}

#[test]
fn a_policy_that_forbids_the_switchers_style_sheet_is_reported_once_r_s23() {
    let strict = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-abc'\">";
    let files = [
        ("strict/index.html", &*page(strict, "")),
        (
            "own/index.html",
            &page(
                "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">",
                "",
            ),
        ),
        ("part.html", "<p>A part</p>"),
    ];
    let (_, report) = folder(BESIDE, &files);
    let about: Vec<&str> = notices(&report)
        .into_iter()
        .filter(|notice| notice.contains("Content-Security-Policy"))
        .collect();
    let [notice] = about[..] else {
        panic!("{about:?}")
    };
    assert!(
        notice.contains("`style-src 'sha256-abc'`") && notice.ends_with(": /strict/"),
        "{notice}"
    );
    let (_, report) = folder(
        &format!("{BESIDE}[site.html.switcher]\ntemplate = \"headless\"\n"),
        &files,
    );
    assert!(
        !notices(&report)
            .iter()
            .any(|notice| notice.contains("Content-Security-Policy")),
        "it has no style sheet"
    );
    let amp = page(strict, "").replace("<html lang", "<html amp lang");
    let (_, report) = folder(BESIDE, &[("amp/index.html", &amp)]);
    assert!(
        !notices(&report)
            .iter()
            .any(|notice| notice.contains("Content-Security-Policy")),
        "AMP has none"
    );
}

#[test]
fn integrity_is_that_of_the_published_bytes_r_s23() {
    let css = "p{background:url(../img/a.png)}";
    let integrity = format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(css)));
    let head = format!("<link rel=stylesheet href=css/s.css integrity={integrity}>");
    for address in [PATH, BESIDE, HOST] {
        let (site, _) = folder(
            address,
            &[
                ("bread/index.html", &page(&head, "")),
                ("bread/css/s.css", css),
            ],
        );
        let html = version(&site, "bread/index.html");
        let href = attribute(&html, "link[integrity]", "href").unwrap();
        assert_eq!(
            href,
            if address == HOST {
                "css/s.css"
            } else {
                "/bread/css/s.css"
            }
        );
        assert_eq!(attributes(&html, "link", "integrity"), [integrity.as_str()]);
    }
}

#[test]
fn a_crawled_policy_seals_and_scripts_are_followed_r_s22_r_s23() {
    let style = "h1{background:url(img/a.png)}";
    let policy = format!("Content-Security-Policy: style-src 'self' {}", hash(style));
    let html = page(
        &format!("<style>{style}</style><script src=/a.js></script>"),
        "",
    );
    let origin = Origin::start(
        move |target| match target.split('?').next().unwrap_or(target) {
            "/" => Said::page(page("", "<a href=/bread/>Bread</a>")),
            "/bread/" => Said::page(html.clone()).with(&policy),
            "/a.js" => Said::of_type(
                "text/javascript",
                "import './b.js'; import('./gone.js'); import(`./lang/${x}.js`)",
            ),
            "/b.js" => Said::of_type("text/javascript", "//"),
            "/bread/img/a.png" => Said::of_type("image/png", "a"),
            _ => Said::status(404),
        },
    );
    let site = origin::site(&origin, "");
    let report = site.build(&[], 0);
    let notices = notices(&report);
    assert!(
        notices
            .iter()
            .any(|notice| notice.contains("does not have: /gone.js")),
        "{notices:?}"
    );
    assert!(
        notices
            .iter()
            .any(|notice| notice.contains("/a.js (./lang/…)")),
        "{notices:?}"
    );
    assert!(version(&site, "bread/index.html").contains(style));
    assert_eq!(version(&site, "bread/img/a.png"), "a");
}
