//! A running server with an API, and a client that sends whatever a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::web::{PATIENCE, header, listen};

/// What gives a site's configuration an API.
pub const API: &str = "\n[api]\njwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }\n";
/// What takes every limit away.
pub const NO_LIMITS: &str = "\n[api.limits]\nread = 0\nwrite = 0\ncrawl_translate = 0\nfailed_logins = 0\n\
                             preview = 0\npreview_host = 0\npreview_mail = 0\npreview_mail_all = 0\npreview_status = 0\nedit = 0\nstream = 0\n";
/// Every scope.
pub const SCOPES: &str = "sites:read sites:write crawl:write serve:write deploy:write publish:write summary:write digest:write preview:write webhooks:write \
                          translations:read translations:write translations:review admin:write";

/// A running `latimer serve`; killed with this value.
pub struct Api {
    child: Child,
    pub address: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    /// The body, if it is JSON.
    pub json: Value,
    pub body: String,
}

/// Puts an API into a site's folder.
pub fn give_api(site: &super::Site, more: &str) {
    site.write("jwt.secret", &"0123456789abcdef".repeat(4));
    let text = site.read("latimer.toml");
    site.write("latimer.toml", &format!("{text}{API}{more}"));
}

/// A token for everything on a site but what is for the owner's eyes.
pub fn token(folder: &Path, subject: &str, site: &str) -> String {
    token_with(folder, subject, site, SCOPES)
}

/// The same for somebody who sees prices and audits, too.
pub fn owners_token(folder: &Path, subject: &str) -> String {
    token_with(folder, subject, "*", &format!("{SCOPES} admin:read"))
}

/// A token with some scopes.
pub fn token_with(folder: &Path, subject: &str, site: &str, scopes: &str) -> String {
    let ran = super::latimer(
        folder,
        &[
            "token", "mint", "--sub", subject, "--scope", scopes, "--site", site,
        ],
        b"",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

impl Api {
    /// Serves a folder's site at a port that the system chooses.
    pub fn start(folder: &Path) -> Self {
        Self::start_at(folder, "127.0.0.1:0")
    }

    /// Serves a folder's site at an address.
    pub fn start_at(folder: &Path, address: &str) -> Self {
        let mut command = super::command(folder);
        command.args(["serve", "--quiet", "--listen", address]);
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
            said += &format!("{line}\n");
            let after = line.split_once("http://")?.1;
            after.split_once('/').map(|(address, _)| address.to_owned())
        });
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .for_each(|line| eprintln!("{line}"))
        });
        let address = address
            .unwrap_or_else(|| panic!("the server does not say where it listens, but {said}"));
        Self { child, address }
    }

    /// Sends a request; an error of the connection is `None`.
    pub fn try_call(&self, method: &str, path: &str, token: &str, body: &str) -> Option<Answer> {
        call(&self.address, method, path, token, body)
    }

    /// Sends a request.
    #[track_caller]
    pub fn call(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        self.try_call(method, path, token, body)
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    /// Sends a request with more headers, each with its line end.
    #[track_caller]
    pub fn call_with(
        &self,
        method: &str,
        path: &str,
        token: &str,
        head: &str,
        body: &str,
    ) -> Answer {
        call_with(&self.address, (method, path), token, head, body)
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    /// Waits until a run is over; gives it as it ended.
    #[track_caller]
    pub fn wait_for(&self, location: &str, token: &str) -> Value {
        self.wait_until(location, token, |run| !run["finishedAt"].is_null())
    }

    /// Waits until a run is so far; gives it as it is then.
    #[track_caller]
    pub fn wait_until(
        &self,
        location: &str,
        token: &str,
        is_so_far: impl Fn(&Value) -> bool,
    ) -> Value {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let run = self.call("GET", location, token, "").json;
            if is_so_far(&run) {
                return run;
            }
            assert!(
                std::time::Instant::now() < deadline,
                "still not so far: {run}"
            );
            pause(Duration::from_millis(20));
        }
    }

    /// Kills the server, as a power cut would.
    pub fn kill(mut self) {
        self.end();
    }

    /// Asks the server to end, and waits until it has.
    pub fn stop(mut self) {
        let asked = Command::new("kill")
            .args(["-TERM", &self.pid().to_string()])
            .status();
        assert!(asked.is_ok_and(|status| status.success()));
        self.child.wait().unwrap();
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A figure of its memory in kibibytes: `VmRSS` now, `VmHWM` at most until now.
    pub fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn end(&mut self) {
        // It may have been ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.end();
    }
}

/// Sends one request on a connection of its own.
pub fn call(address: &str, method: &str, path: &str, token: &str, body: &str) -> Option<Answer> {
    call_with(address, (method, path), token, "", body)
}

/// The same with more headers, each with its line end.
fn call_with(
    address: &str,
    (method, path): (&str, &str),
    token: &str,
    more: &str,
    body: &str,
) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = match body {
        "" => String::new(),
        body => format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        ),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{more}{length}\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    // An answer that was cut short is none.
    let is_page = head
        .to_ascii_lowercase()
        .contains("\r\ncontent-type: text/");
    let json = if body.is_empty() || is_page {
        Value::Null
    } else {
        serde_json::from_str(body).ok()?
    };
    Some(Answer {
        status,
        head: head.to_ascii_lowercase(),
        json,
        body: body.to_owned(),
    })
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

/// Follows a stream until it ends or breaks off; gives what came.
pub fn follow(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        bytes.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(bytes).unwrap()
}

/// Runs a script as a reader of the documentation would, against a server at `address`.
pub fn shell(folder: &Path, script: &str, address: &str) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_latimer"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let script = script.replace("127.0.0.1:8080", address);
    let mut command = Command::new("bash");
    super::clean(&mut command);
    command
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder)
        .env("PATH", path);
    command
        .env("LATIMER_LISTEN", address)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The shell commands that follow a heading or a line of a document.
pub fn commands_after(document: &str, line: &str) -> String {
    let after = document
        .split_once(line)
        .unwrap_or_else(|| panic!("{line:?} is not there"))
        .1;
    let block = after
        .split_once("```sh\n")
        .expect("there is a block of commands")
        .1;
    block
        .split_once("\n```")
        .expect("the block ends")
        .0
        .to_owned()
}

/// A port that was free a moment ago.
pub fn free_address() -> String {
    listen().1
}

/// Lets another process go on for a while, where it gives no sign that could be waited for.
#[expect(clippy::disallowed_methods, reason = "there is nothing to wait for")]
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
