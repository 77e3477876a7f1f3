//! What is known, what is fetched next, and what came of it: the crawl's record, pure.
//!
//! Addresses are handed out in batches; what a batch finds is put in order when all of it is done. So which pages a
//! crawl takes does not depend on which answer came first, even where `max_pages` ends it. Each address has a number,
//! its ticket, and each ticket is taken once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::scope::{Role, Target};
use super::trap::Watch;
use super::{Crawled, Failure, Redirect};
use crate::model::{PagePath, SourceKind};

/// The most addresses of one kind in a batch; it bounds what the scheduler holds.
const BATCH: usize = 5_000;

/// How many fetches a crawl may make for each page it may take; the end of chains that never lead to a page.
const FETCHES_PER_PAGE: usize = 50;

/// An address to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) target: Target,
    /// How many redirects led here.
    pub(super) hops: usize,
    /// Whether what is found is sent; a start page that the filter keeps out is only followed.
    pub(super) send: bool,
}

/// What came of one address.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What was sent.
    pub(super) sent: Option<SourceKind>,
    pub(super) redirect: Option<Redirect>,
    pub(super) failures: Vec<Failure>,
    pub(super) excluded: Vec<PagePath>,
    /// What it links to, in order.
    pub(super) found: Vec<Entry>,
}

/// The record of a crawl.
#[derive(Debug)]
pub(super) struct Frontier {
    max_pages: usize,
    fetches_left: usize,
    seen: BTreeSet<PagePath>,
    excluded: BTreeSet<PagePath>,
    /// What the current batch has found, with the place of its first mention.
    found: BTreeMap<PagePath, (u64, usize, Entry)>,
    pages: VecDeque<Entry>,
    files: VecDeque<Entry>,
    waiting: BTreeMap<u64, Entry>,
    running: BTreeMap<u64, PagePath>,
    next_ticket: u64,
    taken: usize,
    watch: Watch,
    /// What the current batch has shown to the watch: who, whether it was taken as a page, and what it leads to.
    visited: BTreeMap<u64, (usize, bool, Vec<usize>)>,
    /// Pages that a trap leads to, and nothing else.
    held: BTreeMap<PagePath, Entry>,
    crawled: Crawled,
}

impl Frontier {
    pub(super) fn new(max_pages: usize) -> Self {
        Self {
            max_pages,
            fetches_left: max_pages.saturating_mul(FETCHES_PER_PAGE).saturating_add(1_000),
            seen: BTreeSet::new(),
            excluded: BTreeSet::new(),
            found: BTreeMap::new(),
            pages: VecDeque::new(),
            files: VecDeque::new(),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            next_ticket: 0,
            taken: 0,
            watch: Watch::default(),
            visited: BTreeMap::new(),
            held: BTreeMap::new(),
            crawled: Crawled::default(),
        }
    }

    /// Takes a ticket's address; a second time there is nothing.
    pub(super) fn take(&mut self, ticket: u64) -> Option<Entry> {
        let entry = self.waiting.remove(&ticket)?;
        self.taken += 1;
        self.running.insert(ticket, entry.target.path.clone());
        Some(entry)
    }

    /// How many tickets have been taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Records what came of a ticket.
    pub(super) fn record(&mut self, ticket: u64, outcome: Outcome) {
        let from = self.running.remove(&ticket);
        self.show(ticket, from.as_ref(), &outcome);
        match outcome.sent {
            Some(SourceKind::Page) => self.crawled.pages += 1,
            Some(SourceKind::Document | SourceKind::File) => self.crawled.files += 1,
            None => {}
        }
        self.crawled.redirects.extend(outcome.redirect);
        self.crawled.failures.extend(outcome.failures);
        self.excluded.extend(outcome.excluded);
        for (at, entry) in outcome.found.into_iter().enumerate() {
            self.find(ticket, at, entry);
        }
    }

