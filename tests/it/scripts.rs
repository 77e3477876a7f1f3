//! Pages that scripts draw again: which of them get the live script, what it is told, and what counts as translated.

use std::io::Write;

use serde_json::{Value, json};

use crate::support::origin::{Origin, Said};
use crate::support::{Site, locale};

const KEYS: &str =
    "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{lang}.po\"\nmin_translated = 0.5\n";

const PO: &str = "msgid \"Home\"\nmsgstr \"Casa\"\n\nmsgid \"House\"\nmsgstr \"Casa\"\n\nmsgid \"A <g id=\\\"1\\\">menu</g> of bread\"\n\
    msgstr \"Un <g id=\\\"1\\\">menú</g> de pan\"\n\nmsgid \"Your cart is empty\"\nmsgstr \"Tu cesta está vacía\"\n\n\
    msgid \"Bread\"\nmsgstr \"Pan\"\n";

/// A page that hydrates.
fn drawn(head: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8>{head}<title>Bread</title><script src=/app.js></script></head>\
         <body><div id=__next><!--$--><p><a href=/still title=Bread> Home </a><p>House<p>A <i>menu</i> of bread</p><!--/$-->\
         </div></body></html>"
    )
}

/// A page that hydrates, and one that does not.
fn site(keys: &str, head: &str) -> Site {
    let drawn = drawn(head);
    let site = Site::new(
        &format!("{KEYS}{keys}"),
        &[
            ("index.html", &drawn),
            ("still.html", "<title>Bread</title><p>Home</p>"),
            ("app.js", ""),
        ],
    );
    site.write("es.po", PO);
    site
}

