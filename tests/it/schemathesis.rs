//! The API judged by its own description: schemathesis makes requests from `GET /api/openapi.json`, good and bad ones,
//! and checks every answer against it.
//!
//! Each seed takes half a minute, so there is one; LATIMER_SEEDS sets another number, and LATIMER_EXAMPLES how many requests of each
//! kind it makes.

use std::process::Command;

use crate::support::api::{self, Api};
use crate::support::{self, Site, at_strength, tool};

mod needs_schemathesis {
    use super::*;

    #[test]
    #[ignore = "needs schemathesis"]
    fn every_answer_is_as_the_document_says() {
        let schemathesis = tool("LATIMER_TEST_SCHEMATHESIS");
        let site = Site::new(
            "locales = [\"es\", \"ar\"]\nengine = [\"pseudo\"]",
            &[("index.html", "<p>One</p>")],
        );
        // Whatever pages are asked for, none is fetched.
        api::give_api(
            &site,
            &format!(
                "{}[preview]\nallow_hosts = [\"nowhere.test\"]\n",
                api::NO_LIMITS
            ),
        );
        site.build(&[], 0);
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        let document = server.call("GET", "/api/openapi.json", "", "").json;
        // The document's own address is the one that is not asked.
        let operations = document["paths"]
            .as_object()
            .unwrap()
            .values()
            .map(|path| path.as_object().unwrap().len());
        let operations = operations.sum::<usize>() - 1;
        let examples = at_strength("LATIMER_EXAMPLES", 15).to_string();
        let judge = |seed: u32| {
            let mut command = Command::new(&schemathesis);
            let config = support::repository().join("tests/schemathesis.toml");
            command
                .current_dir(site.folder())
                .arg("--config-file")
                .arg(config);
            command.args([
                "run",
                &format!("http://{}/api/openapi.json", server.address),
                "--checks",
                "all",
            ]);
            command.args([
                "--max-examples",
                &examples,
                "--seed",
                &seed.to_string(),
                "--header",
            ]);
            command.arg(format!("Authorization: Bearer {token}"));
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success(),
                "seed {seed}: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(
                said.contains(&format!("Tested: {operations}")),
                "seed {seed}: {said}"
            );
            assert!(!said.contains("Server error"), "seed {seed}: {said}");
        };
        let seeds = at_strength("LATIMER_SEEDS", 1);
        std::thread::scope(|scope| {
            let judge = &judge;
            let judged: Vec<_> = (1..=seeds)
                .map(|seed| scope.spawn(move || judge(seed)))
                .collect();
            judged.into_iter().for_each(|judged| judged.join().unwrap());
        });
    }
}
