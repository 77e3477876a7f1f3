//! `sites.list` and `sites.get`: the sites, where each comes from and how far each language is.
//!
//! Folders of this machine are nobody's business outside it, so of a folder only its public address is shown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pipeline::config::{SiteConfig, SourceLocation};
use pipeline::model::{Locale, PagePath, without_user};
use pipeline::state::{PagesWords, PersonState, RunRecord, SwitchRecord};
use pipeline::store::{Encoding, FileFlaw, ServingSwitch, Tree};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::locale_words::LocaleWords;
use super::pages::Known;
use super::percent::percent;
use super::runs::LastRun;
use super::serve::{self, ServingStatus};
use super::settings::Settings;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;
use crate::public::integrity::Closeness;
use crate::public::sites;

/// A site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Site {
    site_id: String,
    managed_by: Manager,
    /// Whether it is built and served at all.
    enabled: bool,
    source: From,
    source_locale: String,
    /// Where its languages are found, with `{lang}` in the place of the language.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The deployment that is the site now.
    #[serde(skip_serializing_if = "Option::is_none")]
    active_deployment_id: Option<String>,
    locales: Vec<InLocale>,
    /// How the last run ended; absent before the first one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_run: Option<LastRun>,
    /// What a caller put, for a site that is managed by the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Settings>,
    /// Published files that are damaged, the first hundred; there when the request asked for a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<Vec<Damaged>>,
}

/// Who says what a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SiteManager")]
enum Manager {
    /// The configuration file; the site can only be read here.
    Config,
    /// Callers of the API.
    Api,
}

/// What else is wanted of a site.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Check the published files first: that they are there with their `sizes`, or their `bytes` too.
    #[serde(default)]
    verify: Option<Verify>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verify {
    Sizes,
    Bytes,
}

/// A published file that is not as it was published.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DamagedFile")]
struct Damaged {
    path: String,
    /// The language whose file it is; absent for a file that all share.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_lang: Option<String>,
    /// The compressed variant that is damaged; absent for the file itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["br", "gzip"]))]
    encoding: Option<&'static str>,
    #[schemars(extend("enum" = ["missing", "size", "bytes"]))]
    flaw: &'static str,
}

/// Where source pages come from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SiteSource")]
struct From {
    kind: Kind,
    /// The public address of the source language.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SiteSourceKind")]
enum Kind {
    /// A site that is crawled.
    Web,
    /// A folder on the server.
    Folder,
}

/// A language of a site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteLocale")]
struct InLocale {
    target_lang: String,
    /// What the switch says.
    serve_enabled: bool,
    serving_status: ServingStatus,
    completeness: Completeness,
    words: LocaleWords,
    /// Different texts for which a person's words wait: their codes are wrong, their source changed, or they are marked as fuzzy.
    to_review: u64,
    /// Number of edits of people that readers do not get yet.
    edits_to_publish: usize,
}

/// How far a language is, as the last finished run counted it.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Completeness {
    /// Pages that the last crawl found.
    discovered_pages: u64,
    /// Those of them on which nothing is left to translate.
    translated_pages: u64,
    /// The others.
    pending_pages: u64,
    /// The share of their words that is translated.
    #[schemars(range(min = 0, max = 100))]
    percentage: f64,
    status: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CompletenessStatus")]
enum Progress {
    NotStarted,
    Partial,
    Complete,
}

/// A site with what the state knows of it.
struct Standing {
    site: sites::KnownSite,
    known: Known,
    switches: BTreeMap<Locale, SwitchRecord>,
    runs: Vec<RunRecord>,
    /// Texts to review, by locale, as its last finished run counted them.
    to_review: BTreeMap<Locale, u64>,
    /// Edits that no build took, by locale.
    edits: BTreeMap<Locale, usize>,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);
/// Most damaged files that are named.
const MOST_DAMAGED: usize = 100;

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Site>>(),
    }
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema(),
    }
}

/// The schema of a site.
pub(super) fn schema() -> Schema {
    schema_of_answer::<Site>()
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let caller = call.caller()?;
    let sites = call.api.sites().list();
    let sites = sites
        .iter()
        .filter(|(id, _)| caller.sees(id))
        .map(|(_, site)| site.clone())
        .collect();
    let List { items, total } = page.cut(sites);
    let items = standing(call, items).await?;
    Reply::ok(&List {
        items: items.iter().map(|standing| shown(call, standing)).collect(),
        total,
    })
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Query { verify } = QUERY.query(call.query.as_deref())?;
    let site = call.site()?;
    let published = call.app.snapshot().published(&site.id).cloned();
    if let Some((verify, published)) = verify.zip(published.as_ref()) {
        let closeness = if verify == Verify::Sizes {
            Closeness::Sizes
        } else {
            Closeness::Bytes
        };
        call.app
            .integrity
            .check(call.app.objects(), published, closeness)
            .await?;
    }
    let known = call
        .api
        .sites()
        .get(&site.id)
        .ok_or(ApiError::SiteNotFound)?;
    let site = one(call, known).await?;
    let damage = published
        .map(|published| call.app.integrity.damage(&published))
        .unwrap_or_default();
    let damaged = verify.map(|_| damage.iter().take(MOST_DAMAGED).map(damaged).collect());
    Reply::ok(&Site { damaged, ..site })
}

/// An answer that shows a site.
pub(super) async fn describe(call: &Call<'_>, site: sites::KnownSite) -> Result<Reply, ApiError> {
    Reply::ok(&one(call, site).await?)
}

