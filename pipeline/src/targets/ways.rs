//! The ways to a target: files changed in their place, whole releases, and a host's own program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::error::TargetError;
use super::folder::{Folder, Release, failed};
use super::mark;
use super::place::{TargetPlace, beside, blocking};
use super::plan::PublishPlan;
use super::work::{Publishing, There};
use super::{invalidation, program};
use crate::config::{FolderLayout, PublishTo};
use crate::hosts::HostFile;
use crate::store::{Outside, SentFile, TargetRecord};

impl Publishing<'_> {
    /// Does what a plan says; gives what lies there then.
    pub(super) async fn carry_out(
        &self,
        record: &TargetRecord,
        plan: &PublishPlan,
    ) -> Result<There, TargetError> {
        let names = plan.names();
        // Whatever becomes of this, the next publishing knows what may have changed.
        self.store.note(&names, &BTreeMap::new()).await?;
        match &self.target.to {
            PublishTo::Folder {
                folder,
                layout: FolderLayout::Releases,
            } => self.release(folder, record, plan).await,
            PublishTo::Folder {
                folder,
                layout: FolderLayout::Plain,
            } => {
                let place = TargetPlace::Folder(blocking(folder, Folder::open).await?);
                self.in_place(&place, record, plan, &names).await
            }
            PublishTo::Bucket {
                url,
                options,
                invalidate,
                ..
            } => {
                let place = TargetPlace::Bucket(Box::new(Outside::open(
                    url,
                    options,
                    self.options.patience,
                )?));
                // What was sent before somebody was cut off has to be told, too: all of it is sent again then.
                let noted = if invalidate.is_some() {
                    &BTreeSet::new()
                } else {
                    &names
                };
                let there = self.in_place(&place, record, plan, noted).await?;
                if let Some(distribution) = invalidate.as_ref().filter(|_| !names.is_empty()) {
                    // Where this fails, the next publishing knows of nothing that was sent, and does all of it again.
                    self.store.note(&names, &BTreeMap::new()).await?;
                    program::run(&invalidation::command(distribution, &names), Path::new("."))
                        .await?;
                }
                Ok(there)
            }
            PublishTo::Command { folder, command } => self.by_program(folder, command).await,
        }
    }

    /// Changes the files themselves, in the safe order.
    async fn in_place(
        &self,
        place: &TargetPlace,
        record: &TargetRecord,
        plan: &PublishPlan,
        names: &BTreeSet<String>,
    ) -> Result<There, TargetError> {
        place.remove(&plan.in_the_way).await?;
        let mut done = BTreeMap::new();
        let sent = self.send(place, plan, names, &mut done).await;
        if sent.is_err() && !names.is_empty() {
            self.store.note(names, &done).await?;
        }
        sent?;
        place.remove(&plan.deletes).await?;
        place.close().await?;
        Ok(self.now_there(record, done))
    }

    /// Makes a whole release and switches to it.
    async fn release(
        &self,
        to: &Path,
        record: &TargetRecord,
        plan: &PublishPlan,
    ) -> Result<There, TargetError> {
        let changed: BTreeSet<&String> = plan.puts.iter().map(|(name, _)| name).collect();
        let stays = self
            .wanted
            .items
            .keys()
            .filter(|name| !changed.contains(name));
        let stays: Vec<String> = stays.chain(plan.leaving.keys()).cloned().collect();
        let mark = mark::text(self.target, self.published.settings().url.as_deref());
        let release = blocking(to, move |to| Release::begin(to, &mark, stays.iter())).await?;
        let mut done = BTreeMap::new();
        let place = TargetPlace::Folder(release.folder.clone());
        self.send(&place, plan, &BTreeSet::new(), &mut done).await?;
        tokio::task::spawn_blocking(move || release.show()).await??;
        Ok(self.now_there(record, done))
    }

    /// Makes a folder and gives it to the host's own program. Only what the program took is remembered.
    async fn by_program(&self, folder: &Path, command: &[String]) -> Result<There, TargetError> {
        let place = TargetPlace::Folder(blocking(folder, Folder::open).await?);
        let known = ledger(folder).await.unwrap_or_default();
        let there = place.list().await?;
        let is_there = |name: &String, sent: &SentFile| {
            there
                .get(name)
                .is_some_and(|hash| *hash == Some(sent.hash.clone()))
        };
        let objects: There = known
            .objects
            .iter()
            .filter(|(name, sent)| is_there(name, sent))
            .map(|(n, s)| (n.clone(), s.clone()))
            .collect();
        let leaving = known
            .leaving
            .into_iter()
            .filter(|(name, _)| there.contains_key(name))
            .collect();
        // Ours, but not as it was: somebody was cut off.
        let others = known
            .objects
            .keys()
            .filter(|name| there.contains_key(*name) && !objects.contains_key(*name));
        let others: BTreeSet<String> = others.cloned().collect();
        let known = TargetRecord {
            objects,
            leaving,
            ..known
        };
        let plan = PublishPlan::of(
            &self.wanted,
            &known,
            &others,
            self.target.keep,
            self.options.now,
        );
        let known = TargetRecord {
            place: mark::owner(self.target),
            ..known
        };
        let mut begun = known.clone();
        begun.objects.extend(
            plan.names()
                .into_iter()
                .map(|name| (name, SentFile::default())),
        );
        keep_ledger(folder, &begun).await?;
        let objects = self
            .in_place(&place, &known, &plan, &BTreeSet::new())
            .await?;
        let deployment = self.published.deployment();
        let now = TargetRecord {
            place: known.place,
            deployment,
            objects,
            leaving: plan.leaving,
        };
        keep_ledger(folder, &now).await?;
        program::run(command, folder).await?;
        Ok(now.objects)
    }

    /// Writes the files for the configuration of a server; gives those that changed.
    pub(super) async fn write_beside(&self) -> Result<Vec<String>, TargetError> {
        let mut changed = Vec::new();
        for HostFile { name, text, .. } in &self.wanted.beside {
            let place = match &self.target.to {
                PublishTo::Folder {
                    folder,
                    layout: FolderLayout::Releases,
                }
                | PublishTo::Bucket { folder, .. } => folder.join(name),
                PublishTo::Folder { folder, .. } | PublishTo::Command { folder, .. } => {
                    beside(folder, name)
                }
            };
            // What a program was given may be lost, and what it brought to the host still be there.
            let around = place.parent().unwrap_or(&place);
            tokio::fs::create_dir_all(around)
                .await
                .map_err(failed("make", around))?;
            if tokio::fs::read(&place)
                .await
                .is_ok_and(|there| there == text.as_bytes())
            {
                continue;
            }
            let draft = beside(&place, "new");
            tokio::fs::write(&draft, text)
                .await
                .map_err(failed("write", &draft))?;
            tokio::fs::rename(&draft, &place)
                .await
                .map_err(failed("write", &place))?;
            changed.push(place.display().to_string());
        }
        Ok(changed)
    }
}

const LEDGER: &str = "latimer.json";

/// What lies in the folder that a program is given, as it was written down beside it.
pub(super) async fn ledger(folder: &Path) -> Option<TargetRecord> {
    let text = tokio::fs::read(beside(folder, LEDGER)).await.ok()?;
    serde_json::from_slice(&text).ok()
}

async fn keep_ledger(folder: &Path, record: &TargetRecord) -> Result<(), TargetError> {
    let ledger = beside(folder, LEDGER);
    let text = serde_json::to_vec(record).unwrap_or_default();
    tokio::fs::write(&ledger, text)
        .await
        .map_err(failed("write", &ledger))
}
