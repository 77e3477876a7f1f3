//! What serving pages costs, beside nginx on the same files, in one run.
//!
//! Both servers have one worker, pinned to the first core; the load (wrk) has the second. They take turns, and the
//! figures are medians over the rounds: processor time of the server for each request, requests a second and the time
//! within which 99 of 100 answers came. Only the ratios mean anything on another machine, and only while it does nothing
//! else: the ratio of processor time, the median of the rounds' own, stands with the lowest and the highest.
//!
//! nginx has the settings of Debian's package, without a log, and the same files with their variants beside them; so it
//! opens a file for each request. `open-file-cache` among the arguments has it keep them open. `connections=256` changes
//! how many there are: the more, the less of either server stays in the processor's caches.
//!
//! `cargo bench --bench serve -- gzip` runs the cases with that word in their name. Without nginx, its module for
//! brotli, wrk, taskset or a second core it says NOT RUN and succeeds.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark may stop at the first surprise"
)]

mod load;
mod servers;
mod site;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use load::{Load, Measured};
use servers::Server;
use site::Site;

const ROUNDS: usize = 5;
const CONNECTIONS: usize = 64;
const SECONDS: u32 = 2;
const PROGRAMS: [&str; 3] = ["nginx", "wrk", "taskset"];

/// A kind of request.
struct Case {
    name: &'static str,
    accept_encoding: &'static str,
    load: fn(&Site) -> Load,
    conditional: bool,
}

const PLAIN: &str = "identity";

const CASES: [Case; 7] = [
    Case {
        name: "html, 4 KB",
        accept_encoding: PLAIN,
        load: Load::small_page,
        conditional: false,
    },
    Case {
        name: "html, 20 KB",
        accept_encoding: PLAIN,
        load: Load::one_page,
        conditional: false,
    },
    Case {
        name: "304",
        accept_encoding: PLAIN,
        load: Load::one_page,
        conditional: true,
    },
    Case {
        name: "gzip",
        accept_encoding: "gzip",
        load: Load::one_page,
        conditional: false,
    },
    Case {
        name: "brotli",
        accept_encoding: "br",
        load: Load::one_page,
        conditional: false,
    },
    Case {
        name: "HEAD",
        accept_encoding: PLAIN,
        load: Load::head,
        conditional: false,
    },
    Case {
        name: "all pages in turn",
        accept_encoding: PLAIN,
        load: Load::all_pages,
        conditional: false,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .first()
        .is_some_and(|first| first == load::HEAD_CLIENT)
    {
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
    let there = |program: &&&str| {
        Command::new(program)
            .arg("-v")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    match PROGRAMS
        .iter()
        .find(|program| there(program).and_then(|mut child| child.wait()).is_err())
    {
        Some(program) => Some(format!("{program} (Debian: nginx-light, wrk, util-linux)")),
        None if !Path::new(servers::BROTLI).exists() => Some(format!(
            "{} (Debian: libnginx-mod-http-brotli-static)",
            servers::BROTLI
        )),
        None if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) => {
            Some("two cores".to_owned())
        }
        None => None,
    }
}

fn compare(arguments: &[String]) {
    let mut connections = CONNECTIONS;
    let mut keeps_open = false;
    let mut only = Vec::new();
    for argument in arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
    {
        match (argument.strip_prefix("connections="), argument.as_str()) {
            (Some(number), _) => connections = number.parse().unwrap(),
            (None, "open-file-cache") => keeps_open = true,
            (None, name) => only.push(name),
        }
    }
    let site = Site::publish();
    let servers = [Server::latimer(&site), Server::nginx(&site, keeps_open)];
    println!(
        "{:18}{:>32}{:>26}{:>24}{:>8}",
        "", "CPU us/request", "requests/s", "p99 ms", ""
    );
    let columns = [
        "latimer", "nginx", "ratio", "latimer", "nginx", "ratio", "latimer", "nginx", "ratio",
        "errors",
    ];
    let columns = columns.map(|column| format!("{column:>8}"));
    println!(
        "{:18}{}            {}",
        "",
        columns[..3].join(" "),
        columns[3..].join(" ")
    );
    for case in CASES
        .iter()
        .filter(|case| only.is_empty() || only.iter().any(|name| case.name.contains(name)))
    {
        let loads = servers.each_ref().map(|server| case.load(&site, server));
        let mut rounds: [Vec<Measured>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for ((server, load), rounds) in servers.iter().zip(&loads).zip(&mut rounds) {
                rounds.push(load.run(server, connections, SECONDS));
            }
        }
        print(case.name, &rounds);
    }
    let [latimer, nginx] = servers.each_ref().map(Server::resident_megabytes);
    println!(
        "memory: {latimer:.1} MB, of that {:.1} MB for the pages; nginx {nginx:.1} MB",
        site.megabytes()
    );
}

impl Case {
    fn load(&self, site: &Site, server: &Server) -> Load {
        let load = (self.load)(site).with_header("Accept-Encoding", self.accept_encoding);
        let head = server.head(&load.request()).to_ascii_lowercase();
        let field = |name| {
            head.lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap_or("none")
        };
        assert_eq!(
            field("content-encoding: "),
            self.accept_encoding.replace("identity", "none"),
            "{}: {head}",
            self.name
        );
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
    let mut line = format!("{name:18}");
    for (figure, decimals) in [
        (Measured::cpu_micros as fn(&Measured) -> f64, 2),
        (Measured::rate, 0),
        (Measured::p99_millis, 2),
    ] {
        let [latimer, nginx] = rounds
            .each_ref()
            .map(|rounds| sorted(rounds.iter().map(figure)));
        let ratios = sorted(
            rounds[0]
                .iter()
                .zip(&rounds[1])
                .map(|(latimer, nginx)| figure(latimer) / figure(nginx)),
        );
        let middle = ROUNDS / 2;
        write!(
            line,
            "{:8.decimals$} {:8.decimals$} {:8.2} ",
            latimer[middle], nginx[middle], ratios[middle]
        )
        .unwrap();
        if decimals == 2 && !line.contains('–') {
            write!(line, "{:4.2}–{:4.2} ", ratios[0], ratios[ROUNDS - 1]).unwrap();
        }
    }
    let errors: u64 = rounds.iter().flatten().map(|round| round.errors).sum();
    println!("{line}{errors:8}");
}

fn sorted(figures: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures
}
