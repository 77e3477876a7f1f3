//! The guard between the source and everything after it: a source that answers wrongly takes no page away.
//!
//! What a crawl brought is held against the last accepted source: the one that the state recorded, or, where the state
//! knows nothing or another builder published since, the one that the newest deployment was made of. A loss or flood
//! beyond the limits is held back: what was lost keeps its last version, what floods is neither published nor sent to an
//! engine, and everything else of the crawl goes through. So a bad crawl never becomes what the next one is held against.
//!
//! [`judge`] decides; the rest reads what it needs to know, and acts on it. Texts are read only of pages whose bytes changed.

mod judge;
pub(super) mod known;
mod links;
mod print;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::sources::{self, Sources, translated_prefixes};
use crate::config::{PathFilter, SiteConfig, SourceLocation};
use crate::model::{Doubt, Moment, PageParameters, PagePath, RunId, SourceSuspect};
use crate::run::clock::now;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::options::Trust;
use crate::run::report::build_report::FetchFailure;
use crate::state::{AcceptedSource, CrawlSettings, SourceKind, SourceRecord, SourceRows};
use judge::{Case, CrawlVerdict, Loss, PageFate, UnsentPages, judge};
use known::AcceptedBaseline;

/// How long a loss counts.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// Texts of error pages that are remembered.
const MOST_ERRORS: usize = 100;

/// What holding a crawl against the accepted source came to.
#[derive(Default)]
pub(in crate::run) struct Guarded {
    /// What the owner should know beside the suspicion.
    pub(in crate::run) notice: Option<String>,
    /// Pages that keep their last version.
    pub(in crate::run) kept: BTreeSet<PagePath>,
    /// Why part of the accepted source stays.
    pub(in crate::run) suspect: Option<SourceSuspect>,
}

/// Holds a crawl against the accepted source, keeps what it must not take away, and records what is accepted.
pub(in crate::run) async fn guard(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    sources: &mut Sources,
    (failures, truncated): (&[FetchFailure], bool),
) -> Result<Guarded, BuildError> {
    let settings = crawl_settings(build.site, truncated);
    let blank = AcceptedSource {
        settings: Some(settings),
        ..AcceptedSource::default()
    };
    let is_first = !known.is_published
        || !known
            .records
            .values()
            .any(|record| record.kind == SourceKind::Page);
    if is_first || build.options.trust == Trust::Always {
        accept(build, (known, sources), blank, None).await?;
        return Ok(Guarded::default());
    }
    let mut guarded = Guarded::default();
    let answers = UnsentPages::of(failures);
    let recent = known.recent(now());
    let case = gather_case(build, known, &recent, sources, &answers, truncated).await?;
    let verdict = judge(&case);
    if verdict.is_suspect()
        && let Trust::Accepted { run, by } = build.options.trust
    {
        if fingerprint_of(build, run)
            .await?
            .is_some_and(|seen| seen == verdict.fingerprint())
        {
            accept(build, (known, sources), blank, Some((run, by))).await?;
            return Ok(guarded);
        }
        guarded.notice = Some(format!(
            "the source changed since run {run} saw it, so it is judged anew"
        ));
    }
    let accepted = remember(recent, &case, &verdict, blank, now());
    if verdict.is_suspect() {
        let kept = hold_back(build, known, &case, &verdict, &answers, sources).await?;
        guarded.suspect = Some(found(&case, &verdict, &kept));
        guarded.kept = kept.pages;
    }
    accept(build, (known, sources), accepted, None).await?;
    Ok(guarded)
}

