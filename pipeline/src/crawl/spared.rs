//! Pages that nobody asks for, because a sitemap that proved right says that they did not change.
//!
//! Some of them are asked all the same, before anything else is: if one of those changed, the sitemap is wrong, and the same crawl
//! asks for all. What is passed over becomes the answer that it was, as with what its server says is unchanged, so nothing after
//! the fetch knows the difference. Whether a sitemap proved right is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use url::Url;

use super::known::KnownAnswers;
use super::preflight::Preflight;
use super::scope::{FetchTarget, LinkRole};
use super::{CrawlOptions, Lastmods, media};
use crate::model::{AnswerHead, KnownAnswer, Moment, PagePath};
use crate::net::{FetchError, Fetched};

/// Of so many pages that are passed over, one is asked; so all are within as many crawls.
const CRAWLS: usize = 100;

/// The fewest that are asked.
const FEWEST: usize = 5;

/// Pages that are taken as they are known.
#[derive(Debug, Default)]
pub(super) struct Spared {
    pages: BTreeSet<PagePath>,
    /// What servers said anew of those that were asked.
    renewed: BTreeMap<PagePath, KnownAnswer>,
}

impl Spared {
    /// A page as it is known; nothing where it has to be asked for.
    pub(super) async fn kept(
        &self,
        known: &KnownAnswers,
        path: &PagePath,
        url: &Url,
    ) -> Option<Fetched> {
        let answer = self
            .renewed
            .get(path)
            .or_else(|| known.heads.get(path))
            .filter(|_| self.pages.contains(path))?;
        if answer.head.url != url.as_str() {
            return None;
        }
        let body = (known.bytes)(answer.hash.clone()).await?;
        Some(Fetched::of_known(url, answer.clone(), body))
    }
}

/// What became of a page that was asked although it would be passed over.
enum RecheckOutcome {
    /// It is as it was.
    Same(Box<KnownAnswer>),
    /// Its bytes are, but not what its server says beside them.
    OtherHead,
    /// It is another one, or gone.
    Changed,
    /// Nobody knows.
    Unknown,
}

/// Chooses the pages that are passed over, after some of them were asked.
pub(super) async fn choose(
    look: &Preflight,
    known: &KnownAnswers,
    options: &CrawlOptions,
) -> (Spared, Lastmods) {
    let mut lastmods = Lastmods {
        listed: look.lastmods.clone(),
        ..Lastmods::default()
    };
    let Some(sitemaps) = options
        .sitemaps
        .as_ref()
        .filter(|sitemaps| sitemaps.trust.is_earned())
    else {
        return (Spared::default(), lastmods);
    };
    if is_start_refuted(look, known) {
        lastmods.refuted.insert(PagePath::of_url(&look.start));
        return (Spared::default(), lastmods);
    }
    let pages = candidates(look, known);
    let sample = turn(pages.keys().copied(), &sitemaps.trust.turn);
    lastmods.turn = sample.last().map(|path| place(path));
    let own = |path: &PagePath| {
        pages
            .get(path)
            .map(|&(url, answer)| (path.clone(), url.clone(), answer.clone()))
    };
    let sample: Vec<(PagePath, Url, KnownAnswer)> = sample.into_iter().filter_map(own).collect();
    let mut spared = Spared {
        pages: pages.into_keys().cloned().collect(),
        renewed: BTreeMap::new(),
    };
    let begun = sitemaps.begun.into();
    // No two begin without the pause between them.
    let delay = options.delay;
    let at_once = if options.delay.is_zero() {
        options.concurrency.max(1)
    } else {
        1
    };
    let asks = sample.into_iter().map(|(path, url, answer)| async move {
        tokio::time::sleep(delay).await;
        let asked = ask(look, known, (&path, &url, &answer), begun).await;
        (path, asked)
    });
    let asked: Vec<_> = futures::stream::iter(asks)
        .buffer_unordered(at_once)
        .collect()
        .await;
    let mut is_sure = true;
    for (path, asked) in asked {
        match asked {
            RecheckOutcome::Same(answer) => drop(spared.renewed.insert(path, *answer)),
            RecheckOutcome::OtherHead => is_sure = false,
            RecheckOutcome::Changed => drop(lastmods.refuted.insert(path)),
            RecheckOutcome::Unknown => drop(spared.pages.remove(&path)),
        }
    }
    let is_sure = is_sure && lastmods.refuted.is_empty();
    (if is_sure { spared } else { Spared::default() }, lastmods)
}

/// Whether the start page, which was fetched already, changed although its `lastmod` did not.
fn is_start_refuted(look: &Preflight, known: &KnownAnswers) -> bool {
    let start = PagePath::of_url(&look.start);
    let answer = known
        .heads
        .get(&start)
        .filter(|answer| is_same(look, &start, answer));
    let now = look
        .answer
        .as_ref()
        .ok()
        .filter(|now| now.location.is_none());
    answer
        .zip(now)
        .is_some_and(|(answer, now)| *blake3::hash(&now.body).to_hex() != *answer.hash)
}

