//! Answers kept in memory, by the hash of their bytes and their encoding, up to a number of bytes.
//!
//! Two generations: what is used moves to the young one; when that holds half of the bytes, the old one is dropped and
//! the young one grows old. That keeps what is asked for often, without bookkeeping for each request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pipeline::store::{ContentHash, Encoding};

use super::file::Ready;

/// What an answer takes beside its bytes, about: two maps of headers.
const HEADERS: usize = 3 << 10;

#[derive(Debug)]
pub(crate) struct Cache {
    limit: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: CachedFiles,
    old: CachedFiles,
    young_bytes: usize,
}

/// By the hash of the plain bytes, and the encoding in which they are sent.
type CachedFiles = HashMap<CachedFileKey, Arc<Ready>>;

type CachedFileKey = (ContentHash, Option<Encoding>);

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            generations: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, hash: ContentHash, encoding: Option<Encoding>) -> Option<Arc<Ready>> {
        let key = (hash, encoding);
        let mut generations = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = generations.young.get(&key) {
            return Some(Arc::clone(answer));
        }
        let answer = generations.old.remove(&key)?;
        generations.keep(self.limit, key, Arc::clone(&answer));
        Some(answer)
    }

    pub(crate) fn put(&self, hash: ContentHash, encoding: Option<Encoding>, answer: Arc<Ready>) {
        if bytes(&answer) <= self.limit / 4 {
            let mut generations = self
                .generations
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            generations.keep(self.limit, (hash, encoding), answer);
        }
    }
}

impl Generations {
    fn keep(&mut self, limit: usize, key: CachedFileKey, answer: Arc<Ready>) {
        let more = bytes(&answer);
        if self.young_bytes + more > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        let replaced = self.young.insert(key, answer);
        self.young_bytes += more;
        self.young_bytes -= replaced.map_or(0, |replaced| bytes(&replaced));
    }
}

fn bytes(answer: &Ready) -> usize {
    HEADERS + answer.body.as_ref().map_or(0, bytes::Bytes::len)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn of(text: &str) -> ContentHash {
        ContentHash::of(text.as_bytes())
    }

    fn answer(bytes: usize) -> Arc<Ready> {
        Arc::new(Ready::default().with_body(Bytes::from(vec![0; bytes])))
    }

    #[test]
    fn memory_is_bounded_and_what_is_used_stays() {
        let cache = Cache::new(100 << 10);
        for number in 0..100 {
            cache.put(of(&number.to_string()), None, answer(1 << 10));
            assert!(
                number == 0 || cache.get(of("0"), None).is_some(),
                "lost at {number}"
            );
        }
        let generations = cache.generations.lock().unwrap();
        let held: usize = generations
            .young
            .values()
            .chain(generations.old.values())
            .map(|answer| bytes(answer))
            .sum();
        assert!(held <= 100 << 10, "{held}");
        assert!(
            [&generations.young, &generations.old]
                .iter()
                .all(|answers| !answers.contains_key(&(of("1"), None)))
        );
    }

    #[test]
    fn answer_that_is_replaced_no_longer_counts() {
        let cache = Cache::new(100 << 10);
        for _ in 0..100 {
            cache.put(of("hash"), None, answer(1 << 10));
        }
        assert_eq!(
            cache.generations.lock().unwrap().young_bytes,
            HEADERS + (1 << 10)
        );
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        for (limit, size) in [(10_000, 8000), (0, 0)] {
            let cache = Cache::new(limit);
            cache.put(of("large"), None, answer(size));
            assert!(cache.get(of("large"), None).is_none(), "{limit}");
        }
    }

    #[test]
    fn encodings_are_kept_apart() {
        let cache = Cache::new(1 << 20);
        cache.put(of("hash"), Some(Encoding::Gzip), answer(1));
        assert!(cache.get(of("hash"), Some(Encoding::Gzip)).is_some());
        assert!(
            cache.get(of("hash"), None).is_none()
                && cache.get(of("hash"), Some(Encoding::Brotli)).is_none()
        );
    }
}
