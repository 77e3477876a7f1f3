//! Engines are measured on texts that people translated: what is sent is said before, and nothing is written.

use serde_json::Value;

use crate::support::{Site, assert_same, files};

const PAGE: &str = "<title>Bakery</title><p>The bread is fresh.</p><p>We open at <b>seven</b> every day.</p>\
                    <p>Bread of 3 kinds</p><p>Ask <code>us</code>.</p><p>Not translated</p><img alt=\"A loaf\">";
const PO: &str = r#"
msgid "The bread is fresh."
msgstr "El pan está fresco."

msgid "We open at <g id=\"1\">seven</g> every day."
msgstr "Abrimos todos los días a las <g id=\"1\">siete</g>."

msgid "Bread of 3 kinds"
msgstr "Pan de 3 clases"

msgctxt "label"
msgid "A loaf"
msgstr "Una hogaza"

msgid "It stood here last year."
msgstr "Estaba aquí el año pasado."

#, fuzzy
msgid "Bakery"
msgstr "Panadero"

msgid "Not translated"
msgstr ""

msgid "Ask <x id=\"1\"/>."
msgstr "Pregunte."

#~ msgid "Gone"
#~ msgstr "Se fue"
"#;
/// What the engine answers: it keeps codes, says some texts otherwise than people do, and spoils a number.
const ENGINE: &str = r#"tee -a asked | sed -u -e 's/The bread is fresh/El pan es fresco/' \
    -e 's/We open at \(<g id=\\"1\\">\)seven\(<.g>\) every day/Abrimos a las \1siete\2 cada día/' \
    -e 's/Bread of 3 kinds/Pan de 4 clases/' -e 's/A loaf/Una hogaza/' \
    -e 's/It stood here last year/Estuvo aquí el año pasado/'
"#;

fn site() -> Site {
    let keys = "locales = [\"es\", \"fr\", \"en-XA\"]\nengine = \"ours\"\ntranslations = \"{lang}.po\"\n\
                memory = \"{lang}.jsonl\"\n[engine.ours]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"engine.sh\"]";
    let site = Site::new(keys, &[("index.html", PAGE)]);
    site.write("es.po", PO);
    site.write("engine.sh", ENGINE);
    site
}

fn evaluate(site: &Site, arguments: &[&str], code: i32) -> Value {
    let ran = site.run(&[&["eval", "--json", "--locale", "es"], arguments].concat());
    assert_eq!(ran.code, code, "{}", ran.stderr);
    ran.json()
}

/// Checks chrF and BLEU against what sacrebleu 2.6.0 says.
#[track_caller]
fn assert_scores(score: &Value, chrf: f64, bleu: f64) {
    let found = [&score["chrf"], &score["bleu"]].map(|figure| figure.as_f64().unwrap());
    assert!(
        (found[0] - chrf).abs() < 0.01 && (found[1] - bleu).abs() < 0.01,
        "{found:?}, not {chrf} and {bleu}"
    );
}

#[test]
fn an_engine_is_compared_with_what_people_wrote() {
    let site = site();
    let before = files(site.folder());
    let report = evaluate(&site, &["--worst", "2"], 6);
    let counts = ["texts", "found", "scored", "refused", "untouched"]
        .map(|key| report[key].as_u64().unwrap());
    assert_eq!(counts, [5, 4, 4, 1, 0], "{report:#}");
    // Without inline codes, and without what was refused.
    assert_scores(&report["score"], 65.4908, 40.6448);
    assert_scores(&report["sourceScore"], 9.7562, 3.2462);
    // What was refused stays in the source language.
    assert_scores(&report["publishedScore"], 58.2552, 35.6925);
    assert_eq!(report["refusals"][0]["source"], "Bread of 3 kinds");
    let worst: Vec<_> = report["worst"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| mark["made"].as_str().unwrap())
        .collect();
    assert_eq!(
        worst,
        ["Abrimos a las siete cada día.", "El pan es fresco."]
    );
    assert_eq!(report["meansLittle"], true);
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("1 reviewed translations are left out"),
        "{notices}"
    );

    let mut after = files(site.folder());
    let asked = String::from_utf8(after.remove("asked").unwrap()).unwrap();
    assert_same(&after, &before);
    assert!(
        !asked.contains("Not translated") && !asked.contains("Bakery"),
        "{asked}"
    );
}

#[test]
fn neither_people_nor_the_memory_answer_for_an_engine() {
    let site = site();
    site.write(
        "engine.sh",
        &ENGINE.replace("of 3 kinds/Pan de 4", "of 3 kinds/Pan de 3"),
    );
    evaluate(&site, &[], 0);
    let asked = || site.read("asked").lines().count();
    let once = asked();
    // A build without people's words fills the memory; the next measurement asks as many texts again and leaves the
    // memory as it is.
    std::fs::remove_file(site.path("es.po")).unwrap();
    site.build(&["--locale", "es"], 0);
    site.write("es.po", PO);
    let built = asked();
    let memory = site.read("es.jsonl");
    assert!(memory.contains("El pan es fresco."));
    evaluate(&site, &[], 0);
    assert_eq!((asked() - built, once), (once, 5));
    assert_eq!(site.read("es.jsonl"), memory);
}