    /// Notes for the watch what an outcome leads to; the start and sitemaps come from nowhere.
    fn show(&mut self, ticket: u64, from: Option<&PagePath>, outcome: &Outcome) {
        let pages = outcome.found.iter().filter(|entry| entry.target.role == Role::Page);
        let links: Vec<usize> = pages.map(|entry| self.watch.page(&entry.target.path)).collect();
        match from {
            Some(from) => {
                let from = self.watch.page(from);
                self.visited.insert(ticket, (from, outcome.sent == Some(SourceKind::Page), links));
            }
            None => links.into_iter().for_each(|page| self.watch.named(page)),
        }
    }

    /// Keeps the first mention of an address; as a page, where it is mentioned as page and as file.
    fn find(&mut self, ticket: u64, at: usize, entry: Entry) {
        if self.seen.contains(&entry.target.path) {
            return;
        }
        let key = |ticket: u64, at: usize, entry: &Entry| (entry.target.role, ticket, at);
        match self.found.get_mut(&entry.target.path) {
            Some(known) if key(known.0, known.1, &known.2) <= key(ticket, at, &entry) => {}
            Some(known) => *known = (ticket, at, entry),
            None => {
                self.found.insert(entry.target.path.clone(), (ticket, at, entry));
            }
        }
    }

    /// The tickets that wait to be taken; once a batch is done, those of the next one. None while a batch is running.
    pub(super) fn tickets(&mut self) -> Vec<u64> {
        if self.waiting.is_empty() && self.running.is_empty() {
            self.next_batch();
        }
        self.waiting.keys().copied().collect()
    }

    fn next_batch(&mut self) {
        for (from, is_taken, links) in std::mem::take(&mut self.visited).into_values() {
            self.watch.visited(from, is_taken, &links);
        }
        let mut found: Vec<(u64, usize, Entry)> = std::mem::take(&mut self.found).into_values().collect();
        found.sort_by_key(|&(ticket, at, _)| (ticket, at));
        for (_, _, entry) in found {
            self.seen.insert(entry.target.path.clone());
            match entry.target.role {
                Role::Page => self.pages.push_back(entry),
                Role::File => self.files.push_back(entry),
            }
        }
        self.hold_and_release();
        let room = self.max_pages.saturating_sub(self.crawled.pages);
        if room == 0 {
            self.crawled.truncated |= !self.pages.is_empty();
            self.pages.clear();
        }
        let pages = self.pages.len().min(room).min(BATCH).min(self.fetches_left);
        let files = self.files.len().min(BATCH).min(self.fetches_left - pages);
        self.fetches_left -= pages + files;
        let entries: Vec<Entry> = self.pages.drain(..pages).chain(self.files.drain(..files)).collect();
        for entry in entries {
            self.waiting.insert(self.next_ticket, entry);
            self.next_ticket += 1;
        }
        self.crawled.truncated |= self.waiting.is_empty() && !(self.pages.is_empty() && self.files.is_empty());
    }

    /// Takes what only a trap leads to out of the queue, and puts back what another page leads to after all.
    fn hold_and_release(&mut self) {
        let watch = &self.watch;
        let is_held = |entry: &Entry| watch.holds(&entry.target.path);
        let free: Vec<Entry> = self.held.extract_if(.., |_, entry| !is_held(entry)).map(|(_, entry)| entry).collect();
        let (held, pages): (Vec<Entry>, Vec<Entry>) = std::mem::take(&mut self.pages).into_iter().partition(is_held);
        self.pages = pages.into_iter().chain(free).collect();
        self.held.extend(held.into_iter().map(|entry| (entry.target.path.clone(), entry)));
    }

    /// Reports what was taken and never recorded: the work on it came to a sudden end.
    pub(super) fn give_up_running(&mut self) {
        for (_, path) in std::mem::take(&mut self.running) {
            let reason = String::from("the work on it ended suddenly; this is a defect in Latimer, please report it");
            self.crawled.failures.push(Failure { path, code: "unknown", reason });
        }
    }

    /// Ends the crawl.
    pub(super) fn finish(mut self) -> Crawled {
        self.crawled.excluded = self.excluded.len();
        self.crawled.with_control = self.excluded.iter().filter(|path| path.has_control()).cloned().collect();
        self.crawled.traps = self.watch.traps(self.held.keys());
        self.report_redirect_loops();
        self.crawled.sorted()
    }

