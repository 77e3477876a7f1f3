//! What is remembered of hosts that a site was brought to: what lies there, what a publishing that was cut off may have
//! left, and who is at it now.
//!
//! A record says for each name which bytes lie at the host, so the next publishing sends what differs. While one is at
//! work, a second record names everything that it may have changed, so one that was cut off is made good by the next, to
//! whatever deployment that leads. Whoever works holds a lock: in a folder it is given back when the process ends, in a
//! bucket it has an age.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::SiteKeys;
use super::listed::ListedObject;
use super::lock::{LockAttempt, attempt};
use super::objects::Created;
use super::record::{decode, encode};
use super::{Objects, StoreError};
use crate::model::{Moment, SiteId, TargetName};

/// After this time without a sign, a lock in a bucket is nobody's.
const LOCK_AGE: Duration = Duration::from_secs(600);

/// What lies at a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Which place this is about: a target that was sent elsewhere knows nothing of what lies there.
    #[serde(default)]
    pub place: String,
    /// The deployment that was published.
    pub deployment: u64,
    /// What lies there, by name.
    pub objects: BTreeMap<String, SentFile>,
    /// What no page names any more and is still there, with the time since when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub leaving: BTreeMap<String, Moment>,
}

/// A file as it lies at a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFile {
    /// The hash of its bytes, and of what is said about them where the target keeps that.
    pub hash: String,
    /// Its length in bytes.
    pub size: u64,
    /// By what the target knows these bytes, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

/// The first line of what a publishing at work has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Heading {
    place: String,
}

/// Each other line: a name alone before, with what lies there after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TargetLine {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<SentFile>,
}

/// Who works on a target.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct TargetHolder {
    who: String,
    deployment: u64,
    #[serde(default)]
    id: String,
}

/// The place of one target's records in a store.
#[derive(Clone, Debug)]
pub struct TargetStore<'a> {
    objects: &'a Objects,
    site: &'a SiteId,
    name: &'a TargetName,
    place: String,
}

/// Held while one publishes.
#[derive(Debug)]
pub struct TargetLock {
    note: TargetHolder,
    file: Option<File>,
}

impl<'a> TargetStore<'a> {
    /// The records of a target of a site; `place` says where it is.
    pub fn of(objects: &'a Objects, site: &'a SiteId, name: &'a TargetName, place: String) -> Self {
        Self {
            objects,
            site,
            name,
            place,
        }
    }

    /// What lies at the target, as far as anybody knows; what a publishing that was cut off may have changed is left out,
    /// and its names are given beside it.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed, or when a record is damaged.
    pub async fn read(&self) -> Result<(Option<TargetRecord>, BTreeSet<String>), StoreError> {
        let key = SiteKeys(self.site).target(self.name, "json")?;
        let record = self.objects.get(&key).await?;
        let record: Option<TargetRecord> = record
            .map(|bytes| decode(&bytes, key.as_ref()))
            .transpose()?;
        let mut record = record.filter(|record| record.place == self.place);
        let mut unknown = BTreeSet::new();
        let partial = SiteKeys(self.site).target(self.name, "partial.jsonl")?;
        let is_here = |bytes: &Bytes| {
            let heading = bytes
                .split(|byte| *byte == b'\n')
                .next()
                .and_then(|line| serde_json::from_slice(line).ok());
            heading.is_some_and(|heading: Heading| heading.place == self.place)
        };
        if let Some(bytes) = self.objects.get(&partial).await?.filter(is_here) {
            let known = record.get_or_insert_default();
            known.place.clone_from(&self.place);
            // A line that was cut off says nothing that an earlier one did not.
            for line in bytes
                .split(|byte| *byte == b'\n')
                .filter_map(|line| serde_json::from_slice::<TargetLine>(line).ok())
            {
                known.leaving.remove(&line.name);
                match line.sent {
                    Some(sent) => {
                        unknown.remove(&line.name);
                        known.objects.insert(line.name, sent);
                    }
                    None => {
                        known.objects.remove(&line.name);
                        unknown.insert(line.name);
                    }
                }
            }
        }
        Ok((record, unknown))
    }

    /// Remembers what lies there now, and forgets what was at work.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed.
    pub async fn write(&self, record: &TargetRecord) -> Result<(), StoreError> {
        let key = SiteKeys(self.site).target(self.name, "json")?;
        self.objects
            .put_durably(&key, encode(record, key.as_ref())?)
            .await?;
        self.objects
            .delete(vec![
                SiteKeys(self.site).target(self.name, "partial.jsonl")?,
            ])
            .await
    }

    /// Notes what may be changed from now on (`planned`), and what was done of it.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed.
    pub async fn note(
        &self,
        planned: &BTreeSet<String>,
        done: &BTreeMap<String, SentFile>,
    ) -> Result<(), StoreError> {
        let key = SiteKeys(self.site).target(self.name, "partial.jsonl")?;
        let mut text = encode(
            &Heading {
                place: self.place.clone(),
            },
            key.as_ref(),
        )?
        .to_vec();
        let line = |name: &String, sent: Option<&SentFile>| TargetLine {
            name: name.clone(),
            sent: sent.cloned(),
        };
        for line in planned.iter().map(|name| line(name, done.get(name))) {
            text.extend_from_slice(&encode(&line, key.as_ref())?);
        }
        self.objects.put_durably(&key, text.into()).await
    }

