//! What happens to a site that its owner may be told of, and the body that says so.
//!
//! It is one file because the kinds, their bodies and how these are cut are one table that receivers rely on.
//!
//! A body is made once, when it is written down, and never again: its bytes are what is signed. It has at most 20 KB; lists
//! are cut, and their totals say how long they were.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Locale, Moment, SiteId};

/// The most entries of a list.
const MOST: usize = 100;
/// The most bytes of all paths of a list.
const MOST_BYTES: usize = 8_000;
/// The most characters of an error's message.
const LONGEST_MESSAGE: usize = 1_000;

/// What may happen.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum EventType {
    /// A run ended as it should.
    #[serde(rename = "run.completed")]
    RunCompleted,
    /// A run failed, or was cancelled.
    #[serde(rename = "run.failed")]
    RunFailed,
    /// Readers get a new deployment.
    #[serde(rename = "deployment.published")]
    DeploymentPublished,
    /// Readers get an earlier deployment again.
    #[serde(rename = "deployment.rolled_back")]
    DeploymentRolledBack,
    /// A language was switched on or off.
    #[serde(rename = "locale.serving_changed")]
    LocaleServingChanged,
    /// There are translations that nobody reviewed.
    #[serde(rename = "review.needed")]
    ReviewNeeded,
    /// A run would have cost more than it may.
    #[serde(rename = "budget.exceeded")]
    BudgetExceeded,
    /// A source lost or gained too much at once.
    #[serde(rename = "source.suspect")]
    SourceSuspect,
    /// A preview of one of the site's pages can be seen.
    #[serde(rename = "preview.ready")]
    PreviewReady,
    /// A preview of one of the site's pages could not be made.
    #[serde(rename = "preview.failed")]
    PreviewFailed,
    /// Somebody tried an endpoint.
    #[serde(rename = "webhook.test")]
    WebhookTest,
    /// Another endpoint of the site gets nothing any more, because it kept failing.
    #[serde(rename = "webhook.disabled")]
    WebhookDisabled,
}

impl EventType {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::RunCompleted,
        Self::RunFailed,
        Self::DeploymentPublished,
        Self::DeploymentRolledBack,
        Self::LocaleServingChanged,
        Self::ReviewNeeded,
        Self::BudgetExceeded,
        Self::SourceSuspect,
        Self::PreviewReady,
        Self::PreviewFailed,
        Self::WebhookTest,
        Self::WebhookDisabled,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunCompleted => "run.completed",
            Self::RunFailed => "run.failed",
            Self::DeploymentPublished => "deployment.published",
            Self::DeploymentRolledBack => "deployment.rolled_back",
            Self::LocaleServingChanged => "locale.serving_changed",
            Self::ReviewNeeded => "review.needed",
            Self::BudgetExceeded => "budget.exceeded",
            Self::SourceSuspect => "source.suspect",
            Self::PreviewReady => "preview.ready",
            Self::PreviewFailed => "preview.failed",
            Self::WebhookTest => "webhook.test",
            Self::WebhookDisabled => "webhook.disabled",
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum WebhookEvent {
    /// A run ended as it should.
    RunCompleted(RunEnded),
    /// A run failed, or was cancelled.
    RunFailed(RunEnded),
    /// Readers get a new deployment.
    DeploymentPublished(Deployed),
    /// Readers get an earlier deployment again.
    DeploymentRolledBack(Deployed),
    /// A language was switched on or off.
    LocaleServingChanged(LocaleSwitched),
    /// There are translations that nobody reviewed.
    ReviewNeeded(ReviewNeeded),
    /// A run would have cost more than it may.
    BudgetExceeded(BudgetExceeded),
    /// A source lost or gained too much at once.
    SourceSuspect(Suspect),
    /// A preview can be seen.
    PreviewReady(PreviewEnded),
    /// A preview could not be made.
    PreviewFailed(PreviewEnded),
    /// Somebody tried an endpoint.
    WebhookTest(WebhookTest),
    /// Another endpoint of the site gets nothing any more.
    WebhookDisabled(WebhookDisabled),
}

/// The body of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Told<T> {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// When it was written down, which is when it happened.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// What there is to know of it.
    pub data: Said<T>,
}

