//! Texts that readers' browsers told of, until enough different readers saw them.
//!
//! What waits here is in memory alone. A reader is a hash of the address and the text under a key that ends with the process,
//! so nobody can tell afterwards whose address it was, nor which texts one reader saw. A text that enough readers saw goes to
//! the state, and who they were is forgotten. A text that too few saw is forgotten after a week.
//!
//! Strangers write here, so all of it is bounded: texts of an address, texts that wait, and writes of a site.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pipeline::config::RateLimit;
use pipeline::model::{Locale, PagePath, ReportedText, SiteId};
use pipeline::state::Reported;

use crate::http::household::Household;
use crate::http::limit::{Limiter, RateStatus};

/// How many different readers have to see a text.
const ENOUGH: usize = 3;
/// Most texts of a site that wait.
const MOST: usize = 4_000;
/// How long a text waits.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Where a text was seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportPlace<'a> {
    pub(crate) site: &'a SiteId,
    pub(crate) page: &'a PagePath,
    pub(crate) locale: &'a Locale,
}

/// The texts that wait.
#[derive(Debug)]
pub(crate) struct Reports {
    key: RandomState,
    waiting: Mutex<HashMap<SiteId, HashMap<ReportedText, WaitingReport>>>,
    /// Requests of an address.
    requests: Limiter,
    /// Texts of an address.
    texts: Limiter,
    /// Writes of a site.
    writes: Limiter,
}

#[derive(Debug)]
struct WaitingReport {
    since: Instant,
    page: PagePath,
    locales: BTreeSet<Locale>,
    readers: HashSet<u64>,
}

impl Default for Reports {
    fn default() -> Self {
        let rate = |seconds, burst| {
            Limiter::new(Some(RateLimit {
                interval: Duration::from_secs(seconds),
                burst,
            }))
        };
        Self {
            key: RandomState::new(),
            waiting: Mutex::default(),
            requests: rate(6, 10),
            texts: rate(600, 60),
            writes: rate(1, 10),
        }
    }
}

impl Reports {
    /// Counts a request of an address.
    pub(crate) fn admit(&self, reader: Household, now: Instant) -> Result<(), RateStatus> {
        self.requests.take(&reader, now).map(drop)
    }

    /// Takes note of texts that a reader saw; gives those that enough readers saw, to be kept.
    pub(crate) fn note(
        &self,
        seen: ReportPlace<'_>,
        texts: Vec<ReportedText>,
        reader: Household,
        now: Instant,
    ) -> Vec<Reported> {
        let mut sites = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = sites.entry(seen.site.clone()).or_default();
        for text in texts {
            if self.texts.take(&reader, now).is_err() {
                break;
            }
            let hash = self.key.hash_one((reader, &text));
            let entry = entry(waiting, text, seen.page, now);
            entry.locales.insert(seen.locale.clone());
            if entry.readers.len() < ENOUGH {
                entry.readers.insert(hash);
            }
        }
        let is_ready = |waits: &WaitingReport| waits.readers.len() >= ENOUGH;
        if !waiting.values().any(is_ready) || self.writes.take(seen.site, now).is_err() {
            return Vec::new();
        }
        let ready = waiting.extract_if(|_, waits| is_ready(waits));
        ready
            .map(|(text, waits)| Reported {
                text,
                page: waits.page,
                locales: waits.locales,
                readers: waits.readers.len() as u64,
            })
            .collect()
    }
}

