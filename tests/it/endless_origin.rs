//! Origins that name more than anybody needs: what they name is bounded by `max_pages`, in memory and in the report.

use std::fs::File;
use std::time::Duration;

use serde_json::Value;

use crate::support::origin::{self, Origin, Said};
use crate::support::{self, Site, api};

/// Result of a run of the program.
struct Outcome {
    code: i32,
    /// The most memory that it had, in mebibytes.
    peak: u64,
    report: Value,
}

/// Three sitemaps of `entries` addresses each, and a page at each address.
fn sitemaps(entries: usize) -> Origin {
    Origin::start_with(move |address| {
        let lists: Vec<String> = (0..3)
            .map(|list| {
                (0..entries)
                    .map(|entry| format!("{address}{list}{entry}\n"))
                    .collect::<String>()
            })
            .collect();
        let robots = (0..3)
            .map(|list| format!("Sitemap: {address}list{list}.txt\n"))
            .collect::<String>();
        move |path: &str| match path {
            "/robots.txt" => Said::page(robots.clone()),
            "/list0.txt" => Said::page(lists[0].clone()),
            "/list1.txt" => Said::page(lists[1].clone()),
            "/list2.txt" => Said::page(lists[2].clone()),
            "/sitemap.xml" => Said::status(404),
            path => Said::page(format!("<title>A page</title><p>This is {path}</p>")),
        }
    })
}

/// Ten pages of `count` links each to pages that are not there.
fn links(count: usize) -> Origin {
    Origin::start(move |path| match path.strip_prefix("/list") {
        Some(list) => {
            let links: String = (0..count)
                .map(|link| format!("<a href=/{list}/{link}>x</a>"))
                .collect();
            Said::page(format!("<title>A list</title>{links}"))
        }
        None if path == "/" => Said::page(
            (0..10)
                .map(|list| format!("<a href=/list{list}>list</a>"))
                .collect::<String>(),
        ),
        None => Said::status(404),
    })
}

/// Runs the program to its end.
fn run(site: &Site, arguments: &[&str]) -> Outcome {
    let report = site.path("report.json");
    let mut command = support::command(site.folder());
    let mut child = command
        .args(arguments)
        .stdout(File::create(&report).unwrap())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        // The most so far, so what is missed is the last moment alone.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line
            .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or(peak);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        api::pause(Duration::from_millis(5));
    };
    let report = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    Outcome {
        code: ended.code().unwrap(),
        peak: peak >> 10,
        report,
    }
}

/// Builds and audits a site whose origin names too much, within a bound on memory in mebibytes. Debug builds take about a sixth
/// more than others.
#[track_caller]
fn check(origin: &Origin, max_pages: usize, most: u64) {
    let site = origin::site(origin, &format!("max_pages = {max_pages}"));
    let built = run(&site, &["build", "--json", "--quiet"]);
    println!("build: {} MiB", built.peak);
    let report = &built.report["sites"][0];
    assert_eq!(
        (built.code, &report["truncated"]),
        (6, &Value::Bool(true)),
        "{:.2000}",
        built.report.to_string()
    );
    assert!(
        report["notices"].to_string().contains("raise max_pages"),
        "{:.2000}",
        report["notices"].to_string()
    );
    assert!(built.peak <= most, "the build took {} MiB", built.peak);
    let audited = run(
        &site,
        &[
            "audit",
            &origin.address,
            "--json",
            "--max-pages",
            &max_pages.to_string(),
        ],
    );
    println!("audit: {} MiB", audited.peak);
    assert!(audited.peak <= most, "the audit took {} MiB", audited.peak);
}

#[test]
fn sitemaps_without_end_are_bounded_by_max_pages() {
    let origin = sitemaps(150_000);
    check(&origin, 20, 100);
    let asked = origin.asked().len();
    assert!(asked < 200, "{asked} requests");
}

#[test]
fn links_without_end_are_bounded_by_max_pages() {
    check(&links(40_000), 20, 150);
}

mod nightly {
    #[test]
    #[ignore = "needs ten minutes: tests/run --nightly"]
    fn three_sitemaps_of_1_400_000_addresses_fit_into_memory() {
        super::check(&super::sitemaps(1_400_000), 10_000, 300);
    }

    #[test]
    #[ignore = "needs ten minutes: tests/run --nightly"]
    fn ten_pages_of_400_000_links_fit_into_memory() {
        super::check(&super::links(400_000), 10_000, 450);
    }
}
