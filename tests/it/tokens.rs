//! Tokens that a language model counts, from its answers to the report, the price and the next plan.

use serde_json::{Value, json};

use crate::support::model::{Counted, Model};
use crate::support::{Site, locale};

const PAGES: [(&str, &str); 2] = [
    (
        "index.html",
        "<!doctype html><html lang=en><title>Our bakery</title><p>We bake <b>warm bread</b> each morning.</p>",
    ),
    ("about.html", "<!doctype html><html lang=en><title>About us</title><p>Hello {name}, we opened in 1998.</p>"),
];
const PRICE: &str = "price = { input = 2, output = 10, cached = 0.5 }";

fn keys(model: &Model, more: &str) -> String {
    format!("locales = [\"es\", \"fr\"]\nengine = \"llm\"\n{}", model.engine(more))
}

fn plan(site: &Site, arguments: &[&str]) -> Value {
    site.run(&[&["plan", "--json", "--quiet"], arguments].concat()).json()["sites"][0].clone()
}

/// What a report counts in all languages.
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
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-9, "{found} is not {expected}");
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
    assert!(said.contains("; tokens unknown, for no earlier build counted any"), "{said}");

    let report = site.build(&[], 0);
    assert_eq!(reported(&report), model.counted());
    assert!(model.counted().input > 400, "{:?}", model.counted());
    for tag in ["es", "fr"] {
        assert_near(&locale(&report, tag)["price"], price(&locale(&report, tag)["tokens"]));
    }
    let again = site.build(&[], 0);
    assert_eq!((&again["locales"][0]["tokens"], &again["locales"][0]["price"]), (&Value::Null, &Value::Null));

    // The same texts cost the same again, by the ratio of that build.
    let forced = plan(&site, &["--force"]);
    for tag in ["es", "fr"] {
        let (planned, paid) = (&locale(&forced, tag)["engines"][0], locale(&report, tag));
        let tokens = &planned["tokens"];
        for name in ["input", "output", "cached"] {
            assert_eq!(tokens[name], paid["tokens"][name], "{forced:#}");
        }
        assert_eq!((&tokens["basis"], planned.get("tokensUnknown")), (&json!("earlierBuilds"), None));
        assert_near(&planned["price"], price(tokens));
    }
    let said = String::from_utf8(site.run(&["plan", "--quiet", "--force"]).stdout).unwrap();
    assert!(said.contains(" out by the ratio of earlier builds, for 0.00"), "{said}");

    // A new language has the ratio of the others.
    site.configure(&keys(&model, PRICE).replace("\"fr\"]", "\"fr\", \"de\"]"));
    let german = plan(&site, &[]);
    assert_eq!(locale(&german, "de")["engines"][0]["tokens"]["basis"], "otherLanguages");
    let said = String::from_utf8(site.run(&["build", "--quiet"]).stdout).unwrap();
    assert!(
        said.contains(" of them cached), ") && said.contains("in the currency of the prices that you wrote"),
        "{said}"
    );
}

#[test]
fn a_service_that_names_no_tokens_has_no_price_by_tokens_r_l20() {
    let model = Model::saying(|_, _, mut good| {
        good.as_object_mut().unwrap().remove("usage");
        (200, good)
    });
    let site = Site::new(&keys(&model, PRICE), &PAGES);
    let report = site.build(&[], 0);
    assert_eq!(reported(&report), model.counted());
    for locale in report["locales"].as_array().unwrap() {
        assert_eq!((locale.get("tokens"), locale.get("price")), (None, None), "{locale}");
    }
    let notice = "engine llm: its `price` is by tokens, and the service names none; the price is unknown";
    assert!(report["notices"].as_array().unwrap().contains(&json!(notice)), "{report:#}");
    assert_eq!(plan(&site, &["--force"])["locales"][0]["engines"][0]["tokensUnknown"], true);
}
