//! The acceptance of a suspect source, on the command line and over the API.

use super::*;
use crate::support::api::{self, Api};
use crate::support::{self, Ran};

#[test]
fn a_run_is_accepted_once_and_only_for_what_it_saw() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    site.build(&[], 0);
    let without = |from: usize| {
        let good = healthy("Welcome.");
        move |path: &str| {
            if number(path) > from {
                Said::status(404)
            } else {
                good(path)
            }
        }
    };
    origin.answer(without(20));
    let first = site.build(&[], 7)["runId"].as_str().unwrap().to_owned();
    // More is lost than that run saw.
    origin.answer(without(10));
    let report = site.build(&["--accept-source", &first], 7);
    assert!(
        report["notices"].to_string().contains("changed since run"),
        "{report}"
    );
    assert_eq!(pages(&site).len(), PAGES + 1);
    origin.answer(without(20));
    // Pages that are linked and not there are failures all the same (6).
    let report = site.build(&["--accept-source", &first], 6);
    assert_eq!(
        (pages(&site).len(), &report["sourceSuspect"]),
        (21, &Value::Null)
    );
    // What was accepted is what the next crawl is held against.
    site.build(&[], 6);
    for (arguments, said) in [
        (
            &["build", "--accept-source", &*first][..],
            "was accepted by run",
        ),
        (
            &[
                "build",
                "--accept-source",
                "01939f1c-0000-7000-8000-000000000000",
            ],
            "exit code 7 names its run",
        ),
        (&["build", "--accept-source", "x"], "write the id of a run"),
        (
            &["build", "--offline", "--accept-source", &*first],
            "cannot be used with",
        ),
    ] {
        let Ran { code, stderr, .. } = site.run(arguments);
        assert_eq!(
            (code, stderr.contains(said)),
            (2, true),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn a_suspect_source_is_accepted_over_the_api() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    origin.answer(|_| Said::page("<h1>Back soon"));
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    let order = |path: &str, body: &str| server.call("POST", path, &token, body);
    let trigger = || {
        let answer = order(
            "/api/sites/site/crawl-translate",
            r#"{"targetLangs":["es"]}"#,
        );
        server.wait_for(answer.header("location").unwrap(), &token)
    };
    let run = trigger();
    assert_eq!(
        (&run["status"], &run["sourceSuspect"]["keptPages"]),
        (&"completed".into(), &(PAGES + 1).into()),
        "{run}"
    );
    assert!(
        run["failures"]
            .as_array()
            .unwrap()
            .iter()
            .any(|failure| failure["code"] == "source_suspect"),
        "{run}"
    );
    let accept = |run: &Value| {
        format!(
            "/api/sites/site/runs/{}/accept",
            run["runId"].as_str().unwrap()
        )
    };
    let answer = order(&accept(&run), "");
    assert_eq!(answer.status, 202, "{}", answer.json);
    let location = answer.header("location").unwrap();
    assert_eq!(
        location,
        format!(
            "/api/sites/site/runs/{}",
            answer.json["runId"].as_str().unwrap()
        )
    );
    let accepting = server.wait_for(location, &token);
    assert_eq!(
        (&accepting["sourceSuspect"], pages(&site).len()),
        (&Value::Null, 1),
        "{accepting}"
    );
    for of in [&run, &accepting] {
        let again = order(&accept(of), "");
        assert_eq!(
            (again.status, &again.json["details"]["code"]),
            (409, &"run_not_suspect".into()),
            "{}",
            again.json
        );
    }
    let unknown = order(
        "/api/sites/site/runs/01939f1c-0000-7000-8000-000000000000/accept",
        "",
    );
    assert_eq!(
        (unknown.status, &unknown.json["details"]["code"]),
        (404, &"run_not_found".into())
    );
    // The command line goes the same way, with the same exit codes.
    origin.answer(|path| {
        if path == "/" {
            Said::redirect("/login")
        } else {
            Said::page("<p>Log in")
        }
    });
    let server_option = format!("http://{}", server.address);
    let remote = |arguments: &[&str]| {
        let mut command = support::command(site.folder());
        command
            .args(["build", "--json", "--quiet", "--server", &server_option])
            .args(arguments);
        let output = command.env("LATIMER_TOKEN", &token).output().unwrap();
        let report = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
        (
            output.status.code().unwrap(),
            report,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, report, said) = remote(&[]);
    assert_eq!(code, 7, "{report} {said}");
    let suspect = report["sites"][0]["run"]["runId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (code, report, said) = remote(&["--accept-source", &suspect]);
    assert_eq!(
        (code, &report["sites"][0]["run"]["sourceSuspect"]),
        (0, &Value::Null),
        "{report} {said}"
    );
}
