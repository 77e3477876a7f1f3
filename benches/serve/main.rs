//! What serving pages costs, beside nginx on the same files, in one run.
//!
//! Both servers have one worker, pinned to the first core; the load (wrk) has the second. They take turns, and the
//! figures are medians over the rounds: processor time of the server for each request, requests a second and the time
//! within which 99 of 100 answers came. Only the ratios mean anything on another machine. Plain nginx opens each file
//! for each request, keeps nothing in memory and has no brotli here, so its gzip stands for that.
//!
//! `cargo bench --bench serve -- gzip` runs the cases with that word in their name. Without nginx, wrk, taskset or a
//! second core it says NOT RUN and succeeds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

mod load;
mod servers;
mod site;

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use load::{Load, Measured};
use servers::Server;
use site::Site;

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;
const PROGRAMS: [&str; 3] = ["nginx", "wrk", "taskset"];

/// A kind of request; where the two servers are asked for different encodings, nginx's is the second.
struct Case {
    name: &'static str,
    accept_encoding: [&'static str; 2],
    load: fn(&Site) -> Load,
    conditional: bool,
}

const PLAIN: [&str; 2] = ["identity", "identity"];

const CASES: [Case; 6] = [
    Case { name: "html, 20 KB", accept_encoding: PLAIN, load: Load::one_page, conditional: false },
    Case { name: "304", accept_encoding: PLAIN, load: Load::one_page, conditional: true },
    Case { name: "gzip", accept_encoding: ["gzip", "gzip"], load: Load::one_page, conditional: false },
    Case { name: "brotli (nginx: gzip)", accept_encoding: ["br", "gzip"], load: Load::one_page, conditional: false },
    Case { name: "HEAD", accept_encoding: PLAIN, load: Load::head, conditional: false },
    Case { name: "all pages in turn", accept_encoding: PLAIN, load: Load::all_pages, conditional: false },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == load::HEAD_CLIENT) {
        return load::head_client();
    }
    // `cargo test --benches` only wants to know that it builds.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    match missing() {
        Some(missing) => println!("NOT RUN: the benchmark of serving needs {missing}"),
        None => compare(&arguments),
    }
}

fn missing() -> Option<String> {
    let there = |program: &&&str| Command::new(program).arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match PROGRAMS.iter().find(|program| there(program).and_then(|mut child| child.wait()).is_err()) {
        Some(program) => Some(format!("{program} (Debian: nginx-light, wrk, util-linux)")),
        None if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) => Some("two cores".to_owned()),
        None => None,
    }
}

fn compare(arguments: &[String]) {
    let site = Site::publish();
    let servers = [Server::latimer(&site), Server::nginx(&site)];
    let only: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    println!("{:22}{:>24}{:>26}{:>24}{:>8}", "", "CPU us/request", "requests/s", "p99 ms", "");
    let columns = ["latimer", "nginx", "ratio", "latimer", "nginx", "ratio", "latimer", "nginx", "ratio", "errors"];
    println!("{:22}{}", "", columns.map(|column| format!("{column:>8}")).join(" "));
    for case in CASES.iter().filter(|case| only.is_empty() || only.iter().any(|name| case.name.contains(name.as_str())))
    {
        let loads: Vec<Load> = servers
            .iter()
            .zip(case.accept_encoding)
            .map(|(server, encoding)| case.load(&site, server, encoding))
            .collect();
        let mut rounds: [Vec<Measured>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for ((server, load), rounds) in servers.iter().zip(&loads).zip(&mut rounds) {
                rounds.push(load.run(server, SECONDS));
            }
        }
        print(case.name, &rounds);
    }
    let [latimer, nginx] = servers.each_ref().map(Server::resident_megabytes);
    println!("memory: {latimer:.1} MB, of that {:.1} MB for the pages; nginx {nginx:.1} MB", site.megabytes());
}

impl Case {
    fn load(&self, site: &Site, server: &Server, accept_encoding: &str) -> Load {
        let load = (self.load)(site).with_header("Accept-Encoding", accept_encoding);
        let head = server.head(&load.request()).to_ascii_lowercase();
        let field = |name| head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("none");
        assert_eq!(field("content-encoding: "), accept_encoding.replace("identity", "none"), "{}: {head}", self.name);
        if !self.conditional {
            return load;
        }
        let load = load.with_header("If-None-Match", field("etag: "));
        let head = server.head(&load.request());
        assert!(head.starts_with("HTTP/1.1 304"), "{}: {head}", self.name);
        load
    }
}

fn print(name: &str, rounds: &[Vec<Measured>; 2]) {
    let mut line = format!("{name:22}");
    for (figure, decimals) in
        [(Measured::cpu_micros as fn(&Measured) -> f64, 2), (Measured::rate, 0), (Measured::p99_millis, 2)]
    {
        let [latimer, nginx] = rounds.each_ref().map(|rounds| median(rounds.iter().map(figure)));
        write!(line, "{latimer:8.decimals$} {nginx:8.decimals$} {:8.2} ", latimer / nginx).unwrap();
    }
    let errors: u64 = rounds[0].iter().map(|round| round.errors).sum();
    println!("{line}{errors:8}");
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
