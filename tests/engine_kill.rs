//! A build that is killed while an engine works pays twice for no text but those in flight.
//!
//! The engine is a service on the loopback interface that speaks like LibreTranslate, which knows words only: texts with
//! markup are asked in parts. It stops answering after some requests; then the build is killed and run again. What was
//! sent twice is at most what the service had open, and the site is that of a build that nobody disturbed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};
use support::{Site, assert_same, files};

/// Texts in a request, and requests at the same time.
const IN_FLIGHT: usize = 25 * 2;
const PAGES: usize = 30;
const TEXTS: usize = 10;

/// What the service was sent, and when it stops answering.
#[derive(Default)]
struct Desk {
    sent: Vec<String>,
    requests: usize,
    stops_after: Option<usize>,
}

struct Service {
    address: String,
    desk: Arc<(Mutex<Desk>, Condvar)>,
    stopped: Receiver<()>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let desk = Arc::new((Mutex::<Desk>::default(), Condvar::new()));
        let (sender, stopped) = channel();
        let shared = Arc::clone(&desk);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let (desk, sender) = (Arc::clone(&shared), sender.clone());
                std::thread::spawn(move || {
                    while let Some(asked) = read(&stream) {
                        let told = if asked.is_null() {
                            languages()
                        } else {
                            translate(&desk, &asked, &|| sender.send(()).unwrap())
                        };
                        // The build may be dead by now.
                        if write!(&stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{told}", told.len()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, desk, stopped }
    }

    /// Lets it answer so many requests, or all.
    fn answer(&self, stops_after: Option<usize>) {
        let mut desk = self.desk.0.lock().unwrap();
        *desk = Desk { stops_after, ..Desk::default() };
        self.desk.1.notify_all();
    }

    /// What it was sent since it was last told what to answer.
    fn sent(&self) -> Vec<String> {
        std::mem::take(&mut self.desk.0.lock().unwrap().sent)
    }
}

/// Reads one request: its body, `null` where it has none; nothing when there is none any more.
fn read(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap_or_default())
}

fn languages() -> String {
    json!([{ "code": "en", "targets": ["es"] }, { "code": "es", "targets": ["en"] }]).to_string()
}

/// Writes down what is asked and answers well, but loses what stands for code in a text that says so.
fn translate(desk: &(Mutex<Desk>, Condvar), asked: &Value, stop: &dyn Fn()) -> String {
    let texts: Vec<&str> = asked["q"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let mut state = desk.0.lock().unwrap();
    state.sent.extend(texts.iter().map(ToString::to_string));
    state.requests += 1;
    while state.stops_after.is_some_and(|most| state.requests > most) {
        stop();
        state = desk.1.wait(state).unwrap();
    }
    let answer = |text: &&str| match text.contains("loses") {
        true => String::from("¡Pierde!"),
        false => format!("¡{text}"),
    };
    json!({ "translatedText": texts.iter().map(answer).collect::<Vec<_>>() }).to_string()
}

/// A word of its own for each number.
fn word(number: usize) -> String {
    number
        .to_string()
        .bytes()
        .map(|digit| char::from(b'a' + digit - b'0'))
        .fold(String::from("word"), |word, letter| word + &letter.to_string() + "o")
}

fn site(service: &Service, text: fn(usize) -> String) -> Site {
    let engine =
        format!("[engine.rented]\nkind = \"libretranslate\"\nurl = {:?}\nallow_private = true", service.address);
    let site = Site::new(&format!("locales = [\"es\"]\nengine = \"rented\"\n{engine}"), &[]);
    for page in 0..PAGES {
        let texts: String = (0..TEXTS).map(|at| format!("<p>{}\n", text(page * TEXTS + at))).collect();
        site.write(
            &format!("source/{page}.html"),
            &format!("<!DOCTYPE html>\n<html lang=\"en\"><title>{}</title>\n{texts}", word(9_000 + page)),
        );
    }
    site
}

fn plain(number: usize) -> String {
    format!("A line about {} and no more.", word(number))
}

/// Three parts, one of which many texts have, and in every fourth a code that the engine loses.
fn marked(number: usize) -> String {
    let (one, other, third) = (word(number), word(number + 1_000), word(number % 7 + 2_000));
    let code = if number.is_multiple_of(4) { " Here it loses <code>x = 1</code> often." } else { "" };
    format!("The {one} is <b>very {other}</b> near <a href=\"/0.html\">the {third}</a> of all.{code}")
}

fn build(site: &Site) {
    let ran = site.run(&["build", "--quiet"]);
    assert_eq!(ran.code, 0, "{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
}

fn check(text: fn(usize) -> String) {
    let service = Service::start();
    let undisturbed = site(&service, text);
    build(&undisturbed);
    let requests = service.desk.0.lock().unwrap().requests;
    let whole: BTreeSet<String> = service.sent().into_iter().collect();
    let expected = files(&undisturbed.path("dist/site/es"));
    for part in 1..=4 {
        service.answer(Some(requests * part / 5));
        let site = site(&service, text);
        let mut build_to_kill = support::command(site.folder())
            .args(["build", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        service.stopped.recv().unwrap();
        build_to_kill.kill().unwrap();
        build_to_kill.wait().unwrap();
        let before: BTreeSet<String> = service.sent().into_iter().collect();
        service.answer(None);
        build(&site);
        let after = service.sent();
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        after.iter().for_each(|text| *counts.entry(text).or_default() += 1);
        let twice = counts.keys().filter(|text| before.contains(**text)).count();
        assert!(twice <= IN_FLIGHT, "{twice} of {} were sent twice, at {part}/5 of {requests} requests", before.len());
        assert!(whole.iter().all(|text| before.contains(text) || counts.contains_key(text)), "nothing was left out");
        assert_same(&files(&site.path("dist/site/es")), &expected);
        while service.stopped.try_recv().is_ok() {}
    }
}

#[test]
fn a_kill_costs_no_plain_text_twice_but_those_in_flight() {
    check(plain);
}

#[test]
fn a_kill_costs_no_part_of_a_marked_text_twice_but_those_in_flight() {
    check(marked);
}
