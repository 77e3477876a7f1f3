//! What is known, what is fetched next, and what came of it: the crawl's record, pure.
//!
//! Addresses are handed out in batches, each with a number, its ticket. They are taken in the order of their tickets, and what
//! came of them is recorded in that order, too: an outcome that comes early waits for those before it. So which pages a crawl
//! takes does not depend on which answer came first, even where `max_pages` or a bound on what may be known ends it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::echo::{Echoes, PageDigest};
use super::entry::FrontierEntry;
use super::queries::{FileQueries, WrittenQueries};
use super::room::{AddressBudget, size};
use super::scope::{FetchTarget, LinkRole};
use super::trap::Watch;
use super::{CrawlFailure, CrawlRedirect, Crawled, Unfollowed};
use crate::model::{PagePath, SourceKind};

/// The most addresses of one kind in a batch; it bounds what the scheduler holds.
const BATCH: usize = 5_000;

/// How many fetches a crawl may make for each page it may take; the end of chains that never lead to a page.
const FETCHES_PER_PAGE: usize = 50;

/// Addresses that early outcomes may hold. Beyond it, an outcome waits for its turn. Enough for hundreds of usual pages while one
/// of them is slow.
const EARLY: usize = 50_000;

/// What came of one address.
#[derive(Debug, Default)]
pub(super) struct AddressOutcome {
    /// What was sent.
    pub(super) sent: Option<SourceKind>,
    pub(super) redirect: Option<CrawlRedirect>,
    pub(super) failures: Vec<CrawlFailure>,
    pub(super) excluded: Vec<PagePath>,
    /// Bytes of a page.
    pub(super) print: Option<PageDigest>,
    /// What it links to, in order.
    pub(super) found: Vec<FrontierEntry>,
    /// True if addresses were left out.
    pub(super) cut: bool,
    /// Files that programs name and a crawl cannot have.
    pub(super) unfollowed: Unfollowed,
}

impl AddressOutcome {
    /// Number of addresses in the outcome.
    fn size(&self) -> usize {
        1 + self.found.len() + self.excluded.len()
    }
}

/// The record of a crawl.
#[derive(Debug)]
pub(super) struct Frontier {
    max_pages: usize,
    fetches_left: usize,
    room_for_pages: AddressBudget,
    room_for_files: AddressBudget,
    room_for_excluded: AddressBudget,
    seen: BTreeSet<PagePath>,
    excluded: BTreeSet<PagePath>,
    /// What the current batch has found, with the place of its first mention.
    found: BTreeMap<PagePath, (u64, usize, FrontierEntry)>,
    pages: VecDeque<FrontierEntry>,
    files: VecDeque<FrontierEntry>,
    waiting: BTreeMap<u64, FrontierEntry>,
    running: BTreeMap<u64, FetchTarget>,
    /// Outcomes that came before those of lower tickets, and how many addresses they hold.
    early: BTreeMap<u64, (FetchTarget, AddressOutcome)>,
    early_size: usize,
    next_ticket: u64,
    taken: usize,
    watch: Watch,
    echoes: Echoes,
    files_by_query: FileQueries,
    written_queries: WrittenQueries,
    /// Pages that a trap leads to, and nothing else.
    held: BTreeMap<PagePath, FrontierEntry>,
    crawled: Crawled,
}

impl Frontier {
    pub(super) fn new(max_pages: usize) -> Self {
        Self {
            max_pages,
            fetches_left: max_pages
                .saturating_mul(FETCHES_PER_PAGE)
                .saturating_add(1_000),
            room_for_pages: AddressBudget::for_pages(max_pages),
            room_for_files: AddressBudget::for_files(max_pages),
            room_for_excluded: AddressBudget::for_pages(max_pages),
            seen: BTreeSet::new(),
            excluded: BTreeSet::new(),
            found: BTreeMap::new(),
            pages: VecDeque::new(),
            files: VecDeque::new(),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            early: BTreeMap::new(),
            early_size: 0,
            next_ticket: 0,
            taken: 0,
            watch: Watch::new(max_pages),
            echoes: Echoes::default(),
            files_by_query: FileQueries::default(),
            written_queries: WrittenQueries::new(max_pages),
            held: BTreeMap::new(),
            crawled: Crawled::default(),
        }
    }

