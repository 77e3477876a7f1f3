//! A server on the loopback interface for tests, with JSON in its requests and answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::Value;

/// Status and body for a request with a head and a body.
type Answer = dyn Fn(&str, &Value) -> (u16, Value) + Send + Sync;

/// Starts a server that ends with the process; returns its address.
pub fn serve(answer: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer: Arc<Answer> = Arc::new(answer);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || while reply(&stream, &*answer).is_some() {});
        }
    });
    address
}

/// Replies to one request; `None` at the end of the connection.
fn reply(mut stream: &TcpStream, answer: &Answer) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap()
        .parse()
        .unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (status, told) = answer(&head, &serde_json::from_slice(&body).unwrap());
    let told = told.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} OK\r\ncontent-length: {}\r\n\r\n{told}",
        told.len()
    )
    .ok()
}