/// What a page tells the script.
fn block(html: &str) -> Value {
    let (_, rest) = html
        .split_once("<script type=\"application/json\" id=\"latimer-live\">")
        .expect(html);
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn page(site: &Site, name: &str) -> String {
    site.read(&format!("dist/site/{name}"))
}

#[test]
fn a_hydrated_page_gets_the_script_and_a_static_one_not_a_byte() {
    let site = site("url = \"https://www.example.com/{lang}\"\n", "");
    let report = site.build(&[], 0);
    assert_eq!(
        report["drawn"],
        json!([{"path": "/", "kind": "hydrated", "framework": "Next.js", "lasts": true}])
    );
    let html = page(&site, "es/index.html");
    let told = block(&html);
    assert_eq!(
        told["texts"],
        json!([
            ["Pan", "Bread"],
            ["Casa", "Home"],
            ["Casa", "House"],
            ["Un", "A"],
            ["menú", "menu"],
            ["de pan", "of bread"]
        ])
    );
    assert_eq!(told["values"], json!([["Pan", "Bread"]]));
    assert_eq!(
        [
            &told["path"],
            &told["own"],
            &told["from"],
            &told["to"],
            &told["mask"],
            &told["documents"]
        ],
        [
            &json!("/"),
            &json!("/es/"),
            &json!("/"),
            &json!("/es/"),
            &json!(true),
            &json!(false)
        ]
    );
    assert_eq!(
        told["speech"],
        json!([["lang", "en", "es"], ["dir", "ltr", "ltr"]])
    );
    // A link keeps the spelling that the site's router knows.
    assert!(html.contains("<a href=/es/still "), "{html}");
    // The script is there before any of the page's own, and its words before it.
    let (before, _) = html.split_once("<script src=/app.js>").unwrap();
    let scripts: Vec<&str> = before
        .split("<script src=\"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let kinds = ["words.es.", "addressed."].map(|kind| format!("_latimer/{kind}"));
    assert!(
        scripts.len() == 2
            && scripts
                .iter()
                .zip(&kinds)
                .all(|(name, kind)| name.starts_with(kind)),
        "{scripts:?}"
    );
    let words = scripts[0];
    let shared = page(&site, words);
    let shared: Value =
        serde_json::from_str(shared.strip_prefix("latimerWords=").unwrap()).unwrap();
    assert_eq!(
        shared["words"],
        json!({"A": "Un", "Bread": "Pan", "Home": "Casa", "House": "Casa", "Your cart is empty": "Tu cesta está vacía",
               "menu": "menú", "of bread": "de pan"})
    );
    assert!(page(&site, scripts[1]).contains("latimer-live"));
    assert!(!page(&site, "es/still.html").contains("latimer-live"));
    assert!(
        !page(&site, "en/index.html").contains("latimer-live"),
        "the source needs none"
    );
}

#[test]
fn a_page_loads_no_more_of_the_script_than_it_needs() {
    let size = |script: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(script.as_bytes()).unwrap();
        (script.len(), gzip.finish().unwrap().len())
    };
    let built = |site: &Site| {
        site.build(&[], 0);
        page(site, "es/index.html")
    };
    // The name of a script that a page loads, and what it says.
    let script = |site: &Site, html: &str, folder: &str, kind: &str| {
        let (_, rest) = html.split_once(&format!("<script src=\"/_latimer/{kind}."))?;
        let name = format!("{folder}_latimer/{kind}.{}", rest.split('"').next()?);
        Some((name.clone(), page(site, &name)))
    };
    let host = site("url = \"https://{lang}.example.com\"\n", "");
    let html = built(&host);
    let (name, live) = script(&host, &html, "es/", "live").unwrap();
    let (bytes, gzip) = size(&live);
    println!("the live script: {bytes} bytes, {gzip} compressed");
    assert!(
        bytes <= 5000 && gzip <= 2048,
        "{bytes} bytes, {gzip} compressed"
    );
    // On this machine, a look at the page needs the rest, too.
    assert_eq!(script(&host, &html, "es/", "addressed"), None);
    let told = block(&html);
    let whole = told["whole"].as_str().unwrap();
    let path = site("url = \"https://www.example.com/{lang}\"\n", "");
    let html = built(&path);
    assert_eq!(block(&html).get("whole"), None);
    assert_eq!(
        script(&path, &html, "", "live"),
        None,
        "one script, and one file"
    );
    let (_, addressed) = script(&path, &html, "", "addressed").unwrap();
    assert!(addressed.ends_with(&live), "one file");
    assert_eq!(
        page(&path, &name.replace("es/", "")),
        live,
        "pages without a router may need it alone"
    );
    assert!(html.contains(whole), "{whole} in {html}");
    let (bytes, gzip) = size(&addressed);
    println!("with what is about addresses: {bytes} bytes, {gzip} compressed");
    assert!(
        bytes <= 7200 && gzip <= 3300,
        "{bytes} bytes, {gzip} compressed"
    );
    // Paths of their own need it at every address.
    path.edit(
        "latimer.toml",
        "www.example.com/{lang}",
        "{lang}.example.com",
    );
    path.edit(
        "latimer.toml",
        "min_translated",
        "slugs = \"{lang}.csv\"\nmin_translated",
    );
    path.write("es.csv", "/still.html,/quieta.html\n");
    let html = built(&path);
    assert_eq!(
        script(&path, &html, "es/", "addressed").unwrap().1,
        addressed
    );
}

#[test]
fn static_pages_are_the_same_whatever_is_set() {
    let pages = |keys: &str| {
        let site = Site::new(
            &format!("{KEYS}{keys}"),
            &[
                ("index.html", "<title>Bread</title><p>Home<!-- -->"),
                ("a/index.html", "<div id=root><p>House</div>"),
            ],
        );
        site.write("es.po", PO);
        site.build(&[], 0);
        let mut files = crate::support::files(&site.path("dist/site"));
        files.retain(|name, _| name.ends_with(".html"));
        files
    };
    assert_eq!(
        pages("[site.scripts]\nlive = \"auto\"\n"),
        pages("[site.scripts]\nlive = \"none\"\n")
    );
    assert_ne!(pages("[site.scripts]\nlive = \"all\"\n"), pages(""));
}

#[test]
fn words_that_do_not_last_count_as_not_translated() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">";
    for (keys, head, said) in [
        (
            "[site.scripts]\nlive = \"none\"\n",
            "",
            "let `live` in [site.scripts] be \"auto\"",
        ),
        (
            "",
            policy,
            "the policy `script-src 'none'` forbids the live script; allow scripts from 'self' in it",
        ),
    ] {
        let site = site(keys, head);
        let report = site.build(&[], 0);
        let spanish = locale(&report, "es");
        assert_eq!(
            (&spanish["pages"], &spanish["missing"]),
            (&json!(1), &json!(1)),
            "{report:#}"
        );
        assert!(
            report["notices"]
                .to_string()
                .replace("\\\"", "\"")
                .contains(said),
            "{report:#}"
        );
        let explained = site
            .run(&["explain", "/", "--locale", "es", "--json"])
            .json();
        assert!(
            explained["notes"]
                .to_string()
                .contains("the source language comes back"),
            "{explained:#}"
        );
    }
    let site = site(
        "",
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">",
    );
    // The host sends what the source's files tell it to, to the pages that they name.
    site.write(
        "source/_headers",
        "/en/*\n  Content-Security-Policy: script-src 'none'\n",
    );
    assert_eq!(locale(&site.build(&[], 0), "es")["pages"], json!(2));
    let html = page(&site, "es/index.html");
    let at = |text: &str| html.find(text).expect(&html);
    assert!(
        at("Content-Security-Policy") < at("latimer-live"),
        "what stands before a policy is not under it"
    );
    // What is published stays when its words do not last any more.
    site.edit(
        "latimer.toml",
        "min_translated = 0.5",
        "min_translated = 0.5\n[site.scripts]\nlive = \"none\"",
    );
    assert_eq!(locale(&site.build(&[], 0), "es")["pages"], json!(2));
    assert!(!page(&site, "es/index.html").contains("latimer-live"));
}