async fn accept(
    build: &Build<'_>,
    (known, sources): (&AcceptedBaseline, &Sources),
    accepted: AcceptedSource,
    accepting: Option<(RunId, RunId)>,
) -> Result<(), BuildError> {
    let rows = if known.are_recorded {
        let now = &sources.records;
        let before = &known.records;
        let is_other =
            |(path, record): &(&PagePath, &Arc<SourceRecord>)| before.get(*path) != Some(*record);
        let records: BTreeMap<_, _> = now
            .iter()
            .filter(is_other)
            .map(|(path, record)| (path.clone(), record.clone()))
            .collect();
        let gone: BTreeSet<_> = before
            .keys()
            .filter(|path| !now.contains_key(*path))
            .cloned()
            .collect();
        let is_same = records.is_empty() && gone.is_empty() && accepted == known.accepted;
        if is_same && accepting.is_none() {
            return Ok(());
        }
        SourceRows::Changed { records, gone }
    } else {
        SourceRows::All(sources.records.clone())
    };
    let id = build.site.id.clone();
    build
        .stores
        .with_state(move |state| state.accept_sources(&id, &rows, &accepted, accepting))
        .await
}

/// What a run saw, if it found that suspect and nobody accepted it yet.
async fn fingerprint_of(build: &Build<'_>, run: RunId) -> Result<Option<String>, BuildError> {
    let id = build.site.id.clone();
    let suspect = build
        .stores
        .with_state(move |state| state.run(&id, run))
        .await?
        .and_then(|run| run.suspect);
    Ok(suspect
        .filter(|suspect| suspect.accepted_by.is_none())
        .map(|suspect| suspect.fingerprint))
}

fn crawl_settings(site: &SiteConfig, truncated: bool) -> CrawlSettings {
    let (include, exclude) = site.paths.written();
    CrawlSettings {
        include: include.to_vec(),
        exclude: exclude.to_vec(),
        query: site.crawl.query.names().map(str::to_owned).collect(),
        translated: translated_prefixes(site),
        max_pages: site.crawl.max_pages,
        truncated,
    }
}

async fn gather_case(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    recent: &AcceptedSource,
    sources: &Sources,
    answers: &UnsentPages,
    truncated: bool,
) -> Result<Case, BuildError> {
    let is_page = |record: &SourceRecord| record.kind == SourceKind::Page;
    let scope = sources::scope(build.site);
    let pages = known
        .records
        .iter()
        .filter(|(path, record)| is_page(record) && scope.lets_in(path, record.kind));
    let mut fates = BTreeMap::new();
    for (path, record) in pages {
        let fate = match sources.records.get(path).filter(|now| is_page(now)) {
            Some(now) if now.hash == record.hash => PageFate::Same,
            Some(_) => PageFate::Changed {
                before: None,
                now: None,
            },
            None if answers.gone.contains(path) => PageFate::Gone,
            None => match sources.led_to(path) {
                Some(to) => PageFate::Redirected(to),
                None if truncated && !answers.missing.contains(path) => PageFate::Beyond,
                None => PageFate::Vanished,
            },
        };
        fates.insert(path.clone(), fate);
    }
    let was_let_out = recent
        .settings
        .as_ref()
        .map(|before| before.lets_out(&build.site.crawl));
    let is_new = |path: &PagePath| {
        !known.records.contains_key(path)
            && !recent.lost.contains_key(path)
            && !was_let_out
                .as_ref()
                .is_some_and(|was_let_out| was_let_out(path))
    };
    let new = sources
        .of_kind(SourceKind::Page)
        .map(|(path, _)| path)
        .filter(|path| is_new(path))
        .cloned();
    let is_away = |path: &&PagePath| {
        let is_there = sources
            .records
            .get(*path)
            .is_some_and(|record| is_page(record))
            || fates.contains_key(*path);
        !is_there && !answers.gone.contains(*path) && scope.lets_in(path, SourceKind::Page)
    };
    let mut case = Case {
        new: new.collect(),
        home: home_page(build.site),
        lost_before: recent.lost.keys().filter(is_away).count(),
        alike_before: BTreeMap::new(),
        errors: recent.errors.clone(),
        max_lost: build.site.crawl.max_lost,
        max_new: build.site.crawl.max_new,
        known: fates,
    };
    texts::read_texts(build, known, recent, sources, &mut case).await?;
    Ok(case)
}

