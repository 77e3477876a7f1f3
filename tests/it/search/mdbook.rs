//! The search of a book by mdBook, and its sidebar, in every language.

use super::*;

#[test]
fn mdbook_finds_words_of_the_language() {
    let site = site("mdbook", "[\"es\"]", "");
    let report = site.build(&[], 0);
    assert_eq!(report["search"][0]["generator"], "mdBook");
    let index = mdbook_index(&read(&site, "searchindex-8eddf3e3.js"));
    assert_eq!(
        index["doc_urls"],
        json!([
            "index.html#bakery",
            "bread.html#bread",
            "bread.html#templates-t"
        ])
    );
    let document = &index["index"]["documentStore"]["docs"]["2"];
    assert_eq!(
        document,
        &json!({"id": "2", "title": "Plantillas T", "breadcrumbs": "Panadería » Pan » Plantillas T",
                "body": "Las plantillas ahorran tiempo. bake(loaf) hornea una barra."})
    );
    assert_eq!(
        word(&index, "body", "plantillas")["docs"],
        json!({"2": {"tf": 1.0}})
    );
    assert_eq!(word(&index, "body", "harina")["df"], json!(1));
    assert_eq!(word(&index, "body", "flour"), &Value::Null);
    // The site's own functions are for English.
    assert_eq!(index["index"]["pipeline"], json!([]));
    assert_eq!(
        index["index"]["documentStore"]["docInfo"]["2"],
        json!({"title": 2, "body": 10, "breadcrumbs": 4})
    );
}

#[test]
fn the_sidebar_of_mdbook_is_in_the_language_r_c9() {
    let site = site("mdbook", "[\"es\"]", "");
    site.edit(
        "es.po",
        "msgid \"Bakery\"",
        "msgid \"<x id=\\\"1\\\"/> Bakery\"\nmsgstr \"<x id=\\\"1\\\"/> La \\\\ d'Or\"\n\nmsgid \"Bakery\"",
    );
    let report = site.build(&[], 0);
    // Its texts are those of the page that stands in for it without scripts.
    let source = site.read("source/toc-8f5a242e.js");
    let program = read(&site, "toc-8f5a242e.js");
    assert!(
        program.contains("<strong aria-hidden=\"true\">1.</strong> La \\\\ d\\u0027Or</a>"),
        "{program}"
    );
    let string = |program: &str| {
        program
            .split_once("innerHTML = '")
            .unwrap()
            .1
            .split_once("';\n")
            .unwrap()
            .0
            .to_owned()
    };
    assert_eq!(
        program.replace(&string(&program), ""),
        source.replace(&string(&source), ""),
        "the program is the same"
    );
    assert!(read(&site, "bread.html").contains("<script src=\"toc-8f5a242e.js\">"));
    assert_eq!(
        report["segments"],
        site_without_sidebar(&site),
        "no text more is asked for"
    );
}

/// How many texts the site has without its sidebar.
fn site_without_sidebar(site: &Site) -> Value {
    std::fs::remove_file(site.path("source/toc-8f5a242e.js")).unwrap();
    site.build(&[], 0)["segments"].clone()
}
