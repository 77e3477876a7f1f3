//! Endpoints of webhooks: each thing that happens is told once, signed as the standard's own library checks it, whatever the
//! endpoint answers and whenever the server is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::support::api::{Api, NO_LIMITS, give_api, pause, token};
use crate::support::{Site, at_strength};

/// What an endpoint does with a request.
#[derive(Clone, Copy)]
enum Act {
    Answer(u16),
    /// Answers with a redirect to itself, at a path of its own.
    Redirect,
    /// Ends the connection without an answer.
    Reset,
    /// Takes this long.
    Slow(Duration),
}

/// What came, and how it was answered.
#[derive(Clone, Debug)]
struct Came {
    path: String,
    headers: HeaderMap,
    body: String,
    at: Instant,
    arrived: bool,
}

impl Came {
    fn id(&self) -> String {
        self.headers["webhook-id"].to_str().unwrap().to_owned()
    }

    fn body(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// An endpoint on this machine.
#[derive(Clone)]
struct Sink {
    address: String,
    came: Arc<Mutex<Vec<Came>>>,
}

impl Sink {
    /// One that does with its n-th request what `act` says, where it brings something new.
    fn new(act: impl Fn(usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (came, act) = (Arc::new(Mutex::new(Vec::new())), Arc::new(act));
        let sink = Self { address, came };
        let taken = sink.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (sink, act) = (taken.clone(), Arc::clone(&act));
                std::thread::spawn(move || while sink.take(&stream, &*act).is_some() {});
            }
        });
        sink
    }

    /// Takes one request; nothing where there is no other.
    fn take(&self, stream: &TcpStream, act: &dyn Fn(usize) -> Act) -> Option<()> {
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut headers = HeaderMap::new();
        loop {
            line.clear();
            lines.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.insert(
                name.parse::<HeaderName>().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        let length = headers
            .get("content-length")
            .and_then(|length| length.to_str().ok()?.parse().ok())
            .unwrap_or(0);
        let mut body = vec![0; length];
        lines.read_exact(&mut body).ok()?;
        let mut came = self.came.lock().unwrap();
        // What is tried again arrives.
        let id = headers.get("webhook-id").cloned();
        let is_new = !came
            .iter()
            .any(|before: &Came| before.headers.get("webhook-id") == id.as_ref());
        let act = if is_new {
            act(came.len())
        } else {
            Act::Answer(200)
        };
        let arrived = matches!(act, Act::Answer(200..=299) | Act::Slow(_));
        came.push(Came {
            path,
            headers,
            body: String::from_utf8(body).unwrap(),
            at: Instant::now(),
            arrived,
        });
        drop(came);
        let answer = match act {
            Act::Answer(status) => format!("HTTP/1.1 {status} So\r\nContent-Length: 2\r\n\r\nok"),
            Act::Redirect => {
                format!(
                    "HTTP/1.1 307 So\r\nLocation: http://{}/elsewhere\r\nContent-Length: 0\r\n\r\n",
                    self.address
                )
            }
            Act::Reset => return None,
            Act::Slow(time) => {
                pause(time);
                "HTTP/1.1 204 So\r\n\r\n".to_owned()
            }
        };
        (&*stream).write_all(answer.as_bytes()).ok()
    }

    fn came(&self) -> Vec<Came> {
        self.came.lock().unwrap().clone()
    }

    /// Waits until so many messages arrived, each counted once.
    fn wait_for(&self, count: usize) -> Vec<Came> {
        self.wait_for_those(count, |_| true)
    }

    /// Waits until so many of some messages arrived, each counted once.
    fn wait_for_those(&self, count: usize, is_one: impl Fn(&Came) -> bool) -> Vec<Came> {
        let until = Instant::now() + Duration::from_secs(90);
        loop {
            let came = self.came();
            let ids: BTreeSet<_> = came
                .iter()
                .filter(|came| came.arrived && is_one(came))
                .map(Came::id)
                .collect();
            if ids.len() >= count {
                return came;
            }
            // A number that is missing is a message that waits; one that nobody has was never written down.
            let number = |came: &Came| came.body()["data"]["sequence"].clone();
            let said = || {
                came.iter()
                    .map(|came| (number(came), came.arrived))
                    .collect::<Vec<_>>()
            };
            assert!(
                Instant::now() < until,
                "{} of {count} messages arrived: {:?}",
                ids.len(),
                said()
            );
            pause(Duration::from_millis(20));
        }
    }

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

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
    let (mut stands, mut answered) = (true, 0);
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
        let (address, token, wanted) = (server.address.clone(), world.token.clone(), !stands);
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

mod needs_receivers {
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;
    use crate::support::{repository, tool};

    /// The first example of the documentation in a language.
    fn example(language: &str) -> String {
        let document = std::fs::read_to_string(repository().join("docs/webhooks.md")).unwrap();
        let after = document
            .split_once(&format!("```{language}\n"))
            .expect("there is an example")
            .1;
        after.split_once("\n```").expect("it ends").0.to_owned()
    }

    /// Runs a receiver on a message; gives the type that it read, if it believed it.
    fn receive(mut command: Command, secret: &str, came: &Came, body: &str) -> Option<String> {
        let header = |name: &str| came.headers[name].to_str().unwrap();
        let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let headers: BTreeMap<_, _> = names.iter().map(|name| (*name, header(name))).collect();
        let given = json!({ "secret": secret, "headers": headers, "body": body }).to_string();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(given.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() || said.contains("WebhookVerificationError"),
            "{said}"
        );
        output
            .status
            .success()
            .then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }

    #[test]
    #[ignore = "needs standardwebhooks of PyPI and npm"]
    fn the_examples_of_the_documentation_check_what_comes() {
        let world = World::new();
        let sink = Sink::new(|_| Act::Answer(200));
        let (hook, old) = world.add(&sink, &[]);
        let new = world.call("POST", &format!("{hook}/secret"), &Value::Null)["secret"]
            .as_str()
            .unwrap()
            .to_owned();
        world.call("POST", &format!("{hook}/test"), &Value::Null);
        let came = sink.wait_for(1).remove(0);
        let receivers = tool("LATIMER_TEST_RECEIVERS");
        let folder = tempfile::TempDir::new().unwrap();
        std::os::unix::fs::symlink(
            receivers.join("node_modules"),
            folder.path().join("node_modules"),
        )
        .unwrap();
        let python = example("python")
            + "\n\nimport json\ngiven = json.load(sys.stdin)\n\
               print(verified(given['secret'], given['headers'], given['body'].encode())['type'])\n";
        let node = example("js")
            + "\nimport { readFileSync } from 'node:fs';\nconst { secret, headers, body } = JSON.parse(readFileSync(0));\n\
               console.log(verified(secret, headers, body).type);\n";
        for (name, text, program) in [
            (
                "receiver.py",
                python,
                receivers.join("python/bin/python").display().to_string(),
            ),
            ("receiver.mjs", node, "node".to_owned()),
        ] {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            let run = |secret: &str, body: &str| {
                let mut command = Command::new(&program);
                command.arg(Path::new(&file));
                receive(command, secret, &came, body)
            };
            for secret in [&old, &new] {
                assert_eq!(
                    run(secret, &came.body).as_deref(),
                    Some("webhook.test"),
                    "{name}"
                );
            }
            assert_eq!(
                run(&new, &came.body.replace("bakery", "shop")),
                None,
                "{name}: another body"
            );
            let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
            assert_eq!(run(other, &came.body), None, "{name}: another secret");
        }
    }
}
