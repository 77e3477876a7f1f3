//! Files kept in memory, by their entity tag, up to a number of bytes.
//!
//! Two generations: what is used moves to the young one; when that holds half of the bytes, the old one is dropped and
//! the young one grows old. That keeps what is asked for often, without bookkeeping for each request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

#[derive(Debug)]
pub(crate) struct Bodies {
    limit: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Bytes>,
    old: HashMap<String, Bytes>,
    young_bytes: usize,
}

impl Bodies {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, generations: Mutex::default() }
    }

    pub(crate) fn get(&self, tag: &str) -> Option<Bytes> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(body) = generations.young.get(tag) {
            return Some(body.clone());
        }
        let (tag, body) = generations.old.remove_entry(tag)?;
        generations.keep(self.limit, tag, body.clone());
        Some(body)
    }

    pub(crate) fn put(&self, tag: &str, body: &Bytes) {
        if body.len() <= self.limit / 4 {
            let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
            generations.keep(self.limit, tag.to_owned(), body.clone());
        }
    }
}

impl Generations {
    fn keep(&mut self, limit: usize, tag: String, body: Bytes) {
        let bytes = body.len() + tag.len();
        if self.young_bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        match self.young.insert(tag, body) {
            Some(_) => {}
            None => self.young_bytes += bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_what_is_used_stays() {
        let bodies = Bodies::new(4096);
        for number in 0..100 {
            bodies.put(&format!("tag-{number}"), &Bytes::from(vec![0; 256]));
            assert!(number == 0 || bodies.get("tag-0").is_some(), "lost at {number}");
        }
        let generations = bodies.generations.lock().unwrap();
        let held: usize = generations.young.values().chain(generations.old.values()).map(Bytes::len).sum();
        assert!(held <= 4096, "{held}");
        assert!(!generations.young.contains_key("tag-1") && !generations.old.contains_key("tag-1"));
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let bodies = Bodies::new(1000);
        bodies.put("large", &Bytes::from(vec![0; 300]));
        assert_eq!(bodies.get("large"), None);
    }
}
