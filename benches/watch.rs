//! How long `latimer watch` takes from an edit to the served page, beside a build of its own for the same edit.
//!
//! The site is made here, 1,000 pages or as many as LATIMER_PAGES says. Then one page after the other changes, 50 or as many as
//! LATIMER_EDITS says, half a second after the one before is seen, in its own language and in the other. Times are by the clock, so
//! the ratio alone means anything on another machine, and that where nothing else works. A page that is not seen in ten seconds is stale.
//!
//! `cargo bench --bench watch`. It needs no other program.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/settings.rs"]
mod settings;
#[path = "support/site.rs"]
mod site;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use settings::CONFIG;

const PAGES: usize = 1000;
const EDITS: usize = 50;
const BUILDS: usize = 5;
const LONGEST: Duration = Duration::from_secs(10);

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let number =
        |name, usual| std::env::var(name).map_or(usual, |number| number.parse().expect("a number"));
    let pages = number("LATIMER_PAGES", PAGES);
    let edits = number("LATIMER_EDITS", EDITS);
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("latimer.toml"), CONFIG).unwrap();
    (0..pages).for_each(|page| site::write(folder, page, 0, site::PARAGRAPHS));
    build(folder);
    // Far from each other, and each once.
    let page = |edit: usize| edit * 7919 % pages;
    let own = (1..=BUILDS).map(|edit| {
        site::write(folder, page(edit), edit, site::PARAGRAPHS);
        let began = Instant::now();
        build(folder);
        began.elapsed()
    });
    let own = share(&mut own.collect::<Vec<_>>(), 50);

    let watch = Watch::start(folder);
    let mut seen = Vec::new();
    for edit in BUILDS + 1..=BUILDS + 1 + edits {
        let path = format!("/s{}/p{}.html", page(edit) / 100, page(edit));
        let paths = [path.clone(), format!("/en-XA{path}")];
        let before = paths.clone().map(|path| watch.page(&path));
        site::write(folder, page(edit), edit, site::PARAGRAPHS);
        let began = Instant::now();
        let is_seen = || {
            paths
                .iter()
                .zip(&before)
                .all(|(path, before)| watch.page(path) != *before)
        };
        while !is_seen() && began.elapsed() < LONGEST {
            park_timeout(Duration::from_millis(2));
        }
        seen.push(began.elapsed());
        park_timeout(Duration::from_millis(500));
    }
    // The first one waits for the watch to begin.
    seen.remove(0);
    let stale = seen.iter().filter(|time| **time >= LONGEST).count();
    let median = share(&mut seen, 50);
    let most = share(&mut seen, 95);
    println!(
        "{pages} pages, {edits} edits: {} ms in the median, {} ms for 95 of 100, {stale} stale; {:.2} times a build ({} ms)",
        median.as_millis(),
        most.as_millis(),
        median.as_secs_f64() / own.as_secs_f64(),
        own.as_millis()
    );
}

fn build(folder: &Path) {
    let mut latimer = Command::new(env!("CARGO_BIN_EXE_latimer"));
    let built = latimer
        .args(["build", "--quiet"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(built.success(), "the build fails");
}

/// The time that so many of a hundred do not exceed.
fn share(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// `latimer watch`; ends with this value.
struct Watch {
    child: Child,
    address: String,
}

impl Watch {
    fn start(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = format!("127.0.0.1:{port}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_latimer"));
        let command = command
            .args(["watch", "--listen", &address])
            .current_dir(folder)
            .stdin(Stdio::null());
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let watch = Self { child, address };
        while watch.page("/en-XA/s0/p0.html").is_empty() {
            park_timeout(Duration::from_millis(100));
        }
        park_timeout(Duration::from_secs(3));
        watch
    }

    /// The body of a page; empty where there is none.
    fn page(&self, path: &str) -> String {
        let get = || {
            let mut stream = TcpStream::connect(&self.address)?;
            write!(
                stream,
                "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.address
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            std::io::Result::Ok(answer)
        };
        let answer = get().unwrap_or_default();
        let body = answer
            .split_once("\r\n\r\n")
            .filter(|_| answer.starts_with("HTTP/1.1 200"))
            .map(|(_, body)| body);
        body.unwrap_or_default().to_owned()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
