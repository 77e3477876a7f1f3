//! Digests: what happened to an account's sites since its last one. Mail is sent elsewhere.

mod slots;

pub use slots::fill;

use std::ops::Range;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::config::SiteConfig;
use crate::model::{Locale, Moment, SiteId};
use crate::run::month;
use crate::state::{DigestSubscription, Frequency, LocaleRun, Recipient, State, StateError};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

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
    /// From when on it says what happened.
    #[serde(serialize_with = "as_time")]
    pub since: Moment,
    /// One for each locale in which something happened.
    pub lines: Vec<DigestLine>,
    /// One for each site in which something happened.
    pub budgets: Vec<DigestBudget>,
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
    /// Words that stay in the source language now.
    pub untranslated: u64,
    /// Texts and pages that failed.
    pub failures: u64,
    /// Characters sent to engines.
    pub characters: u64,
    /// The line that somebody wrote about it.
    pub headline: Option<String>,
    /// More lines that somebody wrote about it.
    pub notes: Option<String>,
}

/// What a site may cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DigestBudget {
    /// The site.
    pub site: SiteId,
    /// Characters that were sent to engines this month.
    pub spent: u64,
    /// Characters that may still be sent this month, where that is limited.
    pub left: Option<u64>,
}

/// The digests that would be sent at `now`, sorted by account.
///
/// # Errors
/// A [`StateError`] when the state cannot be read.
pub fn due(sites: &[SiteConfig], state: &State, now: Moment) -> Result<Vec<Digest>, StateError> {
    let all = state.subscriptions()?.into_iter();
    let digests = all.map(|(account, subscription)| {
        between(account, subscription, sites, state, now, Moment::LAST)
    });
    digests.filter_map(Result::transpose).collect()
}

/// The digest that would be sent now to one account; nothing where it has no subscription, or one that is off.
///
/// # Errors
/// A [`StateError`] when the state cannot be read.
pub fn due_to(
    account: &str,
    sites: &[SiteConfig],
    state: &State,
    now: Moment,
) -> Result<Option<Digest>, StateError> {
    let own = state.subscription(account)?;
    own.map_or(Ok(None), |subscription| {
        between(
            account.to_owned(),
            subscription,
            sites,
            state,
            now,
            Moment::LAST,
        )
    })
}

/// The digest of an account at `now`, of what happened before `until`.
fn between(
    account: String,
    subscription: DigestSubscription,
    sites: &[SiteConfig],
    state: &State,
    now: Moment,
    until: Moment,
) -> Result<Option<Digest>, StateError> {
    let Some(since) = since(&subscription, &state.recipient(&account)?, now) else {
        return Ok(None);
    };
    let mut lines = Vec::new();
    let mut budgets = Vec::new();
    for site in sites.iter().filter(|site| subscription.sees(&site.id)) {
        let happened = lines_of(site, state, since..until)?;
        if !happened.is_empty() {
            let spent = state.spent(&site.id, month())?;
            let left = site
                .max_chars_per_month
                .map(|most| most.saturating_sub(spent));
            budgets.push(DigestBudget {
                site: site.id.clone(),
                spent,
                left,
            });
            lines.extend(happened);
        }
    }
    let DigestSubscription {
        email, frequency, ..
    } = subscription;
    Ok(Some(Digest {
        account,
        email,
        frequency,
        since,
        lines,
        budgets,
    }))
}

/// From when on an account is told what happened: since its last digest that was sent; where there is none yet that it wanted,
/// for a day or a week, and at least since it wants them.
fn since(subscription: &DigestSubscription, recipient: &Recipient, now: Moment) -> Option<Moment> {
    let period = match subscription.frequency {
        Frequency::Daily => DAY,
        Frequency::Weekly => WEEK,
        Frequency::Off => return None,
    };
    // Of subscriptions from before mail was sent it is not known since when they are wanted.
    let wanted = subscription.wanted.max(subscription.created);
    // A time to come is that of a clock that was wrong.
    let told = recipient.told.filter(|told| (wanted..=now).contains(told));
    Some(told.unwrap_or_else(|| wanted.min(now - period)))
}

fn lines_of(
    site: &SiteConfig,
    state: &State,
    time: Range<Moment>,
) -> Result<Vec<DigestLine>, StateError> {
    let summaries = state.summaries(&site.id)?;
    let line = |(locale, runs): (Locale, Vec<LocaleRun>)| {
        let recent = || runs.iter().filter(|run| time.contains(&run.at));
        let last = recent().next_back()?;
        let summary = summaries
            .iter()
            .find(|(known, _)| *known == locale)
            .and_then(|(_, known)| known.summary.as_ref());
        Some(DigestLine {
            site: site.id.clone(),
            locale,
            pages: last.pages,
            updated: recent().map(|run| run.updated).sum(),
            untranslated: last.words.untranslated,
            failures: recent().map(|run| run.failures).sum(),
            characters: recent().map(|run| run.characters_sent).sum(),
            headline: summary.and_then(|summary| summary.headline.clone()),
            notes: summary.and_then(|summary| summary.notes.clone()),
        })
    };
    let known = |(locale, _): &(Locale, _)| site.locales.contains(locale);
    Ok(state
        .locale_runs(&site.id)?
        .into_iter()
        .filter(known)
        .filter_map(line)
        .collect())
}

fn as_time<S: Serializer>(moment: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_millis((*moment).into()))
}
