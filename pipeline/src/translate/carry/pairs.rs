//! The texts to match, and how the best pairs of them become partners.

use std::collections::BTreeSet;

use crate::page::{CodedText, Segment, TextClass};

/// A text that people translated and the site no longer has.
#[derive(Clone, Debug)]
pub struct FormerText {
    /// The text.
    pub source: CodedText,
    /// People's words for it, in our notation.
    pub words: String,
    /// What kind of text it was.
    pub class: TextClass,
    /// Whether the site had it when the translations were written down last.
    pub is_recent: bool,
    /// Pages on which it stood, as far as they are known.
    pub pages: BTreeSet<String>,
}

/// A text that the site has now and for which there is no entry.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// The text.
    pub segment: Segment,
    /// Whether only words for its own kind of text will do: what is written for the same text as prose goes before.
    pub own_class_only: bool,
    /// Pages on which it stands.
    pub pages: BTreeSet<String>,
}

/// What becomes of a person's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslationFate {
    /// They are published, with the numbers and the final full stop of the new text.
    Carried(CodedText),
    /// They are offered to the translator; so many percent of the words are the same.
    Outdated(u8),
}

/// A former text and the new one that takes its place, by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The former text.
    pub former: usize,
    /// The new text.
    pub fresh: usize,
    /// What becomes of the words.
    pub fate: TranslationFate,
}

/// The texts that have no partner yet.
pub(super) struct UnpairedTexts<'a> {
    pub(super) formers: Vec<(usize, &'a FormerText)>,
    pub(super) fresh: Vec<(usize, &'a Fresh)>,
}

/// Two texts that could be partners, by their places in [`UnpairedTexts`].
pub(super) struct CandidatePair<T> {
    pub(super) former: usize,
    pub(super) fresh: usize,
    /// How good it is; the higher, the better.
    pub(super) score: u32,
    pub(super) what: T,
}

impl<'a> UnpairedTexts<'a> {
    /// Sorts the texts, so that the order in which they are given decides nothing.
    pub(super) fn new(formers: &'a [FormerText], fresh: &'a [Fresh]) -> Self {
        let mut formers: Vec<_> = formers.iter().enumerate().collect();
        formers.sort_by_cached_key(|(_, former)| {
            (
                former.source.to_markup(),
                former.class == TextClass::Label,
                former.words.clone(),
            )
        });
        let mut fresh: Vec<_> = fresh.iter().enumerate().collect();
        fresh.sort_by_cached_key(|(_, fresh)| {
            (
                fresh.segment.text.to_markup(),
                fresh.segment.class == TextClass::Label,
            )
        });
        Self { formers, fresh }
    }

    /// Whether words for one text may serve the other; a label takes what is written for prose, not the other way round.
    pub(super) fn suits(&self, former: usize, fresh: usize) -> bool {
        let (Some((_, former)), Some((_, fresh))) =
            (self.formers.get(former), self.fresh.get(fresh))
        else {
            return false;
        };
        former.class == fresh.segment.class
            || (former.class == TextClass::Prose && !fresh.own_class_only)
    }

    /// Makes partners of the best pairs and takes them out.
    pub(super) fn take<T>(
        &mut self,
        pairs: Vec<CandidatePair<T>>,
        fate: impl Fn(T) -> TranslationFate,
    ) -> Vec<Match> {
        let mut ranked: Vec<_> = pairs
            .into_iter()
            .filter_map(|pair| {
                let (&(_, former), &(_, fresh)) =
                    (self.formers.get(pair.former)?, self.fresh.get(pair.fresh)?);
                let common = former.pages.intersection(&fresh.pages).count();
                Some(((pair.score, common, former.is_recent), pair))
            })
            .collect();
        ranked.sort_by(|(one, first), (other, second)| {
            other
                .cmp(one)
                .then((first.former, first.fresh).cmp(&(second.former, second.fresh)))
        });
        let mut formers = BTreeSet::new();
        let mut fresh = BTreeSet::new();
        let mut found = Vec::new();
        for (_, pair) in ranked {
            if formers.contains(&pair.former) || fresh.contains(&pair.fresh) {
                continue;
            }
            let (Some((former, _)), Some((new, _))) =
                (self.formers.get(pair.former), self.fresh.get(pair.fresh))
            else {
                continue;
            };
            found.push(Match {
                former: *former,
                fresh: *new,
                fate: fate(pair.what),
            });
            formers.insert(pair.former);
            fresh.insert(pair.fresh);
        }
        let mut at = 0..;
        self.formers
            .retain(|_| at.next().is_none_or(|at| !formers.contains(&at)));
        let mut at = 0..;
        self.fresh
            .retain(|_| at.next().is_none_or(|at| !fresh.contains(&at)));
        found
    }
}