#[test]
fn what_would_be_sent_is_said_first_and_bounded() {
    let site = site();
    let ran = site.run(&["eval", "--locale", "es"]);
    let announced = "site: 5 segments that people translated from en to es; ours (a program on this machine) gets ";
    ran.failed(6, &[announced]);
    let text = String::from_utf8(ran.stdout).unwrap();
    let parts = [
        "4 scored, 1 refused, 0 untouched",
        "the same left untranslated",
        "figures mean little",
        "the worst:",
    ];
    parts
        .iter()
        .for_each(|part| assert!(text.contains(part), "{part:?} is not in {text}"));
    let characters = ran
        .stderr
        .split(announced)
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<u64>()
        .unwrap();
    std::fs::remove_file(site.path("asked")).unwrap();
    let less = (characters - 1).to_string();
    site.run(&["eval", "--locale", "es", "--max-chars", &less])
        .failed(
            4,
            &[
                &format!("engines would get {characters} characters"),
                "nothing was sent",
            ],
        );
    assert!(!site.path("asked").exists());
    // It holds for asking again, too: what was refused is not paid for twice.
    let report = evaluate(&site, &["--max-chars", &characters.to_string()], 6);
    assert_eq!(report["charactersSent"], characters);
    assert_eq!(
        site.run(&["eval", "--quiet", "--locale", "es", "--engine", "identity"])
            .stderr,
        ""
    );
}

#[test]
fn engines_are_named_as_the_configuration_and_render_know_them() {
    let site = Site::fixture("bakery");
    let before = files(site.folder());
    let evaluate = |locale: &str, engine: &str| {
        let ran = site.run(&["eval", "--json", "--locale", locale, "--engine", engine]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()
    };
    let identity = evaluate("es", "identity");
    assert_eq!(identity["score"], identity["sourceScore"]);
    assert!(
        identity["texts"].as_u64().unwrap() > 200 && identity["texts"] == identity["found"],
        "{identity:#}"
    );
    assert!(identity["score"]["chrf"].as_f64().unwrap() > 10.0 && identity["meansLittle"] == false);
    let pseudo = evaluate("es", "pseudo");
    assert!(
        pseudo["score"]["chrf"].as_f64() < identity["score"]["chrf"].as_f64(),
        "{pseudo:#}"
    );
    // A program that gives sentences back as they are is no translator.
    let copied = site.run(&[
        "eval",
        "--json",
        "--locale",
        "es",
        "--engine",
        "command:cat",
    ]);
    assert_eq!(copied.code, 6, "{}", copied.stderr);
    let scored = |report: &Value| report["scored"].as_u64().unwrap();
    assert!(
        scored(&copied.json()) < scored(&identity)
            && copied.json()["refusals"].to_string().contains("[copied]")
    );
    let japanese = evaluate("ja", "identity");
    assert!(
        japanese["notices"].to_string().contains("look at chrF"),
        "{japanese:#}"
    );
    assert_same(&files(site.folder()), &before);
}

#[test]
fn without_anything_to_compare_or_to_ask_it_says_what_to_do() {
    let site = site();
    let none = [
        "there is nothing to compare with",
        "latimer export --locale fr",
    ];
    site.run(&["eval", "--locale", "fr"]).failed(1, &none);
    site.write(
        "fr.po",
        "#, fuzzy\nmsgid \"Bakery\"\nmsgstr \"Boulanger\"\n",
    );
    site.run(&["eval", "--locale", "fr"]).failed(1, &none);
    site.run(&["eval", "--locale", "de"])
        .failed(2, &["has no locale de"]);
    site.run(&["eval", "--locale", "en-XA"])
        .failed(2, &["is no language"]);
    site.run(&["eval", "--locale", "es", "--engine", "nonesuch"])
        .failed(2, &["there is no engine `nonesuch`"]);
    let no_model = ["no engine has en to es", "latimer models add en es"];
    site.run(&["eval", "--locale", "es", "--engine", "fx"])
        .failed(3, &no_model);
    site.write("es.po", "msgid \"a\"\nmsgstr nothing\n");
    site.run(&["eval", "--locale", "es"])
        .failed(2, &["es.po:2"]);
    site.configure("locales = [\"es\"]");
    site.run(&["eval", "--locale", "es"])
        .failed(1, &["has no `translations`"]);
    // Where the source is gone, the translations are enough.
    let site = self::site();
    std::fs::remove_dir_all(site.path("source")).unwrap();
    let report = evaluate(&site, &[], 6);
    assert_eq!(
        (&report["found"], &report["scored"]),
        (&0.into(), &4.into()),
        "{report:#}"
    );
}
