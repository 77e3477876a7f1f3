//! Telling the endpoints of sites what happened: what is due in the state is tried, and how it went is written down.
//!
//! A message may be brought twice, where a process ends between the answer and the note of it, and is never forgotten. Few
//! are tried at a time, and of an endpoint fewer, so one that hangs keeps no other waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use pipeline::config::Config;
use pipeline::net::Lookup;
use pipeline::run::{self, BuildError, Stores, now};
use pipeline::state::{DeliverySlots, Due, EndedDelivery, State, StateError};
use pipeline::webhooks::{DisabledBecause, Sender};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::on_state::on_state;
use crate::public::served::Served;
use crate::public::sites::Sites;

/// Tries at the same time. Endpoints that hang take their time at each try, so half of the places are for others.
const PLACES: DeliverySlots = DeliverySlots {
    all: 16,
    of_site: 6,
    of_endpoint: 2,
    of_failing: 8,
};
/// How long one waits at most before looking again, and after the state failed.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(2);
/// How often it is looked whether readers get another deployment.
const LOOK: Duration = Duration::from_secs(1);
/// How often old deliveries are swept.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// Delivers webhooks.
#[derive(Debug)]
pub(crate) struct WebhookDispatcher {
    stores: Stores,
    sites: Arc<Sites>,
    sender: RwLock<Arc<Sender>>,
    trying: Mutex<BTreeSet<Due>>,
    /// Notified when a try has ended.
    ended: Notify,
}

impl WebhookDispatcher {
    pub(crate) fn new(config: &Config, stores: Stores, sites: Arc<Sites>) -> Self {
        let sender = RwLock::new(Arc::new(sender(config)));
        Self {
            stores,
            sites,
            sender,
            trying: Mutex::default(),
            ended: Notify::new(),
        }
    }

    /// Goes by another configuration from now on.
    pub(crate) fn adopt(&self, config: &Config) {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(sender(config));
    }

    /// What sends now.
    pub(crate) fn sender(&self) -> Arc<Sender> {
        Arc::clone(&self.sender.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts telling, until `workers` end.
    pub(crate) fn start(self: &Arc<Self>, served: &Arc<Served>, workers: &mut JoinSet<()>) {
        workers.spawn(Arc::clone(self).deliver());
        workers.spawn(Arc::clone(self).watch(Arc::clone(served)));
        workers.spawn(Arc::clone(self).sweep());
    }

    /// Tries what is due, without end.
    async fn deliver(self: Arc<Self>) {
        if let Err(error) = self.state(|state| state.recover_deliveries(now())).await {
            tracing::warn!("webhooks cannot be read yet: {error}");
        }
        let mut tries = JoinSet::new();
        loop {
            let wait = match self.due().await {
                Ok((due, wait)) => {
                    for due in due {
                        let webhooks = Arc::clone(&self);
                        tries.spawn(async move { webhooks.take(due).await });
                    }
                    wait
                }
                Err(error) => {
                    tracing::warn!("webhooks cannot be read, it is tried again: {error}");
                    PAUSE
                }
            };
            tokio::select! {
                () = self.stores.state.webhook_news() => {}
                () = self.ended.notified() => {}
                Some(_) = tries.join_next() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// What is to be tried now, listed as being tried, and how long to wait for the next.
    async fn due(&self) -> Result<(Vec<Due>, Duration), BuildError> {
        let known = self.trying().clone();
        if known.len() >= PLACES.all {
            return Ok((Vec::new(), PATIENCE));
        }
        let (due, next) = self
            .state(move |state| state.due_deliveries(now(), PLACES, &known))
            .await?;
        self.trying().extend(due.iter().cloned());
        let wait = next.map_or(PATIENCE, |next| next.since(now()));
        Ok((due, wait.min(PATIENCE)))
    }

    async fn take(&self, due: Due) {
        if let Err(error) = self.attempt(&due).await {
            tracing::warn!(
                "a message of {} could not be written down, it is tried again: {error}",
                due.site
            );
            tokio::time::sleep(PAUSE).await;
        }
        self.trying().remove(&due);
        self.ended.notify_one();
    }

    /// Tries a message once and writes down how it went; nothing where it or its endpoint is gone.
    pub(crate) async fn attempt(&self, due: &Due) -> Result<Option<EndedDelivery>, BuildError> {
        let wanted = due.clone();
        let at = now();
        let Some(message) = self.state(move |state| state.message(&wanted, at)).await? else {
            return Ok(None);
        };
        let attempt = self.sender().attempt(&message, at).await;
        let tried = due.clone();
        let ended = self
            .state(move |state| state.record_attempt(&tried, &attempt, now()))
            .await?;
        if let Some(because) = ended.as_ref().and_then(|ended| ended.stopped) {
            let why = match because {
                DisabledBecause::Gone => "it answered 410",
                DisabledBecause::Failing => "nothing has succeeded for five days",
            };
            tracing::warn!(
                "webhook {} of {} gets nothing any more: {why}",
                due.webhook,
                due.site
            );
        }
        Ok(ended)
    }

    /// Looks which deployments readers get, whoever made them, and has them told; without end.
    async fn watch(self: Arc<Self>, served: Arc<Served>) {
        let mut known = BTreeMap::new();
        loop {
            for site in self.sites.list().keys() {
                let number = served
                    .snapshot()
                    .published(site)
                    .map_or(0, |published| published.deployment());
                if known.get(site) == Some(&number) {
                    continue;
                }
                match run::tell_deployments(&self.stores, site).await {
                    Ok(newest) => drop(known.insert(site.clone(), newest.max(number))),
                    Err(error) => {
                        tracing::warn!("deployments of {site} cannot be told of yet: {error}")
                    }
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Forgets old deliveries, now and every hour.
    async fn sweep(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            ticks.tick().await;
            for site in self.sites.list().keys() {
                let of = site.clone();
                if let Err(error) = self
                    .state(move |state| state.sweep_webhooks(&of, now()))
                    .await
                {
                    tracing::warn!("old deliveries cannot be swept, it is tried again: {error}");
                }
            }
        }
    }

    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, BuildError> {
        on_state(&self.stores.state, work).await
    }

    fn trying(&self) -> MutexGuard<'_, BTreeSet<Due>> {
        self.trying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sender(config: &Config) -> Sender {
    Sender::new(config.webhooks.allow_private, Lookup::System)
}
