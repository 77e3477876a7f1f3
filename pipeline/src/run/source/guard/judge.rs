//! The verdict on a crawl: which pages it lost, which are new, and whether that is more than one crawl may change. Pure.
//!
//! A page is lost when it is not there any more, when it leads to another page that says something else, or when it and
//! others say one and the same thing. What settings let out, and what the origin calls gone (410), is nobody's loss.

use std::collections::{BTreeMap, BTreeSet};

use super::print::TextPrint;
use crate::config::Allowance;
use crate::model::PagePath;

/// What the origin said of pages that it did not send.
pub(super) struct UnsentPages {
    pub(super) missing: BTreeSet<PagePath>,
    pub(super) gone: BTreeSet<PagePath>,
}

/// The fewest pages that a share allows to be lost.
const LEAST_LOST: usize = 5;
/// The fewest pages that a share allows to be new.
const LEAST_NEW: usize = 100;

/// What became of a known page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageFate {
    /// It is as it was, or could not be fetched.
    Same,
    /// Its bytes changed; what it said, as far as that is known, and what it says.
    Changed {
        before: Option<TextPrint>,
        now: Option<TextPrint>,
    },
    /// It leads to a page that says what it said.
    Moved(PagePath),
    /// It leads to another page.
    Redirected(PagePath),
    /// It is not there any more.
    Vanished,
    /// The crawl ended at `max_pages` before it came to the page.
    Beyond,
    /// The origin says that it is gone for good (410).
    Gone,
}

/// A crawl beside what was accepted before it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The pages of the accepted source that today's settings let in.
    pub(super) known: BTreeMap<PagePath, PageFate>,
    /// Pages that were not known.
    pub(super) new: BTreeSet<PagePath>,
    pub(super) home: PagePath,
    /// Pages that crawls of the last 24 hours were allowed to lose and that are still away.
    pub(super) lost_before: usize,
    /// Known pages that got one text in the last 24 hours and still have it, with that text.
    pub(super) alike_before: BTreeMap<PagePath, String>,
    /// Texts of pages that are known as errors.
    pub(super) errors: BTreeSet<String>,
    pub(super) max_lost: Allowance,
    pub(super) max_new: Allowance,
}

/// How a page was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Vanished,
    Redirected(PagePath),
    /// Its words are those of other pages, or of an error.
    Alike(String),
}

/// What is to be thought of a crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CrawlVerdict {
    pub(super) lost: BTreeMap<PagePath, Loss>,
    pub(super) new: BTreeSet<PagePath>,
    /// Whether more is lost than may be.
    pub(super) loses_too_much: bool,
    /// Whether more is new than may be.
    pub(super) floods: bool,
    pub(super) max_lost: usize,
    pub(super) max_new: usize,
}

/// Judges a crawl.
pub(super) fn judge(case: &Case) -> CrawlVerdict {
    let alike = alike(case);
    let loss = |(path, fate): (&PagePath, &PageFate)| {
        let loss = match fate {
            PageFate::Vanished => Loss::Vanished,
            PageFate::Redirected(to) => Loss::Redirected(to.clone()),
            PageFate::Changed { .. } => Loss::Alike(alike.get(path)?.clone()),
            PageFate::Same | PageFate::Moved(_) | PageFate::Beyond | PageFate::Gone => return None,
        };
        Some((path.clone(), loss))
    };
    let lost: BTreeMap<PagePath, Loss> = case.known.iter().filter_map(loss).collect();
    let moved: BTreeSet<&PagePath> = case.known.values().filter_map(PageFate::moved_to).collect();
    let new: BTreeSet<PagePath> = case
        .new
        .iter()
        .filter(|path| !moved.contains(path))
        .cloned()
        .collect();

    let yardstick = case.known.len() + case.lost_before;
    let max_lost = case.max_lost.of(yardstick, LEAST_LOST);
    let max_new = case.max_new.of(case.known.len(), LEAST_NEW);
    let before = case.lost_before
        + case
            .alike_before
            .keys()
            .filter(|path| !lost.contains_key(*path))
            .count();
    let is_bad = |path: &PagePath| lost.contains_key(path) || case.alike_before.contains_key(path);
    let is_error = |loss: &Loss| matches!(loss, Loss::Alike(words) if case.errors.contains(words));
    let loses_too_much = !lost.is_empty()
        && (lost.len() + before > max_lost
            || lost.contains_key(&case.home)
            || case.known.keys().all(is_bad)
            || lost.values().any(is_error));
    CrawlVerdict {
        loses_too_much,
        floods: new.len() > max_new,
        lost,
        new,
        max_lost,
        max_new,
    }
}

