//! Endpoints of webhooks: each thing that happens is told once, signed as the standard's own library checks it, whatever the
//! endpoint answers and whenever the server is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::api::{Api, NO_LIMITS, give_api, pause, token};
use crate::support::{Site, at_strength};
use endpoint::{Act, Came, Sink};

mod endpoint;
mod needs_receivers;

const HOOKS: &str = "/api/sites/bakery/webhooks";

struct World {
    site: Site,
    token: String,
    server: Option<Api>,
}

impl World {
    fn new() -> Self {
        let site = Site::fixture("bakery");
        give_api(
            &site,
            &format!("{NO_LIMITS}\n[webhooks]\nallow_private = true\n"),
        );
        site.build(&[], 0);
        let token = token(site.folder(), "ana", "*");
        let server = Some(Api::start(site.folder()));
        Self {
            site,
            token,
            server,
        }
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let answer = self
            .server
            .as_ref()
            .unwrap()
            .call(method, path, &self.token, &body);
        assert!(
            answer.status < 300,
            "{method} {path}: {} {}",
            answer.status,
            answer.json
        );
        answer.json
    }

    /// Adds an endpoint; gives its place and its secret.
    fn add(&self, sink: &Sink, events: &[&str]) -> (String, String) {
        let added = self.call(
            "POST",
            HOOKS,
            &json!({ "url": sink.url(), "events": events }),
        );
        let text = |name: &str| added[name].as_str().unwrap().to_owned();
        (format!("{HOOKS}/{}", text("webhookId")), text("secret"))
    }

    /// Turns the switch of a language that has no run to follow, because nothing else changes.
    fn switch(&self, on: bool) {
        self.call(
            "POST",
            "/api/sites/bakery/locales/ja/serve",
            &json!({ "enabled": on }),
        );
    }

    fn deliveries(&self, hook: &str) -> Vec<Value> {
        let listed = self.call("GET", &format!("{hook}/deliveries?limit=200"), &Value::Null);
        listed["items"].as_array().unwrap().clone()
    }
}

/// Checks signatures as a receiver does, which also looks at the time.
fn verify(came: &Came, secret: &str) {
    let webhook = standardwebhooks::Webhook::new(secret).unwrap();
    webhook
        .verify(came.body.as_bytes(), &came.headers)
        .unwrap_or_else(|error| panic!("{error}: {came:?}"));
}

/// No number is missing among those that were told of, and a message is the same however often it comes.
fn sequences(came: &[Came]) -> Vec<u64> {
    let mut bodies = BTreeMap::new();
    for came in came {
        let before = bodies.entry(came.id()).or_insert_with(|| came.body.clone());
        assert_eq!(*before, came.body, "a message has one body");
    }
    let number = |body: &String| {
        serde_json::from_str::<Value>(body).unwrap()["data"]["sequence"]
            .as_u64()
            .unwrap()
    };
    let mut numbers: Vec<u64> = bodies.values().map(number).collect();
    numbers.sort_unstable();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected, "numbers have no gaps");
    numbers
}

