//! Publishing: from a deployment and what is remembered of a target to the target as it should be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};

use super::error::TargetError;
use super::folder::{self, Folder, Release, failed};
use super::plan::Plan;
use super::program;
use super::report::{Change, Changed, PublishReport};
use super::wanted::{Item, Wanted, What, wanted};
use crate::config::{FolderLayout, PublishConfig, PublishTo};
use crate::hosts::{self, HostFile, Redirects};
use crate::publish::{
    Objects, Outside, PublishError, Published, Sent, TargetLock, TargetRecord, TargetStore, deployments,
};

/// Files that are sent at the same time.
const PARALLEL: usize = 16;
/// How often it is noted what was sent, and that one is still at it.
const NOTED: Duration = Duration::from_secs(5);

/// How a site is published.
#[derive(Clone, Debug)]
pub struct PublishOptions {
    /// The id or the number of a deployment; the newest without.
    pub deployment: Option<String>,
    /// Nothing is changed.
    pub dry_run: bool,
    /// The target is listed, and what others changed there is put right.
    pub verify: bool,
    /// What Latimer did not put there is deleted, too; goes with `verify`.
    pub delete: bool,
    /// Who publishes, for whoever comes second.
    pub who: String,
    /// The time, in milliseconds since 1970.
    pub now: u64,
    /// How long one waits for a bucket that does not answer.
    pub patience: Duration,
}

impl PublishOptions {
    /// Publishes the newest deployment.
    pub fn newest(who: String, now: u64, patience: Duration) -> Self {
        Self { deployment: None, dry_run: false, verify: false, delete: false, who, now, patience }
    }
}

/// Brings a deployment to a target; `progress` gets how many files of how many are sent.
///
/// # Errors
/// A [`TargetError`]. One that is about what the host can do comes before anything is sent; after any other, the next
/// publishing goes on.
pub async fn publish(
    target: &PublishConfig,
    objects: &Objects,
    options: &PublishOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<PublishReport, TargetError> {
    let published = deployment(target, objects, options).await?;
    let wanted = wanted(&published, target)?;
    let store = TargetStore::of(objects, &target.site, &target.name, place_of(&target.to));
    let mut work = Publishing { target, objects, options, progress, published, wanted, store };
    if options.dry_run {
        let (_, plan, report) = work.plan().await?;
        return Ok(work.told(&plan, report));
    }
    let lock = work.store.take(&options.who, work.published.deployment()).await?;
    let store = work.store.clone();
    let done = tokio::select! {
        done = work.perform() => done,
        error = stay(&store, &lock) => Err(error.into()),
    };
    let released = work.store.release(lock).await;
    let report = done?;
    released?;
    Ok(report)
}

/// Gives a sign now and then, until the target is somebody else's.
async fn stay(store: &TargetStore<'_>, lock: &TargetLock) -> PublishError {
    let mut clock = tokio::time::interval(NOTED);
    loop {
        clock.tick().await;
        if let Err(error) = store.renew(lock).await {
            return error;
        }
    }
}

/// What makes a place another one.
fn place_of(to: &PublishTo) -> String {
    match to {
        PublishTo::Folder { folder, layout } => format!("{layout:?} {}", folder.display()),
        PublishTo::Bucket { url, options, .. } => {
            let endpoint = options.iter().find(|(name, _)| name.ends_with("endpoint")).map(|(_, endpoint)| endpoint);
            format!("{url} {}", endpoint.map_or("", String::as_str))
        }
        PublishTo::Command { command, .. } => {
            // Its arguments may hold secrets.
            format!("command {}", blake3::hash(command.join("\0").as_bytes()).to_hex())
        }
    }
}

/// The deployment that is asked for.
async fn deployment(
    target: &PublishConfig,
    objects: &Objects,
    options: &PublishOptions,
) -> Result<Published, TargetError> {
    let Some(asked) = &options.deployment else {
        let newest = Published::newest(objects, &target.site, None).await?;
        return newest.ok_or_else(|| TargetError::NothingBuilt(target.site.clone()));
    };
    let kept = deployments(objects, &target.site).await?;
    let is_it = |number: u64, id: &str| *asked == id || *asked == number.to_string();
    let found = kept.iter().find(|one| is_it(one.commit.deployment, &one.id.to_string()));
    let Some(found) = found else {
        let all: Vec<String> = kept.iter().map(|one| format!("{} ({})", one.commit.deployment, one.id)).collect();
        let (site, wanted) = (target.site.clone(), asked.clone());
        return Err(TargetError::NoDeployment { site, wanted, kept: all.join(", ") });
    };
    Ok(Published::load(objects, &target.site, found.commit.deployment, None).await?)
}

struct Publishing<'a> {
    target: &'a PublishConfig,
    objects: &'a Objects,
    options: &'a PublishOptions,
    progress: &'a (dyn Fn(usize, usize) + Sync),
    published: Published,
    wanted: Wanted,
    store: TargetStore<'a>,
}