/// Whether the sitemaps say of a page what they said when it was asked for.
fn is_same(look: &Preflight, path: &PagePath, answer: &KnownAnswer) -> bool {
    answer.lastmod.is_some() && answer.lastmod.as_ref() == look.lastmods.get(path)
}

/// The pages of the sitemaps whose `lastmod` is the one that was noted; the start page is fetched in any case, and files, of which
/// sitemaps list few, are asked for.
fn candidates<'a>(
    look: &'a Preflight,
    known: &'a KnownAnswers,
) -> BTreeMap<&'a PagePath, (&'a Url, &'a KnownAnswer)> {
    let start = PagePath::of_url(&look.start);
    let candidate = |target: &'a FetchTarget| {
        let answer = known
            .heads
            .get(&target.path)
            .filter(|answer| answer.head.url == target.url.as_str())?;
        let is_page = target.role == LinkRole::Page
            && answer
                .head
                .content_type
                .as_deref()
                .is_some_and(media::is_page);
        let is_spared = is_page && target.path != start && is_same(look, &target.path, answer);
        is_spared.then_some((&target.path, (&target.url, answer)))
    };
    look.outcome
        .found
        .iter()
        .filter_map(|entry| candidate(&entry.target))
        .collect()
}

async fn ask(
    look: &Preflight,
    known: &KnownAnswers,
    (path, url, answer): (&PagePath, &Url, &KnownAnswer),
    begun: Moment,
) -> RecheckOutcome {
    let fetched = match known.fetch(&look.fetcher, path, url).await {
        Ok(fetched) => fetched,
        Err(error) if matches!(error.code(), FetchError::NOT_FOUND | FetchError::GONE) => {
            return RecheckOutcome::Changed;
        }
        Err(_) => return RecheckOutcome::Unknown,
    };
    if fetched.location.is_some() || *blake3::hash(&fetched.body).to_hex() != *answer.hash {
        return RecheckOutcome::Changed;
    }
    let head = fetched.head();
    let said = AnswerHead {
        policies: (known.policies)(&head.policies),
        ..head
    };
    if answer.head.differs_beside_bytes(&said) {
        return RecheckOutcome::OtherHead;
    }
    let anew = || {
        let head = fetched.head().kept()?;
        Some(Box::new(KnownAnswer {
            head,
            sent: begun,
            ..answer.clone()
        }))
    };
    fetched
        .known
        .clone()
        .or_else(anew)
        .map_or(RecheckOutcome::Unknown, RecheckOutcome::Same)
}

/// The pages whose turn it is to be asked: one in a hundred, at least five, in the order of the hashes of their paths, which has
/// nothing to do with what they are, from the place on at which the last crawl ended.
fn turn<'p>(pages: impl Iterator<Item = &'p PagePath>, last: &str) -> Vec<&'p PagePath> {
    let mut ring: Vec<(String, &PagePath)> = pages.map(|path| (place(path), path)).collect();
    ring.sort_unstable();
    let from = ring.partition_point(|(place, _)| place.as_str() <= last);
    ring.rotate_left(from);
    ring.truncate(ring.len().div_ceil(CRAWLS).max(FEWEST));
    ring.into_iter().map(|(_, path)| path).collect()
}

/// A page's place in the rotation.
fn place(path: &PagePath) -> String {
    blake3::hash(path.as_str().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(count: usize) -> Vec<PagePath> {
        (0..count)
            .map(|number| PagePath::parse(&format!("/{number}")).unwrap())
            .collect()
    }

    #[test]
    fn every_page_is_asked_within_a_hundred_crawls_and_few_in_each() {
        for count in [0, 1, 4, 5, 6, 99, 100, 101, 499, 500, 501, 1234, 5000] {
            let pages = paths(count);
            let mut last = String::new();
            let mut asked = BTreeSet::new();
            for _ in 0..CRAWLS {
                let sample = turn(pages.iter(), &last);
                assert!(
                    sample.len() == count.min(FEWEST) || sample.len() <= count.div_ceil(100),
                    "{count}"
                );
                assert_eq!(
                    sample.iter().collect::<BTreeSet<_>>().len(),
                    sample.len(),
                    "{count}"
                );
                last = sample.last().map_or(String::new(), |path| place(path));
                asked.extend(sample);
            }
            assert_eq!(asked.len(), count);
        }
    }

    #[test]
    fn a_rotation_goes_on_where_it_was_whatever_comes_and_goes() {
        let pages = paths(20);
        let first = turn(pages.iter(), "");
        assert_eq!((first.len(), turn(pages.iter(), "")), (5, first.clone()));
        let last = place(first[4]);
        let second = turn(pages.iter().filter(|path| **path != *first[4]), &last);
        assert_eq!(
            second,
            turn(pages.iter(), &last),
            "the page at which it stood is gone"
        );
        assert!(second.iter().all(|path| !first.contains(path)));
        assert_eq!(
            turn(pages.iter(), "f".repeat(64).as_str()),
            first,
            "after the last comes the first"
        );
    }
}
