//! A build: the only place that knows the order of things.
//!
//! crawl → extract → translate → render → publish. Everything that costs (fetched pages, translations) is durable
//! before the next step begins, so a run may be cut off at any line and run again. Translations are kept in the
//! database as each batch arrives: database first, because what an engine was paid for must never be paid twice,
//! while objects can always be rendered again. A page that fails keeps its previous version; it never stops the run.

mod cost;
mod deploy;
mod documents;
mod evaluate;
mod explain;
mod export;
mod extract;
mod guard;
mod journal;
mod keeper;
mod kept;
mod limit;
mod lines;
mod memory;
mod outcome;
mod own_files;
mod people;
mod publish;
mod rebuild;
mod references;
mod report;
mod republish;
mod sources;
mod sweeping;
mod targets;
mod translate;

pub use cost::{LocalePlan, PlanReport, PricedCost, plan};
pub use evaluate::{Evaluation, Examination, Mark, examine};
pub use explain::{
    Explained, Explanation, InLocale, KeptText, OutdatedText, Standing, TextOrigin, TextSource, Why, explain,
};
pub use export::{Untranslated, export_po};
pub use journal::{Performed, perform, stopped};
pub use limit::{Limit, month};
pub use rebuild::{Rebuilt, rebuild};
pub use report::{Changed, ChangedWords, KeptPage, LocaleReport, Refused, Report, TermCount, Trouble, Warned, Words};
pub(crate) use sources::headers;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{SiteConfig, Source};
use crate::counted::counted;
use crate::crawl::CrawlError;
use crate::exchange::{Glossary, GlossaryError, MemoryLinesError, PoError, SlugsError};
use crate::model::{Locale, PagePath, RunId, Selection};
use crate::publish::{Lock, Objects, PublishError, Published};
use crate::site_files::{TemplateError, Templates};
use crate::store::{SourceKind, SourceRecord, Stage, State, StoreError};
use crate::translate::Meter;
use deploy::Made;
use targets::{Target, Targets, keep_on};

/// What a build is asked to do.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Locales for which engines may be asked; empty means all. The others are made of what people and the memory
    /// have, so that every reference between locales stays right.
    pub locales: Vec<Locale>,
    /// Neither fetches nor translates: renders what is there.
    pub offline: bool,
    /// Fails rather than translate anything.
    pub frozen: bool,
    /// Translates anew what the memory holds from engines.
    pub force: bool,
    /// Most characters that may be sent to engines; more is refused before anything is sent.
    pub max_characters: Option<u64>,
    /// Publishes also where no text at all is translated: a switch was turned, and pages must not name it wrongly.
    pub must_publish: bool,
    /// The pages that may change; the others stay as they are, absent ones too.
    pub pages: Selection,
    /// Pages worked on at the same time.
    pub jobs: NonZeroUsize,
    /// Deployments that are kept.
    pub keep_deployments: usize,
    /// Whether the source is held against the last accepted one.
    pub trust: Trust,
    /// Counts what engines are asked.
    pub meter: Meter,
}

/// How far what the source says is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Too large a loss, or a flood of pages, is held back.
    #[default]
    Judged,
    /// The same, but what a run saw is accepted.
    Accepted {
        /// The run that found its source suspect.
        run: RunId,
        /// The run that accepts it: this one.
        by: RunId,
    },
    /// Whatever it says, because somebody looks at the result.
    Always,
}

/// Where a build keeps what it makes.
#[derive(Clone, Debug)]
pub struct Stores {
    /// Pages.
    pub objects: Objects,
    /// Facts.
    pub state: Arc<State>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The part of the work.
    pub stage: Stage,
    /// The locale, where a stage goes through one after the other.
    pub locale: Option<&'a Locale>,
    /// How many things of this stage and locale are done.
    pub done: usize,
    /// How many there are, where that is known; it may still grow.
    pub total: Option<usize>,
}

/// Receives how far a build is.
pub type Progress<'a> = dyn Fn(&Step<'_>) + Send + Sync + 'a;

/// Why a build ended without a site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The source cannot be had.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The object store failed; the previous deployment is untouched.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of reviewed translations cannot be read.
    #[error(transparent)]
    Po(#[from] PoError),
    /// A memory file cannot be read or written.
    #[error(transparent)]
    MemoryLines(#[from] MemoryLinesError),
    /// A file of paths cannot be read or used.
    #[error(transparent)]
    Slugs(#[from] SlugsError),
    /// The glossary cannot be read.
    #[error(transparent)]
    Glossary(#[from] GlossaryError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// `--frozen`, and texts are not translated.
    #[error(
        "{} without a translation, and --frozen allows no engine calls; the first: {}",
        counted(missing.len(), "segment"), first(missing)
    )]
    Frozen {
        /// Locale and source text of each.
        missing: Vec<(Locale, String)>,
    },
    /// Engines would get more than was allowed.
    #[error(
        "engines would get {} ({}), and at most {} may be sent{}; nothing was sent",
        counted(*planned, "character"), list(by_locale), limit.left, limit.because
    )]
    Budget {
        /// What would be sent, in characters.
        planned: u64,
        /// What may be.
        limit: Limit,
        /// What would be sent for each locale.
        by_locale: Vec<(Locale, u64)>,
    },
    /// `--offline`, and there was no build before.
    #[error("nothing was crawled yet, so there is nothing to build offline; run a build without --offline first")]
    NothingStored,
    /// A file of request headers cannot be read.
    #[error("cannot use the header file {file}: {reason}; write one `Name: value` a line")]
    Headers {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Other builders were faster, again and again.
    #[error(
        "other builds of this site were faster {tries} times, so nothing was published; what was translated is kept: \
         build again when they are done"
    )]
    Overtaken {
        /// How often it was tried.
        tries: u32,
    },
    /// Somebody brought an earlier deployment back while the run worked.
    #[error(
        "while this build worked, deployment {deployment} brought an earlier one back, so nothing was published; what \
         was translated is kept: build again to replace it"
    )]
    RolledBack {
        /// The rollback.
        deployment: u64,
    },
    /// Part of the run panicked; a defect.
    #[error("a part of the build broke off: {0}; this is a defect in Latimer, please report it")]
    Broken(String),
}

