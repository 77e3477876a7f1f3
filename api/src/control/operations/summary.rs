//! Translation summaries: what callers sent, and for what they did not send, what finished runs left.
//!
//! What was sent and what runs left are kept apart and brought together whenever a summary is read, so a run never
//! changes a field that was sent and nothing computed is ever stale.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use pipeline::model::{Locale, SiteId};
use pipeline::state::{Frequency, LocaleRun, SentSummary, SummaryRecord, WordsByOrigin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frequency::FrequencyWord;
use super::percent::percent;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// No control characters, and none that turn the direction of what follows (U+202A to U+202E).
const HEADLINE: &str = r"^[^\u0000-\u001F\u007F-\u009F\u202A-\u202E]*$";
/// The same, but for tabs and line ends.
const NOTES: &str = r"^([^\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]|\r\n)*$";

/// What is to be kept of a locale: how often its summary is wanted, the summary itself, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "TranslationSummaryRequest")]
struct Request {
    #[serde(default)]
    frequency: Option<FrequencyWord>,
    #[serde(default)]
    summary: Option<Sent>,
}

/// A summary; what is left out is computed from the runs in its range.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SentSummary")]
struct Sent {
    /// The name of the time it is about.
    #[serde(default)]
    #[schemars(length(min = 1, max = 32))]
    period: Option<String>,
    #[serde(default)]
    range_start: Option<Time>,
    #[serde(default)]
    range_end: Option<Time>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 9007199254740991_u64))]
    pages_translated: Option<u64>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 9007199254740991_u64))]
    pages_updated: Option<u64>,
    #[serde(default)]
    last_deployment_at: Option<Time>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 200), regex(pattern = HEADLINE))]
    headline: Option<String>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 4000), regex(pattern = NOTES))]
    notes: Option<String>,
}

/// What is kept now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TranslationSummaryAnswer")]
struct Kept {
    /// There when a summary was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summary>,
    preference: Preference,
}

/// How often a locale's summary is wanted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SummaryPreference")]
struct Preference {
    site_id: String,
    target_lang: String,
    frequency: FrequencyWord,
    created_at: Time,
    updated_at: Time,
}

/// The summaries of a site, one for each locale that has one, sorted by locale.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TranslationSummaryList")]
struct List {
    summaries: Vec<Summary>,
}

/// The summary of a locale.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "TranslationSummary")]
struct Summary {
    id: String,
    site_id: String,
    target_lang: String,
    period: String,
    range_start: Time,
    range_end: Time,
    /// Pages that have words in the locale's language.
    pages_translated: u64,
    /// Pages whose words in that language changed in the range.
    pages_updated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_deployment_at: Option<Time>,
    created_at: Time,
    updated_at: Time,
    /// Only with `view=full`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    full: Option<Full>,
}

/// More about a locale.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Full {
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    /// Runs in the range, oldest first.
    history: Vec<Past>,
    /// Words of all pages by where their translation comes from, as the last run left them.
    words: Words,
    /// Characters sent to engines in the range.
    characters_sent: u64,
    /// Texts and pages that failed in the last run.
    failures: u64,
    /// Words that are translated, of those that need a translation, 0 to 100.
    percent_complete: f64,
}

/// A run, as a locale saw it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RunOfLocale")]
struct Past {
    run_id: String,
    finished_at: Time,
    pages_translated: u64,
    pages_updated: u64,
    characters_sent: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WordsByOrigin")]
struct Words {
    person: u64,
    memory: u64,
    engine: u64,
    untranslated: u64,
}

/// How much is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default)]
    view: Option<View>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SummaryView")]
enum View {
    Full,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);
static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<List>(),
    }
}

pub(super) fn schemas_of_put() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Kept>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Query { view } = QUERY.query(call.query.as_deref())?;
    let site = call.site()?;
    let of = site.id.clone();
    let (records, runs) = call
        .state(move |state| Ok((state.summaries(&of)?, state.locale_runs(&of)?)))
        .await?;
    let records: BTreeMap<Locale, SummaryRecord> = records.into_iter().collect();
    // A locale that was taken out of the configuration is none of the site's any more.
    let configured: BTreeSet<&Locale> = site.locales.iter().collect();
    let locale = |locale: &Locale| Facts {
        site: &site.id,
        locale: locale.clone(),
        record: records.get(locale),
        runs: runs.get(locale).map(Vec::as_slice).unwrap_or_default(),
        now: call.now(),
    };
    let summaries = configured
        .into_iter()
        .map(locale)
        .filter_map(|facts| facts.summary(view))
        .collect();
    Reply::ok(&List { summaries })
}

pub(super) async fn put(call: &Call<'_>) -> Result<Reply, ApiError> {
    let mut request = FORM.read(&call.body)?;
    request
        .summary
        .as_mut()
        .map_or(Ok(()), Sent::make_readable)?;
    let site = call.site()?;
    let locale = call.locale()?;
    let sent = request.summary.map(SentSummary::from);
    let with_summary = sent.is_some();
    let of = site.id.clone();
    let to = locale.clone();
    let now = call.now().to_keep();
    let frequency = request.frequency.map(Frequency::from);
    let (record, runs) = call
        .state(move |state| {
            let record = state.put_summary(&of, &to, frequency, sent, now)?;
            Ok((
                record,
                state.locale_runs(&of)?.remove(&to).unwrap_or_default(),
            ))
        })
        .await?;
    let facts = Facts {
        site: &site.id,
        locale: locale.clone(),
        record: Some(&record),
        runs: &runs,
        now: call.now(),
    };
    Reply::ok(&Kept {
        summary: facts.summary(None).filter(|_| with_summary),
        preference: Preference {
            site_id: site.id.to_string(),
            target_lang: locale.to_string(),
            frequency: record.frequency.into(),
            created_at: Time::kept(record.created),
            updated_at: Time::kept(record.updated),
        },
    })
}

