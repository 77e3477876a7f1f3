//! Tokens that a language model counts, from its answers to the report, the price and the next plan. Tests of an engine
//! with one sentence.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::model::{Counted, Model};
use crate::support::{self, Site, locale};

const PAGES: [(&str, &str); 2] = [
    (
        "index.html",
        "<!doctype html><html lang=en><title>Our bakery</title><p>We bake <b>warm bread</b> each morning.</p>",
    ),
    (
        "about.html",
        "<!doctype html><html lang=en><title>About us</title><p>Hello {name}, we opened in 1998.</p>",
    ),
];
const PRICE: &str = "price = { input = 2, output = 10, cached = 0.5 }";

fn keys(model: &Model, more: &str) -> String {
    format!(
        "locales = [\"es\", \"fr\"]\nengine = \"llm\"\n{}",
        model.engine(more)
    )
}

fn plan(site: &Site, arguments: &[&str]) -> Value {
    site.run(&[&["plan", "--json", "--quiet"], arguments].concat())
        .json()["sites"][0]
        .clone()
}

/// Counts of a report, summed over its languages.
fn reported(report: &Value) -> Counted {
    let mut all = Counted::default();
    for locale in report["locales"].as_array().unwrap() {
        all.requests += locale["engineCalls"].as_u64().unwrap();
        all.characters += locale["charactersSent"].as_u64().unwrap();
        all.input += locale["tokens"]["input"].as_u64().unwrap_or_default();
        all.output += locale["tokens"]["output"].as_u64().unwrap_or_default();
        all.cached += locale["tokens"]["cached"].as_u64().unwrap_or_default();
    }
    all
}

fn price(tokens: &Value) -> f64 {
    let get = |name: &str| tokens[name].as_f64().unwrap();
    (2.0 * (get("input") - get("cached")) + 0.5 * get("cached") + 10.0 * get("output")) / 1e6
}

#[track_caller]
fn assert_near(found: &Value, expected: f64) {
    assert!(
        (found.as_f64().unwrap() - expected).abs() < 1e-9,
        "{found} is not {expected}"
    );
}

