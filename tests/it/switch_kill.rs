//! A language that is switched while the program is killed: readers have the old site or the new one, never a mix, and
//! the next switch makes up for it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use pipeline::model::SiteId;
use pipeline::store::{Objects, Published};

use crate::support::{self, Files, Site, assert_same, at_strength, files};

const PAGES: usize = 120;
const KEYS: &str =
    "locales = [\"es\", \"fr\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n";

/// What the newest deployment has: tree and name of each file, with its hash.
fn published(site: &Site) -> BTreeMap<String, String> {
    let objects = Objects::folder(&site.path("dist")).unwrap();
    let id = SiteId::parse("site").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let published = runtime
        .block_on(Published::newest(&objects, &id, None))
        .unwrap()
        .unwrap();
    let trees = published.trees().flat_map(|tree| {
        published
            .manifest(tree)
            .unwrap()
            .objects
            .iter()
            .map(move |at| (tree, at))
    });
    let mut all: BTreeMap<String, String> = trees
        .map(|(tree, (name, entry))| (format!("{tree}/{name}"), entry.hash.to_string()))
        .collect();
    // Of the deployment alone: what the store says of a switch hides a language before any deployment follows it.
    let settings = &published.commit().settings;
    all.extend(
        settings
            .locales
            .iter()
            .map(|(locale, switch)| (locale.to_string(), format!("{switch:?}"))),
    );
    all
}

/// What a server that knows nothing of Latimer gives.
fn live(site: &Site) -> Files {
    let mut live = files(&site.path("dist/site"));
    live.retain(|name, _| !name.starts_with("_deployments/") && !name.starts_with("_sources/"));
    live
}

fn switch(site: &Site, to: &str) -> Duration {
    let start = Instant::now();
    let ran = site.run(&["locale", "site", "es", to, "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    start.elapsed()
}

/// Begins a switch and kills it.
#[expect(
    clippy::disallowed_methods,
    reason = "nothing is waited for: the moment itself is what is tested"
)]
fn kill_after(site: &Site, to: &str, moment: Duration) {
    let mut command = support::command(site.folder());
    command
        .args(["locale", "site", "es", to, "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(moment);
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn readers_of_a_killed_switch_have_the_old_site_or_the_new_one() {
    let site = Site::new(KEYS, &[]);
    for page in 0..PAGES {
        let other = (page + 7) % PAGES;
        let html = format!(
            "<!doctype html><html lang=en><title>Page {page}</title><p>Words of page {page}, see <a href=/{other}.html>the other</a>"
        );
        site.write(&format!("source/{page}.html"), &html);
    }
    site.build(&[], 0);
    let mut sides = [
        ("on", published(&site), live(&site)),
        ("off", BTreeMap::new(), Files::new()),
    ];
    let whole = switch(&site, "off");
    (sides[1].1, sides[1].2) = (published(&site), live(&site));
    assert!(
        sides[0].1.len() > 3 * PAGES
            && sides[1].1.len() > 2 * PAGES
            && sides[1].2.keys().all(|name| !name.starts_with("es/"))
    );
    let kills = at_strength("LATIMER_KILLS", 6);
    let mut new = 0;
    for kill in 0..kills {
        let (to, wanted, whole_tree) = &sides[usize::try_from(kill % 2).unwrap()];
        let (_, before, _) = &sides[usize::try_from(1 - kill % 2).unwrap()];
        kill_after(&site, to, whole * (kill + 1) / (kills + 1));
        let now = published(&site);
        assert!(now == *before || now == *wanted, "a mix after kill {kill}");
        new += u32::from(now == *wanted);
        switch(&site, to);
        assert_eq!(published(&site), *wanted, "kill {kill}");
        assert_same(&live(&site), whole_tree);
    }
    eprintln!("{new} of {kills} kills came after the new site was there");
}