    /// Takes up what is known before anything is fetched: the start and sitemaps.
    pub(super) fn begin(&mut self, outcome: AddressOutcome) {
        self.apply(0, None, outcome);
    }

    /// Takes the address of the lowest ticket that waits.
    pub(super) fn take(&mut self) -> Option<(u64, FrontierEntry)> {
        let (ticket, entry) = self.waiting.pop_first()?;
        self.taken += 1;
        self.running.insert(ticket, entry.target.clone());
        Some((ticket, entry))
    }

    /// How many tickets have been taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// True if the outcome of a ticket can be recorded now. The lowest running ticket always has room, so the crawl cannot stall.
    pub(super) fn has_room(&self, ticket: u64, outcome: &AddressOutcome) -> bool {
        let is_next = self
            .running
            .first_key_value()
            .is_none_or(|(lowest, _)| *lowest >= ticket);
        is_next || self.early_size + outcome.size() <= EARLY
    }

    /// Records what came of a ticket that was taken.
    pub(super) fn record(&mut self, ticket: u64, outcome: AddressOutcome) {
        let Some(from) = self.running.remove(&ticket) else {
            return;
        };
        self.early_size += outcome.size();
        self.early.insert(ticket, (from, outcome));
        while let Some(entry) = self.early.first_entry() {
            let ticket = *entry.key();
            if self
                .running
                .first_key_value()
                .is_some_and(|(lowest, _)| *lowest < ticket)
            {
                break;
            }
            let (from, outcome) = entry.remove();
            self.early_size -= outcome.size();
            self.apply(ticket, Some(&from), outcome);
        }
    }

    /// Reports a ticket that was taken and not recorded: the work on it came to a sudden end.
    pub(super) fn give_up(&mut self, ticket: u64) {
        let Some(path) = self.running.get(&ticket).map(|target| target.path.clone()) else {
            return;
        };
        let reason = String::from(
            "the work on it ended suddenly; this is a defect in Latimer, please report it",
        );
        let failures = vec![CrawlFailure {
            path,
            code: "unknown",
            reason,
        }];
        self.record(
            ticket,
            AddressOutcome {
                failures,
                ..AddressOutcome::default()
            },
        );
    }

    fn apply(&mut self, ticket: u64, from: Option<&FetchTarget>, outcome: AddressOutcome) {
        let AddressOutcome {
            sent,
            redirect,
            failures,
            excluded,
            found,
            cut,
            unfollowed,
            print,
        } = outcome;
        match sent {
            Some(SourceKind::Page) => self.crawled.pages += 1,
            Some(SourceKind::Document | SourceKind::File) => self.crawled.files += 1,
            None => {}
        }
        self.crawled.truncated |= cut;
        let failures = match from {
            Some(target) => {
                self.settle_queries(ticket, target, (sent, redirect.is_some(), print), failures)
            }
            None => failures,
        };
        if let (Some(target), Some(redirect)) = (from, &redirect) {
            self.written_queries.follow(&target.path, &redirect.to);
        }
        self.crawled.redirects.extend(redirect);
        self.crawled.failures.extend(failures);
        self.crawled.unfollowed.add(unfollowed);
        for path in excluded {
            // Excluded paths are only counted.
            if !self.excluded.contains(&path) && self.room_for_excluded.take(path.as_str().len()) {
                self.excluded.insert(path);
            }
        }
        let mut linked = Vec::new();
        for (at, entry) in found.into_iter().enumerate() {
            let page = (entry.target.role == LinkRole::Page).then(|| entry.target.path.clone());
            let is_known = self.find(ticket, at, entry);
            linked.extend(page.filter(|_| is_known));
        }
        let links: Vec<usize> = linked.iter().map(|path| self.watch.page(path)).collect();
        // The start and sitemaps come from nowhere.
        match from {
            Some(FetchTarget { path, .. }) => {
                let is_page = sent == Some(SourceKind::Page);
                let from = self.watch.page(path);
                self.watch.visited(from, is_page, &links);
                self.echoes.visit(path, print.filter(|_| is_page), &linked);
            }
            None => {
                links.into_iter().for_each(|page| self.watch.named(page));
                linked.iter().for_each(|path| self.echoes.list(path));
            }
        }
    }