/// The changed pages that say what others say now, or what an error says, with the words. Pages that were one text before
/// and are one text now lost nothing, and neither did pages that differ by their numbers before and now.
fn alike(case: &Case) -> BTreeMap<PagePath, String> {
    let mut groups: BTreeMap<&str, Vec<TwinPage<'_>>> = BTreeMap::new();
    for (path, fate) in &case.known {
        let PageFate::Changed {
            before,
            now: Some(now),
        } = fate
        else {
            continue;
        };
        if before
            .as_ref()
            .is_none_or(|before| before.words != now.words)
        {
            groups.entry(&now.words).or_default().push(TwinPage {
                path,
                before: before.as_ref(),
                now,
            });
        }
    }
    let known_as_bad: BTreeSet<&String> = case
        .errors
        .iter()
        .chain(case.alike_before.values())
        .collect();
    let mut alike = BTreeMap::new();
    for (words, members) in groups {
        let is_bad = known_as_bad.iter().any(|bad| *bad == words);
        let lost = if is_bad {
            members
        } else {
            that_differed(members)
        };
        alike.extend(
            lost.into_iter()
                .map(|member| (member.path.clone(), words.to_owned())),
        );
    }
    alike
}

/// A page of several with the same words.
#[derive(Clone, Copy)]
struct TwinPage<'a> {
    path: &'a PagePath,
    before: Option<&'a TextPrint>,
    now: &'a TextPrint,
}

/// Those of a group that were not like the others before.
fn that_differed(members: Vec<TwinPage<'_>>) -> Vec<TwinPage<'_>> {
    if members.len() < 2 {
        return Vec::new();
    }
    let before: BTreeSet<&TextPrint> = members.iter().filter_map(|member| member.before).collect();
    let words: BTreeSet<&str> = before.iter().map(|print| print.words.as_str()).collect();
    let unknown = members
        .iter()
        .filter(|member| member.before.is_none())
        .count();
    match (words.len() + unknown, before.len()) {
        (2.., _) => members,
        (_, 0 | 1) => Vec::new(),
        (_, _) => {
            let lost_its_marks = |member: &TwinPage<'_>| {
                member
                    .before
                    .is_none_or(|before| before.marks != member.now.marks)
            };
            let lost: Vec<_> = members.into_iter().filter(lost_its_marks).collect();
            if lost.len() < 2 { Vec::new() } else { lost }
        }
    }
}

impl PageFate {
    fn moved_to(&self) -> Option<&PagePath> {
        match self {
            Self::Moved(to) => Some(to),
            Self::Same
            | Self::Changed { .. }
            | Self::Redirected(_)
            | Self::Vanished
            | Self::Beyond
            | Self::Gone => None,
        }
    }
}

impl CrawlVerdict {
    /// Whether part of the accepted source stays instead of what the crawl brought.
    pub(super) fn is_suspect(&self) -> bool {
        self.loses_too_much || self.floods
    }

    /// What the crawl saw, as far as that is suspect: equal for equal findings, another for any later one.
    pub(super) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut line = |parts: [&str; 3]| {
            for part in parts {
                hasher.update(part.as_bytes());
                hasher.update(b"\n");
            }
        };
        for (path, loss) in self.lost.iter().filter(|_| self.loses_too_much) {
            match loss {
                Loss::Vanished => line(["vanished", path.as_str(), ""]),
                Loss::Redirected(to) => line(["redirected", path.as_str(), to.as_str()]),
                Loss::Alike(words) => line(["alike", path.as_str(), words]),
            }
        }
        self.new
            .iter()
            .filter(|_| self.floods)
            .for_each(|path| line(["new", path.as_str(), ""]));
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The words of error pages that this crawl brought.
    pub(super) fn errors(&self) -> impl Iterator<Item = &String> {
        let losses = self.lost.values().filter(|_| self.loses_too_much);
        losses.filter_map(|loss| match loss {
            Loss::Alike(words) => Some(words),
            Loss::Vanished | Loss::Redirected(_) => None,
        })
    }
}

#[cfg(test)]
mod tests;