    /// A redirect that only leads round in a circle is a failure.
    fn report_redirect_loops(&mut self) {
        let next: BTreeMap<PagePath, PagePath> =
            self.crawled.redirects.iter().map(|redirect| (redirect.from.clone(), redirect.to.clone())).collect();
        let is_loop = |from: &PagePath| {
            let mut at = Some(from);
            for _ in 0..=next.len() {
                at = at.and_then(|path| next.get(path));
            }
            at.is_some()
        };
        let (loops, redirects): (Vec<Redirect>, Vec<Redirect>) =
            std::mem::take(&mut self.crawled.redirects).into_iter().partition(|redirect| is_loop(&redirect.from));
        self.crawled.redirects = redirects;
        self.crawled.failures.extend(loops.into_iter().map(|Redirect { from, to, .. }| Failure {
            reason: format!("it redirects to {to}, which leads round in a circle"),
            path: from,
            code: "too_many_redirects",
        }));
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn entry(path: &str, role: Role) -> Entry {
        let url = Url::parse("http://h.example").unwrap().join(path).unwrap();
        Entry { target: Target { path: PagePath::of_url(&url), url, role }, hops: 0, send: true }
    }

    fn paths(frontier: &Frontier) -> Vec<String> {
        frontier.waiting.values().map(|entry| entry.target.path.to_string()).collect()
    }

    fn start(max_pages: usize, found: &[(&str, Role)]) -> Frontier {
        let mut frontier = Frontier::new(max_pages);
        let found = found.iter().map(|&(path, role)| entry(path, role)).collect();
        frontier.record(0, Outcome { found, ..Outcome::default() });
        frontier
    }

    #[test]
    fn batches_are_the_same_whatever_answers_first() {
        let mut batches = BTreeSet::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut frontier = start(5, &[("/a", Role::Page), ("/b", Role::Page), ("/c", Role::Page)]);
            assert_eq!(frontier.tickets(), [0, 1, 2]);
            for ticket in order {
                assert!(frontier.tickets().len() <= 3 && frontier.take(ticket).is_some());
                assert!(frontier.take(ticket).is_none(), "a ticket is taken once");
                let found =
                    (0..3).map(|at| entry(&format!("/{ticket}{at}"), Role::Page)).chain([entry("/a", Role::Page)]);
                let outcome = Outcome { sent: Some(SourceKind::Page), found: found.collect(), ..Outcome::default() };
                frontier.record(ticket, outcome);
            }
            frontier.tickets();
            batches.insert(paths(&frontier));
        }
        assert_eq!(batches.into_iter().collect::<Vec<_>>(), [["/00", "/01"]], "5 pages at most, in the order of links");
    }

    #[test]
    fn pages_that_are_no_pages_make_room_for_others() {
        let mut frontier = start(1, &[("/gone", Role::Page), ("/here", Role::Page)]);
        assert_eq!(frontier.tickets(), [0]);
        frontier.take(0);
        frontier.record(0, Outcome::default());
        assert_eq!(frontier.tickets(), [1]);
        frontier.take(1);
        frontier.record(1, Outcome { sent: Some(SourceKind::Page), ..Outcome::default() });
        assert!(frontier.tickets().is_empty() && !frontier.finish().truncated);
    }

    #[test]
    fn an_address_that_is_also_a_page_is_a_page() {
        let mut frontier = start(9, &[("/a", Role::File), ("/a", Role::Page)]);
        frontier.tickets();
        assert_eq!(frontier.take(0).map(|entry| entry.target.role), Some(Role::Page));
    }

    #[test]
    fn circles_of_redirects_are_failures() {
        let redirect = |from: &str, to: &str| Outcome {
            redirect: Some(Redirect {
                from: PagePath::parse(from).unwrap(),
                to: PagePath::parse(to).unwrap(),
                status: 301,
            }),
            ..Outcome::default()
        };
        let mut frontier = Frontier::new(9);
        for (from, to) in [("/a", "/b"), ("/b", "/a"), ("/into", "/a"), ("/old", "/new")] {
            frontier.record(0, redirect(from, to));
        }
        let crawled = frontier.finish();
        assert_eq!(crawled.redirects.len(), 1);
        assert_eq!(crawled.failures.len(), 3);
    }
}
