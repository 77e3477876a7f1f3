//! `latimer watch`: builds and serves, and does so again whenever something changed that a build reads.
//!
//! One process has the state for all that time. Builds work on a thread of their own, one at a time, so they never take
//! the time of those who answer; what changes meanwhile is built next. A build that fails leaves what is served and is
//! tried again with the next change. Browsers hear of new deployments by the server's live reload. What nobody needs any more is
//! swept when nothing changed for a while.

mod inputs;

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::App;
use clap::Args;
use pipeline::config::{Config, SiteConfig, SourceLocation};
use pipeline::model::SiteId;
use pipeline::run::{self, BuildError, BuildOptions, BuildStep, Report, Stores, Trust};
use pipeline::state::{RunKind, State};
use pipeline::store::Warm;
use tokio::runtime::Handle;
use tokio::sync::watch as channel;

use super::{serve, summary, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::log;
use crate::options::Options;
use crate::progress::CommandProgress;
use crate::watcher::Watcher;
use inputs::{Inputs, Need};

/// How long nothing changes before what builds left is swept.
const IDLE: Duration = Duration::from_secs(5);
/// Quiet time before search indexes are updated. On a large site they take longer than the edited page.
const PAUSE: Duration = Duration::from_secs(1);
/// After so many builds it is swept in any case.
const MOST_BUILDS: usize = 20;

/// The arguments of `latimer watch`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The site; all enabled sites without it.
    #[arg(value_parser = SiteId::parse)]
    site: Option<SiteId>,
    /// The address to listen on, instead of the configured one.
    #[arg(long, value_name = "ADDRESS", value_parser = crate::port::parse)]
    listen: Option<SocketAddr>,
}

/// Builds, serves and watches until a signal says stop.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    let sites = choose(&config, arguments.site.as_ref())?;
    work::until_done(watch(config, sites, arguments, options))
}

/// The sites that are meant.
fn choose(config: &Config, site: Option<&SiteId>) -> Result<Vec<SiteId>, CommandFailure> {
    let is_meant = |known: &&SiteConfig| site.map_or(known.enabled, |site| known.id == *site);
    let sites: Vec<SiteId> = config
        .sites
        .iter()
        .filter(is_meant)
        .map(|site| site.id.clone())
        .collect();
    let known: Vec<_> = config.sites.iter().map(|site| site.id.as_str()).collect();
    match (sites.is_empty(), site) {
        (false, _) => Ok(sites),
        (true, Some(site)) => Err(CommandFailure::usage(format!(
            "there is no site {site}; the configuration has {}",
            known.join(", ")
        ))),
        (true, None) => Err(CommandFailure::usage(
            "no site is enabled; name one, or set enabled = true",
        )),
    }
}

async fn watch(
    config: Config,
    sites: Vec<SiteId>,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let failed =
        |error: &(dyn std::error::Error + 'static)| CommandFailure::failed(work::chain(error));
    let wanted = arguments.listen.unwrap_or(config.api.listen);
    let listener = serve::listen(wanted, "choose another address with --listen").await?;
    let address = listener.local_addr().unwrap_or(wanted);
    let objects = work::objects(&config.store)?;
    let state = State::open(&config.store.state).map_err(|error| failed(&error))?;
    let stores = Stores {
        objects: objects.clone(),
        state: Arc::new(state),
    };
    let app = App::new(objects, sites.clone(), config.api.cache_bytes);
    let app = Arc::new(app.with_reload());
    app.load().await.map_err(|error| failed(&error))?;
    let (stop, stopped) = channel::channel(false);
    let watching = Watching {
        options,
        site: arguments.site.as_ref(),
        inputs: Inputs::of(&config, &sites),
        watcher: Watcher::new().map_err(CommandFailure::failed)?,
        config,
        sites,
        stores,
        app: Arc::clone(&app),
        progress: Arc::new(options.progress()),
        stopped,
        whole: BTreeSet::new(),
        notices: BTreeMap::new(),
        memory: BTreeMap::new(),
        warm: Warm::on(),
        unswept: BTreeMap::new(),
        searchless: BTreeSet::new(),
    };
    let served = tokio::select! {
        served = api::run(listener, app, serve::stop()) => served,
        () = watching.go_on(address) => Ok(()),
    };
    // A build that is cut off leaves nothing behind that the next one cannot use.
    stop.send_replace(true);
    served.map_err(|error| CommandFailure::failed(format!("the server ended: {error}")))?;
    Ok(ExitCode::Done)
}

/// What is served and watched.
struct Watching<'a> {
    options: &'a Options,
    site: Option<&'a SiteId>,
    config: Config,
    sites: Vec<SiteId>,
    inputs: Inputs,
    watcher: Watcher,
    stores: Stores,
    app: Arc<App>,
    progress: Arc<CommandProgress>,
    stopped: channel::Receiver<bool>,
    /// Sites that were built from their source since they were configured so.
    whole: BTreeSet<SiteId>,
    /// What the last build of each site said.
    notices: BTreeMap<SiteId, Vec<String>>,
    /// What the memory files held after the last build.
    memory: BTreeMap<PathBuf, Option<u64>>,
    /// What is known of the store.
    warm: Warm,
    /// How often sites were built since they were swept.
    unswept: BTreeMap<SiteId, usize>,
    /// Sites with outdated search indexes.
    searchless: BTreeSet<SiteId>,
}

