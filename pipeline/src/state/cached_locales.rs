//! Facts about each locale of cached pages: counts and first places of the warnings of checks, and translations whose text is on no
//! page. A report covers the whole site although a build reads few pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Locale, PagePath};
use crate::translate::{Check, Checks};

/// What was noticed in the words of engines for a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// The checks that noticed something.
    pub checks: Checks,
    /// Terms of the glossary in the source text.
    pub terms: u16,
    /// Those of them that the words lack.
    pub missed: u16,
}

/// What was noticed in a text of a page, in one locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedRemark {
    /// The place of the text among those of its page.
    pub text: u32,
    /// The place of the locale among those of the site's [`CachedLocale`].
    pub locale: u16,
    /// What was noticed.
    pub remark: Remark,
}

/// A warning about a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedWarning {
    /// The key of the text.
    pub text: [u8; 16],
    /// The first page with the text; in the state, the first cached one.
    pub path: PagePath,
    /// The place of the text among those of the page; 0 for warnings that are only reported.
    pub place: u32,
    /// The source text, with inline codes; of a long one the beginning.
    pub source: String,
    /// Its translation, in the same way.
    pub translation: String,
    /// The check.
    pub check: Check,
    /// What it noticed.
    pub message: String,
}

/// What is known of a locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedLocale {
    /// The locale.
    pub locale: Locale,
    /// How often each check noticed something, in different texts or, of terms, in any.
    pub counts: BTreeMap<Check, u64>,
    /// Terms of the glossary in all texts.
    pub terms: u64,
    /// A lower bound of the source texts that scripts may put in on any page, in bytes.
    pub shared_bytes: u64,
    /// The first ones of each check, in the order of pages.
    pub first: Vec<CachedWarning>,
    /// The keys of texts that people translated and that were on no page; no text of a cached page could take the place of
    /// one.
    pub vanished: Vec<[u8; 16]>,
}

impl Remark {
    /// How often each check noticed something.
    fn counts(self) -> impl Iterator<Item = (Check, u64)> {
        let count = move |check| {
            if check == Check::Term {
                u64::from(self.missed)
            } else {
                1
            }
        };
        self.checks.iter().map(move |check| (check, count(check)))
    }

    /// The length of a row.
    pub(crate) const LENGTH: usize = 5;

    pub(crate) fn pack(self) -> [u8; Self::LENGTH] {
        let ([a, b], [c, d]) = (self.terms.to_le_bytes(), self.missed.to_le_bytes());
        [self.checks.bits(), a, b, c, d]
    }

    pub(crate) fn unpack([bits, a, b, c, d]: [u8; Self::LENGTH]) -> Self {
        Self {
            checks: Checks::from_bits(bits),
            terms: u16::from_le_bytes([a, b]),
            missed: u16::from_le_bytes([c, d]),
        }
    }

    /// Whether nothing was noticed.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl CachedRemark {
    pub(super) const LENGTH: usize = 6 + Remark::LENGTH;

    pub(super) fn write(self, row: &mut Vec<u8>) {
        row.extend(self.text.to_le_bytes());
        row.extend(self.locale.to_le_bytes());
        row.extend(self.remark.pack());
    }

    pub(super) fn read([a, b, c, d, e, f, remark @ ..]: [u8; Self::LENGTH]) -> Self {
        let text = u32::from_le_bytes([a, b, c, d]);
        let locale = u16::from_le_bytes([e, f]);
        Self {
            text,
            locale,
            remark: Remark::unpack(remark),
        }
    }
}

impl CachedLocale {
    /// Nothing yet.
    pub fn of(locale: Locale) -> Self {
        Self {
            locale,
            counts: BTreeMap::new(),
            terms: 0,
            shared_bytes: 0,
            first: Vec::new(),
            vanished: Vec::new(),
        }
    }

    /// Counts what was noticed in a text.
    pub fn gain(&mut self, remark: Remark) {
        remark
            .counts()
            .for_each(|(check, count)| *self.counts.entry(check).or_default() += count);
        self.terms += u64::from(remark.terms);
    }

    /// Counts it no more; says whether it was counted.
    pub fn lose(&mut self, remark: Remark) -> bool {
        let mut is_counted = true;
        let mut take = |count: &mut u64, lost: u64| match count.checked_sub(lost) {
            Some(left) => *count = left,
            None => is_counted = false,
        };
        remark
            .counts()
            .for_each(|(check, count)| take(self.counts.entry(check).or_default(), count));
        take(&mut self.terms, u64::from(remark.terms));
        self.counts.retain(|_, count| *count > 0);
        is_counted
    }

    /// Counts what others count.
    pub fn add(&mut self, others: &Self) {
        others
            .counts
            .iter()
            .for_each(|(check, count)| *self.counts.entry(*check).or_default() += count);
        self.terms += others.terms;
    }
}
