//! Work in the background: for each site one worker, which takes runs from the queue in the state, one after the
//! other.
//!
//! The queue, its workers and the runs in progress are one file, because they share a lock and end together.
//!
//! A run may be cut off at any line and is safe to repeat, so nothing is done for it when the process ends: what was in
//! progress waits again at the next start. A deployment is served before its run is recorded as completed, so whoever
//! waited for a run sees its pages.
//!
//! One file: one queue and its workers.

mod follow;
mod said;
mod working;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use pipeline::causes::chain;
use pipeline::config::{Config, PublishConfig, SiteConfig};
use pipeline::model::{RunId, SiteId};
use pipeline::run::{self, BuildError, BuildOptions, Performed, Stores, now};
use pipeline::state::{OrderOutcome, RunKind, RunOrder, RunOutcome, RunRecord, State, StateError};
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::task::{JoinError, JoinSet};
use tracing::Instrument;

use self::said::{ConfigDuration, broke_off, end_of, stuck, timed_out};
use self::working::Working;
use super::on_state::on_state;
use super::turns::{Tenant, TurnPlace, Turns};
use crate::http::metrics::Metrics;
use crate::public::served::Served;
use crate::public::sites::Sites;

/// Builds of different sites that work at the same time, and renders, which never wait for builds of other sites.
const MOST_AT_ONCE: usize = 2;
const MOST_RENDERS: usize = 2;
/// How long a worker waits after the state failed; longer each time that it fails again.
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often it is tried whether there is room again.
const PROBE: Duration = Duration::from_secs(1);

/// Queue of runs, with a worker for each site.
#[derive(Debug)]
pub(crate) struct Jobs {
    stores: Stores,
    ways: RwLock<Ways>,
    sites: Arc<Sites>,
    /// Wakers of the sites' workers. A worker outlives its site, so that a site that is put again has one.
    wakers: Mutex<BTreeMap<SiteId, Arc<Notify>>>,
    /// Notified when a site may have no worker.
    hiring: Notify,
    builds: Arc<Turns>,
    renders: Semaphore,
    /// Runs that work now or that somebody follows, as far as they are. Each stands under its own site, because callers
    /// may send ids of other sites' runs.
    working: Mutex<WorkingRuns>,
}

type WorkingRuns = BTreeMap<(SiteId, RunId), Arc<Working>>;

/// How runs work that begin from now on.
#[derive(Clone, Debug)]
struct Ways {
    options: BuildOptions,
    /// The longest time for a run of a site that a caller added.
    max_run: Duration,
    /// Where sites are published beside this server.
    targets: Vec<PublishConfig>,
    /// How long one waits for a bucket that does not answer.
    patience: Duration,
}

impl Ways {
    fn of(options: BuildOptions, config: &Config) -> Self {
        let max_run = config.api.sites.max_run;
        Self {
            // A language with a broken file stops no other one.
            options: BuildOptions {
                keeps_words: true,
                ..options
            },
            max_run,
            targets: config.publish.clone(),
            patience: config.store.patience,
        }
    }
}

/// A place in which a run works.
enum RunPlace<'a> {
    Build { _place: Option<TurnPlace> },
    Render { _place: Option<SemaphorePermit<'a>> },
}

/// What became of the work of a run.
enum Worked {
    Done(Box<Performed>),
    /// It was told to stop.
    Stopped,
    TimedOut(Duration),
}

impl Jobs {
    pub(crate) fn new(
        stores: Stores,
        options: BuildOptions,
        sites: Arc<Sites>,
        config: &Config,
    ) -> Self {
        Self {
            stores,
            ways: RwLock::new(Ways::of(options, config)),
            sites,
            wakers: Mutex::default(),
            hiring: Notify::new(),
            builds: Arc::new(Turns::new(MOST_AT_ONCE)),
            renders: Semaphore::new(MOST_RENDERS),
            working: Mutex::default(),
        }
    }

    pub(crate) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// How runs work that begin now.
    pub(crate) fn options(&self) -> BuildOptions {
        self.ways
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .options
            .clone()
    }

    /// Goes by another configuration in runs that begin from now on.
    pub(crate) fn adopt(&self, config: &Config) {
        let mut ways = self.ways.write().unwrap_or_else(PoisonError::into_inner);
        let options = BuildOptions {
            keep_deployments: config.store.keep_deployments,
            ..ways.options.clone()
        };
        *ways = Ways::of(options, config);
    }