/// What is known of a text that waits. Where too many wait, the one that waits longest gives way.
fn entry<'w>(
    waiting: &'w mut HashMap<ReportedText, WaitingReport>,
    text: ReportedText,
    page: &PagePath,
    now: Instant,
) -> &'w mut WaitingReport {
    waiting.retain(|_, waits| now.duration_since(waits.since) < LONGEST);
    if waiting.len() >= MOST && !waiting.contains_key(&text) {
        let oldest = waiting
            .iter()
            .min_by_key(|(_, waits)| waits.since)
            .map(|(text, _)| text.clone());
        oldest.map(|oldest| waiting.remove(&oldest));
    }
    let new = || WaitingReport {
        since: now,
        page: page.clone(),
        locales: BTreeSet::new(),
        readers: HashSet::new(),
    };
    waiting.entry(text).or_insert_with(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ReportsFixture {
        reports: Reports,
        now: Instant,
    }

    impl ReportsFixture {
        fn new() -> Self {
            Self {
                reports: Reports::default(),
                now: Instant::now(),
            }
        }

        /// Tells of texts from an address; gives those that are to be kept.
        fn tell(&self, reader: &str, texts: &[String]) -> Vec<String> {
            let site = SiteId::parse("bakery").unwrap();
            let page = PagePath::parse("/").unwrap();
            let locale = Locale::parse("es").unwrap();
            let texts = texts
                .iter()
                .filter_map(|text| ReportedText::parse(text))
                .collect();
            let seen = ReportPlace {
                site: &site,
                page: &page,
                locale: &locale,
            };
            let kept = self.reports.note(
                seen,
                texts,
                Household::of(reader.parse().unwrap()),
                self.now,
            );
            kept.into_iter()
                .map(|kept| kept.text.as_str().to_owned())
                .collect()
        }

        fn waiting(&self) -> usize {
            self.reports
                .waiting
                .lock()
                .unwrap()
                .values()
                .map(HashMap::len)
                .sum()
        }
    }

    fn texts(count: usize) -> Vec<String> {
        let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
        (0..count)
            .map(|n| {
                format!(
                    "{}{}{}{}",
                    letter(n),
                    letter(n / 26),
                    letter(n / 676),
                    letter(n / 17_576)
                )
            })
            .collect()
    }

    #[test]
    fn a_text_is_kept_when_three_different_readers_saw_it() {
        let told = ReportsFixture::new();
        let cart = ["Your cart is empty".to_owned()];
        for reader in ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"] {
            assert_eq!(told.tell(reader, &cart), [""; 0]);
        }
        assert_eq!(told.tell("192.0.2.3", &cart), cart);
        // Who they were is forgotten.
        assert_eq!(told.waiting(), 0);
    }

    #[test]
    fn what_waits_is_forgotten_after_a_week() {
        let mut told = ReportsFixture::new();
        let cart = ["Your cart is empty".to_owned()];
        told.tell("192.0.2.1", &cart);
        told.tell("192.0.2.2", &cart);
        told.now += LONGEST;
        assert_eq!(told.tell("192.0.2.3", &cart), [""; 0]);
        assert_eq!(told.waiting(), 1);
    }

    #[test]
    fn one_address_fills_nothing() {
        let told = ReportsFixture::new();
        told.tell("192.0.2.1", &texts(5_000));
        assert_eq!(told.waiting(), 60);
    }

    #[test]
    fn a_flood_from_many_addresses_is_bounded_and_does_not_stop_others() {
        let told = ReportsFixture::new();
        for (number, texts) in texts(9_000).chunks(50).enumerate() {
            told.tell(&format!("10.0.{}.{}", number / 256, number % 256), texts);
        }
        assert_eq!(told.waiting(), MOST);
        let cart = ["Your cart is empty".to_owned()];
        let kept: Vec<_> = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
            .iter()
            .flat_map(|reader| told.tell(reader, &cart))
            .collect();
        assert_eq!(kept, cart);
    }

    #[test]
    fn a_site_is_written_to_once_a_second_and_nothing_is_lost_by_that() {
        let mut told = ReportsFixture::new();
        let readers = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
        let texts = texts(12);
        let kept: Vec<_> = (texts.iter())
            .flat_map(|text| {
                readers
                    .iter()
                    .flat_map(|reader| told.tell(reader, std::slice::from_ref(text)))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(kept.len(), 10);
        told.now += Duration::from_secs(1);
        assert_eq!(told.tell("192.0.2.4", &["Another".to_owned()]).len(), 2);
    }
}