#[test]
fn tokens_and_price_go_from_the_answers_to_the_report_and_the_next_plan_r_l20() {
    let model = Model::start();
    let site = Site::new(&keys(&model, PRICE), &PAGES);
    let first = &plan(&site, &[])["locales"][0]["engines"][0];
    assert_eq!(
        (&first["tokensUnknown"], &first["tokens"], &first["price"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    let said = String::from_utf8(site.run(&["plan", "--quiet"]).stdout).unwrap();
    assert!(
        said.contains("; tokens unknown, because no earlier build counted any"),
        "{said}"
    );

    let report = site.build(&[], 0);
    assert_eq!(reported(&report), model.counted());
    assert!(model.counted().input > 400, "{:?}", model.counted());
    for tag in ["es", "fr"] {
        assert_near(
            &locale(&report, tag)["price"],
            price(&locale(&report, tag)["tokens"]),
        );
    }
    let again = site.build(&[], 0);
    assert_eq!(
        (
            &again["locales"][0]["tokens"],
            &again["locales"][0]["price"]
        ),
        (&Value::Null, &Value::Null)
    );

    // The same texts cost the same again, by the ratio of that build.
    let forced = plan(&site, &["--force"]);
    for tag in ["es", "fr"] {
        let planned = &locale(&forced, tag)["engines"][0];
        let paid = locale(&report, tag);
        let tokens = &planned["tokens"];
        for name in ["input", "output", "cached"] {
            assert_eq!(tokens[name], paid["tokens"][name], "{forced:#}");
        }
        assert_eq!(
            (&tokens["basis"], planned.get("tokensUnknown")),
            (&json!("earlierBuilds"), None)
        );
        assert_near(&planned["price"], price(tokens));
    }
    let said = String::from_utf8(site.run(&["plan", "--quiet", "--force"]).stdout).unwrap();
    assert!(
        said.contains(" out by the ratio of earlier builds, for 0.00"),
        "{said}"
    );

    // A new language has the ratio of the others.
    site.configure(&keys(&model, PRICE).replace("\"fr\"]", "\"fr\", \"de\"]"));
    let german = plan(&site, &[]);
    assert_eq!(
        locale(&german, "de")["engines"][0]["tokens"]["basis"],
        "otherLanguages"
    );
    let said = String::from_utf8(site.run(&["build", "--quiet"]).stdout).unwrap();
    assert!(
        said.contains(" of them cached), ")
            && said.contains("in the currency of the configured prices"),
        "{said}"
    );
}

#[test]
fn a_service_that_reports_no_tokens_has_no_price_per_token_r_l20() {
    let model = Model::saying(|_, _, mut good| {
        good.as_object_mut().unwrap().remove("usage");
        (200, good)
    });
    let site = Site::new(&keys(&model, PRICE), &PAGES);
    let report = site.build(&[], 0);
    assert_eq!(reported(&report), model.counted());
    for locale in report["locales"].as_array().unwrap() {
        assert_eq!(
            (locale.get("tokens"), locale.get("price")),
            (None, None),
            "{locale}"
        );
    }
    let notice = "engine llm: its `price` is per token, but the service reports no tokens; the price is unknown";
    assert!(
        report["notices"]
            .as_array()
            .unwrap()
            .contains(&json!(notice)),
        "{report:#}"
    );
    assert_eq!(
        plan(&site, &["--force"])["locales"][0]["engines"][0]["tokensUnknown"],
        true
    );
}

#[test]
fn an_engine_is_tested_with_one_sentence_r_l21() {
    let model = Model::start();
    let site = Site::new(&keys(&model, PRICE), &PAGES);
    let ran = site.run(&["engine", "test", "llm", "--locale", "es", "--json"]);
    let test = ran.json();
    assert_eq!(
        (ran.code, &test["ok"], model.counted().requests),
        (0, &json!(true), 1),
        "{test:#}"
    );
    assert_eq!(
        (&test["from"], &test["locale"], &test["kind"]),
        (&json!("en"), &json!("es"), &json!("openai"))
    );
    assert_eq!(
        test["kept"],
        json!({ "code": true, "number": true, "placeholder": true })
    );
    assert_eq!(test["tokens"]["input"], model.counted().input);
    assert_near(&test["price"], price(&test["tokens"]));
    let ran = site.run(&["engine", "test", "llm", "--locale", "es", "--from", "de"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    let lines = [
        "llm (openai), de to es: works",
        "JSON schema; temperature 0; role system",
        "code        came back",
    ];
    assert!(
        ran.code == 0 && lines.iter().all(|line| said.contains(line)),
        "{said}"
    );
    assert!(
        !site.path(".latimer").exists() && !site.path("dist").exists(),
        "nothing is kept"
    );
}

#[test]
fn a_failed_test_names_the_reason_and_exits_with_6_r_l21() {
    let model = Model::saying(|_, _, good| {
        let told = good
            .to_string()
            .replace("42", "43")
            .replace("{name}", "{nombre}");
        (200, serde_json::from_str(&told).unwrap())
    });
    let site = Site::new(&keys(&model, ""), &PAGES);
    let ran = site.run(&["engine", "test", "llm", "--locale", "es"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(ran.code, 6, "{said}");
    let lines = [
        "does not work",
        "code        came back",
        "number      did not come back",
        "placeholder did not come back",
    ];
    assert!(lines.iter().all(|line| said.contains(line)), "{said}");
    assert_eq!(model.counted().requests, 1, "it is asked once");

    let unknown = ["engine", "test", "lmm", "--locale", "es"];
    site.run(&unknown).failed(
        2,
        &["there is no engine `lmm`; write one of apertium, ", "llm, "],
    );
    site.run(&["engine", "test", "llm", "--locale", "en"])
        .failed(2, &["the sentence is in en already"]);
    site.run(&["engine", "test", "llm", "--locale", "es", "--from", "eu"])
        .failed(2, &["there is no sentence in eu", "en, "]);
    site.configure(&keys(&model, "key_file = \"missing.key\""));
    let ran = site.run(&["engine", "test", "llm", "--locale", "es", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()["ok"], ran.json().get("requests")),
        (6, &json!(false), Some(&json!(0)))
    );
}

#[test]
fn engines_other_than_services_are_tested_too_r_l21() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"mine\"\n[engine.mine]\nkind = \"command\"\nprogram = \"python3\"\n\
        args = [\"engine.py\"]\n",
        &PAGES,
    );
    site.write("engine.py", "import json, re, sys\nfor line in sys.stdin:\n    ask = json.loads(line)\n    \
        text = re.sub(r'<[^>]*>|\\{[^}]*\\}|\\w+', lambda m: m[0] if m[0][0] in '<{' else m[0] + 'o', ask['text'])\n    \
        print(json.dumps({'id': ask['id'], 'text': text.replace('42o', '42')}), flush=True)\n");
    let ran = site.run(&["engine", "test", "mine", "--locale", "es", "--json"]);
    let test = ran.json();
    assert_eq!(
        (ran.code, test.get("tokens"), test.get("form")),
        (0, None, None),
        "{test:#}"
    );
    assert_eq!(
        test["kept"],
        json!({ "code": true, "number": true, "placeholder": true })
    );
    let ran = site.run(&["engine", "test", "pseudo", "--locale", "en-XA"]);
    assert_eq!(ran.code, 0, "{}", String::from_utf8_lossy(&ran.stdout));
}

/// Plan of a build in Spanish that a server is asked for.
fn plan_by(server: &Api, token: &str, arguments: &[&str]) -> String {
    let elsewhere = tempfile::TempDir::new().unwrap();
    let mut command = support::command(elsewhere.path());
    let address = format!("http://{}", server.address);
    command
        .args([
            "plan", "--force", "--locale", "es", "--quiet", "--server", &address,
        ])
        .args(arguments);
    let output = command
        .env("LATIMER_TOKEN", token)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_plan_by_a_server_estimates_tokens_as_well_r_l20() {
    let model = Model::start();
    let site = Site::new(&keys(&model, PRICE), &PAGES);
    site.build(&[], 0);
    let here =
        plan(&site, &["--force", "--locale", "es"])["locales"][0]["engines"][0]["tokens"].clone();
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let report: Value = serde_json::from_str(&plan_by(&server, &token, &["--json"])).unwrap();
    let tokens = &report["sites"][0]["run"]["plan"]["locales"][0]["engines"][0]["tokens"];
    let expected =
        json!({ "input": here["input"], "output": here["output"], "cached": here["cached"] });
    assert_eq!(*tokens, expected, "{report:#}");
    let said = plan_by(&server, &token, &[]);
    let input = &here["input"];
    let output = &here["output"];
    assert!(
        said.contains(&format!(", about {input} tokens in"))
            && said.contains(&format!(" and {output} out")),
        "{said}"
    );
}