#[test]
fn policies_that_a_host_sends_forbid_the_script_too() {
    let forbidden = |site: &Site| {
        let report = site.build(&[], 0);
        assert_eq!(locale(&report, "es")["missing"], json!(1), "{report:#}");
        let notices = report["notices"].to_string();
        assert!(
            notices.contains("the policy `script-src https://cdn.example 'nonce-")
                && notices.contains("` forbids"),
            "{notices}"
        );
    };
    let policy =
        "Content-Security-Policy: default-src 'self'; script-src https://cdn.example 'nonce-a'";
    let files = [
        (
            "_headers",
            format!("/*\n  X-Frame-Options: DENY\n  {policy}\n"),
        ),
        (
            ".htaccess",
            format!("Header always set {}\"\n", policy.replace(": ", " \"")),
        ),
    ];
    for (name, text) in files {
        let site = site("url = \"https://www.example.com/{lang}\"\n", "");
        site.write(&format!("source/{name}"), &text);
        forbidden(&site);
    }
    let origin = Origin::start(move |path| match path {
        "/" => Said::page(drawn("")).with(policy),
        _ => Said::status(404),
    });
    let site = Site::new("", &[]);
    let keys = format!("source = \"{}\"\n{KEYS}", origin.address);
    site.write(
        "latimer.toml",
        &format!("[[site]]\nid = \"site\"\nsource_locale = \"en\"\n{keys}[site.crawl]\nallow_private = true\n"),
    );
    site.write("es.po", PO);
    let ran = site.run(&["build", "--json", "--quiet"]);
    let report = ran.json()["sites"][0].clone();
    assert!(
        report["notices"]
            .to_string()
            .contains("the policy `script-src https://cdn.example 'nonce-'` forbids"),
        "{report:#}"
    );
}

#[test]
fn a_page_with_many_words_brings_them_in_a_file_of_its_own() {
    let site = site(
        "url = \"https://{lang}.example.com\"\n[site.scripts]\nwords = 100\n",
        "",
    );
    site.build(&[], 0);
    let html = page(&site, "es/index.html");
    let told = block(&html);
    assert_eq!((&told["texts"], &told["mask"]), (&json!([]), &json!(true)));
    let (_, rest) = html.split_once("<script src=\"/_latimer/page.").unwrap();
    let name = format!("_latimer/page.{}", rest.split('"').next().unwrap());
    assert!(
        page(&site, &format!("es/{name}"))
            .starts_with("latimerPage={\"texts\":[[\"Pan\",\"Bread\"]")
    );
    assert_eq!(
        [&told["path"], &told["own"], &told["to"], &told["local"]],
        [&json!("/"), &json!("/"), &json!("/"), &json!("/es/")]
    );
}

#[test]
fn pages_with_the_same_words_bring_one_file() {
    let site = site("[site.scripts]\nwords = 100\n", "");
    site.write("source/twin.html", &drawn(""));
    site.build(&[], 0);
    let file = |name: &str| {
        scripts(&page(&site, name))
            .into_iter()
            .find(|script| script.contains("/page."))
            .unwrap()
    };
    assert_eq!(file("es/index.html"), file("es/twin.html"));
}

/// Where the source of a page is lost, its published bytes stay: they load the words of their day.
#[test]
fn a_page_that_stays_as_it_was_published_keeps_the_scripts_that_it_loads() {
    let site = site("[site.scripts]\nwords = 100\n", "");
    let other = drawn("").replace("House", "Home");
    site.write("source/other.html", &other);
    site.build(&[], 0);
    let before = scripts(&page(&site, "es/index.html"));
    let sources = std::fs::read_dir(site.path("dist/site/_sources"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let lost: Vec<_> = sources
        .filter(|path| std::fs::read(path).unwrap() == drawn("").as_bytes())
        .collect();
    lost.iter()
        .for_each(|path| std::fs::remove_file(path).unwrap());
    site.edit("es.po", "Tu cesta", "Su cesta");
    site.build(&["--offline"], 6);
    let after = scripts(&page(&site, "es/other.html"));
    assert!(
        before != after && scripts(&page(&site, "es/index.html")) == before,
        "{before:?} {after:?}"
    );
    assert_eq!(
        before
            .iter()
            .filter(|name| name.contains("/page.") || name.contains("/words."))
            .count(),
        2
    );
    for name in before.iter().chain(&after) {
        assert!(site.path(&format!("dist/site/{name}")).exists(), "{name}");
    }
    // A page that is made anew needs them no more.
    site.build(&[], 0);
    assert!(
        !site.path(&format!("dist/site/{}", before[1])).exists(),
        "{before:?}"
    );
}

/// The scripts of ours that a page loads.
fn scripts(html: &str) -> Vec<String> {
    let names = html
        .split("<script src=\"/")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().to_owned());
    names.filter(|name| name.starts_with("_latimer/")).collect()
}
