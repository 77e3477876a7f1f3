//! A build that is killed while an engine works pays twice for no text but those in flight.
//!
//! The engine is a service on the loopback interface that speaks like LibreTranslate, which knows words only: texts with
//! markup are asked in parts. It stops answering after some requests; then the build is killed and run again. What was
//! sent twice is at most what the service had open, and the site is that of a build that nobody disturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;

use crate::support::rented::{Rented, Stops};
use crate::support::{self, Site, assert_same, files};

/// Texts in a request, and requests at the same time.
const IN_FLIGHT: usize = 25 * 2;
const PAGES: usize = 30;
const TEXTS: usize = 10;

/// A word of its own for each number.
fn word(number: usize) -> String {
    number
        .to_string()
        .bytes()
        .map(|digit| char::from(b'a' + digit - b'0'))
        .fold(String::from("word"), |word, letter| {
            word + &letter.to_string() + "o"
        })
}

fn site(service: &Rented, text: fn(usize) -> String) -> Site {
    let site = Site::new(
        &format!(
            "locales = [\"es\"]\nengine = \"rented\"\n{}",
            service.engine()
        ),
        &[],
    );
    for page in 0..PAGES {
        let texts: String = (0..TEXTS)
            .map(|at| format!("<p>{}\n", text(page * TEXTS + at)))
            .collect();
        site.write(
            &format!("source/{page}.html"),
            &format!(
                "<!DOCTYPE html>\n<html lang=\"en\"><title>{}</title>\n{texts}",
                word(9_000 + page)
            ),
        );
    }
    site
}

fn plain(number: usize) -> String {
    format!("A line about {} and no more.", word(number))
}

/// Three parts, one of which many texts have, and in every fourth a code that the engine loses.
fn marked(number: usize) -> String {
    let one = word(number);
    let other = word(number + 1_000);
    let third = word(number % 7 + 2_000);
    let code = if number.is_multiple_of(4) {
        " Here it loses <code>x = 1</code> often."
    } else {
        ""
    };
    format!(
        "The {one} is <b>very {other}</b> near <a href=\"/0.html\">the {third}</a> of all.{code}"
    )
}

fn build(site: &Site) {
    let ran = site.run(&["build", "--quiet"]);
    assert_eq!(
        ran.code,
        0,
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        ran.stderr
    );
}

fn check(text: fn(usize) -> String) {
    let service = Rented::start();
    let undisturbed = site(&service, text);
    build(&undisturbed);
    let requests = service.requests();
    let whole: BTreeSet<String> = service.sent().into_iter().collect();
    let expected = files(&undisturbed.path("dist/site/es"));
    for part in 1..=4 {
        service.stop(Stops::After(requests * part / 5));
        let site = site(&service, text);
        let mut build_to_kill = support::command(site.folder())
            .args(["build", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        service.wait_until_stopped();
        build_to_kill.kill().unwrap();
        build_to_kill.wait().unwrap();
        let before: BTreeSet<String> = service.sent().into_iter().collect();
        service.stop(Stops::Never);
        build(&site);
        let after = service.sent();
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        after
            .iter()
            .for_each(|text| *counts.entry(text).or_default() += 1);
        let twice = counts.keys().filter(|text| before.contains(**text)).count();
        assert!(
            twice <= IN_FLIGHT,
            "{twice} of {} were sent twice, at {part}/5 of {requests} requests",
            before.len()
        );
        assert!(
            whole
                .iter()
                .all(|text| before.contains(text) || counts.contains_key(text)),
            "nothing was left out"
        );
        assert_same(&files(&site.path("dist/site/es")), &expected);
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
