//! What a crawl costs a page, beside `wget -r` of the same pages from the same server.
//!
//! The site is made here, as many pages as LATIMER_PAGES says or 2,000, and nginx serves it. The crawl alone is measured, in a
//! process of its own: what it takes is read and dropped. Figures are processor time, user and system, of three rounds
//! (LATIMER_BENCH_ROUNDS) each the smallest; nginx's own is not in them. Only the ratio means anything on another machine.
//!
//! `cargo bench --bench crawl`. Without bash, nginx or wget it says NOT RUN and succeeds.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "support/cost.rs"]
mod cost;
#[path = "support/site.rs"]
mod site;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pipeline::config::SourceLocation;
use pipeline::crawl::{CrawlOptions, Resource, crawl};
use pipeline::net::FetchOptions;
use tempfile::TempDir;
use tokio::sync::mpsc;

use cost::cost;

const PAGES: usize = 2000;
const ROUNDS: usize = 3;
/// The argument with which this program crawls, once.
const CRAWL: &str = "--crawl";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == CRAWL) {
        return take(&arguments[at + 1], arguments[at + 2].parse().unwrap());
    }
    // `cargo test --benches` only wants to know that it builds.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for needed in [["nginx", "-v"], ["wget", "--version"]] {
        if cost(folder, &needed).is_none() {
            return println!("NOT RUN: the benchmark of crawls needs bash, nginx and wget");
        }
    }
    let number =
        |name, usual| std::env::var(name).map_or(usual, |number| number.parse().expect("a number"));
    let pages = number("LATIMER_PAGES", PAGES);
    let rounds = number("LATIMER_BENCH_ROUNDS", ROUNDS);
    (0..pages).for_each(|page| site::write(folder, page, 0, site::PARAGRAPHS));
    list(&folder.join("source"), pages);
    let server = Nginx::start(folder);
    let start = format!("http://{}/", server.address);
    let this = std::env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let number = (pages + 1).to_string();
    let ours = || {
        cost(folder, &[this, CRAWL, &start, &number])
            .expect("the crawl fails")
            .0
    };
    let peer = || {
        let fetched = folder.join("fetched");
        let _ = fs::remove_dir_all(&fetched);
        let taken = cost(
            folder,
            &["wget", "-r", "-l", "inf", "-q", "-P", "fetched", &start],
        )
        .expect("wget fails")
        .0;
        assert_eq!(files(&fetched), pages + 1, "wget takes all pages");
        taken
    };
    let least = |(one, other): (f64, f64), (a, b): (f64, f64)| (one.min(a), other.min(b));
    let (ours, peer) = (0..rounds).map(|_| (ours(), peer())).reduce(least).unwrap();
    let each = |seconds: f64| seconds * 1e3 / pages as f64;
    println!(
        "{pages} pages: {:.3} ms each, {:.1} times wget -r ({:.3} ms)",
        each(ours),
        ours / peer,
        each(peer)
    );
}

/// Crawls a site that has so many pages.
#[tokio::main(worker_threads = 2)]
async fn take(start: &str, pages: usize) {
    let fetch = FetchOptions {
        allow_private: true,
        ..FetchOptions::default()
    };
    let options = CrawlOptions {
        fetch,
        max_pages: pages + 1,
        ..CrawlOptions::default()
    };
    let (sink, mut resources) = mpsc::channel::<Resource>(8);
    let reader = tokio::spawn(async move { while resources.recv().await.is_some() {} });
    let crawled = crawl(&SourceLocation::Web(start.parse().unwrap()), &options, sink)
        .await
        .unwrap();
    reader.await.unwrap();
    assert_eq!(
        (crawled.pages, crawled.failures.len()),
        (pages, 0),
        "the crawl takes all pages"
    );
}

/// Writes a page that names all others.
fn list(source: &Path, pages: usize) {
    let link = |page: usize| format!("<a href=\"/s{}/p{page}.html\">{page}</a>\n", page / 100);
    fs::write(
        source.join("index.html"),
        (0..pages).map(link).collect::<String>(),
    )
    .unwrap();
}

/// How many files stand below a folder.
fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| {
            if entry.path().is_dir() {
                files(&entry.path())
            } else {
                1
            }
        })
        .sum()
}

/// nginx with one worker and without a log; ends with this value.
struct Nginx {
    child: Child,
    address: String,
}

impl Nginx {
    fn start(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = format!("127.0.0.1:{port}");
        let config = folder.join("nginx.conf");
        let root = folder.display();
        let bodies: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {root}/{name};"))
            .concat();
        let text = format!(
            "daemon off; worker_processes 1; pid {root}/nginx.pid; error_log stderr notice; user root;\n\
             events {{ worker_connections 256; }}\n\
             http {{ access_log off; {bodies} types {{ text/html html; }}\n\
             server {{ listen {address}; root {root}/source; }} }}\n"
        );
        fs::write(&config, text).unwrap();
        let mut command = Command::new("nginx");
        command
            .arg("-p")
            .arg(folder)
            .arg("-c")
            .arg(&config)
            .arg("-e")
            .arg("stderr");
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(
            said.any(|line| line.contains("start worker process ")),
            "nginx does not start"
        );
        Self { child, address }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its first process takes its worker along only when it is asked to end.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}
