//! Stages four and five: every page in every locale, and the deployment that makes them the site.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::context::Build;
use super::error::RunError;
use super::extract::{Corpus, named};
use super::own_files::own_script;
use super::pagefind::Gathered;
use super::references::{Outline, Site};
use super::report::{Noticed, Refused, Report};
use super::republish::Stays;
use super::search::SaidPages;
use super::sources::Sources;
use super::targets::Targets;
use super::texts::Texts;
use super::version::{Speech, Version};
use crate::model::{Locale, PagePath, assign_names};
use crate::page::{Content, Page, read_content};
use crate::publish::{self, Draft, Object, Put, Settings, SourceIndex, Tree};
use crate::store::{SourceKind, SourceRecord, Stage};

/// What became of a version.
struct Stored {
    locale: Locale,
    put: Put,
    refused: Vec<Refused>,
    /// The page, where it has words of the locale.
    spoken: Option<PagePath>,
    lacks_template: bool,
    /// What it says, where a search index wants it.
    content: Option<Content>,
}

impl Build<'_> {
    #[expect(clippy::too_many_arguments, reason = "what a try is made of; only `deploy` calls it")]
    pub(super) async fn publish(
        &self,
        draft: &Draft,
        outline: Outline,
        sources: &Sources,
        corpus: &Corpus,
        texts: Vec<Texts>,
        targets: &Targets,
        report: &mut Report,
    ) -> Result<(), RunError> {
        let kept = self.kept(sources, corpus, &texts, draft.previous(), report).await?;
        let site = Arc::new(self.survey(outline, sources, corpus, (texts, kept, draft.previous()), report));
        if report.is_untranslated() && !self.options.must_publish {
            report.nothing_published(draft.previous());
            return Ok(());
        }
        let gathered = self.gather(&site).transpose().unwrap_or_else(|why_not| {
            report.note([why_not]);
            None
        });
        let said = self.put_pages(&site, sources, draft, gathered.as_ref(), report).await?;
        report.note(self.put_indexes(&site, sources, &said, draft).await?);
        let (replaced, why_not) = self.put_pagefind(&site, gathered, sources, draft).await?;
        report.note(why_not);
        report.note(self.put_documents(&site, sources, draft).await?);
        report.note(self.put_files(&site, sources, &replaced, draft).await?);
        report.note(self.put_own_files(&site, sources, draft).await?);
        for texts in &site.texts {
            let tree = Tree::Locale(texts.locale.clone());
            let lacks = |path: &&PagePath| !site.is_translated(&texts.locale, path);
            corpus.pages.keys().filter(lacks).for_each(|path| draft.miss(&tree, path.clone()));
        }
        report.notices.extend(self.notice_of_references(&site));
        self.step(Stage::Publish, 0, None);
        let mut index = SourceIndex::of(&sources.records);
        site.kept.note(&mut index);
        draft.made_of(index);
        let finished = draft.finish(self.settings(&site, sources, targets)).await?;
        report.deployment = finished.deployment;
        report.deployment_id = publish::deployment_id(&self.stores.objects, &self.site.id, finished.deployment).await?;
        report.created = finished.created;
        report.written = finished.written;
        report.removed = finished.removed;
        report.unchanged = finished.unchanged;
        Ok(())
    }

    async fn put_pages(
        &self,
        site: &Arc<Site<'_>>,
        sources: &Sources,
        draft: &Draft,
        gathered: Option<&Gathered<'_>>,
        report: &mut Report,
    ) -> Result<SaidPages, RunError> {
        let mut said = SaidPages::default();
        let total = site.corpus.pages.len();
        let rendered = stream::iter(sources.of_kind(SourceKind::Page))
            .map(|(path, record)| self.put_page(site, path, record, draft, gathered))
            .buffered(self.options.jobs.get());
        let mut rendered = std::pin::pin!(rendered);
        let mut done = 0;
        let mut lacking = BTreeSet::new();
        while let Some((path, stored)) = rendered.try_next().await? {
            for Stored { locale, put, refused, spoken, lacks_template, content } in stored {
                lacking.extend(lacks_template.then(|| path.to_string()));
                content.into_iter().for_each(|content| said.add(&locale, path, content));
                if let Some(path) = spoken.filter(|_| put != Put::Unchanged) {
                    report.rewritten.entry(locale.clone()).or_default().insert(path);
                }
                if let Some(report) = report.locales.iter_mut().find(|report| report.locale == locale) {
                    report.refused.extend(refused);
                    report.updated += usize::from(put != Put::Unchanged);
                }
            }
            done += 1;
            self.step(Stage::Render, done, Some(total));
        }
        if !lacking.is_empty() {
            let pages = named(&lacking.into_iter().collect::<Vec<_>>());
            report.notices.push(format!(
                "a template of the site is left out of pages in XHTML, because it is no well-formed XML: {pages}"
            ));
        }
        Ok(said)
    }

    /// Renders a page in every locale and puts what changed.
    async fn put_page<'p>(
        &self,
        site: &Arc<Site<'_>>,
        path: &'p PagePath,
        record: &SourceRecord,
        draft: &Draft,
        gathered: Option<&Gathered<'_>>,
    ) -> Result<(&'p PagePath, Vec<Stored>), RunError> {
        let mut versions = self.kept_versions(site, path, record, draft).await?;
        if !site.corpus.unreadable.contains(path)
            && let Some(page) = self.parse(path, record).await?
        {
            versions.extend(self.versions(site, path, record, &page)?);
        }
        let mut stored = Vec::new();
        for Version { tree, object, refused, locale, file, lacks_template } in versions {
            if let Some(file) = file {
                draft.put(&Tree::Shared, own_script(&file)).await?;
            }
            let spoken = site.is_translated(&locale, path).then(|| path.clone());
            let is_localized = locale != self.site.source_locale;
            let content = (is_localized && !site.corpus.indexes.is_empty()).then(|| read_content(&object.body));
            if let Some(gathered) = gathered.filter(|_| is_localized) {
                self.add_page(site, gathered, &locale, &object).await;
            }
            let put = draft.put(&tree, object).await?;
            stored.push(Stored { locale, put, refused, spoken, lacks_template, content });
        }
        Ok((path, stored))
    }

    fn versions(
        &self,
        site: &Site<'_>,
        path: &PagePath,
        record: &SourceRecord,
        page: &Page,
    ) -> Result<Vec<Version>, RunError> {
        let mut versions = Vec::new();
        if self.publishes_source() {
            versions.push(self.version(site, path, record, page, Speech::Source(&self.site.source_locale))?);
        }
        for texts in &site.texts {
            if site.addresses.is_published(&texts.locale, path) && !site.kept.has(&texts.locale, path) {
                versions.push(self.version(site, path, record, page, Speech::Now(texts))?);
            }
        }
        Ok(versions)
    }

    /// Puts the files of the source but those that something else has replaced; one whose bytes are missing stays as it is
    /// published.
    async fn put_files(
        &self,
        site: &Site<'_>,
        sources: &Sources,
        replaced: &BTreeSet<PagePath>,
        draft: &Draft,
    ) -> Result<Vec<Noticed>, RunError> {
        let is_ours = |path: &PagePath| self.replaces(path) || replaced.contains(path);
        let files: Vec<(&PagePath, &SourceRecord)> = sources.files().filter(|(path, _)| !is_ours(path)).collect();
        let is_page = |record: &SourceRecord| matches!(&*record.content_type, "text/html" | "application/xhtml+xml");
        let names = assign_names(files.iter().map(|(path, record)| (*path, is_page(record))));
        let names = &names;
        let missing: Vec<Option<(&PagePath, Stays)>> = stream::iter(files)
            .map(|(path, record)| async move {
                let Some(name) = names.get(path) else { return Ok(None) };
                let link =
                    (record.kind == SourceKind::Document).then(|| site.link_header(&self.site.source_locale, path));
                let link = link.flatten().filter(|_| self.publishes_source());
                let Some(body) = self.source(record).await? else {
                    return Ok(Some((path, self.keep_file(draft, name, path, link).await?)));
                };
                let object = Object { link, ..Object::new(name.clone(), path.clone(), &record.content_type, body) };
                draft.put(&Tree::Shared, object).await?;
                Ok::<_, RunError>(None)
            })
            .buffered(self.options.jobs.get())
            .try_collect()
            .await?;
        let lacking = missing.into_iter().flatten().map(|(path, stays)| {
            let is_kept = matches!(stays, Stays::Kept) || site.kept.of(path).next().is_some();
            Noticed::Lacking(path.clone(), is_kept)
        });
        Ok(lacking.collect())
    }

    fn settings(&self, site: &Site<'_>, sources: &Sources, targets: &Targets) -> Settings {
        Settings {
            source_locale: self.site.source_locale.clone(),
            locales: targets.all.iter().map(|target| (target.locale.clone(), target.switch)).collect(),
            switches: targets.record,
            aliases: self.site.aliases.clone(),
            missing: self.site.missing,
            redirects: sources.redirects.clone(),
            slugs: site.addresses.public().slugs().clone(),
            former: site.former.clone(),
            url: self.site.url.as_ref().map(ToString::to_string),
            source_url: site.addresses.public().source_url(),
            accept_language: self.site.accept_language,
        }
    }
}