    /// Notes what came of an address for those that only their queries tell from it. Returns the failures that count now.
    fn settle_queries(
        &mut self,
        ticket: u64,
        target: &FetchTarget,
        (sent, is_redirect, print): (Option<SourceKind>, bool, Option<PageDigest>),
        failures: Vec<CrawlFailure>,
    ) -> Vec<CrawlFailure> {
        match target.role {
            LinkRole::File => {
                self.files_by_query.answer(&target.path, print);
                if sent.is_some() {
                    self.written_queries.answer(&target.path);
                }
                if self.written_queries.has_asked(&target.path) {
                    Vec::new()
                } else {
                    failures
                }
            }
            LinkRole::Page if sent.is_some() || is_redirect || failures.is_empty() => failures,
            LinkRole::Page => match self.written_queries.fail(target, failures) {
                Ok(entries) => {
                    for (at, entry) in entries.into_iter().enumerate() {
                        self.find(ticket, at, entry);
                    }
                    Vec::new()
                }
                Err(failures) => failures,
            },
        }
    }

    /// Keeps the first mention of an address, as a page if it is mentioned as page and as file. Returns false if the bounds left the
    /// address out.
    fn find(&mut self, ticket: u64, at: usize, entry: FrontierEntry) -> bool {
        if entry.target.role == LinkRole::Page
            && let Some(written) = self.written_queries.note(&entry.target)
        {
            self.find(ticket, at, written);
        }
        let FetchTarget {
            path, url, role, ..
        } = &entry.target;
        if let Some((_, _, known)) = self.found.get_mut(path) {
            known.named_by = known.named_by.min(entry.named_by);
        }
        let known = self.found.get(path).map(|(_, _, known)| known.target.role);
        if self.seen.contains(path) || known.is_some_and(|known| known <= *role) {
            return true;
        }
        let room = match role {
            LinkRole::Page => &mut self.room_for_pages,
            LinkRole::File => &mut self.room_for_files,
        };
        if !room.take(size(path, url)) {
            self.crawled.truncated = true;
            return known.is_some();
        }
        self.found.insert(path.clone(), (ticket, at, entry));
        true
    }

    /// The tickets that wait to be taken; once a batch is done, those of the next one. None while a batch is running.
    pub(super) fn tickets(&mut self) -> Vec<u64> {
        if self.waiting.is_empty() && self.running.is_empty() {
            self.next_batch();
        }
        self.waiting.keys().copied().collect()
    }

    fn next_batch(&mut self) {
        let mut found: Vec<(u64, usize, FrontierEntry)> =
            std::mem::take(&mut self.found).into_values().collect();
        found.sort_by_key(|&(ticket, at, _)| (ticket, at));
        for (_, _, entry) in found {
            self.seen.insert(entry.target.path.clone());
            match entry.target.role {
                LinkRole::Page => self.pages.push_back(entry),
                LinkRole::File => self.files.push_back(entry),
            }
        }
        self.hold_and_release();
        let room = self.max_pages.saturating_sub(self.crawled.pages);
        if room == 0 {
            self.crawled.truncated |= !self.pages.is_empty();
            self.pages.clear();
        }
        let pages = self.pages.len().min(room).min(BATCH).min(self.fetches_left);
        let files = self
            .files_by_query
            .take(&mut self.files, BATCH.min(self.fetches_left - pages));
        self.fetches_left -= pages + files.len();
        let entries: Vec<FrontierEntry> = self.pages.drain(..pages).chain(files).collect();
        for entry in entries {
            self.waiting.insert(self.next_ticket, entry);
            self.next_ticket += 1;
        }
        self.crawled.truncated |=
            self.waiting.is_empty() && !(self.pages.is_empty() && self.files.is_empty());
    }

