//! Publishing: from a deployment and what is remembered of a target to the target as it should be.

use super::error::TargetError;
use super::mark::{self, MARK};
use super::options::PublishOptions;
use super::plan::{PublishPlan, is_rule};
use super::report::{ChangeKind, PublishReport, TargetChange};
use super::wanted::{What, wanted};
use super::work::{NOTED, Publishing};
use crate::config::{PublishConfig, PublishTo};
use crate::hosts::{self, HostFile, HostTexts};
use crate::model::{Host, RedirectBy};
use crate::site_files::ERROR_PAGES;
use crate::store::{
    Objects, Published, StoreError, TargetLock, TargetRecord, TargetStore, Tree, deployments,
};

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
    let mut wanted = wanted(
        &published,
        target,
        &texts(target, &published, objects).await?,
    )?;
    let mark = mark::item(target, published.settings().url.as_deref());
    wanted
        .items
        .extend(mark.map(|item| (MARK.to_owned(), item)));
    let store = TargetStore::of(objects, &target.site, &target.name, place_of(&target.to));
    let mut work = Publishing {
        target,
        objects,
        options,
        progress,
        published,
        wanted,
        store,
    };
    if options.dry_run {
        let (_, plan, report) = work.plan().await?;
        return Ok(work.told(&plan, report));
    }
    let lock = work
        .store
        .take(&options.who, work.published.deployment())
        .await?;
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
async fn stay(store: &TargetStore<'_>, lock: &TargetLock) -> StoreError {
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
            let endpoint = options
                .iter()
                .find(|(name, _)| name.ends_with("endpoint"))
                .map(|(_, endpoint)| endpoint);
            format!("{url} {}", endpoint.map_or("", String::as_str))
        }
        PublishTo::Command { command, .. } => {
            // Its arguments may hold secrets.
            format!(
                "command {}",
                blake3::hash(command.join("\0").as_bytes()).to_hex()
            )
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
    let found = kept
        .iter()
        .find(|one| is_it(one.commit.deployment, &one.id.to_string()));
    let Some(found) = found else {
        let all: Vec<String> = kept
            .iter()
            .map(|one| format!("{} ({})", one.commit.deployment, one.id))
            .collect();
        let site = target.site.clone();
        let wanted = asked.clone();
        return Err(TargetError::NoDeployment {
            site,
            wanted,
            kept: all.join(", "),
        });
    };
    Ok(Published::load(objects, &target.site, found.commit.deployment, None).await?)
}

/// What the host is told word for word: pages for what is not found where it answers with them by itself, and the source's
/// own files for the host where ours are joined with them.
async fn texts(
    target: &PublishConfig,
    published: &Published,
    objects: &Objects,
) -> Result<HostTexts, StoreError> {
    let mut texts = HostTexts::new();
    let is_told = (target.host, target.redirects) == (Host::Cloudfront, RedirectBy::Host);
    for tree in published.trees() {
        let page = ERROR_PAGES
            .iter()
            .filter(|_| is_told)
            .find_map(|path| published.find(tree, path));
        let own = hosts::can_be_joined(target.host).iter();
        let own = own.filter_map(|name| published.manifest(tree)?.objects.get_key_value(name));
        for (name, entry) in page.into_iter().chain(own) {
            let text = published.read(objects, tree, name, entry, None).await?;
            texts.insert(
                (tree.clone(), name.to_owned()),
                String::from_utf8_lossy(&text).into_owned(),
            );
        }
    }
    if target.host == Host::Apache {
        let rules = published
            .source_index(objects)
            .await?
            .unwrap_or_default()
            .rules;
        texts.extend(
            rules
                .into_iter()
                .map(|(name, text)| ((Tree::Shared, name), text)),
        );
    }
    Ok(texts)
}

impl Publishing<'_> {
    /// What must change, by the record or, with `--verify`, by what lies there.
    async fn plan(&mut self) -> Result<(TargetRecord, PublishPlan, PublishReport), TargetError> {
        let (record, mut unknown) = self.store.read().await?;
        let mut record = record.unwrap_or_default();
        record.place = place_of(&self.target.to);
        if !self.options.verify {
            self.claim(&record).await?;
        }
        self.check(&record, &unknown).await?;
        let mut report = self.report();
        if self.options.verify {
            let foreign = self.verify(&mut record).await?;
            self.claim(&record).await?;
            if self.options.delete {
                self.spare(&foreign)?;
                unknown.extend(foreign);
            } else {
                report.foreign = foreign;
            }
        }
        let plan = PublishPlan::of(
            &self.wanted,
            &record,
            &unknown,
            self.target.keep,
            self.options.now,
        );
        report.before = Some(record.deployment).filter(|number| *number > 0);
        report.known = record
            .objects
            .keys()
            .chain(record.leaving.keys())
            .cloned()
            .collect();
        Ok((record, plan, report))
    }

    fn report(&self) -> PublishReport {
        let differs = hosts::ability_with(self.target.host, self.target.redirects)
            .differs
            .to_vec();
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
        let inside = self.wanted.items.iter().filter(|(_, item)| is_rule(item));
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
    fn told(&self, plan: &PublishPlan, mut report: PublishReport) -> PublishReport {
        report.sent = plan.puts.len();
        report.bytes = plan.puts.iter().map(|(_, item)| item.size).sum();
        report.removed = plan.deletes.len() + plan.in_the_way.len();
        report.leaving = plan.leaving.len();
        report.unchanged = self.wanted.items.len() - plan.puts.len();
        for (name, item) in &plan.puts {
            let change = if report.known.contains(name) {
                ChangeKind::Replaced
            } else {
                ChangeKind::Added
            };
            report.changes.push(TargetChange {
                change,
                name: name.clone(),
                bytes: item.size,
            });
        }
        for name in plan.in_the_way.iter().chain(&plan.deletes) {
            report.changes.push(TargetChange {
                change: ChangeKind::Removed,
                name: name.clone(),
                bytes: 0,
            });
        }
        report
    }

    /// Does it.
    async fn perform(&mut self) -> Result<PublishReport, TargetError> {
        let (record, plan, report) = self.plan().await?;
        let mut report = self.told(&plan, report);
        let nothing_to_do = plan.is_empty() && !self.options.verify;
        let objects = if nothing_to_do {
            record.objects.clone()
        } else {
            self.carry_out(&record, &plan).await?
        };
        report.reload = self.write_beside().await?;
        let place = record.place.clone();
        let done = TargetRecord {
            place,
            deployment: self.published.deployment(),
            objects,
            leaving: plan.leaving,
        };
        if done != record || !plan.puts.is_empty() {
            self.store.write(&done).await?;
        }
        Ok(report)
    }
}
