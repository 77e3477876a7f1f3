//! The program as a web server, and a client that sees the bytes as they come.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How long an answer may take on a machine that does other things too.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running `latimer serve`; ends with this value.
pub struct Server {
    child: Child,
    pub address: String,
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
        let mut command = super::command(folder);
        command.args(["serve", "--pages-only", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
            let after = line.split_once("http://")?.1;
            after.split_once('/').map(|(address, _)| address.to_owned())
        });
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.expect("the server says where it listens") }
    }

    /// Asks for a path and reads the answer to the end of the connection.
    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        get(&self.address, path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[track_caller]
pub fn get(address: &str, path: &str) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let (status, fields) = head.split_once("\r\n").unwrap();
    let fields = fields.lines().filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> = fields.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    let body = bytes[end + 4..].to_vec();
    let length = headers.get("content-length").expect("every answer says how long it is");
    assert_eq!(length.parse::<usize>().unwrap(), body.len(), "{path}: the answer is cut short");
    Response { status: status.split(' ').nth(1).unwrap().parse().unwrap(), headers, body }
}

impl Response {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn is_html(&self) -> bool {
        self.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"))
    }
}
