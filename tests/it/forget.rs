//! `latimer memory forget`: the next build asks for the texts that are meant, and for no others.

use std::collections::BTreeSet;

use crate::support::{Site, command};

/// Translates into capitals, and writes down what it was asked for.
const ENGINE: &str = "import json, sys\n\
    for line in sys.stdin:\n\
    \x20   ask = json.loads(line)\n\
    \x20   open('asked.txt', 'a').write(ask['to'] + ' ' + ask['text'] + '\\n')\n\
    \x20   print(json.dumps({'id': ask['id'], 'text': ask['text'].upper()}), flush=True)\n";

fn site(memory: &str) -> Site {
    let keys = format!(
        "locales = [\"es\", \"fr\"]\nengine = [\"mine\"]\n{memory}[engine.mine]\nkind = \"command\"\nprogram = \"python3\"\n\
         args = [\"engine.py\"]\n"
    );
    let page = |text: &str| {
        format!("<!doctype html><html lang=en><title>{text}</title><p>our daily bread</p>")
    };
    let pages = [
        ("index.html", page("warm rolls")),
        ("blog/index.html", page("old news")),
        ("blog/a/index.html", page("new oven")),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let site = Site::new(&keys, &pages);
    site.write("engine.py", ENGINE);
    site.build(&[], 0);
    site
}

/// The texts that a build asks for, after something was forgotten.
fn asked_after(site: &Site, arguments: &[&str]) -> BTreeSet<String> {
    let output = command(site.path(".").as_path())
        .args(["memory", "forget"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    site.write("asked.txt", "");
    site.build(&[], 0);
    let asked = site.read("asked.txt").lines().map(str::to_owned).collect();
    site.write("asked.txt", "");
    site.build(&[], 0);
    assert_eq!(
        site.read("asked.txt"),
        "",
        "what was asked for once is remembered"
    );
    asked
}

fn of(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn texts_are_asked_for_again_by_page_language_and_engine_r_l9() {
    for memory in ["", "memory = \"memory/{lang}.jsonl\"\n"] {
        let site = site(memory);
        let blog = ["es old news", "es new oven", "es our daily bread"];
        assert_eq!(
            asked_after(&site, &["--path", "/blog/", "--locale", "es"]),
            of(&blog)
        );
        assert_eq!(
            asked_after(&site, &["--path", "/blog/a/", "--locale", "fr"]),
            of(&["fr new oven", "fr our daily bread"])
        );
        assert_eq!(asked_after(&site, &["--engine", "apertium"]), of(&[]));
        let french = [
            "fr old news",
            "fr new oven",
            "fr our daily bread",
            "fr warm rolls",
        ];
        assert_eq!(
            asked_after(&site, &["--engine", "mine", "--locale", "fr"]),
            of(&french)
        );
        assert!(
            site.read("dist/site/es/index.html")
                .contains("<title>WARM ROLLS</title>")
        );
    }
}

#[test]
fn wrong_arguments_forget_nothing_r_l9() {
    let site = site("");
    for (arguments, said) in [
        (&[][..], "say what to forget"),
        (&["--locale", "de"], "site is not in de; it has es, fr"),
        (&["--path", "blog"], "selects no pages"),
    ] {
        let output = command(site.path(".").as_path())
            .args(["memory", "forget"])
            .args(arguments)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && errors.contains(said),
            "{arguments:?}: {errors}"
        );
    }
}
