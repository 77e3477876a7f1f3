//! Stages four and five: every page in every locale, and the deployment that makes them the site.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::extract::Corpus;
use super::references::{Outline, Site};
use super::report::{Refused, Report};
use super::republish::Stays;
use super::translate::Texts;
use super::{Build, RunError, Sources, Targets};
use crate::config::{Missing, Placement, Switcher, SwitcherTemplate};
use crate::model::{Locale, PagePath, assign_names};
use crate::page::{Changes, CodedText, Head, Link, Page};
use crate::publish::{self, Draft, Object, Put, Settings, SourceIndex, Tree};
use crate::site_files;
use crate::store::{SourceKind, SourceRecord, Stage};
use crate::translate::Settled;

/// The media type of rendered pages.
const HTML: &str = "text/html; charset=utf-8";

/// A locale's version of a page or document, ready to be stored.
pub(super) struct Version {
    pub(super) tree: Tree,
    pub(super) object: Object,
    pub(super) refused: Vec<Refused>,
    pub(super) locale: Locale,
}

/// Whose words a version has.
#[derive(Clone, Copy)]
pub(super) enum Speech<'t> {
    /// The source's own.
    Source(&'t Locale),
    /// Those of this build.
    Now(&'t Texts),
    /// Those that stay, by the place of the segment.
    Before(&'t Locale, &'t [Settled]),
}

impl<'t> Speech<'t> {
    pub(super) fn locale(self) -> &'t Locale {
        match self {
            Self::Source(locale) | Self::Before(locale, _) => locale,
            Self::Now(texts) => &texts.locale,
        }
    }

    pub(super) fn is_source(self) -> bool {
        matches!(self, Self::Source(_))
    }

    /// The text of a segment, by its place on the page whose texts are `indices`.
    pub(super) fn text(self, indices: &[u32], place: usize) -> Option<&'t CodedText> {
        match self {
            Self::Source(_) => None,
            Self::Now(texts) => texts.text(*indices.get(place)?),
            Self::Before(_, settled) => settled.get(place)?.text.as_ref(),
        }
    }
}

/// What a page says of itself in a locale.
pub(super) struct About {
    pub(super) alternates: Vec<(String, String)>,
    pub(super) canonical: Option<String>,
    pub(super) is_error: bool,
}

/// The switchers of a page, and what goes into its head for them.
#[derive(Default)]
struct PlacedSwitchers {
    style: String,
    marked: Vec<String>,
    waiting: String,
    body_start: String,
    body_end: String,
}

