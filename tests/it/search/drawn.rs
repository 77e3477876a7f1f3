//! Searches of sites that scripts draw again: each language has a host, or the live script leads to its index.

use super::*;

#[test]
fn vitepress_finds_words_of_the_language_with_a_host_or_the_live_script() {
    const CHUNK: &str = "assets/chunks/@localSearchIndexroot.CwZk1l0a.js";
    let at = |url: &str| {
        let keys = format!("locales = [\"en-XA\"]\nengine = \"pseudo\"\nurl = \"{url}\"\n");
        let site = Site::new(&keys, &[]);
        support::copy(
            &repository().join("fixtures/search/vitepress"),
            &site.path("source"),
            &|_| true,
        );
        let report = site.build(&[], 0);
        (site, report)
    };
    let (site, report) = at("https://{lang}.example.com");
    assert_eq!(report["search"][0]["generator"], "VitePress");
    let chunk = site.read(&format!("dist/site/en-XA/{CHUNK}"));
    assert!(
        chunk.starts_with("const e='{") && chunk.ends_with("}';export{e as default};\n"),
        "{chunk}"
    );
    let index = object(&chunk, "const e='", "';export");
    assert_eq!(
        index["documentIds"],
        json!({"0": "/bread.html#bread", "1": "/bread.html#templates-t", "2": "/#bakery"})
    );
    let entry = &index["storedFields"]["1"];
    assert_eq!(
        entry["titles"],
        json!([index["storedFields"]["0"]["title"]]),
        "the heading above it is that of the page"
    );
    let title = entry["title"].as_str().unwrap();
    assert!(
        title.contains("Ţéɱþļáţéš") && !title.ends_with('\u{200b}'),
        "{title}"
    );
    let words = index["index"].as_array().unwrap();
    let places = |word: &str| {
        words
            .iter()
            .find(|entry| entry[0] == word)
            .map(|entry| &entry[1])
    };
    assert_eq!(places("water"), None);
    assert_eq!(
        places("loaf"),
        Some(&json!({"2": {"1": 1}})),
        "code stays as it is"
    );
    assert!(
        words
            .iter()
            .any(|entry| entry[0].as_str().unwrap().contains("ţéɱþļáţéš")),
        "{words:?}"
    );

    let (site, report) = at("https://www.example.com/{lang}");
    assert!(
        notices(&report).contains("an index by VitePress, which needs a host for each language"),
        "{report}"
    );
    assert!(!dist_has(&site, &format!("en-XA/{CHUNK}")));
    // Where the live script is, a map leads the module that names the index to that of the language.
    let page = site.read("source/index.html");
    let hydrated = |head: &str| {
        let marks = "<script>window.__VP_HASH_MAP__={};window.__VP_SITE_DATA__={}</script>";
        site.write(
            "source/index.html",
            &page.replace("</title>", &format!("</title>{head}{marks}")),
        );
        site.build(&[], 0)
    };
    let map = format!(
        "<script type=\"importmap\">{{\"imports\":{{\"/{CHUNK}\":\"/en-XA/{CHUNK}\"}}}}</script>"
    );
    let report = hydrated("");
    assert!(!notices(&report).contains("VitePress, which"), "{report}");
    assert_eq!(site.read(&format!("dist/site/en-XA/{CHUNK}")), chunk);
    let html = site.read("dist/site/en-XA/index.html");
    assert!(
        html.find(&map).unwrap() < html.find("<script type=\"module\"").unwrap(),
        "{html}"
    );
    assert!(
        !site
            .read("dist/site/en-XA/bread.html")
            .contains("importmap"),
        "a page without the script"
    );
    // A page's own map would be the second.
    hydrated("<script type=\"IMPORTMAP\">{}</script>");
    assert!(!site.read("dist/site/en-XA/index.html").contains(&map));
    let report =
        hydrated("<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'self'\">");
    assert!(
        notices(&report).contains("or the live script and a policy that allows import maps"),
        "{report}"
    );
    assert!(!dist_has(&site, &format!("en-XA/{CHUNK}")));
}

#[test]
fn docusaurus_finds_words_of_the_language_with_a_host_or_the_live_script() {
    let here = site("docusaurus", "[\"es\"]", "");
    let report = here.build(&[], 0);
    assert_eq!(
        (
            &report["search"][0]["generator"],
            &report["search"][0]["entries"]
        ),
        (&json!("Docusaurus"), &json!(8))
    );
    let index: Value = serde_json::from_str(&read(&here, "search-index.json")).unwrap();
    let documents = |kind: usize| index[kind]["documents"].clone();
    let heading =
        json!([{"i": 5, "t": "Plantillas T", "u": "/bread", "h": "#templates-t", "p": 3}]);
    assert_eq!(
        (&documents(0)[0]["t"], &documents(0)[1]["t"]),
        (&json!("Panadería"), &json!("Pan"))
    );
    assert_eq!(
        (documents(1), documents(2)[1]["t"].clone()),
        (heading, json!("El pan lleva harina & agua."))
    );
    let section = &documents(4)[2];
    assert_eq!(
        section["t"],
        "Las plantillas ahorran tiempo. bake(loaf) hornea una barra."
    );
    assert_eq!(
        (&section["s"], &documents(4)[1]["s"]),
        (&json!("Plantillas T"), &json!("Pan"))
    );
    let words = &index[4]["index"]["invertedIndex"];
    let place = |word: &str| {
        words
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry[0] == word)
            .map(|entry| &entry[1]["t"])
    };
    assert_eq!(
        place("plantillas"),
        Some(&json!({"6": {"position": [[4, 10]]}})),
        "where readers see it marked"
    );
    assert_eq!(
        (place("loaf"), place("flour")),
        (Some(&json!({"6": {"position": [[31, 9]]}})), None)
    );
    assert_eq!(
        index[4]["index"]["pipeline"],
        json!([]),
        "its script has stems of English alone"
    );

    let elsewhere = site(
        "docusaurus",
        "[\"es\"]",
        "url = \"https://www.example.com/{lang}\"\n",
    );
    let report = elsewhere.build(&[], 0);
    assert!(
        notices(&report).contains("an index by Docusaurus, which needs a host for each language"),
        "{report}"
    );
    assert!(!dist_has(&elsewhere, "es/search-index.json"));
    // The live script knows how its search asks.
    elsewhere.edit(
        "source/index.html",
        "</body>",
        "<script src=\"/app.js\"></script></body>",
    );
    let report = elsewhere.build(&[], 0);
    assert!(
        !notices(&report).contains("an index by Docusaurus"),
        "{report}"
    );
    assert_eq!(
        serde_json::from_str::<Value>(&read(&elsewhere, "search-index.json")).unwrap(),
        index
    );
    assert!(read(&elsewhere, "index.html").contains("\"index\":true"));
}
