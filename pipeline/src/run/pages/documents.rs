//! Feeds, web manifests and sidebars in every locale.
//!
//! Each is published twice over: as it is, with the other files, and in each locale in which enough of it is
//! translated, under the same path. It is no page: it has no switcher, no notice, no alternates and no place in
//! sitemaps, and where a locale lacks it, links lead to the one that is published as it is.

use futures::{StreamExt, TryStreamExt, stream};

use super::document_version::document;
use super::kept_versions::KeptVersions;
use super::references::SiteContext;
use super::republish;
use super::version::{PageVersion, VersionSpeech};
use crate::config::SiteConfig;
use crate::model::{Locale, PagePath};
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::extract;
use crate::run::corpus::indices::Indices;
use crate::run::error::BuildError;
use crate::run::report::build_report::Noticed;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::state::{SourceKind, SourceRecord};
use crate::store::Draft;

/// The documents of which enough is translated; a sitemap that is a feed gives way to our own.
pub(super) fn translated_documents(
    site: &SiteConfig,
    corpus: &Corpus,
    texts: &LocaleTexts,
    kept: &KeptVersions,
) -> Vec<PagePath> {
    let documents = corpus.documents.iter();
    let documents = documents.filter(|(path, _)| {
        path.as_str() != "/sitemap.xml" && !corpus.is_left_out(&texts.locale, path)
    });
    let is_enough = |path: &PagePath, indices: &Indices| {
        let words = texts.words(corpus, &indices.to_vec());
        !corpus.unreadable.contains(path) && words.share() >= site.min_translated
    };
    let is_there = |path: &PagePath, indices: &Indices| {
        is_enough(path, indices) || kept.has(&texts.locale, path)
    };
    documents
        .filter(|(path, indices)| is_there(path, indices))
        .map(|(path, _)| path.clone())
        .collect()
}

pub(super) async fn put_documents(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    draft: &Draft,
) -> Result<Vec<Noticed>, BuildError> {
    let rendered: Vec<Vec<Noticed>> = stream::iter(sources.of_kind(SourceKind::Document))
        .map(|(path, record)| put_document(build, site, path, record, draft))
        .buffered(build.options.jobs.get())
        .try_collect()
        .await?;
    Ok(rendered.into_iter().flatten().collect())
}

/// Renders a document in every locale and puts what changed.
async fn put_document(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    draft: &Draft,
) -> Result<Vec<Noticed>, BuildError> {
    let mut versions = republish::kept_versions(build, site, path, record, draft).await?;
    if !site.corpus.unreadable.contains(path)
        && let Some(page) = extract::parse(build, path, record).await?
    {
        let is_made = |locale: &Locale| {
            site.addresses.is_published(locale, path) && !site.kept.has(locale, path)
        };
        let texts = site.texts.iter().filter(|texts| is_made(&texts.locale));
        versions.extend(
            texts.map(|texts| document(site, path, record, &page, VersionSpeech::Now(texts))),
        );
    }
    let mut all = Vec::new();
    for PageVersion {
        tree,
        object,
        refused,
        locale,
        ..
    } in versions
    {
        all.extend(
            refused
                .into_iter()
                .map(|refused| Noticed::Refused(locale.clone(), refused)),
        );
        draft.put(&tree, object).await?;
    }
    Ok(all)
}
