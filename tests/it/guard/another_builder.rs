//! A suspect source at one of two builders with one store: what is kept is what the other builder published last.

use std::sync::mpsc::channel;

use super::*;
use crate::support::{self, MARKING};

/// Two builders with a source and a state each, and one store. Anna is the site.
fn two_builders(anna: &Origin, berta: &Origin, bertas: &str) -> Site {
    let site = Site::new("", &[]);
    for (name, origin, crawl) in [("berta", berta, bertas), ("anna", anna, "")] {
        let keys = site_of(origin, crawl)
            .read("latimer.toml")
            .replace("\"pseudo\"", "\"marking\"");
        site.write(
            &format!("{name}/latimer.toml"),
            &format!("{keys}[store]\nobjects = \"../dist\"\n{MARKING}"),
        );
        build_of(&site, name, 0);
    }
    site
}

#[track_caller]
fn build_of(site: &Site, builder: &str, code: i32) -> Value {
    let ran = support::latimer(&site.path(builder), &["build", "--json", "--quiet"], b"");
    assert_eq!(ran.code, code, "{builder}: {}", ran.stderr);
    ran.json()["sites"][0].clone()
}

/// Lets Berta build from a source that answers so; Anna's source changes and Anna builds while Berta crawls.
#[track_caller]
fn build_during_a_crawl(
    site: &Site,
    (berta, bertas): (&Origin, impl Fn(&str) -> Said + Send + 'static),
    (anna, annas): (&Origin, impl Fn(&str) -> Said + Send + 'static),
    codes: [i32; 2],
) {
    let ((reached, crawling), (done, wait)) = (channel(), channel::<()>());
    berta.answer(move |path| {
        if number(path) == 7 {
            let _ = reached.send(());
            // Only until Anna has built.
            let _ = wait.recv();
        }
        bertas(path)
    });
    std::thread::scope(|scope| {
        let building = scope.spawn(|| build_of(site, "berta", codes[0]));
        crawling.recv_timeout(support::web::PATIENCE).unwrap();
        anna.answer(annas);
        build_of(site, "anna", codes[1]);
        drop(done);
        building.join().unwrap();
    });
}

/// A good half and a bad half.
fn half(
    good: impl Fn(&str) -> Said + Send + 'static,
    bad: fn() -> Said,
) -> impl Fn(&str) -> Said + Send + 'static {
    move |path| if number(path) > 20 { bad() } else { good(path) }
}

/// Says for each page which words stand on it, in the language that readers get.
#[track_caller]
fn assert_notes(site: &Site, count: usize, note: impl Fn(usize) -> &'static str) {
    let pages = pages(site);
    assert_eq!(pages.len(), count, "{:?}", pages.keys());
    for (name, html) in pages {
        let note = note(number(&format!("/{}", name.trim_end_matches("index.html"))));
        assert!(
            html.contains(&format!("¡{note}")),
            "{name} has no {note:?}: {html}"
        );
    }
}

/// Answers of a bad half.
const BAD: [fn() -> Said; 2] = [
    || Said::status(404),
    || Said::page("<p>Checking your browser"),
];

#[test]
fn what_the_guard_keeps_is_what_another_builder_published_last() {
    let anna = Origin::start(healthy("Open."));
    let berta = Origin::start(healthy("Open."));
    let site = two_builders(&anna, &berta, "");
    // Anna's deployment is the newest when Berta's source turns bad.
    anna.answer(grown("Closed on Mondays.", &[41]));
    build_of(&site, "anna", 0);
    for (bad, note) in BAD.into_iter().zip(["Open at ten.", "Open at nine."]) {
        berta.answer(half(healthy(note), bad));
        suspect(&build_of(&site, "berta", 7));
        assert_notes(&site, PAGES + 2, |number| {
            if number > 20 {
                "Closed on Mondays."
            } else {
                note
            }
        });
    }
    // It becomes the newest while Berta crawls, and has a page that Berta never saw.
    for (bad, notes, more) in [
        (
            BAD[0],
            ["Open at eight.", "Closed on Tuesdays."],
            &[41, 43][..],
        ),
        (
            BAD[1],
            ["Open at six.", "Closed on Fridays."],
            &[41, 43, 45],
        ),
    ] {
        build_during_a_crawl(
            &site,
            (&berta, half(healthy(notes[0]), bad)),
            (&anna, grown(notes[1], more)),
            [7, 0],
        );
        assert_notes(&site, PAGES + 1 + more.len(), |number| {
            notes[usize::from(number > 20)]
        });
    }
    // The origin's 410 removes a page all the same.
    let good = half(healthy("Open at five."), BAD[0]);
    let manner = move |path: &str| {
        if number(path) == 12 {
            Said::status(410)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(
        &site,
        (&berta, manner),
        (&anna, grown("Closed on Sundays.", &[41, 43, 45])),
        [7, 0],
    );
    assert_notes(&site, PAGES + 3, |number| {
        if number > 20 {
            "Closed on Sundays."
        } else {
            "Open at five."
        }
    });
}

#[test]
fn what_a_crawl_could_not_take_or_was_not_to_take_is_the_other_builders() {
    let anna = Origin::start(healthy("Open."));
    let berta = Origin::start(healthy("Open."));
    let site = two_builders(&anna, &berta, "max_new = 2\n");
    // A page that cannot be fetched.
    let good = healthy("Open at ten.");
    let forbidden = move |path: &str| {
        if number(path) == 12 {
            Said::status(403)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(
        &site,
        (&berta, forbidden),
        (&anna, healthy("Closed on Mondays.")),
        [6, 0],
    );
    assert_notes(&site, PAGES + 1, |number| {
        if number == 12 {
            "Closed on Mondays."
        } else {
            "Open at ten."
        }
    });
    // More new pages than Berta may take, three of which Anna has published meanwhile.
    let flood = grown("Open at nine.", &[41, 43, 45, 47]);
    build_during_a_crawl(
        &site,
        (&berta, flood),
        (&anna, grown("Closed on Tuesdays.", &[41, 43, 45])),
        [7, 0],
    );
    assert_notes(&site, PAGES + 4, |number| {
        if number > PAGES {
            "Closed on Tuesdays."
        } else {
            "Open at nine."
        }
    });
}

#[test]
fn a_page_that_another_builder_saw_go_does_not_come_back() {
    let anna = Origin::start(healthy("Open."));
    let berta = Origin::start(healthy("Open."));
    let site = two_builders(&anna, &berta, "");
    let good = healthy("Closed on Mondays.");
    let without = move |path: &str| {
        if number(path) == 30 {
            Said::status(410)
        } else {
            good(path)
        }
    };
    // Berta cannot fetch the page and would keep it.
    let good = healthy("Open at ten.");
    let failing = move |path: &str| {
        if number(path) == 30 {
            Said::status(403)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(&site, (&berta, failing), (&anna, without), [6, 6]);
    let pages = pages(&site);
    assert!(
        pages.len() == PAGES && !pages.contains_key("p/30/index.html"),
        "{:?}",
        pages.keys()
    );
}