    /// A target of publishing of a site, by its name.
    pub(crate) fn target(&self, site: &SiteId, name: &str) -> Option<PublishConfig> {
        let ways = self.ways.read().unwrap_or_else(PoisonError::into_inner);
        ways.targets
            .iter()
            .find(|target| target.site == *site && target.name.to_string() == name)
            .cloned()
    }

    /// The targets of publishing of a site.
    pub(crate) fn targets(&self, site: &SiteId) -> Vec<PublishConfig> {
        let ways = self.ways.read().unwrap_or_else(PoisonError::into_inner);
        ways.targets
            .iter()
            .filter(|target| target.site == *site)
            .cloned()
            .collect()
    }

    /// Orders what is to be published after each run of a site that made a deployment.
    async fn publish_after(&self, site: &SiteId) -> Result<(), BuildError> {
        let ways = self
            .ways
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let own = ways
            .targets
            .into_iter()
            .filter(|target| target.after_run && target.site == *site);
        for target in own {
            let of = site.clone();
            let run = RunRecord::new(
                RunOrder::publishing(target.name.to_string(), None),
                0,
                now(),
            );
            let order = move |state: &State| {
                state.order_run(&of, run, None, now(), |_, _| serde_json::Value::Null)
            };
            if let OrderOutcome::Full = self.state(order).await? {
                tracing::warn!(
                    "{site} was not published to {}: too many runs wait",
                    target.name
                );
            }
        }
        Ok(())
    }

    /// Tells a site's worker that something may wait.
    pub(crate) fn wake(&self, site: &SiteId) {
        self.waker(site).notify_one();
    }

    /// Gives each site that is new a worker.
    pub(crate) fn hire(&self) {
        self.hiring.notify_one();
    }

    /// Stops what works for a site that is not there any more.
    pub(crate) fn dismiss(&self, site: &SiteId) {
        self.working()
            .iter()
            .filter(|((of, _), _)| of == site)
            .for_each(|(_, working)| working.cancel());
    }

    fn waker(&self, site: &SiteId) -> Arc<Notify> {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(wakers.entry(site.clone()).or_default())
    }

    /// Makes the runs that an earlier process left in progress wait again, and starts a worker for each site.
    ///
    /// # Errors
    /// A [`StateError`] when the state cannot be read.
    pub(crate) fn start(
        self: &Arc<Self>,
        served: &Arc<Served>,
        metrics: &Arc<Metrics>,
        workers: &mut JoinSet<()>,
    ) -> Result<(), StateError> {
        for site in self.sites.list().keys() {
            match self.stores.state.recover_runs(site, now()) {
                // A server with a full disk serves what there is; the site's worker waits for room.
                Err(error) if error.trouble().is_some() => stuck(site, &error),
                recovered => recovered?,
            }
        }
        workers.spawn(Arc::clone(self).employ(Arc::clone(served), Arc::clone(metrics)));
        workers.spawn(Arc::clone(self).heal());
        Ok(())
    }

    /// Keeps a worker for each site, without end; they end with this.
    async fn employ(self: Arc<Self>, served: Arc<Served>, metrics: Arc<Metrics>) {
        let mut workers = JoinSet::new();
        let mut employed = BTreeSet::new();
        loop {
            for site in self.sites.list().keys() {
                if employed.insert(site.clone()) {
                    let work = Arc::clone(&self).work(
                        Arc::clone(&served),
                        Arc::clone(&metrics),
                        site.clone(),
                    );
                    workers.spawn(work);
                }
            }
            self.hiring.notified().await;
        }
    }

    /// Works for a site without end.
    async fn work(self: Arc<Self>, served: Arc<Served>, metrics: Arc<Metrics>, site: SiteId) {
        let waker = self.waker(&site);
        let mut failures = 0;
        // A site that came with a newer configuration may have a run that an earlier process left.
        let of = site.clone();
        let recovered = self
            .state(move |state| state.recover_runs(&of, now()))
            .await;
        if recovered.is_err() || self.stores.state.trouble().is_some() {
            self.put_back(&site, failures).await;
        }
        loop {
            let Some(known) = self.sites.get(&site) else {
                waker.notified().await;
                continue;
            };
            match self.next(&served, &metrics, &known.config).await {
                Ok(true) => failures = 0,
                Ok(false) => waker.notified().await,
                Err(error) => {
                    stuck(&site, &error);
                    self.put_back(&site, failures).await;
                    failures += 1;
                }
            }
        }
    }

