//! What was asked of the paths of a site, to tell later whether the answers are still the same. Pure.
//!
//! Which pages exist, where they are and where else paths lead is asked path by path. So what came of some questions
//! comes of them again as long as what is known of these paths is the same, whatever became of all others.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use crate::model::PagePath;

/// Stands for a path. Paths that share one also share their answers, so all that it costs is that a page asks for more.
type PathHash = u32;

/// Paths that were asked for.
#[derive(Debug, Default)]
pub struct PathQueries(RefCell<BTreeSet<PathHash>>);

/// Fingerprint of texts in their order.
#[derive(Default)]
pub struct Signature(blake3::Hasher);

/// What is known of each path of a site.
#[derive(Debug, Default)]
pub struct PathAnswers(HashMap<PathHash, [u8; 32]>);

impl Signature {
    /// Adds some texts; each is told from the next.
    pub fn add(&mut self, texts: &[&str]) {
        for text in texts {
            self.0
                .update(&text.len().to_le_bytes())
                .update(text.as_bytes());
        }
    }

    /// Adds paths, and what they are.
    pub fn add_all<'p>(&mut self, what: &str, paths: impl IntoIterator<Item = &'p PagePath>) {
        self.add(&[what]);
        paths
            .into_iter()
            .for_each(|path| self.add(&[path.as_str()]));
    }

    /// The value.
    pub fn value(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl PathQueries {
    /// Takes note of a path. What a page is called counts for those that only a query tells from it.
    pub fn note(&self, path: &PagePath) {
        let mut marks = self.0.borrow_mut();
        marks.insert(mark(path.as_str()));
        if path.query().is_some() {
            marks.insert(mark(path.path()));
        }
    }

    /// The marks of the paths, in order.
    pub fn into_marks(self) -> Vec<u32> {
        self.0.into_inner().into_iter().collect()
    }
}

impl PathAnswers {
    /// Adds something that is known of a path. What is known comes in the same order each time.
    pub(super) fn add(&mut self, path: &PagePath, known: &[&str]) {
        let answer = self.0.entry(mark(path.as_str())).or_default();
        let mut longer = Signature::default();
        longer.0.update(answer);
        longer.add(&[path.as_str()]);
        longer.add(known);
        *answer = longer.value();
    }

    /// Fingerprint of what is known of some paths, by their marks.
    pub fn sign(&self, marks: &[u32]) -> [u8; 32] {
        let mut all = blake3::Hasher::new();
        for mark in marks {
            all.update(&mark.to_le_bytes());
            match self.0.get(mark) {
                Some(answer) => all.update(answer),
                None => all.update(b"unknown"),
            };
        }
        all.finalize().into()
    }
}

fn mark(path: &str) -> PathHash {
    blake3::hash(path.as_bytes())
        .as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_signed_path_by_path() {
        let path = |text: &str| PagePath::parse(text).unwrap();
        let of = |known: &[(&str, &str)]| {
            let mut answers = PathAnswers::default();
            known
                .iter()
                .for_each(|(text, known)| answers.add(&path(text), &[known]));
            answers
        };
        let asked = PathQueries::default();
        ["/b?page=2", "/a", "/a"]
            .iter()
            .for_each(|text| asked.note(&path(text)));
        let marks = asked.into_marks();
        assert_eq!(marks.len(), 3);
        let before = of(&[("/a", "page")]).sign(&marks);
        assert_eq!(of(&[("/a", "page"), ("/c", "page")]).sign(&marks), before);
        for other in [
            &[][..],
            &[("/a", "file")],
            &[("/a", "page"), ("/b", "page")],
            &[("/a", "page"), ("/a", "local")],
        ] {
            assert_ne!(of(other).sign(&marks), before, "{other:?}");
        }
    }
}