#[test]
fn whatever_an_endpoint_answers_everything_arrives_once_and_is_signed() {
    let world = World::new();
    let most = at_strength("LATIMER_ROUNDS", 30) as usize * 5 / 2;
    let sink = Sink::new(|number| match number % 25 {
        3 => Act::Answer(500),
        9 => Act::Reset,
        15 => Act::Slow(Duration::from_millis(300)),
        21 => Act::Redirect,
        _ => Act::Answer(200),
    });
    let (hook, secret) = world.add(&sink, &["locale.serving_changed"]);
    for round in 0..most {
        world.switch(round % 2 == 1);
        if round == most / 2 {
            // Both sign for a day.
            let rotated = world.call("POST", &format!("{hook}/secret"), &Value::Null);
            assert_ne!(rotated["secret"].as_str().unwrap(), secret);
        }
    }
    let came = sink.wait_for(most);
    let mut arrived = BTreeSet::new();
    for came in &came {
        verify(came, &secret);
        assert_eq!(came.path, "/hook", "nobody follows a redirect");
        assert!(
            !arrived.contains(&came.id()),
            "{} was sent after it had arrived",
            came.id()
        );
        if came.arrived {
            arrived.insert(came.id());
        }
    }
    // Of the runs that went with the switches this endpoint was told nothing.
    assert!(
        came.iter()
            .all(|came| came.body()["type"] == "locale.serving_changed")
    );
    assert_eq!(arrived.len(), most);
    let now = world.call("POST", &format!("{hook}/secret"), &Value::Null)["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    world.call("POST", &format!("{hook}/test"), &Value::Null);
    verify(sink.came().last().unwrap(), &now);
}

#[test]
fn an_endpoint_that_hangs_keeps_no_other_waiting_and_one_that_is_gone_is_left_alone() {
    let world = World::new();
    let dead = Sink::new(|_| Act::Slow(Duration::from_secs(60)));
    world.add(&dead, &[]);
    let sinks: Vec<Sink> = (0..8).map(|_| Sink::new(|_| Act::Answer(200))).collect();
    for sink in &sinks {
        world.add(sink, &["locale.serving_changed"]);
    }
    let gone = Sink::new(|number| Act::Answer(if number == 0 { 410 } else { 200 }));
    let (hook, _) = world.add(&gone, &["locale.serving_changed"]);
    for round in 0..12 {
        let told = Instant::now();
        world.switch(round % 2 == 1);
        for sink in &sinks {
            let came = sink.wait_for(round + 1);
            let late = came.last().unwrap().at.duration_since(told);
            assert!(late < Duration::from_secs(1), "{late:?} in round {round}");
        }
    }
    assert_eq!(world.call("GET", &hook, &Value::Null)["status"], "gone");
    assert_eq!(gone.came().len(), 1);
    let held = world.deliveries(&hook);
    assert!(
        held.len() == 12 && held.iter().all(|delivery| delivery["status"] == "held"),
        "{held:#?}"
    );
    let url = gone.url();
    world.call(
        "PUT",
        &hook,
        &json!({ "url": url, "events": ["locale.serving_changed"], "enabled": true }),
    );
    assert_eq!(
        world.call("POST", &format!("{hook}/redeliver"), &json!({}))["deliveries"],
        12
    );
    gone.wait_for(12);
}

#[test]
fn deployments_and_runs_are_told_whoever_made_them() {
    let mut world = World::new();
    let sink = Sink::new(|_| Act::Answer(200));
    world.add(&sink, &[]);
    let told = |kind: &str| -> Vec<Value> {
        let came = sink.came().into_iter().map(|came| came.body());
        came.filter(|body| body["type"] == kind)
            .map(|body| body["data"].clone())
            .collect()
    };
    let wait = |kind: &str, count: usize| {
        let until = Instant::now() + Duration::from_secs(60);
        while told(kind).len() < count {
            assert!(Instant::now() < until, "{kind}: {:#?}", sink.came());
            pause(Duration::from_millis(20));
        }
        told(kind)
    };
    world.site.edit(
        "source/about/index.html",
        "</main>",
        "<p>One more line.</p></main>",
    );
    let ordered = world.call(
        "POST",
        "/api/sites/bakery/crawl-translate",
        &json!({ "targetLangs": ["es"] }),
    );
    let run = wait("run.completed", 1).remove(0);
    assert_eq!(
        (&run["runId"], &run["kind"]),
        (&ordered["crawlId"], &json!("build"))
    );
    let published = wait("deployment.published", 1).remove(0);
    assert_eq!(
        (&published["deploymentId"], &published["number"]),
        (&run["deploymentId"], &json!(2))
    );
    let paths = published["paths"].as_array().unwrap();
    assert!(paths.contains(&json!("/about/")), "{published:#}");
    assert_eq!(published["pathsTotal"], paths.len());
    // Going back.
    let all = world.call("GET", "/api/sites/bakery/deployments", &Value::Null);
    let first = all["items"][1]["deploymentId"].as_str().unwrap();
    let back = world.call(
        "POST",
        &format!("/api/sites/bakery/deployments/{first}/activate"),
        &Value::Null,
    );
    let rolled = wait("deployment.rolled_back", 1).remove(0);
    assert_eq!(
        (&rolled["deploymentId"], &rolled["number"]),
        (&back["deploymentId"], &json!(3))
    );
    assert_eq!(rolled["paths"], published["paths"]);
    // By the command line, while nobody serves: told at the next start.
    world.server = None;
    world
        .site
        .edit("source/about/index.html", "One more line.", "Another line.");
    world.site.build(&[], 0);
    world.server = Some(Api::start(world.site.folder()));
    assert_eq!(wait("deployment.published", 2)[1]["number"], 4);
    wait("run.completed", 2);
    sequences(&sink.came());
    // Starting again tells nothing anew.
    let before = sink.came().len();
    world.server = None;
    world.server = Some(Api::start(world.site.folder()));
    world.switch(false);
    wait("locale.serving_changed", 1);
    let more: Vec<Value> = sink.came()[before..]
        .iter()
        .map(|came| came.body()["type"].clone())
        .collect();
    assert!(
        !more.contains(&json!("deployment.published")) || told("deployment.published").len() == 3,
        "{more:?}"
    );
}

/// A server that is killed at any moment tells of every switch that it answered, and of none that it did not turn.
#[test]
fn what_a_killed_server_answered_is_told() {
    let mut world = World::new();
    let sink = Sink::new(|_| Act::Answer(200));
    let (_, secret) = world.add(&sink, &[]);
    let kills = at_strength("LATIMER_KILLS", 5) as usize * 2;
    let mut stands = true;
    let mut answered = 0;
    for kill in 0..kills {
        let server = world.server.take().unwrap();
        // A few switches, and the last one is cut off at some moment.
        for _ in 0..3 {
            let wanted = !stands;
            let done = server.try_call(
                "POST",
                SERVE,
                &world.token,
                &json!({ "enabled": wanted }).to_string(),
            );
            if done.as_ref().is_some_and(|done| done.status == 200) {
                (stands, answered) = (wanted, answered + 1);
            } else {
                // Whoever turns a switch to where it stands is answered, and nobody is told.
                println!(
                    "kill {kill}: {:?}",
                    done.map(|done| (done.status, done.json))
                );
                stands = is_on(
                    &server
                        .call("GET", "/api/sites/bakery", &world.token, "")
                        .json,
                );
            }
        }
        let address = server.address.clone();
        let token = world.token.clone();
        let wanted = !stands;
        let late = std::thread::spawn(move || {
            crate::support::api::call(
                &address,
                "POST",
                SERVE,
                &token,
                &json!({ "enabled": wanted }).to_string(),
            )
        });
        pause(Duration::from_micros(700 * (kill as u64 % 20)));
        server.kill();
        let done = late.join().unwrap().is_some_and(|done| done.status == 200);
        world.server = Some(Api::start(world.site.folder()));
        let now = world.call("GET", "/api/sites/bakery", &Value::Null);
        stands = is_on(&now);
        assert!(!done || stands == wanted, "what was answered is so");
        answered += usize::from(done);
    }
    // A server that starts may end a run, which is told as well.
    let is_switch = |came: &Came| came.body()["type"] == "locale.serving_changed";
    sink.wait_for_those(answered, is_switch);
    pause(Duration::from_secs(2));
    let came = sink.came();
    came.iter().for_each(|came| verify(came, &secret));
    sequences(&came);
    // In their order each says the other of what the one before said: none is made up, none is missing.
    let mut said: BTreeMap<u64, bool> = BTreeMap::new();
    for came in came.iter().filter(|came| is_switch(came)) {
        let data = came.body()["data"].clone();
        said.insert(
            data["sequence"].as_u64().unwrap(),
            data["serveEnabled"].as_bool().unwrap(),
        );
    }
    assert!(
        said.len() >= answered,
        "{} of {answered} switches were told",
        said.len()
    );
    let mut before = true;
    for (number, on) in said {
        assert_ne!(on, before, "number {number}");
        before = on;
    }
}

/// A switch that reached the store but not the state, because a kill came between, is told before the next one.
#[test]
fn switch_that_only_the_store_knows_is_told_with_the_next_one() {
    let mut world = World::new();
    let sink = Sink::new(|_| Act::Answer(200));
    world.add(&sink, &["locale.serving_changed"]);
    world.switch(false);
    world.switch(true);
    sink.wait_for(2);
    world.server.take().unwrap().stop();
    let state = world.site.path(".latimer/state.redb");
    let before = world.site.path("before.redb");
    std::fs::copy(&state, &before).unwrap();
    world.server = Some(Api::start(world.site.folder()));
    world.switch(false);
    world.server.take().unwrap().kill();
    std::fs::rename(&before, &state).unwrap();
    let known = sink.came().len();
    world.server = Some(Api::start(world.site.folder()));
    world.switch(true);
    let told = |on: bool, by: &str| {
        sink.wait_for_those(1, |came| {
            let data = &came.body()["data"];
            data["serveEnabled"] == on && data["by"] == by
        });
    };
    told(false, "elsewhere");
    let is_on = |came: &Came| came.body()["data"]["serveEnabled"] == true;
    sink.wait_for_those(2, is_on);
    let later: Vec<bool> = sink.came()[known..].iter().map(is_on).collect();
    assert_eq!(later.last(), Some(&true), "{later:?}");
}

/// Whether a site's answer says that Japanese is on.
fn is_on(site: &Value) -> bool {
    let ja = site["locales"]
        .as_array()
        .unwrap()
        .iter()
        .find(|locale| locale["targetLang"] == "ja")
        .unwrap();
    ja["serveEnabled"].as_bool().unwrap()
}

const SERVE: &str = "/api/sites/bakery/locales/ja/serve";
