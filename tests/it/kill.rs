//! A build that is killed at any moment leaves a site that readers can use, and the next build makes up for it.
//!
//! Two sites are made of one source, which is edited again and again. One is never disturbed; every
//! build of the other is killed and then run again, and both must hold the same bytes each time. A server beside the
//! second is asked all the time: each answer is a whole page of an edition that is not older than
//! that of any answer before. Each twentieth of the time that the undisturbed build takes is hit once, at a place in it that
//! looks like chance and is the same in every run.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::RwLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::support::web::Server;
use crate::support::{self, Files, MARKING, Site, assert_same, at_strength, files};

/// Time for the server to see a deployment; it looks each second.
const PATIENCE: Duration = Duration::from_secs(60);
/// The reader leaves the machine to the builds for so long after each answer.
const PAUSE: Duration = Duration::from_millis(2);

/// How many pages the source has; `LATIMER_KILLED_PAGES` sets another number.
fn pages() -> usize {
    at_strength("LATIMER_KILLED_PAGES", 100) as usize
}

/// How many builds are killed; `LATIMER_KILLS` sets another number.
fn kills() -> u32 {
    at_strength("LATIMER_KILLS", 10)
}

/// The engine puts a mark before each text and keeps nobody waiting.
const KEYS: &str = r#"
[[site]]
id = "site"
source = "../source"
source_locale = "en"
locales = ["es"]
url = "https://www.example.com/{lang}"
memory = "memory/{lang}.jsonl"
engine = "marking"
[store]
keep_deployments = 2
"#;

/// Public path → body, of each edition.
type Editions = RwLock<Vec<BTreeMap<String, Vec<u8>>>>;

/// Writes every page for the first edition and edits some in each other. Some are large enough to be compressed.
fn write_pages(site: &Site, edition: usize) {
    for page in (0..pages()).filter(|page| edition == 0 || page % 3 == edition % 3) {
        let lines = if page % 10 == 0 { 9 } else { 3 };
        let text: String = (0..lines)
            .map(|line| {
                let other = (page + line) % pages();
                let link = format!(
                    "<a href=\"/part{}/page{other}.html\">edition {edition}</a>",
                    other % 20
                );
                format!("<p>Line {line} of page {page}, a <b>small</b> page of {link}.\n")
            })
            .collect();
        let html = format!("<!DOCTYPE html>\n<html lang=\"en\"><title>Page {page}</title>\n{text}");
        site.write(&format!("source/part{}/page{page}.html", page % 20), &html);
    }
}

/// Everything that a build makes for others to read. In which files the store has the memory depends on where a build was
/// killed; its rows are compared as text.
fn made(site: &Site, name: &str) -> Files {
    let part = |part: &'static str| {
        files(&site.path(&format!("{name}/{part}")))
            .into_iter()
            .map(move |(name, body)| (format!("{part}/{name}"), body))
    };
    let is_memory = |name: &String| name.starts_with("dist/site/_deployments/memory/");
    part("dist")
        .chain(part("memory"))
        .filter(|(name, _)| !is_memory(name))
        .collect()
}

fn build(site: &Site, name: &str) -> Duration {
    let start = Instant::now();
    let ran = support::latimer(&site.path(name), &["build", "--quiet"], b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    start.elapsed()
}

/// Begins a build and kills it; gives the stage that it had reached.
#[expect(
    clippy::disallowed_methods,
    reason = "nothing is waited for: the moment itself is what is tested"
)]
fn kill_after(site: &Site, name: &str, moment: Duration) -> String {
    let mut command = support::command(&site.path(name));
    command
        .arg("build")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(moment);
    let _ = child.kill();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.lines()
        .last()
        .and_then(|line| line.split(' ').next())
        .unwrap_or("start")
        .to_owned()
}

/// Asks for one page after the other until the build is done and its last edition is seen.
fn read_until(server: &Server, editions: &Editions, done: &Receiver<()>) {
    let paths: Vec<String> = editions.read().unwrap()[0].keys().cloned().collect();
    let mut seen = 0;
    let mut deadline = None;
    for path in paths.iter().cycle() {
        let answer = server.get(path);
        let editions = editions.read().unwrap();
        assert_eq!(answer.status, 200, "{path}");
        let is_of = |edition: &usize| editions[*edition][path] == answer.body;
        let edition = (seen..editions.len()).find(is_of);
        seen = edition.unwrap_or_else(|| {
            panic!(
                "{path} is no whole page, or one from before {seen}: {}",
                answer.text()
            )
        });
        if done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Disconnected) {
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
            assert!(
                Instant::now() < deadline,
                "the server does not see the last deployment"
            );
            if seen + 1 == editions.len() {
                return;
            }
        }
    }
}

/// What readers find at some public paths.
fn bodies(made: &Files) -> BTreeMap<String, Vec<u8>> {
    let pages = (0..pages())
        .step_by(17)
        .map(|page| format!("/part{}/page{page}.html", page % 20));
    let body = |page: &str, tree, prefix| {
        (
            format!("{prefix}{page}"),
            made[&format!("dist/site/{tree}{page}")].clone(),
        )
    };
    pages
        .flat_map(|page| [body(&page, "es", "/es"), body(&page, "en", "")])
        .collect()
}

/// Where in each part of a build it is killed, 0 to 1 of the whole.
fn moments() -> impl Iterator<Item = f64> {
    let mut seed = 0x2545_f491_u32;
    let kills = kills();
    (0..kills).map(move |part| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let place = f64::from(seed >> 8) / f64::from(1 << 24);
        (f64::from(part) + place) / f64::from(kills)
    })
}

/// Kills a build of each edition, builds it again and compares.
fn kill_often(site: &Site, editions: &Editions) {
    let mut stages = Vec::new();
    for (edition, moment) in (1..).zip(moments()) {
        write_pages(site, edition);
        let whole = build(site, "undisturbed");
        let expected = made(site, "undisturbed");
        editions.write().unwrap().push(bodies(&expected));
        stages.push(kill_after(site, "killed", whole.mul_f64(moment)));
        build(site, "killed");
        assert_same(&made(site, "killed"), &expected);
    }
    eprintln!("killed at: {}", stages.join(", "));
}

#[test]
fn a_killed_build_harms_no_reader_and_the_next_one_is_as_if_nothing_had_happened() {
    let site = Site::new("", &[]);
    write_pages(&site, 0);
    for name in ["undisturbed", "killed"] {
        site.write(&format!("{name}/latimer.toml"), &[KEYS, MARKING].concat());
        build(&site, name);
    }
    let editions = RwLock::new(vec![bodies(&made(&site, "undisturbed"))]);
    let server = Server::start(&site.path("killed"));
    let (working, done) = channel::<()>();
    std::thread::scope(|scope| {
        let reader = scope.spawn({
            let server = &server;
            let editions = &editions;
            move || read_until(server, editions, &done)
        });
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            kill_often(&site, &editions)
        }));
        drop(working);
        let read = reader.join();
        killed
            .and(read)
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
