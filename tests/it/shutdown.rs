//! The end of the program as a service: asked to stop while it works, it cuts no answer off and is gone in time (C14).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::support::Site;
use crate::support::web::Server;

const KEYS: &str = "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n";
const LARGE: usize = 32 << 20;
const PATIENCE: Duration = Duration::from_secs(20);

/// How the requests of one client ended.
#[derive(Debug, Default)]
struct Tally {
    whole: u32,
    /// Begun and not finished.
    cut: u32,
    /// Sent, and closed without a byte of an answer.
    unanswered: u32,
}

fn site() -> Site {
    let page = format!(
        "<!doctype html><title>Bread</title>{}",
        "<p>Bread and butter.".repeat(2000)
    );
    let site = Site::new(KEYS, &[("index.html", &page)]);
    site.write("source/large.bin", &"0123456789abcdef".repeat(LARGE / 16));
    site.build(&[], 0);
    site
}

/// Reads one answer; how many bytes of it came, and whether that is all of it.
fn read_answer(stream: &mut TcpStream) -> (usize, bool, bool) {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .unwrap();
            if bytes.len() == end + 4 + length.parse::<usize>().unwrap() {
                return (bytes.len(), true, head.contains("connection: close"));
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return (bytes.len(), false, true),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Asks over and over, on a connection as long as it lasts, until none is to be had.
fn ask(address: &str) -> Tally {
    let mut tally = Tally::default();
    while let Ok(mut stream) = TcpStream::connect(address) {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        loop {
            if stream
                .write_all(b"GET /es/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .is_err()
            {
                tally.unanswered += 1;
                break;
            }
            match read_answer(&mut stream) {
                (_, true, is_last) => {
                    tally.whole += 1;
                    if is_last {
                        break;
                    }
                }
                (0, false, _) => {
                    tally.unanswered += 1;
                    break;
                }
                (_, false, _) => {
                    tally.cut += 1;
                    break;
                }
            }
        }
    }
    tally
}

#[test]
fn no_answer_is_cut_off_by_a_stop_under_load() {
    let site = site();
    let mut server = Server::start(site.folder());
    let address = server.address.clone();
    let mut idle = TcpStream::connect(&address).unwrap();
    idle.write_all(b"GET /es/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    assert!(read_answer(&mut idle).1);
    let silent = TcpStream::connect(&address).unwrap();
    let (tallies, took) = std::thread::scope(|scope| {
        let address = &address;
        let clients: Vec<_> = (0..16).map(|_| scope.spawn(|| ask(address))).collect();
        // A download that its client takes slowly, until well after the stop.
        let (go_on, wait) = channel::<()>();
        let download = scope.spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream
                .write_all(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .unwrap();
            stream.read_exact(&mut [0; 100]).unwrap();
            wait.recv().unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).unwrap();
            rest.len()
        });
        // The load is there: a few hundred answers beside it.
        (0..200).for_each(|_| assert_eq!(server.get("/es/").status, 200));
        let stopped = Instant::now();
        server.terminate();
        let tallies: Vec<Tally> = clients
            .into_iter()
            .map(|client| client.join().unwrap())
            .collect();
        go_on.send(()).unwrap();
        let loaded = download.join().unwrap();
        assert!(loaded > LARGE - 100, "the download was cut off at {loaded}");
        assert!(server.wait());
        (tallies, stopped.elapsed())
    });
    let sum = |part: fn(&Tally) -> u32| tallies.iter().map(part).sum::<u32>();
    let whole = sum(|tally| tally.whole);
    let cut = sum(|tally| tally.cut);
    let unanswered = sum(|tally| tally.unanswered);
    eprintln!(
        "{whole} whole answers, {cut} cut off, {unanswered} requests unanswered; the end took {took:?}"
    );
    assert!(whole > 16 && cut == 0);
    // Between the last connection that is accepted and the end of listening there is a moment.
    assert!(unanswered <= 2);
    assert!(took < Duration::from_secs(10), "{took:?}");
    drop((idle, silent));
}

/// A connection that only waits does not keep the program from ending, used before or not.
#[test]
fn idle_connections_do_not_delay_the_end() {
    let site = site();
    let mut server = Server::start(site.folder());
    let mut idle = TcpStream::connect(&server.address).unwrap();
    idle.write_all(b"GET /es/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    assert!(read_answer(&mut idle).1);
    let mut begun = TcpStream::connect(&server.address).unwrap();
    begun.write_all(b"GET /es/ HTT").unwrap();
    let silent = TcpStream::connect(&server.address).unwrap();
    let stopped = Instant::now();
    server.terminate();
    assert!(server.wait());
    eprintln!("the end took {:?}", stopped.elapsed());
    assert!(
        stopped.elapsed() < Duration::from_secs(4),
        "{:?}",
        stopped.elapsed()
    );
    drop((idle, begun, silent));
}
