//! Requests that are made to confuse, to fill memory or to keep places taken, sent to the program itself.
//!
//! The names of the goals are those of the project's list: D9 slow clients, D10 sizes, D11 requests that a proxy in front may
//! read another way. How long each wait takes is tested where the timers can be short, in `api`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::Site;
use crate::support::web::{Server, exchange};

const KEYS: &str = "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n\
                    [api]\njwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }\n";
const SUBSCRIBE: &str = "/api/digests/subscription";
/// A second request that would follow unseen.
const SECOND: &str = "GET /es/ HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A site with a page and an API, and a token for it.
fn site() -> (Site, String) {
    let site = Site::new(
        KEYS,
        &[(
            "index.html",
            "<!doctype html><title>Bread</title><p>Bread and butter.",
        )],
    );
    site.write("jwt.secret", "0123456789abcdef0123456789abcdef");
    site.write("source/large.bin", &"0123456789abcdef".repeat(1 << 18));
    let ran = site.run(&[
        "token",
        "mint",
        "--sub",
        "ana",
        "--scope",
        "digest:write",
        "--site",
        "site",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let token = String::from_utf8(ran.stdout).unwrap().trim().to_owned();
    (site, token)
}

fn status(answer: &str) -> u16 {
    answer
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .unwrap_or(0)
}

/// Sends one request with a second one behind it; gives the status of the only answer.
#[track_caller]
fn only_status(server: &Server, name: &str, request: &str) -> u16 {
    let answer = exchange(&server.address, request.as_bytes());
    assert!(
        answer.matches("HTTP/1.1 ").count() <= 1,
        "{name} has two answers: {answer}"
    );
    status(&answer)
}

/// D11: a request that can be read in two ways gets one answer, a refusal, and its connection ends.
#[test]
fn ambiguous_requests_are_refused_and_closed() {
    let (site, token) = site();
    let server = Server::start_with(site.folder(), &["--build"]);
    let put = |headers: &str, body: &str| {
        let headers =
            format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n{headers}");
        format!("PUT {SUBSCRIBE} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n{body}{SECOND}")
    };
    let get = |headers: &str| format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n{SECOND}");
    let line = |line: &str| format!("{line}\r\nHost: localhost\r\n\r\n{SECOND}");
    let chunked = "Transfer-Encoding: chunked";
    for (name, request, expected) in [
        (
            "length and chunks",
            put(&format!("Content-Length: 4\r\n{chunked}"), "0\r\n\r\n"),
            400,
        ),
        (
            "chunks and length",
            put(&format!("{chunked}\r\nContent-Length: 4"), "0\r\n\r\n"),
            400,
        ),
        (
            "length and chunks, a page",
            get(&format!(
                "Host: localhost\r\nContent-Length: 4\r\n{chunked}"
            )),
            400,
        ),
        (
            "two lengths",
            put("Content-Length: 2\r\nContent-Length: 4", "{}"),
            400,
        ),
        (
            "the same length twice",
            put("Content-Length: 2\r\nContent-Length: 2", "{}"),
            400,
        ),
        ("a list of lengths", put("Content-Length: 2, 2", "{}"), 400),
        ("length with plus", put("Content-Length: +2", "{}"), 400),
        ("length with a space", put("Content-Length: 2 2", "{}"), 400),
        (
            "length in hexadecimal",
            put("Content-Length: 0x2", "{}"),
            400,
        ),
        ("negative length", put("Content-Length: -2", "{}"), 400),
        (
            "length beyond numbers",
            put("Content-Length: 99999999999999999999999", "{}"),
            400,
        ),
        (
            "chunked and identity",
            put("Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
            400,
        ),
        (
            "xchunked",
            put("Transfer-Encoding: xchunked", "0\r\n\r\n"),
            400,
        ),
        ("chunked", put(chunked, "2;a=b\r\n{}\r\n0\r\n\r\n"), 411),
        (
            "chunked twice",
            put("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"),
            411,
        ),
        (
            "chunked with a tab",
            put("Transfer-Encoding:\tchunked", "0\r\n\r\n"),
            411,
        ),
        (
            "chunked in HTTP/1.0",
            put(chunked, "0\r\n\r\n").replacen("HTTP/1.1", "HTTP/1.0", 1),
            400,
        ),
        ("folded line", get("Host: localhost\r\nX: a\r\n b"), 400),
        (
            "space before colon",
            get("Host: localhost\r\nContent-Length : 4"),
            400,
        ),
        (
            "bare line feeds",
            get("Host: localhost").replace('\r', ""),
            400,
        ),
        (
            "bare line feed before a length",
            put("X: a\nContent-Length: 2", "{}"),
            400,
        ),
        (
            "bare carriage return",
            get("Host: localhost\r\nX: a\rContent-Length: 4"),
            400,
        ),
        ("NUL", get("Host: localhost\r\nX: a\0b"), 400),
        ("no host", get("X: a"), 400),
        ("two hosts", get("Host: localhost\r\nHost: localhost"), 400),
        ("host with a path", get("Host: localhost/x"), 400),
        (
            "host with a name before it",
            get("Host: ana@localhost"),
            400,
        ),
        (
            "another host in the address",
            line("GET http://other.test/ HTTP/1.1"),
            400,
        ),
        (
            "name in the address",
            line("GET http://ana@localhost/ HTTP/1.1"),
            400,
        ),
        ("HTTP/0.9", "GET /\r\n\r\n".to_owned(), 400),
        (
            "HTTP/2 preface",
            format!("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{SECOND}"),
            0,
        ),
        ("HTTP/3.7", line("GET / HTTP/3.7"), 400),
        ("CONNECT", line("CONNECT localhost:80 HTTP/1.1"), 400),
        ("asterisk", line("OPTIONS * HTTP/1.1"), 400),
        ("space in the path", line("GET /a b HTTP/1.1"), 400),
        ("no method", line(" / HTTP/1.1"), 400),
        (
            "body of a page",
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 38\r\n\r\n{SECOND}"),
            413,
        ),
    ] {
        assert_eq!(only_status(&server, name, &request), expected, "{name}");
    }
    assert_eq!(server.get("/es/").status, 200);
}

/// D11: what follows a whole request is a request of its own, and rubbish is never a part of anything.
#[test]
fn requests_behind_each_other_are_kept_apart() {
    let (site, token) = site();
    let server = Server::start_with(site.folder(), &["--build"]);
    let statuses = |request: &str| {
        let answers = exchange(&server.address, request.as_bytes());
        answers
            .match_indices("HTTP/1.1 ")
            .map(|(at, _)| status(&answers[at..]))
            .collect::<Vec<_>>()
    };
    let page = "GET /es/ HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let last = "GET /es/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let trace = page.replace("GET", "TRACE");
    let body = "{\n\"email\": \"ana@example.com\",\n\"frequency\": \"daily\"\n}";
    let put = format!(
        "PUT {SUBSCRIBE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(
        statuses(&format!("{page}{page}{last}{page}")),
        [200, 200, 200]
    );
    assert_eq!(
        statuses(&format!("{page}rubbish\r\n\r\n{page}")),
        [200, 400]
    );
    assert_eq!(statuses(&format!("{trace}{last}")), [405, 200]);
    assert_eq!(statuses(&format!("{put}{put}{last}")), [200, 200, 200]);
    assert_eq!(
        statuses(&format!("{put}{}", page.replace('\r', ""))),
        [200, 400]
    );
}

/// D10: what is too large is refused, whatever part it is, and costs no memory.
#[test]
fn sizes_are_bounded() {
    let (site, token) = site();
    let server = Server::start_with(site.folder(), &["--build"]);
    assert_eq!(server.get("/es/").status, 200);
    let before = server.memory();
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
    };
    let put = |headers: &str, body: &str| {
        let headers =
            format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n{headers}");
        format!("PUT {SUBSCRIBE} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n{body}")
    };
    let header = |size: usize| format!("X: {}\r\n", "x".repeat(size));
    let many: String = (0..2000)
        .map(|number| format!("X-{number}: x\r\n"))
        .collect();
    let deep = "[".repeat(10_000);
    let large = "x".repeat(2 << 20);
    for (name, request, expected) in [
        ("64 KiB of headers", get("/", &header(64 << 10)), 431),
        ("2 MiB of headers", get("/", &header(2 << 20)), 431),
        ("2,000 headers", get("/", &many), 431),
        (
            "9 KiB of path",
            get(&format!("/{}", "x".repeat(9 << 10)), ""),
            414,
        ),
        (
            "64 KiB of path",
            get(&format!("/{}", "x".repeat(64 << 10)), ""),
            414,
        ),
        (
            "10 GiB announced",
            put("Content-Length: 10737418240", "{"),
            413,
        ),
        (
            "10 GiB announced for a page",
            get("/", "Content-Length: 10737418240\r\n"),
            413,
        ),
        (
            "2 MiB sent",
            put(&format!("Content-Length: {}", large.len()), &large),
            413,
        ),
        (
            "endless chunks",
            put(
                "Transfer-Encoding: chunked",
                &format!("{:x}\r\n{large}\r\n", large.len()),
            ),
            411,
        ),
        (
            "10,000 levels",
            put(
                &format!("Connection: close\r\nContent-Length: {}", deep.len()),
                &deep,
            ),
            400,
        ),
    ] {
        for _ in 0..5 {
            assert_eq!(
                status(&exchange(&server.address, request.as_bytes())),
                expected,
                "{name}"
            );
        }
    }
    let grown = server.memory().saturating_sub(before);
    eprintln!("memory grew by {grown} KiB");
    assert!(grown < 32 << 10, "{grown} KiB");
}

/// D9: three hundred clients that drip, stay silent or never read take no time from others and little memory.
#[test]
fn slow_clients_take_nothing_from_others() {
    let (site, _) = site();
    let server = Server::start_with(site.folder(), &["--build"]);
    assert_eq!(server.get("/es/").status, 200);
    let before = server.memory();
    let connect = |sent: &[u8]| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(sent).unwrap();
        stream
    };
    let asks = "GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(4);
    let mut slow: Vec<TcpStream> = (0..200)
        .map(|_| connect(b"GET / HTTP/1.1\r\nHost: local"))
        .collect();
    slow.extend((0..100).map(|_| connect(asks.as_bytes())));
    let mut slowest = Duration::ZERO;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(4) {
        slow.iter_mut()
            .take(200)
            .for_each(|stream| stream.write_all(b"h").unwrap());
        for _ in 0..50 {
            let asked = Instant::now();
            assert_eq!(server.get("/es/").status, 200);
            slowest = slowest.max(asked.elapsed());
        }
    }
    let grown = server.memory().saturating_sub(before);
    eprintln!("the slowest answer took {slowest:?}, memory grew by {grown} KiB");
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    assert!(grown < 64 << 10, "{grown} KiB");
    // The head was not complete, so nothing was answered.
    slow[0].set_nonblocking(true).unwrap();
    assert!(slow[0].read(&mut [0; 1]).is_err());
}

/// The head of a request whose body never comes.
fn head_alone(start: &str, headers: &str) -> String {
    format!(
        "{start} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n{headers}\r\n"
    )
}

/// Connections that promise a body and send none give way to readers.
#[test]
fn bodies_that_never_come_keep_nobody_out() {
    const FILES: u32 = 128;
    let (site, token) = site();
    site.edit("latimer.toml", "[api]\n", "[api]\nlimits = { write = 0 }\n");
    site.build(&[], 0);
    let server = Server::start_with_few_files(site.folder(), FILES);
    let head = head_alone(
        &format!("PUT {SUBSCRIBE}"),
        &format!("Authorization: Bearer {token}\r\n"),
    );
    let held: Vec<TcpStream> = (0..FILES)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let page = "GET /es/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&exchange(&server.address, page.as_bytes())), 200);
    // The page did not have to wait until the bodies were given up.
    let mut gone = 0;
    for mut stream in held {
        stream.set_nonblocking(true).unwrap();
        match stream.read(&mut [0; 64]) {
            Ok(0) => gone += 1,
            Ok(_) => panic!("a request without its body was answered"),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => gone += 1,
        }
    }
    assert!(gone > 0);
}

/// D9: what opens nothing is refused before a body is waited for.
#[test]
fn a_body_is_waited_for_only_when_its_sender_is_known() {
    let (site, _) = site();
    let server = Server::start_with(site.folder(), &["--build"]);
    for (start, headers, expected) in [
        (format!("PUT {SUBSCRIBE}"), "", 401),
        (
            format!("PUT {SUBSCRIBE}"),
            "Authorization: Bearer x\r\n",
            401,
        ),
        ("POST /_latimer/unsubscribe/x".to_owned(), "", 404),
        ("POST /_latimer/confirm/x".to_owned(), "", 404),
    ] {
        let answer = exchange(&server.address, head_alone(&start, headers).as_bytes());
        assert_eq!(status(&answer), expected, "{start}: {answer}");
    }
}
