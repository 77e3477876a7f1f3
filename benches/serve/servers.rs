//! The two servers, pinned to the first core, and what the system says about their processes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::site::Site;

/// nginx's module that sends variants in brotli, where Debian puts it.
pub(crate) const BROTLI: &str = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so";

/// A running server; ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// `latimer serve` with one worker.
    pub(crate) fn latimer(site: &Site) -> Self {
        let mut command = pinned(env!("CARGO_BIN_EXE_latimer"));
        command
            .args(["serve", "--pages-only", "--listen", "127.0.0.1:0"])
            .current_dir(site.folder());
        command.env("TOKIO_WORKER_THREADS", "1");
        let (child, address) = start(command, |line| {
            let after = line.split_once("http://")?.1;
            Some(after.split_once('/')?.0.to_owned())
        });
        Self { child, address }
    }

    /// nginx as Debian configures it, with one worker and without a log.
    pub(crate) fn nginx(site: &Site, keeps_open: bool) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = format!("127.0.0.1:{port}");
        let folder = site.folder().display();
        let root = site.plain();
        let config = site.folder().join("nginx.conf");
        let cache = if keeps_open {
            "open_file_cache max=10000 inactive=60s; open_file_cache_valid 60s;"
        } else {
            ""
        };
        let text = format!(
            "load_module {BROTLI}; daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr notice; user root;\n\
             events {{ worker_connections 1024; }}\n\
             http {{\n access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;\n\
             gzip_static on; brotli_static on; {cache}\n\
             client_body_temp_path {folder}/n1; proxy_temp_path {folder}/n2; fastcgi_temp_path {folder}/n3;\n\
             uwsgi_temp_path {folder}/n4; scgi_temp_path {folder}/n5;\n\
             types {{ text/html html; }} charset utf-8;\n\
             server {{ listen {address}; root {}; add_header Cache-Control \"public, max-age=60\"; }}\n}}\n",
            root.display()
        );
        fs::write(&config, text).unwrap();
        let mut command = pinned("nginx");
        command
            .arg("-p")
            .arg(site.folder())
            .arg("-c")
            .arg(&config)
            .arg("-e")
            .arg("stderr");
        let (child, ()) = start(command, |line| {
            line.contains("start worker process ").then_some(())
        });
        Self { child, address }
    }

    /// Asks once and gives the answer's head.
    pub(crate) fn head(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.windows(4).any(|four| four == b"\r\n\r\n") {
            let mut piece = [0; 4096];
            let read = stream.read(&mut piece).unwrap();
            assert_ne!(read, 0, "the answer is cut short");
            answer.extend_from_slice(&piece[..read]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Processor time used so far, in hundredths of a second.
    pub(crate) fn ticks(&self) -> u64 {
        let used = |process: &Process| {
            process
                .stat
                .split(' ')
                .skip(11)
                .take(2)
                .filter_map(|n| n.parse::<u64>().ok())
                .sum::<u64>()
        };
        self.processes().iter().map(used).sum()
    }

    pub(crate) fn resident_megabytes(&self) -> f64 {
        let resident = |process: &Process| {
            let status = fs::read_to_string(format!("/proc/{}/status", process.id)).unwrap();
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("VmRSS:"))
                .unwrap_or("0");
            line.split_whitespace()
                .next()
                .unwrap()
                .parse::<f64>()
                .unwrap()
                / 1024.0
        };
        self.processes().iter().map(resident).sum()
    }

    /// The server's process and its children.
    fn processes(&self) -> Vec<Process> {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        numbers
            .filter_map(Process::read)
            .filter(|process| [process.id, process.parent].contains(&self.child.id()))
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // nginx's first process takes its worker along only when it is asked to end.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// A process as `/proc/ID/stat` shows it, from the field after its name on.
struct Process {
    id: u32,
    parent: u32,
    stat: String,
}

impl Process {
    fn read(id: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let stat = text.rsplit_once(") ")?.1.to_owned();
        Some(Self {
            id,
            parent: stat.split(' ').nth(1)?.parse().ok()?,
            stat,
        })
    }
}

fn pinned(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command
        .args(["-c", "0", program])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Starts a server and waits for the line on its standard error that says it is ready.
fn start<T>(mut command: Command, ready: impl Fn(&str) -> Option<T>) -> (Child, T) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut said = String::new();
    let found = lines
        .by_ref()
        .inspect(|line| said.push_str(line))
        .find_map(|line| ready(&line));
    // What it says later is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (
        child,
        found.unwrap_or_else(|| panic!("the server did not start: {said}")),
    )
}
