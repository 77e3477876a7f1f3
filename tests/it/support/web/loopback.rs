//! HTTP servers on the loopback interface that answer as a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::ANY_PORT;

/// A running server; it ends with the process.
pub struct Loopback {
    /// Scheme, host and port, without a slash at the end.
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request to a server.
#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers, with their line ends.
    pub head: String,
    pub path: String,
    pub body: Vec<u8>,
}

/// An answer to a request. The server adds the length of the body.
pub struct Reply {
    pub status: u16,
    headers: String,
    body: Vec<u8>,
    cut: Option<Cut>,
}

/// End of a connection in the middle of a body.
struct Cut {
    sent: usize,
    then: Box<dyn FnOnce(&TcpStream)>,
}

type Answer = dyn Fn(&Request) -> Option<Reply> + Send + Sync;

impl Loopback {
    /// Starts a server with a thread for each connection. An answer of `None` ends the connection.
    pub fn start<R: Into<Option<Reply>>>(
        answer: impl Fn(&Request) -> R + Send + Sync + 'static,
    ) -> Self {
        let (listener, address) = listen();
        let answer: Arc<Answer> =
            Arc::new(move |request: &Request| -> Option<Reply> { answer(request).into() });
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let noted = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answer = Arc::clone(&answer);
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || serve(&stream, &*answer, &noted));
            }
        });
        Self {
            address: format!("http://{address}"),
            requests,
        }
    }

    /// Requests so far, in the order of their answers.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Request {
    /// Value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: String::new(),
            body: body.into(),
            cut: None,
        }
    }

    /// An answer without a body.
    pub fn status(status: u16) -> Self {
        Self::new(status, "")
    }

    /// Adds a header line.
    pub fn with(mut self, line: &str) -> Self {
        self.headers += &format!("{line}\r\n");
        self
    }

    /// Sends only the first bytes of the body, calls `then` and ends the connection.
    pub fn cut(mut self, sent: usize, then: impl FnOnce(&TcpStream) + 'static) -> Self {
        let then = Box::new(then);
        self.cut = Some(Cut { sent, then });
        self
    }

    /// Sends the answer; `None` if the connection ends.
    fn send(self, mut stream: &TcpStream) -> Option<()> {
        let length = self.body.len();
        let sent = self.cut.as_ref().map_or(length, |cut| cut.sent);
        let head = format!(
            "HTTP/1.1 {} Reply\r\n{}Content-Length: {length}\r\n\r\n",
            self.status, self.headers
        );
        let bytes = [head.as_bytes(), &self.body[..sent]].concat();
        stream.write_all(&bytes).ok()?;
        match self.cut {
            None => Some(()),
            Some(cut) => {
                (cut.then)(stream);
                None
            }
        }
    }
}

/// Answers the requests of a connection until its end.
fn serve(stream: &TcpStream, answer: &Answer, requests: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let reply = answer(&request);
        // Push before the answer is sent, or a test misses a request that was answered.
        requests.lock().unwrap().push(request);
        if reply.and_then(|reply| reply.send(stream)).is_none() {
            return;
        }
    }
}

/// Reads a request; `None` at the end of the connection.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let path = head.split(' ').nth(1)?.to_owned();
    let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, path, body })
}

/// Starts a server for JSON and returns its address. `answer` maps the head and the body of a request to a status and a body.
pub fn serve_json(answer: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static) -> String {
    let server = Loopback::start(move |request| {
        let body = serde_json::from_slice(&request.body).unwrap();
        let (status, told) = answer(&request.head, &body);
        Reply::new(status, told.to_string())
    });
    server.address
}

/// A listener and its address. Without `accept`, its clients connect and wait.
pub fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind(ANY_PORT).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// Value of a header in lines of them.
pub fn header<'l>(lines: &'l str, name: &str) -> Option<&'l str> {
    lines
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}
