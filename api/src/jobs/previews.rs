//! Previews in the background: those who wait take turns, few are worked on at once, and those whose time is over are swept.
//!
//! An order is durable before it is answered, and each step before it is shown; what a restart cuts off begins again, unless
//! it has waited long enough. Those that wait or are worked on are also kept here, for whoever follows them. Pages come
//! first, the record that says that they are ready after them; pages are deleted before the record says so.

mod work;

pub(crate) use work::open_sites;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pipeline::config::Config;
use pipeline::model::{Moment, PreviewId};
use pipeline::preview::Previewer;
use pipeline::run::{Stores, now};
use pipeline::state::{PreviewCode, PreviewRecord, PreviewStatus, Queue, State, StateError};
use pipeline::store;
use pipeline::translate::Meter;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::turns::{Tenant, TurnLimits, Turns};
use crate::http::error::ApiError;
use crate::http::metrics::Metrics;
use crate::public::sites::Sites;
use crate::settings::CurrentSettings;

/// Previews that are worked on at the same time; of a host, those that it is asked for.
const ROOM: TurnLimits = TurnLimits {
    places: 16,
    of_one: 4,
    of_a_lane: 2,
};
/// Previews that may wait or be worked on.
const MOST: usize = 1000;
/// The same for whoever orders them.
const MOST_OF_ONE: usize = 50;
/// How long the work on one may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one may wait for its turn, over restarts too.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);
/// Previews of one caller that are kept, beside those that wait or are worked on.
const MOST_KEPT: usize = 300;
/// How often previews are swept, and after how many orders.
const SWEEP: Duration = Duration::from_secs(60 * 60);
const SWEEP_ORDERS: usize = 100;
/// How long it is known of a preview that it was there.
const REMEMBERED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Queue of previews.
pub(crate) struct Previews {
    stores: Stores,
    pub(crate) previewer: Previewer,
    /// How long the work on one may take.
    pub(crate) patience: Duration,
    /// How long one may wait for its turn.
    pub(crate) longest_wait: Duration,
    turns: Arc<Turns>,
    queue: mpsc::Sender<PreviewId>,
    orders: tokio::sync::Mutex<mpsc::Receiver<PreviewId>>,
    /// Those that wait or are worked on.
    current: Mutex<BTreeMap<PreviewId, OpenPreview>>,
    /// Where the work is done, while it is.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Orders since the last sweep, and who sweeps.
    ordered: AtomicUsize,
    sweeping: Notify,
}

/// What the work asks of the server.
#[derive(Debug)]
pub(crate) struct PreviewContext {
    pub(crate) sites: Arc<Sites>,
    pub(crate) settings: Arc<CurrentSettings>,
    pub(crate) metrics: Arc<Metrics>,
}

/// A preview that waits or is worked on.
struct OpenPreview {
    changes: watch::Sender<PreviewRecord>,
    /// Who ordered it.
    tenant: Tenant,
}

impl Previews {
    pub(crate) fn new(config: &Config, stores: Stores, meter: Meter) -> Self {
        let (queue, orders) = mpsc::channel(MOST);
        Self {
            previewer: Previewer::new(config, Some(Arc::clone(&stores.state))).metered(meter),
            stores,
            patience: PATIENCE,
            longest_wait: LONGEST_WAIT,
            turns: Arc::new(Turns::with(ROOM)),
            queue,
            orders: tokio::sync::Mutex::new(orders),
            current: Mutex::default(),
            thread: Mutex::default(),
            ordered: AtomicUsize::new(0),
            sweeping: Notify::new(),
        }
    }

    /// Lets a preview wait for its turn.
    pub(crate) async fn order(
        self: &Arc<Self>,
        preview: PreviewRecord,
        tenant: Tenant,
    ) -> Result<(), ApiError> {
        let busy = |_| ApiError::Busy("too many previews wait; try again later");
        let place = self.queue.clone().try_reserve_owned().map_err(busy)?;
        self.list(preview.clone(), tenant)?;
        let previews = Arc::clone(self);
        // Whoever ordered it may go away meanwhile; it is given on or taken off the list all the same.
        let keep = move || {
            let kept = previews.stores.state.put_preview(&preview, now());
            if previews.ordered.fetch_add(1, Ordering::Relaxed) >= SWEEP_ORDERS {
                previews.ordered.store(0, Ordering::Relaxed);
                previews.sweeping.notify_one();
            }
            match &kept {
                Ok(()) => drop(place.send(preview.id)),
                Err(_) => drop(previews.current().remove(&preview.id)),
            }
            kept
        };
        Ok(tokio::task::spawn_blocking(keep).await??)
    }

    /// Takes a preview among those that wait, if there is room.
    fn list(&self, preview: PreviewRecord, tenant: Tenant) -> Result<(), ApiError> {
        let mut current = self.current();
        let open = current
            .values()
            .filter(|known| !known.changes.borrow().is_over());
        let mut all = 0;
        let mut own = 0;
        for known in open {
            all += 1;
            own += usize::from(known.tenant == tenant);
        }
        if own >= MOST_OF_ONE {
            return Err(ApiError::Busy(
                "too many of your previews wait; try again later",
            ));
        }
        if all >= MOST {
            return Err(ApiError::Busy("too many previews wait; try again later"));
        }
        current.insert(
            preview.id,
            OpenPreview {
                changes: watch::Sender::new(preview),
                tenant,
            },
        );
        Ok(())
    }

