//! Warnings of checks in the texts of cached pages, and the limits of a report. An engine may earn a warning for every text of a large
//! site, so memory holds hardly more than a report names, and no cached page is read for its warnings.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Locale, PagePath, SegmentKey};
use crate::run::options::BuildLimits;
use crate::state::{CachedLocale, CachedRemark, CachedWarning};
use crate::translate::Check;

/// The place of a text: its page, and its number among the texts of that page.
pub(in crate::run) type TextAt = (PagePath, u32);

/// Places of a text whose page is no longer cached.
#[derive(Debug, Default)]
pub(in crate::run) struct OtherPlaces {
    /// The first one on a cached page.
    pub(in crate::run) cached: Option<TextAt>,
    /// The first page that was read and has the text.
    pub(in crate::run) read: Option<PagePath>,
}

/// Warnings of earlier builds in the texts of cached pages.
#[derive(Debug, Default)]
pub(in crate::run) struct KnownWarnings {
    /// Of each locale.
    pub(in crate::run) cached: Vec<CachedLocale>,
    /// The last place up to which `first` of a locale is complete, if the locale has more warnings of the check.
    pub(in crate::run) ends: BTreeMap<(usize, Check), TextAt>,
}

impl KnownWarnings {
    pub(in crate::run) fn of(cached: Vec<CachedLocale>) -> Self {
        let mut ends = BTreeMap::new();
        for (place, known) in cached.iter().enumerate() {
            let is_partial =
                |(check, count): &(&Check, &u64)| (kept(known, **check) as u64) < **count;
            for (&check, _) in known.counts.iter().filter(is_partial) {
                let last = known.first.iter().rfind(|warning| warning.check == check);
                ends.extend(last.map(|last| ((place, check), (last.path.clone(), last.place))));
            }
        }
        Self { cached, ends }
    }

    /// Takes away what was noticed in a text that stands on no page any more; says whether it was known.
    pub(in crate::run) fn lose(&mut self, lost: CachedRemark) -> bool {
        self.cached
            .get_mut(usize::from(lost.locale))
            .is_some_and(|known| known.lose(lost.remark))
    }

    /// Moves the kept warnings of pages that changed to the first cached page with their text, or removes them if no page has
    /// it or others may stand before it. Returns `true` if enough are left for a report.
    pub(in crate::run) fn leave(
        &mut self,
        is_gone: impl Fn(&PagePath) -> bool,
        other_places: impl Fn([u8; 16]) -> OtherPlaces,
        limits: BuildLimits,
    ) -> bool {
        let Self { cached, ends } = self;
        cached.iter_mut().enumerate().all(|(place, known)| {
            // Warnings that pages bring back that were read.
            let mut read = BTreeMap::<Check, usize>::new();
            known.first.retain_mut(|warning| {
                if !is_gone(&warning.path) {
                    return true;
                }
                let OtherPlaces {
                    cached: Some(at),
                    read: page,
                } = other_places(warning.text)
                else {
                    return false;
                };
                let end = ends.get(&(place, warning.check));
                if end.is_none_or(|end| at <= *end) {
                    (warning.path, warning.place) = at;
                    return true;
                }
                if page.is_some_and(|page| end.is_none_or(|(last, _)| page <= *last)) {
                    *read.entry(warning.check).or_default() += 1;
                }
                false
            });
            known
                .first
                .sort_by(|one, other| (&one.path, one.place).cmp(&(&other.path, other.place)));
            known.counts.iter().all(|(&check, &count)| {
                let there = kept(known, check) + read.get(&check).copied().unwrap_or_default();
                there as u64 >= count.min(limits.warned(check) as u64)
            })
        })
    }

    /// True if all of these texts were missing when the cached pages were read.
    pub(in crate::run) fn have_vanished(
        &self,
        vanished: &BTreeMap<Locale, BTreeSet<SegmentKey>>,
    ) -> bool {
        self.cached.iter().all(|known| {
            let gone: BTreeSet<&[u8; 16]> = known.vanished.iter().collect();
            vanished
                .get(&known.locale)
                .is_some_and(|now| now.iter().all(|key| gone.contains(key.as_bytes())))
        })
    }

    /// Whether the counts are those of these texts.
    pub(in crate::run) fn are_of<'t>(&self, texts: impl Iterator<Item = &'t CachedRemark>) -> bool {
        let none = |known: &CachedLocale| CachedLocale::of(known.locale.clone());
        let mut sums: Vec<CachedLocale> = self.cached.iter().map(none).collect();
        for CachedRemark { locale, remark, .. } in texts {
            let Some(sum) = sums.get_mut(usize::from(*locale)) else {
                return false;
            };
            sum.gain(*remark);
        }
        let figures = |of: &CachedLocale| (of.counts.clone(), of.terms);
        self.cached.iter().map(figures).eq(sums.iter().map(figures))
    }
}

fn kept(known: &CachedLocale, check: Check) -> usize {
    known
        .first
        .iter()
        .filter(|warning| warning.check == check)
        .count()
}

/// The first of these in an order of pages, each once, and so many of each check at most.
pub(super) fn first_of(
    mut all: Vec<CachedWarning>,
    order: impl Fn(&PagePath, &PagePath) -> Ordering,
    most: impl Fn(Check) -> usize,
) -> Vec<CachedWarning> {
    all.sort_by(|one, other| order(&one.path, &other.path));
    let (mut seen, mut counts) = (BTreeMap::new(), BTreeMap::<Check, usize>::new());
    all.retain(|warning| {
        let count = counts.entry(warning.check).or_default();
        // A text may lack several terms, on the same page.
        let mut is_first = || {
            seen.entry(warning.text)
                .or_insert_with(|| warning.path.clone())
                == &warning.path
        };
        let stays = *count < most(warning.check) && is_first();
        *count += usize::from(stays);
        stays
    });
    all
}
