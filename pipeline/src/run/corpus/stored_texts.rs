//! Texts of the last build, kept in the state, so that lists of texts need not read pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::contents::Corpus;
use super::extract;
use super::indices::Indices;
use super::text_table::{KnownTexts, TextTable};
use crate::config::SiteConfig;
use crate::model::{Locale, PagePath, SiteId};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::options::BuildLimits;
use crate::run::source::crawl;
use crate::state::{ReadTexts, State, StateError, TextChange, TextRecord};
use crate::store::Published;
use crate::text::KeptName;

/// The texts of a site, without facts about its pages.
pub(crate) struct StoredTexts {
    /// Texts and the pages that they stand on.
    pub(crate) corpus: Corpus,
    /// Revision of the rows in the state.
    pub(crate) revision: u64,
}

/// Hash of the sources that a deployment was made of.
pub(crate) fn sources_hash(published: &Published) -> Option<&str> {
    let sources = published.commit().sources.as_ref();
    sources.map(|shard| shard.hash.as_str())
}

/// Texts that a build read, for the state. The record names no sources yet.
pub(in crate::run) fn text_change(
    build: &Build<'_>,
    corpus: &Corpus,
) -> Result<TextChange, BuildError> {
    let mut read = ReadTexts::on(build.stores.state.spill_file());
    for text in corpus.texts.iter() {
        read.add_text(text.key, &text.segment);
    }
    let mut standing = BTreeSet::new();
    for (path, _) in corpus.places() {
        if !standing.insert(path.clone()) {
            continue;
        }
        if corpus.cached.contains_key(path) || corpus.unreadable.contains(path) {
            continue;
        }
        let shown = corpus.shown(path);
        let indices = shown
            .iter()
            .filter_map(|&index| usize::try_from(index).ok());
        let keys = indices.filter_map(|index| corpus.texts.key(index));
        read.add_page(path.clone(), keys);
    }
    corpus.texts.check()?;
    let names = corpus.names.decided.iter();
    Ok(TextChange {
        record: TextRecord {
            names: names
                .map(|name| (name.text.clone(), name.is_alone))
                .collect(),
            needless: needless_pages(build.site, corpus),
            ..TextRecord::default()
        },
        read,
        standing,
        is_whole: corpus.cached.is_empty() && corpus.unreadable.is_empty(),
    })
}

/// Pages with texts that need no words in a locale.
fn needless_pages(site: &SiteConfig, corpus: &Corpus) -> BTreeMap<Locale, BTreeSet<PagePath>> {
    let mut needless = BTreeMap::new();
    for locale in &site.locales {
        let mut pages = BTreeSet::new();
        for (path, _) in corpus.places() {
            if corpus.needs_no_words(locale, path) || corpus.singles.contains_key(path) {
                pages.insert(path.clone());
            }
        }
        if !pages.is_empty() {
            needless.insert(locale.clone(), pages);
        }
    }
    needless
}

/// Texts of a deployment, from the state. If the state has no usable rows for this deployment, the pages are read and their texts
/// kept.
pub(crate) async fn read_stored(
    build: &Build<'_>,
    published: &Published,
) -> Result<StoredTexts, BuildError> {
    let id = build.site.id.clone();
    let limits = build.options.limits;
    let sources = sources_hash(published).map(str::to_owned);
    let wanted = sources.clone();
    let read = move |state: &State| {
        let record = state.text_record(&id)?;
        match record.filter(|record| Some(&record.sources) == wanted.as_ref()) {
            Some(record) => kept_texts(state, &id, limits, record),
            None => Ok(None),
        }
    };
    if let Some(stored) = build.stores.with_state(read).await? {
        return Ok(stored);
    }
    let sources_of_pages = crawl::stored_sources(build, Some(published)).await?;
    let mut corpus = extract::read_all(build, &sources_of_pages).await?;
    let mut change = text_change(build, &corpus)?;
    corpus.left_out.clone_from(&change.record.needless);
    change.record.sources = sources.unwrap_or_default();
    let id = build.site.id.clone();
    let keep = move |state: &State| {
        state.keep_site_texts(&id, &change)?;
        state.text_record(&id)
    };
    let record = build.stores.with_state(keep).await?;
    Ok(StoredTexts {
        corpus,
        revision: record.map_or(0, |record| record.revision),
    })
}

/// Texts that the state keeps; `None` if a row cannot be read.
fn kept_texts(
    state: &State,
    id: &SiteId,
    limits: BuildLimits,
    record: TextRecord,
) -> Result<Option<StoredTexts>, StateError> {
    let mut corpus = Corpus {
        texts: TextTable::beside(state, limits),
        ..Corpus::default()
    };
    let mut known = KnownTexts::default();
    let is_read = state.site_texts(id, |path, texts| {
        let mut indices = Vec::new();
        for (key, segment) in texts {
            match segment {
                Some(segment) => {
                    let index = corpus.texts.push(key, segment, &path);
                    known.note(key, index);
                    indices.push(index);
                }
                None => indices.extend(known.find(key, &corpus.texts)),
            }
        }
        let indices: Indices = indices.into_iter().collect();
        corpus.pages.insert(path, indices);
    })?;
    corpus.texts.check()?;
    if !is_read {
        return Ok(None);
    }
    for (text, is_alone) in record.names {
        corpus.names.decided.push(KeptName { text, is_alone });
    }
    corpus.left_out = record.needless;
    Ok(Some(StoredTexts {
        corpus,
        revision: record.revision,
    }))
}

/// Names the sources of the deployment that was made of these texts; `None` if the deployment has no sources.
pub(in crate::run) fn of_deployment(
    mut change: TextChange,
    published: &Published,
) -> Option<Arc<TextChange>> {
    change.record.sources = sources_hash(published)?.to_owned();
    Some(Arc::new(change))
}
