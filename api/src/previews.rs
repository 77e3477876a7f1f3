//! Previews in the background: a bounded queue, a few workers, and a sweep of those whose time is over.
//!
//! An order is durable before it is answered, and each step before it is shown; what a restart cuts off begins again.
//! Those that wait or are worked on are also kept here, for whoever follows them. Pages come first, the record that
//! says that they are ready after them; pages are deleted before the record says so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use pipeline::config::{Config, SiteConfig};
use pipeline::model::PreviewId;
use pipeline::preview::{PreviewFault, Previewer, Wanted};
use pipeline::publish;
use pipeline::run::Stores;
use pipeline::store::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus, Queue, StoreError};
use pipeline::translate::Meter;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::App;
use crate::error::ApiError;
use crate::sites;
use crate::time::Time;

/// Previews that are worked on at the same time.
const MOST_AT_ONCE: usize = 4;
/// Previews that may wait.
const LONGEST_QUEUE: usize = 200;
/// How long the work on one may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often previews are swept.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// How long it is known of a preview that it was there, in milliseconds.
const REMEMBERED: u64 = 7 * 24 * 60 * 60 * 1000;

/// The desk of those who make previews.
pub(crate) struct Previews {
    stores: Stores,
    pub(crate) previewer: Previewer,
    /// How long the work on one may take.
    pub(crate) patience: Duration,
    queue: mpsc::Sender<PreviewId>,
    orders: tokio::sync::Mutex<mpsc::Receiver<PreviewId>>,
    /// Those that wait or are worked on.
    current: Mutex<BTreeMap<PreviewId, watch::Sender<PreviewRecord>>>,
    stopping: watch::Sender<bool>,
}

impl Previews {
    pub(crate) fn new(config: &Config, stores: Stores, meter: Meter) -> Self {
        let (queue, orders) = mpsc::channel(LONGEST_QUEUE);
        Self {
            previewer: Previewer::new(config, Some(Arc::clone(&stores.state))).metered(meter),
            stores,
            patience: PATIENCE,
            queue,
            orders: tokio::sync::Mutex::new(orders),
            current: Mutex::default(),
            stopping: watch::Sender::new(false),
        }
    }

    /// Puts a preview into the queue.
    pub(crate) async fn order(&self, preview: PreviewRecord) -> Result<(), ApiError> {
        let busy = |_| ApiError::Busy("too many previews wait; try again later");
        let place = self.queue.try_reserve().map_err(busy)?;
        self.keep(preview.clone()).await?;
        let id = preview.id;
        self.current().insert(id, watch::Sender::new(preview));
        place.send(id);
        Ok(())
    }

    /// A preview as far as it is now.
    pub(crate) async fn newest(&self, id: PreviewId) -> Result<Option<PreviewRecord>, ApiError> {
        if let Some(changes) = self.follow(id) {
            return Ok(Some(changes.borrow().clone()));
        }
        let state = Arc::clone(&self.stores.state);
        let read = tokio::task::spawn_blocking(move || state.preview(&id)).await;
        Ok(read.map_err(|error| ApiError::Internal(error.to_string()))??)
    }

    /// The changes of a preview that waits or is worked on.
    pub(crate) fn follow(&self, id: PreviewId) -> Option<watch::Receiver<PreviewRecord>> {
        self.current().get(&id).map(watch::Sender::subscribe)
    }

    /// How many wait and are worked on.
    pub(crate) fn queue(&self) -> Queue {
        let mut queue = Queue::default();
        for preview in self.current().values() {
            match preview.borrow().status {
                PreviewStatus::Pending => queue.waiting += 1,
                PreviewStatus::Processing => queue.working += 1,
                PreviewStatus::Ready | PreviewStatus::Failed => {}
            }
        }
        queue
    }

    /// The page of a preview.
    pub(crate) async fn page(&self, id: PreviewId) -> Result<Option<bytes::Bytes>, ApiError> {
        Ok(publish::preview(&self.stores.objects.for_readers(), &id).await?)
    }

