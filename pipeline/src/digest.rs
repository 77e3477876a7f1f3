//! Digests: what happened to an account's sites since its last one. Sending them is somebody else's work.

use serde::Serialize;

use crate::config::SiteConfig;
use crate::model::{Locale, SiteId};
use crate::store::{Frequency, LocaleRun, State, StoreError, Subscription};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// What a digest says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    /// Whose it is.
    pub account: String,
    /// Where it would go.
    pub email: String,
    /// How often it is wanted.
    pub frequency: Frequency,
    /// One for each locale in which something happened.
    pub lines: Vec<DigestLine>,
}

/// What happened to a locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DigestLine {
    /// The site.
    pub site: SiteId,
    /// The locale.
    pub locale: Locale,
    /// Pages that exist in it now.
    pub pages: u64,
    /// Pages that became new or other.
    pub updated: u64,
    /// The line that somebody wrote about it.
    pub headline: Option<String>,
}

impl Digest {
    /// The time it is about, in words.
    pub fn period(&self) -> &'static str {
        match self.frequency {
            Frequency::Daily => "the last day",
            Frequency::Weekly => "the last week",
            Frequency::Off => "never",
        }
    }
}

/// The digests that would be sent now, at `now` milliseconds since 1970, sorted by account.
///
/// # Errors
/// A [`StoreError`] when the state cannot be read.
pub fn due(sites: &[SiteConfig], state: &State, now: u64) -> Result<Vec<Digest>, StoreError> {
    let all = state.subscriptions()?.into_iter();
    let digests = all.map(|(account, subscription)| next(account, subscription, sites, state, now));
    digests.filter_map(Result::transpose).collect()
}

/// The digest that would be sent now to one account; nothing where it has no subscription, or one that is off.
///
/// # Errors
/// A [`StoreError`] when the state cannot be read.
pub fn due_to(account: &str, sites: &[SiteConfig], state: &State, now: u64) -> Result<Option<Digest>, StoreError> {
    let own = state.subscription(account)?;
    own.map_or(Ok(None), |subscription| next(account.to_owned(), subscription, sites, state, now))
}

fn next(
    account: String,
    subscription: Subscription,
    sites: &[SiteConfig],
    state: &State,
    now: u64,
) -> Result<Option<Digest>, StoreError> {
    let since = match subscription.frequency {
        Frequency::Daily => now.saturating_sub(DAY),
        Frequency::Weekly => now.saturating_sub(7 * DAY),
        Frequency::Off => return Ok(None),
    };
    let mut lines = Vec::new();
    for site in sites.iter().filter(|site| sees(&subscription, &site.id)) {
        lines.extend(lines_of(site, state, since)?);
    }
    let Subscription { email, frequency, .. } = subscription;
    Ok(Some(Digest { account, email, frequency, lines }))
}

fn sees(subscription: &Subscription, site: &SiteId) -> bool {
    subscription.sites.iter().any(|known| known == "*" || known == site.as_str())
}

fn lines_of(site: &SiteConfig, state: &State, since: u64) -> Result<Vec<DigestLine>, StoreError> {
    let summaries = state.summaries(&site.id)?;
    let headline = |locale: &Locale| {
        let (_, record) = summaries.iter().find(|(known, _)| known == locale)?;
        record.summary.as_ref()?.headline.clone()
    };
    let line = |(locale, runs): (Locale, Vec<LocaleRun>)| {
        let recent = || runs.iter().filter(|run| run.at >= since);
        let pages = recent().next_back()?.pages;
        let updated = recent().map(|run| run.updated).sum();
        let headline = headline(&locale);
        Some(DigestLine { site: site.id.clone(), locale, pages, updated, headline })
    };
    let known = |(locale, _): &(Locale, _)| site.locales.contains(locale);
    Ok(state.locale_runs(&site.id)?.into_iter().filter(known).filter_map(line).collect())
}