/// Time at which a build updates search indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexTiming {
    /// After the pages, if the site has published indexes.
    Later,
    Now,
}

impl Watching<'_> {
    /// Builds what changed, without end.
    async fn go_on(mut self, address: SocketAddr) {
        self.arm();
        self.introduce();
        self.build(&self.all(Need::Build), IndexTiming::Later).await;
        for line in work::addresses(&self.config, address) {
            log::say(&line);
        }
        loop {
            let idle = match (self.searchless.is_empty(), self.unswept.is_empty()) {
                (false, _) => Some(PAUSE),
                (true, false) => Some(IDLE),
                (true, true) => None,
            };
            let Some(changes) = self.watcher.changed(idle).await else {
                let searchless = std::mem::take(&mut self.searchless);
                if searchless.is_empty() {
                    self.sweep(1).await;
                }
                let searchless = searchless
                    .into_iter()
                    .map(|site| (site, Need::Render))
                    .collect();
                self.build(&searchless, IndexTiming::Now).await;
                continue;
            };
            let is_own = |path: &Path| {
                self.memory
                    .get(path)
                    .is_some_and(|known| *known == held_by(path))
            };
            let mut concerned = self.inputs.concerned(&changes.paths, is_own);
            if (concerned.configuration || changes.more) && self.read_configuration().await {
                concerned.sites = self.all(Need::Build);
                self.arm_anew();
            } else if concerned.moved || changes.more {
                self.arm_anew();
                // What changed while nothing was watched is not known.
                concerned.sites = self.all(Need::Render);
            }
            self.build(&concerned.sites, IndexTiming::Later).await;
            self.sweep(MOST_BUILDS).await;
        }
    }

    /// Sweeps sites that were built so often since they were swept.
    async fn sweep(&mut self, often: usize) {
        let due = |site: &&SiteConfig| {
            self.unswept
                .get(&site.id)
                .is_some_and(|builds| *builds >= often)
        };
        let due: Vec<SiteConfig> = self.config.sites.iter().filter(due).cloned().collect();
        self.unswept.retain(|_, builds| *builds < often);
        for site in due {
            let id = site.id.clone();
            let stores = self.stores.clone();
            let build = self.options_of(&site);
            let swept = self
                .on_thread(async move || run::sweep(&site, &stores, &build).await)
                .await;
            if let Some(Err(error)) = swept {
                tracing::warn!(
                    "what nobody needs any more of {id} stays for now: {}",
                    work::chain(&error)
                );
            }
        }
    }

    fn all(&self, need: Need) -> BTreeMap<SiteId, Need> {
        self.sites.iter().map(|site| (site.clone(), need)).collect()
    }

    fn arm_anew(&mut self) {
        self.watcher.forget();
        self.arm();
    }

    /// Watches what builds read now.
    fn arm(&mut self) {
        self.inputs = Inputs::of(&self.config, &self.sites);
        for trouble in self.watcher.watch(&self.inputs.folders()) {
            tracing::warn!("{trouble}; changes there are not seen");
        }
    }

    /// Says what is not watched.
    fn introduce(&self) {
        for site in self
            .config
            .sites
            .iter()
            .filter(|site| self.sites.contains(&site.id))
        {
            if matches!(site.source, SourceLocation::Web(_)) {
                self.progress.note(&format!(
                    "{}: the source is on the web and is crawled once; settings, translations and templates are watched",
                    site.id
                ));
            }
        }
    }

    /// Reads the configuration anew; whether it is another now.
    async fn read_configuration(&mut self) -> bool {
        let read = self
            .options
            .config()
            .and_then(|config| Ok((choose(&config, self.site)?, config)));
        let (sites, config) = match read {
            Ok(read) => read,
            Err(failure) => {
                tracing::error!("{}; the settings from before hold", failure.message);
                return false;
            }
        };
        let (config, waiting) = self.config.followed_by(config);
        if !waiting.is_empty() {
            tracing::warn!(
                "{} will count when `latimer watch` is started again",
                waiting.join(", ")
            );
        }
        self.config = config;
        self.sites = sites;
        self.whole.clear();
        self.notices.clear();
        if let Err(error) = self.app.serve_sites(self.sites.clone()).await {
            tracing::error!("{}", work::chain(&error));
        }
        self.introduce();
        true
    }

    async fn build(&mut self, sites: &BTreeMap<SiteId, Need>, indexes: IndexTiming) {
        let wanted: Vec<SiteConfig> = self
            .config
            .sites
            .iter()
            .filter(|site| sites.contains_key(&site.id))
            .cloned()
            .collect();
        for site in wanted {
            let began = Instant::now();
            // A site on the web is asked for its pages once; a folder is always read.
            let only_renders = sites.get(&site.id) == Some(&Need::Render)
                && matches!(site.source, SourceLocation::Web(_))
                && self.whole.contains(&site.id);
            let kind = if only_renders {
                RunKind::Render
            } else {
                RunKind::Build
            };
            let Some(outcome) = self.perform(site.clone(), (kind, indexes)).await else {
                return;
            };
            self.progress.finish();
            if let Err(error) = self.app.load().await {
                tracing::warn!(
                    "the new pages of {} cannot be read yet: {}",
                    site.id,
                    work::chain(&error)
                );
            }
            match outcome {
                Ok(report) => {
                    match report.search_waits() && indexes == IndexTiming::Later {
                        true => drop(self.searchless.insert(site.id.clone())),
                        false => drop(self.searchless.remove(&site.id)),
                    }
                    self.tell(&site, report, began.elapsed());
                }
                Err(failure) => {
                    // Leave them to the build of the next change: a retry now would fail again.
                    self.searchless.remove(&site.id);
                    tracing::error!("{}; the pages from before stay", failure.message);
                }
            }
            *self.unswept.entry(site.id.clone()).or_default() += 1;
            // It may have made the folder of a memory file.
            self.arm();
            self.memory = self
                .inputs
                .memory()
                .map(|path| (path.to_path_buf(), held_by(path)))
                .collect();
        }
    }

    /// Builds a site; `None` when the command ends before it does.
    async fn perform(
        &self,
        site: SiteConfig,
        (kind, indexes): (RunKind, IndexTiming),
    ) -> Option<Result<Report, CommandFailure>> {
        let stores = self.stores.clone();
        let id = site.id.clone();
        let build = BuildOptions {
            defers_search: indexes == IndexTiming::Later,
            ..self.options_of(&site)
        };
        let progress = Arc::clone(&self.progress);
        let outcome = self.on_thread(async move || {
            let report = |step: &BuildStep<'_>| progress.step(step);
            work::perform(&site, &stores, kind, &build, None, &report).await
        });
        Some(outcome.await?.map_err(|error| work::failure(&id, &error)))
    }

    fn options_of(&self, site: &SiteConfig) -> BuildOptions {
        // Who works on a folder deletes pages on purpose and sees what comes of it at once.
        let trust = if matches!(site.source, SourceLocation::Folder(_)) {
            Trust::Always
        } else {
            Trust::Judged
        };
        BuildOptions {
            trust,
            warm: self.warm.clone(),
            ..work::build_options(&self.config)
        }
    }

    /// Does something on a thread of its own; `None` when the command ends before it does.
    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce() -> Result<T, BuildError> + Send + 'static,
    ) -> Option<Result<T, BuildError>> {
        let runtime = Handle::current();
        let mut stopped = self.stopped.clone();
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    outcome = work() => Some(outcome),
                    _ = stopped.wait_for(|stopped| *stopped) => None,
                }
            })
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|broken| Some(Err(BuildError::Broken(broken.to_string()))))
    }

    /// Says what a build did: all of it the first time, then what is new.
    fn tell(&mut self, site: &SiteConfig, report: Report, time: Duration) {
        let before = self.notices.insert(site.id.clone(), report.notices.clone());
        let is_first = self.whole.insert(site.id.clone());
        if is_first {
            self.progress
                .note(summary::write(&report, site, &self.config.store).trim_end());
        }
        self.progress.note(
            line(
                &report,
                before.as_deref().unwrap_or(&report.notices),
                is_first,
                time,
            )
            .trim_end(),
        );
    }
}

