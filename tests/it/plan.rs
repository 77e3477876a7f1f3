//! Cost is known before it is spent: what `plan` says is what `build` sends, and a budget is kept before anything leaves.

use serde_json::{Value, json};

use crate::support::{self, Site, locale};

/// An engine that writes down what it is asked and answers well.
const KEYS: &str = "engine = \"counting\"\nmemory = \"memory/{lang}.jsonl\"\ntranslations = \"{lang}.po\"\n\
                    [engine.counting]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"engine.sh\"]\n\
                    price_per_million = 20";
const COUNTING: &str = "#!/bin/sh\ntee asked.$$ | sed -u 's/\"text\":\"/\"text\":\"¡/'\n";

fn site() -> Site {
    let site = Site::fixture("bakery");
    let locales = "locales = [\"es\", \"ar\", \"ja\", \"en-XA\"]";
    let text = site.read("latimer.toml");
    let line = text
        .lines()
        .find(|line| line.starts_with("locales"))
        .unwrap()
        .to_owned();
    assert!(line.starts_with(locales));
    site.edit("latimer.toml", &line, "locales = [\"fr\", \"de\"]");
    site.edit(
        "latimer.toml",
        "translations = \"translations/{lang}.po\"\n",
        "",
    );
    let store = "\n[store]";
    site.edit("latimer.toml", store, &format!("{KEYS}\n{store}"));
    site.write("engine.sh", COUNTING);
    site.write("fr.po", "msgid \"Bread\"\nmsgstr \"Pain\"\n");
    site
}