async fn one(call: &Call<'_>, site: sites::KnownSite) -> Result<Site, ApiError> {
    let standing = standing(call, vec![site]).await?;
    standing
        .first()
        .map(|standing| shown(call, standing))
        .ok_or(ApiError::SiteNotFound)
}

fn damaged(damage: &pipeline::store::Damage) -> Damaged {
    Damaged {
        path: damage.path.clone(),
        target_lang: match &damage.tree {
            Tree::Shared => None,
            Tree::Locale(locale) => Some(locale.to_string()),
        },
        encoding: damage.encoding.map(Encoding::token),
        flaw: match damage.flaw {
            FileFlaw::Missing => "missing",
            FileFlaw::Size => "size",
            FileFlaw::Bytes => "bytes",
        },
    }
}

async fn standing(
    call: &Call<'_>,
    sites: Vec<sites::KnownSite>,
) -> Result<Vec<Standing>, ApiError> {
    call.state(move |state| {
        let read = |site: sites::KnownSite| {
            let id = &site.config.id;
            let known = Known::read(state, id)?;
            let switches = state.switches(id)?;
            let runs = state.runs(id)?;
            let mut to_review = BTreeMap::new();
            let mut edits = BTreeMap::new();
            for (locale, runs) in state.locale_runs(id)? {
                if let Some(last) = runs.last() {
                    let later = state.edits_after(id, &locale, last.edits)?;
                    // Drafts wait for a review, not for a build.
                    let later = later
                        .iter()
                        .filter(|(_, edit)| edit.row.state != PersonState::Draft);
                    edits.insert(locale.clone(), later.count());
                    to_review.insert(locale, last.to_review);
                }
            }
            Ok(Standing {
                site,
                known,
                switches,
                runs,
                to_review,
                edits,
            })
        };
        sites.into_iter().map(read).collect()
    })
    .await
}

fn shown(
    call: &Call<'_>,
    Standing {
        site,
        known,
        switches,
        runs,
        to_review,
        edits,
    }: &Standing,
) -> Site {
    let (site, settings) = (&site.config, site.settings.as_deref());
    let snapshot = call.app.snapshot();
    let published = snapshot.published(&site.id);
    let in_locale = |locale: &Locale| {
        // Another builder may have turned it; what the store says wins over what the state remembers.
        let turned = published.and_then(|published| published.switches().get(locale));
        let turned = turned.map(|switch| switch == ServingSwitch::On);
        let switch = turned.or(switches.get(locale).map(|record| record.enabled));
        let deployed =
            published.filter(|published| published.settings().locales.contains_key(locale));
        let enabled = switch
            .or(deployed.map(|published| published.settings().is_on(locale)))
            .unwrap_or(true);
        InLocale {
            target_lang: locale.to_string(),
            serve_enabled: enabled,
            serving_status: serve::status(call, site, locale, enabled),
            completeness: completeness(known, known.words.get(locale)),
            words: words(known, known.words.get(locale)),
            to_review: to_review.get(locale).copied().unwrap_or_default(),
            edits_to_publish: edits.get(locale).copied().unwrap_or_default(),
        }
    };
    Site {
        site_id: site.id.to_string(),
        managed_by: if settings.is_some() {
            Manager::Api
        } else {
            Manager::Config
        },
        enabled: site.enabled,
        source: source(site),
        source_locale: site.source_locale.to_string(),
        url: site.url.as_ref().map(ToString::to_string),
        active_deployment_id: published.map(|published| published.id().to_string()),
        locales: site.locales.iter().map(in_locale).collect(),
        last_run: LastRun::of(runs),
        settings: settings.map(Settings::from),
        damaged: None,
    }
}

fn source(site: &SiteConfig) -> From {
    match &site.source {
        SourceLocation::Folder(_) => From {
            kind: Kind::Folder,
            url: site.source_url.clone(),
        },
        SourceLocation::Web(url) => From {
            kind: Kind::Web,
            url: Some(without_user(url.as_str()).into_owned()),
        },
    }
}

/// The words of the pages that the last crawl found.
fn words(known: &Known, words: Option<&PagesWords>) -> LocaleWords {
    let mut sum = LocaleWords::default();
    let Some(words) = words else { return sum };
    for path in &known.pages {
        if let Some(page) = words.get(path) {
            sum.add(LocaleWords::of(*page));
        }
    }
    sum
}

fn completeness(known: &Known, words: Option<&PagesWords>) -> Completeness {
    let of = |path: &PagePath| words.and_then(|words| words.get(path)).copied();
    let counted = || known.pages.iter().filter_map(of);
    let (translated, wanted) = counted().fold((0, 0), |sum, page| {
        (sum.0 + page.translated(), sum.1 + page.wanted)
    });
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let complete = number(counted().filter(|page| page.is_complete()).count());
    let discovered = number(known.pages.len());
    let pending = discovered - complete;
    let status = match (pending, translated) {
        (0, _) if discovered > 0 => Progress::Complete,
        (_, 0) => Progress::NotStarted,
        _ => Progress::Partial,
    };
    let percentage = match status {
        Progress::Complete => 100.0,
        Progress::NotStarted => 0.0,
        // Pages that were found and not yet counted have words too.
        Progress::Partial => percent(translated, wanted).min(99.9),
    };
    Completeness {
        discovered_pages: discovered,
        translated_pages: complete,
        pending_pages: pending,
        percentage,
        status,
    }
}
