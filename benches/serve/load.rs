//! The load: wrk on the second core. wrk cannot read the answers to HEAD, so those are asked for by this program itself,
//! started anew for that, over as many connections, each with one request under way.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::servers::Server;
use crate::site::{HOST, Site};

/// The first argument that makes this program the client for HEAD; address, seconds, request and connections follow.
pub(crate) const HEAD_CLIENT: &str = "head-client";

/// The end of wrk's script: the figures in one line, as [`Measured`] reads them.
const REPORT: &str = "done = function(summary, latency)\n local e = summary.errors\n\
    io.write(string.format('FIGURES %d %d %d %d\\n', summary.requests, summary.duration,\n\
    e.connect + e.read + e.write + e.timeout + e.status, latency:percentile(99)))\nend\n";

/// Requests to make.
pub(crate) struct Load {
    head: bool,
    paths: Vec<String>,
    headers: Vec<(String, String)>,
    script: std::path::PathBuf,
}

/// What a run cost.
pub(crate) struct Measured {
    requests: f64,
    micros: f64,
    p99_micros: f64,
    ticks: f64,
    pub(crate) errors: u64,
}

impl Load {
    pub(crate) fn one_page(site: &Site) -> Self {
        Self::new(site, false, vec![site.page().to_owned()])
    }

    pub(crate) fn small_page(site: &Site) -> Self {
        Self::new(site, false, vec![site.small_page().to_owned()])
    }

    pub(crate) fn head(site: &Site) -> Self {
        Self::new(site, true, vec![site.page().to_owned()])
    }

    pub(crate) fn all_pages(site: &Site) -> Self {
        Self::new(site, false, site.pages().to_vec())
    }

    fn new(site: &Site, head: bool, paths: Vec<String>) -> Self {
        let headers = vec![("Host".to_owned(), HOST.to_owned())];
        Self {
            head,
            paths,
            headers,
            script: site.folder().join("load.lua"),
        }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Makes the requests for some seconds.
    pub(crate) fn run(&self, server: &Server, connections: usize, seconds: u32) -> Measured {
        let mut command = Command::new("taskset");
        command.args(["-c", "1"]);
        if self.head {
            command
                .arg(std::env::current_exe().unwrap())
                .args([HEAD_CLIENT, &server.address]);
            command
                .arg(seconds.to_string())
                .arg(self.request())
                .arg(connections.to_string());
        } else {
            fs::write(&self.script, self.wrk_script()).unwrap();
            command.args([
                "wrk",
                "-t1",
                &format!("-c{connections}"),
                &format!("-d{seconds}s"),
                "-s",
            ]);
            command
                .arg(&self.script)
                .arg(format!("http://{}", server.address));
        }
        let before = server.ticks();
        let output = command.output().unwrap();
        let ticks = server.ticks() - before;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let figures = text.lines().find_map(|line| line.strip_prefix("FIGURES "));
        let figures = figures.unwrap_or_else(|| {
            panic!(
                "no figures: {text} {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
        let figures: Vec<u64> = figures
            .split(' ')
            .map(|figure| figure.parse().unwrap())
            .collect();
        let [requests, micros, errors, p99_micros] = figures[..] else {
            panic!("four figures: {figures:?}")
        };
        let [requests, micros, p99_micros, ticks] =
            [requests, micros, p99_micros, ticks].map(|figure| figure as f64);
        Measured {
            requests,
            micros,
            p99_micros,
            ticks,
            errors,
        }
    }

    fn wrk_script(&self) -> String {
        let mut script = String::from("local requests, at = {}, 0\ninit = function()\n");
        for (name, value) in &self.headers {
            writeln!(script, " wrk.headers['{name}'] = '{value}'").unwrap();
        }
        for path in &self.paths {
            writeln!(
                script,
                " table.insert(requests, wrk.format('GET', '{path}'))"
            )
            .unwrap();
        }
        script.push_str(
            "end\nrequest = function()\n at = at % #requests + 1\n return requests[at]\nend\n",
        );
        script + REPORT
    }

    /// The first request, as it is sent.
    pub(crate) fn request(&self) -> String {
        let method = if self.head { "HEAD" } else { "GET" };
        let headers: String = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        format!("{method} {} HTTP/1.1\r\n{headers}\r\n", self.paths[0])
    }
}

impl Measured {
    pub(crate) fn cpu_micros(&self) -> f64 {
        self.ticks * 10_000.0 / self.requests
    }

    pub(crate) fn rate(&self) -> f64 {
        self.requests * 1e6 / self.micros
    }

    pub(crate) fn p99_millis(&self) -> f64 {
        self.p99_micros / 1000.0
    }
}

/// Asks for a head on every connection, reads every answer, and again, until the time is over.
pub(crate) fn head_client() {
    let [address, seconds, request, number] =
        [2, 3, 4, 5].map(|at| std::env::args().nth(at).unwrap());
    let number: usize = number.parse().unwrap();
    let mut connections: Vec<TcpStream> = (0..number)
        .map(|_| TcpStream::connect(&address).unwrap())
        .collect();
    let begun = Instant::now();
    let time = Duration::from_secs(seconds.parse().unwrap());
    let mut waits = Vec::new();
    let mut errors = 0;
    let mut answer = [0; 2048];
    while begun.elapsed() < time {
        let sent: Vec<Instant> = connections
            .iter_mut()
            .map(|stream| {
                stream.write_all(request.as_bytes()).unwrap();
                Instant::now()
            })
            .collect();
        for (stream, sent) in connections.iter_mut().zip(sent) {
            let read = stream.read(&mut answer).unwrap();
            let whole = answer[..read].starts_with(b"HTTP/1.1 200")
                && answer[..read].ends_with(b"\r\n\r\n");
            errors += u64::from(!whole);
            waits.push(sent.elapsed().as_micros());
        }
    }
    let micros = begun.elapsed().as_micros();
    waits.sort_unstable();
    println!(
        "FIGURES {} {micros} {errors} {}",
        waits.len(),
        waits[waits.len() * 99 / 100]
    );
}