    /// Takes what only a trap leads to out of the queue, and puts back what another page leads to after all.
    fn hold_and_release(&mut self) {
        let watch = &self.watch;
        let echoes = &self.echoes;
        let is_held = |entry: &FrontierEntry| {
            watch.holds(&entry.target.path) || echoes.holds(&entry.target.path)
        };
        let free: Vec<FrontierEntry> = self
            .held
            .extract_if(.., |_, entry| !is_held(entry))
            .map(|(_, entry)| entry)
            .collect();
        let (held, pages): (Vec<FrontierEntry>, Vec<FrontierEntry>) =
            std::mem::take(&mut self.pages)
                .into_iter()
                .partition(is_held);
        self.pages = pages.into_iter().chain(free).collect();
        self.held.extend(
            held.into_iter()
                .map(|entry| (entry.target.path.clone(), entry)),
        );
    }

    /// Reports everything that was taken and not recorded.
    pub(super) fn give_up_running(&mut self) {
        for ticket in self.running.keys().copied().collect::<Vec<_>>() {
            self.give_up(ticket);
        }
    }

    /// Ends the crawl.
    pub(super) fn finish(mut self) -> Crawled {
        self.crawled.excluded = self.excluded.len();
        self.crawled.with_control = self
            .excluded
            .iter()
            .filter(|path| path.has_control())
            .cloned()
            .collect();
        let of_watch = self.held.keys().filter(|path| self.watch.holds(path));
        self.crawled.traps = self.watch.traps(of_watch);
        let of_echoes = self.held.keys().filter(|path| !self.watch.holds(path));
        self.crawled.traps.extend(self.echoes.traps(of_echoes));
        self.crawled.traps.sort();
        self.crawled
            .failures
            .extend(self.written_queries.take_failures());
        self.report_redirect_loops();
        self.crawled.sorted()
    }

    /// A redirect that only leads round in a circle is a failure.
    fn report_redirect_loops(&mut self) {
        let next = self
            .crawled
            .redirects
            .iter()
            .map(|redirect| (redirect.from.clone(), redirect.to.clone()))
            .collect();
        let circles = in_circles(&next);
        let (loops, redirects): (Vec<CrawlRedirect>, Vec<CrawlRedirect>) =
            std::mem::take(&mut self.crawled.redirects)
                .into_iter()
                .partition(|redirect| circles.contains(&redirect.from));
        self.crawled.redirects = redirects;
        let loops = loops
            .into_iter()
            .filter(|redirect| !self.written_queries.has_asked(&redirect.from));
        self.crawled.failures.extend(loops.map(|CrawlRedirect { from, to, .. }| CrawlFailure {
            reason: match from == to {
                true => "it redirects to itself, as sites do that want a cookie of a consent or a login (put the line `Cookie: …` into a \
                         file and name it as `headers_file` in [site.crawl]), or that answer at another address alone (write that as `source`)"
                    .to_owned(),
                false => format!("it redirects to {to}, which leads round in a circle"),
            },
            path: from,
            code: "too_many_redirects",
        }));
    }
}

/// The paths from which redirects lead into a circle. Each is looked at once.
fn in_circles(next: &BTreeMap<PagePath, PagePath>) -> BTreeSet<PagePath> {
    let mut verdicts: BTreeMap<&PagePath, bool> = BTreeMap::new();
    for start in next.keys() {
        let mut at = start;
        let mut trail = Vec::new();
        let is_circle = loop {
            if let Some(verdict) = verdicts.get(at) {
                break *verdict;
            }
            let Some(to) = next.get(at) else { break false };
            // Coming here again before there is a verdict is a circle.
            verdicts.insert(at, true);
            trail.push(at);
            at = to;
        };
        verdicts.extend(trail.into_iter().map(|path| (path, is_circle)));
    }
    verdicts
        .into_iter()
        .filter(|(_, is_circle)| *is_circle)
        .map(|(path, _)| path.clone())
        .collect()
}

#[cfg(test)]
#[path = "frontier/tests.rs"]
mod tests;
