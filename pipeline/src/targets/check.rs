//! What lies at a target already: what would be lost there, and what others changed.

use std::collections::{BTreeMap, BTreeSet};

use super::error::TargetError;
use super::folder::{self, Folder};
use super::mark;
use super::place::{TargetPlace, blocking};
use super::plan::is_rule;
use super::wanted::{WantedFile, What};
use super::ways::ledger;
use super::work::Publishing;
use crate::config::{FolderLayout, PublishTo};
use crate::hosts::{self, Cannot, Redirects};
use crate::store::{Outside, SentFile, TargetRecord};

impl Publishing<'_> {
    /// Refuses a place that holds something which would be lost, and a host that has no room for the trees of many host
    /// names. Of names in `unknown` a publishing that was cut off may have put anything.
    #[expect(
        clippy::too_many_lines,
        reason = "runs the checks of a target in order"
    )]
    pub(super) async fn check(
        &self,
        record: &TargetRecord,
        unknown: &BTreeSet<String>,
    ) -> Result<(), TargetError> {
        self.check_case().await?;
        self.check_links(record, unknown).await?;
        match &self.target.to {
            PublishTo::Folder {
                folder,
                layout: FolderLayout::Releases,
            } => {
                let target = self.target.clone();
                let is_known = !record.objects.is_empty();
                let url = self.published.settings().url.clone();
                let is_ours = move |said: &str| {
                    mark::is_of_target(said, &target)
                        && (is_known || mark::is_ours(said, &target, url.as_deref()))
                };
                blocking(folder, move |to| folder::is_free(to, is_ours)).await
            }
            PublishTo::Folder {
                folder,
                layout: FolderLayout::Plain,
            } => {
                let is_new =
                    |name: &String| !record.objects.contains_key(name) && !unknown.contains(name);
                let rules = self
                    .wanted
                    .items
                    .iter()
                    .filter(|(name, item)| is_rule(item) && is_new(name));
                for (name, item) in rules {
                    let What::Text(text) = &item.what else {
                        continue;
                    };
                    let path = folder.join(name);
                    if tokio::fs::read(&path)
                        .await
                        .is_ok_and(|there| there != text[..])
                    {
                        return Err(TargetError::Foreign {
                            path,
                            what: "rules",
                        });
                    }
                }
                if record.objects.is_empty() && unknown.is_empty() && !self.options.verify {
                    let there = TargetPlace::Folder(Folder::at(folder)).list().await?;
                    let is_other = |(name, item): (&String, &WantedFile)| {
                        there
                            .get(name)
                            .is_some_and(|hash| hash.as_ref() != Some(&item.hash))
                    };
                    if self.wanted.items.iter().any(is_other) {
                        let what = "other files of the same names (which --verify replaces)";
                        return Err(TargetError::Foreign {
                            path: folder.clone(),
                            what,
                        });
                    }
                }
                Ok(())
            }
            PublishTo::Command { folder, .. } => {
                let is_alone = hosts::ability_with(self.target.host, self.target.redirects)
                    .redirects
                    != Redirects::Any;
                if self.wanted.trees > 1 && (is_alone || self.wanted.beside.len() > 1) {
                    let target = self.target.name.clone();
                    let host = self.target.host;
                    return Err(TargetError::ManyTrees {
                        target,
                        host,
                        trees: self.wanted.trees,
                    });
                }
                let ledger = ledger(folder).await;
                // What was written before this was looked at names nobody.
                let by = ledger
                    .as_ref()
                    .map(|ledger| ledger.place.as_str())
                    .filter(|by| !by.is_empty());
                if let Some(by) = by.filter(|by| !mark::is_ours(by, self.target, None)) {
                    return Err(TargetError::Claimed {
                        path: folder.clone(),
                        what: "files",
                        by: by.to_owned(),
                    });
                }
                if ledger.is_some()
                    || TargetPlace::Folder(Folder::at(folder))
                        .list()
                        .await?
                        .is_empty()
                {
                    return Ok(());
                }
                Err(TargetError::Foreign {
                    path: folder.clone(),
                    what: "files",
                })
            }
            PublishTo::Bucket { .. } => Ok(()),
        }
    }

    /// Refuses a folder in which a link would lead files out, before anything is written.
    async fn check_links(
        &self,
        record: &TargetRecord,
        unknown: &BTreeSet<String>,
    ) -> Result<(), TargetError> {
        let (PublishTo::Folder {
            folder,
            layout: FolderLayout::Plain,
        }
        | PublishTo::Command { folder, .. }) = &self.target.to
        else {
            return Ok(());
        };
        let names = self
            .wanted
            .items
            .keys()
            .chain(record.objects.keys())
            .chain(record.leaving.keys())
            .chain(unknown);
        let names: Vec<String> = names.cloned().collect();
        blocking(folder, move |folder| {
            Folder::at(folder).check_links(names.iter())
        })
        .await
    }

    /// Refuses a folder on a disk that takes two names for one.
    async fn check_case(&self) -> Result<(), TargetError> {
        let (PublishTo::Folder { folder, .. } | PublishTo::Command { folder, .. }) =
            &self.target.to
        else {
            return Ok(());
        };
        let mut names: BTreeMap<String, &String> = BTreeMap::new();
        let twins = self
            .wanted
            .items
            .keys()
            .find_map(|name| Some((names.insert(name.to_lowercase(), name)?, name)));
        // What a dry run says must change nothing.
        let Some((one, other)) = twins.filter(|_| !self.options.dry_run) else {
            return Ok(());
        };
        if blocking(folder, |folder| Ok(folder::folds_case(folder))).await? {
            let folder = folder.display();
            return Err(TargetError::Cannot(vec![Cannot(format!(
                "the disk of {folder} does not tell {one} from {other}; give one of the two pages another name, or `to` another disk"
            ))]));
        }
        Ok(())
    }

    /// Compares a target with its record: what is not there any more, or otherwise, is taken out of the record. Gives the
    /// names of what nobody remembers.
    pub(super) async fn verify(
        &self,
        record: &mut TargetRecord,
    ) -> Result<Vec<String>, TargetError> {
        let place =
            match &self.target.to {
                PublishTo::Folder {
                    folder,
                    layout: FolderLayout::Releases,
                } => TargetPlace::Folder(folder::current(folder)),
                PublishTo::Folder {
                    folder,
                    layout: FolderLayout::Plain,
                } => TargetPlace::Folder(Folder::at(folder)),
                PublishTo::Bucket { url, options, .. } => TargetPlace::Bucket(Box::new(
                    Outside::open(url, options, self.options.patience)?,
                )),
                // Nobody can ask a program what lies there; it is given everything again.
                PublishTo::Command { .. } => return Ok(Vec::new()),
            };
        let there = place.list().await?;
        // Azure lists them without the quotes that its answers have.
        let plain =
            |etag: &Option<String>| etag.as_ref().map(|etag| etag.trim_matches('"').to_owned());
        let is_same = |name: &String, sent: &SentFile| match (there.get(name), &place) {
            // Ours, and about to go, whatever became of it.
            (Some(_), _) if !self.wanted.items.contains_key(name) => true,
            (Some(found), TargetPlace::Bucket(_)) => {
                found.is_none() || sent.etag.is_none() || plain(found) == plain(&sent.etag)
            }
            (Some(found), TargetPlace::Folder(_)) => found.as_ref() == Some(&sent.hash),
            (None, _) => false,
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
}
