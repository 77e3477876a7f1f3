//! What checks that do not block noticed in the words of engines: in how many texts of the whole site, and the first of them; and
//! how many terms of the glossary stand in texts. It is said of all pages, and known to the next build of those that stand.

use std::collections::BTreeMap;

use super::known_warnings::{KnownWarnings, first_of};
use super::remarks::Remarks;
use super::texts::LocaleTexts;
use crate::model::{LanguagePair, Locale, PagePath};
use crate::page::CodedText;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_table::SiteText;
use crate::run::options::BuildLimits;
use crate::run::report::build_report::Warned;
use crate::state::{CachedLocale, CachedRemark, CachedWarning, Remark, State};
use crate::text::excerpt;
use crate::translate::{Check, CheckWarning, Terms, TranslationOrigin, warnings};

/// Looks at all words of engines.
pub(super) fn look_at(
    corpus: &Corpus,
    texts: &LocaleTexts,
    terms: &Terms,
    (state, source): (&State, &Locale),
    limits: BuildLimits,
) -> Remarks {
    let mut remarks = Remarks::of(texts.locale.clone(), state, limits);
    // Pseudo-locales are odd on purpose.
    let is_said = |check: Check| !texts.locale.is_pseudo() || check == Check::Term;
    if texts.locale.is_pseudo() && terms.is_empty() {
        return remarks;
    }
    let pair = LanguagePair {
        from: source,
        to: &texts.locale,
    };
    let machines = texts.settled.origins().enumerate();
    let machines = machines.filter(|(_, origin)| {
        matches!(
            origin,
            TranslationOrigin::Memory(_) | TranslationOrigin::Engine(_)
        )
    });
    let mut named = BTreeMap::<Check, usize>::new();
    let fine = corpus.cached_texts.fine.get(&texts.locale);
    for (index, _) in machines {
        if fine.is_some_and(|fine| fine.contains(index)) {
            continue;
        }
        let Some((text, words)) = corpus.texts.get(index).zip(texts.settled.text(index)) else {
            continue;
        };
        let mut remark = Remark {
            terms: short(terms.count(&text.segment)),
            ..Remark::default()
        };
        for CheckWarning { check, message } in warnings(&text.segment, &words, terms, pair) {
            if !is_said(check) {
                continue;
            }
            remark.missed = remark
                .missed
                .saturating_add(u16::from(check == Check::Term));
            remark.checks.insert(check);
            let named = named.entry(check).or_default();
            if *named < limits.warned(check) {
                *named += 1;
                remarks
                    .sum
                    .first
                    // Place 0: the report keeps the order in which pages were read.
                    .push(warning(&text, &text.path, 0, &words, check, message));
            }
        }
        if remark.is_empty() {
            continue;
        }
        remarks.push(index, remark);
        if !corpus.cached_texts.read.contains(index) {
            remarks.sum.gain(remark);
        }
    }
    remarks
}

/// What is said of the whole site: the first warnings, and in all.
pub(in crate::run) fn said(
    remarks: &Remarks,
    corpus: &Corpus,
    limits: BuildLimits,
) -> (Vec<Warned>, CachedLocale) {
    let mut sum = remarks.sum.clone();
    let mut all = std::mem::take(&mut sum.first);
    let cached = &corpus.cached_texts.warnings.cached;
    if let Some(known) = cached.iter().find(|known| known.locale == sum.locale) {
        all.extend(known.first.iter().cloned());
        sum.add(known);
    }
    let rank = |path: &PagePath| (corpus.documents.contains_key(path), path.clone());
    let first = first_of(
        all,
        |one, other| rank(one).cmp(&rank(other)),
        |check| limits.warned(check),
    );
    (first.into_iter().map(Warned::from).collect(), sum)
}

/// No text has so many terms.
fn short(terms: usize) -> u16 {
    u16::try_from(terms).unwrap_or(u16::MAX)
}

impl From<CachedWarning> for Warned {
    fn from(warning: CachedWarning) -> Self {
        let CachedWarning {
            text: _,
            path,
            place: _,
            source,
            translation,
            check,
            message,
        } = warning;
        Self {
            path,
            source,
            translation,
            check,
            message,
        }
    }
}

