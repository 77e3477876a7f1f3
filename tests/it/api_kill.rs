//! The server killed at any moment while callers write: what was answered 2xx is there after the restart (C2).
//!
//! Each writer sends numbered values, one after the other, so after a kill the kept value is the last one that was
//! answered or the one that was on its way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::api::{self, Api};
use crate::support::{self, Site, at_strength};

/// How soon after a start the work that was cut off goes on.
const RESUMED: Duration = Duration::from_secs(5);

/// The last value sent and the last one that was answered.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    last: u64,
    answered: u64,
}

impl Sent {
    #[track_caller]
    fn check(&self, what: &str, kept: u64) {
        assert!(
            (self.answered..=self.last).contains(&kept),
            "{what}: {kept} is kept, sent was {self:?}"
        );
    }
}

#[test]
fn writes_answered_before_a_kill_are_there_after_it() {
    let keys = "locales = [\"es\", \"ar\"]\nengine = [\"pseudo\"]";
    let site = Site::new(
        keys,
        &[("index.html", "<p>One</p>"), ("two.html", "<p>Two</p>")],
    );
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    let token = api::token(site.folder(), "ana", "site");
    let kills = u64::from(at_strength("LATIMER_KILLS", 10));
    let mut summaries = Sent::default();
    let mut digests = Sent::default();
    let mut switches = Sent::default();
    let mut ordered: Vec<String> = Vec::new();
    for kill in 0..kills {
        let server = Api::start(site.folder());
        check(&server, &token, &summaries, &switches, &ordered);
        ordered.clear();
        // A moment that differs each time, from the first write to well into the runs.
        let moment = Duration::from_millis(kill * 37 % 150);
        let over = AtomicBool::new(false);
        let put =
            |path: &'static str, body: fn(u64) -> String, method: &'static str, sent: &mut Sent| {
                while !over.load(Ordering::Relaxed) {
                    sent.last += 1;
                    match server.try_call(method, path, &token, &body(sent.last)) {
                        Some(answer) if answer.status == 200 => sent.answered = sent.last,
                        Some(answer) => panic!("{path}: {answer:?}"),
                        None => break,
                    }
                }
            };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                put(
                    "/api/sites/site/locales/es/translation-summary",
                    summary,
                    "PUT",
                    &mut summaries,
                )
            });
            scope.spawn(|| put("/api/digests/subscription", digest, "PUT", &mut digests));
            scope.spawn(|| {
                put(
                    "/api/sites/site/locales/ar/serve",
                    switch,
                    "POST",
                    &mut switches,
                )
            });
            scope.spawn(|| {
                let body = r#"{"targetLangs":["es"],"force":true}"#;
                while !over.load(Ordering::Relaxed) {
                    let Some(answer) =
                        server.try_call("POST", "/api/sites/site/crawl-translate", &token, body)
                    else {
                        break;
                    };
                    assert_eq!(answer.status, 202, "{answer:?}");
                    ordered.push(answer.header("location").unwrap().to_owned());
                }
            });
            api::pause(moment);
            // Killed first: the writers see their connections break, not a calm end.
            signal(server.pid());
            over.store(true, Ordering::Relaxed);
        });
        server.kill();
        check_digest(&site, &digests);
    }
    let server = Api::start(site.folder());
    let started = Instant::now();
    check(&server, &token, &summaries, &switches, &ordered);
    loop {
        let runs = server
            .call("GET", "/api/sites/site/runs?limit=200", &token, "")
            .json;
        let open = runs["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|run| run["finishedAt"].is_null())
            .count();
        if open == 0 {
            break;
        }
        assert!(started.elapsed() < RESUMED, "{open} runs are still open");
        api::pause(Duration::from_millis(50));
    }
    assert!(
        summaries.answered > kills && digests.answered > kills && switches.answered > 0,
        "hardly anything was written"
    );
}

fn summary(number: u64) -> String {
    format!(r#"{{"summary":{{"headline":"{number}"}}}}"#)
}

fn digest(number: u64) -> String {
    format!(r#"{{"email":"n{number}@example.com","frequency":"daily"}}"#)
}

/// Odd numbers switch off.
fn switch(number: u64) -> String {
    format!(r#"{{"enabled":{}}}"#, number.is_multiple_of(2))
}

fn check(server: &Api, token: &str, summaries: &Sent, switches: &Sent, ordered: &[String]) {
    let list = server
        .call(
            "GET",
            "/api/sites/site/translation-summaries?view=full",
            token,
            "",
        )
        .json;
    let of_es = |summary: &&Value| summary["targetLang"] == "es";
    let es = list["summaries"]
        .as_array()
        .unwrap()
        .iter()
        .find(of_es)
        .expect("es was built, so it has a summary");
    let kept = es["headline"]
        .as_str()
        .map_or(0, |headline| headline.parse().unwrap());
    summaries.check("summary", kept);
    if switches.answered == switches.last && !switches.last.is_multiple_of(2) {
        assert_ne!(
            support::web::get(&server.address, "/ar/").status,
            200,
            "a language that is off is served"
        );
    }
    for run in ordered {
        let answer = server.call("GET", run, token, "");
        assert_eq!(answer.status, 200, "{run} is lost");
    }
}

fn check_digest(site: &Site, sent: &Sent) {
    let ran = site.run(&["digest", "show", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let kept = ran.json()["digests"][0]["email"]
        .as_str()
        .map_or(0, |email| {
            email
                .trim_start_matches('n')
                .split('@')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        });
    sent.check("digest", kept);
}

/// SIGKILL, without waiting for the end.
fn signal(pid: u32) {
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
}