    /// Waits until what a run needs can be written again, and puts the run that broke off into the queue.
    async fn put_back(&self, site: &SiteId, failures: u32) {
        let mut pause = PAUSE
            .saturating_mul(1 << failures.min(5))
            .min(LONGEST_PAUSE);
        loop {
            tokio::time::sleep(pause).await;
            let of = site.clone();
            let release = move |state: &State| state.probe().and_then(|()| state.release_runs(&of));
            if self.stores.objects.probe().await.is_ok() && self.state(release).await.is_ok() {
                return;
            }
            pause = PAUSE;
        }
    }

    /// Finds out when the state can be written again, so that the server says it is ready.
    async fn heal(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(PROBE);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if self.stores.state.trouble().is_some() {
                // What it finds is kept by the state.
                let _ = self.state(State::probe).await;
            }
        }
    }

    /// Does the next run of a site; says whether there was one.
    async fn next(
        &self,
        served: &Served,
        metrics: &Metrics,
        site: &Arc<SiteConfig>,
    ) -> Result<bool, BuildError> {
        let Some(room) = self.room(site).await? else {
            return Ok(false);
        };
        let id = site.id.clone();
        let kind = room.kind();
        // It may have been cancelled meanwhile, or one that goes first was ordered.
        let Some(run) = self
            .state(move |state| state.claim_run(&id, kind, now()))
            .await?
        else {
            return Ok(true);
        };
        let working = self.place_of(&site.id, run.id);
        working.show(&run);
        // The site may have been removed before there was anything to cancel.
        if self.sites.get(&site.id).is_none() {
            working.cancel();
        }
        let span = tracing::error_span!("run", run = %run.id, site = %site.id);
        let ended = self
            .perform(served, site, run.clone(), Arc::clone(&working))
            .instrument(span.clone())
            .await;
        if let Some(over) = working.run.borrow().as_ref().filter(|run| run.is_over()) {
            metrics.run_ended(over);
            span.in_scope(|| {
                tracing::info!("run {} of {} ended: {}", over.id, site.id, end_of(over))
            });
        }
        // Whoever follows a run that broke off sees it begin again.
        if ended.is_ok() {
            self.forget(&site.id, run.id);
        }
        ended.map(|()| true)
    }

    /// A place for the next run of a site; nothing where none waits. A render that is ordered while a build waits for its
    /// place goes first.
    async fn room(&self, site: &SiteConfig) -> Result<Option<RunPlace<'_>>, BuildError> {
        let waker = self.waker(&site.id);
        loop {
            let id = site.id.clone();
            match self.state(move |state| state.next_run(&id)).await? {
                None => return Ok(None),
                // Never closed, so a place is always given at last.
                Some(RunKind::Render) => {
                    return Ok(Some(RunPlace::Render {
                        _place: self.renders.acquire().await.ok(),
                    }));
                }
                Some(RunKind::Build | RunKind::Plan | RunKind::Publish | RunKind::Audit) => {
                    tokio::select! {
                        place = self.builds.enter(tenant(site)) => return Ok(Some(RunPlace::Build { _place: place })),
                        () = waker.notified() => {}
                    }
                }
            }
        }
    }

    async fn perform(
        &self,
        served: &Served,
        site: &Arc<SiteConfig>,
        run: RunRecord,
        working: Arc<Working>,
    ) -> Result<(), BuildError> {
        let performed = match self.compute(site, run.clone(), Arc::clone(&working)).await {
            Ok(Worked::Done(performed)) => *performed,
            Ok(Worked::TimedOut(longest)) => {
                tracing::warn!(
                    "run {} of {} was stopped: it took longer than {}",
                    run.id,
                    site.id,
                    ConfigDuration(longest)
                );
                let run = working.run.borrow().clone().unwrap_or(run);
                let failure = Some(timed_out(longest));
                let run = run::stopped(&self.stores, &site.id, run, RunOutcome::TimedOut, failure)
                    .await?;
                working.show(&run);
                return Ok(());
            }
            Ok(Worked::Stopped) if working.cancelled.load(Ordering::Relaxed) => {
                let run = working.run.borrow().clone().unwrap_or(run);
                let run =
                    run::stopped(&self.stores, &site.id, run, RunOutcome::Cancelled, None).await?;
                working.show(&run);
                return Ok(());
            }
            // The process ends; the next one goes on.
            Ok(Worked::Stopped) => return Ok(()),
            Err(broken) => {
                tracing::error!("run {} of {} broke off: {broken}", run.id, site.id);
                let run = run::stopped(
                    &self.stores,
                    &site.id,
                    run,
                    RunOutcome::Failed,
                    Some(broke_off()),
                )
                .await?;
                working.show(&run);
                return Ok(());
            }
        };
        if performed
            .outcome
            .as_ref()
            .is_err_and(BuildError::is_of_the_disk)
        {
            // It stays in progress until the disk has room, and waits then.
            return performed.outcome.map(drop);
        }
        if let Err(error) = &performed.outcome {
            tracing::error!("run {} of {} failed: {}", run.id, site.id, chain(error));
        }
        if let Err(error) = served.load_from(&self.stores.objects).await {
            tracing::warn!("the new pages of {} cannot be read yet: {error}", site.id);
        }
        let run = performed.run.clone();
        let is_deployed = performed
            .outcome
            .as_ref()
            .is_ok_and(|report| report.created);
        if let Ok(report) = &performed.outcome {
            for engine in &report.absent_engines {
                tracing::warn!(
                    "run {} of {} continued without engine {engine}; run `latimer doctor`",
                    run.id,
                    site.id
                );
            }
        }
        // Its error was told above, and what the state refuses is told by whoever calls.
        if let Err(BuildError::State(error)) = performed.record(&self.stores, &site.id).await {
            return Err(BuildError::State(error));
        }
        working.show(&run);
        if is_deployed {
            self.publish_after(&site.id).await
        } else {
            Ok(())
        }
    }

    /// Does the work on a thread of its own, so that it never takes the time of those who answer.
    async fn compute(
        &self,
        site: &Arc<SiteConfig>,
        run: RunRecord,
        working: Arc<Working>,
    ) -> Result<Worked, JoinError> {
        let runtime = Handle::current();
        let site = Arc::clone(site);
        let Ways {
            options,
            max_run,
            patience,
            ..
        } = self
            .ways
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let target = run
            .order
            .target
            .as_ref()
            .and_then(|name| self.target(&site.id, name));
        let stores = self.stores.clone();
        let is_added = self
            .sites
            .get(&site.id)
            .is_some_and(|known| known.settings.is_some());
        let longest = is_added.then_some(max_run);
        let span = tracing::Span::current();
        let work = move || {
            let work = async {
                let watch = |run: &RunRecord| working.show(run);
                let performed = async {
                    match run.order.kind {
                        RunKind::Publish => {
                            run::deliver(&site.id, target.as_ref(), &stores, run, patience, &watch)
                                .await
                        }
                        RunKind::Audit => run::audit(&site, &stores, run, &watch).await,
                        RunKind::Build | RunKind::Render | RunKind::Plan => {
                            run::perform(&site, &stores, run, &options, &|_| (), &watch).await
                        }
                    }
                };
                tokio::select! {
                    performed = performed => Worked::Done(Box::new(performed)),
                    () = working.stop.notified() => Worked::Stopped,
                    longest = until(longest) => Worked::TimedOut(longest),
                }
            };
            runtime.block_on(work.instrument(span))
        };
        tokio::task::spawn_blocking(work).await
    }

    /// Lets go of what is being worked on, once the workers have ended; it waits in the state for the next process. That it was cut
    /// off is not held against it.
    pub(crate) async fn stop(&self) {
        let sites: BTreeSet<SiteId> = self
            .working()
            .keys()
            .map(|(site, _)| site.clone())
            .collect();
        self.working()
            .values()
            .for_each(|working| working.stop.notify_one());
        for site in sites {
            let of = site.clone();
            if let Err(error) = self.state(move |state| state.release_runs(&of)).await {
                stuck(&site, &error);
            }
        }
    }

    /// Where a run of a site is shown.
    fn place_of(&self, site: &SiteId, id: RunId) -> Arc<Working> {
        Arc::clone(
            self.working()
                .entry((site.clone(), id))
                .or_insert_with(|| Arc::new(Working::new())),
        )
    }

    /// Shows a run no more; whoever follows it keeps the last word.
    fn forget(&self, site: &SiteId, id: RunId) {
        self.working().remove(&(site.clone(), id));
    }

    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, BuildError> {
        on_state(&self.stores.state, work).await
    }

    fn working(&self) -> MutexGuard<'_, WorkingRuns> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunPlace<'_> {
    fn kind(&self) -> RunKind {
        match self {
            Self::Build { .. } => RunKind::Build,
            Self::Render { .. } => RunKind::Render,
        }
    }
}

/// Who takes turns for a site.
fn tenant(site: &SiteConfig) -> Tenant {
    match &site.payer {
        Some(payer) => Tenant::Subject(payer.subject.clone()),
        None => Tenant::Site(site.id.to_string()),
    }
}

/// Ends after a time and gives it; without one, never.
async fn until(longest: Option<Duration>) -> Duration {
    match longest {
        Some(longest) => {
            tokio::time::sleep(longest).await;
            longest
        }
        None => std::future::pending().await,
    }
}