impl Sent {
    /// Brings line ends to one form, and refuses a text that would turn the direction of what stands after it.
    fn make_readable(&mut self) -> Result<(), ApiError> {
        if let Some(notes) = self.notes.as_mut().filter(|notes| notes.contains('\r')) {
            *notes = notes.replace("\r\n", "\n");
        }
        for (path, text) in [
            ("summary.headline", &self.headline),
            ("summary.notes", &self.notes),
        ] {
            if !text.as_deref().is_none_or(has_balanced_isolates) {
                return Err(one(
                    path,
                    "invalid_value",
                    "begins or ends an isolate (U+2066 to U+2069) without the other",
                ));
            }
        }
        Ok(())
    }
}

fn has_balanced_isolates(text: &str) -> bool {
    let depth = text.chars().try_fold(0_usize, |depth, c| match c {
        '\u{2066}'..='\u{2068}' => Some(depth + 1),
        '\u{2069}' => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth == Some(0)
}

impl From<Sent> for SentSummary {
    fn from(sent: Sent) -> Self {
        Self {
            period: sent.period,
            range_start: sent.range_start.map(|time| time.0),
            range_end: sent.range_end.map(|time| time.0),
            pages_translated: sent.pages_translated,
            pages_updated: sent.pages_updated,
            last_deployment: sent.last_deployment_at.map(|time| time.0),
            headline: sent.headline,
            notes: sent.notes,
            ..Self::default()
        }
    }
}

/// All that is known of a locale.
struct Facts<'a> {
    site: &'a SiteId,
    locale: Locale,
    record: Option<&'a SummaryRecord>,
    /// Oldest first.
    runs: &'a [LocaleRun],
    now: Time,
}

impl Facts<'_> {
    /// The locale's summary; nothing if none was sent and no run finished.
    fn summary(&self, view: Option<View>) -> Option<Summary> {
        let sent = self.record.and_then(|record| record.summary.as_ref());
        let first = self.runs.first().map(at);
        let last = self.runs.last().map(at);
        let created = sent
            .map(|sent| Time::kept(sent.created))
            .into_iter()
            .chain(first)
            .min()?;
        let updated = sent
            .map(|sent| Time::kept(sent.updated))
            .into_iter()
            .chain(last)
            .max()?;
        let none = SentSummary::default();
        let sent = sent.unwrap_or(&none);
        let (period, length) = match self.record.map(|record| record.frequency) {
            Some(Frequency::Daily) => ("daily", DAY),
            Some(Frequency::Weekly | Frequency::Off) | None => ("weekly", 7 * DAY),
        };
        let end = sent.range_end.map_or_else(
            || self.now.max(sent.range_start.map_or(self.now, Time)),
            Time,
        );
        let start = sent.range_start.map_or_else(|| end.before(length), Time);
        let until: Vec<&LocaleRun> = self.runs.iter().filter(|run| at(run) <= end).collect();
        let within: Vec<&LocaleRun> = until
            .iter()
            .filter(|run| at(run) >= start)
            .copied()
            .collect();
        let deployed = until
            .iter()
            .rev()
            .find(|run| run.deployed)
            .map(|run| at(run));
        Some(Summary {
            // There is one for each locale, so site and locale name it.
            id: format!("{}:{}", self.site, self.locale),
            site_id: self.site.to_string(),
            target_lang: self.locale.to_string(),
            period: sent.period.clone().unwrap_or_else(|| period.to_owned()),
            range_start: start,
            range_end: end,
            pages_translated: sent
                .pages_translated
                .unwrap_or_else(|| until.last().map_or(0, |run| run.pages)),
            pages_updated: sent
                .pages_updated
                .unwrap_or_else(|| within.iter().map(|run| run.updated).sum()),
            last_deployment_at: sent.last_deployment.map(Time).or(deployed),
            created_at: created,
            updated_at: updated,
            full: view.map(|View::Full| full(sent, &within, until.last().copied())),
        })
    }
}

fn full(sent: &SentSummary, within: &[&LocaleRun], last: Option<&LocaleRun>) -> Full {
    let WordsByOrigin {
        person,
        memory,
        engine,
        untranslated,
    } = last.map(|run| run.words).unwrap_or_default();
    let translated = person + memory + engine;
    let past = |run: &&LocaleRun| Past {
        run_id: run.run.to_string(),
        finished_at: at(run),
        pages_translated: run.pages,
        pages_updated: run.updated,
        characters_sent: run.characters_sent,
    };
    Full {
        headline: sent.headline.clone(),
        notes: sent.notes.clone(),
        history: within.iter().map(past).collect(),
        words: Words {
            person,
            memory,
            engine,
            untranslated,
        },
        characters_sent: within.iter().map(|run| run.characters_sent).sum(),
        failures: last.map_or(0, |run| run.failures),
        percent_complete: percent(translated, translated + untranslated),
    }
}

fn at(run: &LocaleRun) -> Time {
    Time::kept(run.at)
}
