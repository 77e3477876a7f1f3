//! Real engines on a small site.

use serde_json::json;

use crate::support::judge::{Links, skeleton};
use crate::support::{Site, assert_same, engine_calls, locale, repository, tool};

const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>The house</title>\n\
    <p>The house is <b>red</b>. Open the door with <code>sudo open --door</code> every day.</p>\n\
    <pre>let door = open();</pre>\n<p>Write to <a href=\"mailto:a@example.com\">the owner</a>.</p>\n";

/// Builds the page with one engine and checks that other words stand in the same structure, and the same code.
fn check(to: &str, engine: &str, expected: &[&str]) {
    let html = "[site.html]\nswitcher = { template = \"disclosure\", placement = \"none\" }";
    let keys =
        format!("locales = [\"{to}\"]\nengine = \"tested\"\n{html}\n[engine.tested]\n{engine}");
    let site = Site::new(&keys, &[("index.html", PAGE)]);
    let report = site.build(&[], 0);
    let found = locale(&report, to);
    assert_eq!(
        (&found["pages"], &found["refused"], &found["hints"]),
        (&json!(1), &json!([]), &json!([]))
    );
    let html = site.read(&format!("dist/site/{to}/index.html"));
    assert_eq!(
        skeleton(&html, Links::Move),
        skeleton(PAGE, Links::Move),
        "{html}"
    );
    let kept = [
        "<code>sudo open --door</code>",
        "<pre>let door = open();</pre>",
        "mailto:a@example.com",
    ];
    for expected in expected.iter().chain(&kept) {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    for english in ["The house is", "Open the door", "every day", "Write to"] {
        assert!(!html.contains(english), "{english:?} in {html}");
    }

    let objects = site.objects();
    assert_eq!(engine_calls(&site.build(&[], 0)), 0);
    assert_same(&site.objects(), &objects);
    site.forget();
    site.build(&[], 0);
    assert_same(&site.objects(), &objects);
}

#[test]
fn the_program_in_the_documentation_translates_markup_and_signs() {
    let documentation = std::fs::read_to_string(repository().join("docs/engines.md")).unwrap();
    let program = documentation
        .split_once("```python\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0;
    let page = "<!doctype html><html lang=en><title>Salt &amp; rye</title><p>Bread &lt; 3 &amp; <b>salt &amp; rye</b>.</p>";
    let keys = "locales = [\"es\"]\nengine = \"mine\"\n[engine.mine]\nkind = \"command\"\nprogram = \"python3\"\n\
        args = [\"translate.py\"]\n";
    let site = Site::new(keys, &[("index.html", page)]);
    site.write("translate.py", program);
    let report = site.build(&[], 0);
    assert_eq!(locale(&report, "es")["refused"], json!([]));
    let html = site.read("dist/site/es/index.html");
    assert!(html.contains("<title>SALT &amp; RYE</title>"), "{html}");
    assert!(
        html.contains("BREAD &lt; 3 &amp; <b>SALT &amp; RYE</b>."),
        "{html}"
    );
}

mod needs_apertium {
    use super::*;

    #[test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    fn apertium_translates_a_site_into_spanish_and_leaves_code_alone() {
        check(
            "es",
            "kind = \"apertium\"",
            &["<title>La casa</title>", "La casa es <b>roj", "puerta"],
        );
    }
}

mod needs_models {
    use super::*;

    #[test]
    #[ignore = "needs neural models"]
    fn neural_models_translate_a_site_into_brazilian_portuguese_and_leave_code_alone() {
        let models = tool("LATIMER_TEST_MODELS");
        check(
            "pt-BR",
            &format!("kind = \"fx\"\nmodels = {models:?}"),
            &["<title>A casa</title>", "vermelh", "porta"],
        );
    }
}