/// What a file holds, as a number; nothing for one that is not there.
fn held_by(path: &Path) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}

/// One line for what changed, and more for what is wrong and was not said before.
fn line(report: &Report, before: &[String], is_first: bool, time: Duration) -> String {
    let took = format!("{:.1} s", time.as_secs_f64());
    let updated: Vec<String> = report
        .locales
        .iter()
        .filter(|locale| locale.updated > 0)
        .map(|locale| format!("{} {}", locale.locale, locale.updated))
        .collect();
    let mut text = match (report.created, updated.as_slice()) {
        (false, _) => format!("{}: nothing changed ({took})\n", report.site),
        (true, []) => {
            format!(
                "{}: no page changed, {} other files did ({took})\n",
                report.site,
                report.written + report.removed
            )
        }
        (true, updated) => format!(
            "{}: pages changed: {} ({took})\n",
            report.site,
            updated.join(", ")
        ),
    };
    if report.search_waits() {
        text.insert_str(text.len() - 1, "; search follows");
    }
    if is_first {
        return text;
    }
    for failure in &report.failures {
        let kept = if failure.kept {
            "; its previous version stays"
        } else {
            ""
        };
        let _ = writeln!(text, "  failed: {}: {}{kept}", failure.path, failure.reason);
    }
    for locale in report
        .locales
        .iter()
        .filter(|locale| !locale.refused.is_empty())
    {
        for refused in &locale.refused {
            let _ = writeln!(
                text,
                "  {}: refused on {}: {}",
                locale.locale, refused.path, refused.reason
            );
        }
    }
    for notice in report
        .notices
        .iter()
        .filter(|notice| !before.contains(notice))
    {
        let _ = writeln!(text, "  notice: {notice}");
    }
    text
}