/// What there is to know of what happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Said<T> {
    /// The site.
    pub site_id: String,
    /// Counts what happened to the site, without gaps; messages may arrive in another order. A `webhook.test` has the
    /// number of what happened last.
    pub sequence: u64,
    /// The rest.
    #[serde(flatten)]
    pub more: T,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEnded {
    /// The run.
    pub run_id: String,
    /// `build`, `render`, `plan` or `publish`.
    pub kind: String,
    /// Each language, at most 100.
    pub locales: Vec<EventLocale>,
    /// How many languages there are.
    pub locales_total: usize,
    /// Characters that were sent to engines.
    pub characters_sent: u64,
    /// The deployment that was the site afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment_id: Option<String>,
    /// When it ended.
    #[schemars(extend("format" = "date-time"))]
    pub finished_at: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
}

/// A language after a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct EventLocale {
    /// The language.
    pub target_lang: String,
    /// Pages of the source.
    pub pages_total: u64,
    /// Pages that have words in the language.
    pub pages_completed: u64,
    /// Texts and pages that failed.
    pub pages_failed: u64,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunError {
    /// The kind of failure, as in the run's `failures`.
    pub code: String,
    /// The failure, for people; at most 1,000 characters.
    pub message: String,
}

/// What readers get now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deployed {
    /// The deployment.
    pub deployment_id: String,
    /// Its number.
    pub number: u64,
    /// The languages that are served with it.
    pub locales: Vec<String>,
    /// Files that differ from those of the deployment before, in all languages.
    pub objects_written: u64,
    /// The paths of such pages, at most 100.
    pub paths: Vec<String>,
    /// How many such pages there are.
    pub paths_total: usize,
}

/// A language that was switched on or off.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocaleSwitched {
    /// The language.
    pub target_lang: String,
    /// What the switch says now.
    pub serve_enabled: bool,
    /// Whether readers get it, as the API says it.
    pub serving_status: String,
    /// The subject of the token that switched it; `command line` or `elsewhere` where no token of this server did.
    pub by: String,
}

impl LocaleSwitched {
    /// Who switches without a token.
    pub const COMMAND_LINE: &'static str = "command line";
    /// Who switches by another server or builder of the same store.
    pub const ELSEWHERE: &'static str = "elsewhere";

    /// A switch that nothing more is known of than what it says.
    pub fn new(locale: &Locale, on: bool, by: &str) -> Self {
        let serving_status = if on { "ready" } else { "disabled" }.to_owned();
        Self {
            target_lang: locale.to_string(),
            serve_enabled: on,
            serving_status,
            by: by.to_owned(),
        }
    }
}

/// Translations that nobody reviewed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewNeeded {
    /// The language.
    pub target_lang: String,
    /// The run that found them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Reviewed translations whose text has changed since.
    pub outdated: u64,
    /// Texts that engines translated in the run.
    pub machine: u64,
    /// Translations of which there are two; always 0 today.
    pub conflicts: u64,
    /// Translations that are not finished; always 0 today.
    pub drafts: u64,
}

/// A budget that would have been exceeded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetExceeded {
    /// The month in UTC, such as `Nov 2026`.
    pub month: String,
    /// Characters that the site may send in a month; absent where another budget was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Characters that the site has sent in it.
    pub spent: u64,
    /// The run.
    pub run_id: String,
}

/// A source that lost or gained too much at once.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspect {
    /// The run that found out; accepting it accepts the source.
    pub run_id: String,
    /// Some of the pages, at most 100.
    pub paths: Vec<String>,
    /// How many pages there are.
    pub total: u64,
    /// What is wrong, for people.
    pub reason: String,
}

/// A preview that can be seen or could not be made.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewEnded {
    /// The preview.
    pub preview_id: String,
    /// Where it is seen, on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
}

/// That somebody tried an endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookTest {
    /// The endpoint.
    pub webhook_id: String,
}

/// An endpoint that gets nothing any more.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDisabled {
    /// The endpoint.
    pub webhook_id: String,
    /// The reason.
    pub reason: DisabledBecause,
}

/// Why an endpoint gets nothing any more although nobody switched it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisabledBecause {
    /// It answered 410.
    Gone,
    /// Nothing succeeded for five days.
    Failing,
}

