//! Two builders with a state each work on one store at the same time: readers always have a whole site of one of them.
//!
//! Each builder has a source of its own, so every page says whose it is. In each round both sources are edited and both
//! programs run, the second a part of a build later than the first. Both must end well, and the site must be one
//! builder's newest edition, with every page. A server beside them is asked all the time. `LATIMER_ROUNDS` sets how
//! many rounds there are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::support::s3::Bucket;
use crate::support::web::Server;
use crate::support::{self, MARKING, Site, at_strength};

const BUILDERS: [&str; 2] = ["Anna", "Berta"];
/// The reader leaves the machine to the builders for so long after each answer.
const PAUSE: Duration = Duration::from_millis(3);

/// How many pages each source has; `LATIMER_SHARED_PAGES` sets another number.
fn pages() -> usize {
    at_strength("LATIMER_SHARED_PAGES", 14) as usize
}

/// The engine puts a mark before each text and keeps nobody waiting.
const KEYS: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["es"]
url = "https://www.example.com/{lang}"
engine = "marking"
[store]
keep_deployments = 2
"#;

/// The rounds in series, each for a store of its own: nothing is swept within minutes, so a store of hundreds of rounds
/// holds all that was ever written, and the S3 server of these tests takes a minute to list it.
fn series() -> impl Iterator<Item = Range<usize>> {
    let rounds = at_strength("LATIMER_ROUNDS", 6) as usize;
    (1..=rounds)
        .step_by(20)
        .map(move |first| first..(first + 20).min(rounds + 1))
}

fn file(page: usize) -> String {
    format!("part{}/page{page}.html", page % 7)
}

/// A word for each page: pages that differ by nothing but numbers would look like one error page to a build.
fn subject(page: usize) -> String {
    let letters: Vec<char> = ('a'..='z').collect();
    [page / 26, page % 26, page % 7]
        .iter()
        .map(|at| letters[at % 26])
        .collect()
}

/// Writes every page of a builder's edition.
fn write_pages(site: &Site, builder: &str, edition: usize) {
    for page in 0..pages() {
        let lines: String = (0..=page % 5)
            .map(|line| {
                let next = file((page + line + 1) % pages());
                format!(
                    "<p>Line {line} of page {page} on {} by {builder}, <a href=\"/{next}\">edition {edition}</a>.</p>\n",
                    subject(page)
                )
            })
            .collect();
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><title>Page {page}</title>\n<main>{lines}</main></html>"
        );
        site.write(&format!("{builder}/source/{}", file(page)), &html);
    }
}

/// Whose page this is, and of which edition; every line must say the same, and all lines must be there.
#[track_caller]
fn author(page: usize, text: &str) -> (String, usize) {
    let said: BTreeSet<(String, usize)> = text
        .lines()
        .filter(|line| line.contains("Line "))
        .map(|line| {
            let builder = BUILDERS
                .iter()
                .find(|builder| line.contains(&format!("by {builder},")));
            let edition = line
                .split("edition ")
                .nth(1)
                .and_then(|rest| rest.split('<').next());
            let of = |edition: &str| edition.parse().ok();
            (
                builder.unwrap_or_else(|| panic!("{line}")).to_string(),
                edition.and_then(of).unwrap(),
            )
        })
        .collect();
    let lines = text.lines().filter(|line| line.contains("Line ")).count();
    assert!(
        said.len() == 1 && lines == page % 5 + 1,
        "page {page} is no whole page: {text}"
    );
    said.into_iter().next().unwrap()
}

fn begin(site: &Site, builder: &str) -> Child {
    let mut command = support::command(&site.path(builder));
    command
        .args(["build", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Begins one build and, a part of a build later, the other; both must end well.
#[expect(
    clippy::disallowed_methods,
    reason = "nothing is waited for: the moment itself is what is tested"
)]
fn build_both(site: &Site, order: [&str; 2], later: Duration) {
    let first = begin(site, order[0]);
    std::thread::sleep(later);
    let second = begin(site, order[1]);
    for (builder, child) in order.iter().zip([first, second]) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{builder} ended with {}: {said}",
            output.status
        );
    }
}

/// Asks for one page after the other until the builds are done.
fn read_until(server: &Server, done: &Receiver<()>) {
    for page in (0..pages()).cycle() {
        for path in [format!("/{}", file(page)), format!("/es/{}", file(page))] {
            let answer = server.get(&path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            author(page, answer.text());
        }
        if done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

/// The one whose site this is; every page must be there, in both languages, and of this edition.
fn owner(site: &Site, edition: usize) -> String {
    let server = Server::start(&site.path("reader"));
    let mut authors = BTreeSet::new();
    for page in 0..pages() {
        for path in [format!("/{}", file(page)), format!("/es/{}", file(page))] {
            let answer = server.get(&path);
            assert_eq!(
                answer.status,
                200,
                "{path} in round {edition}: {}",
                answer.text()
            );
            authors.insert(author(page, answer.text()));
        }
    }
    assert_eq!(
        authors.len(),
        1,
        "the site of round {edition} is mixed: {authors:?}"
    );
    let (builder, of) = authors.into_iter().next().unwrap();
    assert_eq!(of, edition, "the site is an old one");
    builder
}

/// Something that is not chance but looks like it, 0 to 1.
fn part(round: usize) -> f64 {
    let mixed = u32::try_from(round).unwrap().wrapping_mul(2_654_435_761) ^ 0x9e37;
    f64::from(mixed.wrapping_mul(1_664_525) >> 8) / f64::from(1 << 24)
}

fn compete(site: &Site, store: &str, rounds: Range<usize>) {
    for name in [BUILDERS[0], BUILDERS[1], "reader"] {
        let keys = KEYS.replace(
            "[store]\n",
            &format!("{MARKING}[store]\nstate = \"state.redb\"\n{store}"),
        );
        site.write(&format!("{name}/latimer.toml"), &keys);
        site.write(&format!("{name}/source/.keep"), "");
    }
    BUILDERS
        .iter()
        .for_each(|builder| write_pages(site, builder, rounds.start - 1));
    let start = Instant::now();
    assert!(
        begin(site, BUILDERS[0])
            .wait_with_output()
            .unwrap()
            .status
            .success()
    );
    let whole = start.elapsed();
    let server = Server::start(&site.path("reader"));
    let (working, done) = channel::<()>();
    std::thread::scope(|scope| {
        let reader = scope.spawn({
            let server = &server;
            move || read_until(server, &done)
        });
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut owners = Vec::new();
            for round in rounds {
                BUILDERS
                    .iter()
                    .for_each(|builder| write_pages(site, builder, round));
                let order = if round % 2 == 0 {
                    [BUILDERS[0], BUILDERS[1]]
                } else {
                    [BUILDERS[1], BUILDERS[0]]
                };
                build_both(site, order, whole.mul_f64(part(round)));
                owners.push(owner(site, round));
            }
            eprintln!("the site was, round by round, of {}", owners.join(", "));
        }));
        drop(working);
        reader.join().unwrap();
        worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn two_builders_on_one_folder_leave_a_whole_site_of_one_of_them() {
    for rounds in series() {
        compete(&Site::new("", &[]), "objects = \"../dist\"\n", rounds);
    }
}

#[test]
fn two_builders_on_one_bucket_leave_a_whole_site_of_one_of_them() {
    for rounds in series() {
        let site = Site::new("", &[]);
        let bucket = Bucket::start(&site.path("bucket"));
        compete(&site, &bucket.store(), rounds);
    }
}