impl RunError {
    /// Whether a disk was full, refused or is gone, so that the same run may do well later.
    pub fn is_of_the_disk(&self) -> bool {
        match self {
            Self::Store(error) => error.trouble().is_some(),
            Self::Publish(error) => error.is_full() || error.is_gone(),
            _ => false,
        }
    }
}

fn first(missing: &[(Locale, String)]) -> String {
    missing.first().map(|(locale, text)| format!("{text:?} ({locale})")).unwrap_or_default()
}

fn list(by_locale: &[(Locale, u64)]) -> String {
    by_locale.iter().map(|(locale, characters)| format!("{locale} {characters}")).collect::<Vec<_>>().join(", ")
}

/// Everything a build works with.
#[derive(Clone, Copy)]
struct Build<'a> {
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    progress: &'a Progress<'a>,
}

/// Builds one site and makes it the published one.
///
/// # Errors
/// A [`RunError`] when nothing can be published; the previous deployment then stays as it is. What merely could not
/// be fetched or translated is listed in the [`Report`].
pub async fn build(
    site: &SiteConfig,
    stores: &Stores,
    options: &BuildOptions,
    progress: &Progress<'_>,
) -> Result<Report, RunError> {
    let build = Build { site, stores, options, progress };
    // A wrong template is said before anything is fetched or paid for.
    Templates::load(site.templates.as_deref())?;
    build.check_slug_files()?;
    build.glossary()?;
    let mut report = Report::new(&site.id);
    // Held to the end: no sweep of another builder takes away what this run fetches and writes.
    let lock = Lock::share(&stores.objects, &site.id).await?;
    build.mend_switches(&mut report).await?;
    let previous = Published::standing(&stores.objects, &site.id, None).await?.published;
    let targets = build.locales(previous.as_ref()).await?;
    let sources = build.sources(previous.as_ref(), &mut report).await?;
    let corpus = build.extract(&sources, &mut report).await?;
    if !options.offline {
        build.remove_damaged(&sources, &corpus).await?;
    }
    // So is a path that another page has, before anything is paid for.
    build.paths(&corpus, previous.as_ref(), &mut report)?;
    let texts = build.translate(&corpus, &targets.all, &mut report).await?;
    let began = previous.as_ref().map_or(0, Published::deployment);
    build.deploy(Made { sources, corpus, texts, targets }, began, lock, &mut report).await?;
    Ok(report)
}

impl Build<'_> {
    /// How the site wants terms translated.
    fn glossary(&self) -> Result<Glossary, GlossaryError> {
        let open = |file: &PathBuf| Glossary::open(file, &self.site.source_locale);
        self.site.glossary.as_ref().map_or_else(|| Ok(Glossary::default()), open)
    }

    fn step(&self, stage: Stage, done: usize, total: Option<usize>) {
        (self.progress)(&Step { stage, locale: None, done, total });
    }

    /// A folder's own pages are published too; those of a site on the web stay where they are.
    fn publishes_source(&self) -> bool {
        matches!(self.site.source, Source::Folder(_))
    }
}

/// The source as this build sees it.
#[derive(Clone, Debug, Default)]
struct Sources {
    records: BTreeMap<PagePath, SourceRecord>,
    redirects: BTreeMap<PagePath, crate::publish::Redirect>,
    carried: Carried,
}

/// What this run did not take from the source itself, so that another builder's version is as good, and a later one better.
#[derive(Clone, Debug, Default)]
struct Carried {
    /// Pages and files that stay as they were, and such as could not be taken or were held back.
    paths: BTreeSet<PagePath>,
    /// Whether what the run does not have may be there all the same: it asked nobody, or does not believe the answer.
    absent: bool,
}

impl Sources {
    fn of_kind(&self, kind: SourceKind) -> impl Iterator<Item = (&PagePath, &SourceRecord)> {
        self.records.iter().filter(move |(_, record)| record.kind == kind)
    }

    /// Keeps what was known of a path, which this run did not take from the source.
    fn carry(&mut self, path: &PagePath, record: &SourceRecord) {
        self.records.insert(path.clone(), record.clone());
        self.carried.paths.insert(path.clone());
    }

    /// What is published as it is, documents too.
    fn files(&self) -> impl Iterator<Item = (&PagePath, &SourceRecord)> {
        self.records.iter().filter(|(_, record)| record.kind != SourceKind::Page)
    }
}

/// Runs what computes or waits for the disk on the blocking pool.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, RunError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| RunError::Broken(error.to_string()))
}
