//! Translation summaries: what callers sent, and for what they did not send, what the live deployment says.
//!
//! Computed fields are computed whenever a summary is read, so they are never stale and never touch what was sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use pipeline::model::{Locale, SiteId};
use pipeline::publish::{Published, Tree, deployments};
use pipeline::store::{Frequency, SentSummary, SummaryRecord};
use serde_json::{Value, json};

use super::{Call, FREQUENCIES, word, written};
use crate::error::ApiError;
use crate::form::{Form, millis, one};

const LONGEST_PERIOD: usize = 32;
const LONGEST_HEADLINE: usize = 200;
const LONGEST_NOTES: usize = 4000;
const DAY: u64 = 24 * 60 * 60 * 1000;

pub(super) async fn list(call: &Call<'_>, site: &SiteId) -> Result<Value, ApiError> {
    let of = site.clone();
    let records = call.state(move |state| state.summaries(&of)).await?;
    let live = Live::of(call, site).await?;
    // A locale that was taken out of the configuration is none of the site's any more.
    let known = |locale: &Locale| call.api.locales(site).is_some_and(|locales| locales.contains(locale));
    let records = records.iter().filter(|(locale, _)| known(locale));
    let summaries: Vec<Value> =
        records.filter_map(|(locale, record)| summary(site, locale, record, &live, call.now())).collect();
    Ok(json!({ "summaries": summaries }))
}

pub(super) async fn put(call: &Call<'_>, site: &SiteId, locale: &Locale) -> Result<Value, ApiError> {
    let (frequency, sent) = read(&call.body)?;
    let with_summary = sent.is_some();
    let (of, to, now) = (site.clone(), locale.clone(), call.now());
    let record = call.state(move |state| state.put_summary(&of, &to, frequency, sent, now)).await?;
    let preference = json!({
        "siteId": site,
        "targetLang": locale,
        "frequency": word(record.frequency),
        "createdAt": written(record.created),
        "updatedAt": written(record.updated),
    });
    if !with_summary {
        return Ok(json!({ "preference": preference }));
    }
    let live = Live::of(call, site).await?;
    Ok(json!({ "summary": summary(site, locale, &record, &live, now), "preference": preference }))
}

fn read(body: &[u8]) -> Result<(Option<Frequency>, Option<SentSummary>), ApiError> {
    let mut form = Form::parse(body)?;
    let frequency = form.word("frequency", &FREQUENCIES);
    let sent = form.object("summary", "summary.").map(|mut part| {
        let sent = SentSummary {
            period: part.text("period", LONGEST_PERIOD),
            range_start: part.time("rangeStart"),
            range_end: part.time("rangeEnd"),
            pages_translated: part.count("pagesTranslated"),
            pages_updated: part.count("pagesUpdated"),
            last_deployment: part.time("lastDeploymentAt"),
            headline: part.text("headline", LONGEST_HEADLINE),
            notes: part.text("notes", LONGEST_NOTES),
            ..SentSummary::default()
        };
        if matches!((sent.range_start, sent.range_end), (Some(start), Some(end)) if start > end) {
            part.wrong::<()>("rangeEnd", "invalid_range", "must not be before `summary.rangeStart`");
        }
        form.join(part);
        sent
    });
    form.finish().map_err(ApiError::Invalid)?;
    if frequency.is_none() && sent.is_none() {
        return Err(one("", "required", "send `frequency`, `summary` or both"));
    }
    Ok((frequency, sent))
}

/// What is published, and when each of its deployments was.
struct Live {
    published: Option<Arc<Published>>,
    created: BTreeMap<u64, u64>,
}

impl Live {
    async fn of(call: &Call<'_>, site: &SiteId) -> Result<Self, ApiError> {
        let Some(published) = call.app.snapshot().published(site).cloned() else {
            return Ok(Self { published: None, created: BTreeMap::new() });
        };
        // A deployment can be swept between the listing and the reading of it; the next listing is without it.
        let kept = match deployments(&call.app.objects, site).await {
            Ok(kept) => Ok(kept),
            Err(_) => deployments(&call.app.objects, site).await,
        };
        let kept = kept.map_err(|error| ApiError::Internal(error.to_string()))?;
        let time = |created: SystemTime| millis(created).unwrap_or_default();
        let created = kept.iter().map(|kept| (kept.commit.deployment, time(kept.created))).collect();
        Ok(Self { published: Some(published), created })
    }

    /// Deployments in which the pages of a locale were written, one for each page.
    fn pages(&self, locale: &Locale) -> Vec<u64> {
        let manifest = self.published.as_ref().and_then(|live| live.manifest(&Tree::Locale(locale.clone())));
        let entries = manifest.into_iter().flat_map(|manifest| manifest.objects.values());
        entries.filter(|entry| entry.content_type.starts_with("text/html")).map(|entry| entry.deployment).collect()
    }

    fn last(&self) -> Option<u64> {
        self.created.get(&self.published.as_ref()?.deployment()).copied()
    }
}

/// A summary as callers get it; nothing if none was sent.
fn summary(site: &SiteId, locale: &Locale, record: &SummaryRecord, live: &Live, now: u64) -> Option<Value> {
    let sent = record.summary.as_ref()?;
    let (period, length) = match record.frequency {
        Frequency::Daily => ("daily", DAY),
        Frequency::Weekly | Frequency::Off => ("weekly", 7 * DAY),
    };
    let end = sent.range_end.unwrap_or_else(|| now.max(sent.range_start.unwrap_or(now)));
    let start = sent.range_start.unwrap_or_else(|| end.saturating_sub(length));
    let pages = live.pages(locale);
    let in_range = |deployment: &&u64| live.created.get(*deployment).is_some_and(|at| (start..=end).contains(at));
    let updated = || pages.iter().filter(in_range).count() as u64;
    let mut value = json!({
        // There is one for each locale, so site and locale name it.
        "id": format!("{site}:{locale}"),
        "siteId": site,
        "targetLang": locale,
        "period": sent.period.as_deref().unwrap_or(period),
        "rangeStart": written(start),
        "rangeEnd": written(end),
        "pagesTranslated": sent.pages_translated.unwrap_or(pages.len() as u64),
        "pagesUpdated": sent.pages_updated.unwrap_or_else(updated),
        "createdAt": written(sent.created),
        "updatedAt": written(sent.updated),
    });
    if let Some(time) = sent.last_deployment.or_else(|| live.last()) {
        value["lastDeploymentAt"] = written(time);
    }
    Some(value)
}