/// Where files go.
enum Place {
    Folder(Folder),
    Bucket(Outside),
}

impl Publishing<'_> {
    /// What must change, by the record or, with `--verify`, by what lies there.
    async fn plan(&mut self) -> Result<(TargetRecord, Plan, PublishReport), TargetError> {
        let (record, mut unknown) = self.store.read().await?;
        let mut record = record.unwrap_or_default();
        record.place = place_of(&self.target.to);
        let mut report = self.report();
        if self.options.verify {
            let foreign = self.verify(&mut record).await?;
            if self.options.delete {
                unknown.extend(foreign);
            } else {
                report.foreign = foreign;
            }
        }
        let plan = Plan::of(&self.wanted, &record, &unknown, self.target.keep, self.options.now);
        report.known = record.objects.keys().chain(record.leaving.keys()).cloned().collect();
        Ok((record, plan, report))
    }

    fn report(&self) -> PublishReport {
        let differs = hosts::ability(self.target.host).differs.to_vec();
        PublishReport {
            target: self.target.name.to_string(),
            site: self.target.site.to_string(),
            host: self.target.host.to_string(),
            deployment: self.published.deployment(),
            deployment_id: self.published.id().to_string(),
            dry_run: self.options.dry_run,
            host_files: self.host_files(),
            differs,
            ..PublishReport::default()
        }
    }

    /// The host's own files as they would be.
    fn host_files(&self) -> Vec<HostFile> {
        let inside = self.wanted.items.iter().filter(|(_, item)| super::plan::is_rule(item));
        let inside = inside.filter_map(|(name, item)| match &item.what {
            What::Text(text) => Some(HostFile {
                name: name.clone(),
                is_beside: false,
                text: String::from_utf8_lossy(text).into_owned(),
            }),
            What::File { .. } => None,
        });
        self.wanted.beside.iter().cloned().chain(inside).collect()
    }

    /// Fills in what a plan does.
    fn told(&self, plan: &Plan, mut report: PublishReport) -> PublishReport {
        report.sent = plan.puts.len();
        report.bytes = plan.puts.iter().map(|(_, item)| item.size).sum();
        report.removed = plan.deletes.len() + plan.in_the_way.len();
        report.leaving = plan.leaving.len();
        report.unchanged = self.wanted.items.len() - plan.puts.len();
        for (name, item) in &plan.puts {
            let change = if report.known.contains(name) { Changed::Replaced } else { Changed::Added };
            report.changes.push(Change { change, name: name.clone(), bytes: item.size });
        }
        for name in plan.in_the_way.iter().chain(&plan.deletes) {
            report.changes.push(Change { change: Changed::Removed, name: name.clone(), bytes: 0 });
        }
        report
    }

    /// Does it.
    async fn perform(&mut self) -> Result<PublishReport, TargetError> {
        let (record, plan, report) = self.plan().await?;
        self.claim(&record).await?;
        let mut report = self.told(&plan, report);
        let objects = if plan.is_empty() && !self.options.verify {
            record.objects.clone()
        } else {
            match &self.target.to {
                PublishTo::Folder { folder, layout: FolderLayout::Releases } => {
                    self.store.note(&plan.names(), &BTreeMap::new()).await?;
                    self.release(folder, &record, &plan).await?
                }
                PublishTo::Folder { folder, layout: FolderLayout::Plain } => {
                    let place = Place::Folder(blocking(folder, Folder::open).await?);
                    self.in_place(&place, &record, &plan).await?
                }
                PublishTo::Bucket { url, options, .. } => {
                    let place = Place::Bucket(Outside::open(url, options, self.options.patience)?);
                    self.in_place(&place, &record, &plan).await?
                }
                PublishTo::Command { folder, command } => {
                    // What the program does, and whether it ended, nobody knows while it is at it.
                    self.store.note(&plan.names(), &BTreeMap::new()).await?;
                    self.by_program(folder, command).await?
                }
            }
        };
        report.reload = self.beside().await?;
        let place = record.place.clone();
        let done = TargetRecord { place, deployment: self.published.deployment(), objects, leaving: plan.leaving };
        if done != record || !plan.puts.is_empty() {
            self.store.write(&done).await?;
        }
        Ok(report)
    }

    /// Refuses a folder that holds something which would be lost.
    async fn claim(&self, record: &TargetRecord) -> Result<(), TargetError> {
        let PublishTo::Folder { folder, layout } = &self.target.to else { return Ok(()) };
        match layout {
            FolderLayout::Releases => {
                let owner = format!("{} of {}", self.target.name, self.target.site);
                blocking(folder, move |to| folder::claim(to, &owner)).await
            }
            FolderLayout::Plain => {
                let rules = self
                    .wanted
                    .items
                    .iter()
                    .filter(|(name, item)| super::plan::is_rule(item) && !record.objects.contains_key(*name));
                for (name, item) in rules {
                    let What::Text(text) = &item.what else { continue };
                    let path = folder.join(name);
                    let is_other = tokio::fs::read(&path).await.is_ok_and(|there| there != text[..]);
                    let (_, unknown) = self.store.read().await?;
                    if is_other && !unknown.contains(name) {
                        return Err(TargetError::Foreign { path, what: "rules" });
                    }
                }
                Ok(())
            }
        }
    }

    /// Changes the files themselves, in the safe order.
    async fn in_place(
        &self,
        place: &Place,
        record: &TargetRecord,
        plan: &Plan,
    ) -> Result<BTreeMap<String, Sent>, TargetError> {
        let names = plan.names();
        self.store.note(&names, &BTreeMap::new()).await?;
        place.remove(&plan.in_the_way).await?;
        let mut done = BTreeMap::new();
        let sent = self.send(place, plan, &names, &mut done).await;
        if sent.is_err() {
            self.store.note(&names, &done).await?;
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
        plan: &Plan,
    ) -> Result<BTreeMap<String, Sent>, TargetError> {
        let changed: BTreeSet<&String> = plan.puts.iter().map(|(name, _)| name).collect();
        let stays = self.wanted.items.keys().filter(|name| !changed.contains(name));
        let stays: Vec<String> = stays.chain(plan.leaving.keys()).cloned().collect();
        let release = blocking(to, move |to| Release::begin(to, stays.iter())).await?;
        let mut done = BTreeMap::new();
        let place = Place::Folder(release.folder.clone());
        self.send(&place, plan, &BTreeSet::new(), &mut done).await?;
        tokio::task::spawn_blocking(move || release.show()).await??;
        Ok(self.now_there(record, done))
    }

    /// Makes a folder and gives it to the host's own program. Only what the program took is remembered.
    async fn by_program(&self, folder: &Path, command: &[String]) -> Result<BTreeMap<String, Sent>, TargetError> {
        let layout_is_one = self.wanted.beside.len() < 2;
        if !layout_is_one || self.many_trees() && hosts::ability(self.target.host).redirects != Redirects::Any {
            let (target, host) = (self.target.name.clone(), self.target.host);
            return Err(TargetError::ManyTrees { target, host, trees: self.trees() });
        }
        let place = Place::Folder(blocking(folder, Folder::open).await?);
        let ledger = beside(folder, "latimer.json");
        let known: Option<TargetRecord> =
            tokio::fs::read(&ledger).await.ok().and_then(|text| serde_json::from_slice(&text).ok());
        let there = blocking(folder, |folder| Folder::at(folder).list()).await?;
        if known.is_none() && !there.is_empty() {
            return Err(TargetError::Foreign { path: folder.to_path_buf(), what: "files" });
        }
        let known = known.unwrap_or_default();
        let is_whole = |(name, sent): &(&String, &Sent)| there.get(*name).is_some_and(|(hash, _)| *hash == sent.hash);
        let objects: BTreeMap<String, Sent> =
            known.objects.iter().filter(is_whole).map(|(name, sent)| (name.clone(), sent.clone())).collect();
        let leaving = known.leaving.into_iter().filter(|(name, _)| there.contains_key(name)).collect();
        // Ours, but not as it was: somebody was cut off.
        let others = known.objects.keys().filter(|name| there.contains_key(*name) && !objects.contains_key(*name));
        let others: BTreeSet<String> = others.cloned().collect();
        let known = TargetRecord { objects, leaving, ..known };
        let plan = Plan::of(&self.wanted, &known, &others, self.target.keep, self.options.now);
        let mut begun = known.clone();
        begun.objects.extend(plan.names().into_iter().map(|name| (name, Sent::default())));
        keep_ledger(&ledger, &begun).await?;
        place.remove(&plan.in_the_way).await?;
        let mut done = BTreeMap::new();
        self.send(&place, &plan, &BTreeSet::new(), &mut done).await?;
        place.remove(&plan.deletes).await?;
        place.close().await?;
        let objects = self.now_there(&known, done);
        let place = known.place;
        let now = TargetRecord { place, deployment: self.published.deployment(), objects, leaving: plan.leaving };
        keep_ledger(&ledger, &now).await?;
        program::run(command, folder).await?;
        Ok(now.objects)
    }

    /// Sends what a plan names, group by group.
    async fn send(
        &self,
        place: &Place,
        plan: &Plan,
        names: &BTreeSet<String>,
        done: &mut BTreeMap<String, Sent>,
    ) -> Result<(), TargetError> {
        let total = plan.puts.len();
        let mut clock = tokio::time::interval(NOTED);
        clock.tick().await;
        for group in plan.groups() {
            let puts = group.iter().map(|(name, item)| async move { (name, item, self.put(place, name, item).await) });
            let mut puts = stream::iter(puts).buffer_unordered(PARALLEL);
            loop {
                tokio::select! {
                    put = puts.next() => {
                        let Some((name, item, etag)) = put else { break };
                        let sent = Sent { hash: item.hash.clone(), size: item.size, etag: etag? };
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

    async fn put(&self, place: &Place, name: &str, item: &Item) -> Result<Option<String>, TargetError> {
        let bytes = self.bytes(item).await?;
        match place {
            Place::Bucket(bucket) => Ok(bucket.put(name, bytes, &item.about).await?),
            Place::Folder(folder) => {
                let (folder, name) = (folder.clone(), name.to_owned());
                tokio::task::spawn_blocking(move || folder.put(&name, &bytes)).await??;
                Ok(None)
            }
        }
    }

    async fn bytes(&self, item: &Item) -> Result<Bytes, PublishError> {
        match &item.what {
            What::Text(text) => Ok(text.clone()),
            What::File { tree, name, encoding } => {
                let entry = self.published.manifest(tree).and_then(|manifest| manifest.objects.get(name));
                let gone = || PublishError::Damaged { key: name.clone(), reason: "its record is gone".to_owned() };
                self.published.read(self.objects, tree, name, entry.ok_or_else(gone)?, *encoding).await
            }
        }
    }

    /// What lies there after all of a plan was done.
    fn now_there(&self, before: &TargetRecord, mut done: BTreeMap<String, Sent>) -> BTreeMap<String, Sent> {
        for (name, sent) in &before.objects {
            if self.wanted.items.contains_key(name) {
                done.entry(name.clone()).or_insert_with(|| sent.clone());
            }
        }
        done
    }

    /// Compares a target with its record: what is not there any more, or otherwise, is taken out of the record. Gives the
    /// names of what nobody remembers.
    async fn verify(&self, record: &mut TargetRecord) -> Result<Vec<String>, TargetError> {
        let there: BTreeMap<String, Option<String>> = match &self.target.to {
            PublishTo::Folder { folder, layout } => {
                let layout = *layout;
                let list = move |to: &Path| match layout {
                    FolderLayout::Releases => folder::current(to).list(),
                    FolderLayout::Plain => Folder::at(to).list(),
                };
                let found = blocking(folder, list).await?;
                found.into_iter().map(|(name, (hash, _))| (name, Some(hash))).collect()
            }
            PublishTo::Bucket { url, options, .. } => {
                let found = Outside::open(url, options, self.options.patience)?.list().await?;
                found.into_iter().map(|(name, listed)| (name, listed.etag)).collect()
            }
            // Nobody can ask a program what lies there; it is given everything again.
            PublishTo::Command { .. } => return Ok(Vec::new()),
        };
        let is_bucket = matches!(self.target.to, PublishTo::Bucket { .. });
        let is_same = |name: &String, sent: &Sent| match there.get(name) {
            // Ours, and about to go, whatever became of it.
            Some(_) if !self.wanted.items.contains_key(name) => true,
            Some(found) if is_bucket => found.is_none() || sent.etag.is_none() || *found == sent.etag,
            Some(found) => found.as_ref() == Some(&sent.hash),
            None => false,
        };
        record.objects.retain(|name, sent| is_same(name, sent));
        record.leaving.retain(|name, _| there.contains_key(name));
        let is_known = |name: &String| {
            self.wanted.items.contains_key(name)
                || record.leaving.contains_key(name)
                || record.objects.contains_key(name)
        };
        Ok(there.into_keys().filter(|name| !is_known(name)).collect())
    }

    /// Writes the files for the configuration of a server; gives those that changed.
    async fn beside(&self) -> Result<Vec<String>, TargetError> {
        let mut changed = Vec::new();
        for HostFile { name, text, .. } in &self.wanted.beside {
            let place = match &self.target.to {
                PublishTo::Folder { folder, layout: FolderLayout::Releases } => folder.join(name),
                PublishTo::Folder { folder, .. } | PublishTo::Command { folder, .. } => beside(folder, name),
                PublishTo::Bucket { .. } => continue,
            };
            if tokio::fs::read(&place).await.is_ok_and(|there| there == text.as_bytes()) {
                continue;
            }
            let draft = beside(&place, "new");
            tokio::fs::write(&draft, text).await.map_err(failed("write", &draft))?;
            tokio::fs::rename(&draft, &place).await.map_err(failed("write", &place))?;
            changed.push(place.display().to_string());
        }
        Ok(changed)
    }

    fn trees(&self) -> usize {
        hosts::Layout::of(&self.published, false).roots.len()
    }

    fn many_trees(&self) -> bool {
        self.trees() > 1
    }
}

impl Place {
    async fn remove(&self, names: &[String]) -> Result<(), TargetError> {
        match self {
            Self::Bucket(bucket) => Ok(bucket.delete(names).await?),
            Self::Folder(folder) => {
                let (folder, names) = (folder.clone(), names.to_vec());
                tokio::task::spawn_blocking(move || names.iter().try_for_each(|name| folder.remove(name))).await?
            }
        }
    }

    async fn close(&self) -> Result<(), TargetError> {
        match self {
            Self::Bucket(_) => Ok(()),
            Self::Folder(folder) => {
                let folder = folder.clone();
                tokio::task::spawn_blocking(move || folder.close()).await?
            }
        }
    }
}

/// Keeps what lies in the folder that a program is given.
async fn keep_ledger(ledger: &Path, record: &TargetRecord) -> Result<(), TargetError> {
    let text = serde_json::to_vec(record).unwrap_or_default();
    tokio::fs::write(ledger, text).await.map_err(failed("write", ledger))
}

/// The name of a file beside a folder: `FOLDER.NAME`.
fn beside(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.components().collect::<PathBuf>().into_os_string();
    path.push(".");
    path.push(name);
    path.into()
}

/// Does something with a folder where waiting for the disk harms nobody.
async fn blocking<T: Send + 'static>(
    folder: &Path,
    work: impl FnOnce(&Path) -> Result<T, TargetError> + Send + 'static,
) -> Result<T, TargetError> {
    let folder = folder.to_path_buf();
    tokio::task::spawn_blocking(move || work(&folder)).await?
}