    /// Takes the target, for publishing a deployment. `who` is shown to whoever comes second.
    ///
    /// # Errors
    /// [`StoreError::TargetHeld`] while somebody else is at it; another [`StoreError`] when the store failed.
    pub async fn take(&self, who: &str, deployment: u64) -> Result<TargetLock, StoreError> {
        let key = SiteKeys(self.site).target(self.name, "lock")?;
        let note = TargetHolder {
            who: who.to_owned(),
            deployment,
            id: Uuid::new_v4().simple().to_string(),
        };
        let bytes = encode(&note, key.as_ref())?;
        let held = |by: &[u8], free: String| {
            let by: TargetHolder = serde_json::from_slice(by).unwrap_or_default();
            StoreError::TargetHeld {
                target: self.name.to_string(),
                by: by.who,
                free,
            }
        };
        if let Some(path) = self.objects.path(&key) {
            let file = match attempt(&path)? {
                Some(LockAttempt::Taken) => {
                    return Err(held(
                        &std::fs::read(&path).unwrap_or_default(),
                        "wait until it is done".to_owned(),
                    ));
                }
                Some(LockAttempt::Held(file)) => Some(file),
                None => None,
            };
            if let Some(file) = &file {
                let written = file.set_len(0).and_then(|()| (&*file).write_all(&bytes));
                written.map_err(|source| StoreError::Disk {
                    doing: "write",
                    path,
                    source,
                })?;
            }
            return Ok(TargetLock { note, file });
        }
        if let Created::Other(there) = self.objects.create(&key, bytes.clone()).await? {
            let age = SystemTime::now()
                .duration_since(self.objects.written(&key).await?)
                .unwrap_or_default();
            if let Some(left) = LOCK_AGE.checked_sub(age) {
                let minutes = left.as_secs() / 60 + 1;
                return Err(held(
                    &there,
                    format!("wait until it is done; if it was killed, try again in {minutes} min"),
                ));
            }
            self.objects.put(&key, bytes).await?;
            // Of two who found it abandoned, the later one has it.
            let lock = TargetLock { note, file: None };
            return self.renew(&lock).await.map(|()| lock);
        }
        Ok(TargetLock { note, file: None })
    }

    /// Gives a sign that one is still at it.
    ///
    /// # Errors
    /// [`StoreError::TargetHeld`] when somebody else has taken the target meanwhile.
    pub async fn renew(&self, lock: &TargetLock) -> Result<(), StoreError> {
        let key = SiteKeys(self.site).target(self.name, "lock")?;
        if lock.file.is_some() {
            return Ok(());
        }
        let there = self.objects.get(&key).await?.unwrap_or_default();
        let by: TargetHolder = serde_json::from_slice(&there).unwrap_or_default();
        if !there.is_empty() && by.id != lock.note.id {
            let free = "this one took too long; publish again".to_owned();
            return Err(StoreError::TargetHeld {
                target: self.name.to_string(),
                by: by.who,
                free,
            });
        }
        self.objects
            .put(&key, encode(&lock.note, key.as_ref())?)
            .await
    }

    /// Gives the target back.
    ///
    /// # Errors
    /// A [`StoreError`] when the store failed; then the lock has an age.
    pub async fn release(&self, lock: TargetLock) -> Result<(), StoreError> {
        match &lock.file {
            Some(file) => {
                let key = SiteKeys(self.site).target(self.name, "lock")?;
                let path = self.objects.path(&key).unwrap_or_default();
                file.set_len(0).map_err(|source| StoreError::Disk {
                    doing: "write",
                    path,
                    source,
                })
            }
            // Somebody else's stays.
            None => match self.renew(&lock).await {
                Ok(()) => {
                    self.objects
                        .delete(vec![SiteKeys(self.site).target(self.name, "lock")?])
                        .await
                }
                Err(StoreError::TargetHeld { .. }) => Ok(()),
                Err(error) => Err(error),
            },
        }
    }
}

/// The deployments that targets show or are about to show, which no sweep may take away.
pub(super) async fn named_by_targets(
    objects: &Objects,
    site: &SiteId,
) -> Result<BTreeSet<u64>, StoreError> {
    #[derive(Deserialize)]
    struct NamedDeployment {
        deployment: u64,
    }
    let mut named = BTreeSet::new();
    for ListedObject { key, .. } in objects.list(&SiteKeys(site).targets()?).await? {
        let is_record = key
            .filename()
            .is_some_and(|name| name.ends_with(".json") || name.ends_with(".lock"));
        let bytes: Option<Bytes> = if is_record {
            objects.get(&key).await?
        } else {
            None
        };
        // A record that nobody can read names nothing.
        let found = bytes.and_then(|bytes| serde_json::from_slice::<NamedDeployment>(&bytes).ok());
        named.extend(found.map(|found| found.deployment));
    }
    Ok(named)
}
