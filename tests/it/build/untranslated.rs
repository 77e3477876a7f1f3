//! Pages that are translated too little, are in another language, or ask not to be translated.

use super::*;

#[test]
fn a_page_too_little_translated_is_answered_as_the_site_wants() {
    let page = "<title>Bread</title><p>Fresh bread</p>";
    for (missing, status, said) in [
        ("source307", 307, ""),
        ("notice", 200, "Fresh bread"),
        ("not_found", 404, ""),
        ("gone", 410, ""),
    ] {
        let keys =
            format!("locales = [\"es\", \"en-XA\"]\nengine = \"fx\"\nmissing = \"{missing}\"");
        let site = Site::new(&keys, &[("bread.html", page)]);
        site.build(&[], 0);
        let server = support::web::Server::start(site.folder());
        let answer = server.get("/es/bread.html");
        assert_eq!(answer.status, status, "{missing}");
        assert!(answer.text().contains(said), "{missing}: {}", answer.text());
        assert_eq!(
            answer.headers.get("location").map(String::as_str),
            (status == 307).then_some("/bread.html")
        );
        assert_eq!(server.get("/en-XA/bread.html").status, 200);
    }
}

#[test]
fn the_share_of_translated_words_decides_whether_a_page_exists() {
    let po = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
              msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n";
    for (least, pages) in [("0.0", 1), ("0.5", 1), ("0.51", 0), ("1.0", 0)] {
        let keys = format!(
            "locales = [\"es\"]\nengine = \"fx\"\ntranslations = \"{{lang}}.po\"\nmin_translated = {least}"
        );
        let site = Site::new(
            &keys,
            &[("index.html", "<p>Fresh bread</p><p>Every day</p>")],
        );
        site.write("es.po", po);
        assert_eq!(locale(&site.build(&[], 0), "es")["pages"], pages, "{least}");
        assert_eq!(
            site.path("dist/site/es/index.html").exists(),
            pages == 1,
            "{least}"
        );
    }
}

const GERMAN: &str = "<html lang=de><title>Brot</title><p>Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es \
                      am Morgen in den Ofen kommt.";

#[test]
fn pages_in_another_language_stay_as_they_are_and_are_named() {
    let english = "<html lang=en><title>Bread</title><p>We bake every loaf by hand and let it rise for a whole night.";
    let names = ["index.html", "a.html", "b.html", "c.html", "d.html"];
    let mut pages: Vec<(&str, &str)> = names.iter().map(|name| (*name, english)).collect();
    pages.push(("brot.html", GERMAN));
    let site = Site::new(
        "locales = [\"en-XA\"]\nurl = \"https://s.example/{lang}\"",
        &pages,
    );
    let notices = |report: &serde_json::Value| -> Vec<String> {
        let notices = report["notices"].as_array().unwrap().iter();
        notices
            .filter_map(|notice| notice.as_str())
            .filter(|said| said.contains("in another language"))
            .map(str::to_owned)
            .collect()
    };
    let said = notices(&site.build(&[], 0));
    assert!(
        said.len() == 1
            && said[0].contains("published once, as they are (1 in de): /brot.html (de)"),
        "{said:?}"
    );
    assert_eq!(site.read("dist/site/en/brot.html"), GERMAN);
    assert!(!site.path("dist/site/en-XA/brot.html").exists());
    assert!(!site.read("dist/site/en-XA/a.html").contains("We bake"));
    let said = site.run(&["explain", "/brot.html"]).stdout;
    assert!(
        String::from_utf8_lossy(&said).contains("its lang and its words are de"),
        "{}",
        String::from_utf8_lossy(&said)
    );
    // A theme that says it of more pages is wrong.
    site.write("source/brot-2.html", GERMAN);
    let report = site.build(&[], 0);
    let said = notices(&report);
    assert!(
        said.len() == 1 && said[0].contains("`source_locale`"),
        "{said:?}"
    );
    assert!(
        !site
            .read("dist/site/en-XA/brot.html")
            .contains("Jedes Brot wird"),
        "{report}"
    );
}

#[test]
fn pages_that_ask_not_to_be_translated_are_named_r_a5() {
    let asking = "<meta name=google content=notranslate><p>Words</p>";
    let site = Site::new("locales = [\"en-XA\"]", &[("index.html", asking)]);
    let report = site.build(&[], 0);
    let said = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|notice| notice.as_str());
    assert!(
        said.clone()
            .any(|said| said.contains("notranslate") && said.ends_with(": /")),
        "{report}"
    );
}