fn home_page(site: &SiteConfig) -> PagePath {
    match &site.source {
        SourceLocation::Web(start) => PagePath::of_url(start),
        SourceLocation::Folder(_) => PagePath::of_file("index.html"),
    }
}

/// Puts back what the crawl must not take away, and takes out what it must not bring.
async fn hold_back(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    case: &Case,
    verdict: &CrawlVerdict,
    answers: &UnsentPages,
    sources: &mut Sources,
) -> Result<HeldBackPages, BuildError> {
    let mut kept = HeldBackPages::default();
    if verdict.floods {
        let documents = sources.of_kind(SourceKind::Document).map(|(path, _)| path);
        let documents: Vec<PagePath> = documents
            .filter(|path| !known.records.contains_key(*path))
            .cloned()
            .collect();
        kept.held_back
            .extend(verdict.new.iter().cloned().chain(documents));
        kept.pages.extend(
            case.known
                .iter()
                .filter(|(_, fate)| **fate == PageFate::Beyond)
                .map(|(path, _)| path.clone()),
        );
    }
    if verdict.loses_too_much {
        kept.pages.extend(verdict.lost.keys().cloned());
        kept.pages.extend(
            links::pages_that_lost_links(build, known, case, verdict, answers, sources).await?,
        );
        kept.held_back
            .extend(texts::new_errors(build, verdict, sources).await?);
    }
    kept.held_back
        .retain(|path| !known.records.contains_key(path));
    sources
        .records
        .retain(|path, _| !kept.held_back.contains(path));
    sources.carried.paths.extend(kept.held_back.iter().cloned());
    // Another builder may know pages that this source does not bring and that nobody here could miss.
    sources.carried.absent |= verdict.loses_too_much;
    for path in &kept.pages {
        sources.redirects.remove(path);
        if let Some(record) = known.records.get(path) {
            sources.carry(path, record);
        }
    }
    if !kept.pages.is_empty() {
        keep_files(build.site, known, answers, sources);
    }
    let leads_nowhere: Vec<PagePath> = sources.redirects.keys().cloned().collect();
    let leads_nowhere = leads_nowhere.into_iter().filter(|from| {
        sources
            .led_to(from)
            .is_some_and(|to| kept.held_back.contains(&to))
    });
    for from in leads_nowhere.collect::<Vec<_>>() {
        sources.redirects.remove(&from);
    }
    Ok(kept)
}

/// What pages need beside themselves stays with them: files that nothing names any more, and files in place of which
/// the origin sent a page.
fn keep_files(
    site: &SiteConfig,
    known: &AcceptedBaseline,
    answers: &UnsentPages,
    sources: &mut Sources,
) {
    let scope = sources::scope(site);
    let is_html = |record: &SourceRecord| *record.content_type == *"text/html";
    for (path, record) in known
        .records
        .iter()
        .filter(|(_, record)| record.kind != SourceKind::Page)
    {
        let is_lost = match sources.records.get(path) {
            Some(now) => is_html(now) && !is_html(record),
            None => !answers.gone.contains(path) && !sources.redirects.contains_key(path),
        };
        if is_lost && scope.lets_in(path, record.kind) {
            sources.carry(path, record);
        }
    }
    sources.carry_redirects(&known.redirects, &scope);
}

/// What was held back.
#[derive(Default)]
struct HeldBackPages {
    /// Pages that keep their last version.
    pages: BTreeSet<PagePath>,
    /// Unknown pages that were not taken.
    held_back: BTreeSet<PagePath>,
}

