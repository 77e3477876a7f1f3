//! The heads of requests as they came over the wire, read once more.
//!
//! hyper takes, and hides, what a proxy in front may have read another way: lines that end without a carriage return, a
//! length that is said twice, a length beside chunks (RFC 9112 sections 2.2 and 6.3). Such a request is refused, and its
//! connection ends, so that nobody's next request is taken for a part of it.

use std::io::BufRead as _;
use std::sync::{Mutex, PoisonError};

use hyper::Request;
use hyper::header::CONTENT_LENGTH;

use crate::http::error::HttpRefusal;

/// How much memory is kept for the next head.
const KEPT: usize = 4 << 10;
const BARE: HttpRefusal = HttpRefusal::BadRequest("a line ends without a carriage return");
const LENGTHS: HttpRefusal = HttpRefusal::BadRequest("the length of the body is said in two ways");

/// What was read from a connection and not looked at yet.
#[derive(Debug, Default)]
pub(super) struct Framing(Mutex<Heard>);

#[derive(Debug, Default)]
struct Heard {
    bytes: Vec<u8>,
    /// What is still to come of a body.
    body: u64,
}

impl Framing {
    /// Takes what was read.
    pub(super) fn hear(&self, bytes: &[u8]) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = heard.skip(bytes);
        heard.bytes.extend_from_slice(bytes);
    }

    /// Checks the head of the next request, which hyper has read as `request`.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), HttpRefusal> {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = check(&heard.bytes)?;
        let length = request.headers().get(CONTENT_LENGTH);
        heard.body = length
            .and_then(|length| length.to_str().ok()?.parse().ok())
            .unwrap_or_default();
        let bytes = std::mem::take(&mut heard.bytes);
        let left = heard.skip(&bytes[end..]);
        let done = bytes.len() - left.len();
        heard.bytes = bytes;
        heard.bytes.drain(..done);
        heard.bytes.shrink_to(KEPT);
        Ok(())
    }
}

impl Heard {
    /// What follows the rest of a body.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let skipped = bytes
            .len()
            .min(usize::try_from(self.body).unwrap_or(usize::MAX));
        self.body -= skipped as u64;
        &bytes[skipped..]
    }
}

/// Where the head ends that these bytes begin with.
fn check(bytes: &[u8]) -> Result<usize, HttpRefusal> {
    let mut rest = bytes;
    let mut lengths = 0;
    let mut has_chunks = false;
    let mut has_lines = false;
    loop {
        let from = rest;
        // It looks at many bytes at once, and memory does not fail.
        let length = rest.skip_until(b'\n').unwrap_or_default();
        let line = from[..length].strip_suffix(b"\r\n").ok_or(BARE)?;
        if line.is_empty() && has_lines {
            return if lengths > 1 || lengths == 1 && has_chunks {
                Err(LENGTHS)
            } else {
                Ok(bytes.len() - rest.len())
            };
        }
        // Empty lines may go before a request.
        has_lines |= !line.is_empty();
        lengths += u32::from(is_named(line, b"content-length:"));
        has_chunks |= is_named(line, b"transfer-encoding:");
    }
}

fn is_named(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_that_can_be_read_in_two_ways_are_refused() {
        for (head, expected) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\nrest", Ok(27)),
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Ok(31)),
            ("GET / HTTP/1.1\nHost: a\r\n\r\n", Err(BARE)),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nX: a\nContent-Length: 5\r\n\r\n",
                Err(BARE),
            ),
            ("GET / HTTP/1.1\r\nHost: a\n\n", Err(BARE)),
            ("GET / HTTP/1.1\r\nHost: a\r\n\n", Err(BARE)),
            ("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Err(BARE)),
            ("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", Ok(37)),
            (
                "PUT / HTTP/1.1\r\nContent-Length: 5\r\ncontent-length: 5\r\n\r\n",
                Err(LENGTHS),
            ),
            (
                "PUT / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                Err(LENGTHS),
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
                Err(LENGTHS),
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                Ok(46),
            ),
        ] {
            assert_eq!(check(head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn bodies_are_passed_over_however_they_are_cut() {
        let body = "{\n\"a\":\n1}";
        let put = format!(
            "PUT / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let wire = format!("{put}{get}{put}{get}");
        let requests = || {
            [body.len(), 0].map(|length| {
                Request::get("/")
                    .header(CONTENT_LENGTH, length)
                    .body(())
                    .unwrap()
            })
        };
        for piece in 1..wire.len() {
            let framing = Framing::default();
            let mut pieces = wire.as_bytes().chunks(piece);
            for request in requests().iter().chain(&requests()) {
                // hyper asks when it has a whole head.
                while check(&framing.0.lock().unwrap().bytes).is_err() {
                    framing.hear(pieces.next().unwrap());
                }
                assert_eq!(framing.check(request), Ok(()), "{piece}");
            }
            pieces.for_each(|piece| framing.hear(piece));
            assert!(framing.0.lock().unwrap().bytes.is_empty(), "{piece}");
        }
    }
}
