//! What must change at a target: the difference of what is to lie there and what does. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::wanted::{SendRank, WantedFile, WantedFiles};
use crate::hosts;
use crate::model::Moment;
use crate::store::TargetRecord;

/// What must change.
#[derive(Debug, Default)]
pub(super) struct PublishPlan {
    /// What is deleted before anything is sent, because it is in the way: a file where a folder must be, or a folder.
    pub(super) in_the_way: Vec<String>,
    /// What is sent, in the order in which that is safe.
    pub(super) puts: Vec<(String, WantedFile)>,
    /// What is deleted at the end.
    pub(super) deletes: Vec<String>,
    /// What stays for a while though no page names it, with the time since when.
    pub(super) leaving: BTreeMap<String, Moment>,
}

impl PublishPlan {
    /// What leads from a record to what is wanted. Of names in `unknown` nobody knows what lies there.
    pub(super) fn of(
        wanted: &WantedFiles,
        record: &TargetRecord,
        unknown: &BTreeSet<String>,
        keep: Duration,
        now: Moment,
    ) -> Self {
        let mut plan = Self::default();
        for (name, item) in &wanted.items {
            if record
                .objects
                .get(name)
                .is_none_or(|sent| sent.hash != item.hash)
            {
                plan.puts.push((name.clone(), item.clone()));
            }
        }
        plan.puts
            .sort_by(|(one, first), (other, second)| (first.rank, one).cmp(&(second.rank, other)));
        let folders: BTreeSet<&str> = wanted.items.keys().flat_map(|name| parents(name)).collect();
        let is_in_the_way = |name: &str| {
            folders.contains(name) || parents(name).any(|folder| wanted.items.contains_key(folder))
        };
        let gone = record
            .objects
            .keys()
            .chain(record.leaving.keys())
            .chain(unknown);
        for name in gone
            .filter(|name| !wanted.items.contains_key(*name))
            .collect::<BTreeSet<_>>()
        {
            let since = record.leaving.get(name).copied().unwrap_or(now);
            // Pages and host rules take effect as long as they exist. Other files may still be requested by open pages.
            let has_effect = is_page(name) || is_rule_file(name);
            let stays = !has_effect && !unknown.contains(name) && now.since(since) < keep;
            if is_in_the_way(name) {
                plan.in_the_way.push(name.clone());
            } else if stays {
                plan.leaving.insert(name.clone(), since);
            } else {
                plan.deletes.push(name.clone());
            }
        }
        plan
    }

    /// Whether nothing changes at the target.
    pub(super) fn is_empty(&self) -> bool {
        self.in_the_way.is_empty() && self.puts.is_empty() && self.deletes.is_empty()
    }

    /// Every name whose bytes may change.
    pub(super) fn names(&self) -> BTreeSet<String> {
        let puts = self.puts.iter().map(|(name, _)| name);
        puts.chain(&self.in_the_way)
            .chain(&self.deletes)
            .cloned()
            .collect()
    }

    /// What is sent, in groups of which each must be there before the next.
    pub(super) fn groups(&self) -> Vec<&[(String, WantedFile)]> {
        self.puts
            .chunk_by(|(_, one), (_, other)| one.rank == other.rank)
            .collect()
    }
}

fn is_page(name: &str) -> bool {
    name.ends_with(".html") || name.ends_with(".htm") || name.ends_with(".xhtml")
}

fn is_rule_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    hosts::RULE_FILES.contains(&last)
}

fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

/// Whether a name is a rule for the host.
pub(super) fn is_rule(item: &WantedFile) -> bool {
    item.rank == SendRank::Rules
}
