//! People's words when the source changes: what stays, what waits for a translator, and that nothing is lost.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Files, Site, assert_same, copy, files, locale};

const KEYS: &str =
    "locales = [\"es\", \"pl\"]\nengine = \"pseudo\"\ntranslations = \"po/{lang}.po\"";

/// What the report says of people's words in a locale: how many are carried, outdated and vanished.
#[track_caller]
fn check_counts(report: &Value, tag: &str, expected: [usize; 3]) {
    let found = locale(report, tag);
    let [carried, outdated, vanished] = expected;
    let counts = json!([found["carried"], found["outdated"], found["vanished"]]);
    assert_eq!(
        counts,
        json!([carried, outdated, vanished]),
        "{tag}: {:#}",
        found["changed"]
    );
    assert_eq!(
        found["changed"].as_array().unwrap().len(),
        expected.iter().sum::<usize>()
    );
}

/// The published pages and files of a site, without what only says how they came about.
fn published(site: &Site) -> Files {
    let is_live = |name: &str| !name.contains("/_deployments/") && !name.contains("/_sources/");
    site.objects()
        .into_iter()
        .filter(|(name, _)| is_live(name))
        .collect()
}

fn export(site: &Site, tag: &str, options: &[&str]) -> String {
    let ran = site.run(&[&["export", "--locale", tag], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// Replaces a text in all pages of the bakery.
fn edit_pages(site: &Site, from: &str, to: &str) {
    for (name, body) in files(&site.path("source"))
        .into_iter()
        .filter(|(name, _)| name.ends_with(".html"))
    {
        let html = String::from_utf8(body).unwrap();
        site.write(&format!("source/{name}"), &html.replace(from, to));
    }
}

#[test]
fn a_full_stop_costs_no_reviewed_words_and_an_export_writes_them_down() {
    let site = Site::fixture("bakery");
    let first = site.build(&[], 0);
    check_counts(&first, "es", [0, 0, 0]);
    let before = published(&site);
    edit_pages(&site, ">Skip to the content<", ">Skip to the content.<");
    let clone = Site::new("", &[]);
    copy(site.folder(), clone.folder(), &|name| {
        !matches!(name, "dist" | ".latimer")
    });

    let ran = site.run(&["build", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = String::from_utf8(ran.stdout).unwrap();
    for said in [
        "reviewed segments that changed: carried 1, outdated 0, vanished 0",
        "carried on /: \"Skip to the content\", now \"Skip to the content.\": \"Saltar al contenido.\"",
    ] {
        assert!(text.contains(said), "{said:?} is not in {text}");
    }
    let after = published(&site);
    let untouched = Site::fixture("bakery");
    let words = [
        ("es", "Saltar al contenido", "."),
        ("ar", "الانتقال إلى المحتوى", "."),
        ("ja", "本文へ進む", "。"),
    ];
    for (tag, words, stop) in words {
        let name = format!("bakery/{tag}/index.html");
        let page = |files: &Files| String::from_utf8(files[&name].clone()).unwrap();
        let expected = page(&before).replace(&format!(">{words}<"), &format!(">{words}{stop}<"));
        assert_eq!(page(&after), expected, "nothing else changes in {tag}");
        let file = format!("translations/{tag}.po");
        assert_eq!(
            site.read(&file),
            untouched.read(&file),
            "a build writes no translations"
        );
    }

    // Words follow from file and source alone: a fresh checkout has the same bytes, and knows as much of what changed.
    let report = clone.build(&[], 0);
    assert_same(&published(&clone), &after);
    for tag in ["es", "ar", "ja"] {
        check_counts(&report, tag, [1, 0, 0]);
        let changed = &locale(&report, tag)["changed"][0];
        assert_eq!(
            (
                &changed["state"],
                &changed["path"],
                &changed["oldSource"],
                &changed["newSource"]
            ),
            (
                &json!("carried"),
                &json!("/"),
                &json!("Skip to the content"),
                &json!("Skip to the content.")
            )
        );
    }

    // Written down, they are approved entries of the new text, and nothing is published anew.
    for (tag, words, stop) in words {
        export(&site, tag, &[]);
        let file = format!("translations/{tag}.po");
        let po = site.read(&file);
        let old = untouched.read(&file);
        let entry = format!("\nmsgid \"Skip to the content.\"\nmsgstr \"{words}{stop}\"\n");
        assert!(po.contains(&entry) && !po.contains("fuzzy"), "{po}");
        let order = |po: &str| -> Vec<String> {
            let live = po
                .lines()
                .filter(|line| line.starts_with("msgid ") && !line.contains("Skip to the"));
            live.map(str::to_owned).collect()
        };
        assert_eq!(order(&po), order(&old), "the file's order stays");
    }
    let report = site.build(&[], 0);
    assert_eq!(report["created"], false, "{report:#}");
    check_counts(&report, "es", [0, 0, 0]);
    let po = site.read("translations/es.po");
    export(&site, "es", &[]);
    let again = site.read("translations/es.po");
    let other: Vec<_> = again
        .lines()
        .zip(po.lines())
        .filter(|(one, other)| one != other)
        .take(3)
        .collect();
    assert!(
        other.is_empty() && again == po,
        "a second export changes nothing: {other:?}"
    );

    // Back again, the text has its own words again.
    edit_pages(&site, ">Skip to the content.<", ">Skip to the content<");
    site.build(&[], 0);
    assert_same(&published(&site), &before);
}

/// A site of which a person translated everything into both languages.
fn oven(page: &str, es: &[(&str, &str)], pl: &[(&str, &str)]) -> Site {
    let site = Site::new(KEYS, &[("index.html", page)]);
    for (tag, texts) in [("es", es), ("pl", pl)] {
        let entry =
            |(source, words): &(&str, &str)| format!("msgid \"{source}\"\nmsgstr \"{words}\"\n");
        site.write(
            &format!("po/{tag}.po"),
            &texts.iter().map(entry).collect::<Vec<_>>().join("\n"),
        );
    }
    site
}

#[test]
fn a_not_is_never_published_with_the_old_words() {
    let texts = [
        ("The oven", "El horno"),
        ("Do touch the oven", "Toque el horno"),
    ];
    let site = oven(
        "<title>The oven</title><p>Do touch the oven</p>",
        &texts,
        &texts,
    );
    site.build(&[], 0);
    site.edit("source/index.html", "Do touch", "Do not touch");
    let report = site.build(&[], 0);
    check_counts(&report, "es", [0, 1, 0]);
    let changed = &locale(&report, "es")["changed"][0];
    assert_eq!(
        (&changed["state"], &changed["similarity"]),
        (&json!("outdated"), &json!(80))
    );
    assert_eq!(
        (
            &changed["oldSource"],
            &changed["newSource"],
            &changed["words"]
        ),
        (
            &json!("Do touch the oven"),
            &json!("Do not touch the oven"),
            &json!("Toque el horno")
        )
    );
    let page =
        |site: &Site| String::from_utf8(published(site)["site/es/index.html"].clone()).unwrap();
    assert!(!page(&site).contains("Toque"), "{}", page(&site));
    let explained = site
        .run(&["explain", "/", "oven", "--locale", "es", "--json"])
        .json();
    let text = &explained["locales"][0]["texts"][1];
    assert_eq!(
        (&text["origin"], &text["outdated"]["target"]),
        (&json!("memory"), &json!("Toque el horno"))
    );

    let before = published(&site);
    export(&site, "es", &[]);
    let po = site.read("po/es.po");
    let entry = "#, fuzzy\n#| msgid \"Do touch the oven\"\nmsgid \"Do not touch the oven\"\nmsgstr \"Toque el horno\"\n";
    assert!(
        po.contains(entry)
            && po.ends_with("#~ msgid \"Do touch the oven\"\n#~ msgstr \"Toque el horno\"\n"),
        "{po}"
    );
    site.build(&[], 0);
    assert_same(&published(&site), &before);

    site.edit("source/index.html", "Do not touch", "Do touch");
    let report = site.build(&[], 0);
    assert!(
        page(&site).contains("Toque el horno"),
        "obsolete words come back with their text"
    );
    assert_eq!(locale(&report, "es")["words"]["person"], 6);
}

#[test]
fn a_new_price_is_carried_where_no_word_hangs_on_it() {
    let es = [("Rye", "Centeno"), ("Only $3 a loaf", "Solo $3 la hogaza")];
    let pl = [("Rye", "Żyto"), ("Only $3 a loaf", "Tylko $3 za bochenek")];
    let site = oven("<title>Rye</title><p>Only $3 a loaf</p>", &es, &pl);
    site.build(&[], 0);
    site.edit("source/index.html", "$3", "$4");
    let plan = site.run(&["plan", "--json"]).json()["sites"][0].clone();
    let planned = locale(&plan, "es");
    let open = locale(&plan, "pl");
    let told = |plan: &Value| {
        json!([
            plan["person"],
            plan["carried"],
            plan["outdated"],
            plan["new"]
        ])
    };
    assert_eq!(
        (told(planned), told(open)),
        (json!([2, 1, 0, 0]), json!([1, 0, 1, 1]))
    );

    let report = site.build(&[], 0);
    check_counts(&report, "es", [1, 0, 0]);
    check_counts(&report, "pl", [0, 1, 0]);
    assert_eq!(locale(&report, "es")["engineCalls"], 0);
    let live = published(&site);
    let page =
        |tag: &str| String::from_utf8(live[&format!("site/{tag}/index.html")].clone()).unwrap();
    assert!(
        page("es").contains("Solo $4 la hogaza") && !page("pl").contains("Tylko"),
        "{}",
        page("pl")
    );
    let explained = site.run(&["explain", "/", "loaf", "--locale", "es"]);
    let said = String::from_utf8(explained.stdout).unwrap();
    assert!(
        said.contains("es.po:4\n    carried from: Only $3 a loaf"),
        "{said}"
    );
    assert_eq!(
        site.build(&["--frozen", "--locale", "es"], 0)["created"],
        false,
        "nothing is missing"
    );
}

#[test]
fn a_moved_paragraph_and_a_new_class_change_nothing() {
    let texts = [
        ("Rye", "Centeno"),
        ("Our oven is old", "El horno es viejo"),
        ("Our oven is cold", "El horno está frío"),
    ];
    let site = oven(
        "<title>Rye</title><p>Our oven is old</p><p>Our oven is cold</p>",
        &texts,
        &texts,
    );
    site.build(&[], 0);
    export(&site, "es", &[]);
    let before = site.read("po/es.po");
    site.write(
        "source/index.html",
        "<title>Rye</title><p class=\"a\">Our oven is cold</p><p>Our oven is old</p>",
    );
    check_counts(&site.build(&[], 0), "es", [0, 0, 0]);
    export(&site, "es", &[]);
    assert_eq!(site.read("po/es.po"), before);
}

#[test]
fn exports_keep_order_and_can_be_prefilled() {
    let page = "<title>Rye</title><p>One loaf</p><p>Two loaves</p><p>Fresh butter</p>";
    let site = oven(
        page,
        &[
            ("Fresh butter", "Mantequilla"),
            ("Rye", "Centeno"),
            ("Salt", "Sal"),
        ],
        &[],
    );
    site.build(&[], 0);
    let before = published(&site);
    export(&site, "es", &[]);
    let po = site.read("po/es.po");
    let order: Vec<&str> = po
        .lines()
        .filter(|line| line.contains("msgid \""))
        .skip(1)
        .collect();
    let expected =
        ["Fresh butter", "Rye", "One loaf", "Two loaves"].map(|text| format!("msgid \"{text}\""));
    assert_eq!(order[..4], expected, "{po}");
    assert_eq!(order[4..], ["#~ msgid \"Salt\""]);
    assert!(po.contains("msgid \"One loaf\"\nmsgstr \"\"\n"), "{po}");

    export(&site, "es", &["--prefill"]);
    let po = site.read("po/es.po");
    let (_, prefilled) = po
        .split_once("#, fuzzy\nmsgid \"One loaf\"\nmsgstr \"")
        .unwrap();
    assert!(
        !prefilled.starts_with('"') && po.matches("#, fuzzy").count() == 2,
        "{po}"
    );
    site.build(&[], 0);
    assert_same(&published(&site), &before);
}

#[test]
fn an_export_to_standard_output_keeps_the_words_and_writes_no_file() {
    let site = oven(
        "<title>Rye</title><p>One loaf</p>",
        &[("Rye", "Centeno")],
        &[],
    );
    site.build(&[], 0);
    let before = site.read("po/es.po");
    let ran = site.run(&["export", "--locale", "es", "-", "--quiet"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(
        said.contains("msgid \"Rye\"\nmsgstr \"Centeno\"\n")
            && said.contains("msgid \"One loaf\"\nmsgstr \"\"\n"),
        "{said}"
    );
    assert_eq!(site.read("po/es.po"), before);
    assert!(!site.path("-").exists());
}

#[test]
fn the_entry_of_the_documentation_is_what_an_export_writes() {
    let page = "<!doctype html><html lang=en><title>About</title>\
        <p>Read <a href=/story>our story</a> or call <code>555-0100</code>.</p>";
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("about/index.html", page)],
    );
    site.build(&[], 0);
    let said = String::from_utf8(
        site.run(&["export", "--locale", "es", "-", "--quiet"])
            .stdout,
    )
    .unwrap();
    let document = include_str!("../../docs/translators.md");
    let example = document
        .split("```po\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let (entry, _) = example.split_once("msgstr").unwrap();
    assert!(said.contains(entry), "{said}");
}

#[test]
fn a_refused_entry_names_its_file_and_line() {
    let site = Site::new(
        KEYS,
        &[("index.html", "<title>Rye</title><p>Ask <b>us</b></p>")],
    );
    site.write(
        "po/es.po",
        "# Ana\nmsgid \"Ask <g id=\\\"1\\\">us</g>\"\nmsgstr \"Pregunte\"\n",
    );
    let report = site.build(&["--locale", "es"], 6);
    let reason = locale(&report, "es")["refused"][0]["reason"]
        .as_str()
        .unwrap();
    assert!(
        reason.contains("po/es.po:2 is refused: inline code 1 is missing"),
        "{reason}"
    );
}

#[test]
fn no_words_are_lost_in_any_row_of_edits_and_exports() {
    let texts = [
        ("Rye", "Centeno"),
        ("Our oven is old", "El horno es viejo"),
        ("Only $3 a loaf", "Solo $3 la hogaza"),
    ];
    let site = oven("", &texts, &texts);
    for page in [
        "<title>Rye</title><p>Our oven is old</p><p>Only $3 a loaf</p>",
        "<title>Rye.</title><p>Our oven is not old</p><p>Only $4 a loaf</p>",
        "<title>Wheat</title><p>Nothing is the same</p>",
        "<title>Rye</title><p>Our oven is very old</p><p>Only $5 a loaf.</p><p>Only $4 a loaf</p>",
    ] {
        site.write("source/index.html", page);
        site.build(&[], 0);
        let before = published(&site);
        export(&site, "es", &[]);
        let po = site.read("po/es.po");
        for (source, words) in texts {
            let live = format!("msgid \"{source}\"\nmsgstr \"{words}\"");
            let obsolete = format!("#~ msgid \"{source}\"\n#~ msgstr \"{words}\"");
            assert!(
                po.contains(&live) || po.contains(&obsolete),
                "{source} after {page}: {po}"
            );
        }
        let report = site.build(&[], 0);
        assert_eq!(report["created"], false, "{page}");
        assert_same(&published(&site), &before);
        check_counts(&report, "es", [0, 0, 0]);
    }
}

mod needs_gettext {
    use super::*;

    #[test]
    #[ignore = "needs gettext's msgfmt"]
    fn exports_are_files_that_msgfmt_takes() {
        let site = Site::fixture("bakery");
        edit_pages(
            &site,
            ">Skip to the content<",
            ">Skip to the whole content.<",
        );
        site.build(&[], 0);
        for options in [&[][..], &["--prefill"]] {
            let file = site.path(&export(&site, "es", options));
            let checked = Command::new("msgfmt")
                .args(["-c", "--check-header", "-o", "/dev/null"])
                .arg(file)
                .output();
            let checked = checked.unwrap();
            let said = String::from_utf8_lossy(&checked.stderr);
            assert!(
                checked.status.success() && said.is_empty(),
                "{options:?}: {said}"
            );
        }
    }
}
