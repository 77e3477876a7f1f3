//! What is known of a page beside its texts, whether it was read in this build or in an earlier one.

use super::hosts::PageHosts;
use super::scripted::Scripted;
use crate::model::{Claims, Locale, PagePath};
use crate::page::Page;
use crate::state::{CachedFacts, CachedPage};

/// What is known of a page beside its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct CorpusFacts {
    /// Its scripts and policies, if scripts draw it or it has a policy.
    pub(in crate::run) scripted: Option<Scripted>,
    /// Whether it sends its readers elsewhere.
    pub(in crate::run) forwards: bool,
    /// The addresses that its head names.
    pub(in crate::run) claims: Claims,
    /// Fragments and framed pages that its links open.
    pub(in crate::run) opens: Vec<PagePath>,
    /// What is to be said where bytes make no sense.
    pub(in crate::run) broken: Option<String>,
    /// What is to be said where it is too much to look into.
    pub(in crate::run) left: Option<String>,
    /// A page that a link of it opens and `exclude` leaves out.
    pub(in crate::run) leads_out: Option<PagePath>,
    /// The language that it claims, if the owner keeps it as it is.
    pub(in crate::run) claimed: Option<Locale>,
    /// The language that it is in, where that is not the source's.
    pub(in crate::run) language: Option<Locale>,
    /// The locale in whose folder it lies, if its words do not tell which language it is in.
    pub(in crate::run) undecided: Option<Locale>,
    /// Whether it asks not to be translated.
    pub(in crate::run) refuses: bool,
    /// True if the page has letters in elements of their own.
    pub(in crate::run) letters: bool,
    /// True if the page lacks the element that `switcher.placement` names.
    pub(in crate::run) lacks_switcher: bool,
    /// The hosts that it names.
    pub(in crate::run) hosts: PageHosts,
    /// Addresses of files that stay as they are written in every language.
    pub(in crate::run) fixed: FixedAddresses,
}

/// Addresses of files that stay as they are written, although they count from the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct FixedAddresses {
    /// The page's `<base href>`.
    pub(in crate::run) base: Option<String>,
    pub(in crate::run) addresses: Vec<String>,
}

impl FixedAddresses {
    /// Fixed addresses of a page that comes with these policies, beside its own.
    pub(in crate::run) fn of(page: &Page, policies: &[&str]) -> Self {
        let addresses = page.fixed_addresses(policies);
        let base = page
            .base()
            .filter(|_| !addresses.is_empty())
            .map(str::to_owned);
        Self { base, addresses }
    }
}

impl CorpusFacts {
    /// Those of a page that was not read.
    pub(super) fn of_cached(page: &CachedPage) -> Self {
        let Some(facts) = &page.facts else {
            return Self::default();
        };
        let CachedFacts {
            policies,
            drawn,
            forwards,
            claims,
            claimed,
            opens,
            leads_out,
            refuses,
            letters,
            lacks_switcher,
            broken,
            left,
            host,
            hosts,
            mixed: _,
        } = CachedFacts::clone(facts);
        Self {
            scripted: Scripted::of_cached(policies, drawn),
            forwards,
            claims,
            opens,
            leads_out,
            broken,
            left,
            claimed,
            language: None,
            undecided: None,
            refuses,
            letters,
            lacks_switcher,
            hosts: PageHosts {
                own: host,
                links: hosts,
            },
            // A page with any does not stand.
            fixed: FixedAddresses::default(),
        }
    }

    /// The same where there is anything to know.
    pub(super) fn unless_default(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }

    /// True if the row of a cached page can hold these facts.
    pub(in crate::run) fn can_be_cached(&self) -> bool {
        self.language.is_none() && self.undecided.is_none() && self.fixed.addresses.is_empty()
    }
}
