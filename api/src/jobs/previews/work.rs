//! The work on previews: one after the other takes its turn, is made, and ends.
//!
//! All of it happens on one thread: fetching and engines only wait, and looking into a page keeps the thread busy for as long
//! as the page is in memory. So there is one such page at a time, and what one frees the next one uses: memory that
//! many threads have had stays with each of them. What other threads use too, the store's connections, works elsewhere.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use pipeline::config::SiteConfig;
use pipeline::model::PreviewId;
use pipeline::preview::{PreviewFault, PreviewRequest, host_of};
use pipeline::state::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus, StateError};
use pipeline::store;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::{PreviewContext, Previews, now};
use crate::jobs::turns::{Tenant, TurnPlace};
use crate::public::sites;

impl Previews {
    /// Makes previews, those that are left over and those that are ordered; never ends while the queue exists.
    pub(super) async fn work(&self, around: &PreviewContext, main: &Handle, left: Vec<PreviewId>) {
        let mut orders = self.orders.lock().await;
        let mut making: FuturesUnordered<_> = left
            .into_iter()
            .map(|id| self.make(around, main, id))
            .collect();
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(id) => making.push(self.make(around, main, id)),
                    None => return,
                },
                Some(()) = making.next() => {}
            }
        }
    }

    /// Makes a preview when it is its turn, or writes down why there is none.
    async fn make(&self, around: &PreviewContext, main: &Handle, id: PreviewId) {
        let Some((preview, tenant)) = self.listed(id) else {
            return;
        };
        let turn = self.turns.enter_lane(tenant, host_of(&preview.source_url));
        let outcome = match timeout(self.wait_left(&preview), turn).await {
            Ok(Some(place)) => self.attempt(around, main, id, &place).await,
            Ok(None) | Err(_) => Err(fault(
                PreviewCode::ProcessingTimeout,
                "it waited too long for its turn",
            )),
        };
        if let Err(fault) = &outcome {
            tracing::warn!("a preview failed: {}", fault.reason);
        }
        let Some(ended) = self.record_of_end(id, outcome.err().map(|fault| fault.code)) else {
            return self.forget(main, id).await;
        };
        if let Err(error) = self.stores.state.put_preview(&ended, now()) {
            tracing::error!("a preview could not be written down: {error}");
            around
                .metrics
                .preview_ended(Some(PreviewCode::StorageFailed));
            self.change(id, |preview| preview.fail(PreviewCode::StorageFailed));
            return;
        }
        around.metrics.preview_ended(ended.failure);
        // What is over is in the state; whoever follows it keeps the last word.
        if let Some(known) = self.current().remove(&id) {
            known.changes.send_replace(ended);
        }
    }

    /// Takes back what was made of a preview that was removed meanwhile.
    async fn forget(&self, main: &Handle, id: PreviewId) {
        let objects = self.stores.objects.clone();
        let removed = main
            .spawn(async move { store::remove_previews(&objects, &[id]).await })
            .await;
        if !matches!(removed, Ok(Ok(()))) || self.stores.state.remove_preview(&id).is_err() {
            tracing::warn!(
                "a preview that was removed while it was made may be there until its time is over"
            );
        }
    }

    fn listed(&self, id: PreviewId) -> Option<(PreviewRecord, Tenant)> {
        let current = self.current();
        let known = current.get(&id)?;
        let preview = known.changes.borrow().clone();
        Some((preview, known.tenant.clone()))
    }

    /// How long a preview may still wait; a clock that was put back adds nothing.
    fn wait_left(&self, preview: &PreviewRecord) -> Duration {
        let until = (preview.created + self.longest_wait).min(preview.expires);
        until.since(now()).min(self.longest_wait)
    }

    /// Does the work, as long as there is patience.
    async fn attempt(
        &self,
        around: &PreviewContext,
        main: &Handle,
        id: PreviewId,
        place: &TurnPlace,
    ) -> Result<(), PreviewFault> {
        let begun = self.change(id, |preview| {
            preview.status = PreviewStatus::Processing;
            preview.attempts += 1;
        });
        let Some(preview) = begun else { return Ok(()) };
        self.stores
            .state
            .put_preview(&preview, now())
            .map_err(storage_failed)?;
        let sites = open_sites(&around.sites.list(), &preview);
        let most = around.settings.get().config.preview.max_bytes;
        let wanted = wanted(around, preview);
        let work = timeout(
            self.patience,
            self.page_of(main, id, (&wanted, most), &sites, place),
        );
        match AssertUnwindSafe(work).catch_unwind().await {
            Ok(Ok(made)) => made,
            Ok(Err(_)) => Err(fault(PreviewCode::ProcessingTimeout, "it took too long")),
            Err(_) => Err(fault(PreviewCode::Unknown, "a part of the work panicked")),
        }
    }

    async fn page_of(
        &self,
        main: &Handle,
        id: PreviewId,
        (wanted, most): (&PreviewRequest, u64),
        sites: &[Arc<SiteConfig>],
        place: &TurnPlace,
    ) -> Result<(), PreviewFault> {
        let enter = |stage: PreviewStage| {
            if stage > PreviewStage::FetchingPage {
                place.leave_lane();
            }
            self.enter(id, stage);
        };
        let html = self.previewer.localize(sites, wanted, &enter).await?.html;
        self.enter(id, PreviewStage::Saving);
        self.reserve(id, html.len(), most)?;
        let objects = self.stores.objects.clone();
        let saved = main
            .spawn(async move { store::put_preview(&objects, &id, html.into()).await })
            .await;
        let saved = saved.map_err(|error| fault(PreviewCode::Unknown, error.to_string()))?;
        saved.map_err(|error| fault(PreviewCode::StorageFailed, error.to_string()))
    }

    /// Notes how many bytes a page takes, before it is written, unless the caller's previews would take too many.
    fn reserve(&self, id: PreviewId, bytes: usize, most: u64) -> Result<(), PreviewFault> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let Some(preview) = self.change(id, |preview| preview.bytes = bytes) else {
            return Ok(());
        };
        let beside = self
            .stores
            .state
            .bytes_beside(&preview)
            .map_err(storage_failed)?;
        if beside.saturating_add(bytes) > most {
            self.change(id, |preview| preview.bytes = 0);
            let reason = format!(
                "the previews of this caller would take more than {most} bytes on the disk (max_bytes in [preview]); \
                 wait until older ones expire, or raise it"
            );
            return Err(fault(PreviewCode::StorageFailed, reason));
        }
        self.stores
            .state
            .put_preview(&preview, now())
            .map_err(storage_failed)
    }

    /// Shows that a part of the work begins.
    fn enter(&self, id: PreviewId, stage: PreviewStage) {
        let entered = self.change(id, |preview| preview.stage = preview.stage.max(stage));
        // Where this fails, so does writing down the end, and that is told.
        let _ = entered.map(|preview| self.stores.state.put_preview(&preview, now()));
    }

    /// The record of a preview that ended; nobody sees it before it is kept.
    fn record_of_end(&self, id: PreviewId, code: Option<PreviewCode>) -> Option<PreviewRecord> {
        let (mut preview, _) = self.listed(id)?;
        match code {
            _ if preview.expires <= now() => preview.fail(PreviewCode::PreviewExpired),
            Some(code) => preview.fail(code),
            None => preview.status = PreviewStatus::Ready,
        }
        Some(preview)
    }

    fn change(
        &self,
        id: PreviewId,
        change: impl FnOnce(&mut PreviewRecord),
    ) -> Option<PreviewRecord> {
        let current = self.current();
        let changes = &current.get(&id)?.changes;
        changes.send_modify(change);
        let preview = changes.borrow().clone();
        Some(preview)
    }
}

/// The sites whose pages whoever ordered a preview may have; the others are strangers' sites to it.
pub(crate) fn open_sites(sites: &sites::SiteList, preview: &PreviewRecord) -> Vec<Arc<SiteConfig>> {
    let is_open = |site: &SiteConfig| match &preview.sites {
        Some(seen) => seen
            .iter()
            .any(|known| known == "*" || known == site.id.as_str()),
        None => site.previews,
    };
    sites
        .values()
        .map(|known| &known.config)
        .filter(|site| is_open(site))
        .map(Arc::clone)
        .collect()
}

/// What is wanted, and who pays for it by what the configuration says now.
fn wanted(around: &PreviewContext, preview: PreviewRecord) -> PreviewRequest {
    let payer = around
        .settings
        .get()
        .config
        .payer(preview.subject.as_deref());
    PreviewRequest {
        url: preview.source_url,
        source: preview.source,
        target: preview.target,
        payer,
    }
}

fn fault(code: PreviewCode, reason: impl Into<String>) -> PreviewFault {
    PreviewFault {
        code,
        reason: reason.into(),
    }
}

fn storage_failed(error: StateError) -> PreviewFault {
    fault(PreviewCode::StorageFailed, error.to_string())
}
