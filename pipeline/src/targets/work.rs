//! A publishing at work: what it goes by, and sending what a plan names.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};

use super::error::TargetError;
use super::options::PublishOptions;
use super::place::TargetPlace;
use super::plan::PublishPlan;
use super::wanted::{WantedFile, WantedFiles, What};
use crate::config::PublishConfig;
use crate::store::{Objects, Published, SentFile, StoreError, TargetRecord, TargetStore};

/// Files that are sent at the same time.
const PARALLEL: usize = 16;
/// How often it is noted what was sent, and that one is still at it.
pub(super) const NOTED: Duration = Duration::from_secs(5);

/// What lies at a target, by name.
pub(super) type There = BTreeMap<String, SentFile>;

/// What a publishing goes by.
pub(super) struct Publishing<'a> {
    pub(super) target: &'a PublishConfig,
    pub(super) objects: &'a Objects,
    pub(super) options: &'a PublishOptions,
    pub(super) progress: &'a (dyn Fn(usize, usize) + Sync),
    pub(super) published: Published,
    pub(super) wanted: WantedFiles,
    pub(super) store: TargetStore<'a>,
}

impl Publishing<'_> {
    /// Sends what a plan names, group by group; notes what was `done` of these names now and then.
    pub(super) async fn send(
        &self,
        place: &TargetPlace,
        plan: &PublishPlan,
        names: &BTreeSet<String>,
        done: &mut There,
    ) -> Result<(), TargetError> {
        let total = plan.puts.len();
        let mut clock = tokio::time::interval(NOTED);
        clock.tick().await;
        for group in plan.groups() {
            let puts = group
                .iter()
                .map(|(name, item)| async move { (name, item, self.put(place, name, item).await) });
            let mut puts = stream::iter(puts).buffer_unordered(PARALLEL);
            loop {
                tokio::select! {
                    put = puts.next() => {
                        let Some((name, item, etag)) = put else { break };
                        let sent = SentFile { hash: item.hash.clone(), size: item.size, etag: etag? };
                        done.insert(name.clone(), sent);
                        (self.progress)(done.len(), total);
                    }
                    _ = clock.tick() => {
                        if !names.is_empty() {
                            self.store.note(names, done).await?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    async fn put(
        &self,
        place: &TargetPlace,
        name: &str,
        item: &WantedFile,
    ) -> Result<Option<String>, TargetError> {
        place.put(name, self.bytes(item).await?, &item.about).await
    }

    async fn bytes(&self, item: &WantedFile) -> Result<Bytes, StoreError> {
        match &item.what {
            What::Text(text) => Ok(text.clone()),
            What::File {
                tree,
                name,
                encoding,
            } => {
                let entry = self
                    .published
                    .manifest(tree)
                    .and_then(|manifest| manifest.objects.get(name));
                let gone = || StoreError::Damaged {
                    key: name.clone(),
                    reason: "its record is gone".to_owned(),
                };
                self.published
                    .read(self.objects, tree, name, entry.ok_or_else(gone)?, *encoding)
                    .await
            }
        }
    }

    /// What lies there after all of a plan was done.
    pub(super) fn now_there(&self, before: &TargetRecord, mut done: There) -> There {
        for (name, sent) in &before.objects {
            if self.wanted.items.contains_key(name) {
                done.entry(name.clone()).or_insert_with(|| sent.clone());
            }
        }
        done
    }
}