    /// A preview as far as it is now.
    pub(crate) async fn newest(&self, id: PreviewId) -> Result<Option<PreviewRecord>, ApiError> {
        if let Some(changes) = self.follow(id) {
            return Ok(Some(changes.borrow().clone()));
        }
        self.state(move |state| state.preview(&id)).await
    }

    /// The changes of a preview that waits or is worked on.
    pub(crate) fn follow(&self, id: PreviewId) -> Option<watch::Receiver<PreviewRecord>> {
        self.current()
            .get(&id)
            .map(|known| known.changes.subscribe())
    }

    /// How many wait and are worked on.
    pub(crate) fn queue(&self) -> Queue {
        let mut queue = Queue::default();
        for preview in self.current().values() {
            match preview.changes.borrow().status {
                PreviewStatus::Pending => queue.waiting += 1,
                PreviewStatus::Processing => queue.working += 1,
                PreviewStatus::Ready | PreviewStatus::Failed => {}
            }
        }
        queue
    }

    /// The page of a preview.
    pub(crate) async fn page(&self, id: PreviewId) -> Result<Option<bytes::Bytes>, ApiError> {
        Ok(store::preview(&self.stores.objects.for_readers(), &id).await?)
    }

    /// Those of a subject, or all, as far as they are now; newest first.
    pub(crate) async fn of(&self, subject: Option<String>) -> Result<Vec<PreviewRecord>, ApiError> {
        let mut previews = self
            .state(move |state| state.previews(subject.as_deref(), now()))
            .await?;
        for preview in &mut previews {
            if let Some(changes) = self.follow(preview.id) {
                *preview = changes.borrow().clone();
            }
        }
        Ok(previews)
    }

    /// Forgets a preview with its page. Whoever follows it sees its end, and whoever works on it finds it gone.
    pub(crate) async fn remove(&self, id: PreviewId) -> Result<(), ApiError> {
        if let Some(known) = self.current().remove(&id) {
            known
                .changes
                .send_modify(|preview| preview.fail(PreviewCode::PreviewExpired));
        }
        store::remove_previews(&self.stores.objects.for_readers(), &[id]).await?;
        self.state(move |state| state.remove_preview(&id)).await
    }

    /// Lets those that an earlier process left begin again, and starts the work: on a thread of its own, until `workers` end.
    ///
    /// # Errors
    /// When the state cannot be read, or there is no thread.
    pub(crate) fn start(
        self: &Arc<Self>,
        around: PreviewContext,
        workers: &mut JoinSet<()>,
    ) -> std::io::Result<()> {
        let left = self.left().map_err(std::io::Error::other)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (working, ended) = oneshot::channel::<()>();
        let previews = Arc::clone(self);
        let main = Handle::current();
        let work = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = previews.work(&around, &main, left) => {}
                    _ = ended => {}
                }
            });
            // Whoever looks up a name may take long to notice.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new()
            .name("previews".to_owned())
            .spawn(work)?;
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        workers.spawn(async move {
            let _until_dropped = working;
            std::future::pending().await
        });
        workers.spawn(Arc::clone(self).sweep());
        Ok(())
    }

    /// Waits for the end of the work, once its workers end.
    pub(crate) async fn ended(&self) {
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // Whatever panicked there was told.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }

    /// Lists those that an earlier process left, and that have time left.
    fn left(&self) -> Result<Vec<PreviewId>, StateError> {
        let now = now();
        let left = self
            .stores
            .state
            .recover_previews(now, now - self.longest_wait)?;
        let mut current = self.current();
        let list = |preview: PreviewRecord| {
            let id = preview.id;
            let tenant = preview
                .subject
                .clone()
                .map_or(Tenant::Earlier, Tenant::Subject);
            current.insert(
                id,
                OpenPreview {
                    changes: watch::Sender::new(preview),
                    tenant,
                },
            );
            id
        };
        Ok(left.into_iter().map(list).collect())
    }

    /// Deletes the pages of previews whose time is over or that are too many: now, every hour and after many orders.
    async fn sweep(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = self.sweeping.notified() => {}
            }
            if let Err(error) = self.sweep_once(now()).await {
                tracing::warn!("old previews cannot be swept, it is tried again: {error}");
            }
        }
    }

    pub(crate) async fn sweep_once(
        &self,
        now: Moment,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let state = Arc::clone(&self.stores.state);
        let old = tokio::task::spawn_blocking(move || state.old_previews(now, MOST_KEPT)).await??;
        store::remove_previews(&self.stores.objects, &old).await?;
        let state = Arc::clone(&self.stores.state);
        let before = now - REMEMBERED;
        tokio::task::spawn_blocking(move || state.sweep_previews(&old, now, before)).await??;
        // The end of these could not be written down.
        self.current().retain(|_, known| {
            !known.changes.borrow().is_over() || known.changes.borrow().expires > now
        });
        Ok(())
    }

    /// Works on the state, away from the tasks that answer.
    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = Arc::clone(&self.stores.state);
        Ok(tokio::task::spawn_blocking(move || work(&state)).await??)
    }

    fn current(&self) -> MutexGuard<'_, BTreeMap<PreviewId, OpenPreview>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says nothing about what is previewed.
impl std::fmt::Debug for Previews {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Previews").finish_non_exhaustive()
    }
}
