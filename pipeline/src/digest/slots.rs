//! Writing digests down when it is time: one for each account and local date.

use std::time::Duration;

use serde_json::json;

use super::{Digest, between};
use crate::config::SiteConfig;
use crate::mail::{Schedule, Slot, Zone};
use crate::model::Moment;
use crate::state::{DigestSubscription, Frequency, MailKind, MailRecord, State, StateError};

/// A run's end is written down a moment after it; what is younger waits for the next digest.
const SETTLED: Duration = Duration::from_secs(60);

/// Takes each slot that is on at `now` and writes its digest down; where nothing happened, there is
/// none. Gives how many were written.
///
/// # Errors
/// A [`StateError`] when the state failed; slots that were taken before it are taken.
pub fn fill(
    sites: &[SiteConfig],
    state: &State,
    schedule: &Schedule,
    now: Moment,
) -> Result<usize, StateError> {
    let mut written = 0;
    for (account, subscription) in state.subscriptions()? {
        let Some(slot) = open_slot(state, schedule, &account, &subscription, now)? else {
            continue;
        };
        let updated = subscription.updated;
        let until = now - SETTLED;
        let digest = between(account.clone(), subscription, sites, state, now, until)?;
        let digest = digest.filter(|digest| !digest.lines.is_empty());
        let mail = digest.map(|digest| mail(&digest, &slot, until, now));
        if state.claim_slot(&account, updated, &slot, mail.as_ref())? {
            written += usize::from(mail.is_some());
        }
    }
    Ok(written)
}

/// The slot that is on for an account and that it has not had.
fn open_slot(
    state: &State,
    schedule: &Schedule,
    account: &str,
    subscription: &DigestSubscription,
    now: Moment,
) -> Result<Option<Slot>, StateError> {
    if subscription.frequency == Frequency::Off || !state.may_mail(account, &subscription.email)? {
        return Ok(None);
    }
    let recipient = state.recipient(account)?;
    let own = recipient
        .timezone
        .and_then(|name| name.parse::<Zone>().ok());
    let zone = own.as_ref().unwrap_or(&schedule.zone);
    let weekly = subscription.frequency == Frequency::Weekly;
    let Some(slot) = schedule.slot(zone, weekly, now) else {
        return Ok(None);
    };
    // Whoever says in the afternoon that they want digests gets none of the morning.
    let confirmed = state
        .address(account, &subscription.email)?
        .and_then(|known| known.confirmed)
        .unwrap_or_default();
    let is_after = slot.at >= subscription.wanted.max(confirmed);
    let is_open = recipient.slot.is_none_or(|taken| !slot.is_taken(&taken));
    Ok(Some(slot).filter(|_| is_after && is_open))
}

fn mail(digest: &Digest, slot: &Slot, until: Moment, now: Moment) -> MailRecord {
    let mut sites: Vec<&str> = digest.lines.iter().map(|line| line.site.as_str()).collect();
    sites.dedup();
    let of_site = |id: &&str| {
        let lines: Vec<_> = digest
            .lines
            .iter()
            .filter(|line| line.site.as_str() == *id)
            .collect();
        let budget = digest
            .budgets
            .iter()
            .find(|budget| budget.site.as_str() == *id);
        let left = budget.and_then(|budget| budget.left);
        json!({
            "id": id,
            "lines": lines,
            "spent": budget.map(|budget| budget.spent),
            "limited": left.is_some(),
            "left": left,
        })
    };
    let data = json!({
        "since": digest.since,
        "until": until,
        "names": sites.join(", "),
        "sites": sites.iter().map(of_site).collect::<Vec<_>>(),
    });
    let whose = &blake3::hash(digest.account.as_bytes()).to_hex()[..16];
    let id = format!("digest.{whose}.{}", slot.date);
    let mail = MailRecord::new(
        MailKind::Digest,
        Some(&digest.account),
        &digest.email,
        id,
        data,
        now,
    );
    MailRecord {
        until: Some(until),
        ..mail
    }
}

#[cfg(test)]
mod tests;
