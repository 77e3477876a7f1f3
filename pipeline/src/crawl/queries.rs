//! Files whose addresses differ by their queries alone (R-S10): each is fetched, unless all of a path have been the same. And addresses of
//! pages whose path alone answers nothing, which are asked for as written. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::CrawlFailure;
use super::entry::{FrontierEntry, NamedBy};
use super::scope::{FetchTarget, LinkRole};
use crate::model::PagePath;

/// Queries of one path that are fetched before it is known whether they matter.
const FIRST: usize = 4;

/// Queries that are remembered of a page whose path may answer nothing.
const MOST_WRITTEN: usize = 100;

/// Words in addresses that do something when they are asked for.
const ACTIONS: [&str; 6] = [
    "add-to-cart",
    "add_to_cart",
    "logout",
    "log-out",
    "signout",
    "unsubscribe",
];

/// Files by their paths without queries.
#[derive(Debug, Default)]
pub(super) struct FileQueries(HashMap<String, Queries>);

#[derive(Debug, Default)]
struct Queries {
    waiting: usize,
    answered: usize,
    /// Bytes of the first one.
    first: Option<u64>,
    /// True if two had different bytes.
    differ: bool,
}

impl FileQueries {
    /// Takes files out of a queue that can be fetched now, `most` at most. Those of a path of which all were the same are dropped, and
    /// others wait until the first ones of their path are there.
    pub(super) fn take(
        &mut self,
        queue: &mut VecDeque<FrontierEntry>,
        most: usize,
    ) -> Vec<FrontierEntry> {
        let mut taken = Vec::new();
        let mut later = VecDeque::new();
        while taken.len() < most
            && let Some(entry) = queue.pop_front()
        {
            let path = &entry.target.path;
            if path.query().is_none() {
                taken.push(entry);
                continue;
            }
            let queries = self.0.entry(path.path().to_owned()).or_default();
            if !queries.differ && queries.answered >= FIRST {
                continue;
            }
            if !queries.differ && queries.waiting + queries.answered >= FIRST {
                later.push_back(entry);
                continue;
            }
            queries.waiting += 1;
            taken.push(entry);
        }
        later.append(queue);
        *queue = later;
        taken
    }

    /// Notes the bytes of a file; `None` if it could not be had.
    pub(super) fn answer(&mut self, path: &PagePath, print: Option<u64>) {
        if path.query().is_none() {
            return;
        }
        let Some(queries) = self.0.get_mut(path.path()) else {
            return;
        };
        queries.waiting = queries.waiting.saturating_sub(1);
        queries.answered += 1;
        let Some(print) = print else { return };
        queries.differ |= queries.first.is_some_and(|first| first != print);
        queries.first = queries.first.or(Some(print));
    }
}

/// Addresses of pages as links write them, where a query was left out.
#[derive(Debug)]
pub(super) struct WrittenQueries {
    by_page: BTreeMap<PagePath, BTreeSet<Box<str>>>,
    /// Pages whose paths alone answered nothing, with what went wrong.
    failed: BTreeMap<PagePath, Vec<CrawlFailure>>,
    /// Pages of which an address with a query answered.
    answered: BTreeSet<PagePath>,
    /// Addresses that are asked for as written.
    asked: BTreeSet<PagePath>,
    left: usize,
}

impl WrittenQueries {
    pub(super) fn new(max_pages: usize) -> Self {
        Self {
            by_page: BTreeMap::new(),
            failed: BTreeMap::new(),
            answered: BTreeSet::new(),
            asked: BTreeSet::new(),
            left: max_pages,
        }
    }

    /// Notes an address of a page. Returns what to ask for instead if the path alone answered nothing.
    pub(super) fn note(&mut self, target: &FetchTarget) -> Option<FrontierEntry> {
        let query = target.dropped.as_deref()?;
        if does_something(target) {
            return None;
        }
        let known = self.by_page.entry(target.path.clone()).or_default();
        let is_new = known.len() < MOST_WRITTEN && known.insert(query.into());
        if is_new && self.failed.contains_key(&target.path) {
            self.as_written(&target.path, query, target)
        } else {
            None
        }
    }

    /// Notes that the path of a page alone answered nothing. Returns what to ask for instead; without it, the failures stay.
    pub(super) fn fail(
        &mut self,
        target: &FetchTarget,
        failures: Vec<CrawlFailure>,
    ) -> Result<Vec<FrontierEntry>, Vec<CrawlFailure>> {
        let Some(queries) = self.by_page.get(&target.path).cloned() else {
            return Err(failures);
        };
        self.failed.insert(target.path.clone(), failures);
        let mut entries = Vec::new();
        for query in queries {
            entries.extend(self.as_written(&target.path, &query, target));
        }
        Ok(entries)
    }

    /// True for an address that is asked for as written: a failure is that of the path alone.
    pub(super) fn has_asked(&self, path: &PagePath) -> bool {
        self.asked.contains(path)
    }

    /// Notes a redirect of an address that was asked for as written.
    pub(super) fn follow(&mut self, from: &PagePath, to: &PagePath) {
        if self.asked.contains(from) {
            self.asked.insert(to.clone());
        }
    }

    /// Notes that an address with a query answered.
    pub(super) fn answer(&mut self, path: &PagePath) {
        if let Ok(plain) = PagePath::parse(path.path()) {
            self.answered.insert(plain);
        }
    }

    /// Takes the failures of pages of which no other address answered either.
    pub(super) fn take_failures(&mut self) -> Vec<CrawlFailure> {
        let mut failures = Vec::new();
        for (path, failed) in std::mem::take(&mut self.failed) {
            if !self.answered.contains(&path) {
                failures.extend(failed);
            }
        }
        failures
    }

    fn as_written(
        &mut self,
        path: &PagePath,
        query: &str,
        target: &FetchTarget,
    ) -> Option<FrontierEntry> {
        self.left = self.left.checked_sub(1)?;
        let mut url = target.url.clone();
        url.set_query(Some(query));
        let target = FetchTarget {
            path: path.with_query(query),
            url,
            role: LinkRole::File,
            dropped: None,
        };
        self.asked.insert(target.path.clone());
        Some(FrontierEntry {
            target,
            hops: 0,
            send: true,
            named_by: NamedBy::Retry,
        })
    }
}

fn does_something(target: &FetchTarget) -> bool {
    let address = format!(
        "{}?{}",
        target.path,
        target.dropped.as_deref().unwrap_or_default()
    )
    .to_ascii_lowercase();
    ACTIONS.iter().any(|action| address.contains(action))
}
