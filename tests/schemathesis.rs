//! The API judged by its own description: schemathesis makes requests from `GET /api/openapi.json`, good and bad ones,
//! and checks every answer against it.
//!
//! `tests/run` installs schemathesis and says where in LATIMER_TEST_SCHEMATHESIS; without it nothing is judged. Each seed
//! takes minutes, so there are two; LATIMER_TEST_SEEDS says another number.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use std::process::Command;

use support::Site;
use support::api::{self, Api};

const SEEDS: u32 = 2;
const EXAMPLES: &str = "200";

#[test]
fn every_answer_is_as_the_document_says() {
    let Ok(schemathesis) = std::env::var("LATIMER_TEST_SCHEMATHESIS") else { return };
    let site = Site::new("locales = [\"es\", \"ar\"]\nengine = [\"pseudo\"]", &[("index.html", "<p>One</p>")]);
    // Whatever pages are asked for, none is fetched.
    api::give_api(&site, &format!("{}[preview]\nallow_hosts = [\"nowhere.test\"]\n", api::NO_LIMITS));
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let document = server.call("GET", "/api/openapi.json", "", "").json;
    // The document's own address is the one that is not asked.
    let operations = document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len());
    let operations = operations.sum::<usize>() - 1;
    let judge = |seed: u32| {
        let mut command = Command::new(&schemathesis);
        let config = support::repository().join("tests/schemathesis.toml");
        command.current_dir(site.folder()).arg("--config-file").arg(config);
        command.args(["run", &format!("http://{}/api/openapi.json", server.address), "--checks", "all"]);
        command.args(["--max-examples", EXAMPLES, "--seed", &seed.to_string(), "--header"]);
        command.arg(format!("Authorization: Bearer {token}"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "seed {seed}: {said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&format!("Tested: {operations}")), "seed {seed}: {said}");
        assert!(!said.contains("Server error"), "seed {seed}: {said}");
    };
    let seeds = std::env::var("LATIMER_TEST_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    std::thread::scope(|scope| {
        let judge = &judge;
        let judged: Vec<_> = (1..=seeds).map(|seed| scope.spawn(move || judge(seed))).collect();
        judged.into_iter().for_each(|judged| judged.join().unwrap());
    });
}