impl AcceptedBaseline {
    /// What counts of the last 24 hours.
    fn recent(&self, now: Moment) -> AcceptedSource {
        let mut recent = self.accepted.clone();
        let is_recent = |at: Moment| at + WINDOW > now;
        recent.lost.retain(|_, at| is_recent(*at));
        recent.alike.retain(|_, (at, _)| is_recent(*at));
        recent
    }
}

impl UnsentPages {
    fn of(failures: &[FetchFailure]) -> Self {
        let paths = |is: fn(&FetchFailure) -> bool| {
            failures
                .iter()
                .filter(|failure| is(failure))
                .map(|failure| failure.path.clone())
                .collect()
        };
        Self {
            missing: paths(FetchFailure::says_missing),
            gone: paths(FetchFailure::says_gone),
        }
    }
}

impl CrawlSettings {
    /// Says of a path whether these settings kept it out, where today's let it in. `max_pages` may have kept out any.
    fn lets_out(&self, today: &crate::config::CrawlConfig) -> impl Fn(&PagePath) -> bool {
        let filter = PathFilter::new(&self.include, &self.exclude).unwrap_or_default();
        let query = PageParameters::new(self.query.iter().cloned());
        let was_cut = self.truncated && self.max_pages < today.max_pages;
        let translated = self.translated.clone();
        move |path| {
            let is_ours = crate::crawl::is_translated(path, &translated);
            was_cut || is_ours || !filter.allows_page(path) || !query.allow(path)
        }
    }
}

/// What the next crawl is held against beside the sources.
fn remember(
    recent: AcceptedSource,
    case: &Case,
    verdict: &CrawlVerdict,
    blank: AcceptedSource,
    now: Moment,
) -> AcceptedSource {
    let mut next = AcceptedSource {
        settings: blank.settings,
        ..recent
    };
    next.lost
        .retain(|path, _| !case.known.contains_key(path) && !case.new.contains(path));
    next.alike
        .retain(|path, _| case.alike_before.contains_key(path));
    if verdict.loses_too_much {
        next.errors.extend(verdict.errors().cloned());
        while next.errors.len() > MOST_ERRORS {
            next.errors.pop_first();
        }
        return next;
    }
    for (path, loss) in &verdict.lost {
        match loss {
            Loss::Vanished | Loss::Redirected(_) => drop(next.lost.insert(path.clone(), now)),
            Loss::Alike(words) => drop(next.alike.insert(path.clone(), (now, words.clone()))),
        }
    }
    next
}

fn found(case: &Case, verdict: &CrawlVerdict, kept: &HeldBackPages) -> SourceSuspect {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let count =
        |is: fn(&Loss) -> bool| number(verdict.lost.values().filter(|loss| is(loss)).count());
    let doubt = |loss: &Loss| match loss {
        Loss::Vanished => Doubt::Vanished,
        Loss::Redirected(_) => Doubt::Redirected,
        Loss::Alike(_) => Doubt::EqualText,
    };
    let lost = verdict
        .lost
        .iter()
        .filter(|_| verdict.loses_too_much)
        .map(|(path, loss)| (path, doubt(loss)));
    let new = verdict
        .new
        .iter()
        .filter(|_| verdict.floods)
        .map(|path| (path, Doubt::New));
    SourceSuspect {
        code: SourceSuspect::CODE.to_owned(),
        known_pages: number(case.known.len()),
        vanished_pages: count(|loss| matches!(loss, Loss::Vanished)),
        redirected_pages: count(|loss| matches!(loss, Loss::Redirected(_))),
        equal_pages: count(|loss| matches!(loss, Loss::Alike(_))),
        lost_before: number(case.lost_before + case.alike_before.len()),
        max_lost: number(verdict.max_lost),
        new_pages: number(verdict.new.len()),
        max_new: number(verdict.max_new),
        kept_pages: number(kept.pages.len()),
        held_back_pages: number(kept.held_back.len()),
        examples: SourceSuspect::examples(lost.chain(new)),
        fingerprint: verdict.fingerprint(),
        accepted_by: None,
    }
}