fn warning(
    text: &SiteText,
    path: &PagePath,
    place: u32,
    words: &CodedText,
    check: Check,
    message: String,
) -> CachedWarning {
    let [source, translation] =
        [&text.segment.text, words].map(|text| excerpt(&text.to_markup()).into_owned());
    CachedWarning {
        text: *text.key.as_bytes(),
        path: path.clone(),
        place,
        source,
        translation,
        check,
        message,
    }
}

/// What the next build will know.
pub(in crate::run) struct NextWarnings<'c> {
    corpus: &'c Corpus,
    source: &'c Locale,
    all: &'c [LocaleTexts],
    limits: BuildLimits,
    next: Vec<CachedLocale>,
    /// How many of each check are among the first ones of a locale by now.
    kept: BTreeMap<(u16, Check), usize>,
}

impl<'c> NextWarnings<'c> {
    /// Nothing where it would not go with what is known.
    pub(in crate::run) fn beside(
        corpus: &'c Corpus,
        source: &'c Locale,
        all: &'c [LocaleTexts],
        limits: BuildLimits,
    ) -> Option<Self> {
        let known = &corpus.cached_texts.warnings.cached;
        let are_same = || {
            all.iter()
                .map(|texts| &texts.locale)
                .eq(known.iter().map(|known| &known.locale))
        };
        let of = |texts: &LocaleTexts| {
            let vanished = texts.vanished.iter().map(|key| *key.as_bytes()).collect();
            CachedLocale {
                vanished,
                ..CachedLocale::of(texts.locale.clone())
            }
        };
        let next = || all.iter().map(of).collect();
        (corpus.cached.is_empty() || are_same()).then(|| Self {
            corpus,
            source,
            all,
            limits,
            next: next(),
            kept: BTreeMap::new(),
        })
    }

    /// What was noticed in the texts of a page.
    pub(in crate::run) fn on_page(&self, indices: &[u32]) -> Vec<CachedRemark> {
        let mut noticed = Vec::new();
        for (text, &index) in (0..).zip(indices) {
            let of_locale = |(locale, texts): (u16, &LocaleTexts)| {
                let remark = texts.remarks.as_ref()?.in_text(index);
                (!remark.is_empty()).then_some(CachedRemark {
                    text,
                    locale,
                    remark,
                })
            };
            noticed.extend((0..).zip(self.all).filter_map(of_locale));
        }
        noticed
    }

    /// Takes in a text that no page before this one has.
    pub(in crate::run) fn take(&mut self, path: &PagePath, index: usize, noticed: &[CachedRemark]) {
        let is_new = !self.corpus.cached_texts.read.contains(index);
        for &CachedRemark {
            text: text_place,
            locale,
            remark,
        } in noticed
        {
            let place = usize::from(locale);
            let Some((next, texts)) = self.next.get_mut(place).zip(self.all.get(place)) else {
                continue;
            };
            if is_new {
                next.gain(remark);
            }
            let kept = &mut self.kept;
            let checks = remark.checks;
            if checks.iter().all(|check| {
                kept.get(&(locale, check))
                    .is_some_and(|kept| *kept >= self.limits.kept_warnings(check))
            }) {
                continue;
            }
            let Some((text, words)) = self.corpus.texts.get(index).zip(texts.settled.text(index))
            else {
                continue;
            };
            let all = warnings(
                &text.segment,
                &words,
                &texts.terms,
                LanguagePair {
                    from: self.source,
                    to: &texts.locale,
                },
            )
            .into_iter();
            for CheckWarning { check, message } in
                all.filter(|warning| checks.iter().any(|check| check == warning.check))
            {
                let kept = kept.entry((locale, check)).or_default();
                if *kept < self.limits.kept_warnings(check) {
                    *kept += 1;
                    next.first
                        .push(warning(&text, path, text_place, &words, check, message));
                }
            }
        }
    }

    /// Facts about the warnings of all cached pages.
    pub(in crate::run) fn with_known(self) -> Vec<CachedLocale> {
        let KnownWarnings { cached, ends } = &self.corpus.cached_texts.warnings;
        let mut next = self.next;
        for (place, (next, known)) in next.iter_mut().zip(cached).enumerate() {
            next.add(known);
            next.first.extend(known.first.iter().cloned());
            next.first = first_of(std::mem::take(&mut next.first), PagePath::cmp, |check| {
                self.limits.kept_warnings(check)
            });
            next.first.retain(|warning| {
                ends.get(&(place, warning.check))
                    .is_none_or(|(last, _)| warning.path <= *last)
            });
        }
        next
    }
}
