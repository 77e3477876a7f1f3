//! Tests of the order in which a crawl asks for its addresses.

use url::Url;

use super::super::entry::NamedBy;
use super::*;

fn entry(path: &str, role: LinkRole) -> FrontierEntry {
    let url = Url::parse("http://h.example").unwrap().join(path).unwrap();
    FrontierEntry {
        target: FetchTarget {
            path: PagePath::of_url(&url),
            url,
            role,
            dropped: None,
        },
        hops: 0,
        send: true,
        named_by: NamedBy::Page,
    }
}

fn paths(frontier: &Frontier) -> Vec<String> {
    frontier
        .waiting
        .values()
        .map(|entry| entry.target.path.to_string())
        .collect()
}

fn start(max_pages: usize, found: &[(&str, LinkRole)]) -> Frontier {
    let mut frontier = Frontier::new(max_pages);
    let found = found
        .iter()
        .map(|&(path, role)| entry(path, role))
        .collect();
    frontier.begin(AddressOutcome {
        found,
        ..AddressOutcome::default()
    });
    frontier
}

/// The outcome of a page that links to these pages.
fn page(found: impl IntoIterator<Item = String>) -> AddressOutcome {
    let found = found
        .into_iter()
        .map(|path| entry(&path, LinkRole::Page))
        .collect();
    AddressOutcome {
        sent: Some(SourceKind::Page),
        found,
        ..AddressOutcome::default()
    }
}

#[test]
fn batches_are_the_same_whatever_answers_first() {
    let mut batches = BTreeSet::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut frontier = start(
            5,
            &[
                ("/a", LinkRole::Page),
                ("/b", LinkRole::Page),
                ("/c", LinkRole::Page),
            ],
        );
        assert_eq!(frontier.tickets(), [0, 1, 2]);
        let taken: Vec<u64> = (0..3).filter_map(|_| Some(frontier.take()?.0)).collect();
        assert_eq!(
            (taken, frontier.take()),
            (vec![0, 1, 2], None),
            "a ticket is taken once"
        );
        for ticket in order {
            assert!(frontier.tickets().is_empty(), "the batch is not done");
            let found = (0..3).map(|at| format!("/{ticket}{at}"));
            frontier.record(ticket, page(found.chain(["/a".to_owned()])));
        }
        frontier.tickets();
        batches.insert(paths(&frontier));
    }
    assert_eq!(
        batches.into_iter().collect::<Vec<_>>(),
        [["/00", "/01"]],
        "5 pages at most, in the order of links"
    );
}

#[test]
fn known_addresses_are_bounded_and_the_same_whatever_answers_first() {
    let mut known = BTreeSet::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut frontier = start(
            3,
            &[
                ("/a", LinkRole::Page),
                ("/b", LinkRole::Page),
                ("/c", LinkRole::Page),
            ],
        );
        frontier.tickets();
        for _ in order {
            frontier.take();
        }
        for ticket in order {
            let mut outcome = page((0..900).map(|at| format!("/{ticket}/{at}")));
            outcome.sent = None;
            outcome
                .found
                .extend((0..900).map(|at| entry(&format!("/{ticket}/{at}.png"), LinkRole::File)));
            outcome.excluded = (0..900)
                .map(|at| PagePath::parse(&format!("/no/{ticket}/{at}")).unwrap())
                .collect();
            frontier.record(ticket, outcome);
        }
        frontier.tickets();
        assert_eq!(frontier.seen.len(), 1_030 + 1_150);
        known.insert(frontier.seen.clone());
        let crawled = frontier.finish();
        assert_eq!((crawled.truncated, crawled.excluded), (true, 1_030));
    }
    assert_eq!(known.len(), 1, "the same in every order");
}

#[test]
fn outcomes_that_come_early_wait_when_there_are_many() {
    let mut frontier = start(
        100_000,
        &[
            ("/a", LinkRole::Page),
            ("/b", LinkRole::Page),
            ("/c", LinkRole::Page),
        ],
    );
    frontier.tickets();
    for _ in 0..3 {
        frontier.take();
    }
    let large = || page((0..EARLY).map(|at| format!("/{at}")));
    assert!(!frontier.has_room(1, &large()) && frontier.has_room(0, &large()));
    assert!(frontier.has_room(1, &page([])));
    frontier.record(1, page([]));
    frontier.record(0, large());
    assert!(frontier.has_room(2, &large()), "now it is the lowest one");
    frontier.give_up(2);
    assert!(frontier.tickets().len() == BATCH && frontier.finish().failures.len() == 1);
}

#[test]
fn pages_that_are_no_pages_make_room_for_others() {
    let mut frontier = start(1, &[("/gone", LinkRole::Page), ("/here", LinkRole::Page)]);
    assert_eq!(frontier.tickets(), [0]);
    frontier.take();
    frontier.record(0, AddressOutcome::default());
    assert_eq!(frontier.tickets(), [1]);
    frontier.take();
    frontier.record(1, page([]));
    assert!(frontier.tickets().is_empty() && !frontier.finish().truncated);
}

#[test]
fn an_address_that_is_also_a_page_is_a_page() {
    let mut frontier = start(9, &[("/a", LinkRole::File), ("/a", LinkRole::Page)]);
    frontier.tickets();
    assert_eq!(
        frontier.take().map(|(_, entry)| entry.target.role),
        Some(LinkRole::Page)
    );
}

#[test]
fn circles_of_redirects_are_failures() {
    let redirect = |from: &str, to: &str| AddressOutcome {
        redirect: Some(CrawlRedirect {
            from: PagePath::parse(from).unwrap(),
            to: PagePath::parse(to).unwrap(),
            status: 301,
        }),
        ..AddressOutcome::default()
    };
    let mut frontier = Frontier::new(9);
    for (from, to) in [
        ("/a", "/b"),
        ("/b", "/a"),
        ("/into", "/a"),
        ("/old", "/new"),
    ] {
        frontier.begin(redirect(from, to));
    }
    let crawled = frontier.finish();
    assert_eq!(crawled.redirects.len(), 1);
    assert_eq!(crawled.failures.len(), 3);
}