impl WebhookEvent {
    /// What kind it is.
    pub fn kind(&self) -> EventType {
        match self {
            Self::RunCompleted(_) => EventType::RunCompleted,
            Self::RunFailed(_) => EventType::RunFailed,
            Self::DeploymentPublished(_) => EventType::DeploymentPublished,
            Self::DeploymentRolledBack(_) => EventType::DeploymentRolledBack,
            Self::LocaleServingChanged(_) => EventType::LocaleServingChanged,
            Self::ReviewNeeded(_) => EventType::ReviewNeeded,
            Self::BudgetExceeded(_) => EventType::BudgetExceeded,
            Self::SourceSuspect(_) => EventType::SourceSuspect,
            Self::PreviewReady(_) => EventType::PreviewReady,
            Self::PreviewFailed(_) => EventType::PreviewFailed,
            Self::WebhookTest(_) => EventType::WebhookTest,
            Self::WebhookDisabled(_) => EventType::WebhookDisabled,
        }
    }

    /// The body that says it of a site, and that it happened at `at`.
    ///
    /// # Errors
    /// None that can happen: what is said has only keys that JSON has.
    pub(crate) fn body(
        &self,
        site: &SiteId,
        sequence: u64,
        at: Moment,
    ) -> serde_json::Result<String> {
        let about = EventHeader {
            kind: self.kind(),
            site,
            sequence,
            at,
        };
        match self {
            Self::RunCompleted(more) | Self::RunFailed(more) => about.body(more),
            Self::DeploymentPublished(more) | Self::DeploymentRolledBack(more) => about.body(more),
            Self::LocaleServingChanged(more) => about.body(more),
            Self::ReviewNeeded(more) => about.body(more),
            Self::BudgetExceeded(more) => about.body(more),
            Self::SourceSuspect(more) => about.body(more),
            Self::PreviewReady(more) | Self::PreviewFailed(more) => about.body(more),
            Self::WebhookTest(more) => about.body(more),
            Self::WebhookDisabled(more) => about.body(more),
        }
    }
}

struct EventHeader<'a> {
    kind: EventType,
    site: &'a SiteId,
    sequence: u64,
    at: Moment,
}

impl EventHeader<'_> {
    fn body<T: Serialize>(&self, more: &T) -> serde_json::Result<String> {
        let data = Said {
            site_id: self.site.to_string(),
            sequence: self.sequence,
            more,
        };
        serde_json::to_string(&Told {
            kind: self.kind,
            timestamp: time(self.at),
            data,
        })
    }
}

impl RunEnded {
    /// The same with lists and texts that are not too long.
    #[must_use]
    pub(crate) fn cut(mut self) -> Self {
        self.locales.truncate(MOST);
        if let Some(error) = &mut self.error {
            error.message = error.message.chars().take(LONGEST_MESSAGE).collect();
        }
        self
    }
}

impl Deployed {
    /// Locales and paths that are not too many.
    pub(crate) fn new(
        id: String,
        number: u64,
        locales: Vec<String>,
        objects: u64,
        paths: &BTreeSet<String>,
    ) -> Self {
        let cut = cut_paths(paths.iter().cloned());
        let locales = locales.into_iter().take(MOST).collect();
        Self {
            deployment_id: id,
            number,
            locales,
            objects_written: objects,
            paths: cut,
            paths_total: paths.len(),
        }
    }
}

impl ReviewNeeded {
    /// What a run found in a language, if that is anything.
    pub(crate) fn of(run: String, locale: &Locale, outdated: u64, machine: u64) -> Option<Self> {
        let target_lang = locale.to_string();
        (outdated + machine > 0).then_some(Self {
            target_lang,
            run_id: Some(run),
            outdated,
            machine,
            conflicts: 0,
            drafts: 0,
        })
    }
}

/// The first of some paths, as many as a message holds.
pub(crate) fn cut_paths(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut bytes = 0;
    let fits = |path: &String| {
        bytes += path.len();
        bytes <= MOST_BYTES
    };
    paths.take(MOST).take_while(fits).collect()
}

/// A time as RFC 3339 writes it.
pub(crate) fn time(at: Moment) -> String {
    humantime::format_rfc3339_millis(at.into()).to_string()
}

#[cfg(test)]
mod tests;
