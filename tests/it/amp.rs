//! Pages of AMP, which may load nothing that is not AMP's (R-S20).

use crate::support::pages::{attribute, attributes};
use crate::support::{MARKING, Site};

#[test]
fn a_page_of_amp_is_connected_with_the_page_in_its_language_and_loads_nothing_of_ours_r_s20() {
    let page = "<!doctype html><html lang=en><head><title>Bread</title><link rel=canonical href=https://www.example.com/bread/>\
        <link rel=amphtml href=https://www.example.com/bread/amp/></head><body><p>Bread and butter</p></body></html>";
    let amp = |mark: &str| {
        format!(
            "<!doctype html><html {mark} lang=en><head><meta charset=utf-8><title>Bread</title>\
             <link rel=canonical href=https://www.example.com/bread/><style amp-custom>p{{}}</style></head>\
             <body><p>Bread and butter</p><amp-img src=/a.png alt=Loaf></amp-img></body></html>"
        )
    };
    let pages = [
        ("index.html", page.to_owned()),
        ("bread/index.html", page.to_owned()),
        ("bread/amp/index.html", amp("⚡")),
        ("other/amp.html", amp("amp")),
        ("other/amps.html", amp("data-amp amps")),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let keys =
        "url = \"https://www.example.com/{lang}\"\nlocales = [\"es\"]\nengine = \"marking\"\n";
    let site = Site::new(&format!("{keys}{MARKING}"), &pages);
    site.build(&[], 0);
    let read = |name: &str| site.read(&format!("dist/site/{name}"));
    for name in [
        "en/bread/amp/index.html",
        "es/bread/amp/index.html",
        "es/other/amp.html",
    ] {
        let html = read(name);
        assert!(
            !html.contains("stylesheet") && !html.contains("latimer"),
            "{name}: {html}"
        );
    }
    assert!(read("es/other/amps.html").contains("data-latimer-switcher"));
    let version = read("es/bread/amp/index.html");
    let plain = read("es/bread/index.html");
    assert_eq!(
        attribute(&version, "link[rel=canonical]", "href").unwrap(),
        "https://www.example.com/es/bread/"
    );
    assert_eq!(
        attributes(&plain, "link[rel=amphtml]", "href"),
        ["/es/bread/amp/"]
    );
    assert!(version.contains("¡Bread and butter"));
}