/// Characters that the engine was sent, codes not counted. Each start of it has a file, and what it was killed over is
/// no whole line.
fn asked(site: &Site) -> u64 {
    let files = std::fs::read_dir(site.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let asked: Vec<String> = files
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "asked"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let lines = asked
        .iter()
        .flat_map(|asked| asked.split_inclusive('\n'))
        .filter(|line| line.ends_with('\n'));
    let texts = lines.map(|line| {
        serde_json::from_str::<Value>(line).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    let plain = texts.map(|text| {
        scraper::Html::parse_fragment(&text)
            .root_element()
            .text()
            .collect::<String>()
    });
    plain.map(|text| text.chars().count() as u64).sum()
}

fn plan(site: &Site, arguments: &[&str]) -> Value {
    let ran = site.run(&[&["plan", "--json", "--quiet"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json()["sites"][0].clone()
}

fn characters(report: &Value, key: &str) -> u64 {
    report["locales"]
        .as_array()
        .unwrap()
        .iter()
        .map(|locale| locale[key].as_u64().unwrap())
        .sum()
}

#[test]
fn what_is_planned_is_what_is_sent_to_the_character() {
    let site = site();
    let first = plan(&site, &[]);
    let planned = characters(&first, "characters");
    assert!(planned > 20_000, "{first:#}");
    assert_eq!(
        (asked(&site), site.path("dist/bakery/fr").exists()),
        (0, false),
        "nothing is sent or published"
    );
    let [fr, de] = ["fr", "de"].map(|tag| locale(&first, tag));
    assert_eq!((&fr["person"], &de["person"]), (&json!(1), &json!(0)));
    let price = |locale: &Value| locale["characters"].as_f64().unwrap() * 20.0 / 1_000_000.0;
    assert_eq!(fr["engines"][0]["price"].as_f64(), Some(price(fr)));
    let texts = |plan: &Value| {
        [
            "person",
            "memory",
            "excluded",
            "refused",
            "untouched",
            "new",
        ]
        .map(|key| plan[key].as_u64().unwrap())
        .iter()
        .sum::<u64>()
    };
    assert_eq!(
        [texts(fr), texts(de)],
        [first["segments"].as_u64().unwrap(); 2]
    );
    assert_eq!(
        plan(&site, &["--offline"])["locales"],
        first["locales"],
        "a plan can stand on the last one's source"
    );
    let report = site.build(&["--max-chars", &planned.to_string()], 0);
    assert_eq!(
        (characters(&report, "charactersSent"), asked(&site)),
        (planned, planned)
    );
    let calls = |report: &Value| characters(report, "engineCalls");
    let requests = first["locales"]
        .as_array()
        .unwrap()
        .iter()
        .map(|locale| locale["engines"][0]["requests"].as_u64().unwrap());
    assert_eq!(calls(&report), requests.sum::<u64>());
    assert_eq!(
        characters(&plan(&site, &[]), "characters"),
        0,
        "what was paid is not planned again"
    );
    assert_eq!(
        characters(&plan(&site, &["--force", "--locale", "de"]), "characters"),
        characters(&json!({ "locales": [de] }), "characters")
    );
}

#[test]
fn a_budget_is_kept_before_anything_is_sent() {
    let site = site();
    let planned = characters(&plan(&site, &[]), "characters");
    for allowed in [0, 100, planned - 1] {
        let plan = String::from_utf8(site.run(&["plan", "--quiet"]).stdout).unwrap();
        assert!(plan.contains(" requests, for 0."), "{plan}");
        let said = format!("engines would get {planned} characters (fr ");
        site.run(&["build", "--max-chars", &allowed.to_string()])
            .failed(4, &[&said, "nothing was sent"]);
        assert_eq!(
            (asked(&site), site.path("dist/bakery/fr").exists()),
            (0, false)
        );
    }
    // What is selected is what counts.
    site.build(
        &[
            "--locale",
            "fr",
            "--max-chars",
            &(planned / 2 + 1).to_string(),
        ],
        0,
    );
    assert!(asked(&site) > 0);
}

#[test]
fn a_site_has_a_budget_for_a_run_and_for_a_month() {
    let site = site();
    let planned = characters(&plan(&site, &["--locale", "fr"]), "characters");
    let allow = |key: &str, most: u64| {
        let text = site.read("latimer.toml");
        let kept: String = text
            .lines()
            .filter(|line| !line.starts_with("max_chars"))
            .map(|line| format!("{line}\n"))
            .collect();
        site.write("latimer.toml", &kept);
        site.edit(
            "latimer.toml",
            "engine =",
            &format!("{key} = {most}\nengine ="),
        );
    };
    allow("max_chars", planned - 1);
    let said = format!(
        "at most {} may be sent in one run (`max_chars`); nothing was sent",
        planned - 1
    );
    site.run(&["build", "--locale", "fr"]).failed(4, &[&said]);
    allow("max_chars_per_month", planned + 100);
    site.build(&["--locale", "fr"], 0);
    assert_eq!(asked(&site), planned);
    // What one build sent, the next one cannot send again.
    let used = format!(
        "{planned} of {} are used (`max_chars_per_month`); nothing was sent",
        planned + 100
    );
    site.run(&["build"])
        .failed(4, &["at most 100 may be sent until the end of ", &used]);
    let plan = String::from_utf8(site.run(&["plan", "--quiet"]).stdout).unwrap();
    assert!(
        plan.contains("at most 100 characters may be sent until the end of "),
        "{plan}"
    );
    assert_eq!(asked(&site), planned);
    allow("max_chars_per_month", planned * 3);
    site.build(&[], 0);
    assert!(asked(&site) > planned);
}

#[test]
fn an_engine_that_fails_is_not_asked_again_beyond_the_budget() {
    let site = site();
    // It hears everything and answers three texts, each time it is started.
    site.write(
        "engine.sh",
        "#!/bin/sh\ntee asked.$$ | head -n 3 | sed -u 's/\"text\":\"/\"text\":\"¡/'\n",
    );
    let planned = characters(&plan(&site, &["--locale", "fr"]), "characters");
    let ran = site.run(&[
        "build",
        "--json",
        "--quiet",
        "--locale",
        "fr",
        "--max-chars",
        &planned.to_string(),
    ]);
    assert!([3, 6].contains(&ran.code), "{}", ran.stderr);
    let sent = characters(&ran.json()["sites"][0], "charactersSent");
    assert!(
        sent <= planned && asked(&site) <= planned,
        "{sent} of {planned}"
    );
    assert!(
        ran.json()["sites"][0]
            .to_string()
            .contains("what this run may send is used up")
    );
}

#[test]
fn new_numbers_cost_nothing() {
    let site = site();
    site.build(&[], 0);
    let sent = asked(&site);
    let pages = site.path("source");
    let shift = |text: &str| -> String {
        text.chars()
            .map(|c| {
                c.to_digit(10)
                    .map_or(c, |digit| char::from(b'1' + (digit % 9) as u8))
            })
            .collect()
    };
    let mut changed = 0;
    for (name, bytes) in support::files(&pages)
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
    {
        let html = String::from_utf8(bytes.clone()).unwrap();
        // Numbers of the texts alone: what stands in tags and scripts names files and places.
        let mut is_text = true;
        let text = html.split_inclusive('>').map(|part| {
            let (words, tag) = part.split_once('<').unwrap_or((part, ""));
            let words = if is_text && !words.contains("&#") {
                shift(words)
            } else {
                words.to_owned()
            };
            is_text = !tag.starts_with("script") && !tag.starts_with("style");
            if part.contains('<') {
                words + "<" + tag
            } else {
                words
            }
        });
        let text: String = text.collect();
        changed += usize::from(text != html);
        site.write(&format!("source/{name}"), &text);
    }
    assert!(changed > 2, "{changed} pages changed");
    let plan = plan(&site, &[]);
    let left = characters(&plan, "characters");
    site.build(&[], 0);
    assert_eq!((left, asked(&site)), (0, sent), "{plan:#}");
}

#[test]
fn a_plan_names_words_of_engines_that_are_not_asked_today_r_p3() {
    let keys = |engine: &str| {
        format!(
            "locales = [\"es\"]\nengine = [\"mine\"]\n[engine.mine]\nkind = \"command\"\nprogram = \"python3\"\n\
             args = [\"{engine}\"]\nprice_per_million = 20\n"
        )
    };
    let page =
        "<!doctype html><html lang=en><title>warm rolls</title><p>our daily <b>bread</b></p>";
    let site = Site::new(&keys("one.py"), &[("index.html", page)]);
    let program = "import json, sys\nfor line in sys.stdin:\n    ask = json.loads(line)\n    \
        print(json.dumps({'id': ask['id'], 'text': ask['text'].replace('a', 'A')}), flush=True)\n";
    ["one.py", "two.py"]
        .iter()
        .for_each(|name| site.write(name, program));
    let plan =
        || site.run(&["plan", "--json"]).json()["sites"][0]["locales"][0]["formerEngines"].clone();
    site.build(&[], 0);
    // A run without anything to do asks no engine.
    site.build(&[], 0);
    assert_eq!(plan(), json!([]));
    site.configure(&keys("two.py"));
    let former = plan();
    assert_eq!(
        (&former[0]["texts"], &former[0]["characters"]),
        (&json!(2), &json!(25)),
        "{former}"
    );
    assert_eq!(former[0]["price"], json!(0.0005), "{former}");
    assert!(
        former[0]["fingerprint"]
            .as_str()
            .unwrap()
            .starts_with("command python3 "),
        "{former}"
    );
    let said = site.run(&["plan"]);
    assert!(
        String::from_utf8_lossy(&said.stdout)
            .contains("latimer memory forget --engine command --locale es"),
        "{}",
        String::from_utf8_lossy(&said.stdout)
    );
    assert_eq!(
        [changed_engines(&site), changed_engines(&site)],
        [1, 0],
        "said once, by the build after the change"
    );
    site.run(&["memory", "forget", "--engine", "command"]);
    site.build(&[], 0);
    assert_eq!(plan(), json!([]));
}

/// Builds a site, and counts notices about engines that changed since the last run.
fn changed_engines(site: &Site) -> usize {
    let report = site.build(&[], 0);
    let notices: Vec<String> = serde_json::from_value(report["notices"].clone()).unwrap();
    notices
        .iter()
        .filter(|notice| notice.starts_with("es: engines changed since the last run"))
        .count()
}
