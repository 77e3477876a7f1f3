//! Warnings of checks in the texts of cached pages, and the limits of a report. An engine may earn a warning for every text of a large
//! site, so memory holds hardly more than a report names, and no cached page is read for its warnings.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Locale, PagePath, SegmentKey};
use crate::run::options::BuildLimits;
use crate::state::{CachedLocale, CachedRemark, CachedWarning};
use crate::translate::Check;

/// Warnings of earlier builds in the texts of cached pages.
#[derive(Debug, Default)]
pub(in crate::run) struct KnownWarnings {
    /// Of each locale.
    pub(in crate::run) cached: Vec<CachedLocale>,
    /// The page up to which the first ones are all there are, by the place of the locale, where more are known to be.
    pub(in crate::run) ends: BTreeMap<(usize, Check), PagePath>,
}

impl KnownWarnings {
    pub(in crate::run) fn of(cached: Vec<CachedLocale>) -> Self {
        let mut ends = BTreeMap::new();
        for (place, known) in cached.iter().enumerate() {
            let is_partial =
                |(check, count): &(&Check, &u64)| (kept(known, **check) as u64) < **count;
            for (&check, _) in known.counts.iter().filter(is_partial) {
                let last = known.first.iter().rfind(|warning| warning.check == check);
                ends.extend(last.map(|last| ((place, check), last.path.clone())));
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

    /// Removes the kept warnings of pages that changed, or moves them to the cached page that `other_place` finds for their text.
    /// Returns `true` if enough are left for a report.
    pub(in crate::run) fn leave(
        &mut self,
        is_gone: impl Fn(&PagePath) -> bool,
        other_place: impl Fn([u8; 16]) -> Option<(PagePath, u32)>,
        limits: BuildLimits,
    ) -> bool {
        for (place, known) in self.cached.iter_mut().enumerate() {
            for warning in &mut known.first {
                if is_gone(&warning.path)
                    && let Some((path, place)) = other_place(warning.text)
                {
                    warning.path = path;
                    warning.place = place;
                }
            }
            // Beyond the end, there may be others before a warning.
            let ends = &self.ends;
            known.first.retain(|warning| {
                let end = ends.get(&(place, warning.check));
                !is_gone(&warning.path) && end.is_none_or(|end| warning.path <= *end)
            });
            known
                .first
                .sort_by(|one, other| (&one.path, one.place).cmp(&(&other.path, other.place)));
        }
        self.cached.iter().all(|known| {
            known.counts.iter().all(|(&check, &count)| {
                kept(known, check) as u64 >= count.min(limits.warned(check) as u64)
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
