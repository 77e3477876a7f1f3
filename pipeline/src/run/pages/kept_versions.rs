//! Versions that readers go on getting, by page and language.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Locale, PagePath};
use crate::run::corpus::contents::Corpus;
use crate::run::report::build_report::{KeptPage, Noticed, PageTrouble};
use crate::state::SourceRecord;
use crate::store::{Published, SourceIndex};
use crate::translate::ResolvedText;

/// The versions that stay, by locale; those of the source's own tree under the source locale.
#[derive(Debug, Default)]
pub(in crate::run) struct KeptVersions {
    pub(super) versions: BTreeMap<Locale, BTreeMap<PagePath, KeptVersion>>,
}

/// A version that stays.
#[derive(Debug)]
pub(in crate::run) struct KeptVersion {
    /// The deployment in which it was up to date for the last time.
    pub(super) up_to_date: u64,
    pub(super) trouble: PageTrouble,
    /// Whether it is only the source text with a notice.
    pub(super) is_notice: bool,
    /// What it was made of, where that is known.
    pub(in crate::run) record: Option<Arc<SourceRecord>>,
    pub(in crate::run) made: KeptRender,
}

/// How a version that stays is made.
#[derive(Debug)]
pub(in crate::run) enum KeptRender {
    /// From its own source, with these words for its segments.
    Anew(Vec<ResolvedText>),
    /// From its published bytes.
    AsPublished,
}

impl KeptVersions {
    pub(in crate::run) fn is_empty(&self) -> bool {
        self.versions.values().all(BTreeMap::is_empty)
    }

    pub(in crate::run) fn get(&self, locale: &Locale, path: &PagePath) -> Option<&KeptVersion> {
        self.versions.get(locale)?.get(path)
    }

    pub(in crate::run) fn has(&self, locale: &Locale, path: &PagePath) -> bool {
        self.get(locale, path).is_some()
    }

    /// Whether a version stays that is more than the source text with a notice.
    pub(super) fn has_words(&self, locale: &Locale, path: &PagePath) -> bool {
        self.get(locale, path)
            .is_some_and(|version| !version.is_notice)
    }

    /// The versions of one page or document.
    pub(in crate::run) fn of<'k>(
        &'k self,
        path: &PagePath,
    ) -> impl Iterator<Item = (&'k Locale, &'k KeptVersion)> {
        self.versions
            .iter()
            .filter_map(move |(locale, versions)| Some((locale, versions.get(path)?)))
    }

    /// Writes down what stays, so that the next build knows, and nobody sweeps its sources.
    pub(in crate::run) fn note(&self, index: &mut SourceIndex) {
        for (locale, versions) in &self.versions {
            for (
                path,
                KeptVersion {
                    record, up_to_date, ..
                },
            ) in versions
            {
                index
                    .up_to_date
                    .entry(locale.clone())
                    .or_default()
                    .insert(path.clone(), *up_to_date);
                let older = record.as_ref().map(SourceRecord::plain);
                if let Some(older) = older.filter(|older| index.records.get(path) != Some(older)) {
                    index
                        .kept
                        .entry(locale.clone())
                        .or_default()
                        .insert(path.clone(), older);
                }
            }
        }
    }

    /// Lists what stays of a locale as `published` has it.
    pub(in crate::run) fn pages(&self, locale: &Locale, published: &Published) -> Vec<KeptPage> {
        let versions = self.versions.get(locale).into_iter().flatten();
        let page = |(path, version): (&PagePath, &KeptVersion)| KeptPage {
            path: path.clone(),
            deployment: version.up_to_date,
            published_at: published.created_at(version.up_to_date),
            trouble: version.trouble,
            as_published: matches!(version.made, KeptRender::AsPublished),
        };
        versions.map(page).collect()
    }

    /// Says which sources are missing, and of which of them a version stays.
    pub(in crate::run) fn lacking(&self, corpus: &Corpus) -> Vec<Noticed> {
        let lacking =
            |path: &PagePath| Noticed::Lacking(path.clone(), self.of(path).next().is_some());
        corpus.unreadable.iter().map(lacking).collect()
    }
}