    /// Lets those that an earlier process left begin again, and starts the workers.
    ///
    /// # Errors
    /// A [`StoreError`] when the state cannot be read.
    pub(crate) fn start(self: &Arc<Self>, app: &Arc<App>, workers: &mut JoinSet<()>) -> Result<(), StoreError> {
        let waiting = self.stores.state.recover_previews()?;
        let ids: Vec<PreviewId> = waiting.iter().map(|preview| preview.id).collect();
        self.current().extend(waiting.into_iter().map(|preview| (preview.id, watch::Sender::new(preview))));
        let queue = self.queue.clone();
        workers.spawn(async move {
            for id in ids {
                // Never closed while there are workers.
                let _ = queue.send(id).await;
            }
        });
        for _ in 0..MOST_AT_ONCE {
            workers.spawn(Arc::clone(self).work(Arc::clone(app)));
        }
        workers.spawn(Arc::clone(self).sweep());
        Ok(())
    }

    /// Lets go of what is being worked on; it begins again in the next process.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    async fn work(self: Arc<Self>, app: Arc<App>) {
        loop {
            let next = self.orders.lock().await.recv().await;
            let Some(id) = next else { return };
            self.make(&app, id).await;
        }
    }

    /// Makes a preview, or writes down why there is none.
    async fn make(self: &Arc<Self>, app: &App, id: PreviewId) {
        let begun = self.change(id, |preview| {
            preview.status = PreviewStatus::Processing;
            preview.attempts += 1;
        });
        let Some(preview) = begun else { return };
        let sites = app.api.iter().flat_map(|api| open_sites(&api.sites().list(), &preview)).collect();
        let outcome = match self.keep(preview.clone()).await {
            Ok(()) => self.compute(id, wanted(app, preview), sites).await,
            Err(error) => Err(fault(PreviewCode::StorageFailed, error.to_string())),
        };
        // The process ends; the next one goes on.
        let Some(outcome) = outcome.transpose() else { return };
        if let Err(fault) = &outcome {
            tracing::warn!("a preview failed: {}", fault.reason);
        }
        let ended = match &outcome {
            Ok(()) => self.ended(id, None),
            Err(fault) => self.ended(id, Some(fault.code)),
        };
        let Some(ended) = ended else { return };
        if let Err(error) = self.keep(ended.clone()).await {
            tracing::error!("a preview could not be written down: {error}");
            app.metrics.preview_ended(Some(PreviewCode::StorageFailed));
            self.change(id, |preview| preview.fail(PreviewCode::StorageFailed));
            return;
        }
        app.metrics.preview_ended(ended.failure);
        // What is over is in the state; whoever follows it keeps the last word.
        if let Some(changes) = self.current().remove(&id) {
            changes.send_replace(ended);
        }
    }

    /// Does the work on a thread of its own; nothing if it was told to stop.
    async fn compute(
        self: &Arc<Self>,
        id: PreviewId,
        wanted: Wanted,
        sites: Vec<Arc<SiteConfig>>,
    ) -> Result<Option<()>, PreviewFault> {
        let (desk, runtime) = (Arc::clone(self), Handle::current());
        let work = move || {
            runtime.block_on(async {
                let mut stopping = desk.stopping.subscribe();
                tokio::select! {
                    made = timeout(desk.patience, desk.page_of(id, &wanted, &sites)) => match made {
                        Ok(made) => made.map(Some),
                        Err(_) => Err(fault(PreviewCode::ProcessingTimeout, "it took too long")),
                    },
                    _ = stopping.wait_for(|stopping| *stopping) => Ok(None),
                }
            })
        };
        let broken = |error: tokio::task::JoinError| fault(PreviewCode::Unknown, format!("it broke off: {error}"));
        tokio::task::spawn_blocking(work).await.map_err(broken)?
    }

    async fn page_of(&self, id: PreviewId, wanted: &Wanted, sites: &[Arc<SiteConfig>]) -> Result<(), PreviewFault> {
        let html = self.previewer.localize(sites, wanted, &|stage| self.enter(id, stage)).await?;
        self.enter(id, PreviewStage::Saving);
        let failed = |error: publish::PublishError| fault(PreviewCode::StorageFailed, error.to_string());
        publish::put_preview(&self.stores.objects, &id, html.into()).await.map_err(failed)
    }

    /// Shows that a part of the work begins; on the work's own thread, which may wait for the disk.
    fn enter(&self, id: PreviewId, stage: PreviewStage) {
        let entered = self.change(id, |preview| preview.stage = preview.stage.max(stage));
        // Where this fails, so does writing down the end, and that is told.
        let _ = entered.map(|preview| self.stores.state.put_preview(&preview));
    }

    /// The record of a preview that ended; nobody sees it before it is kept.
    fn ended(&self, id: PreviewId, code: Option<PreviewCode>) -> Option<PreviewRecord> {
        let mut preview = self.current().get(&id)?.borrow().clone();
        match code {
            Some(code) => preview.fail(code),
            None if preview.expires <= now() => preview.fail(PreviewCode::PreviewExpired),
            None => preview.status = PreviewStatus::Ready,
        }
        Some(preview)
    }

    fn change(&self, id: PreviewId, change: impl FnOnce(&mut PreviewRecord)) -> Option<PreviewRecord> {
        let current = self.current();
        let changes = current.get(&id)?;
        changes.send_modify(change);
        Some(changes.borrow().clone())
    }

    async fn keep(&self, preview: PreviewRecord) -> Result<(), StoreError> {
        let state = Arc::clone(&self.stores.state);
        let kept = tokio::task::spawn_blocking(move || state.put_preview(&preview)).await;
        kept.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Deletes the pages of previews whose time is over, now and every hour.
    async fn sweep(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            ticks.tick().await;
            if let Err(error) = self.sweep_once(now()).await {
                tracing::warn!("old previews cannot be swept, it is tried again: {error}");
            }
        }
    }

    pub(crate) async fn sweep_once(&self, now: u64) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let state = Arc::clone(&self.stores.state);
        let expired = tokio::task::spawn_blocking(move || state.expired_previews(now)).await??;
        publish::remove_previews(&self.stores.objects, &expired).await?;
        let state = Arc::clone(&self.stores.state);
        let before = now.saturating_sub(REMEMBERED);
        tokio::task::spawn_blocking(move || state.sweep_previews(&expired, before)).await??;
        Ok(())
    }

    fn current(&self) -> MutexGuard<'_, BTreeMap<PreviewId, watch::Sender<PreviewRecord>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sites whose pages whoever ordered a preview may have; the others are strangers' sites to it.
fn open_sites(sites: &sites::List, preview: &PreviewRecord) -> Vec<Arc<SiteConfig>> {
    let is_open = |site: &SiteConfig| match &preview.sites {
        Some(seen) => seen.iter().any(|known| known == "*" || known == site.id.as_str()),
        None => site.previews,
    };
    sites.values().map(|known| &known.config).filter(|site| is_open(site)).map(Arc::clone).collect()
}

/// What is wanted, and who pays for it by what the configuration says now.
fn wanted(app: &App, preview: PreviewRecord) -> Wanted {
    let payer = app.api.as_ref().and_then(|api| api.settings().config.payer(preview.subject.as_deref()));
    Wanted { url: preview.source_url, source: preview.source, target: preview.target, payer }
}

fn fault(code: PreviewCode, reason: impl Into<String>) -> PreviewFault {
    PreviewFault { code, reason: reason.into() }
}

fn now() -> u64 {
    Time::of(SystemTime::now()).to_keep()
}

/// Says nothing about what is previewed.
impl std::fmt::Debug for Previews {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Previews").finish_non_exhaustive()
    }
}
