//! The program as a web server, a client that sees the bytes as they come, and servers that the program asks.

mod loopback;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use loopback::{Loopback, Reply, Request, header, listen, serve_json};

/// How long an answer may take on a machine that does other things too.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The system chooses the port.
const ANY_PORT: &str = "127.0.0.1:0";

/// A running `latimer serve`; ends with this value.
pub struct Server {
    child: Child,
    pub address: String,
    /// What it said on standard error until it said where it listens, and after.
    said: Arc<Mutex<String>>,
    listening: Option<JoinHandle<()>>,
}

/// One answer, whole.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Server {
    /// Serves the pages of a folder's configuration at a port that the system chooses.
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, &["--pages-only"])
    }

    /// Serves with these arguments at a port that the system chooses.
    pub fn start_with(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_as(folder, "serve", arguments)
    }

    /// Serves with these arguments at an address.
    pub fn start_at(folder: &Path, address: &str, arguments: &[&str]) -> Self {
        Self::spawn(super::command(folder), "serve", address, arguments)
    }

    /// Runs a command that serves at a port that the system chooses.
    pub fn start_as(folder: &Path, name: &str, arguments: &[&str]) -> Self {
        Self::spawn(super::command(folder), name, ANY_PORT, arguments)
    }

    /// Serves as a service manager starts it: in a session of its own, without a terminal.
    pub fn start_as_service(folder: &Path) -> Self {
        let mut command = Command::new("setsid");
        super::clean(&mut command);
        command
            .arg(env!("CARGO_BIN_EXE_latimer"))
            .current_dir(folder);
        Self::spawn(command, "serve", ANY_PORT, &[])
    }

    /// Serves with a limit of open files.
    pub fn start_with_few_files(folder: &Path, most: u32) -> Self {
        let mut command = Command::new("sh");
        super::clean(&mut command);
        let script = format!("ulimit -n {most} && exec \"$@\"");
        command
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_latimer")])
            .current_dir(folder);
        Self::spawn(command, "serve", ANY_PORT, &[])
    }

    fn spawn(mut command: Command, name: &str, address: &str, arguments: &[&str]) -> Self {
        command.args([name, "--listen", address]).args(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .map(Result::unwrap);
        let mut first = String::new();
        let address = lines.by_ref().find_map(|line| {
            first.push_str(&format!("{line}\n"));
            let after = line.split_once("http://")?.1;
            after.split_once('/').map(|(address, _)| address.to_owned())
        });
        let said = Arc::new(Mutex::new(first));
        let heard = Arc::clone(&said);
        // What it says later is read, so that it never waits for a reader.
        let listening = std::thread::spawn(move || {
            lines.for_each(|line| heard.lock().unwrap().push_str(&format!("{line}\n")))
        });
        let address = address.unwrap_or_else(|| {
            panic!("the server says where it listens: {}", said.lock().unwrap())
        });
        Self {
            child,
            address,
            said,
            listening: Some(listening),
        }
    }

    /// Everything it said so far.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Waits until it said something so many times.
    #[track_caller]
    pub fn wait_for(&self, text: &str, times: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.said().matches(text).count() < times {
            assert!(
                Instant::now() < deadline,
                "{text:?} is not there {times} times: {}",
                self.said()
            );
            super::api::pause(Duration::from_millis(20));
        }
    }

    /// Asks it to end, as a service manager does.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Asks it to read its configuration again, as a service manager does.
    pub fn hang_up(&self) {
        self.signal("-HUP");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end; whether it ended well.
    pub fn wait(&mut self) -> bool {
        let status = self.child.wait().unwrap();
        self.listening
            .take()
            .into_iter()
            .for_each(|listening| listening.join().unwrap());
        status.success()
    }

    /// Its memory, in kibibytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Asks for a path and reads the answer to the end of the connection.
    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        get(&self.address, path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub fn get(address: &str, path: &str) -> Response {
    get_from(address, address, path)
}

/// Asks a server for a path of a host, by its name.
#[track_caller]
pub fn get_from(address: &str, host: &str, path: &str) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("an answer has a head");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let (status, fields) = head.split_once("\r\n").unwrap();
    let fields = fields.lines().filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> = fields
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let body = bytes[end + 4..].to_vec();
    let length = headers
        .get("content-length")
        .expect("every answer says how long it is");
    assert_eq!(
        length.parse::<usize>().unwrap(),
        body.len(),
        "{path}: the answer is cut short"
    );
    Response {
        status: status.split(' ').nth(1).unwrap().parse().unwrap(),
        headers,
        body,
    }
}

/// Sends bytes, as many as are taken, and reads until the other side closes; everything that came.
#[track_caller]
pub fn exchange(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        // A connection that is reset is closed too.
        assert_eq!(
            error.kind(),
            std::io::ErrorKind::ConnectionReset,
            "{:.60}",
            String::from_utf8_lossy(bytes)
        );
    }
    String::from_utf8_lossy(&answer).into_owned()
}

impl Response {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn is_html(&self) -> bool {
        self.headers
            .get("content-type")
            .is_some_and(|kind| kind.starts_with("text/html"))
    }
}