/// What became of it.
struct Stored {
    locale: Locale,
    put: Put,
    refused: Vec<Refused>,
    /// The page, where it has words of the locale.
    spoken: Option<PagePath>,
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
        let site = Arc::new(self.survey(outline, sources, corpus, (texts, kept), report));
        if report.is_untranslated() && !self.options.must_publish {
            report.nothing_published(draft.previous());
            return Ok(());
        }
        self.put_pages(&site, sources, draft, report).await?;
        self.put_documents(&site, sources, draft, report).await?;
        self.put_files(&site, sources, draft, report).await?;
        self.put_own_files(&site, sources, draft, report).await?;
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
        report: &mut Report,
    ) -> Result<(), RunError> {
        let total = site.corpus.pages.len();
        let rendered = stream::iter(sources.of_kind(SourceKind::Page))
            .map(|(path, record)| self.put_page(site, path, record, draft))
            .buffered(self.options.jobs.get());
        let mut rendered = std::pin::pin!(rendered);
        let mut done = 0;
        while let Some(stored) = rendered.try_next().await? {
            for Stored { locale, put, refused, spoken } in stored {
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
        Ok(())
    }

    /// Renders a page in every locale and puts what changed.
    async fn put_page(
        &self,
        site: &Arc<Site<'_>>,
        path: &PagePath,
        record: &SourceRecord,
        draft: &Draft,
    ) -> Result<Vec<Stored>, RunError> {
        let mut versions = self.kept_versions(site, path, record, draft).await?;
        if !site.corpus.unreadable.contains(path)
            && let Some(page) = self.parse(path, record).await?
        {
            versions.extend(self.versions(site, path, record, &page)?);
        }
        let mut stored = Vec::new();
        for Version { tree, object, refused, locale } in versions {
            let spoken = site.is_translated(&locale, path).then(|| path.clone());
            stored.push(Stored { locale, put: draft.put(&tree, object).await?, refused, spoken });
        }
        Ok(stored)
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

    /// What a page says of itself in a locale.
    pub(super) fn about(&self, site: &Site<'_>, locale: &Locale, path: &PagePath, noindex: bool) -> About {
        let is_translated = site.is_translated(locale, path);
        let alternates =
            if noindex || locale.is_pseudo() || !is_translated { Vec::new() } else { site.alternates(path) };
        let is_error = site_files::is_error_page(path);
        let canonical_of = if is_translated { locale } else { &self.site.source_locale };
        let canonical = site.addresses.public().page(canonical_of, path).filter(|_| !is_error);
        About { alternates, canonical, is_error }
    }

    /// One locale's version of a page.
    pub(super) fn version(
        &self,
        site: &Site<'_>,
        path: &PagePath,
        record: &SourceRecord,
        page: &Page,
        speech: Speech<'_>,
    ) -> Result<Version, RunError> {
        let locale = speech.locale();
        let is_translated = site.is_translated(locale, path);
        let About { alternates, canonical, is_error } = self.about(site, locale, path, record.noindex);
        let notice = if is_translated { String::new() } else { site.templates.notice(locale)? };
        let canonical_of = if is_translated { locale } else { &self.site.source_locale };
        let public = site.addresses.public();
        let switchers = self.switchers(site, locale, path, page)?;
        let is_hidden = locale.is_pseudo() || !is_translated || (is_error && !speech.is_source());
        let head = Head {
            canonical: canonical.as_deref(),
            alternates: &alternates,
            alone: is_error,
            noindex: is_hidden && !record.noindex,
            extra: &switchers.style,
            body_start: &(notice + &switchers.body_start),
            body_end: &switchers.body_end,
            marked: &switchers.marked,
            waiting: &switchers.waiting,
        };
        let link = |link: &Link<'_>| {
            // Where no address is known in full, the source's would make search engines drop this version (R-C5).
            let is_canonical = link.element == "link" && link.rel.iter().any(|rel| rel == "canonical");
            match is_canonical && public.page(canonical_of, path).is_none() {
                true => Some(public.reference(locale, canonical_of, path)),
                false => site.addresses.localize(locale, path, page.base(), link),
            }
        };
        let indices = site.corpus.pages.get(path).map(Vec::as_slice).unwrap_or_default();
        let changes = Changes {
            speak: Some(locale).filter(|_| is_translated && !speech.is_source()),
            head: Some(&head),
            link: (!speech.is_source()).then_some(&link as _),
        };
        let text = |place: usize| if is_translated { speech.text(indices, place) } else { None };
        let rendered = page.render(text, &changes);
        let refused = rendered.refused.iter().map(|(index, error)| Refused::of(path, page, *index, error));
        Ok(Version {
            refused: refused.collect(),
            tree: Tree::Locale(locale.clone()),
            object: Object {
                noindex: record.noindex || head.noindex,
                ..Object::new(site.name(locale, path), site.local(locale, path), HTML, rendered.html)
            },
            locale: locale.clone(),
        })
    }

    /// The switchers of a page: in the place of those that it has already, and otherwise where the site says.
    fn switchers(
        &self,
        site: &Site<'_>,
        locale: &Locale,
        path: &PagePath,
        page: &Page,
    ) -> Result<PlacedSwitchers, RunError> {
        let Switcher { template, placement } = self.site.switcher;
        let marks: Vec<SwitcherTemplate> =
            page.marked_switchers().map(|mark| SwitcherTemplate::named(mark).unwrap_or(template)).collect();
        let is_placed = match placement {
            Placement::Nowhere => false,
            Placement::Waiting => page.awaits_switcher(),
            Placement::BodyStart | Placement::BodyEnd => true,
        };
        let is_placed = is_placed && marks.is_empty();
        let mut placed = PlacedSwitchers::default();
        if marks.is_empty() && !is_placed {
            return Ok(placed);
        }
        let links = site.switcher_links(locale, path);
        let block = |template: &SwitcherTemplate| site.templates.switcher(*template, locale, &links);
        placed.marked = marks.iter().map(block).collect::<Result<_, _>>()?;
        if is_placed {
            let place = match placement {
                _ if page.awaits_switcher() => &mut placed.waiting,
                Placement::BodyStart => &mut placed.body_start,
                Placement::BodyEnd | Placement::Waiting | Placement::Nowhere => &mut placed.body_end,
            };
            *place = block(&template)?;
        }
        let is_seen = |template: &SwitcherTemplate| *template != SwitcherTemplate::Headless;
        if links.len() > 1 && (marks.iter().any(is_seen) || (is_placed && is_seen(&template))) {
            let style = site.addresses.public().own_file(locale, locale, &site.style);
            placed.style = format!("<link rel=\"stylesheet\" href=\"{style}\" />");
        }
        Ok(placed)
    }

    /// Puts the files of the source; one whose bytes are missing stays as it is published.
    async fn put_files(
        &self,
        site: &Site<'_>,
        sources: &Sources,
        draft: &Draft,
        report: &mut Report,
    ) -> Result<(), RunError> {
        let is_ours = |path: &PagePath| self.replaces(path);
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
        for (path, stays) in missing.into_iter().flatten() {
            report.lacks_source(path, matches!(stays, Stays::Kept) || site.kept.of(path).next().is_some());
        }
        Ok(())
    }

    fn settings(&self, site: &Site<'_>, sources: &Sources, targets: &Targets) -> Settings {
        Settings {
            source_locale: self.site.source_locale.clone(),
            locales: targets.all.iter().map(|target| (target.locale.clone(), target.switch)).collect(),
            switches: targets.record,
            aliases: self.site.aliases.clone(),
            missing: match self.site.missing {
                Missing::Source307 => publish::Missing::Source307,
                Missing::Notice => publish::Missing::Notice,
                Missing::NotFound => publish::Missing::NotFound,
                Missing::Gone => publish::Missing::Gone,
            },
            redirects: sources.redirects.clone(),
            slugs: site.addresses.public().slugs().clone(),
            former: site.former.clone(),
            url: self.site.url.as_ref().map(ToString::to_string),
            source_url: site.addresses.public().source_url(),
            accept_language: self.site.accept_language,
        }
    }
}
